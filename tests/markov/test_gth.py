"""Stationary laws by elimination."""

import numpy as np
import pytest

from msj.markov.gth import closed_class_laws, stationary_law


def test_states_out_of_sight_from_the_first():
    # A birth-death chain that climbs: seen from state 0 the top is likelier by a factor of 1e400.
    size, up = 41, 1e10
    generator = np.diag(np.full(size - 1, up), 1) + np.diag(np.ones(size - 1), -1)
    np.fill_diagonal(generator, -generator.sum(axis=1))
    [(_, law)] = closed_class_laws(generator)
    assert law[-1] == pytest.approx(1 - 1e-10, rel=1e-14)
    assert law[-4] / law[-3] == pytest.approx(1e-10, rel=1e-14)
    assert law[0] == 0.0  # 1e-400


def test_elimination_itself_climbs_beyond_the_largest_number():
    size, up = 41, 1e10
    rates = np.diag(np.full(size - 1, up), 1) + np.diag(np.ones(size - 1), -1)
    law = stationary_law(rates)
    assert law.sum() == pytest.approx(1.0, rel=1e-14)
    assert law[-2] / law[-1] == pytest.approx(1e-10, rel=1e-12)
