"""What is known of one cluster."""

import pytest

from msj import analyse
from msj.errors import Failure, Unstable
from msj.growth.zero_queueing import zero_queueing
from msj.results import Outcome
from strategies import simple


def test_everything_about_a_cluster_the_bounds_say_something_about():
    system = simple(400, (2, 1, 1), utilisation=0.8)
    result = zero_queueing(system, jobs=400_000, rng=2)
    lower, exact = result["waiting_probability_lower_bound"], result["waiting_probability"]
    assert lower < exact < result["waiting_probability_sharper_bound"] < 1 < result["waiting_probability_bound"]
    row = next(row for row in result if row.name == "simulated_waiting_probability")
    assert row.low <= exact <= row.high
    assert result.outcome is Outcome.SOLVED
    assert "says nothing here" in result.notes[0]
    assert "at most 15.1 % of the jobs wait" in result.notes[1]


def test_beyond_the_sufficient_condition_the_threshold_decides():
    system = simple(2, (1, 1, "2/3"), (2, 0.5, "1/3"))
    stable = zero_queueing(system.replace(utilisation=0.72), simulation=False)
    assert stable.outcome is Outcome.SOLVED
    assert any("lambda* = 0.9" in note and note.endswith("is stable.") for note in stable.notes)
    unstable = zero_queueing(system.replace(utilisation=0.95), simulation=False)
    assert unstable.outcome is Outcome.UNSTABLE
    assert "waiting_probability" not in unstable
    assert any(note.endswith("is unstable.") for note in unstable.notes)


def test_the_theorem_is_cited_for_exponential_durations_only():
    # For others the condition is true as well, because more than n - m_max servers are busy at saturation.
    plain = simple(8, (1, 1, "1/2"), (4, 1, "1/2"), utilisation=0.4)
    staged = [c.replace(duration={"law": "erlang", "stages": 2, "mean": 1}) for c in plain.classes]
    for system, citation in (
        (plain, "zeroq, Theorem 4.1"),
        (plain.replace(classes=staged), "after zeroq, Theorem 4.1"),
    ):
        row = zero_queueing(system, simulation=False).row("sufficient_utilisation")
        assert (row.value, row.citation) == (0.5, citation)
        assert ("busy at saturation" in row.method) == citation.startswith("after")
        saturated = analyse(system.replace(utilisation=None))
        assert saturated["saturated_utilisation"] > row.value


def test_nobody_knows():
    needs = [(n, 1 + n / 7, 1 / 8) for n in (3, 5, 7, 11, 13, 17, 19, 190)]
    result = zero_queueing(simple(200, *needs, utilisation=0.5), simulation=False)
    assert result.outcome is Outcome.SOLVED
    assert any("whether the cluster is stable is not known here" in note for note in result.notes)


def test_a_simulated_queue_that_keeps_growing():
    needs = [(n, 1 + n / 7, 1 / 8) for n in (3, 5, 7, 11, 13, 17, 19, 190)]
    result = zero_queueing(simple(200, *needs, utilisation=0.97), jobs=100_000, rng=1)
    assert result.outcome is Outcome.UNSTABLE
    assert result.notes[-1] == "The simulated queue keeps growing."


def test_a_cluster_known_to_be_unstable_is_not_simulated():
    result = zero_queueing(simple(2, (1, 1, "2/3"), (2, 0.5, "1/3"), utilisation=0.9), jobs=100_000, rng=1)
    assert result.outcome is Outcome.UNSTABLE  # lambda = lambda*: a finite run would look stable
    assert "simulated_waiting_probability" not in result


def test_a_simulation_is_as_long_as_the_threshold_asks_for():
    # The naive threshold leaves a quarter of the servers to work off a queue, the real one a twelfth.
    system = simple(64, (1, 1, "33/34"), (33, 1, "1/34"), utilisation=0.75)
    result = zero_queueing(system, rng=1)
    rate = result.system["arrival_rate"]
    threshold = analyse(system)["stability_threshold"]
    # Its memory: the longest mean duration and 2·V/d² (a Brownian motion with drift), V = lambda*·E[X²], by hand.
    second = (33 / 34 * 1 + 1 / 34 * 33**2) * 2
    memory = 1 + 2 * threshold * second / ((threshold - rate) * system.mean_work) ** 2
    assert result.provenance["jobs"] >= 40 * memory * rate
    longer = zero_queueing(system, rng=1, jobs=9_268_393)
    row = next(row for row in longer if row.name == "simulated_waiting_probability")
    assert row.low <= longer["waiting_probability"] <= row.high
    assert row.high - row.low < 0.03


def test_where_there_is_no_bound_it_is_said():
    result = zero_queueing("examples/two_servers.toml", simulation=False)
    [gap] = result.missing
    assert (gap.name, gap.failure) == ("waiting_probability_bound", Failure.NOT_SUPPORTED)
    assert "0.72 is not below 1 − 2/2 = 0" in gap.reason


def test_the_seed_decides():
    one, other = (zero_queueing("examples/two_servers.toml", jobs=20_000, **seed) for seed in ({"rng": 4}, {"seed": 4}))
    assert one.quantities == other.quantities
    assert one.provenance["seed"] == 4
    assert one.provenance["question"]["options"] == {"jobs": 20_000}


def test_more_work_than_servers():
    with pytest.raises(Unstable, match=r"utilisation 1\.2 is not below 1"):
        zero_queueing(simple(2, (1, 1, 1), utilisation=1.2))
