"""Sparse levels against dense blocks, against formulas, and what they say where they give no answer."""

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from test_exact_response import erlang_c

import msj
from msj import (
    Coxian,
    Deterministic,
    Erlang,
    Exponential,
    JobClass,
    NotAccurate,
    NotSupported,
    System,
    TooLarge,
    Unstable,
)
from msj.analysis.exact_response import ExactResponse
from msj.analysis.percentile_row import PERCENTILES
from msj.analysis.sparse_response import SparseResponse, open_sparse_at
from msj.answers.saturated import solve_saturated
from msj.fronts.fcfs_waiting import waiting_model
from msj.markov import linear_solver
from msj.markov.linear_solver import DROP_TOLERANCES, IterativeSolver
from msj.markov.sparse_level_mode import crossing
from strategies import simple, systems

SPARSE, DENSE = SparseResponse(), ExactResponse()
MIXED = System(
    servers=11,
    classes=[
        JobClass(name="a", need=1, share="1/2", duration=Exponential(rate="1/2")),
        JobClass(name="b", need=3, share="3/10", duration=Erlang(stages=2, mean=1)),
        JobClass(name="c", need=7, share="1/5", duration=Coxian(rates=[2, 1], continues=["1/3"])),
    ],
)


def threshold(system):
    return solve_saturated(system, "chain")[0].stability_threshold


def rows(found):
    return {(row.name, row.job_class, row.level): row.value for row in found.rows}


@settings(max_examples=15, deadline=None, phases=[Phase.explicit, Phase.generate])
@given(systems(most_servers=6), st.sampled_from([0.3, 0.7, 0.9, 0.98]))
def test_means_and_laws_of_random_systems_are_those_of_the_dense_solver(system, load):
    rate = load * threshold(system)
    found, expected = SPARSE.at_rate(system, rate, percentiles=False), DENSE.at_rate(system, rate, percentiles=False)
    sparse, dense = rows(found), rows(expected)
    assert set(dense) - {("tail_decay_rate", None, None)} <= set(sparse)
    assert sparse["mean_response_time", None, None] == pytest.approx(dense["mean_response_time", None, None], rel=1e-10)
    for key, value in sparse.items():
        assert value == pytest.approx(dense[key], rel=1e-9, abs=1e-12), key
    law = SPARSE.jobs_law(system, rate, 200)
    np.testing.assert_allclose(law, DENSE.jobs_law(system, rate, 200), atol=1e-11)


@pytest.mark.parametrize("load", [0.2, 0.5, 0.9, 0.99, 0.999])
def test_the_stated_error_covers_the_difference_to_the_dense_solver(load):
    rate = load * threshold(MIXED)
    found, expected = SPARSE.at_rate(MIXED, rate, percentiles=False), DENSE.at_rate(MIXED, rate, percentiles=False)
    sparse, dense = (rows(answer)["mean_response_time", None, None] for answer in (found, expected))
    # What remains of the dense solver's own rounding grows towards saturation.
    assert abs(sparse / dense - 1.0) <= found.facts["mean_error"] + 1e-14 / (1.0 - load)
    assert abs(sparse / dense - 1.0) <= (1e-10 if load < 0.995 else 1e-9)
    assert found.facts["mean_error"] <= (1e-9 if load < 0.995 else 1e-8)
    assert found.facts["little_gap"] <= 1e-10


@pytest.mark.parametrize("load", [0.5, 0.9])
def test_percentiles_are_those_of_the_dense_solver(load):
    rate = load * threshold(MIXED)
    sparse, dense = (rows(way.at_rate(MIXED, rate, percentiles=True)) for way in (SPARSE, DENSE))
    assert sum(level is not None for _, _, level in sparse) == 2 * 4 * len(PERCENTILES)
    for key, value in sparse.items():  # transforms are inverted to 1e-9 of the probability, not of the time
        assert value == pytest.approx(dense[key], rel=1e-7, abs=1e-8), key


