"""Laplace inversion, resolvents and percentiles on functions with known answers."""

import numpy as np
import pytest
import scipy.sparse as sparse

from msj.markov.laplace import NODES, invert
from msj.markov.level_descent import DescentLevel, LevelDescent
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


def test_percentiles_are_off_by_the_inversion_over_the_density():
    """Exponential with rate 2: the density is 2·0.5 at the median and 2·0.01 at the 99th percentile."""
    curves = SurvivalCurves(lambda s: (0.5 / (s + 2))[:, None], np.array([0.5]), width=1, scale=1.0)
    found, errors = curves.percentiles(np.array([40.0, 75.0, 99.5]))
    np.testing.assert_allclose(found[:, 0], [0.0, np.log(2) / 2, np.log(100) / 2], rtol=1e-7)
    np.testing.assert_allclose(errors[:, 0], [0.0, 1e-9 / (2 * 0.25), 1e-9 / (2 * 0.005)], rtol=1e-4)


def test_each_output_has_percentiles_of_its_own():
    """One within the grid, one beyond it, one below: scales apart by 1e9, and one that is mostly zero."""
    rates, at_zero = np.array([1.0, 1e-5, 1e4, 2.0]), np.array([1.0, 1.0, 1.0, 0.02])
    curves = SurvivalCurves(lambda s: at_zero / (s[:, None] + rates), at_zero, width=4, scale=1.0)
    found, _ = curves.percentiles(np.array([50.0, 99.0]))
    np.testing.assert_allclose(found[:, :3], np.outer(np.log([2.0, 100.0]), 1 / rates[:3]), rtol=1e-6)
    np.testing.assert_allclose(found[:, 3], [0.0, np.log(2.0) / 2], rtol=1e-6)


def test_on_a_plateau_a_percentile_may_be_off_by_all_of_itself():
    """Half of it is over at once, the other half lasts: between 0.01 and 10 nothing happens."""
    curves = SurvivalCurves(lambda s: (0.5 / (s + 1e3) + 0.5 / (s + 1e-9))[:, None], np.ones(1), width=1, scale=1.0)
    found, errors = curves.percentiles(np.array([50.0]))
    assert 0.01 < found[0, 0] < 1e3
    assert 0.1 * found[0, 0] < errors[0, 0] <= found[0, 0] * (1 + 1e-9)


def test_as_many_times_at_once_as_there_is_room_for(monkeypatch):
    monkeypatch.setattr("msj.markov.percentiles.BATCH", 3 * NODES * 5)
    asked = []

    def transform(s):
        asked.append(len(s))
        return (1 / (s + 1))[:, None]

    SurvivalCurves(transform, np.ones(1), width=5, scale=1.0).survival(np.arange(1.0, 8.0))
    assert asked == [3 * NODES, 3 * NODES, NODES]
    asked.clear()
    SurvivalCurves(transform, np.ones(1), width=16, scale=1.0).survival(np.arange(1.0, 3.0))  # at least one
    assert asked == [NODES, NODES]


def levels_down(monkeypatch, *, dense_up_to):
    """Two phases above one and three below; rates without symmetry, against one large resolvent."""
    monkeypatch.setattr("msj.markov.level_descent.DENSE_UP_TO", dense_up_to)
    local = [np.array([[-3.0, 0.5, 0.2], [0.1, -2.0, 0.4], [0.9, 0.3, -4.0]]), np.array([[-1.5, 0.0], [0.0, -2.5]])]
    completions = [np.array([[0.7, 0.4, 0.2], [1.0, 0.3, 0.6]]), np.array([[0.3, 0.2], [0.1, 0.4]])]
    R, D0, D1 = (
        np.array([[0.3, 0.1], [0.05, 0.4]]), np.array([[-2.0, 0.3], [0.6, -3.0]]), np.array([[0.3, 0.2], [0.1, 0.4]])
    )  # fmt: skip
    counted = [np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 0.5]]), np.array([[1.0, 1.0], [0.0, 1.0]])]
    start, first = [np.array([0.1, 0.2, 0.05]), np.array([0.3, 0.1])], np.array([0.07, 0.02])
    sparse_of = sparse.csr_array
    levels = tuple(
        DescentLevel(
            start=start[n],
            completions=sparse_of(completions[n]),
            local=sparse_of(local[n]),
            counted=sparse_of(counted[n]),
        )
        for n in (1, 0)
    )
    found = LevelDescent(
        first_repeating=first, rate_matrix=R, repeating_local=sparse_of(D0), repeating_completions=sparse_of(D1),
        levels=levels,
    )  # fmt: skip
    s = np.array([0.5 + 0.2j, 3.0 - 1.0j])
    expected = []
    for point in s:
        psi = first @ np.linalg.inv(point * np.eye(2) - D0 - R @ D1)
        total = psi @ sum(np.linalg.matrix_power(R, n) for n in range(200)) @ np.ones(2) * np.ones(2, dtype=complex)
        flow = psi
        for n in (1, 0):
            flow = (start[n] + flow @ completions[n]) @ np.linalg.inv(point * np.eye(len(local[n])) - local[n])
            total = total + counted[n] @ flow
        expected.append(total)
    np.testing.assert_allclose(found.transform(s), expected, rtol=1e-12)
    assert found.widest == 3


@pytest.mark.parametrize("dense_up_to", [0, 2, 3, 150])
def test_levels_are_gone_down_one_by_one(monkeypatch, dense_up_to):
    levels_down(monkeypatch, dense_up_to=dense_up_to)
