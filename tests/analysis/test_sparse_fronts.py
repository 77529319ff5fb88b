"""Sparse levels by the jobs behind a front against dense blocks, and what is chosen where."""

from dataclasses import replace

import numpy as np
import pytest

from msj import Erlang, Exponential, JobClass, System, Unstable, analyse, read
from msj.analysis.finite_skip_chain import FiniteSkipChain, number_of_fronts
from msj.analysis.finite_skip_response import FiniteSkipResponse
from msj.analysis.sparse_fronts import SparseFronts, sparse_fronts_at

SPARSE, DENSE = SparseFronts(), FiniteSkipResponse()
SMALL = JobClass(name="small", need=1, share="1/2", duration=Exponential(rate="1/2"))
LARGE = JobClass(name="large", need=4, share="1/2", duration=Erlang(stages=2, mean=1.5))


MIDDLE = JobClass(name="middle", need=3, share="1/4", duration=Exponential(rate=1))


def filling(policy="server-filling"):
    return System(servers=4, classes=[SMALL, LARGE], policy=policy)


def many_fronts():
    large = JobClass(name="large", need=8, share="1/4", duration=Exponential(rate=1))
    return System(servers=12, classes=[SMALL, MIDDLE, large], policy={"name": "first-fit", "window": 4})


def threshold(system):
    return FiniteSkipChain().saturate(system).stability_threshold


MODELS = ("set_up", "stages", "preemption_cost", "server_groups", "fork_join")
SYSTEMS = {
    "filling": filling,
    "first-fit": lambda: filling(policy={"name": "first-fit", "window": 3}),
    **{name: (lambda name=name: read(f"examples/models/{name}.toml")) for name in MODELS},
}


@pytest.mark.parametrize("load", [0.5, 0.95])
@pytest.mark.parametrize("name", SYSTEMS)
def test_means_and_laws_are_those_of_dense_blocks(name, load):
    system = SYSTEMS[name]()
    rate = load * threshold(system)
    sparse, dense = (
        {(row.name, row.job_class): row.value for row in way.at_rate(system, rate, percentiles=False).rows}
        for way in (SPARSE, DENSE)
    )
    assert ("mean_response_time", None) in sparse
    for key, value in sparse.items():
        assert value == pytest.approx(dense[key], rel=1e-10 if key[0] == "mean_response_time" else 1e-9, abs=1e-11), key
    np.testing.assert_allclose(SPARSE.jobs_law(system, rate, 40), DENSE.jobs_law(system, rate, 40), atol=1e-11)


def test_levels_beyond_those_that_are_kept_fall_by_the_ratio(monkeypatch):
    """The same law, levels falling by its ratio from the third on, written down to there and far beyond."""
    system = filling()
    law = sparse_fronts_at(system, 0.5 * threshold(system))
    kept = law.levels[:, :3]
    further = kept[:, -1:] * law.ratio ** np.arange(1.0, 60.0)
    laws = []
    for levels in (kept, np.hstack([kept, further])):
        cut = replace(law, levels=levels)
        monkeypatch.setattr("msj.analysis.sparse_fronts.sparse_fronts_at", lambda *_, cut=cut: cut)
        laws.append(SPARSE.jobs_law(system, 0.5, 40))
    np.testing.assert_allclose(*laws, rtol=1e-12)


def test_many_fronts_are_solved_and_few_left_to_dense_blocks(monkeypatch):
    """Beyond 2,000 it takes long; with the limit at 500, 760 do."""
    for module in ("finite_skip_response", "sparse_fronts"):
        monkeypatch.setattr(f"msj.analysis.{module}.MOST_PHASES", 500)
    few, many = filling(), many_fronts()
    assert number_of_fronts(few) < 500 < number_of_fronts(many)
    assert SPARSE.cost(few).operations == np.inf > DENSE.cost(few).operations
    assert DENSE.cost(many).operations == np.inf > SPARSE.cost(many).operations
    found = analyse(many.replace(load=0.8), percentiles=False)
    assert found.find("mean_response_time").method == "sparse levels of the front"
    assert found.provenance["mean_error"] < 1e-9


def test_a_rate_at_the_threshold_is_refused():
    with pytest.raises(Unstable, match="not below the stability threshold"):
        sparse_fronts_at(filling(), 1.01 * threshold(filling()))


@pytest.mark.parametrize("way", [SPARSE, DENSE])
def test_a_class_that_never_arrives_has_no_rows_and_changes_none(way):
    never = JobClass(name="never", need=1, share=0, duration=Exponential(mean=1))
    system = filling()
    rate = 0.5 * threshold(system)
    rows, expected = (
        {(row.name, row.job_class): row.value for row in way.at_rate(each, rate, percentiles=False).rows}
        for each in (system.replace(classes=[*system.classes, never]), system)
    )
    assert rows == pytest.approx(expected, rel=1e-9)
