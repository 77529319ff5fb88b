"""Intervals know what is slow or rare: environments, turns, rare large jobs, and what controls leave over."""

from fractions import Fraction

import numpy as np
import pytest

import msj
from msj.disciplines.model import model_of
from msj.registry import ENVIRONMENTS, MODELS, POLICIES
from msj.results import Outcome
from msj.simulation.long_jobs import several_at_once
from msj.simulation.memory import memory_of
from msj.simulation.rare_causes import rare_causes

ONE = msj.Exponential(mean=1)


def cluster(servers, *classes, **more):
    jobs = [
        msj.JobClass(name=f"need {need}", need=need, share=share, duration=law or ONE) for need, share, law in classes
    ]
    return msj.System(servers=servers, classes=jobs, **more)


def halves(servers, one, other, **more):
    return cluster(servers, (one, "1/2", None), (other, "1/2", None), **more)


SLOW_SERVERS = {
    "name": "modulated",
    "generator": [[-0.001, 0.001], [0.002, -0.002]],
    "servers": [4, 3],
    "speed": [1, 0.6],
}
OUTAGES = {
    "name": "maintenance",
    "every": {"law": "exponential", "mean": 500},
    "lasts": {"law": "exponential", "mean": 30},
}
TURNS = {"name": "msr", "packings": [[4, 0], [0, 1]], "shares": [0.3, 0.7], "cycle": 200}


def one_large_job_in(many):
    share = Fraction(1, many)
    return cluster(64, (1, 1 - share, None), (64, share, None), load=0.9)


