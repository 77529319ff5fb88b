"""What can go wrong, each with a sentence that names the value, the rule and the fix.

Everything a user can cause derives from :class:`MsjError`; the command line prints its sentence and
leaves with the exit code it carries. Anything else that escapes is a defect of ours.
"""

from __future__ import annotations

from pathlib import Path


class MsjError(Exception):
    """A sentence for the user; ``where`` (file, key) is put in front as it becomes known."""

    exit_code = 2

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

    def __str__(self) -> str:
        return ": ".join(part for part in (self.file, self.where, self.message) if part)


class InvalidInput(MsjError, ValueError):
    """A value that breaks a rule of the model."""


class NotSupported(MsjError):
    """A method that does not apply to this system, with the reason."""


class Unstable(MsjError):
    """A question about the steady state of a system that has none."""


class TooLarge(MsjError):
    """A computation that would not fit, with its size and what would fit."""


class NotAccurate(MsjError):
    """A solution whose residual is too large to be called an answer."""

    exit_code = 1
