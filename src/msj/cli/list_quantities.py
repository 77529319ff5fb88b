"""``msj list quantities [NAME]``: what the names in the answers mean."""

from __future__ import annotations

import click

from msj.cli.show import show_grid, show_json
from msj.errors import InvalidInput
from msj.registry import nearest
from msj.results.glossary import GLOSSARY


def check_quantity(name: str) -> None:
    """Refuse a name that no row of an answer has."""
    if name not in GLOSSARY:
        raise InvalidInput(f"no quantity is called '{name}'; {nearest(name, GLOSSARY)}")


def list_quantities(name: str | None, as_json: bool) -> None:
    """Print the glossary, or one line of it."""
    terms = {name: GLOSSARY[name]} if name is not None else GLOSSARY
    rows = [{"name": key, "unit": term.dimension, "what it is": term.words} for key, term in terms.items()]
    if as_json:
        show_json(rows)
        return
    for group in dict.fromkeys(term.group for term in terms.values()):
        click.echo(f"{group}\n")
        show_grid(["quantity", "unit", "what it is"], [
            [f"  {row['name']}", row["unit"], row["what it is"]] for row in rows if terms[row["name"]].group == group
        ])  # fmt: skip
        click.echo()
