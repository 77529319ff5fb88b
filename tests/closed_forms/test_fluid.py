"""The fluid model's closed form against the differential equation, and by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from msj.closed_forms.fluid import FluidModel


def fluid(*classes):
    """Return the model of classes given as (rate, load, start)."""
    rates, loads, start = (np.array(values) for values in zip(*classes, strict=True))
    return FluidModel(classes=tuple("abc"[: len(rates)]), rates=rates, loads=loads, start=start)


@given(
    st.lists(
        st.tuples(st.floats(0.01, 1), st.floats(0.1, 10), st.integers(0, 300).map(lambda tenths: tenths / 10)),
        min_size=1,
        max_size=3,
    ),
    st.floats(0.05, 0.95),
)
def test_closed_form_solves_the_equation(classes, utilisation):
    # Starts beyond the theorem too: the straight piece is then part of the solution.
    model = fluid(*((rate, load * utilisation / len(classes), start) for load, rate, start in classes))
    times = np.linspace(0.0, 20.0, 101)
    assert np.allclose(model.at(times), model.solve(times), rtol=1e-6, atol=1e-7)


def test_equilibrium_and_time_to_it():
    model = fluid((0.25, 0.3, 9.0), (1.0, 0.5, 0.0))
    assert model.equilibrium.tolist() == [4.0, 1.0]
    for tolerance in (0.5, 0.05, 1e-6):
        there = model.time_to_equilibrium(tolerance)
        away = np.abs(model.solve([0.0, there * 0.999, there * 1.001])[1:] / model.equilibrium - 1).max(axis=1)
        assert away[0] > tolerance > away[1] - 1e-7
    assert fluid((0.25, 0.3, 4.0), (1.0, 0.5, 1.0)).time_to_equilibrium(0.01) == 0.0
    # From empty: 1 − e^(−mu·t) = 1 − tolerance, the slowest class last.
    assert fluid((0.25, 0.3, 0.0), (1.0, 0.5, 0.0)).time_to_equilibrium(0.01) == pytest.approx(4 * math.log(100))


def test_straight_piece_by_hand():
    # One class, rho = 1/2, mu = 1: from 5 it falls with slope −1 to 2 at time 3, then 1 + e^(−(t − 3)).
    model = fluid((1.0, 0.5, 5.0))
    assert model.at([0, 1, 3, 4])[:, 0] == pytest.approx([5, 4, 2, 1 + math.exp(-1)])
    assert model.time_to_equilibrium(3.5) == pytest.approx(0.5)
    assert "below 1/(rho·mu) = 2" in model.why_not_covered()
    assert fluid((1.0, 0.5, 1.9)).why_not_covered() is None
    # Beyond the bend: 1 + e^(−(t − 3)) is within a thousandth of 1 from 3 + log(1000) on.
    assert model.time_to_equilibrium(1e-3) == pytest.approx(3 + math.log(1000))
    # rho = 1/4, mu = 2: from 8 it falls with slope −3 to 2 at time 2, and is within 9 times of 1/2, at 5, from 1 on.
    steep = fluid((2.0, 0.25, 8.0))
    assert steep.at([0.5, 2])[:, 0] == pytest.approx([6.5, 2])
    assert steep.time_to_equilibrium(9.0) == pytest.approx(1.0)
    assert steep.time_to_equilibrium(3.0) == pytest.approx(2.0)  # at the bend itself
    assert steep.time_to_equilibrium(1.5) == pytest.approx(2 + math.log(2) / 2)
    assert steep.most_admissible.tolist() == [2.0]
    # A start at the theorem's border is not below it.
    assert fluid((2.0, 0.25, 2.0)).why_not_covered() is not None


def test_solving_for_one_time_or_none():
    model = fluid((1.0, 0.5, 3.0), (0.25, 2.0, 0.5))
    assert model.solve([]).shape == (0, 2)
    assert model.solve([0.0]).tolist() == [[3.0, 0.5]]
    np.testing.assert_allclose(model.solve([2.0]), model.at([2.0]), rtol=1e-7)
