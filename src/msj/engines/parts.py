"""Models that combine: segments, groups, resources, caps, an environment, set-up and overheads (reset, H.2 to H.6).

A job is a graph of segments, each with a need, amounts of other resources and a duration. It starts when all segments
without predecessors fit at once; a segment that follows takes over the place of the one before it if it needs no more,
else it waits in a line of its own before all jobs that have not started. Servers stand in groups with speeds; an
environment takes servers and changes speeds; servers may be off and take a set-up time to come on; a job that was
stopped pays before it goes on. First come first served, or by the function of a policy that may stop jobs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from msj.engines.cluster import Cluster
from msj.engines.event import EventEngine
from msj.engines.generic import room_to_show
from msj.engines.law_draws import DrawnLaws
from msj.engines.parts_loop import run_in_order
from msj.engines.parts_policy import Loop, Model
from msj.engines.parts_state import LINE, STATES, TASK, Tasks
from msj.engines.parts_tables import NumberedLaws, environment_of, graph_of, rules_of, servers_of
from msj.engines.server_areas import declared_areas
from msj.engines.state import Arriving, Present, job_row
from msj.workloads.job_block import JobBlock

Values = Mapping[str, Any]


class PartsEngine(EventEngine):
    """Serves by whatever parts a model has.

    Parameters
    ----------
    cluster
        The cluster.
    groups
        Servers, speed and resources of each group.
    capacity
        Resources of the whole cluster.
    classes
        By class its ``segments`` (``need``, ``resources``, ``law``, ``after``), its ``groups`` in order of preference,
        ``span``, ``at_most``, ``preemptible`` and ``pays``.
    environment
        Components, each with ``sojourn``, ``jump``, ``taken``, ``speed`` and ``hits``.
    set_up
        None, or ``law``, ``staggered`` and ``delay``.
    overhead
        None, or ``snapshot`` and ``transfer``.
    rule
        None for first come first served, else a policy that may stop jobs.
    power, cost
        Of one server by its state.
    """

    row: ClassVar[np.dtype[Any]] = job_row(before="i8", left="i8", doing="i8", owes="i8", began="f8")

    def __init__(
        self,
        cluster: Cluster,
        *,
        groups: Sequence[tuple[int, float, Values]],
        capacity: Values,
        classes: Sequence[Values],
        environment: Sequence[Values] = (),
        set_up: Values | None = None,
        overhead: Values | None = None,
        rule: Any = None,
        power: Values | None = None,
        cost: Values | None = None,
    ) -> None:
        super().__init__(cluster)
        laws = NumberedLaws()
        self.graph = graph_of(groups, capacity, classes, laws)
        self.rules = rules_of(set_up, overhead, laws)
        self.environment = environment_of(environment, len(groups), laws)
        self.farm = servers_of(groups, capacity, classes, off=set_up is not None)
        self.segments = int(self.graph.classes["segments"].max())
        streams = cluster.streams.generator("tasks").spawn(len(laws.laws))
        self.drawn = DrawnLaws(laws.laws, streams, least=3 * cluster.servers + 3 * self.segments + 16)
        self.tasks = Tasks(
            rows=np.empty(0, dtype=TASK),
            held=np.empty((0, len(groups)), dtype=np.int64),
            lines=np.full(2, -1, dtype=LINE),
            pending=np.empty((0, self.segments), dtype=np.int64),
        )
        self.tables = {"power": power, "cost": cost}
        self.policy, self._serve = rule, None
        front = None if rule is None else rule.front_on(cluster.servers)
        self.front = -1 if front is None else int(front)
        self._begin_environment()

    @property
    def areas(self) -> dict[str, float]:
        switched = self.rules.set_up >= 0
        there = {
            "busy": True,
            "idle": True,
            "set_up": switched,
            "off": switched,
            "broken": bool(self.environment.taken.any()),
            "paying": max(self.rules.snapshot, self.rules.transfer) >= 0,
        }
        by_state = {state: float(self.farm.areas[STATES.index(state)]) for state, is_there in there.items() if is_there}
        return declared_areas(by_state, **self.tables)

    def _begin_environment(self) -> None:
        """Draw how long each component stays in its first state."""
        draws, environment = self.drawn.draws, self.environment
        for e, law in enumerate(environment.laws[:, 0].tolist()):
            if law >= 0:
                environment.until[e] = draws.values[law, draws.used[law]]
                draws.used[law] += 1
        whole = self.farm.whole[0]
        whole["next_change"] = environment.until.min(initial=np.inf)
        whole["speed"] = environment.speeds[:, 0].prod()
        taken = environment.taken[:, 0].sum(axis=0)
        self.farm.groups["up"] = up = np.maximum(self.farm.groups["servers"] - taken, 0)
        missing = int((self.farm.groups["servers"] - up).sum())
        self.farm.counts[STATES.index("broken")] += missing
        self.farm.counts[STATES.index("idle" if self.rules.set_up < 0 else "off")] -= missing
        if self.rules.set_up < 0:
            self.farm.groups["on"] = self.farm.room.servers[:] = up

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_serve": None}  # compiled code does not travel

    def _run(self, block: JobBlock, arriving: Arriving) -> int:
        if self.policy is not None:
            return self._run_policy(arriving)
        work = Present(self.tasks.rows, self.present_jobs.heap, self.present_jobs.state)
        return int(
            run_in_order(
                arriving, self.graph, self.rules, self.environment, self.drawn.draws, self.present_jobs, self.tasks,
                self.farm, work, self.finished,
            )
        )  # fmt: skip

    def _run_policy(self, arriving: Arriving) -> int:
        most = len(self.present_jobs.jobs)
        shown = room_to_show(most if self.front < 0 else min(self.front + self.servers + 1, most))
        model = Model(self.graph.classes, self.rules, self.environment, self.front)
        if self._serve is None:
            self._serve = self.policy.compiled("simulated")
        draws, present = self.drawn.draws, self.present_jobs
        return Loop.run(self._serve, arriving, model, draws, present, self.farm, shown, self.finished, self.random)

    def _draw_more(self) -> None:
        self.drawn.draw_more()

    def _make_room(self, most: int) -> None:
        super()._make_room(most)
        slots, old = len(self.present_jobs.jobs), len(self.tasks.rows)
        if slots == len(self.tasks.pending):
            return
        rows = np.zeros(slots * self.segments, dtype=TASK)
        rows[:old] = self.tasks.rows
        rows["next"][old:] = np.arange(old + 1, len(rows) + 1)
        rows["next"][-1] = self.farm.whole[0]["free_row"]
        self.farm.whole[0]["free_row"] = old
        held = np.zeros((len(rows), self.tasks.held.shape[1]), dtype=np.int64)
        held[:old] = self.tasks.held
        pending = np.zeros((slots, self.segments), dtype=np.int64)
        pending[: len(self.tasks.pending)] = self.tasks.pending
        self.tasks = self.tasks._replace(rows=rows, held=held, pending=pending)
