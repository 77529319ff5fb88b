"""How a question ended, as names for programs and sentences for people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from msj.errors import Failure
from msj.results.coordinates import At, Place


class Outcome(Enum):
    """How a whole question ended. Value: the sentence. Name in lower case: what JSON says."""

    SOLVED = "solved"
    NO_LOAD_GIVEN = "solved; no load is given, so nothing is said about response times"
    BOUNDS_ONLY = "bounds only: no exact method applies; the notes say why, and how to simulate"
    CONVERGED = "converged: the precision asked for is reached"
    JOB_LIMIT_REACHED = "job limit reached"
    PRECISION_NOT_REACHED = "the precision asked for was not reached within the jobs allowed"
    TOO_SHORT = "too short for intervals; the notes say how many jobs would do"
    OUT_OF_TIME = "out of time: what there was by then"
    UNSTABLE = "unstable: the queue keeps growing"
    NOT_KNOWN = "no method that applies could answer; the notes say why"
    TARGETS_NOT_MET = "nothing that was tried meets the targets"
    UNDECIDED = "undecided: the effort allowed leaves a range"
    NOT_REPRODUCED = "not all of the paper's claims were reproduced"
    INTERRUPTED = "interrupted: what there was by then"

    @property
    def label(self) -> str:
        """Name for programs."""
        return self.name.lower().replace("_", "-")

    @property
    def exit_code(self) -> int:
        """What the command line leaves with: 0 done, 1 the answer is no, 130 interrupted."""
        if self is Outcome.INTERRUPTED:
            return 130
        return 1 if self in (Outcome.UNSTABLE, Outcome.NOT_REPRODUCED, Outcome.TARGETS_NOT_MET) else 0

    @classmethod
    def from_label(cls, label: str) -> Outcome:
        """Return the outcome that JSON calls ``label``."""
        return cls[label.upper().replace("-", "_")]


@dataclass(frozen=True, kw_only=True)
class Missing:
    """A part of the question that has no answer: which quantities, where, and why.

    Parameters
    ----------
    name
        The quantity there would be, or a few words for several.
    failure
        Why not, as a name for programs.
    reason
        Why not, as a sentence for people.
    at
        Where.
    command
        The command that would answer it; empty where none is known to.
    """

    name: str
    failure: Failure
    reason: str
    at: Mapping[str, Place] = field(default_factory=At)
    command: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "at", At(self.at))

    def __str__(self) -> str:
        where = f" at {self.at}" if self.at else ""
        ask = f" To get it: {self.command}." if self.command else ""
        return f"No {self.name}{where}: {self.reason.rstrip('.')}.{ask}"

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON writes it."""
        command = {"command": self.command} if self.command else {}
        return {"name": self.name, "failure": self.failure.label, "reason": self.reason, "at": dict(self.at)} | command
