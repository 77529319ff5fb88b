"""Batches of equal length, whatever the number of pieces: a prime number of them must not cost the interval."""

import numpy as np
import pytest

from msj.simulation import reading
from msj.simulation.reading import FEWEST_BATCHES, MOST_BATCHES, batches_of


@pytest.fixture
def counted(monkeypatch):
    """Tallies stand for their number: what a batch holds is how many pieces it is made of."""

    class Pieces:
        @staticmethod
        def total(pieces):
            return len(pieces)

    monkeypatch.setattr(reading, "Tally", Pieces)
    return lambda pieces, runs: batches_of([[None] * pieces for _ in range(runs)], 1e9)


@pytest.mark.parametrize("runs", [1, 2, 4])
@pytest.mark.parametrize("pieces", [8, 11, 12, 13, 17, 23, 29, 30, 31, 60, 119])
def test_there_are_enough_batches_of_one_length_and_little_is_left_out(counted, pieces, runs):
    found = counted(pieces, runs)
    assert len(set(found)) == 1
    assert FEWEST_BATCHES <= len(found) <= MOST_BATCHES
    assert sum(found) >= 0.85 * pieces * runs


def test_what_divides_is_all_used(counted):
    assert np.sum(counted(30, 4)) == 120
    assert np.sum(counted(12, 2)) == 24
