import itertools
import time
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from brute_force_saturated import saturated
from hypothesis import given
from hypothesis import strategies as st

from msj.closed_forms import same_law
from msj.errors import InvalidInput, TooLarge

SIXTEEN = {"servers": 16, "needs": (1, 3, 5, 16), "shares": (0.4, 0.3, 0.2, 0.1), "rate": 1.0}


@st.composite
def small_systems(draw):
    servers = draw(st.integers(1, 9))
    needs = draw(st.lists(st.integers(1, servers), min_size=1, max_size=3))
    weights = draw(st.lists(st.integers(1, 20), min_size=len(needs), max_size=len(needs)))
    shares = tuple(weight / sum(weights) for weight in weights)
    return {"servers": servers, "needs": tuple(needs), "shares": shares, "rate": draw(st.floats(0.1, 10))}


def theorem_8_1(servers, needs, shares):
    """Law of sigma and E[1/sigma] exactly, by listing every vector of needs that can matter."""
    law = dict.fromkeys(range(1, servers + 1), Fraction(0))
    for jobs in itertools.product(range(len(needs)), repeat=servers + 1):
        fits = 0
        while fits <= servers and sum(needs[c] for c in jobs[: fits + 1]) <= servers:
            fits += 1
        probability = Fraction(1)
        for c in jobs:
            probability *= shares[c]
        law[fits] += probability
    return law, sum(p / i for i, p in law.items())


