"""Idle workers, granted first come, first served; a question prefers the worker that knows its cluster.

A worker keeps the models it has built last, and one model serves every load. So a question about another load of the
same cluster is answered sooner by the worker that answered the last one.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from typing import Any, Generic, Protocol, TypeVar

ARRIVAL_KEYS = ("arrival_rate", "load", "utilisation", "name")


class HasAffinity(Protocol):
    """An object that remembers the key of the cluster it was last asked about."""

    affinity: str


T = TypeVar("T", bound=HasAffinity)


class IdleWorkers(Generic[T]):
    """Idle workers and the requests that wait for one."""

    def __init__(self) -> None:
        self._idle: list[T] = []
        self._waiting: deque[asyncio.Future[T]] = deque()

    def __len__(self) -> int:
        return len(self._idle)

    def put(self, worker: T) -> None:
        """Add an idle worker: it goes to the request that has waited longest, if one waits."""
        while self._waiting:
            waiting = self._waiting.popleft()
            if not waiting.done():
                waiting.set_result(worker)
                return
        self._idle.append(worker)

    async def get(self, affinity: str) -> T:
        """Return the idle worker that knows the cluster, else the one idle longest; wait if there is none."""
        if self._idle:
            found = next((worker for worker in self._idle if worker.affinity == affinity), self._idle[0])
            self._idle.remove(found)
        else:
            waiting: asyncio.Future[T] = asyncio.get_running_loop().create_future()
            self._waiting.append(waiting)
            try:
                found = await waiting
            except asyncio.CancelledError:
                if waiting.done() and not waiting.cancelled() and waiting.exception() is None:
                    self.put(waiting.result())  # it was granted in the same moment
                raise
        found.affinity = affinity
        return found

    def refuse(self, error: Exception) -> None:
        """Raise an error in every request that waits."""
        while self._waiting:
            waiting = self._waiting.popleft()
            if not waiting.done():
                waiting.set_exception(error)


def affinity_of(request: dict[str, Any]) -> str:
    """Return the key that questions about one cluster at any load have in common.

    Examples
    --------
    >>> affinity_of({"spec": {"servers": 2, "load": 0.5}}) == affinity_of({"spec": {"servers": 2, "arrival_rate": 1}})
    True
    """
    spec = request.get("spec")
    if not isinstance(spec, dict):
        return ""
    cluster = {key: value for key, value in spec.items() if key not in ARRIVAL_KEYS}
    return json.dumps([cluster, request.get("largest_need")], sort_keys=True)
