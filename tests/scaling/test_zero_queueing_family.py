"""Clusters that grow."""

import math
from fractions import Fraction
from itertools import pairwise

import pytest
from scipy.stats import norm

from msj.errors import InvalidInput
from msj.scaling.expressions import Expression
from msj.scaling.growth_exponent import growth_of
from msj.scaling.queueing_bounds import queueing_bounds
from msj.scaling.zero_queueing_family import ZeroQueueingFamily, zero_queueing_family

SET_I = ZeroQueueingFamily(needs=("3", "log2(n)", "sqrt(n)"), alpha=0.1, beta=0.25, means=(4, 2, 1))
SET_II = SET_I.replace(alpha=0.3, beta=1)


@pytest.mark.parametrize(
    ("text", "exponent", "logarithms", "estimated"),
    [
        ("3", 0, 0, False),
        ("3*n^(1/4)", Fraction(1, 4), 0, False),
        ("log2(n) + 2", 0, 1, False),
        ("n/ln(n)", 1, -1, False),
        ("n^-2", 0, 0, False),  # a need is at least 1
        ("ln(ln(n))", 0, 0, True),
        ("n^0.5 * ln(ln(n))^0", Fraction(1, 2), 0, True),
    ],
)
def test_growth(text, exponent, logarithms, estimated):
    growth = growth_of(Expression(text))
    assert (growth.exponent, growth.logarithms, growth.estimated) == (exponent, logarithms, estimated)


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
        (["1", "sqrt(n)*ln(ln(n))"], 0.25, 4, "undecided"),
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
    falling = zero_queueing_family(SET_I, [64, 256, 1024], jobs=200_000, rng=1, exact_seconds=1).points
    staying = zero_queueing_family(SET_II, [64, 256, 1024], jobs=200_000, rng=1, exact_seconds=1).points
    for before, after in pairwise(falling):
        assert after.simulated.overall.high < before.simulated.overall.low
    assert falling[-1].simulated.overall.value / falling[0].simulated.overall.value < 0.5
    assert staying[-1].simulated.overall.value / staying[0].simulated.overall.value > 0.6
    for point in (*falling, *staying):
        assert point.bounds.lower_bound < point.simulated.overall.value < point.bounds.sharper_bound
    exact = falling[0].exact.overall.value
    assert falling[0].simulated.overall.low <= exact <= falling[0].simulated.overall.high


def test_rows_have_the_same_keys():
    answer = zero_queueing_family(SET_I, [64, 2**20], simulation=False, exact_seconds=0.01)
    rows = answer.rows()
    assert rows[0].keys() == rows[1].keys()
    assert rows[1]["exact"] is None
    assert rows[1]["needs"] == "3 20 1024"


def test_same_seed_same_answer():
    one, other = (zero_queueing_family(SET_I, [64], jobs=20_000, rng=5, exact_seconds=0).rows() for _ in range(2))
    assert one == other


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
        zero_queueing_family(family, [servers])


def test_a_need_without_end_cannot_be_judged():
    with pytest.raises(InvalidInput, match="how 'exp\\(n\\)' grows"):
        _ = ZeroQueueingFamily(needs=["exp(n)"]).verdict
