"""What can go wrong, each with a sentence that names the value, the rule and the fix.

Everything a user can cause derives from :class:`MsjError`; the command line prints its sentence and
leaves with the exit code it carries. Anything else that escapes is a defect of ours.
"""

from __future__ import annotations


class MsjError(Exception):
    """A sentence for the user; ``where`` (file, key) is put in front as it becomes known."""

    exit_code = 2

    def __init__(self, message: str, *, where: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.where = where

    def within(self, outer: str) -> MsjError:
        """Return the same error, located one level further out (``classes[1]`` inside ``cluster.toml``)."""
        if not self.where or self.where.startswith("["):
            self.where = outer + self.where
        else:
            self.where = f"{outer}{': ' if outer.endswith(('.toml', '.json')) else '.'}{self.where}"
        return self

    def __str__(self) -> str:
        return f"{self.where}: {self.message}" if self.where else self.message


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
