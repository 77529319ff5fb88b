"""No method answers for other arrivals, or jobs in some order, what holds for Poisson arrivals of independent jobs."""

from dataclasses import dataclass
from typing import ClassVar

import pytest

import msj
from msj import NotSupported
from msj.analysis.base import Analysis, BoundAnalysis, LimitAnalysis, ResponseAnalysis, SaturatedAnalysis
from msj.fronts.fcfs_simplified import simplified_chain
from msj.fronts.front_of import front_of
from msj.fronts.ordered import ordered_chain
from msj.growth.fluid import fluid_model
from msj.growth.queueing_bounds import queueing_bounds
from msj.growth.waste_limit import limiting_waste
from msj.model.assumptions import assumed, why_not_plain
from msj.model.spec_file import from_document
from msj.registry import ANALYSES
from msj.simulation.controls import why_no_controls

BURSTS = {"arrivals": {"law": "mmpp", "rates": [4, 0], "switching": [[0, 0.1], [0.1, 0]]}}
ALIKE = {"order": {"law": "sticky", "probability": 0.8}}
TOLD = {
    "arrivals": {
        "law": "map",
        "D0": [[-3, 1], [1, -3]],
        "D1": {"small": [[2, 0], [0, 0]], "large": [[0, 0], [0, 2]]},
    }
}
DAILY = {"arrivals": {"law": "daily", "rates": [1, 9], "cycle": 24}}
OTHER = {"bursts": BURSTS, "alike": ALIKE, "told": TOLD, "daily": DAILY}
POLICIES = ("fcfs", "server-filling", {"name": "first-fit", "window": 2}, "most-servers-first", "max-weight")
DECLARED = {  # what depends on neither, or knows about it; a new analysis that says so belongs here and into a test
    "attainable-threshold": (False, False),
    "saturated-chain": (False, False),
    "dependent-response": (False, False),
    "dependent-fronts": (False, True),
    "sparse-dependent-response": (False, False),
}


def cluster(policy="fcfs", *, means=(1, 2), **more):
    classes = [
        {"name": name, "need": need, "share": 0.5, "duration": {"law": "exponential", "mean": mean}}
        for name, need, mean in zip(("small", "large"), (1, 4), means, strict=True)
    ]
    return from_document({"servers": 4, "policy": policy, "arrival_rate": 0.3, "classes": classes, **more})


def test_only_the_analyses_that_are_known_to_may_do_without_poisson_or_independence():
    for analysis in ANALYSES:
        usual = (not issubclass(analysis, (SaturatedAnalysis, LimitAnalysis)), True)
        found = (analysis.needs_poisson, analysis.needs_independence)
        assert found == DECLARED.get(analysis.name, usual), analysis.name


@pytest.mark.parametrize("other", OTHER)
@pytest.mark.parametrize("policy", POLICIES, ids=str)
@pytest.mark.parametrize("name", ANALYSES.names())
def test_an_analysis_refuses_or_has_another_answer(name, policy, other):
    """Where the law of arrivals or the order matters: these are far from Poisson, and waits are another number."""
    analysis: Analysis = ANALYSES.get(name)()
    plain = cluster(policy)
    system = cluster(policy, **OTHER[other])
    if analysis.supports(system) is not None:
        assert analysis.supports(system)
        return
    if isinstance(analysis, LimitAnalysis):
        return  # shares only
    base = [a for a in (variant() for variant in ANALYSES) if a.supports(plain) is None]
    if isinstance(analysis, SaturatedAnalysis):
        now = analysis.saturate(system).stability_threshold
        before = next(a for a in base if isinstance(a, SaturatedAnalysis)).saturate(plain).stability_threshold
        assert (abs(now / before - 1) > 0.05) == (other in ("alike", "told"))
        return
    assert isinstance(analysis, (ResponseAnalysis, BoundAnalysis))
    assert isinstance(analysis, ResponseAnalysis)  # no bound knows of other arrivals
    known = {
        r.name: r.value
        for r in next(a for a in base if isinstance(a, ResponseAnalysis)).at_rate(plain, 0.3, percentiles=False).rows
        if r.job_class is None
    }
    for row in analysis.at_rate(system, 0.3, percentiles=False).rows:
        if row.job_class is None and row.name in ("mean_response_time", "waiting_probability"):
            assert abs(row.value / known[row.name] - 1) > 0.01, row.name


@pytest.mark.parametrize("other", OTHER)
def test_whoever_does_not_go_through_an_analysis_refuses_too(other):
    system = cluster(**OTHER[other])
    in_order = other in ("alike", "told")
    for ask in (queueing_bounds, fluid_model):
        with pytest.raises(NotSupported, match=r"needs Poisson arrivals|needs independent jobs"):
            ask(system)
    for ask in (limiting_waste, front_of, simplified_chain, ordered_chain):
        if in_order:
            with pytest.raises(NotSupported, match="needs independent jobs"):
                ask(system if ask is not front_of else system.replace(policy="server-filling"))
    assert "known for Poisson arrivals of independent jobs only" in why_no_controls(system)
    assert why_not_plain(system)


@pytest.mark.parametrize("other", OTHER)
@pytest.mark.parametrize("policy", POLICIES, ids=str)
def test_an_answer_has_no_row_that_holds_for_poisson_arrivals_only(policy, other):
    system = cluster(policy, **OTHER[other])
    rows = msj.analyse(system, percentiles=False)
    names = {row.name for row in rows}
    assert names.isdisjoint({"lower_bound", "upper_bound", "heavy_traffic_limit", "limiting_wasted_servers"})
    assert not any("bound" in row.name for row in rows)
    if other in ("told", "daily"):
        assert names.isdisjoint({"predicted_mean_response_time", "mean_response_time", "waiting_probability"})


@dataclass(frozen=True)
class Careless(ResponseAnalysis):
    """An analysis that asks nothing of the system."""

    name: ClassVar[str] = "careless"
    summary: ClassVar[str] = ""
    citation: ClassVar[str] = ""

    def supports(self, system):
        return None

    def at_rate(self, system, rate, *, percentiles):
        raise AssertionError


def test_an_analysis_that_forgets_to_ask_is_not_asked_about_other_arrivals():
    assert Careless().supports(cluster()) is None
    assert "needs Poisson arrivals" in Careless().supports(cluster(**BURSTS))
    assert "needs independent jobs" in Careless().supports(cluster(**ALIKE))


def test_the_saturated_system_does_not_care_when_jobs_come():
    plain = cluster(load=None, utilisation=0.5, arrival_rate=None)
    for law in (BURSTS, DAILY):
        other = plain.replace(**law)
        assert msj.analyse(other)["stability_threshold"] == msj.analyse(plain)["stability_threshold"]
        assert msj.analyse(other)["wasted_servers"] == msj.analyse(plain)["wasted_servers"]


def test_what_is_assumed_names_the_law():
    assert assumed(cluster()) == "Poisson arrivals, independent jobs"
    assert "MMPP of 2 states" in assumed(cluster(**BURSTS))
    assert "sticky order" in assumed(cluster(**ALIKE))
    assert assumed(cluster(**TOLD)) == "Markovian arrivals (MAP of 2 phases) that say who comes"
