"""What every reproduced figure (or table, or worked example) of a paper declares, and how its points are computed.

A point's answer is filed under everything it depends on (function, point, scale, seed, version, code), so that a run
that was interrupted goes on where it was, and a changed parameter is never answered with an old number. Who computes
and what is kept is the business of ``executors.points``; what a point depends on is said here.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeAlias

from msj.effort import Effort, Watch
from msj.executors.points import Point, answered
from msj.store import computing_code, digest, file_digests

#: ``quick`` takes a minute or two, ``full`` the papers' own run lengths.
Scale = Literal["quick", "full"]
Judgement = Literal["yes", "our reading", "no"]
#: The data of a figure: flat rows of numbers and texts, one column name per key.
Rows: TypeAlias = list[dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Claim:
    """Something the paper says, and what was found.

    ``claim`` is the paper's statement in words, ``claimed`` and ``found`` its number (or short text) and ours,
    ``difference`` how far apart they are, ``passed`` whether that counts as reproduced. ``because`` explains a
    failure or a choice that had to be made. Where the paper uses an adjective, or leaves open which of several systems
    it means, the yardstick is ours: ``our_reading`` says so, and the claim counts neither as a yes nor as a no.

    Examples
    --------
    >>> claim = Claim(claim="the threshold is 9/10", claimed="0.9", found="0.9", difference="0", passed=True)
    >>> claim.verdict
    'yes'
    >>> Claim(claim="tight", claimed="10 %", found="12 %", difference="2 %", passed=False, our_reading=True).verdict
    'our reading'
    """

    claim: str
    claimed: str
    found: str
    difference: str
    passed: bool
    because: str = ""
    our_reading: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "passed", bool(self.passed))  # comparisons of arrays give numpy's own kind

    @property
    def verdict(self) -> Judgement:
        """What is said of it: a yardstick of ours can neither confirm nor refute a paper."""
        if self.our_reading:
            return "our reading"
        return "yes" if self.passed else "no"

    def to_dict(self) -> dict[str, Any]:
        """Return the claim as plain data."""
        return {**vars(self), "verdict": self.verdict}


@dataclass(kw_only=True)
class Work:
    """How a figure is to be computed: at which scale, from which seed, by how many processes, kept where.

    Examples
    --------
    >>> Work().map(dict, [{"x": 1}, {"x": 2}])
    [{'x': 1}, {'x': 2}]
    """

    scale: Scale = "quick"
    seed: int = 1
    processes: int = 1
    dask: Any = None  # a Dask cluster in place of processes: an address or a client
    folder: Path | None = None  # where answers are kept; None keeps nothing
    progress: Watch | None = None
    seconds: float = field(default=0.0, init=False)  # spent on points so far, all processes together

    @property
    def quick(self) -> bool:
        """Whether a minute or two is all there is."""
        return self.scale == "quick"

    def map(self, function: Callable[..., Any], points: Sequence[Point], *, checkpoints: bool = False) -> list[Any]:
        """Return ``function(**point)`` for each point, in order; the answers must be plain data (JSON).

        Parameters
        ----------
        function
            A function of a module (it is sent to other processes).
        points
            Its keyword arguments, plain data.
        checkpoints
            Pass ``checkpoint=path`` too, a file in which a long simulation may keep its state; None where nothing
            is kept.
        """
        identities = [self._identity(function, point) for point in points]
        found = answered(
            function,
            dict(zip(identities, points, strict=True)),
            folder=self.folder,
            processes=self.processes,
            dask=self.dask,
            effort=Effort(progress=self.progress),
            states="checkpoint" if checkpoints else None,
        )
        self.seconds += sum(answer.seconds for answer in found.values())
        return [found[identity].value for identity in identities]

    def _identity(self, function: Callable[..., Any], point: Point) -> str:
        name = f"{function.__module__}.{function.__qualname__}"
        return digest(name, dict(point), self.scale, self.seed, version("msj"), _code_of(function.__module__))


class Figure(ABC):
    """One figure of one paper; its file's name is its name (``fig2a.py`` is ``fig2a``)."""

    title: ClassVar[str]  #: what it shows, one line
    caption: ClassVar[str] = ""  #: what had to be chosen, and what to look at, for the page in the docs
    width: ClassVar[float] = 7.0
    height: ClassVar[float] = 4.4

    def arrivals(self, scale: Scale) -> float:  # noqa: ARG002
        """Return how many arrivals are simulated at this scale; 0 where everything is computed."""
        return 0.0

    @abstractmethod
    def compute(self, work: Work) -> Rows:
        """Return the data; ``work.map`` runs the points in parallel, shows progress and survives interruption."""

    @abstractmethod
    def draw(self, rows: Rows, figure: Any) -> None:
        """Draw into an empty matplotlib figure."""

    @abstractmethod
    def claims(self, rows: Rows) -> list[Claim]:
        """Return what the paper says about this figure beside what the rows say."""


@cache
def _code_of(module: str) -> str:
    """Return a digest of the figure's code and of all it may call: after an edit nothing is answered from a file."""
    own = getattr(sys.modules.get(module), "__file__", None)
    folder = None if own is None else Path(own).parent
    beside = [] if folder is None else file_digests(folder.glob("*.py"), folder)
    here = Path(__file__).parent
    shared = file_digests([here / "systems.py"], here)
    return digest(beside, shared, computing_code())
