"""Every numbered statement of the papers with what msj does about it, and every slip found in them, with its check."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib.resources import files


@dataclass(frozen=True, kw_only=True)
class Statement:
    """A theorem, lemma, definition, figure or table by its number.

    ``by`` names modules of msj, or figures as ``paper figure``; ``left_out`` says why there is nothing. One of the two
    is given. ``checked`` names a test that holds the statement itself, where no figure does.
    """

    paper: str
    place: str
    says: str
    by: tuple[str, ...] = ()
    left_out: str = ""
    checked: str = ""

    def __post_init__(self) -> None:
        if bool(self.by) == bool(self.left_out):
            raise ValueError(f"{self.paper}, {self.place}: say either what is done or why nothing is")


@dataclass(frozen=True, kw_only=True)
class Slip:
    """Something misprinted, or not so; ``check`` names a test, a figure as ``paper figure``, or says ``by hand``."""

    paper: str
    place: str
    printed: str
    right: str
    check: str


def statements(paper: str) -> tuple[Statement, ...]:
    """Return the numbered statements of a paper, in the order of its kinds.

    Examples
    --------
    >>> [one.by for one in statements("reset") if one.place == "Theorem 4.1"]
    [('msj.analysis.mmsr',)]
    """
    found = tomllib.loads(files(f"msj.papers.{paper}").joinpath("statements.toml").read_text(encoding="utf-8"))
    return tuple(Statement(paper=paper, **{**one, "by": tuple(one.get("by", ()))}) for one in found["statement"])


def errata() -> tuple[Slip, ...]:
    """Return the slips of all papers.

    Examples
    --------
    >>> sorted({slip.paper for slip in errata()})
    ['lfms', 'reset', 'twoclass', 'wcfs', 'zeroq']
    """
    found = tomllib.loads(files("msj.papers").joinpath("errata.toml").read_text(encoding="utf-8"))
    return tuple(Slip(**one) for one in found["slip"])
