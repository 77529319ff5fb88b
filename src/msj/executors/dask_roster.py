"""The workers of a Dask cluster as a client sees them: which have the same code, which answer."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

SILENCE = 5.0  # seconds without a heartbeat, at least, before others do a worker's tasks as well
HEARTBEATS = 4.0  # ... and heartbeats, which are rarer in a large cluster
ALONE = 2.0  # seconds without a worker before that is said


@dataclass(kw_only=True)
class Member:
    """A worker: its threads, and when its last heartbeat was seen to change, by this process's clock."""

    threads: int
    last_seen: float
    changed: float
    greeted: bool = False
    same_code: bool = False
    silent: bool = False


class Roster:
    """Who is there.

    Parameters
    ----------
    identity
        The identity of the code that must compute (``store.worker_identity``).
    """

    def __init__(self, identity: str) -> None:
        self.identity = identity
        self.members: dict[str, Member] = {}
        self.refused: dict[str, str] = {}  # by address: its identity, or why it has none
        self.at_work: frozenset[str] | None = None  # keys at workers that answer; None where nobody is silent
        self._news: deque[str] = deque()
        self._alone_since: float | None = time.monotonic()
        self._alone = False

    @property
    def usable(self) -> frozenset[str]:
        """Workers with the same code that answer."""
        return frozenset(name for name, each in list(self.members.items()) if each.same_code and not each.silent)

    @property
    def allowed(self) -> frozenset[str] | None:
        """Workers that a task may be sent to; None if any will do."""
        usable = self.usable
        return None if usable and len(usable) == len(self.members) else usable

    @property
    def threads(self) -> int:
        """Tasks that are done at a time."""
        return sum(each.threads for each in list(self.members.values()) if each.same_code and not each.silent)

    @property
    def silence(self) -> float:
        """Seconds after which a worker counts as silent."""
        return max(SILENCE, HEARTBEATS * len(self.members) / 200)

    @property
    def silent(self) -> bool:
        """Whether a worker is silent."""
        return any(each.silent for each in list(self.members.values()))

    @property
    def all_refused(self) -> str:
        """A sentence if there are workers and none has the same code; else empty."""
        members = list(self.members)
        if not members or any(name not in self.refused for name in members):
            return ""
        listed = ", ".join(sorted(members)[:3]) + (", ..." if len(members) > 3 else "")
        return (
            f"none of the {len(members)} Dask workers ({listed}) has the code of msj that is used here "
            f"({self.refused[members[0]]}, not {self.identity}); install the same version on all machines"
        )

    def see(self, workers: Mapping[str, Any], processing: Mapping[str, Iterable[str]] | None) -> None:
        """Take in what the scheduler knows: its workers, and the tasks at each if that was asked."""
        now = time.monotonic()
        for name in [name for name in self.members if name not in workers]:
            del self.members[name]
        for name, facts in workers.items():
            last_seen = float(facts.get("last_seen", 0.0))
            known = self.members.get(name)
            if known is None:
                self.members[name] = Member(threads=int(facts["nthreads"]), last_seen=last_seen, changed=now)
            elif known.last_seen != last_seen:
                known.last_seen, known.changed = last_seen, now
        self.at_work = None
        if processing is not None:
            self.at_work = frozenset(
                str(key) for name in self.usable for key in processing.get(name, ())
            )  # fmt: skip

    def unseen(self) -> None:
        """Note that the scheduler did not answer."""
        self.at_work = None

    def hear(self, worker: str, identity: str) -> None:
        """Take in what a worker says of its code."""
        if identity != self.identity:
            self.refuse(worker, identity)
        elif worker in self.members:
            self.members[worker].same_code = True

    def refuse(self, worker: str, identity: str) -> None:
        """Send nothing more to a worker, and name it."""
        if worker in self.members:
            self.members[worker].same_code = False
        if self.refused.get(worker) == identity:
            return
        self.refused[worker] = identity
        self._news.append(
            f"Dask worker {worker} is refused: it has other code ({identity}, not {self.identity}); install the same "
            "version of msj there"
        )

    def look(self, greet: Callable[[str], None]) -> None:
        """Greet workers that are new, and find those that are silent."""
        now = time.monotonic()
        for name, each in list(self.members.items()):
            if not each.greeted and name not in self.refused:
                each.greeted = True
                greet(name)
            silent = now - each.changed > self.silence
            if silent != each.silent:
                each.silent = silent
                said = f"has not been heard of for {self.silence:.0f} seconds; its tasks are computed by others"
                self._news.append(f"Dask worker {name} {said if silent else 'answers again'}")
        if self.members:
            self._alone_since, self._alone = None, False
            return
        self._alone_since = now if self._alone_since is None else self._alone_since
        if not self._alone and now - self._alone_since > ALONE:
            self._alone = True
            self._news.append("the Dask cluster has no workers at the moment; waiting for some to join")

    def news(self) -> Iterable[str]:
        """Yield what has happened since the last time."""
        while self._news:
            yield self._news.popleft()
