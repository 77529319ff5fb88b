"""Fork-join with simultaneous start: tasks start together and end one by one (reset, Appendix H.2).

A job of n tasks needs n free servers to start, in order of arrival. Each task holds one server for a time of its own
(independent, of the class's law) and frees it when it ends; the job completes with its last task. So its need
diminishes while it runs, and others may start before it has completed. With one task per job this is M/G/k.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from msj.disciplines.part import Part, Segment
from msj.disciplines.served_by import ServedBy
from msj.errors import InvalidInput
from msj.model import JobClass, System


@dataclass(frozen=True, kw_only=True)
class ForkJoin(Part):
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
    rank: ClassVar[int] = 1
    idles: ClassVar[str] = "a job of several tasks may wait while fewer servers than it has tasks are free"

    def engine(self, system: System) -> ServedBy:
        return ServedBy("msj.engines.fork_join:ForkJoinEngine", laws=[c.duration for c in system.classes])

    front_model = Part.front_model  # the same rule, whichever loop simulates it

    def check_class(self, job_class: JobClass) -> None:
        """Refuse a need for each phase: tasks need one server each."""
        for i, stage in enumerate(job_class.extra.get("then", ())):
            if not isinstance(stage.need, int):
                raise InvalidInput(
                    f"need = {list(stage.need)} is one for each phase, and with 'fork-join' need is a number of tasks; "
                    "give one number",
                    where=f"then[{i}]",
                )

    def segments(self, job_class: JobClass, segments: list[Segment]) -> list[Segment]:
        """Make tasks of every segment: as many as it needs servers, each after all tasks of those it comes after."""
        tasks: list[range] = []  # of each segment: the numbers of its tasks
        found: list[Segment] = []
        for segment in segments:
            after = [task for j in segment["after"] for task in tasks[j]]
            tasks.append(range(len(found), len(found) + segment["need"]))
            found += [segment | {"need": 1, "after": after}] * segment["need"]
        return found


VARIANT = ForkJoin
