"""Options that several commands share."""

from __future__ import annotations

import difflib
import functools
import re
import tomllib
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import Field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click
from click.shell_completion import CompletionItem

from msj.cli.messages import remark
from msj.errors import InvalidInput, MsjError
from msj.options import Options, default_text, fields_of
from msj.registry import POLICIES

if TYPE_CHECKING:  # a file that does not exist is said before NumPy is there
    from msj.model import System

Command = TypeVar("Command", bound=Callable[..., Any])


class WholeNumber(click.IntRange):
    """A whole number as people write it: 1000000, 1_000_000 or 1e6."""

    name = "whole number"

    def _describe_range(self) -> str:
        """Return what help says of the range: nothing of a limit that only guards against runs without an end."""
        return "" if self.min is None else super()._describe_range()

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number."""
        if isinstance(value, str) and re.fullmatch(r"\s*[-+]?\d+(\.\d*)?[eE]\+?\d{1,2}\s*", value):
            from decimal import Decimal

            meant = Decimal(value.strip())
            value = int(meant) if meant == int(meant) else value
        return super().convert(value, param, ctx)


class Seed(WholeNumber):
    """A seed."""

    name = "seed"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the seed."""
        found = super().convert(value, param, ctx)
        return self.fail(f"{found} is no seed; give a whole number from 0", param, ctx) if found < 0 else found


# Beyond these a run would never end, or not even begin.
JOBS = WholeNumber(max=10**15)
REPLICATIONS = WholeNumber(max=10_000)
WORKERS = WholeNumber(1, 1024)
SEED = Seed()


class InputPath(click.Path):
    """The path of a spec file or a log; one that does not exist is answered with the nearest that does."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path."""
        path = Path(value)
        if not path.exists():
            raise InvalidInput(f"cannot be read (No such file or directory); {_instead_of(path)}").at_path(path)
        return super().convert(value, param, ctx)


def _instead_of(path: Path) -> str:
    """Return what to do about a file that is not there: take one of a like name, or go to another folder."""
    from msj.cli.examples import examples

    name = path.stem if path.suffix.lower() in (".toml", ".json") else path.name
    if "examples" in path.parts[:-1] and name in examples():
        return f"it comes with msj: msj new --example {name} writes it here"
    if not path.parent.is_dir():
        return f"there is no folder '{path.parent}' here; check the path"
    files = [p for p in sorted(path.parent.iterdir()) if p.is_file()]
    if path.suffix.lower() in (".toml", ".json"):
        beside = {p.stem: p for p in files if p.suffix.lower() in (".toml", ".json")}
    else:
        beside = {p.name: p for p in files}
    near = difflib.get_close_matches(name, beside, n=1, cutoff=0.6)
    return f"did you mean '{beside[near[0]]}'?" if near else "check the path"


input_file = click.argument("file", type=InputPath(), metavar="FILE")


