"""A field of a group of options, and functions whose parameters are the fields of a group.

``takes(Group)`` turns ``def answer(asked: Group)`` into a function with a keyword parameter for each field. mypy and
pyright see the same parameters: a ``ParamSpec`` takes them from the group's constructor.
"""

from __future__ import annotations

import functools
import inspect
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Any, ParamSpec, TypeVar

Given = ParamSpec("Given")
Group = TypeVar("Group")
Answer = TypeVar("Answer")
T = TypeVar("T")

WIDTH = 116


def option(
    default: T,
    help: str,  # noqa: A002
    *,
    metavar: str = "",
    kind: str = "text",
    flags: tuple[str, ...] = (),
    shown: str = "",
    python: str = "",
) -> T:
    """Return a field that is a parameter in Python and an option on the command line.

    Parameters
    ----------
    default
        Its value if it is not given.
    help
        What it does, in a sentence or two: for ``help()`` and for ``--help``.
    metavar
        The placeholder of its value on the command line.
    kind
        How the command line reads it: a name of ``cli.options.KINDS``.
    flags
        Its flags, where they are not ``--name-of-the-field``.
    shown
        The default in words, where the value does not say it.
    python
        A sentence on what Python takes beside that; of an option that is switched off by its flag, what it does.
    """
    facts = {"help": help, "metavar": metavar, "kind": kind, "flags": flags, "shown": shown, "python": python}
    return field(default=default, metadata=facts)


def argument(default: T, help: str) -> T:  # noqa: A002
    """Return a field that is a parameter in Python only."""
    return field(default=default, metadata={"help": help})


@dataclass(frozen=True, kw_only=True)
class Options:
    """A group of options."""

    def __post_init__(self) -> None:
        """Check the values; a group made of several checks each of them."""

    def part(self, group: type[Options]) -> dict[str, Any]:
        """Return the options of another group, all of whose fields this one has, as keywords."""
        return {each.name: getattr(self, each.name) for each in fields(group)}

    def given(self) -> dict[str, Any]:
        """Return the options that differ from their defaults, as keywords."""
        usual = type(self)()
        found = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: value for name, value in found.items() if value != getattr(usual, name)}


def takes(group: Callable[Given, Group]) -> Callable[[Callable[[Group], Answer]], Callable[Given, Answer]]:
    """Give a function of one group of options a parameter for each of the group's fields.

    Its signature and the section Parameters of its documentation are made from the fields.

    Examples
    --------
    >>> from msj.options import SeedOptions
    >>> @takes(SeedOptions)
    ... def double(asked: SeedOptions) -> int:
    ...     return 2 * asked.seed
    >>> double(seed=4)
    8
    >>> list(inspect.signature(double).parameters)
    ['seed', 'rng']
    """

    def decorate(answer: Callable[[Group], Answer]) -> Callable[Given, Answer]:
        @functools.wraps(answer)
        def ask(*given: Given.args, **named: Given.kwargs) -> Answer:
            return answer(group(*given, **named))

        told = answer.__annotations__.get("return", Any)
        parameters = inspect.signature(group).parameters
        shown = [parameters[each.name] for each in fields_of(group)]
        ask.__signature__ = inspect.Signature(shown, return_annotation=told)  # type: ignore[attr-defined]
        ask.__annotations__ = {each.name: each.annotation for each in shown} | {"return": told}
        ask.__doc__ = _documented(inspect.getdoc(answer) or "", group)
        del ask.__wrapped__  # what it wraps has other parameters
        return ask

    return decorate


def fields_of(group: Any) -> list[Field[Any]]:
    """Return the fields of a group as people read them: its own before those of the groups it is made of."""
    known = {each.name: each for each in fields(group)}
    own_first = {name: None for kind in group.__mro__ for name in inspect.get_annotations(kind) if name in known}
    order = {name: place for place, name in enumerate(own_first)}
    return sorted(
        known.values(), key=lambda each: (each.kw_only is True, "kind" not in each.metadata, order[each.name])
    )


def default_text(one: Field[Any]) -> str:
    """Return the default of an option in words; empty where there is nothing to say."""
    words: str = one.metadata.get("shown", "")
    if words or one.default is MISSING or isinstance(one.default, bool) or one.default in (None, "", ()):
        return words
    several = isinstance(one.default, tuple)
    return ",".join(f"{each:g}" for each in one.default) if several else str(one.default)


def _documented(text: str, group: Any) -> str:
    """Return a docstring with a section Parameters, before its examples."""
    before, mark, after = text.partition("Examples\n--------")
    lines = [line for each in fields_of(group) for line in _parameter(each)]
    return "\n".join([before.rstrip(), "", "Parameters", "----------", *lines, "", mark + after]).rstrip() + "\n"


def _parameter(one: Field[Any]) -> Iterator[str]:
    facts = one.metadata
    default, more = facts.get("shown"), facts.get("python")
    about = [facts["help"]] * (facts.get("kind") != "off")  # a flag that switches it off says the contrary
    text = " ".join([*about, *([more] if more else []), *([f"Default: {default}."] if default else [])])
    yield one.name
    yield textwrap.indent(textwrap.fill(text, WIDTH), "    ")
