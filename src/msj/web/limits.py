"""Limits on time, memory, connections and sizes, against requests that ask for too much."""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Limits of the server.

    Parameters
    ----------
    body
        Maximum size of a request body in bytes.
    headers
        Seconds for the head of a request, from the first byte of it or from a new connection.
    upload
        Seconds for the body of a request.
    answer
        Seconds for an answer, including the time it waits for an idle worker.
    document
        Seconds for a document (a whole report).
    start
        Seconds for a worker to start.
    workers
        Number of worker processes.
    waiting
        Maximum number of requests that wait for a worker; further ones get status 503.
    connections
        Maximum number of open connections; beyond it the connection that has been idle longest is closed.
    idle_connection
        Seconds until an idle connection is closed.
    grace
        Seconds for a cancelled computation to stop by itself before its process is ended.
    memory
        Maximum memory of a worker in bytes; a computation that needs more is refused.
    retire
        Memory in bytes above which a worker is replaced once it has answered.
    """

    body: int = 1_000_000
    headers: float = 10.0
    upload: float = 10.0
    answer: float = 60.0
    document: float = 120.0
    start: float = 120.0
    workers: int = min(max(os.cpu_count() or 1, 3), 8)
    waiting: int = 64
    connections: int = 256
    idle_connection: float = 600.0
    grace: float = 5.0  # a new process takes some seconds of a core to load: ending one is the last resort
    memory: int = 4_000_000_000
    retire: int = 800_000_000
