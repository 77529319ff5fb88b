"""A report as a page of text: findings first, then one small table per section."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator

from msj.reports import tables
from msj.reports.contents import Report
from msj.reports.policies import policy_name
from msj.reports.tables import Table
from msj.reports.wording import count, how_sure, percent, short, what_is_assumed
from msj.results.units import rate_words

WIDTH = 96
MOST_ROWS = 12


def write_text(report: Report, *, heading: Callable[[str], str] = str.upper) -> str:
    """Return the page of text; ``heading`` says how a section's title is written."""
    parts = [summary(report), *_findings(report)]
    for title, lines in _sections(report):
        body = [line for line in lines if line]
        if body:
            parts += ["", heading(title), *body]
    return "\n".join(parts)


def summary(report: Report) -> str:
    """Return what the cluster is, in a line."""
    system, load = report.cluster, report.load
    classes = len(system.active_classes)
    line = f"{report.title}: {count(system.servers, 'server')}, {count(classes, 'class')}, {policy_name(system.policy)}"
    if load is None:
        return line
    return f"{line}, {short(load.arrival_rate)} {rate_words(report.time_unit)} ({load.words})"


def _findings(report: Report) -> Iterator[str]:
    for finding in report.findings:
        sure = how_sure(finding.quantity).split(",")[0]
        yield from _wrapped(f"{finding.sentence} ({sure})", "  * ")
    for note in report.notes:
        yield from _note(note)


def _sections(report: Report) -> Iterator[tuple[str, list[str]]]:
    yield (
        "how much it can take",
        [
            *_grid(tables.capacity_table(report)),
            *_spaced(tables.blame_table(report)),
            *_notes(evidence_of(report)),
        ],
    )
    rate = f" {rate_words(report.time_unit)}" if report.time_unit is not None else ""
    at = f"at arrival rate {short(report.load.arrival_rate)}{rate}" if report.load is not None else ""
    more = f", utilisation {percent(report.load.utilisation)}" if report.load is not None else ""
    yield (
        f"{'response times' if report.response.find('loss_probability') is None else 'losses'} {at}{more}",
        [
            *_grid(tables.response_table(report)),
            *_spaced(tables.curve_table(report, at_most=8)),
            *_notes(report.response.notes),
        ],
    )
    yield (
        "waiting times: so many jobs wait at most so long",
        [*_grid(tables.waiting_table(report)), *_notes(report.waiting.notes)],
    )
    left_out = [f"{', '.join(names)}: {reason}" for reason, names in report.policies.reasons.items()]
    yield (
        "policies on the same jobs",
        [*_grid(tables.policies_table(report)), *_notes(left_out), *_notes(report.policies.notes)],
    )
    yield (
        "what a change would bring, at the same arrival rate",
        [*_grid(tables.what_if_table(report)), *_notes(report.what_if.notes)],
    )
    yield (
        f"outlook: the same mix on more servers, at {report.outlook.kept} {percent(report.outlook.share)}",
        [*_grid(tables.outlook_table(report)), *_notes(report.outlook.notes)],
    )
    yield "what is assumed", list(_note(what_is_assumed(report.cluster)))
    yield "what the words mean", ["  msj list quantities explains every name; the page explains those it shows"]
    facts = report.provenance
    run = f"seed {facts.get('seed')}, {short(facts.get('seconds'), 3)} seconds"
    yield "provenance", [f"  msj {facts.get('msj')}, {run}, identity {facts.get('identity')}"]


def evidence_of(report: Report) -> tuple[str, ...]:
    """Return what is to be said of a threshold that is not proved."""
    return report.capacity.notes[1:] if report.capacity is not None and report.capacity.bracketed else ()


def _grid(table: Table) -> list[str]:
    if not table.rows:
        return []
    many = len(table.rows) > 2 * MOST_ROWS
    # A unit stands below what it is the unit of: beside it, tables would be too wide.
    above = [heading.replace(" (", "\n(").split("\n") for heading in table.headings]
    units = [tuple(parts[1] if len(parts) > 1 else "" for parts in above)]
    headings = [tuple(parts[0] for parts in above), *(units if any(units[0]) else [])]
    shown = [*headings, *(table.rows[:MOST_ROWS] if many else table.rows)]
    widths = [max(len(row[i]) for row in shown) for i in range(len(table.headings))]
    lines = []
    for row in shown:
        cells = [
            cell.rjust(width) if number else cell.ljust(width)
            for cell, width, number in zip(row, widths, table.numbers, strict=True)
        ]
        lines.append(("  " + "  ".join(cells)).rstrip())
    if many:
        lines.append(f"  ... and {len(table.rows) - MOST_ROWS} more; the page and --json have them all")
    return lines


def _spaced(table: Table) -> list[str]:
    lines = _grid(table)
    return [" ", *lines] if lines else []


def _notes(notes: Iterable[str]) -> list[str]:
    return [line for note in notes for line in _note(note)]


def _note(note: str) -> list[str]:
    return _wrapped(note, "  - ")


def _wrapped(sentence: str, bullet: str) -> list[str]:
    kept = sentence.replace(" %", "\N{NO-BREAK SPACE}%")  # a number and its unit stay on one line
    lines = textwrap.wrap(kept, WIDTH, initial_indent=bullet, subsequent_indent="    ", break_on_hyphens=False)
    return [line.replace("\N{NO-BREAK SPACE}", " ") for line in lines]
