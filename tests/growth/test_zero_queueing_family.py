"""Clusters that grow."""

import math
from itertools import pairwise

import pytest
from scipy.stats import norm

from msj.errors import Failure, InvalidInput
from msj.growth.queueing_bounds import queueing_bounds
from msj.growth.zero_queueing_family import ZeroQueueingFamily, family_points
from msj.growth.zero_queueing_growth import zero_queueing_family
from msj.results import Result

SET_I = ZeroQueueingFamily(needs=("3", "log2(n)", "sqrt(n)"), alpha=0.1, beta=0.25, means=(4, 2, 1))
SET_II = SET_I.replace(alpha=0.3, beta=1)
NEEDS = ("3", "log2(n)", "sqrt(n)")


@pytest.mark.parametrize(
    ("needs", "alpha", "region", "verdict"),
    [
        (["3", "5"], 0, 1, "vanishes"),
        (["3", "n^0.9"], 0, 2, "vanishes"),
        (["n/2"], 0, 2, "stays"),
        (["n/ln(n)"], 0, 2, "vanishes"),  # on the border, but m_max = o(n)
        (["1"], 0.49, 3, "vanishes"),
        (["1"], 0.5, 3, "stays"),
        (["1", "sqrt(n)"], 0.1, 4, "vanishes"),
        (["1", "sqrt(n)"], 0.25, 4, "stays"),
        (["1", "sqrt(n)*ln(n)"], 0.25, 4, "stays"),
        (["1", "sqrt(n)/ln(n)"], 0.25, 4, "vanishes"),
        (["1", "sqrt(n)*ln(ln(n))"], 0.25, 4, "stays"),
        (["1", "sqrt(n)/ln(ln(n))"], 0.25, 4, "vanishes"),  # more slowly than by any power of ln n
        (["1", "n^(1/pi)"], 0.340845, 4, "vanishes"),  # 1/pi = 0.3183098
        (["1", "n^(1/pi)"], 0.340846, 4, "stays"),
        (["1", "n%7 + 1"], 0.25, 3, "vanishes"),
        (["1 + n/2 + (n%2)*n/2"], 0, 2, "undecided"),  # n/2 or n: nobody looks closer
        (["ln(ln(n)) + 1"], 0.1, 3, "vanishes"),
    ],
)
def test_regions_and_verdicts(needs, alpha, region, verdict):
    family = ZeroQueueingFamily(needs=needs, alpha=alpha)
    assert (family.region, family.verdict) == (region, verdict)
    assert family.in_words().startswith(f"Region {region}:")


def test_the_sets_of_the_paper():
    # Table 3 of the paper.
    needs = [tuple(c.need for c in SET_I.system_at(2**k).classes) for k in range(6, 17, 2)]
    assert needs == [(3, 6, 8), (3, 8, 16), (3, 10, 32), (3, 12, 64), (3, 14, 128), (3, 16, 256)]
    assert [round(SET_I.utilisation_at(2**k), 4) for k in (8, 12, 16)] == [0.8564, 0.8912, 0.9175]
    assert [round(SET_II.utilisation_at(2**k), 4) for k in (6, 12, 16)] == [0.7128, 0.9175, 0.9641]
    assert (SET_I.verdict, SET_II.verdict) == ("vanishes", "stays")


@pytest.mark.parametrize("shares_of", ["load", "arrivals"])
def test_equal_shares_of_what(shares_of):
    system = SET_I.replace(shares_of=shares_of).system_at(256)
    parts = [float(c.share) * (c.work if shares_of == "load" else 1) for c in system.classes]
    assert parts == pytest.approx([parts[0]] * 3)
    assert system.utilisation == pytest.approx(SET_I.utilisation_at(256))


def test_lower_bound_follows_the_central_limit():
    # 2·alpha + gamma > 1: the lower bound of class 3 tends to Phi(−gap/deviation), and that to 1/2.
    family = SET_II
    found = []
    for n in (2**12, 2**18):
        system = family.system_at(n)
        bounds = queueing_bounds(system)
        share = bounds.utilisation / 3
        deviation = math.sqrt(n * share * sum(c.need for c in system.classes))
        largest = system.classes[2].need
        limit = norm.cdf(-(n - largest - n * bounds.utilisation) / deviation)
        # Sums of few large jobs are skewed: what is left of the skewness is below 3 %.
        assert list(bounds.lower_bound_by_class.values())[2] == pytest.approx(limit, abs=0.03)
        found.append(bounds.lower_bound)
    assert found[0] < found[1] < 0.5


def test_waiting_falls_in_set_I_and_not_in_set_II():
    # The largest sizes are for verification/; differences here are many standard errors.
    falling = family_points(SET_I, [64, 256, 1024], jobs=200_000, rng=1, exact_seconds=1)
    staying = family_points(SET_II, [64, 256, 1024], jobs=200_000, rng=1, exact_seconds=1)
    for before, after in pairwise(falling):
        assert after.waiting.simulated[0].high < before.waiting.simulated[0].low
    assert falling[-1].waiting.simulated[0].value / falling[0].waiting.simulated[0].value < 0.5
    assert staying[-1].waiting.simulated[0].value / staying[0].waiting.simulated[0].value > 0.6
    for point in (*falling, *staying):
        assert point.bounds.lower_bound < point.waiting.simulated[0].value < point.bounds.sharper_bound
    exact = falling[0].waiting.exact[0].value
    assert falling[0].waiting.simulated[0].low <= exact <= falling[0].waiting.simulated[0].high


