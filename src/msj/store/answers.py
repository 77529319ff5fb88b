"""Answers filed under their identities, in a folder that several runs may write at the same time.

An identity is a short text made of everything an answer depends on (``digest``): the same identity, the same answer.
So a store is a set. To resume is to skip what is there, and to merge two stores is to take the union.

Each run appends to a file of its own, ``answers-1.jsonl`` or the next one that no other run has locked; the store is
all whole lines of all files. A line is written with one call and forced to the disk. What a kill or a full disk leaves
of a line is no answer: readers pass over it, and the next writer of that file cuts it off. A file that another machine
wrote may simply be copied into the folder.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, nullcontext, suppress
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple, Self

from msj.store.files import Locked, lock, not_written


class Answer(NamedTuple):
    """An answer, plain data, and the seconds it took when it was computed."""

    value: Any
    seconds: float


class Answers:
    """The answers kept in a folder; close it, or use it in a ``with``, so that the next run may go on in its file.

    Parameters
    ----------
    folder
        Made if it is not there; None keeps answers in memory only.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with Answers(Path(folder)) as answers:
    ...         answers.keep("a1", {"load": (0.5, 0.9)}, seconds=3.0)
    ...     with Answers(Path(folder)) as again:
    ...         "a1" in again, again["a1"]
    (True, Answer(value={'load': [0.5, 0.9]}, seconds=3.0))
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder
        self._kept: dict[str, Answer] = {}
        self._read: dict[Path, int] = {}  # bytes of whole lines read so far, by file
        self._file: int | None = None
        self._held = ExitStack()
        if folder is not None:
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise not_written(folder, error) from error
        self.refresh()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __contains__(self, identity: str) -> bool:
        return identity in self._kept

    def __getitem__(self, identity: str) -> Answer:
        return self._kept[identity]

    def __iter__(self) -> Iterator[str]:
        return iter(self._kept)

    def __len__(self) -> int:
        return len(self._kept)

    def keep(self, identity: str, value: Any, *, seconds: float = 0.0) -> None:
        """Append an answer, and forget the state kept on the way to it; the value must be plain data (JSON).

        What is here from now on is what a resumed run would see: lists for tuples.
        """
        line = json.dumps({"identity": identity, "value": value, "seconds": seconds}, allow_nan=False)
        state = self.state_of(identity)
        if state is not None:
            self._append(line.encode() + b"\n")
            state.unlink(missing_ok=True)
        self._know(line)

    def merge(self, other: Answers) -> None:
        """Add what another store knows and this one does not."""
        for identity in other:
            if identity not in self:
                self.keep(identity, other[identity].value, seconds=other[identity].seconds)

    def refresh(self) -> None:
        """Read what other runs have appended since."""
        for file in [] if self.folder is None else sorted(self.folder.glob("*.jsonl")):
            with file.open("rb") as lines:
                lines.seek(self._read.get(file, 0))
                for line in lines:
                    if line.endswith(b"\n"):  # else it is being written, or was cut off
                        self._read[file] = self._read.get(file, 0) + len(line)
                        self._know(line)

    def claim(self, identity: str) -> AbstractContextManager[None]:
        """Return a lock on one answer for the time it is computed; runs that share a folder share its work so."""
        return nullcontext() if self.folder is None else lock(self.folder / identity)

    def state_of(self, identity: str) -> Path | None:
        """Return where a long computation may keep its state until the answer is known; None if nothing is kept."""
        return None if self.folder is None else self.folder / f"{identity}.state"

    def close(self) -> None:
        """Let another run append to this run's file."""
        self._file = None
        self._held.close()

    def _know(self, line: str | bytes) -> None:
        # What is no line of ours, such as one damaged by hand, is no answer: it is computed anew.
        with suppress(ValueError, KeyError, TypeError):
            found = json.loads(line)
            self._kept.setdefault(str(found["identity"]), Answer(found["value"], float(found["seconds"])))

    def _append(self, line: bytes) -> None:
        file = self._own_file() if self._file is None else self._file
        whole = os.fstat(file).st_size
        try:
            written = os.write(file, line)
            while written < len(line):  # a disk that is nearly full takes a part
                written += os.write(file, line[written:])
            os.fsync(file)
        except BaseException as error:
            os.ftruncate(file, whole)
            if isinstance(error, OSError):
                raise not_written(self._place, error) from error
            raise

    def _own_file(self) -> int:
        assert self.folder is not None
        for number in count(1):
            self._place = self.folder / f"answers-{number}.jsonl"
            with suppress(Locked):
                self._held.enter_context(lock(self._place))
                break
        try:
            self._file = os.open(self._place, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        except OSError as error:
            raise not_written(self._place, error) from error
        self._held.callback(os.close, self._file)
        os.ftruncate(self._file, self._place.read_bytes().rfind(b"\n") + 1)
        return self._file
