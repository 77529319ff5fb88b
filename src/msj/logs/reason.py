"""Why a row of a log is not a job that is used: the closed list of reasons, each with its sentence."""

from __future__ import annotations

from enum import Enum


class Reason(Enum):
    """Value: the word that ``at.reason`` has. The first that holds counts, in this order."""

    BAD_LINE = "bad-line"
    STEP = "step"
    PIECE = "piece"
    STILL_RUNNING = "still-running"
    NEVER_RAN = "never-ran"
    NO_RUN_TIME = "no-run-time"
    NO_NEED = "no-need"
    NO_SUBMIT = "no-submit"
    NEEDS_TOO_MANY = "needs-too-many"

    @property
    def sentence(self) -> str:
        """What it means, for people."""
        return SENTENCES[self]

    @property
    def code(self) -> int:
        """The number that stands for it in arrays; 0 is a job that is used."""
        return list(Reason).index(self) + 1


SENTENCES = {
    Reason.BAD_LINE: "no job: too few columns, or no number in its place",
    Reason.STEP: "a step of a job, which holds the job's own servers",
    Reason.PIECE: "a piece of a job that is counted once, in another row",
    Reason.STILL_RUNNING: "had not ended when the log was written",
    Reason.NEVER_RAN: "never started",
    Reason.NO_RUN_TIME: "ran for no time, or it is not known how long",
    Reason.NO_NEED: "it is not known how many servers it held",
    Reason.NO_SUBMIT: "it is not known when it was submitted",
    Reason.NEEDS_TOO_MANY: "needs more servers than there are",
}
