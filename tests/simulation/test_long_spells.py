"""Long jobs that hold up the rest: the variance they bring, by the law's own partial moments, and wider percentiles."""

import math

import numpy as np
import pytest
from scipy.stats import norm

import msj
from msj.simulation.long_spells import LongSpells
from msj.simulation.sketch import Sketch, first_bin

CV = 2.0


def cluster(law, need=4):
    return msj.System(servers=4, classes=[msj.JobClass(name="all", need=need, share=1, duration=law)])


def beyond(x, cv=CV):
    """E[((S − x)⁺)²] of a lognormal law with mean 1, by its partial moments."""
    variance = math.log(1 + cv**2)
    mean, spread = -variance / 2, math.sqrt(variance)
    zeroth, first, second = (
        math.exp(n * mean + (n * spread) ** 2 / 2) * norm.cdf((mean + n * variance - math.log(x)) / spread)
        for n in (0, 1, 2)
    )
    return second - 2 * x * first + x**2 * zeroth


@pytest.mark.parametrize("x", [0.1, 1.0, 5.0])
def test_it_is_the_compound_sum_of_the_law(x):
    """Rate 0.5 of 1: a job makes 0.5/(1 − 0.5) = 1 job wait for each unit of time it lasts."""
    found = LongSpells(cluster(msj.Lognormal(mean=1, cv=CV)), 0.5).at(np.array([x]))
    assert found[0] == pytest.approx(beyond(x), rel=0.06)


def test_room_for_others_and_light_tails_bring_none():
    edges = np.array([0.0, 3.0])
    assert not LongSpells(cluster(msj.Lognormal(mean=1, cv=CV), need=1), 2.0).at(edges).any()  # two servers to spare
    assert not LongSpells(cluster(msj.Exponential(mean=1)), 0.5).at(edges).any()
    assert not LongSpells(cluster(msj.Pareto(shape=1.5, minimum=1)), 0.1).at(edges).any()  # no variance at all


def test_who_takes_fewer_servers_away_makes_fewer_wait():
    """Need 3 of 4 at rate 0.5: the threshold is 4/3, so a = (3/4)·0.5/(1 − 0.375) = 0.6, where need 4 has 1."""
    whole, most = (LongSpells(cluster(msj.Lognormal(mean=1, cv=CV), need), 0.5) for need in (4, 3))
    edges = np.array([1.0])
    assert most.at(edges) == pytest.approx(whole.at(edges) * 0.6**2)
    assert most.fourth == pytest.approx(whole.fourth * 0.6**4)
    assert whole.fourth == pytest.approx((1 + CV**2) ** 6)


def test_where_batches_have_seen_too_few_long_jobs_theory_widens_percentiles(monkeypatch):
    system = cluster(msj.Lognormal(mean=1, cv=3)).replace(utilisation=0.6)

    def width(variance):
        monkeypatch.setattr(LongSpells, "at", lambda self, edges: np.full(len(edges), variance))
        row = msj.simulate(system, jobs=300_000, seed=3, controls=False).row("waiting_time_percentile", None, 95.0)
        return row.high - row.low

    assert width(0.0) < width(100.0) < width(400.0)


def test_classes_of_one_law_differ_by_their_means():
    """All four servers, means 1/2 and 2 in equal shares, rate 0.4: a = 0.4/(1 − 0.5), S = mean · S of mean 1."""
    classes = [
        msj.JobClass(name=str(mean), need=4, share="1/2", duration=msj.Lognormal(mean=mean, cv=CV))
        for mean in ("1/2", 2)
    ]
    spells = LongSpells(msj.System(servers=4, classes=classes), 0.4)
    for x in (0.1, 1.0, 5.0):
        wanted = sum(0.8**2 * mean**2 * beyond(x / mean) / 2 for mean in (0.5, 2.0))
        assert spells.at(np.array([x]))[0] == pytest.approx(wanted, rel=0.06)
    scale = Sketch.of(first_bin(1.0), np.zeros(0, dtype=np.int64))
    bins = np.array([0, 1, 3000, 4000])
    assert spells.in_bins(scale.lowest)[bins] == pytest.approx(spells.at(scale.edges(bins + 1)), rel=1e-12)
