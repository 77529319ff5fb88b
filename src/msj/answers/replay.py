"""Given jobs under a policy: what became of them, as a result."""

from __future__ import annotations

from typing import Any

import numpy as np

from msj.answers.question import question, root_of
from msj.engines.completed import Completed
from msj.errors import InvalidInput
from msj.model.chosen import chosen_from
from msj.registry import POLICIES
from msj.results import Outcome, Quantity, Result, provenance
from msj.simulation import replay_jobs
from msj.simulation.estimates import LEVELS
from msj.workloads import RecordedJobs, Rng
from msj.workloads.streams import seed_record


@question
def replay(
    jobs: RecordedJobs, *, servers: int, policy: Any = "fcfs", rng: Rng = None, seed: int | None = None
) -> Result:
    """Serve recorded jobs by a policy until the last is done, and say how long they took.

    The rows are of kind ``replayed``: facts about these very jobs, without intervals. Start and finish of every job:
    :func:`msj.simulation.replay_jobs`.

    Parameters
    ----------
    jobs
        The jobs; none may need more than ``servers``. The same may be replayed again, under other policies.
    servers
        Number of servers.
    policy
        A name, a table, a policy or a plain function.
    rng, seed
        For policies that draw lots.

    Examples
    --------
    >>> import msj
    >>> jobs = msj.RecordedJobs(arrival=[0, 0, 0], need=[1, 2, 1], duration=[3.0, 1.0, 1.0])
    >>> result = msj.replay(jobs, servers=2)
    >>> result["mean_waiting_time"], result["makespan"]
    (2.3333333333333335, 5.0)
    """
    if len(jobs.jobs) == 0:
        raise InvalidInput("there are no jobs to replay; give at least one")
    root = root_of(rng, seed)
    chosen = chosen_from(POLICIES, policy, "fcfs")
    done = replay_jobs(jobs, servers=servers, policy=chosen, rng=root)
    return Result(
        system={"servers": servers, "policy": chosen.to_spec()},
        quantities=tuple(_rows(done, servers, f"replay under {chosen.name}, {len(done):,} jobs")),
        outcome=Outcome.SOLVED,
        provenance=provenance(seed=seed_record(root), jobs=len(done)),
    )


def _rows(done: Completed, servers: int, method: str) -> list[Quantity]:
    response = done.finish - done.arrival
    waiting = np.maximum(response - done.duration if done.preemptions is not None else done.start - done.arrival, 0.0)
    makespan = float(done.finish.max() - done.arrival.min())
    values = {
        "mean_response_time": response.mean(),
        "mean_waiting_time": waiting.mean(),
        "waiting_probability": (done.start > done.arrival).mean(),
        "mean_slowdown": (response / done.duration).mean(),
        "utilisation": (done.need * done.duration).sum() / (servers * makespan),
        "makespan": makespan,
    }
    rows = [Quantity(name=name, value=float(value), kind="replayed", method=method) for name, value in values.items()]
    for name, times in (("waiting_time_percentile", waiting), ("response_time_percentile", response)):
        rows += [
            Quantity(name=name, value=float(value), kind="replayed", method=method, level=level)
            for level, value in zip(LEVELS, np.percentile(times, LEVELS), strict=True)
        ]
    return rows
