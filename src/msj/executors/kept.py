"""Answers to plain questions, kept under their ids in a folder of pieces that several runs may share.

An id is made of everything an answer depends on (``store.digest``): the same id, the same answer. So what is kept is a
set. To resume is to skip what is there, and two folders merge by putting their files together.
"""

from __future__ import annotations

import json
from contextlib import AbstractContextManager, ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from msj.errors import InvalidInput
from msj.store import Locked, lock, not_written
from msj.store.pieces import Pieces

if TYPE_CHECKING:
    import pyarrow

CLAIMS = "claims"


class Answer(NamedTuple):
    """An answer, plain data, and the seconds it took when it was computed."""

    value: Any
    seconds: float


class Kept:
    """What is known, by id; in memory only without a folder.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with Kept(Path(folder)) as kept:
    ...         kept.keep("a1", {"load": (0.5, 0.9)}, seconds=3.0)
    ...     with Kept(Path(folder)) as again:
    ...         again.answers
    {'a1': Answer(value={'load': [0.5, 0.9]}, seconds=3.0)}
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder
        self.answers: dict[str, Answer] = {}
        self._pieces: Pieces | None = None
        if folder is not None:
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise not_written(folder, error) from error
            self._pieces = Pieces(folder, _columns())
        self.refresh()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, failed: object, *_: object) -> None:
        if self._pieces is not None and failed is None:  # a disk that is full has no room for that either
            self._pieces.put_together()
        unclaimed(self.folder)

    def keep(self, identity: str, value: Any, *, seconds: float = 0.0) -> None:
        """Write an answer, and forget the state kept on the way to it; the value must be plain data (JSON).

        What is here from now on is what a resumed run would see: lists for tuples.
        """
        text = json.dumps(value, allow_nan=False)
        if self._pieces is not None:
            self._pieces.add([{"id": identity, "value": text, "seconds": seconds}])
        state = self.state_of(identity)
        if state is not None:
            state.unlink(missing_ok=True)
        self.answers[identity] = Answer(json.loads(text), seconds)

    def refresh(self) -> None:
        """Read what other runs have added since."""
        for _, table in () if self._pieces is None else self._pieces.new():
            for record in table.to_pylist():
                self.answers.setdefault(record["id"], Answer(json.loads(record["value"]), record["seconds"]))

    def claim(self, identity: str) -> AbstractContextManager[Any] | None:
        """Return a mark that this run is at an answer; None if another run is."""
        return claimed(self.folder, identity)

    def state_of(self, identity: str) -> Path | None:
        """Return where a long computation may keep its state until the answer is known; None if nothing is kept."""
        return None if self.folder is None else self.folder / f"{identity}.state"


def claimed(folder: Path | None, name: str) -> AbstractContextManager[Any] | None:
    """Return a mark in a folder that somebody is at something, to be given back; None if another process is."""
    held = ExitStack()
    if folder is None:
        return held
    try:
        (folder / CLAIMS).mkdir(exist_ok=True)
        held.enter_context(lock(folder / CLAIMS / name))
    except Locked:
        return None
    except (OSError, InvalidInput):  # no locks on this file system: at worst it is computed twice
        pass
    return held


def unclaimed(folder: Path | None) -> None:
    """Remove the place of marks, unless others are at work."""
    if folder is not None:
        with suppress(OSError):
            (folder / CLAIMS).rmdir()


def _columns() -> pyarrow.Schema:
    import pyarrow

    return pyarrow.schema([("id", pyarrow.string()), ("value", pyarrow.string()), ("seconds", pyarrow.float64())])
