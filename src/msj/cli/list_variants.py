"""``msj list durations|policies|analyses [FILE]``."""

from __future__ import annotations

from pathlib import Path

import click

from msj.cli.show import show_grid, show_json
from msj.model import System, read
from msj.registry import ANALYSES, DURATIONS, POLICIES, Catalogue

CATALOGUES = {"durations": DURATIONS, "policies": POLICIES, "analyses": ANALYSES}


@click.command("list")
@click.argument("what", type=click.Choice(list(CATALOGUES)))
@click.argument("file", type=click.Path(path_type=Path), metavar="[FILE]", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
def list_variants(what: str, file: Path | None, as_json: bool) -> None:
    """List what exists; with FILE, say what applies to it and why something does not.

    \b
    Examples:
      msj list durations
      msj list analyses examples/two_servers.toml
    """
    system = read(file) if file is not None else None
    rows = [_row(CATALOGUES[what], name, system) for name in CATALOGUES[what].names()]
    if as_json:
        show_json(rows)
    else:
        headings = list(rows[0]) if rows else ["name"]
        show_grid(headings, [[row[key] for key in headings] for row in rows])


def _row(catalogue: Catalogue, name: str, system: System | None) -> dict[str, str]:
    variant = catalogue.get(name)
    row = {"name": name, "what it is": variant.summary}
    if catalogue is DURATIONS:
        exact = "yes" if hasattr(variant, "as_phase_type") and _is_phase_type(variant) else "no: simulation only"
        row["exact methods"] = exact
        if system is not None:
            users = [c.name for c in system.classes if c.duration.law == name]
            row["used by"] = ", ".join(users)
    elif system is not None:
        reason = variant().supports(system)
        row["applies"] = "yes" if reason is None else f"no: {reason}"
    else:
        row["citation"] = variant.citation
    return row


def _is_phase_type(law: type) -> bool:
    from msj.model.durations import Duration

    return law.as_phase_type is not Duration.as_phase_type  # type: ignore[attr-defined]
