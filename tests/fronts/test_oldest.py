"""First fit among the n oldest jobs in the system: the paper's First-Fit-k."""

import pytest

import msj
from msj.registry import POLICIES
from strategies import simple

SYSTEM = simple(4, (1, 1, "1/2"), (3, 1, "1/2"), policy={"name": "first-fit", "oldest": 4})


def test_the_threshold_known_in_fractions():
    assert msj.analyse(SYSTEM)["stability_threshold"] == pytest.approx(136 / 77, rel=1e-12)


def test_one_is_one_job_at_a_time_and_many_are_more_than_a_window():
    alone = SYSTEM.replace(policy={"name": "first-fit", "oldest": 1}, arrival_rate="1/2")
    assert msj.analyse(alone)["mean_response_time"] == pytest.approx(2)  # M/M/1
    more = [
        msj.analyse(SYSTEM.replace(policy={"name": "first-fit", "oldest": n}))["stability_threshold"] for n in (2, 4, 7)
    ]
    assert more == sorted(more)


@pytest.mark.parametrize("preemptive", [False, True])
def test_the_simulation_agrees_with_the_chain(preemptive):
    # 3.9 standard errors: odds of 1e-4 for each.
    system = SYSTEM.replace(policy={"name": "first-fit", "oldest": 4, "preemptive": preemptive}, arrival_rate=1.2)
    exact, run = msj.analyse(system, percentiles=False), msj.simulate(system, jobs=50_000, seed=1)
    for c in system.classes:
        row, value = run.row("mean_response_time", job_class=c.name), exact["mean_response_time", c.name]
        assert abs(row.value - value) < 3.9 / 1.96 * (row.high - row.low) / 2


def test_not_both():
    with pytest.raises(msj.InvalidInput, match="choose one"):
        POLICIES.get("first-fit")(window=2, oldest=3)


def test_one_at_a_time_in_stages_is_pollaczek_and_khinchine():
    """Erlang of three stages, mean 2, at rate 0.3: E[S²] = 4 · 4/3, so E[T] = 2 + 0.3 · 16/3 / (2 · 0.4) = 4."""
    job = msj.JobClass(name="all", need=1, share=1, duration=msj.Erlang(stages=3, mean=2))
    system = msj.System(servers=3, classes=[job], policy={"name": "first-fit", "oldest": 1}, arrival_rate=0.3)
    found = msj.analyse(system, percentiles=False)
    assert (found["stability_threshold"], found["mean_response_time"]) == (pytest.approx(0.5), pytest.approx(4.0))
