"""The numbering of count vectors: the same by both ways to a rank, and cheap for clusters of any shape."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from msj.fronts import count_space as numbering


@given(st.integers(1, 9), st.lists(st.integers(1, 9), min_size=1, max_size=5), st.booleans())
def test_vectors_are_all_that_fit_and_ranks_are_their_places(servers, needs, open_system):
    needs = np.minimum(np.array(needs), servers)
    below = servers + 1 if open_system else int(needs.max())
    space = numbering.count_space(servers, needs, below)
    everything = np.array(np.meshgrid(*(range(servers // need + 1) for need in needs), indexing="ij"))
    everything = everything.reshape(len(needs), -1).T  # in lexicographic order
    free = servers - everything @ needs
    expected = everything[(free >= 0) & (free < below)]
    assert space.vectors().tolist() == expected.tolist()
    assert space.size == len(expected)
    assert space.rank(space.vectors()).tolist() == list(range(len(expected)))
    assert space._rank_by_entries(space.vectors()).tolist() == list(range(len(expected)))


@pytest.mark.parametrize("needs", [[1, 10**6], [7, 10**5, 10**6]])
def test_counting_does_not_depend_on_how_large_the_needs_are(needs):
    started = time.process_time()
    numbering.count_space(10**6, np.array(needs), 10**6)
    assert time.process_time() - started < 2.0  # a loop over residues took minutes
