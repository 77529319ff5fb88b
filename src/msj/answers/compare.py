"""The same jobs under several policies, and how they differ, as a result."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from msj.answers.known import known_of
from msj.answers.question import SystemLike, as_system, question, root_of
from msj.answers.simulate import with_arrival_rate
from msj.answers.threshold import exceeded, quick_threshold
from msj.disciplines.applicable import chosen_policies, why_not_comparable
from msj.options import CompareOptions, RunOptions, takes
from msj.results import Result
from msj.simulation import compare_at_rate


@dataclass(frozen=True)
class Comparison(CompareOptions):
    """The question of :func:`msj.compare`."""

    system: SystemLike = field(
        metadata={
            "help": "The cluster, or the file that describes it; a load is a share of the threshold under its own "
            "policy."
        }
    )
    policies: Iterable[Any] = field(
        metadata={"help": "Names, tables, policies or functions; differences are from the first of them that applies."}
    )


@question
@takes(Comparison)
def compare(asked: Comparison) -> Result:
    """Serve the same jobs by each policy.

    Rows stand at a ``policy``; the differences of the means from the first policy, ``mean_response_time_difference``
    and the like, at a ``policy`` and a ``baseline``. A policy that does not apply to the cluster is left out: a note
    and ``missing`` have the reason, and the next policy is the baseline if it was the first. If no policy applies,
    that is an error.

    Examples
    --------
    >>> import msj
    >>> found = msj.compare("examples/two_servers.toml", ["fcfs", "first-fit"], jobs=100_000, seed=1)
    >>> found.at(policy="first-fit")["mean_response_time"] < found.at(policy="fcfs")["mean_response_time"]
    True
    >>> row = found.at(baseline="fcfs").row("mean_response_time_difference")
    >>> row.at["policy"], row.high < 0
    ('first-fit', True)
    """
    own, threshold = as_system(asked.system), asked.stability_threshold
    chosen = list(chosen_policies(asked.policies).values())
    if threshold is None:
        threshold = quick_threshold(own)
    served = with_arrival_rate(own, threshold)
    known = {}
    for index, policy in enumerate(chosen):
        if why_not_comparable(served, policy) is not None:
            continue
        one = served.replace(policy=policy)
        same = one.policy == own.policy and threshold is not None
        found = threshold if same else quick_threshold(one)
        known[index] = known_of(one, exceeded(one) if found is None else found)
    return compare_at_rate(served, chosen, root=root_of(asked.rng, asked.seed), known=known, **asked.part(RunOptions))