@pytest.mark.parametrize(("servers", "load"), [(1, 0.5), (7, 0.9), (40, 0.8), (40, 0.999)])
def test_needs_of_one_are_erlang_c(servers, load):
    rate = load * servers * 0.5
    found = rows(SPARSE.at_rate(simple(servers, (1, 0.5, 1)), rate, percentiles=False))
    waits = erlang_c(servers, rate / 0.5)
    assert found["waiting_probability", None, None] == pytest.approx(waits, rel=1e-10)
    assert found["mean_waiting_time", None, None] == pytest.approx(waits / (servers * 0.5 - rate), rel=1e-10)
    if load >= 0.8:  # far levels of smaller loads are too light to tell
        assert found["tail_decay_rate", None, None] == pytest.approx(load, rel=1e-10)


def test_the_law_of_the_number_of_jobs_goes_on_beyond_the_cut():
    solved = open_sparse_at(MIXED, 0.98 * threshold(MIXED))
    law = solved.jobs_law(solved.law.cut + 4000)
    assert law.sum() == pytest.approx(1.0, abs=1e-10)
    assert law @ np.arange(len(law)) == pytest.approx(solved.mean_jobs_in_system, rel=1e-9)


def test_dense_blocks_below_and_sparse_levels_above():
    def cheaper(servers):
        system = simple(servers, (1, 1, "7/10"), (4, "1/2", "2/10"), (16, "1/4", "1/10"))
        return min((SPARSE, DENSE), key=lambda way: way.cost(system).operations)

    assert cheaper(32) is DENSE
    assert cheaper(128) is SPARSE


def test_analyse_takes_sparse_levels_by_itself():
    system = simple(96, (1, 1, "7/10"), (4, "1/2", "2/10"), (16, "1/4", "1/10"), load=0.9)
    found = msj.analyse(system, percentiles=False)
    row = found.find("mean_response_time")
    assert (row.kind, row.method) == ("exact", "sparse levels")
    assert found.provenance["mean_error"] < 1e-9


def test_what_does_not_fit_is_refused_with_its_size():
    with pytest.raises(TooLarge, match=r"states and levels of 69, .* GB or more"):
        open_sparse_at(MIXED, 1.0, memory_limit=1e5)
    huge = simple(10**5, (1, 1, "7/10"), (4, "1/2", "2/10"), (16, "1/4", "1/10"))
    assert SPARSE.cost(huge).operations == np.inf


def test_a_rate_at_the_threshold_is_refused():
    with pytest.raises(Unstable, match="not below the stability threshold"):
        open_sparse_at(MIXED, 1.001 * threshold(MIXED))


def test_waits_too_rare_to_be_told_are_refused():
    with pytest.raises(NotAccurate, match="hardly wait"):
        open_sparse_at(simple(60, (1, 1, "9/10"), (2, 1, "1/10")), 2.0)


def test_dense_blocks_answer_where_waits_are_that_rare():
    system = simple(40, (1, 0.5, 1))
    found = rows(SPARSE.at_rate(system, 0.2, percentiles=False))
    assert found["waiting_probability", None, None] == pytest.approx(erlang_c(40, 0.4), rel=1e-9, abs=0)


def test_durations_that_are_not_phase_type_are_refused():
    system = System(servers=2, classes=[JobClass(name="a", need=1, share=1, duration=Deterministic(value=1))])
    with pytest.raises(NotSupported, match="not phase type"):
        open_sparse_at(system, 0.5)


def test_a_ratio_that_is_too_low_is_given_up_and_not_insisted_on(monkeypatch):
    # Factors made finer for a matrix that is no M-matrix fill up: minutes where the answer takes seconds.
    tried = []
    factor = IterativeSolver._factor

    def noted(self, drop_tolerance):
        tried.append(drop_tolerance)
        factor(self, drop_tolerance)

    monkeypatch.setattr(linear_solver, "DIRECT_UP_TO", 0)
    monkeypatch.setattr(IterativeSolver, "_factor", noted)
    process = waiting_model(simple(12, (1, 1, "1/2"), (3, "1/2", "1/4"), (5, 2, "1/4"))).at(2.5)
    assert crossing(process, 0.7, 0) == (None, None)
    assert crossing(process, 0.8, 0)[0] > 0
    assert tried == [DROP_TOLERANCES[0]] * 2