def test_the_result_has_what_the_points_have():
    points = family_points(SET_I, [64, 1024], rng=5, jobs=200_000, exact_seconds=1)
    found = zero_queueing_family(
        NEEDS, [64, 1024, 64], alpha=0.1, means=[4, 2, 1], seed=5, jobs=200_000, exact_seconds=1
    )
    assert found.places("servers") == [64, 1024]
    for point in points:
        here = found.at(servers=point.servers)
        assert here["offered_utilisation"] == point.bounds.utilisation
        assert here["waiting_probability_bound"] == point.bounds.bound
        assert here["waiting_probability_sharper_bound"] == point.bounds.sharper_bound
        assert here["waiting_probability_lower_bound"] == point.bounds.lower_bound
        assert tuple(here["need", name] for name in NEEDS) == point.needs
        known = (*point.waiting.exact, *point.waiting.simulated)
        assert ("waiting_probability" in here) is bool(point.waiting.exact)
        assert {row.job_class for row in known} == {None, *NEEDS}
        for row in known:
            assert here.row(row.name, row.job_class) == row.put(servers=point.servers)
    assert points[1].waiting.exact == ()
    assert points[1].needs == (3, 10, 32)
    facts = found.provenance
    assert (facts["region"], facts["verdict"], facts["gamma"], facts["two_alpha_plus_gamma"]) == (
        4, "vanishes", 0.5, 0.7,
    )  # fmt: skip
    assert found.notes[0] == SET_I.in_words()
    assert "A bound above 1 says nothing." in found.notes
    assert Result.from_dict(found.to_dict()).quantities == found.quantities


def test_one_class_is_all_jobs():
    found = zero_queueing_family(["2"], [40], simulation=False)
    assert [row.job_class for row in found if row.name.startswith("waiting")] == [None] * 5
    assert found["need", "2"] == 2


def test_where_there_is_no_bound_and_no_steady_state_it_is_said():
    found = zero_queueing_family(["n//2+1"], [8, 16], simulation=False)  # one job at a time: lambda* = 1
    assert {(gap.name, gap.failure, gap.at["servers"]) for gap in found.missing} == {
        (name, failure, servers)
        for name, failure in (
            ("waiting_probability_bound", Failure.NOT_SUPPORTED),
            ("waiting_probability", Failure.UNSTABLE),
        )
        for servers in (8, 16)
    }
    assert "waiting_probability" not in found


def test_same_seed_same_answer():
    one, other = (
        zero_queueing_family(NEEDS, [64], alpha=0.1, jobs=20_000, seed=5, exact_seconds=0).quantities for _ in range(2)
    )
    assert one == other


def test_progress_names_the_size():
    seen = []
    zero_queueing_family(NEEDS, [64, 256], alpha=0.1, jobs=20_000, seed=5, exact_seconds=0, progress=seen.append)
    assert {now.words.partition(":")[0] for now in seen} == {"64 servers", "256 servers"}
    assert [now.done for now in seen if not now.notice] == sorted(now.done for now in seen if not now.notice)


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"needs": "3"}, "list of expressions"),
        ({"needs": []}, "list of expressions"),
        ({"needs": ["3", "hello"]}, "'hello'"),
        ({"needs": ["3"], "alpha": -0.1}, "alpha = -0.1"),
        ({"needs": ["3"], "alpha": 0, "beta": 1}, "leaves no load"),
        ({"needs": ["3"], "beta": 0}, "beta = 0"),
        ({"needs": ["3", "4"], "means": (1,)}, r"means and needs differ in length \(1 and 2\)"),
        ({"needs": ["3", "4"], "shares": (1, -1)}, r"shares\[1\]"),
        ({"needs": ["3"], "shares_of": "cake"}, "'load' or 'arrivals'"),
    ],
)
def test_bad_families(fields, text):
    with pytest.raises(InvalidInput, match=text):
        ZeroQueueingFamily(**fields)
    with pytest.raises(InvalidInput, match=text):
        zero_queueing_family(servers=[64], **fields)


@pytest.mark.parametrize(
    ("family", "servers", "text"),
    [
        (SET_I.replace(needs=("3", "2*n", "1")), 64, "is 128 at n = 64, more than there are servers"),
        (SET_I.replace(beta=3), 64, "the load 1 − beta·n\\^-alpha is"),
        (SET_I.replace(needs=("3", "n - 64", "1")), 64, "must be positive"),
        (SET_I, 0, "servers = 0"),
    ],
)
def test_bad_sizes(family, servers, text):
    with pytest.raises(InvalidInput, match=text):
        family_points(family, [servers])


def test_a_need_without_end_cannot_be_judged():
    with pytest.raises(InvalidInput, match="how 'exp\\(n\\)' grows"):
        _ = ZeroQueueingFamily(needs=["exp(n)"]).gamma
    with pytest.raises(InvalidInput, match="how 'exp\\(n\\)' grows"):
        zero_queueing_family(["exp(n)"], [2])
    with pytest.raises(InvalidInput, match="no numbers of servers"):
        zero_queueing_family(["3"], [])
