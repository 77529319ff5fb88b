"""What must not change, and what must change in proportion."""

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import msj
from msj import Exponential, JobClass, System
from strategies import phase_types, systems


@given(systems(most_servers=7), st.integers(1, 9).map(lambda n: Fraction(n, 10)))
def test_splitting_a_class_in_two_changes_nothing(system, part):
    first, *others = system.classes
    halves = [
        first.replace(name="part", share=first.share * part),
        first.replace(name="rest", share=first.share * (1 - part)),
    ]
    whole = msj.analyse(system, method="chain")
    split = msj.analyse(system.replace(classes=[*halves, *others]), method="chain")
    for name in ("stability_threshold", "wasted_servers", "relative_completions_at_departure"):
        assert split[name] == pytest.approx(whole[name], rel=1e-9, abs=1e-10), name


@given(systems(most_servers=7), st.sampled_from([Fraction(1, 1000), Fraction(7, 3), 1_000_000]))
def test_scaling_time_scales_rates_only(system, factor):
    slow = system.replace(classes=[c.replace(duration=c.duration.scaled(factor)) for c in system.classes])
    one, other = msj.analyse(system), msj.analyse(slow)
    assert other["stability_threshold"] * float(factor) == pytest.approx(one["stability_threshold"], rel=1e-10)
    for name in ("wasted_servers", "saturated_utilisation", "relative_completions_at_departure"):
        assert other[name] == pytest.approx(one[name], rel=1e-9, abs=1e-10)


@given(st.integers(1, 12), st.lists(phase_types(), min_size=1, max_size=2))
def test_needs_of_one_waste_nothing(servers, durations):
    classes = [
        JobClass(name=str(i), need=1, share=Fraction(1, len(durations)), duration=law)
        for i, law in enumerate(durations)
    ]
    result = msj.analyse(System(servers=servers, classes=classes), method="chain")
    mean = sum(float(law.mean) for law in durations) / len(durations)
    assert result["stability_threshold"] == pytest.approx(servers / mean, rel=1e-10)
    assert result["wasted_servers"] == 0.0


@given(systems(most_servers=8))
def test_busy_servers_are_throughput_times_work(system):
    result = msj.analyse(system, method="chain")
    # Little's law for the servers: a relation the chain does not use.
    busy = result["stability_threshold"] * system.mean_work
    assert system.servers - result["wasted_servers"] == pytest.approx(busy, rel=1e-9)
    assert result["stability_threshold"] <= result["naive_threshold"] * (1 + 1e-12)


def test_extreme_rates_keep_their_digits():
    # Twelve orders of magnitude either way; 2 mu_1 mu_2 / D of reset, Appendix C.2.
    for mu1, mu2 in [(1e12, 1e-12), (1e-12, 1e12), (1e-12, 1e-12), (1e12, 1e12)]:
        system = System(
            servers=2,
            classes=[
                JobClass(name="1", need=1, share=0.75, duration=Exponential(rate=mu1)),
                JobClass(name="2", need=2, share=0.25, duration=Exponential(rate=mu2)),
            ],
        )
        expected = 2 * mu1 * mu2 / (mu2 * 0.75**2 + 2 * mu2 * 0.75 * 0.25 + 2 * mu1 * 0.25)
        assert msj.analyse(system, method="chain")["stability_threshold"] == pytest.approx(expected, rel=1e-12)


def test_load_in_three_ways_is_one_load():
    system = msj.read("examples/two_servers.toml")
    answers = [
        msj.analyse(system.replace(**load))["predicted_mean_response_time"]
        for load in ({"load": 0.8}, {"arrival_rate": 0.72}, {"utilisation": 0.72})
    ]
    assert answers == pytest.approx([answers[0]] * 3, rel=1e-12)


@pytest.mark.parametrize("load", [{"load": 1}, {"arrival_rate": 0.9000001}, {"utilisation": 0.95}, {"load": 7}])
def test_an_unstable_load_is_an_outcome_that_names_both_rates(load):
    result = msj.analyse(msj.read("examples/two_servers.toml").replace(**load))
    assert result.outcome is msj.Outcome.UNSTABLE
    assert result.outcome.exit_code == 1
    assert re.search(r"arrival rate [\d.]+ is not below the stability threshold 0\.9: there is no", result.notes[-1])
    assert result["load"] >= 1
    assert result["stability_threshold"] == pytest.approx(0.9)
    assert "mean_response_time" not in result


def test_a_prediction_below_the_mean_duration_is_flagged():
    system = msj.read("examples/hpc_partition.toml")
    assert not msj.analyse(system, exact=False).notes
    assert "below the mean duration" in msj.analyse(system.replace(load=0.1), exact=False).notes[0]


def test_no_load_gives_no_response_time():
    result = msj.analyse(msj.read("examples/two_servers.toml").replace(load=None))
    assert "predicted_mean_response_time" not in result
    assert result.outcome.label == "no-load-given"


def test_what_no_analysis_can_do_has_bounds_and_the_reason():
    jobs = JobClass(name="fixed", need=1, share=1, duration={"law": "deterministic", "value": 2})
    found = msj.analyse(System(servers=3, classes=[jobs], load=0.5))
    assert "class 'fixed' has deterministic durations" in " ".join(found.notes)
