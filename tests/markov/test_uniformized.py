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
