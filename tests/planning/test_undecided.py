"""A plan that is not decided says so in its outcome, its exit code and its JSON, and has used the jobs allowed."""

import json
import math

import msj
from msj.effort import Effort

SMALL = msj.System(
    servers=3,
    arrival_rate=0.9,
    classes=[
        msj.JobClass(name="a", need=1, share="2/3", duration=msj.Exponential(mean=1)),
        msj.JobClass(name="b", need=2, share="1/3", duration=msj.Exponential(mean=1)),
    ],
)
JOBS = 100_000


def plan_at_the_limit(policy="fcfs", **more):
    """Plan by simulation for a target that is met by a hair: 100,000 jobs cannot see it."""
    limit = msj.analyse(SMALL.replace(policy=policy))["mean_waiting_time"] * (1 + 1e-9)
    return msj.plan(SMALL, targets=f"mean wait <= {limit!r}", jobs=JOBS, seed=1, effort=Effort(operations=0), **more)


def test_undecided_is_no_miss():
    found = plan_at_the_limit(vary="policy")
    assert found.outcome.label == "undecided"
    assert found.outcome.exit_code == 0
    (verdict,) = [row for row in json.loads(found.to_json())["quantities"] if row["name"] == "meets_targets"]
    assert (verdict["value"], verdict["low"], verdict["high"]) == (None, 0.0, 1.0)
    assert math.isnan(found["meets_targets"])
    mean = found.at(policy="fcfs").row("mean_waiting_time")
    assert mean.low < msj.analyse(SMALL)["mean_waiting_time"] < mean.high


def test_the_jobs_allowed_are_used_before_a_point_is_given_up():
    (point,) = plan_at_the_limit(vary="policy").points
    assert 0.98 * JOBS < point.jobs <= JOBS


def test_a_miss_that_is_known_stays_a_miss():
    found = msj.plan(SMALL, targets="mean wait <= 0.001", vary="policy", seed=1)
    assert (found.outcome.label, found.outcome.exit_code, found["meets_targets"]) == ("targets-not-met", 1, 0.0)


def test_one_policy_undecided_and_another_that_misses_is_undecided():
    found = plan_at_the_limit("most-servers-first", vary="policy", policies=["most-servers-first", "fcfs"])
    assert [point.verdict.value for point in found.points] == ["undecided", "misses"]
    assert found.outcome.label == "undecided"


def test_caps_that_are_not_decided_are_undecided():
    pair = SMALL.replace(servers=2, arrival_rate=1.2, classes=[SMALL.classes[0].replace(share=1)])  # M/M/2: one cap
    limit = 0.6**2 / (1 - 0.6**2)  # E[W] = rho^2 / (1 - rho^2) at rho = 0.6
    found = msj.plan(
        pair, targets=f"mean wait <= {limit!r}", vary="cap", jobs=JOBS, seed=1, effort=Effort(operations=0)
    )
    assert found.points[0].verdict.value == found.outcome.label == "undecided"
