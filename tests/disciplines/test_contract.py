"""Contract of every policy: never more servers than there are, never a job that does not fit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from msj import NotSupported
from msj.registry import MODELS, POLICIES
from msj.simulation.engine_of import engine_for
from msj.workloads import Streams, seed_sequence

SHARING = [name for name in POLICIES.names() if POLICIES.get(name).shares_speed]
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


def test_policies_and_models_are_told_apart_by_what_they_say():
    assert not set(POLICIES.names()) & set(MODELS.names())
    for catalogue in (POLICIES, MODELS):
        assert catalogue.names()
        for variant in catalogue:
            assert variant.kind == catalogue.kind
            assert variant.name in catalogue.names()


@pytest.mark.parametrize("name", POLICIES.names())
def test_a_policys_file_says_which_engine_really_runs(name):
    policy = POLICIES.get(name)()
    module, _, kind = policy.engine(4).by.partition(":")
    streams = Streams(root=seed_sequence(1), replication=0)
    engine = engine_for(policy, servers=4, needs=np.array([1]), streams=streams)
    assert (type(engine).__module__, type(engine).__name__) == (module, kind)
