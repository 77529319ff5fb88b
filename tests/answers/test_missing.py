"""What was asked and not answered is listed with the reason and the command that would answer it."""

import math

import pytest

import msj

STEADY = msj.Deterministic(value=1)
LOGNORMAL = msj.Lognormal(mean=1, cv=2)


def cluster(servers, *classes, **load):
    jobs = [msj.JobClass(name=name, need=need, share=share, duration=law) for name, need, share, law in classes]
    return msj.System(servers=servers, classes=jobs, **load)


ONE = cluster(4, ("a", 4, 0.25, msj.Uniform(low=0, high=2)), ("b", 3, 0.75, STEADY), utilisation=0.6)
PAIR = cluster(4, ("a", 1, 0.5, LOGNORMAL), ("b", 3, 0.5, LOGNORMAL), utilisation=0.5)


def test_jobs_that_need_more_than_half_of_the_servers_are_an_mg1_queue():
    found = msj.analyse(ONE)
    rate, mean, square = found["arrival_rate"], 1.0, 0.25 * 4 / 3 + 0.75
    assert found["stability_threshold"] == pytest.approx(1 / mean)
    assert found["wasted_servers"] == pytest.approx(4 - (0.25 * 4 + 0.75 * 3))
    wait = rate * square / (2 * (1 - rate * mean))
    row = found.row("mean_response_time")
    assert (row.value, row.kind) == (pytest.approx(wait + mean), "exact")
    assert found["mean_waiting_time", "a"] == pytest.approx(wait)
    assert found["waiting_probability"] == pytest.approx(rate * mean)


def test_its_means_are_those_of_a_simulation_without_controls():
    exact = msj.analyse(ONE)
    run = msj.simulate(ONE, jobs=400_000, seed=1, controls=False)
    for name in ("mean_response_time", "mean_waiting_time", "waiting_probability"):
        row = run.row(name)
        half = row.high - row.value
        assert abs(row.value - exact[name]) < 2 * half  # fails with probability 1e-4 each


def test_a_known_threshold_and_no_exact_threshold_are_not_said_of_one_system():
    found = msj.analyse(cluster(4, ("a", 1, 1, STEADY), utilisation=0.8))
    assert found.row("stability_threshold").kind == "exact"
    assert "no exact threshold" not in found.to_text().replace("\n", " ")


def test_a_simulation_says_when_its_control_is_the_answer():
    said = [note for note in msj.simulate(ONE, jobs=50_000, seed=1).notes if "the cluster itself" in note]
    assert len(said) == 1
    for other in (msj.simulate(ONE, jobs=50_000, seed=1, controls=False), msj.simulate(PAIR, jobs=50_000, seed=1)):
        assert not any("the cluster itself" in note for note in other.notes)


def test_the_method_of_a_law_is_that_of_the_analysis_that_answered():
    law = {"mean_response_time": "QBD"}
    loss = cluster(3, ("a", 1, 1, STEADY), arrival_rate=2, policy="loss")
    for system, name in ((loss, "loss_probability"), (msj.read("examples/two_servers.toml"), "mean_response_time")):
        found = msj.analyse(system, law=2)
        row = found.at(jobs=1).row("jobs_in_system_probability")
        assert row.method == found.row(name).method
        assert row.method == law.get(name, row.method)
    weights = [2**n / math.factorial(n) for n in range(4)]
    assert msj.analyse(loss, law=2).at(jobs=2)["jobs_in_system_probability"] == pytest.approx(weights[2] / sum(weights))


@pytest.mark.parametrize(
    ("system", "names"),
    [
        (PAIR, {"stability_threshold", "mean_response_time"}),
        (PAIR.replace(utilisation=None), {"stability_threshold"}),
        (PAIR.replace(policy="loss", arrivals={"law": "batch", "size": {"law": "deterministic", "value": 2}}),
         {"loss_probability"}),
        (cluster(4, ("a", 1, 1, STEADY), utilisation=0.8), {"mean_response_time"}),
        (ONE, {"waiting_time_percentile"}),
        (msj.read("examples/two_servers.toml"), set()),
    ],
)  # fmt: skip
def test_what_could_not_be_answered_is_listed_with_its_reason_and_a_command(system, names):
    found = msj.analyse(system)
    assert {gap.name for gap in found.missing} == names
    for gap in found.missing:
        assert gap.reason
        assert gap.command.startswith("msj ")
        assert gap.name not in found
    assert msj.Result.from_dict(found.to_dict()).missing == found.missing


def test_an_unknown_level_or_class_lists_what_there_is():
    found = msj.analyse("examples/two_servers.toml")
    with pytest.raises(msj.InvalidInput, match=r"there are the levels 50, 90, 95, 99, 99\.9"):
        found["waiting_time_percentile", None, 97]
    with pytest.raises(msj.InvalidInput, match="of all jobs, 'small', 'large'"):
        found["mean_response_time", "tiny"]
    with pytest.raises(msj.InvalidInput, match="not phase type"):
        msj.analyse(PAIR)["mean_response_time"]
