"""One worker process seen from the server: start it, send it questions, read its lines, end it."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msj
from msj.executors.safe_path import VARIABLE

MAX_LINE = 2**26  # bytes; a report is some two million
#: The current folder is never on the path of a worker (-P): it may hold a pydoc.py beside a downloaded log. The folder
#: that msj itself lies in comes last, for a msj that is not installed.
BOOT = """
import sys
sys.path.append(sys.argv[1])
try:
    from msj.web.worker import main
except Exception as error:
    print("0 failed 500", type(error).__name__, *str(error).split(), flush=True)
    raise
main(sys.argv[2])
"""


class WorkerLost(Exception):
    """A worker that has ended, or did not start, with the reason as far as it is known."""


@dataclass(frozen=True, kw_only=True)
class Message:
    """One line of a worker."""

    kind: str
    status: int
    payload: bytes

    @property
    def last(self) -> bool:
        """Whether no line follows."""
        return self.kind in ("done", "error")


class Process:
    """A worker process; ``affinity`` is the key of the cluster it has models of."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.number = 0  # of the question it works on
        self.affinity = ""
        self.finished = True
        self.memory = 0  # bytes, when it last finished

    @classmethod
    async def create(cls, settings: str) -> Process:
        """Return a process that has been started; it is ready when :meth:`ready` returns."""
        command = (sys.executable, "-P", "-c", BOOT, str(Path(msj.__file__).parent.parent), settings)
        pipe = asyncio.subprocess.PIPE
        env = {**os.environ, "OPENBLAS_NUM_THREADS": "1", VARIABLE: "1"}
        try:
            return cls(await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, limit=MAX_LINE, env=env))
        except OSError as error:
            raise WorkerLost(f"the system starts no process: {error.strerror}") from None

    async def ready(self, seconds: float) -> None:
        """Wait until it can answer; raise WorkerLost with the reason if it cannot."""
        try:
            async with asyncio.timeout(seconds):
                message = await self.hear()
        except TimeoutError:
            raise WorkerLost(f"it was not ready within {seconds:g} seconds") from None
        if message.kind == "failed":
            raise WorkerLost(message.payload.decode("utf-8", "replace")[:300])

    def send(self, message: dict[str, Any]) -> None:
        """Send a line; a process that has just died is noticed when it is read from."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")

    async def hear(self) -> Message:
        """Return its next line about the present question; raise WorkerLost if it has ended."""
        assert self.process.stdout is not None
        while True:
            line = await self.process.stdout.readline()
            if not line.endswith(b"\n"):
                code = await self.process.wait()
                raise WorkerLost(f"it was ended by signal {-code}" if code < 0 else f"it ended with exit code {code}")
            number, kind, status, payload = line.rstrip(b"\n").split(b" ", 3)
            if kind == b"memory":
                self.memory = int(payload)
            elif int(number) == self.number:
                found = Message(kind=kind.decode(), status=int(status), payload=payload)
                self.finished = found.last
                return found

    async def end(self) -> None:
        """End it now."""
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()