CASES = {  # the system, a run that has no interval, and the cause in words
    "slow environment": (halves(4, 1, 3, load=0.7, environment=SLOW_SERVERS), 10_000, "environment"),
    "outages": (halves(6, 1, 3, load=0.8, environment=OUTAGES), 10_000, "environment"),
    "turns": (cluster(4, (1, "3/10", None), (4, "7/10", None), load=0.6, policy=TURNS), 10_000, "turns"),
    "one job in 100,000": (one_large_job_in(100_000), 50_000, "need 64"),
    "one job in a million": (one_large_job_in(1_000_000), 1_000_000, "need 64"),
    "one job in a thousand": (one_large_job_in(1000), 50_000, "need 64"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_run_that_holds_too_few_rare_causes_has_no_interval(case):
    """T1 to T4: such runs had intervals that held the exact mean in 30 to 83 % of all seeds."""
    system, jobs, _ = CASES[case]
    found = msj.simulate(system, jobs=jobs, seed=1, levels=(95,))
    assert found.outcome is Outcome.TOO_SHORT
    assert all(row.low is None for row in found if row.kind == "simulated")
    assert found.provenance["enough_jobs"] > jobs


@pytest.mark.parametrize("case", ["slow environment", "outages", "turns", "one job in a thousand"])
def test_intervals_hold_once_the_run_is_as_long_as_it_says(case):
    """Of 24 runs of the length named 19 or more hold the exact mean but with probability 0.0015 (binomial, 0.95)."""
    system, jobs, _ = CASES[case]
    exact = msj.analyse(system, percentiles=False)
    enough = msj.simulate(system, jobs=jobs, seed=1, levels=()).provenance["enough_jobs"]
    held = 0
    for seed in range(24):
        row = msj.simulate(
            system, jobs=int(1.05 * enough), seed=seed, levels=(), stability_threshold=exact["stability_threshold"]
        ).row("mean_response_time")
        assert row.low is not None
        held += row.low <= exact["mean_response_time"] <= row.high
    assert held >= 19


@pytest.mark.parametrize("case", CASES)
def test_the_rarest_cause_is_named_first(case):
    system, _, words = CASES[case]
    rate = 0.5 * system.naive_threshold
    causes = rare_causes(system.replace(load=None, arrival_rate=rate), rate)
    assert words in causes[0].what
    assert [cause.jobs for cause in causes] == sorted((cause.jobs for cause in causes), reverse=True)


def test_a_missed_precision_has_no_interval_where_the_run_is_too_short():
    """T7."""
    system, _, _ = CASES["slow environment"]
    found = msj.simulate(system, jobs=60_000, precision=0.2, seed=1, levels=())
    assert all(row.low is None for row in found if row.kind == "simulated")


def test_a_cause_too_small_to_show_is_not_waited_for():
    share = Fraction(1, 10**9)
    system = cluster(64, (1, 1 - share, None), (2, share, None), load=0.5)
    assert msj.simulate(system, jobs=100_000, seed=1, levels=()).row("mean_response_time").low is not None


def test_several_long_jobs_at_once_are_one_where_one_is_enough():
    """E[S⁴]/E[S²]² less the 6 of an exponential law, up to the noise of 131,072 drawn durations."""
    law = msj.Hyperexponential(rates=[3, "1/5"], probabilities=["9/10", "1/10"])
    system = cluster(1, (1, 1, law))
    assert several_at_once(system, 0.001) == pytest.approx(law.moment(4) / law.second_moment**2 - 6, rel=0.05)


@pytest.mark.parametrize("short", [1e-3, 1e-6])
def test_controls_do_not_claim_what_is_too_rare_to_be_seen(short):
    """T11: jobs so short that they hardly matter; P(wait) was held in 9 of 40 runs."""
    system = cluster(2, (2, "1/2", None), (1, "1/2", msj.Exponential(mean=short)), load=0.9)
    exact = msj.analyse(system, percentiles=False)
    held = {"mean_response_time": 0, "waiting_probability": 0}
    for seed in range(20):
        run = msj.simulate(system, jobs=100_000, seed=seed, levels=(), stability_threshold=exact["stability_threshold"])
        for name in held:
            held[name] += run.row(name).low <= exact[name] <= run.row(name).high
    assert min(held.values()) >= 15  # fewer with probability 3e-4, if 95 % are held


def test_a_class_that_waits_for_the_others_has_an_interval_that_holds():
    """T6: max-weight at a load of 0.95 lets the larger need wait; its mean was held in 87 % of all runs."""
    system = halves(3, 1, 2, load=0.95, policy="max-weight")
    exact = 32.592  # of 30 million jobs, within 1 %
    rows = [
        msj.simulate(system, jobs=50_000, seed=seed, levels=(), stability_threshold=2.0).row(
            "mean_response_time", "need 2"
        )
        for seed in range(24)
    ]
    assert sum(row.low <= exact <= row.high for row in rows) >= 19


@pytest.mark.parametrize("policies", [["max-weight", "fcfs"], ["fcfs", "server-filling"]])
def test_a_difference_is_no_wider_than_its_means_allow(policies):
    """T12."""
    system = halves(4, 1, 4, utilisation=0.6)
    for seed in range(6):
        found = msj.compare(system, policies, jobs=200_000, seed=seed)
        widths = [row.high - row.low for row in found if row.name == "mean_response_time" and row.job_class is None]
        (difference,) = [row for row in found if row.name == "mean_response_time_difference"]
        assert difference.high - difference.low <= sum(widths) * (1 + 1e-9)


# What goes by a clock of its own must say so.

NO_CLOCK = {
    "easy-backfilling": "round_up_to is a grid that estimates are rounded to",
    "conservative-backfilling": "round_up_to is a grid that estimates are rounded to",
}


@pytest.mark.parametrize("name", sorted(kind.name for kind in POLICIES if kind.time_powers))
def test_a_policy_that_goes_by_a_clock_has_a_memory_of_it(name):
    """Its own times a thousand times longer, those of the jobs as they were."""
    if name in NO_CLOCK:
        pytest.skip(NO_CLOCK[name])
    system = halves(4, 1, 2, policy=name)
    slower = system.replace(policy=system.policy.on(system).retimed(Fraction(1000)))
    rate = 0.3 * system.naive_threshold
    assert memory_of(slower, rate) > 2 * memory_of(system, rate)


SURROUNDINGS = {
    "modulated": {"generator": [[-1, 1], [1, -1]], "servers": [4, 2]},
    "maintenance": {"every": {"law": "exponential", "mean": 9}, "lasts": {"law": "exponential", "mean": 1}},
    "breakdowns": {"rate": 0.1, "repair": {"law": "exponential", "mean": 1}},
    "priority-work": {"arrival_rate": 0.2, "duration": {"law": "exponential", "mean": 1}, "need": 1, "most": 2},
}


@pytest.mark.parametrize("name", sorted(kind.name for kind in ENVIRONMENTS))
def test_an_environment_has_a_memory_and_rare_states(name):
    assert name in SURROUNDINGS, "say here what a small one of it looks like"
    around = {"name": name, **SURROUNDINGS[name]}
    system = halves(4, 1, 2, environment=around)
    (made,) = system.environment
    slower = system.replace(environment=made.retimed(Fraction(1000)))
    rate = 0.3 * system.naive_threshold
    assert memory_of(slower, rate) > 2 * memory_of(system, rate)
    rarest = [
        max(cause.jobs for cause in rare_causes(each, rate) if "environment" in cause.what) for each in (system, slower)
    ]
    assert rarest[1] == pytest.approx(1000 * rarest[0])


MODEL_OPTIONS = {"set-up": {"set_up_rate": 1}, "preemption-cost": {"overhead_rate": 1}}


@pytest.mark.parametrize("name", sorted(kind.name for kind in MODELS if kind.time_powers))
def test_a_model_with_times_of_its_own_has_a_memory_of_them(name):
    assert name in MODEL_OPTIONS, "say here what a small one of it looks like"
    policy = "server-filling" if name == "preemption-cost" else "fcfs"
    system = halves(4, 1, 2, policy=policy, model={"name": name, **MODEL_OPTIONS[name]})
    slower = system.replace(model=model_of(system).retimed(Fraction(1000)))
    rate = 0.3 * system.naive_threshold
    assert memory_of(slower, rate) > 2 * memory_of(system, rate)


def test_a_markov_environment_is_what_its_generator_says():
    """Servers 4 and 2 for exponential times of mean 1: covariance exp(−2t), so 1 in the long run, by hand."""
    system = halves(4, 1, 2, environment={"name": "modulated", **SURROUNDINGS["modulated"]})
    (process,) = model_of(system).capacity_processes(system)
    assert process.mean == pytest.approx(3.0)
    assert process.asymptotic_variance == pytest.approx(1.0)
    assert process.relaxation_time == pytest.approx(0.5)


def test_the_variance_of_an_environment_is_that_of_a_long_run():
    """Alternating Erlang and deterministic times, against renewal theory: Var(d·L − m·U...)/E[cycle], simulated."""
    law = {"law": "erlang", "stages": 3, "mean": 5}
    around = {"name": "maintenance", "every": law, "lasts": {"law": "uniform", "low": 1, "high": 3}, "servers": 2}
    system = halves(4, 1, 2, environment=around)
    (process,) = model_of(system).capacity_processes(system)
    rng = np.random.default_rng(1)
    up, down = rng.gamma(3, 5 / 3, 400_000), rng.uniform(1, 3, 400_000)
    mean = (4 * up.sum() + 2 * down.sum()) / (up + down).sum()
    cycles = (4 - mean) * up + (2 - mean) * down
    assert process.mean == pytest.approx(mean, rel=0.005)
    assert process.asymptotic_variance == pytest.approx(cycles.var() / (up + down).mean(), rel=0.02)
