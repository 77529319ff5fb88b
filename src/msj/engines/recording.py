"""An event recorder: the generic loop, one decision at a time, with what each changed.

The events are those of the simulation: the decision function of the policy is called after every arrival and every
completion, and the job table is the same. Plain Python drives the loop, so this is for looking at the first events of a
system and not for statistics.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from msj.decision_functions.compiled import CHOSEN, RUNNING
from msj.engines.generic import GenericEngine, room_to_show
from msj.engines.plainly import ask_function
from msj.engines.show import come_or_go, obey, show
from msj.engines.state import Arriving
from msj.workloads.job_block import JobBlock


@dataclass(frozen=True, kw_only=True)
class Event:
    """One decision and what led to it; jobs are numbered in order of arrival, from 0.

    Parameters
    ----------
    time
        When it happened.
    arrival
        Whether a job arrived; else one completed.
    job
        Which job arrived or completed.
    present, served
        Jobs in the system and jobs in service after the decision, in order of arrival.
    started, stopped
        Jobs that the decision put into service, and jobs that it preempted.
    free
        Servers that no job holds after the decision.
    """

    time: float
    arrival: bool
    job: int
    present: tuple[int, ...]
    served: tuple[int, ...]
    started: tuple[int, ...]
    stopped: tuple[int, ...]
    free: int


class RecordingEngine(GenericEngine):
    """Runs a policy's function and keeps the first ``limit`` events."""

    limit = 2**62

    def events_of(self, block: JobBlock) -> list[Event]:
        """Handle the arrivals of a block, and all completions between them; return the events, at most ``limit``."""
        self._make_room(int(self.state["present"]) + len(block))
        self.finished = type(self.finished).room_for(len(self.present_jobs.jobs))
        self.state["taken"] = self.state["finished"] = 0
        arriving = Arriving(block.arrival, block.job_class, block.need, block.duration, False)
        shown, estimates = room_to_show(len(self.present_jobs.jobs)), self._estimates(block)
        events: list[Event] = []
        while len(events) < self.limit:
            arrived, gone = int(self.state["arrived"]), int(self.state["finished"])
            if not come_or_go(arriving, estimates, self.present_jobs, self.finished):
                break
            arrival = int(self.state["arrived"]) > arrived
            job = arrived if arrival else int(self.finished.number[gone])
            events.append(self._event(arrival, job, *self._decide(shown)))
        return events

    def _decide(self, shown: Any) -> tuple[set[int], set[int]]:
        """Let the policy decide until nothing changes; return the jobs in service before and after."""
        before = self._numbers(running=True)
        for _ in range(int(self.state["present"]) + 1):
            count = show(self.present_jobs, self.options, shown)
            ask_function(self.plain_rule, self.options.servers, self.present_jobs, shown, count, self.random)
            changed = bool((shown.flags[RUNNING, :count] != shown.flags[CHOSEN, :count]).any())
            status, _ = obey(self.present_jobs, self.options.preemptive, shown, count)
            self._refuse(status)
            if self.options.front < 0 or not changed:
                break
        return set(before), set(self._numbers(running=True))

    def _event(self, arrival: bool, job: int, before: set[int], after: set[int]) -> Event:
        return Event(
            time=self.clock,
            arrival=arrival,
            job=job,
            present=tuple(self._numbers()),
            served=tuple(sorted(after)),
            started=tuple(sorted(after - before)),
            stopped=tuple(sorted(before - after)),
            free=int(self.state["idle"]),
        )

    def _numbers(self, *, running: bool = False) -> list[int]:
        """Return the jobs present, or those in service, in order of arrival."""
        jobs: NDArray[Any] = self.present_jobs.jobs
        found, slot = [], int(self.state["first"])
        while slot >= 0:
            if not running or jobs["finish"][slot] < np.inf:
                found.append(int(jobs["number"][slot]))
            slot = int(jobs["next"][slot])
        return found
