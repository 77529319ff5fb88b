"""What every reproduced figure (or table, or worked example) of a paper declares."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

if TYPE_CHECKING:
    from msj.papers.work import Work

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
