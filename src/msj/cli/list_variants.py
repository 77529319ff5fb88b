"""``msj list durations|arrivals|orders|policies|models|environments|analyses|quantities [NAME|FILE]``."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from msj.cli.list_quantities import check_quantity, list_quantities
from msj.cli.messages import echo
from msj.cli.options import InputPath, read_system
from msj.cli.show import show_grid, show_json
from msj.disciplines.applicable import why_policy_does_not_apply
from msj.errors import InvalidInput
from msj.model import System
from msj.model.arrivals import Arrivals
from msj.plugins import Broken
from msj.registry import ANALYSES, ARRIVALS, DURATIONS, ENVIRONMENTS, MODELS, ORDERS, POLICIES, Catalogue
from msj.results.glossary import GLOSSARY

QUANTITIES = "quantities"
CATALOGUES = {
    "durations": DURATIONS,
    "arrivals": ARRIVALS,
    "orders": ORDERS,
    "policies": POLICIES,
    "models": MODELS,
    "environments": ENVIRONMENTS,
    "analyses": ANALYSES,
}


class NameOrFile(InputPath):
    """One of the variants, or a spec file."""

    name = "name or file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return a variant's name as a text, anything else as a path."""
        if ctx is not None and "what" in ctx.params and not Path(value).suffix and not Path(value).exists():
            if ctx.params["what"] == QUANTITIES:
                check_quantity(str(value))
            else:
                CATALOGUES[ctx.params["what"]].get(str(value))  # an unknown name is answered with the nearest
            return value
        return super().convert(value, param, ctx)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Complete names, and paths."""
        names = [CompletionItem(name) for name in _names(ctx) if name.startswith(incomplete)]
        return names or super().shell_complete(ctx, param, incomplete)


def _names(context: click.Context | None) -> tuple[str, ...]:
    what = context.params.get("what") if context is not None else None
    if what == QUANTITIES:
        return tuple(GLOSSARY)
    return CATALOGUES[what].names() if what in CATALOGUES else ()


@click.command("list")
@click.argument("what", type=click.Choice([*CATALOGUES, QUANTITIES]))
@click.argument("of", type=NameOrFile(), metavar="[NAME|FILE]", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
def list_variants(what: str, of: Path | str | None, as_json: bool) -> None:
    """List what exists; with NAME, what can be said of one; with FILE, what applies to it and why something does not.

    Files of your own in the folders that MSJ_PATH names are listed too, if they end in VARIANT = ... A file that cannot
    be used is listed as broken, with the reason.

    \b
    Examples:
      msj list durations
      msj list durations hyperexponential
      msj list arrivals mmpp
      msj list policies
      msj list models server-groups
      msj list environments breakdowns
      msj list analyses examples/two_servers.toml
      msj list quantities
      msj list quantities mean_response_time
    """
    if what == QUANTITIES:
        if isinstance(of, Path):
            raise click.UsageError("quantities mean the same whatever the file; give the name of one, or nothing")
        list_quantities(of, as_json)
        return
    if isinstance(of, str):
        _describe(CATALOGUES[what], of, as_json)
        return
    system = read_system(of) if of is not None else None
    catalogue = CATALOGUES[what]
    rows = [_row(catalogue, name, variant, system) for name, variant in catalogue.items()]
    added, broken = catalogue.added(), catalogue.broken()
    if added or (broken and as_json):
        rows = [{**row, "file": str(added.get(row["name"], ""))} for row in rows]
    if as_json:
        show_json(_with_broken(rows, broken))
        return
    headings = list(rows[0]) if rows else ["name"]
    show_grid(headings, [[row[key] for key in headings] for row in rows])
    if broken:
        click.echo("\nBroken files:")
    for each in broken:
        click.echo(f"  {each.name}: {each.reason}")


def _with_broken(rows: list[dict[str, str]], broken: Sequence[Broken]) -> list[dict[str, str]]:
    """Return the rows followed by those of broken files; if there are any, every row has a key ``broken``."""
    if not broken:
        return rows
    blank = dict.fromkeys(rows[0], "") if rows else {}
    bad = [{**blank, "name": each.name, "file": str(each.file), "broken": each.reason} for each in broken]
    return [*({**row, "broken": ""} for row in rows), *bad]


def keys_of(variant: Any) -> list[dict[str, str]]:
    """Return the keys that a law, a policy or a model takes in a spec file, with their defaults.

    Examples
    --------
    >>> from msj.registry import POLICIES
    >>> keys_of(POLICIES.get("msfq"))[-1]
    {'key': 'drain', 'default': 'waiting'}
    """
    fields = dataclasses.fields(variant) if dataclasses.is_dataclass(variant) else ()
    names = variant.spec_keys() if hasattr(variant, "spec_keys") else tuple(field.name for field in fields)
    texts = {dataclasses.MISSING: "(to be given)", None: ""}
    return [
        {"key": name, "default": texts.get(field.default, str(field.default))}
        for name, field in zip(names, fields, strict=True)
    ]


def about(variant: Any) -> str:
    """Return the first paragraph of what a variant says about itself."""
    return (inspect.getdoc(variant) or "").partition("\n\n")[0].replace("\n", " ")


def _describe(catalogue: Catalogue, name: str, as_json: bool) -> None:
    """Print what one variant is and which keys it takes in a spec file."""
    variant = catalogue.get(name)
    keys, file = keys_of(variant), catalogue.added().get(name)
    if as_json:
        place = {} if file is None else {"file": str(file)}
        show_json({"name": name, "what it is": variant.summary, "about": about(variant), "keys": keys, **place})
        return
    echo(f"{name}: {variant.summary}\n{about(variant)}")
    if file is not None:
        echo(f"From {file}.")
    if getattr(variant, "class_keys", ()):
        echo(f"Adds to a [[classes]] table: {', '.join(variant.class_keys)}.")
    if keys:
        click.echo()
        show_grid(["key", "default"], [[row["key"], row["default"]] for row in keys])


def _row(catalogue: Catalogue, name: str, variant: Any, system: System | None) -> dict[str, str]:
    row = {"name": name, "what it is": variant.summary}
    if catalogue is DURATIONS:
        exact = "yes" if hasattr(variant, "as_phase_type") and _is_phase_type(variant) else "no: simulation only"
        row["exact methods"] = exact
        if system is not None:
            users = [c.name for c in system.classes if c.duration.law == name]
            row["used by"] = ", ".join(users)
    elif catalogue in (ARRIVALS, ORDERS):
        if catalogue is ARRIVALS:
            row["exact methods"] = "yes" if variant.markov_form is not Arrivals.markov_form else "no: simulation only"
        if system is not None:
            chosen = system.arrivals if catalogue is ARRIVALS else system.order
            row["chosen"] = "yes" if isinstance(chosen, variant) else "no"
    elif catalogue is MODELS:
        row["keys of a class"] = ", ".join(variant.class_keys)
        if system is None:
            row["citation"] = variant.citation
        else:
            row["chosen"] = _chosen(name, system)
    elif catalogue is ENVIRONMENTS:
        if system is None:
            row["citation"] = variant.citation
        else:
            row["chosen"] = "yes" if any(isinstance(one, variant) for one in system.environment) else "no"
    elif system is not None:
        row["applies"] = _applies(catalogue, variant, system)
    else:
        row["citation"] = variant.citation
    return row


def _applies(catalogue: Catalogue, variant: Any, system: System) -> str:
    """Return whether a policy or an analysis applies to a system, and why not."""
    if catalogue is ANALYSES:
        reason = variant().supports(system)
        return f"no: {reason}" if reason is not None else str(variant().how_long(system))
    try:
        policy = variant.from_options({})
    except InvalidInput as error:  # an option has no default
        return f"no: {error.message}"
    reason = why_policy_does_not_apply(system, policy)
    return "yes" if reason is None else f"no: {reason}"


def _chosen(name: str, system: System) -> str:
    """Say whether a system's model is this one, and whether it can be solved."""
    if system.model is None or name not in [part.name for part in system.model.parts]:
        return "no"
    from msj.fronts.front_of import why_no_front

    reason = why_no_front(system)
    return "yes" if reason is None else f"yes, but {reason}"


def _is_phase_type(law: type) -> bool:
    from msj.model.durations import Duration

    return law.as_phase_type is not Duration.as_phase_type  # type: ignore[attr-defined]
