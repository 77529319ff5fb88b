"""Survival functions of uniformised chains: laws that are known, at 0, far out and at their percentiles."""

import math

import numpy as np
import pytest

from msj.markov.uniformized import UniformizedSurvival

RATE = 4.0


def two_laws(events=400):
    """Exponential with rate 1, and Erlang of two such stages: the chain is at one of them, and moves by chance 1/4."""
    k, stays = np.arange(float(events)), 0.75
    return UniformizedSurvival(rate=RATE, alive=np.column_stack([stays**k, stays**k + k * 0.25 * stays ** (k - 1)]))


@pytest.mark.parametrize("time", [0.0, 0.3, 2.0, 30.0])
def test_each_output_has_its_own_law(time):
    expected = [math.exp(-time), (1 + time) * math.exp(-time)]
    assert two_laws().survival(time) == pytest.approx(expected, rel=1e-11)


def test_means_are_those_of_the_whole_law_although_events_are_cut():
    whole = two_laws(2).mean()[0]  # a geometric series goes on as one
    assert whole == pytest.approx(1.0, rel=1e-12)
    assert two_laws().mean() == pytest.approx([1.0, 2.0], rel=1e-12)


def test_far_beyond_the_events_that_are_known_nothing_is_left():
    """A hundred times as many events as are known: none of those known has any weight, for either output."""
    found = two_laws(events=200)
    far = 100 * 200 / RATE
    assert found.survival(far).tolist() == [0.0, 0.0]


def test_percentiles_are_where_the_survival_function_is_what_they_say():
    levels = np.array([0.0, 50.0, 99.0])
    found, errors = two_laws().percentiles(levels)
    assert found[1:, 0] == pytest.approx([math.log(2), math.log(100)], rel=1e-10)
    assert (1 + found[1:, 1]) * np.exp(-found[1:, 1]) == pytest.approx([0.5, 0.01], rel=1e-10)
    assert found[0].tolist() == [0.0, 0.0]
    assert (errors < 1e-9).all()


def test_far_from_zero_only_events_near_the_mean_are_summed():
    """Exponential with mean 2500 watched at rate 4: ten thousand events, of which some 2,000 have any weight."""
    found = UniformizedSurvival(rate=RATE, alive=0.9999 ** np.arange(12_000.0)[:, None])
    assert found.survival(2500.0)[0] == pytest.approx(math.exp(-1), rel=1e-10)
    assert found.survival(100.0)[0] == pytest.approx(math.exp(-0.04), rel=1e-10)
    # Nothing is known beyond 12,000 events: of 13,000 on average one is as good as never below that.
    assert found.survival(13_000 / RATE)[0] < 1e-15


def test_percentiles_are_off_by_what_the_survival_function_is_over_the_density():
    """Exponential with rate 1, every a_k off by 0.001: over the densities 1/2 and 1/100."""
    k = np.arange(400.0)
    found = UniformizedSurvival(rate=RATE, alive=0.75 ** k[:, None], error=1e-3)
    _, errors = found.percentiles(np.array([50.0, 99.0]))
    np.testing.assert_allclose(errors[:, 0], [2e-3, 1e-1], rtol=1e-5)
    # No percentile is off by more than itself.
    vague = UniformizedSurvival(rate=RATE, alive=0.75 ** k[:, None], error=0.1)
    time, errors = vague.percentiles(np.array([99.0]))
    assert errors[0, 0] == pytest.approx(time[0, 0])


def test_what_lies_beyond_the_events_that_are_known_counts_as_error():
    """Thirty events: with 4·t = 18.4 on average more than that happen with a chance that is summed here by hand."""
    found = UniformizedSurvival(rate=RATE, alive=0.75 ** np.arange(30.0)[:, None])
    (time,), (error,) = (each[:, 0] for each in found.percentiles(np.array([99.0])))
    mean = RATE * time
    below = sum(math.exp(-mean) * mean**k / math.factorial(k) for k in range(30))
    assert time == pytest.approx(math.log(100), rel=1e-3)
    assert error == pytest.approx((1 - below) * 0.75**29 / 0.01, rel=1e-2)


def test_means_where_nothing_is_left_or_nothing_falls():
    """1 + 1/2 and then nothing; 1 + 1 + 0.9·(1 + 0.9 + ...) of which the last two say how it goes on."""
    alive = np.array([[1.0, 1.0], [0.5, 1.0], [0.0, 0.9]])
    found = UniformizedSurvival(rate=RATE, alive=alive).mean()
    np.testing.assert_allclose(found, [1.5 / RATE, (2.0 + 9.0) / RATE], rtol=1e-12)
    assert UniformizedSurvival(rate=RATE, alive=np.zeros((2, 1))).mean().tolist() == [0.0]
