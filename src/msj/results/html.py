"""Tables as HTML, for notebooks and pages: the same blocks as the text has."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from msj.results.quantity import Quantity
from msj.results.table import blocks_of


def write_html(
    heading: str, quantities: Iterable[Quantity], notes: Iterable[str] = (), *, time_unit: str | None = None
) -> str:
    """Return rows as HTML tables under a heading, notes below."""
    parts = [f"<p><b>{escape(heading)}</b></p>"]
    for block in blocks_of(quantities, time_unit=time_unit):
        parts.append(html_grid(block.headings, block.rows, caption=block.title, labels=block.labels))
        parts += [f"<p><small>{escape(remark)}</small></p>" for remark in block.remarks]
    parts += [f"<p>{escape(note)}</p>" for note in notes]
    return f'<div class="msj">{"".join(parts)}</div>'


def html_grid(headings: Sequence[str], rows: Iterable[Sequence[str]], *, caption: str = "", labels: int = 1) -> str:
    """Return texts as one HTML table; the first ``labels`` columns head their lines.

    Examples
    --------
    >>> html_grid(["a"], [["<1>"]], labels=0)
    '<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>&lt;1&gt;</td></tr></tbody></table>'
    """
    head = "".join(f"<th>{escape(text)}</th>" if text else "<td></td>" for text in headings)
    head = f"<thead><tr>{head}</tr></thead>" if headings else ""
    body = "".join("<tr>" + "".join(_cell(text, i < labels) for i, text in enumerate(row)) + "</tr>" for row in rows)
    told = f'<caption style="text-align: left">{escape(caption)}</caption>' if caption else ""
    return f"<table>{told}{head}<tbody>{body}</tbody></table>"


def _cell(text: str, label: bool) -> str:
    return f'<th style="text-align: left">{escape(text)}</th>' if label else f"<td>{escape(text)}</td>"
