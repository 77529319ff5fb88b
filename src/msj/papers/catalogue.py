"""The papers, and the figures of each as their folders list them."""

from __future__ import annotations

from dataclasses import dataclass

from msj.errors import InvalidInput
from msj.papers.figure import Figure
from msj.registry import Catalogue, nearest


@dataclass(frozen=True, kw_only=True)
class Paper:
    """A paper by the short name that citations use."""

    name: str
    title: str

    @property
    def figures(self) -> Catalogue:
        """Its figures, one file each."""
        return Catalogue(kind=f"figure of {self.name}", package=f"msj.papers.{self.name}")


PAPERS = {
    paper.name: paper
    for paper in (
        Paper(name="reset", title="The RESET and MARC techniques, with application to multiserver-job analysis"),
        Paper(name="twoclass", title="Stability for Two-class Multiserver-job Systems"),
        Paper(name="lfms", title="Multiserver-job Response Time under Multilevel Scaling"),
        Paper(name="wcfs", title="WCFS: a new framework for analyzing multiserver systems"),
        Paper(name="zeroq", title="Zero Queueing for Multi-Server Jobs"),
    )
}


def paper_named(name: str) -> Paper:
    """Return a paper by its short name.

    Examples
    --------
    >>> paper_named("rest")
    Traceback (most recent call last):
    msj.errors.InvalidInput: unknown paper 'rest'; did you mean 'reset'?
    """
    if name not in PAPERS:
        raise InvalidInput(f"unknown paper '{name}'; {nearest(name, PAPERS)}")
    return PAPERS[name]


def figures_named(paper: Paper, name: str | None = None) -> dict[str, Figure]:
    """Return figures of a paper: all, the one of that name, or its parts (``fig2`` is ``fig2a`` and ``fig2b``).

    Examples
    --------
    >>> list(figures_named(PAPERS["reset"], "fig2"))
    ['fig2a', 'fig2b']
    """
    names = sorted(paper.figures.names(), key=_natural)
    name = name.replace("_", "-") if name is not None else None
    if name is not None and name not in names:
        parts = [known for known in names if known[:-1] == name and known[-1].isalpha()]
        if not parts:
            raise InvalidInput(f"unknown figure of {paper.name} '{name}'; {nearest(name, names)}")
        names = parts
    elif name is not None:
        names = [name]
    return {known: paper.figures.get(known)() for known in names}


def _natural(name: str) -> list[tuple[int, str]]:
    """Sort fig2 before fig10."""
    parts: list[str] = [""]
    for letter in name:
        if letter.isdigit() == parts[-1][-1:].isdigit():
            parts[-1] += letter
        else:
            parts.append(letter)
    return [(int(part), "") if part.isdigit() else (-1, part) for part in parts]
