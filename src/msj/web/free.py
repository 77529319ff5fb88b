"""The workers that are free, and which of them a question gets: one that knows its cluster already, if there is one.

A worker keeps the last models it has built, and one model serves every load. So a question about another load of the
same cluster, or one more about the same, is answered sooner by the worker that answered the last.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any, Generic, Protocol, TypeVar

HOW_MUCH_ARRIVES = ("arrival_rate", "load", "utilisation", "name")


class Knows(Protocol):
    """Whoever remembers which cluster it was last asked about."""

    kin: str


T = TypeVar("T", bound=Knows)


class Free(Generic[T]):
    """Those that are free; whoever comes first is served first."""

    def __init__(self) -> None:
        self._all: list[T] = []
        self._count = asyncio.Semaphore(0)

    def __len__(self) -> int:
        return len(self._all)

    def put(self, worker: T) -> None:
        """Have one more."""
        self._all.append(worker)
        self._count.release()

    async def get(self, kin: str) -> T:
        """Wait for one; take that which knows the cluster, else the one that has been idle longest."""
        await self._count.acquire()
        found = next((worker for worker in self._all if worker.kin == kin), self._all[0])
        self._all.remove(found)
        found.kin = kin
        return found


def kin_of(request: dict[str, Any]) -> str:
    """Return what questions about the same cluster at any load have in common.

    Examples
    --------
    >>> kin_of({"spec": {"servers": 2, "load": 0.5}}) == kin_of({"spec": {"servers": 2, "arrival_rate": 1}})
    True
    """
    spec = request.get("spec")
    if not isinstance(spec, dict):
        return ""
    known = {key: value for key, value in spec.items() if key not in HOW_MUCH_ARRIVES}
    return json.dumps([known, request.get("largest_need")], sort_keys=True)
