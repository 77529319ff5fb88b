"""How a computation ended, as a name for programs and a sentence for people."""

from __future__ import annotations

from enum import Enum


class Outcome(Enum):
    """Value: the sentence. Name in lower case: what JSON says."""

    SOLVED = "solved"
    NO_LOAD_GIVEN = "solved; no load is given, so nothing is said about response times"
    CONVERGED = "converged: the precision asked for is reached"
    JOB_LIMIT_REACHED = "job limit reached"
    UNSTABLE = "unstable: the queue keeps growing"
    INTERRUPTED = "interrupted: what there was by then"

    @property
    def label(self) -> str:
        """Name for programs."""
        return self.name.lower().replace("_", "-")