def complete_policies(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the last of several policies separated by commas."""
    before, comma, last = incomplete.rpartition(",")
    taken = before.split(",")
    return [
        CompletionItem(before + comma + name, help=policy.summary)
        for name, policy in POLICIES.items()
        if name.startswith(last) and name not in taken
    ]


def complete_vary(context: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete what a curve can run over; the classes are those of the file."""
    from msj.model import read

    files = [context.params.get("file"), *context.args]  # an option still without its value leaves FILE among the args
    try:
        names = [c.name for c in read(next(file for file in files if file)).classes]
    except (MsjError, StopIteration):
        names = []
    starts = [*(f"share:{name}=0..1" for name in names), "rate-ratio=0.01..100", "servers="]
    return [CompletionItem(start) for start in starts if start.startswith(incomplete)]


def levels(_: click.Context, __: click.Parameter, text: str | None) -> tuple[float, ...] | None:
    """Read percentiles separated by commas."""
    if text is None:
        return None
    try:
        return tuple(float(part) for part in text.split(",") if part.strip())
    except ValueError:
        raise click.BadParameter(f"'{text}' is no list of percentiles; write --levels 90,99,99.9") from None


def _drawable(_: click.Context, __: click.Parameter, path: Path | None) -> Path | None:
    """Refuse a picture that cannot be written, before anything is computed for it."""
    if path is not None:
        from msj.plots.figure import check_path

        check_path(path)
    return path


def read_system(
    file: Path, *, servers: int | None = None, unit: str | None = None, any_load: bool = False, **loads: str | None
) -> System:
    """Read the spec file and put what the command line says in place of its own: load, servers, unit of time.

    ``any_load`` is for commands that look at many loads, so that the file's own does not matter.
    """
    from msj.cli.cluster_options import with_servers
    from msj.model import read
    from msj.model.written_units import plain_rate

    given = {key: value for key, value in loads.items() if value is not None}
    if len(given) > 1:
        flags = " and ".join("--" + key.replace("_", "-") for key in given)
        raise click.UsageError(f"{flags} are both given; say how much arrives in one way only")
    try:
        system = read(file)
    except MsjError:
        from msj.logs.spec_or_log import refuse_log

        refuse_log(file)
        raise
    remark(
        f"{file}: {system.servers} servers, {len(system.classes)} classes, policy {system.policy.name}"
        + (f", {' '.join(next(iter(given.items())))} from the command line" if given else "")
    )
    if given:
        [(key, value)] = given.items()
        system = system.replace(**{key: plain_rate(value, key, system.time_unit) if key == "arrival_rate" else value})
    with speaking_of(file):
        system = system if unit is None else system.in_unit(unit)
        return system if servers is None else with_servers(system, servers, load_is_given=any_load or bool(given))


@contextmanager
def speaking_of(file: Path) -> Iterator[None]:
    """Name the file in whatever has to be said about it."""
    try:
        yield
    except MsjError as error:
        raise error.in_file(file) from None


def policy_from_text(text: str) -> Any:
    """Read a policy from the command line: a name, FILE.py:FUNCTION, or a table with options as in a spec file."""
    if not text.lstrip().startswith("{"):
        return text.strip()
    try:
        return tomllib.loads(f"policy = {text}")["policy"]
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(
            f"policy {text!r} is not a table ({error}); write {{ name = 'first-fit', window = 4 }}"
        ) from None


def policies_from_text(text: str) -> list[Any]:
    """Read policies separated by commas; commas inside a table's braces do not separate."""
    parts = re.split(r",(?![^{]*})", text)
    return [policy_from_text(part) for part in parts if part.strip()]


#: How an option is read, by its kind (``options.option``).
KINDS: dict[str, dict[str, Any]] = {
    "text": {},
    "whole": {"type": WholeNumber()},
    "servers": {"type": WholeNumber(min=1)},
    "number": {"type": float},
    "jobs": {"type": JOBS},
    "replications": {"type": REPLICATIONS},
    "workers": {"type": WORKERS},
    "shakes": {"type": WholeNumber(0, 10_000)},
    "draws": {"type": WholeNumber(1, 10_000)},
    "seed": {"type": SEED},
    "path": {"type": click.Path(path_type=Path)},
    "picture": {"type": click.Path(path_type=Path), "callback": _drawable},
    "flag": {"is_flag": True},
    "off": {"flag_value": False},
    "several": {"multiple": True},
    "levels": {"callback": levels},
    "policy": {
        "callback": lambda _, __, text: None if text is None else policy_from_text(text),
        "shell_complete": complete_policies,
    },
    "policies": {
        "callback": lambda _, __, text: None if text is None else policies_from_text(text),
        "shell_complete": complete_policies,
    },
}


def options_of(
    group: type[Options], name: str, *, without: Collection[str] = (), required: Collection[str] = ()
) -> Callable[[Command], Command]:
    """Add an option for each field of a group; the command gets the group, as the parameter ``name``.

    What is not given on the command line has the default of the field.
    """

    def add(command: Command) -> Command:
        chosen = [each for each in fields_of(group) if "kind" in each.metadata and each.name not in without]

        @functools.wraps(command)
        def run(**given: Any) -> Any:
            values = {each.name: given.pop(each.name) for each in chosen}
            said = {key: value for key, value in values.items() if value is not None and value != ()}
            return command(**{name: group(**said)}, **given)

        for each in reversed(chosen):
            run = _click_option(each, required=each.name in required)(run)
        return cast(Command, run)

    return add


def _click_option(one: Field[Any], *, required: bool) -> Callable[[Command], Command]:
    facts = one.metadata
    default = "" if required else default_text(one)
    flags = facts["flags"] or (f"--{one.name.replace('_', '-')}",)
    return click.option(
        *flags,
        *(() if one.name in flags else (one.name,)),
        default=None,
        required=required,
        metavar=facts["metavar"] or None,
        help=facts["help"] + (f"  [default: {default}]" if default else ""),
        **KINDS[facts["kind"]],
    )
