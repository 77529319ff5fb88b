"""Sparse levels under Markovian arrivals and with jobs in some order, against dense blocks."""

from dataclasses import replace

import numpy as np
import pytest

import msj
from msj import Erlang, Exponential, JobClass, NotAccurate, NotSupported, System
from msj.analysis.dependent_response import DependentResponse
from msj.analysis.sparse_dependent import SparseDependent, sparse_dependent_at
from msj.answers.saturated import solve_saturated

SPARSE, DENSE = SparseDependent(), DependentResponse()
MAP = {"law": "map", "D0": [[-3, 1], [0.5, -1]], "D1": [[2, 0], [0.25, 0.25]]}
RENEWAL = {"law": "renewal", "gap": {"law": "erlang", "stages": 3, "mean": 1}}
ORDER = {"law": "sticky", "probability": 0.6}


def system(**changes):
    return System(
        servers=6,
        classes=[
            JobClass(name="small", need=1, share="5/7", duration=Exponential(rate=1)),
            JobClass(name="large", need=4, share="2/7", duration=Erlang(stages=2, mean=1)),
        ],
        **changes,
    )


CASES = {"map": {"arrivals": MAP}, "renewal": {"arrivals": RENEWAL}, "order": {"order": ORDER}}
CASES["both"] = {"arrivals": MAP, "order": ORDER}


@pytest.mark.parametrize("load", [0.5, 0.95])
@pytest.mark.parametrize("case", CASES)
def test_means_and_laws_are_those_of_dense_blocks(case, load):
    made = system(**CASES[case])
    rate = load * solve_saturated(made, "chain")[0].stability_threshold
    sparse, dense = (
        {(row.name, row.job_class): row.value for row in way.at_rate(made, rate, percentiles=False).rows}
        for way in (SPARSE, DENSE)
    )
    assert set(sparse) == set(dense)
    for key, value in sparse.items():
        assert value == pytest.approx(dense[key], rel=1e-10 if key[0] == "mean_response_time" else 1e-9), key
    np.testing.assert_allclose(SPARSE.jobs_law(made, rate, 60), DENSE.jobs_law(made, rate, 60), atol=1e-11)


@pytest.mark.parametrize("probability", [0.95, 0.99])
def test_an_order_that_is_remembered_for_long(probability):
    """Beyond the levels that are kept, too; so long that means per class differ by it."""
    made = system(order={"law": "sticky", "probability": probability})
    rate = 0.5 * solve_saturated(made, "chain")[0].stability_threshold
    sparse, dense = (way.at_rate(made, rate, percentiles=False).rows for way in (SPARSE, DENSE))
    known = {(row.name, row.job_class): row.value for row in dense}
    assert [row.value for row in sparse] == pytest.approx([known[row.name, row.job_class] for row in sparse], rel=1e-9)


@pytest.mark.parametrize("case", ["order", "both"])
def test_levels_beyond_those_that_are_kept_count_as_if_they_were(case):
    """The same law, levels falling by its ratio from the third on, written down to there and far beyond."""
    solved = sparse_dependent_at(system(**CASES[case]), 1.0)
    kept, ratio = solved.law.levels[:, :3], solved.law.ratio
    further = kept[:, -1:] * ratio ** np.arange(1.0, 40.0 / (1.0 - ratio))
    few, many = (
        replace(solved, law=replace(solved.law, levels=levels)) for levels in (kept, np.hstack([kept, further]))
    )
    np.testing.assert_allclose(few.mean_waiting, many.mean_waiting, rtol=1e-10)
    np.testing.assert_allclose(few.jobs_law(30), many.jobs_law(30), rtol=1e-10)
    assert few.mean_jobs_in_system == pytest.approx(many.mean_jobs_in_system, rel=1e-10)


def test_an_order_that_is_remembered_for_too_long_is_refused_in_words():
    made = system(order={"law": "sticky", "probability": 0.999})
    with pytest.raises(NotAccurate, match="remember for long what came before them; simulate this system"):
        SPARSE.at_rate(made, 0.5 * solve_saturated(made, "chain")[0].stability_threshold, percentiles=False)


def test_the_stated_error_and_littles_law():
    solved = sparse_dependent_at(system(**CASES["both"]), 1.0)
    assert solved.error < 1e-9
    assert solved.little_gap < 1e-10


def test_a_gap_of_littles_law_is_relative_to_the_largest_mean():
    """With a rate a tenth too large, lambda·p·E[S] = 11/10 of what there is in service of either class."""
    solved = sparse_dependent_at(system(**CASES["order"]), 1.0)
    wrong = replace(solved, arrival_rate=1.1)
    assert wrong.little_gap == pytest.approx(0.1 / 1.1, rel=1e-9)


def test_batches_are_refused_in_words():
    with pytest.raises(NotSupported, match="batches"):
        SPARSE.require(system(arrivals={"law": "batch", "size": {"law": "deterministic", "value": 2}}))


def test_large_clusters_take_it_by_themselves():
    classes = [
        JobClass(name=str(n), need=n, share=p, duration=Exponential(mean=m))
        for n, m, p in ((1, 2, 0.70), (8, 4, 0.27), (32, 1, 0.03))
    ]
    found = msj.analyse(System(servers=96, classes=classes, load=0.8, arrivals=MAP), percentiles=False)
    assert found.find("mean_response_time").method.startswith("sparse levels of counts")
    assert found.provenance["mean_error"] < 1e-9