def by_job_count(servers, needs, shares, digits=40):
    """Threshold and waste at rate one from the law of S_i, i = 1, 2, ..., in many digits."""
    with mpmath.workdps(digits):
        shares = [mpmath.mpf(share) for share in shares]
        law, mean_inverse, idle = [mpmath.mpf(1)] + [mpmath.mpf(0)] * servers, 0, 0
        for i in range(1, servers // min(needs) + 1):
            law = [
                mpmath.fsum(p * law[s - v] for v, p in zip(needs, shares, strict=True) if v <= s)
                for s in range(servers + 1)
            ]
            for s, mass in enumerate(law):
                stops = mass * sum(p for v, p in zip(needs, shares, strict=True) if v > servers - s) / i
                mean_inverse += stops
                idle += (servers - s) * stops
        return 1 / mean_inverse, idle / mean_inverse


def test_the_known_threshold():
    assert same_law(**SIXTEEN).stability_threshold == pytest.approx(2.64824762, abs=5e-9)


def test_theorem_8_1_as_it_stands():
    shares = (Fraction(1, 2), Fraction(3, 10), Fraction(1, 5))
    law, mean_inverse = theorem_8_1(7, (1, 3, 4), shares)
    system = same_law(servers=7, needs=(1, 3, 4), shares=[float(share) for share in shares], rate=2.0)
    assert system.stability_threshold == pytest.approx(float(2 / mean_inverse), rel=1e-14)
    in_service = system.jobs_in_service()
    assert in_service.number.tolist() == [i for i, p in law.items() if p > 0]
    np.testing.assert_allclose(in_service.at_departure, [float(law[i]) for i in in_service.number], rtol=1e-13)


@given(small_systems())
def test_every_answer_is_the_brute_force_chains(system):
    rates = (system["rate"],) * len(system["needs"])
    closed = same_law(**system)
    slow = saturated(system["servers"], system["needs"], system["shares"], rates)
    assert closed.stability_threshold == pytest.approx(slow.stability_threshold, rel=1e-10)
    assert closed.wasted_servers == pytest.approx(slow.wasted_servers, rel=1e-10, abs=1e-12)
    assert closed.saturated_utilisation == pytest.approx(1 - slow.wasted_servers / system["servers"], rel=1e-10)
    in_service = closed.jobs_in_service()
    for number, at_departure, over_time in zip(
        in_service.number, in_service.at_departure, in_service.over_time, strict=True
    ):
        count = slow.probability(lambda jobs, _, n=number: len(jobs) == n)
        after = slow.probability(lambda jobs, _, n=number: len(jobs) == n, slow.departure_average)
        assert over_time == pytest.approx(count, rel=1e-10, abs=1e-13)
        assert at_departure == pytest.approx(after, rel=1e-10, abs=1e-13)


@given(small_systems())
def test_busy_servers_carry_the_work_that_arrives(system):
    closed = same_law(**system)
    mean_work = sum(v * p for v, p in zip(system["needs"], system["shares"], strict=True)) / system["rate"]
    busy = closed.stability_threshold * mean_work
    assert closed.saturated_utilisation * system["servers"] == pytest.approx(busy, rel=1e-13)
    assert closed.wasted_servers == pytest.approx(system["servers"] - busy, abs=1e-12)


@given(small_systems(), st.floats(0.01, 0.99))
def test_splitting_a_class_in_two_changes_nothing(system, part):
    first, *others = system["shares"]
    split = {
        **system,
        "needs": (system["needs"][0], *system["needs"]),
        "shares": (part * first, (1 - part) * first, *others),
    }
    assert same_law(**split).wasted_servers == pytest.approx(same_law(**system).wasted_servers, rel=1e-12, abs=1e-14)


def test_a_tiny_waste_keeps_its_digits():
    """One job in 10^18 needs two servers: the waste is a rounding error of the capacity."""
    system = same_law(servers=50, needs=(1, 2), shares=(1.0, 1e-18), rate=1.0)
    _, waste = by_job_count(50, (1, 2), (mpmath.mpf(1) - mpmath.mpf(1e-18), 1e-18))
    assert system.wasted_servers == pytest.approx(float(waste), rel=1e-12)
    assert 0 < waste < 1e-17


def test_thirteen_digits_against_forty_digit_arithmetic():
    needs, shares = (1, 7, 40, 200), (0.5, 0.25, 0.125, 0.125)
    threshold, waste = by_job_count(200, needs, shares)
    system = same_law(servers=200, needs=needs, shares=shares, rate=1.0)
    assert abs(system.stability_threshold / threshold - 1) < 1e-13
    assert abs(system.wasted_servers / waste - 1) < 1e-13


def test_ten_thousand_servers_and_eight_classes():
    system = {"servers": 10_000, "needs": (1, 2, 3, 5, 8, 16, 100, 10_000), "shares": (0.125,) * 8, "rate": 1.0}
    started = time.perf_counter()
    closed = same_law(**system)
    in_service = closed.jobs_in_service()
    seconds = time.perf_counter() - started
    print(f"threshold, waste and law of the number in service: {seconds:.2f} s")
    assert seconds < 5
    # Two ways to E[1/sigma] that share no arithmetic: over server numbers, and over job numbers.
    by_law = 1 / np.sum(in_service.at_departure / in_service.number)
    assert closed.stability_threshold == pytest.approx(by_law, rel=1e-12)
    assert in_service.number[[0, -1]].tolist() == [1, 10_000]
    assert np.sum(in_service.over_time) == pytest.approx(1, rel=1e-12)


def test_one_class_wastes_the_remainder():
    system = same_law(servers=17, needs=(5,), shares=(1.0,), rate=4.0)
    assert (system.stability_threshold, system.wasted_servers) == (12.0, 2.0)


@pytest.mark.parametrize(
    ("change", "error", "sentence"),
    [
        ({"needs": (1, 3, 5, 17)}, InvalidInput, "needs[3] is 17 of 16 servers; raise servers or lower the need"),
        ({"needs": ()}, InvalidInput, "needs is empty"),
        ({"shares": (0.4, 0.3, 0.3)}, InvalidInput, "3 shares given for 4 needs; give one share per class"),
        ({"shares": (0.5, 0.3, 0.2, 0.0)}, InvalidInput, "shares[3] is 0.0 but must be above 0"),
        ({"rate": -1.0}, InvalidInput, "rate is -1.0 but a rate"),
        ({"rate": "fast"}, InvalidInput, "rate is 'fast' but must be a finite number"),
        ({"servers": True}, InvalidInput, "servers is True but must be a whole number"),
        ({"servers": 10**8}, TooLarge, "lower servers"),
    ],
)
def test_what_does_not_make_sense_is_refused_in_one_sentence(change, error, sentence):
    with pytest.raises(error) as caught:
        same_law(**{**SIXTEEN, **change})
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_law_that_would_take_minutes_is_refused():
    system = same_law(servers=200_000, needs=(1, 2), shares=(0.5, 0.5), rate=1.0)
    with pytest.raises(TooLarge, match="lower servers or do without the law"):
        system.jobs_in_service()
