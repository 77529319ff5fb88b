"""Contract of every policy: never more servers than there are, never a job that does not fit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from msj import NotSupported
from msj.disciplines.sharing import Sharing
from msj.registry import POLICIES

SHARING = [name for name in POLICIES.names() if issubclass(POLICIES.get(name), Sharing)]
DECIDING = [name for name in POLICIES.names() if name not in SHARING]


@pytest.mark.parametrize("name", SHARING)
def test_who_shares_speed_has_no_plain_function(name):
    with pytest.raises(NotSupported, match="shares servers between jobs"):
        _ = POLICIES.get(name)().serve


@pytest.mark.parametrize("name", DECIDING)
@given(servers=st.integers(1, 12), needs=st.lists(st.integers(1, 12), max_size=15))
def test_what_is_served_fits(name, servers, needs):
    needs = np.array([min(need, servers) for need in needs], dtype=np.int64)
    chosen = np.zeros(len(needs), dtype=np.bool_)
    POLICIES.get(name)().serve(needs, np.zeros_like(chosen), np.ones(len(needs)), servers, chosen)
    assert needs[chosen].sum() <= servers
    assert not len(needs) or chosen.any()  # an empty cluster never refuses everyone


@pytest.mark.parametrize("name", POLICIES.names())
def test_round_trip_through_the_spec_file(name):
    policy = POLICIES.get(name)()
    assert policy.to_spec() == name
    assert POLICIES.get(name).from_options({}) == policy
    assert policy.summary
    assert policy.citation


def test_fcfs_stops_at_the_first_that_does_not_fit():
    chosen = np.zeros(4, dtype=np.bool_)
    POLICIES.get("fcfs")().serve(np.array([2, 3, 1, 1]), np.zeros(4, dtype=np.bool_), np.ones(4), 4, chosen)
    assert chosen.tolist() == [True, False, False, False]
