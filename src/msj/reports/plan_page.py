"""A plan as one HTML file that needs nothing else: the sentence, the picture, the points tried."""

from __future__ import annotations

import base64
import io
from html import escape
from pathlib import Path

from msj.errors import InvalidInput
from msj.planning import PlanResult
from msj.plots import plan as picture
from msj.results.html import html_grid
from msj.store import write_text

STYLE = """:root { color-scheme: light dark;
  --ink: #1b2733; --page: #fff; --line: #ddd; --soft: #52606d; --blue: #1d5fa7; }
@media screen and (prefers-color-scheme: dark) {
  :root { --ink: #e6ebf0; --page: #12181e; --line: #34404b; --soft: #a9b4be; --blue: #7db4ee; }
}
body { color: var(--ink); background: var(--page);
  font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; } .answer { font-size: 1.15rem; border-left: 4px solid var(--blue); padding-left: 0.8rem; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid var(--line); padding: 0.2rem 0.8rem 0.2rem 0; text-align: left; font-weight: normal; }
thead th { font-weight: 600; } h1, p, li { overflow-wrap: anywhere; }
img { max-width: 100%; background: #fff; border-radius: 4px; } .scroll { overflow-x: auto; }
footer, small { color: var(--soft); }
@media print { h1, h2 { break-after: avoid; } figure, tr { break-inside: avoid; } .scroll { overflow: visible; }
  body { max-width: none; margin: 0; } }"""


def write_plan_page(result: PlanResult, path: Path) -> None:
    """Write the page."""
    write_text(path, plan_page(result))


def plan_page(result: PlanResult) -> str:
    """Return the page."""
    parts = [f"<h1>{escape(result.title)}: a plan</h1>", f'<p class="answer">{escape(result.sentence)}</p>']
    targets = "".join(f"<li>{escape(target.words(result.time_unit))}</li>" for target in result.targets)
    parts.append(f"<p>To be met:</p><ul>{targets}</ul>")
    if drawn := _picture(result):
        words = (
            "What each point brings. Full markers meet all targets, hollow ones do not; the dashed line is the target."
        )
        parts.append(f'<img alt="{words}" src="data:image/svg+xml;base64,{drawn}"><p><small>{words}</small></p>')
    parts += [f"<p>{escape(note)}</p>" for note in result.notes[1:]]
    parts.append("<h2>Points tried</h2>" if result.points else "")
    parts += [
        f'<div class="scroll" tabindex="0" role="group" aria-label="Points tried">{html_grid(heads, lines)}</div>'
        for heads, lines in result.tables()
    ]
    made = ", ".join(f"{name} {result.provenance[name]}" for name in ("msj", "seed") if name in result.provenance)
    title = escape(f"{result.title}: a plan")
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="icon" href="data:,"><title>{title}</title>'
    )
    body = "<main>" + "\n".join(part for part in parts if part) + "</main>"
    return (
        f'<!doctype html>\n<html lang="en"><head>{head}<style>{STYLE}</style></head>\n<body>{body}'
        f"<footer>{escape(made)}</footer></body></html>\n"
    )


def _picture(result: PlanResult) -> str:
    """Return the picture, base64; empty where there is nothing to draw."""
    try:
        figure = picture.draw(result)
    except InvalidInput:
        return ""
    file = io.BytesIO()
    figure.savefig(file, format="svg")
    return base64.b64encode(file.getvalue()).decode("ascii")
