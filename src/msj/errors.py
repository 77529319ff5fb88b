"""What can go wrong, each with a sentence that names the value, the rule and the fix.

Everything a user can cause derives from :class:`MsjError`; the command line prints its sentence and
leaves with the exit code it carries. Anything else that escapes is a defect of ours.
"""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import ClassVar


class Failure(Enum):
    """Why there is no answer, as a name for programs. Value: the sentence in general."""

    INVALID_INPUT = "a value breaks a rule of the model"
    BAD_FUNCTION = "a function of the user's own fails"
    NOT_SUPPORTED = "no method that was asked for applies to this system"
    TOO_LARGE = "it would not fit into the memory or the effort allowed"
    NOT_ACCURATE = "the solution is not accurate enough to be called an answer"
    UNSTABLE = "the queue keeps growing, so there is no steady state"
    UNDECIDED = "too close to the stability threshold to say"
    TOO_FEW_JOBS = "too few jobs came through to say anything"
    OUT_OF_TIME = "the time allowed was used up"
    INTERRUPTED = "interrupted"

    @property
    def label(self) -> str:
        """Name for programs."""
        return self.name.lower().replace("_", "-")


class MsjError(Exception):
    """A sentence for the user; ``where`` (file, key) is put in front as it becomes known."""

    exit_code: ClassVar[int] = 2
    failure: ClassVar[Failure] = Failure.INVALID_INPUT

    def __init__(self, message: str, *, where: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.file = ""

    def within(self, outer: str) -> MsjError:
        """Return the same error, located one level further out (``classes[1]`` inside ``cluster.toml``)."""
        self.where = f"{outer}.{self.where}" if self.where else outer
        return self

    def in_file(self, path: Path) -> MsjError:
        """Return the same error, located in a file (unless it is already)."""
        if not self.file:
            self.file = path.name or str(path)
        return self

    def at_path(self, path: Path) -> MsjError:
        """Return the same error about a file that is not there: the folder matters, so the path stands as given."""
        self.file = str(path)
        return self

    def __str__(self) -> str:
        return ": ".join(part for part in (self.file, self.where, self.message) if part)


class InvalidInput(MsjError, ValueError):
    """A value that breaks a rule of the model."""


class BadFunction(InvalidInput):
    """A function of the user's own that will not do; its sentence begins with the function, so no key is put before."""

    failure = Failure.BAD_FUNCTION

    def within(self, outer: str) -> MsjError:  # noqa: ARG002
        """Return the same error."""
        return self


class BadLaw(BadFunction):
    """A law defined outside the package that draws impossible values or contradicts what it declares."""


class NotSupported(MsjError):
    """A method that does not apply to this system, with the reason."""

    failure = Failure.NOT_SUPPORTED


class Unstable(MsjError):
    """A question about the steady state of a system that has none."""

    exit_code = 1
    failure = Failure.UNSTABLE


class TooLarge(MsjError):
    """A computation that would not fit, with its size and what would fit."""

    failure = Failure.TOO_LARGE


class NotAccurate(MsjError):
    """A solution whose residual is too large to be called an answer."""

    exit_code = 1
    failure = Failure.NOT_ACCURATE


class OutOfTime(MsjError):
    """What was asked for could not be found within the time allowed."""

    exit_code = 1
    failure = Failure.OUT_OF_TIME
