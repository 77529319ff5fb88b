"""Fork-join with simultaneous start: tasks start together and end one by one (reset, Appendix H.2).

A job of n tasks needs n free servers to start, in order of arrival. Each task holds one server for a time of its own
(independent, of the class's law) and frees it when it ends; the job completes with its last task. So its need
diminishes while it runs, and others may start before it has completed. With one task per job this is M/G/k.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from msj.disciplines.model import Model
from msj.disciplines.served_by import ServedBy
from msj.model import System


@dataclass(frozen=True, kw_only=True)
class ForkJoin(Model):
    """In a spec file: model = "fork-join"; a class's need is its number of tasks, its duration that of one task.

    Examples
    --------
    Two servers, jobs of two tasks: the next job waits for both, so service takes E[max] = 1 + 1/2.

    >>> import msj
    >>> pair = msj.JobClass(name="pair", need=2, share=1, duration=msj.Exponential(mean=1))
    >>> system = msj.System(servers=2, classes=[pair], model="fork-join")
    >>> round(1 / msj.analyse(system)["stability_threshold"], 9)
    1.5
    """

    name: ClassVar[str] = "fork-join"
    summary: ClassVar[str] = "a job's tasks start together and end one by one, each freeing its server"
    citation: ClassVar[str] = "reset, Appendix H.2"
    idles: ClassVar[str] = "a job of several tasks may wait while fewer servers than it has tasks are free"

    def engine(self, system: System) -> ServedBy:
        return ServedBy("msj.engines.fork_join:ForkJoinEngine", laws=[c.duration for c in system.classes])

    def front_model(self, system: System) -> ServedBy:
        return ServedBy("msj.fronts.fork_join:ForkJoinFront")


VARIANT = ForkJoin
