"""How much a stranger, or a page that asks too much, can take from this machine."""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What the server allows.

    Parameters
    ----------
    body
        Bytes of a request.
    headers
        Seconds until a connection must have sent the head of its request.
    upload
        Seconds until the body must be there.
    answer
        Seconds an answer may take, its waiting for a free worker included.
    document
        Seconds a document (a whole report) may take.
    workers
        Computations at once: each is a process.
    waiting
        Requests that may wait for a worker; further ones are told to come again.
    connections
        Open connections.
    grace
        Seconds a computation that nobody waits for has to stop by itself before its process is ended.
    """

    body: int = 1_000_000
    headers: float = 10.0
    upload: float = 10.0
    answer: float = 60.0
    document: float = 120.0
    workers: int = min(max(os.cpu_count() or 1, 3), 8)
    waiting: int = 64
    connections: int = 256
    grace: float = 5.0  # a new process takes some seconds of a core to load: ending one is the last resort
