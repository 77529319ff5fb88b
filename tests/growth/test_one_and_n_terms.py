"""E[Delta(Y_d)] term by term, the worst share, and two needs that grow, against sums, chains and the paper's items."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import msj
from msj.closed_forms.load_focused import Regime
from msj.closed_forms.one_and_n import one_and_n
from msj.closed_forms.one_and_n_terms import completions_terms, promised_terms, worst_share
from strategies import simple


def plain_terms(n, p, small, large):
    """The five terms by their definition, with mu from the chain."""
    mu = one_and_n(servers=n, share_large=p, rate_small=small, rate_large=large).stability_threshold
    m, q, i = mu / small, 1 - p, np.arange(1.0, n)
    harmonic = np.cumsum(1 / i)
    return (
        q**n * (1 - m / n) * (n - 1 + 1 / p - m * harmonic[-1] - m / (n * p)),
        p * (q**i @ i),
        -m * p * (q**i).sum(),
        -m * p * (q**i @ harmonic),
        m**2 * p * (q**i @ (harmonic / i)),
    )


@settings(max_examples=30)
@given(st.integers(2, 400), st.floats(0.001, 0.9), st.sampled_from([0.2, 1.0, 5.0]))
def test_the_terms_are_their_definition_and_sum_to_the_completions(n, p, rate):
    system = one_and_n(servers=n, share_large=p, rate_small=1.0, rate_large=rate)
    terms = completions_terms(system)
    scale = max(map(abs, terms))
    assert terms == pytest.approx(plain_terms(n, p, 1.0, rate), abs=1e-7 * scale)
    assert sum(terms) == pytest.approx(system.relative_completions_at_departure, abs=1e-9 * scale)


@pytest.mark.parametrize(("rates", "ratio"), [((1, 1), 1.04), ((10, 1), 16.9), ((1, 10), 0.098)])
def test_item_1_of_theorem_8_1_has_no_eulers_constant(rates, ratio):
    # By another program: at a million servers and alpha = 2, over n^(2−alpha) ln n; the paper .42, 9.4, −.48.
    n = 10**6
    first = completions_terms(one_and_n(servers=n, share_large=n**-2.0, rate_small=rates[0], rate_large=rates[1]))[0]
    assert first / math.log(n) == pytest.approx(ratio, rel=0.01)
    promised = promised_terms(n, n**-2.0, rates[0] / rates[1], Regime.ONE_SERVER)
    assert promised["corrected"][0] == pytest.approx(rates[0] / rates[1] * math.log(n))
    assert promised["paper"][0] == pytest.approx((rates[0] / rates[1] - np.euler_gamma) * math.log(n))


@pytest.mark.parametrize(
    ("share", "regime"), [("3/n", Regime.BALANCED), ("n^-0.5", Regime.N_SERVER), ("n^-2", Regime.ONE_SERVER)]
)
def test_the_items_are_approached_as_the_cluster_grows(share, regime):
    apart = []
    for n in (10**4, 10**12):
        found = msj.one_and_n_scaling(share, [n], terms=True)
        assert found.provenance["regime"] == regime.value
        place = found.at(servers=n)
        exact = {row.name: row.value for row in place if row.kind == "exact"}
        form = "corrected" if regime is Regime.ONE_SERVER else "paper"
        said = {row.name: row.value for row in place if row.kind == "asymptotic" and row.at["form"] == form}
        largest = abs(exact["relative_completions_at_departure"])
        apart.append(
            max(abs(exact[f"completions_term_{i}"] - said[f"completions_term_{i}"]) / largest for i in (1, 4, 5))
        )
        limit = 0.0 if regime is Regime.ONE_SERVER else 0.5
        (scaled,) = [row.value for row in place if row.name == "scaled_completions" and row.kind == "asymptotic"]
        assert scaled == limit
    assert apart[1] < 0.6 * apart[0]  # like 1/ln n: a third


@pytest.mark.parametrize(
    ("share", "of_terms", "of_the_limit"),
    [
        ("n^-0.5", "Theorem 6.1", "Theorem 6.1"),
        ("1/n", "Theorem 7.1", "Theorem 7.1"),
        ("1/(n*ln(n)^2)", "Theorem 8.1", "Lemma 8.2"),
    ],
)
def test_where_a_limit_is_from(share, of_terms, of_the_limit):
    rows = [row for row in msj.one_and_n_scaling(share, [100], terms=True) if row.kind == "asymptotic"]
    said = {row.name: row.citation for row in rows if row.name.startswith(("completions_term", "scaled"))}
    assert said.pop("scaled_completions") == f"lfms, {of_the_limit}"
    assert set(said.values()) == {f"lfms, {of_terms}"}


def test_lemma_8_2_completions_fall_behind_the_inverse_share_below_the_border():
    scaled = [msj.one_and_n_scaling("1/(n*ln(n)^2)", [n], terms=True) for n in (10**3, 10**6, 10**12)]
    values = [next(row.value for row in each if row.name == "scaled_completions") for each in scaled]
    assert values == sorted(values, reverse=True)
    assert values[-1] < 0.01


def test_the_worst_share_is_on_the_border_and_not_in_the_balanced_regime():
    # By another program: 2.38e8 against 4.37e7 at 10^8.
    found = worst_share(servers=10**8, rate_small=1.0, rate_large=1.0)
    assert found.completions == pytest.approx(2.38e8, rel=0.005)
    assert found.balanced_completions == pytest.approx(4.37e7, rel=0.005)
    assert found.share_large == pytest.approx(found.border_share, rel=0.05)
    assert found.completions == pytest.approx(found.border_completions, rel=0.05)
    result = msj.one_and_n_worst([100])
    assert "Not the balanced regime is the worst" in result.notes[0]
    rated = msj.one_and_n_worst([100], rate_small=1.0, rate_large=1.0)
    assert result.quantities == rated.quantities  # where nothing is said of them, rates are 1
    assert {key: result.provenance[key] for key in ("rate_small", "rate_large")} == {"rate_small": 1, "rate_large": 1}


@pytest.mark.parametrize("servers", [2, 5, 30])
@pytest.mark.parametrize("rate_large", [1e-3, 0.3, 1.0, 4.0, 100.0, 1e4])
def test_no_other_share_is_worse(servers, rate_large):
    found = worst_share(servers=servers, rate_small=1.0, rate_large=rate_large)
    rare = np.geomspace(1e-8, 0.5, 200)
    for p, q in [*zip(rare, 1 - rare, strict=True), *zip(1 - rare, rare, strict=True)]:
        other = one_and_n(servers=servers, share_large=p, share_small=q, rate_small=1.0, rate_large=rate_large)
        assert other.relative_completions_at_departure <= found.completions * (1 + 1e-9)


def test_few_long_small_jobs_among_large_ones_are_the_worst_where_large_ones_are_fast():
    """On two servers with rates 1 and 4, by reset, Appendix C.2: p = .836 and .4586; and the limit mu_n/(4 mu_1)."""
    found = worst_share(servers=2, rate_small=1.0, rate_large=4.0)
    assert (found.share_large, found.completions) == pytest.approx((0.836, 0.4586), rel=1e-3)
    fast = worst_share(servers=100, rate_small=1.0, rate_large=1e4)
    assert fast.completions == pytest.approx(2500, rel=0.01)
    notes = {rate: msj.one_and_n_worst([100], rate_large=rate).notes[0] for rate in (1.0, 1e4)}
    assert "a few of them among large ones" in notes[1e4]
    assert "a few of them" not in notes[1.0]


def test_two_needs_are_one_and_n_where_they_are():
    for n in (4, 50):
        both = msj.growth.two_needs_scaling(["1", "n"], "1/n", [n], rate_large=0.5).at(servers=n)
        closed = one_and_n(servers=n, share_large=1 / n, rate_small=1.0, rate_large=0.5)
        for name in ("stability_threshold", "wasted_servers", "relative_completions_at_departure"):
            assert both[name] == pytest.approx(getattr(closed, name), rel=1e-8)
    other = msj.growth.two_needs_scaling(["2", "n/2"], "1/3", [12]).at(servers=12)
    chain = msj.analyse(simple(12, (2, 1, "2/3"), (6, 1, "1/3")), method="chain")
    assert other["relative_completions_at_departure"] == pytest.approx(chain["relative_completions_at_departure"])
    assert other["stability_threshold"] == pytest.approx(chain["stability_threshold"], rel=1e-9)
