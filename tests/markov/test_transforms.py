"""Laplace inversion, resolvents and percentiles on functions with known answers."""

import numpy as np
import pytest

from msj.markov.laplace import NODES, invert
from msj.markov.percentiles import SurvivalCurves
from msj.markov.resolvent import BLOCK, Resolvent


def test_inversion_of_known_transforms():
    t = np.array([0.01, 0.5, 2.0, 30.0])
    np.testing.assert_allclose(invert(lambda s: 1 / (s + 1), t), np.exp(-t), atol=3e-10)
    # Erlang(3) survival with rate 2
    survival = np.exp(-2 * t) * (1 + 2 * t + 2 * t**2)
    np.testing.assert_allclose(invert(lambda s: (1 - (2 / (2 + s)) ** 3) / s, t), survival, atol=3e-10)


def test_inversion_of_many_functions_at_once():
    t = np.array([0.3, 1.0])
    found = invert(lambda s: np.stack([1 / (s + 1), 1 / (s + 2)], axis=1), t)
    np.testing.assert_allclose(found, np.exp(-t[:, None] * [1, 2]), atol=3e-10)


@pytest.mark.parametrize("size", [1, 5, BLOCK, BLOCK + 7])
def test_resolvents_solve_the_shifted_systems(size):
    rng = np.random.default_rng(size)
    A = rng.normal(size=(size, size)) - 2 * np.sqrt(size) * np.eye(size)
    b = rng.normal(size=size)
    s = np.array([1.0, 0.5 + 3j, 10 - 40j])
    found = Resolvent(A)(b, s)
    columns = rng.normal(size=(size, 3))
    many = Resolvent(A)(columns, s)
    for i, point in enumerate(s):
        shifted = point * np.eye(size) - A
        np.testing.assert_allclose(found[:, i] @ shifted, b, atol=1e-10)
        np.testing.assert_allclose(many[:, i] @ shifted, columns[:, i], atol=1e-10)


def test_percentiles_of_a_mixture_with_mass_at_zero():
    # P(X > t) = 0.4·exp(−t): the median is 0, the 90th percentile ln 4.
    curves = SurvivalCurves(lambda s: (0.4 / (s + 1))[:, None], np.array([0.4]), width=1, scale=1.0)
    found = curves.percentiles(np.array([50.0, 60.0, 90.0, 99.9]))[0][:, 0]
    np.testing.assert_allclose(found, [0, 0, np.log(4), np.log(400)], rtol=1e-6)


def test_percentiles_far_from_the_guessed_scale():
    for rate in (1e-5, 1e5):
        curves = SurvivalCurves(lambda s, r=rate: (1 / (s + r))[:, None], np.ones(1), width=1, scale=1.0)
        assert curves.percentiles(np.array([99.0]))[0][0, 0] == pytest.approx(np.log(100) / rate, rel=1e-6)


def test_batches_give_the_same_answer(monkeypatch):
    monkeypatch.setattr("msj.markov.percentiles.BATCH", NODES)
    curves = SurvivalCurves(lambda s: (1 / (s + 1))[:, None], np.ones(1), width=1, scale=1.0)
    np.testing.assert_allclose(curves.survival(np.array([1.0, 2.0]))[:, 0], np.exp([-1.0, -2.0]), atol=3e-10)
