"""What the figures say of claims: made-up rows just on either side of every rule by which they are judged."""

import importlib
import inspect
import math
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import norm, t

from msj.papers import PAPERS, Claim, figures_named
from msj.papers.lfms import curves
from msj.papers.reproduce import Reproduction, estimated_seconds
from msj.papers.reset import fig2a, fig2b, fig3, fig_i4, section_4_1, settings
from msj.papers.twoclass import fig3 as twoclass_fig3
from msj.papers.twoclass import fig5 as twoclass_fig5
from msj.papers.twoclass import fig8a, peaks_figure, theorem8_1
from msj.papers.twoclass.ratio_figure import deepest_dip, fast_large_jobs_limit, inner
from msj.papers.verdict import verdict_of
from msj.papers.verdicts import in_words, printed_number
from msj.papers.wcfs import fig1, fig2, fig5, fig6, fig7a, fig7b, points
from msj.papers.wcfs.models import models
from msj.papers.zeroq import fig6 as zeroq_fig6
from msj.papers.zeroq import fig8 as zeroq_fig8
from msj.papers.zeroq import sets
from msj.results import Outcome


def figure(paper, name):
    return figures_named(PAPERS[paper], name)[name]


# ---- claims ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("printed", "found", "shown", "passed"),
    [
        ("0.25", 0.2549, "0.2549", True),
        ("0.25", 0.2551, "0.2551", False),
        ("0.25", 0.2451, "0.2451", True),
        ("0.25", 0.2449, "0.2449", False),
        ("12", 12.5, "12.50", True),  # the border itself
        ("1E+1", 14.9, "14.9", True),
        ("1E+1", 15.1, "15.1", False),
    ],
)
def test_printed_numbers(printed, found, shown, passed):
    claim = printed_number("x", printed, found, unit=" s")
    assert (claim.passed, claim.found, claim.claimed) == (passed, f"{shown} s", f"{printed} s")


def test_units_that_a_printed_number_may_be_off():
    assert printed_number("x", "0.25", 0.2699, units_off=2).passed
    assert not printed_number("x", "0.25", 0.2701, units_off=2).passed
    assert printed_number("x", "0.25", 0.2699).difference == "+2.0e-02"


def claim(passed, our_reading=False):
    return Claim(claim="c", claimed="1", found="2", difference="1", passed=passed, our_reading=our_reading)


def test_verdicts_in_words():
    assert in_words(claim(True)) == "reproduced"
    assert in_words(claim(False)) == "NOT REPRODUCED"
    assert in_words(claim(True, True)) == "our reading holds"
    assert in_words(claim(False, True)) == "our reading does not hold"


def reproduction(name, *claims, seconds=1.5):
    return Reproduction(
        paper="reset", name=name, title="t", rows=[], claims=claims, provenance={"seconds": seconds}
    )  # fmt: skip


def test_a_verdict_counts_claims_of_each_figure():
    good = reproduction("a", claim(True), claim(True), claim(False, True), claim(True, True), claim(True, True))
    bad = reproduction("b", claim(True), claim(False), seconds=0.75)
    found = verdict_of([good, bad], seed=7)
    counted = {(row.at["figure"], row.name): row.value for row in found.quantities}
    assert counted == {
        ("a", "claims"): 5.0, ("a", "claims_reproduced"): 2.0, ("a", "claims_by_our_reading"): 3.0,
        ("b", "claims"): 2.0, ("b", "claims_reproduced"): 1.0, ("b", "claims_by_our_reading"): 0.0,
    }  # fmt: skip
    assert {row.kind for row in found.quantities} == {"exact"}
    assert found.notes == ("reset b: not reproduced: c (paper 1, found 2)",)
    assert found.outcome.label != "solved"
    assert found.provenance["seconds"] == 2.25
    assert verdict_of([good], seed=7).outcome.label == "solved"
    assert (good.passed, bad.passed) == (True, False)
    assert found.title == "reset a, reset b"


def test_full_runs_are_estimated_from_quick_ones():
    class Simulated:
        def arrivals(self, scale):
            return {"quick": 10.0, "full": 400.0}[scale]

    class Computed:
        def arrivals(self, scale):
            return 0.0

    assert estimated_seconds(Simulated(), 6.0, processes=3) == 80.0
    assert estimated_seconds(Computed(), 6.0, processes=3) == 2.0


# ---- reset -------------------------------------------------------------------------------------------------------


def response(load, predicted, exact, setting="k = 4", **simulated):
    return {"setting": setting, "load": load, "predicted": predicted, "exact": exact,
            "relative_error": predicted / exact - 1.0} | simulated  # fmt: skip


def simulated(mean, low, high):
    return {"simulated": mean, "low": low, "high": high}


def test_a_value_that_a_simulated_mean_leaves_possible():
    """Factors: the 95 % interval reaches a factor of 1.1 up and 1.05 down, the wider one its power z/1.96."""
    power = norm.isf(settings.ODDS / 2) / norm.isf(0.025)
    row = simulated(2.0, 2.0 / 1.05, 2.0 * 1.1)
    for side, factor in ((1, 1.1), (-1, 1.05)):
        assert settings.could_be(2.0 * factor ** (side * power * 0.999), row)
        assert not settings.could_be(2.0 * factor ** (side * power * 1.001), row)
    assert settings.could_be(2.0, row)


def test_how_many_intervals_may_miss():
    """Of 40 intervals two miss on average."""
    hit, low, high = simulated(1.0, 0.9, 1.1), simulated(1.0, 1.01, 1.1), simulated(1.0, 0.9, 0.99)
    for missed in range(12):
        rows = [response(0.5, 1.0, 1.0, **(low if i % 2 else high)) for i in range(missed)]
        rows += [response(0.5, 1.0, 1.0, **hit) for _ in range(40 - missed)] + [response(0.5, 1.0, 1.0)]
        found = settings.simulation_is_sound(rows)
        chance = sum(math.comb(40, k) * 0.05**k * 0.95 ** (40 - k) for k in range(missed, 41))
        assert found.found == f"{40 - missed} of 40 intervals ({(40 - missed) / 40:.0%})"
        assert found.difference == f"{missed} missed, 2.0 expected"
        assert found.passed is (chance > settings.ODDS)
    edge = [response(0.5, 1.0, 1.0, **simulated(1.0, 1.0, 1.1)), response(0.5, 1.0, 1.0, **simulated(1.0, 0.9, 1.0))]
    assert settings.simulation_is_sound(edge).found.startswith("2 of 2")


def test_predictions_that_match():
    def matched(gap):
        rows = [response(0.5, 4.0, 4.0), response(0.9, 100.0 + gap, 100.0)]
        return fig2a._excellent_match(rows, "k = 4")

    assert matched(0.99).passed
    assert matched(-0.99).passed
    assert not matched(1.01).passed
    assert not matched(-1.01).passed
    assert matched(0.5).found == "0.50% of the picture's height"
    assert matched(0.5).difference == "0.500 units of time at most"


def test_a_rest_that_is_negligible():
    def rest(error):
        rows = [response(0.1, 1.0 + error, 1.0), response(0.5, 1.04, 1.0), response(0.9, 1.01, 1.0)]
        return fig2a._negligible_rest(rows, "k = 4")

    assert rest(0.049).passed
    assert rest(-0.049).passed
    assert not rest(0.06).passed
    assert rest(-0.06).found == "+0.060, or 6.0% of E[T], at load 0.1"
    assert rest(-0.06).difference == "+1.0 percentage points"
    assert "from load 0.5 on" in rest(-0.06).because
    assert "from load 0.1 on" in rest(0.049).because


def test_two_settings_that_are_very_different():
    def different(exact, low=1.9, high=2.2):
        rows = [response(0.9, 1.0, 1.0, **simulated(1.0, 1.0, 1.0))]
        rows += [response(0.9, 2.0, exact, "k = 10", **simulated(2.1, low, high))]
        return fig2b._very_different(rows)

    assert different(2.039).passed
    assert not different(2.041).passed
    assert different(1.961).passed
    assert not different(1.959).passed
    assert different(2.0, low=2.0).passed
    assert not different(2.0, low=2.01).passed
    assert different(2.0, high=2.0).passed
    assert not different(2.0, high=1.99).passed
    assert different(2.0).difference == "+0.000 exact"


def test_a_prediction_is_validated():
    def validated(error, high=1.2):
        last = response(0.9, 1.0, 1.0, **simulated(1.0, 0.9, high)) | {"relative_error": error}
        first = response(0.1, 1.0, 1.0, **simulated(1.0, 0.9, 1.1)) | {"relative_error": 0.5}
        return fig2b._validated([first, last], "k = 4")

    assert validated(0.0099).passed
    assert validated(-0.0099).passed
    assert not validated(0.01).passed
    assert not validated(-0.011).passed
    assert "At load 0.1 the prediction is +50.0% off." in validated(0.0).because
    off = response(0.9, 2.0, 2.0, **simulated(1.0, 0.9, 1.1))
    assert not fig2b._validated([off, off], "k = 4").passed


def test_errors_that_converge():
    def converges(*errors, early=0.5):
        rows = [response(0.5, 1.0, 1.0) | {"relative_error": early}]
        for load, error in zip((0.9, 0.95, 0.997), errors, strict=True):
            rows.append(response(load, 1.0, 1.0) | {"relative_error": error})
        rows[-1] |= {"simulated": 1.0, "simulated_error": 0.01, "error_low": -0.02, "error_high": 0.03}
        return fig3._converges(rows, "k = 4")

    assert converges(0.03, -0.01, 0.002).passed
    assert not converges(0.03, -0.01, 0.0021).passed
    assert not converges(0.03, -0.03, 0.001).passed
    assert not converges(0.01, 0.02, 0.001).passed
    assert converges(0.03, 0.01, 0.001, early=0.0).passed  # only from load 0.9 on
    assert converges(0.03, 0.01, -0.001).found.startswith("3.00% at load 0.9, 0.100% at 0.997 exactly; simulated there")


def test_a_rest_that_is_bounded():
    def bounded(*rests):
        rows = []
        for load, rest in zip((0.5, 0.9, 0.99), rests, strict=True):
            exact = (10 / 9) * 1.43 / (1 - load) + rest
            rows.append({"what": "response", "load": load, "arrival_rate": 0.9 * load, "exact": exact})
        return section_4_1._bounded_rest([{"what": "rate"}, *rows])

    assert bounded(-0.99, 0.5, 0.509).passed
    assert not bounded(-1.01, 0.5, 0.509).passed
    assert not bounded(1.01, 0.5, 0.509).passed
    assert not bounded(0.0, 0.5, 0.511).passed
    assert not bounded(0.0, 0.5, 0.489).passed
    assert bounded(-0.99, 0.5, 0.509).found == "between -0.990 and +0.509 up to load 0.99"


def test_whether_a_correlation_is_significant():
    """Five points with correlation r: t = r·√(3/(1 − r²)) with 3 degrees of freedom."""
    x, off = np.array([-2.0, -1, 0, 1, 2]), np.array([2.0, -1, -2, -1, 2])  # at right angles, both centred
    for share in (0.70, 0.95):
        y = x * math.sqrt(share / 10) + off * math.sqrt((1 - share) / 14)
        rows = [{"family": "mu_1", "delta": a, "relative_error": b} for a, b in zip(x, y, strict=True)]
        odds = 2 * t.sf(math.sqrt(share * 3 / (1 - share)), 3)
        for expected in (True, False):
            found = fig_i4._significance(rows, "mu_1", expected)
            assert found.passed is (bool(odds < fig_i4.SIGNIFICANT) is expected)
            assert found.found == f"p = {odds:.2g}"
        assert fig_i4.r_squared(rows) == pytest.approx(share)


def test_jobs_of_the_scatter_plot():
    assert fig_i4._jobs("quick") == 1_000_000
    assert fig_i4._jobs("full") == fig_i4.PAPER_ARRIVALS >= 10**8


# ---- wcfs --------------------------------------------------------------------------------------------------------


def over_load(name, column, method="exact", **found):
    return [{"model": name, "rho": rho, "method": method, column: value} for rho, value in found["at"].items()]


LOADS = (0.9, 0.96, 0.995, 0.999)


def straight(name, column, end, slope=0.0):
    """Rows of a line in rho that goes through ``end`` at load 1."""
    return over_load(name, column, at={rho: end - slope * (1 - rho) for rho in LOADS})


def test_limits_of_scaled_response_times():
    name = figure("wcfs", "fig1").names[0]
    limit = models()[name].excess
    for end, passed in ((0.9e-3, True), (-0.9e-3, True), (1.1e-3, False), (-1.1e-3, False)):
        assert fig1._limit(straight(name, "scaled", limit + end, slope=2.0), name).passed is passed


def test_limits_that_are_others():
    for name in ("most-first", "max-weight"):
        limit = models()[name].excess
        for factor, passed in ((1.09, False), (0.91, False), (1.11, True), (0.89, True)):
            assert fig2._other_limit(straight(name, "scaled", factor * limit, slope=1.0), name).passed is passed
        own = float(models()[name].crowding) * limit
        for factor, passed in ((1.009, True), (0.991, True), (1.011, False), (0.989, False)):
            assert fig2._own_limit(straight(name, "scaled", factor * own), name).passed is passed


def test_curves_without_a_limit():
    name = "msj-fcfs"
    excess = models()[name].excess
    for last, passed in ((10.1, True), (9.9, False)):
        rows = over_load(name, "scaled", at={0.5: 1.0, 0.7: last * excess})
        found = fig2._unstable(rows, name)
        assert found.passed is passed
        assert f"1.00 at 0.5, {last * excess:.1f} at 0.7" in found.found
        turned = over_load(name, "gap", at={0.7: 10 * last, 0.5: 1.0})
        assert fig6._to_infinity(turned, name).passed is (10 * last > 100)


def test_srpt_by_its_simulation():
    limit = models()["srpt"].excess
    for high, passed in ((0.89, True), (0.91, False)):
        rows = [
            {"model": "srpt", "rho": rho, "scaled": 0.8 * limit, "scaled_low": 0.7 * limit, "scaled_high": end * limit}
            for rho, end in ((0.98, high), (0.5, 2.0))
        ]
        assert fig2._srpt([*rows, {"model": "other", "rho": 0.99}]).passed is passed

    def falling(*ends):
        rows = [
            {"model": "srpt", "rho": rho, "gap": (a + b) / 2, "gap_low": a, "gap_high": b}
            for rho, (a, b) in zip((0.5, 0.8, 0.9, 0.96), ends, strict=True)
        ]
        return fig6._srpt(rows).passed

    assert falling((0, 0), (3, 4), (1, 2), (-2, -1))  # below load 0.8 nothing is asked
    assert not falling((9, 9), (3, 4), (1, 3.5), (-2, -1))
    assert not falling((9, 9), (3, 4), (1, 2), (-2, 0.5))


def test_two_simulations_of_one_curve():
    def same(*scores):
        rows = [{"model": name, "z": z} for name, z in zip(("most-first", "elastic-first") * 4, scores, strict=False)]
        return fig2.same_curve([*rows, {"model": "other", "z": 99.0}, {"model": "most-first"}])

    assert same(1.0, -2.0, 2.0, 1.0).found == "2.50 over 4 points"
    assert same(1.89, -1.89).passed
    assert not same(1.9, 1.9).passed


def test_gaps_between_their_bounds():
    name = figure("wcfs", "fig5").names[0]
    lower, upper = models()[name].bounds()
    for low, high, passed in (
        (lower, upper, True), (lower - 2e-9, upper, False), (lower, upper + 2e-9, False),
        (lower - 0.5e-9, upper + 0.5e-9, True),
    ):  # fmt: skip
        rows = over_load(name, "gap", at={0.9: low, 0.96: (low + high) / 2, 0.999: high})
        assert fig5._bounded(rows, name).passed is passed
    for error, passed in ((0.5e-9, True), (-0.5e-9, True), (2e-9, False), (-2e-9, False)):
        assert fig5._mg1(over_load("mg1", "gap", at={0.5: 1.0, 0.9: 1.0 + error})).passed is passed
    for least, passed in ((0.1, True), (0.0, False), (-0.1, False)):
        assert fig5._positive(over_load(name, "gap", at={0.5: least, 0.9: 3.0}), (name,)).passed is passed
    up = over_load("mgk", "gap", at={0.96: 3.0, 0.5: 1.0, 0.9: 2.0})
    assert fig5._monotone(up, "mgk", 1).passed
    assert not fig5._monotone(up, "mgk", -1).passed
    assert fig5._monotone(up, "mgk", -1).found == "from 1.0000 to 3.0000, 2 of 2 steps the other way"
    assert fig5._monotone(up, "mgk", -1).difference == "largest step the other way 1.0e+00"
    assert not fig5._monotone(over_load("mgk", "gap", at={0.5: 1.0, 0.9: 1.0}), "mgk", 1).passed


def test_gaps_that_are_unbounded():
    name = next(n for n in figure("wcfs", "fig6").names if models()[n].limit == 1 and models()[n].exact is not None)
    direction = models()[name].direction
    for end, passed in ((0.11, True), (0.09, False), (-0.11, False)):
        rows = over_load(name, "gap", at={rho: direction * end / (1 - rho) for rho in LOADS})
        assert fig6._direction(rows, name).passed is passed


def filling(gaps):
    rows = []
    for k, gap in gaps.items():
        method = "exact" if k < 16 else "simulated"
        rows.append({"model": f"filling-{k}", "rho": 0.96, "method": method, "gap": gap, "gap_low": 0, "gap_high": 9})
    return rows


def test_gaps_over_the_servers():
    line = {2: 3.0, 4: 4.0, 8: 6.0, 16: 10.0}
    assert fig7a._linear(filling(line)).passed
    assert fig7a._next(filling(line)).difference == "+0.0%"
    assert not fig7a._linear(filling({k: -gap for k, gap in line.items()})).passed
    assert not fig7a._linear(filling(line | {16: 14.0})).passed
    for last, passed in ((10.9, True), (9.1, True), (11.1, False), (8.9, False)):
        assert fig7a._next(filling(line | {16: last})).passed is passed
    for change, passed in ((1.09, True), (0.91, True), (1.11, False), (0.89, False)):
        rows = over_load("filling-4", "gap", at={0.5: 99.0, 0.9: 2.0, 0.999: 2.0 * change})
        assert fig7a._nearly_constant(rows, "filling-4").passed is passed
    lower, upper = models()["filling-4"].bounds()
    for low, high, passed in ((lower, upper, True), (lower - 0.1, upper, False), (lower, upper + 0.1, False)):
        assert fig7a._bounded(over_load("filling-4", "gap", at={0.5: low, 0.9: high}), "filling-4").passed is passed


def branches(ends, slope=0.0):
    return [row for x, end in ends.items() for row in straight(f"branches-{x}", "gap", end, slope * x)]


def test_gaps_over_the_variability():
    line = {1: 1.0, 2: 0.5, 4: -0.5, 8: -2.5}
    assert fig7b._linear(branches(line)).passed
    assert not fig7b._linear(branches({x: -end for x, end in line.items()})).passed
    assert not fig7b._linear(branches(line | {8: -4.5})).passed
    for end, passed in ((-3.24, True), (-2.76, True), (-3.26, False), (-2.74, False)):
        assert fig7b._near_three(branches({8: end}), "branches-8", "x").passed is passed
    assert fig7b._steeper(branches(line, slope=-1.0)).passed
    assert fig7b._steeper(branches(line, slope=-1.0)).found.startswith("-1.00 (x = 1), -2.00 (x = 2)")
    assert not fig7b._steeper(branches(line, slope=1.0)).passed
    assert not fig7b._steeper(branches(line)).passed
    lower, upper = models()["branches-2"].bounds()
    for low, high, passed in ((lower, upper, True), (lower - 0.1, upper, False), (lower, upper + 0.1, False)):
        rows = over_load("branches-2", "gap", at={0.5: low, 0.9: high})
        assert fig7b._bounded(rows, 2).passed is passed
    assert all(fig7b._variability(x, claimed).passed for x, claimed in fig7b.VARIABILITY.items())
    assert not fig7b._variability(2, 1.66).passed


def test_rows_of_simulated_points():
    """Means 4, 6 and 8 with nothing to take off: 6 ± t·2/√3; scaled by 1 − rho, less the wait of M/G/1."""
    name = next(name for name in models() if models()[name].crowding is None)
    row = points.combined(name, 0.75, 99, [[4.0, 0.0], [6.0, 0.0], [8.0, 0.0]])
    half = t.ppf(0.975, points.REPLICATIONS - 1) * 2.0 / math.sqrt(3)
    wait = models()[name].wait(0.75)
    assert (row["arrivals"], row["method"]) == (99, "simulated")
    for end, value in (("", 6.0), ("_low", 6.0 - half), ("_high", 6.0 + half)):
        assert row[f"response_time{end}"] == pytest.approx(value)
        assert row[f"scaled{end}"] == pytest.approx(value / 4)
        assert row[f"gap{end}"] == pytest.approx(value - wait)
    assert points._z(row, None) is None
    assert points._z(row, 5.0) == pytest.approx(1.0 / (2.0 / math.sqrt(3)))
    # Who crowds jobs as M/G/1 does moves with it: what that one is wrong by is taken off.
    name = next(name for name in models() if models()[name].crowding is not None)
    share, known = float(models()[name].crowding), models()[name].wait(0.75) + 1
    row = points.combined(name, 0.75, 99, [[4.0, known - 1], [6.0, known + 3]])
    assert row["response_time"] == pytest.approx(((4.0 + share) + (6.0 - 3 * share)) / 2)


def test_agreement_of_many_points():
    """Twice the tail of t beyond the largest |z|, times the points."""
    name = next(iter(models()))
    for z in (2.0, -6.0, 6.0):
        rows = [{"model": name, "rho": 0.5, "z": score} for score in (z, 0.5, -0.25)] + [{"model": name, "rho": 0.5}]
        chance = min(1.0, 2 * 3 * t.sf(abs(z), points.REPLICATIONS - 1))
        found = points.agreement(rows)
        assert found.passed is bool(chance >= points.ODDS)
        assert found.found.endswith(f"chance {chance:.2g}")
        assert found.difference == f"{abs(z):.2f} standard errors"


@pytest.mark.parametrize(
    ("values", "ordered"),
    [
        ((0.3, 0.2, 0.1), True), ((0.3, 0.1, 0.2), False), ((0.2, 0.3, 0.1), False), ((0.3, 0.2, 0.2), False),
        ((0.3, 0.0, 0.0), True), ((0.0, 0.0, 0.1), False),
    ],
)  # fmt: skip
def test_waiting_falls_with_the_largest_need(values, ordered):
    rows = [
        {"largest_need": need, "servers": n, "simulated_3": value, "low_3": value, "high_3": value}
        for need, value in zip(zeroq_fig8.LARGEST_NEEDS, values, strict=True)
        for n in zeroq_fig8.SIZES
    ]
    claim = figure("zeroq", "fig8").claims(rows)[0]
    assert (claim.passed, claim.difference) == (ordered, "in order" if ordered else "not in order")


# ---- twoclass ----------------------------------------------------------------------------------------------------


def test_a_law_that_is_not_the_product_form_is_found(monkeypatch):
    assert twoclass_fig5._product_form().passed
    right = twoclass_fig5._saturated

    def wrong(rates):
        found = right(rates)
        return SimpleNamespace(counts=found.counts, departure_average=found.departure_average * (1 + 1e-6))

    monkeypatch.setattr(twoclass_fig5, "_saturated", wrong)
    claim = twoclass_fig5._product_form()
    assert not claim.passed
    assert claim.difference == "1.0e-06 relatively"


def test_two_systems_of_one_work():
    assert twoclass_fig3._equal("x", 1.0, 1.25, 0.25).passed
    assert not twoclass_fig3._equal("x", 1.0, 1.26, 0.25).passed
    assert not twoclass_fig3._equal("x", 1.0, 0.74, 0.25).passed

    def different(threshold, waste):
        rows = [
            {"system": "blue", "what": "thresholds", "stability_threshold": threshold, "wasted_servers": 2.0},
            {"system": "red", "what": "thresholds", "stability_threshold": 5.0, "wasted_servers": waste},
        ]
        return twoclass_fig3._very_different(rows)

    assert different(6.0, 2.4).passed
    assert not different(5.99, 2.4).passed
    assert not different(6.0, 2.39).passed
    assert different(7.5, 3.0).difference == "a factor of 1.50 in λ*, 1.50 in wastage"


def turns(*places, waste=()):
    """Rows of peaks at these ratios, between two ends of the range."""
    ends = [{"rate_ratio": ratio, "extremum": "optimum", "wasted_servers": 0.0} for ratio in (1e-3, 1e5)]
    peaks = [{"rate_ratio": place, "extremum": "pessimum", "wasted_servers": 1.0} for place in places]
    return [ends[0], *peaks, ends[1]]


def test_peaks_at_similar_places():
    ours = turns(2.0, 90.0)
    assert fig8a._similar_places(ours, turns(5.9, 31.0)).passed
    assert fig8a._similar_places(ours, turns(5.9, 31.0)).difference == "factors 2.95, 2.90"
    assert not fig8a._similar_places(ours, turns(6.1, 31.0)).passed
    assert not fig8a._similar_places(ours, turns(5.9, 29.0)).passed
    assert not fig8a._similar_places(ours, turns(5.9)).passed
    assert inner([*turns(3.0), {"rate_ratio": 9.0, "extremum": ""}, *turns()])[0]["rate_ratio"] == 3.0
    drawn = figure("twoclass", "fig8a")
    assert fig8a._three_peaks(drawn, ours).passed
    assert not fig8a._three_peaks(drawn, turns(2.0)).passed
    assert not fig8a._three_peaks(drawn, turns(2.0, 9.0, 90.0)).passed


def falling(*values):
    return [{"wasted_servers": value, "extremum": ""} for value in values]


def test_how_deep_the_waste_dips():
    assert deepest_dip(falling(1.0, 5.0, 3.0, 4.0, 7.0, 6.0)) == 2.0
    assert deepest_dip(falling(1.0, 2.0)) == 0.0
    drawn = figure("twoclass", "fig8a")
    need, other = drawn.needs[1], fig8a.Fig7a.needs[1]
    for dip, passed in ((1.51, True), (1.49, False)):  # both as shares of their larger need
        ours, theirs = falling(9.0 * need, (9.0 - 0.1 * dip) * need), falling(9.0 * other, 8.9 * other)
        assert fig8a._more_pronounced(drawn, ours, theirs).passed is passed
    monotone = figure("twoclass", "fig8b")
    assert monotone.claims(falling(0.0, 1.0, 2.0))[1].passed
    assert not monotone.claims(falling(0.0, 1.0, 1.0 - 2e-9, 2.0))[1].passed
    assert monotone.claims(falling(0.0, 1.0, 1.0 - 0.5e-9, 2.0))[1].passed
    assert not monotone.claims([*falling(0.0, 1.0), *turns(3.0)[1:]])[1].passed


def test_waste_at_the_ends_of_the_ratio():
    drawn = figure("twoclass", "fig7a")
    need = drawn.needs[1]
    for share, passed in ((0.049, True), (0.051, False)):
        assert drawn.few_at_small_ratios(falling(share * need, 9.0)).passed is passed
    limit = fast_large_jobs_limit(servers=drawn.servers, needs=drawn.needs, shares=(0.5, 0.5)).wasted_servers
    for off, passed in ((0.049, True), (-0.049, True), (0.051, False), (-0.051, False)):
        assert drawn.limit_of_large_ratios(falling(0.0, limit + off * need)).passed is passed


def test_waste_over_the_share_of_large_jobs():
    region = figure("twoclass", "fig6a")

    def passed(first=0.0, last=0.0, worst=1.0):
        rows = [
            {"wasted_servers": waste, "p_2": 0.5, "work_share_2": 0.5, "utilisation": 0.5}
            for waste in (first, worst, last)
        ]
        return [c.passed for c in region.claims(rows)][4:]

    assert passed() == [True, True]
    assert passed(first=0.5e-9, last=-0.5e-9) == [True, True]
    assert passed(first=2e-9) == passed(last=-2e-9) == [False, True]
    assert passed(worst=region.need_2 - 1) == [True, True]
    assert passed(worst=region.need_2 - 0.9) == [True, False]


def test_many_turns_above_equal_rates():
    drawn = figure("twoclass", "fig7a")
    wanted = drawn.servers // drawn.needs[1] - 1
    assert wanted >= 2

    def found(optima):
        peaks = [{"rate_ratio": 2.0 + i, "extremum": "optimum", "wasted_servers": 1.0} for i in range(optima)]
        below = [{"rate_ratio": 0.5, "extremum": "optimum", "wasted_servers": 1.0}]
        return peaks_figure._many_turns(drawn, [*below, *below, *peaks, *turns(3.0)])

    assert found(wanted).passed
    assert found(wanted).found == f"{wanted} optima and 1 pessima above 1"
    assert not found(wanted - 1).passed
    assert not found(wanted + 1).passed


def test_agreement_at_the_border_of_stability():
    rows = [{"servers": 2, "a": 2.0, "b": 2.0}, {"servers": 9, "a": 3.0, "b": 3.0}]
    for off, passed in ((0.5e-9, True), (-0.5e-9, True), (2e-9, False), (-2e-9, False)):
        close = [rows[0], rows[1] | {"a": 3.0 * (1 + off)}]
        assert theorem8_1._agreement("x", close, "a", "b").passed is passed
    assert theorem8_1._agreement("x", rows, "a", "b").found == "equal to 0e+00 for 2 to 9 servers"

    def sides(side, *unstable):
        mine = [{"what": "simulated", "side": side, "unstable": u} for u in unstable]
        return theorem8_1._sides([*mine, {"what": "simulated", "side": 5.0, "unstable": True}, {"what": "law"}], side)

    assert sides(1.05, True, True).passed
    assert (sides(1.05, True, False).passed, sides(1.05, True, False).difference) == (False, "1")
    assert sides(0.95, False, False).passed
    assert (sides(0.95, True, True, False).passed, sides(0.95, True, True, False).difference) == (False, "2")
    assert theorem8_1.in_service((2, 2, 2), 4) == 2
    assert theorem8_1.in_service((2, 1), 4) == 2
    assert (theorem8_1._jobs("quick"), theorem8_1._jobs("full")) == (2_000_000, 100_000_000)
    count = len(theorem8_1.NEEDS) ** theorem8_1.WHOLE_LAW
    law = [{"found": 0.25, "product": 0.25}] * count
    assert theorem8_1._product_form(law).passed
    assert not theorem8_1._product_form(law[1:]).passed
    assert not theorem8_1._product_form([*law[1:], {"found": 0.25, "product": 0.25 * (1 + 2e-9)}]).passed


# ---- lfms --------------------------------------------------------------------------------------------------------


def test_factors_that_grow():
    assert [curves._factor(ratio) for ratio in (4.0, 0.25)] == [4.0, 4.0]
    assert curves._grows([0.5, 3.0, 0.25])
    assert not curves._grows([0.5, 2.0, 0.25])
    assert not curves._grows([3.0, 0.5])


def curve_of(drawn, ratio, other=lambda n: 10.0 * n, rates=None):
    """Rows whose exact value is ``ratio(n)`` times the form that fits, and ``other`` that of the other regime."""
    small, large = rates or (drawn.rate_small, drawn.rate_large)
    forms = ("one", "many") if drawn.fitting == "one" else ("many", "one")
    rows = []
    for n in (*curves.SHOWN, *curves.BEYOND):
        row = {"servers": n, "rate_small": small, "rate_large": large}
        for quantity in ("mu", "completions"):
            row |= {quantity: ratio(n), f"{quantity}_{forms[0]}": 1.0, f"{quantity}_{forms[1]}": other(n) * ratio(n)}
        rows.append(row)
    return rows


def test_curves_that_meet_their_form_and_leave_the_other():
    drawn = figure("lfms", "fig2")
    shrinking = curve_of(drawn, lambda n: 1 + 1 / math.log(n))
    assert drawn.converges(shrinking, "mu").passed
    assert "order 1/ln n" in drawn.converges(shrinking, "mu").because
    below = curve_of(drawn, lambda n: 1 - 0.5 / math.log(n))
    assert drawn.converges(below, "completions").passed
    growing = curve_of(drawn, math.log)
    assert not drawn.converges(growing, "mu").passed
    quick = curve_of(drawn, lambda n: 1 + 1 / n)
    assert drawn.converges(quick, "mu").because == ""
    assert drawn.other_form_departs(shrinking, "mu").passed
    assert drawn.other_form_departs(shrinking, "mu").difference == "grows throughout"
    back = curve_of(drawn, lambda _: 1.0, other=lambda n: 10.0 + 1 / n)
    assert not drawn.other_form_departs(back, "mu").passed
    assert drawn.other_form_departs(back, "mu").difference == "does not grow throughout"


def test_curves_that_are_tight_or_cannot_be_told_apart():
    drawn = figure("lfms", "fig2")
    first = curves.SHOWN[0]
    for off, passed in ((0.999, True), (1.001, False)):
        for side in (1, -1):
            factor = curves.TIGHT**side if off < 1 else (curves.TIGHT * off) ** side
            rows = curve_of(drawn, lambda n, f=factor * off ** (side if off < 1 else 0): f if n == first else 1.0)
            found = drawn.tight(rows, "mu", "x")
            assert found.passed is passed
            assert (found.because == "") is passed
            assert drawn.widest(rows, "mu")[1] == first
    # Heights run from 1 to 10·n of the last point: a gap of e^x is x over the logarithm of that.
    height = math.log(10.0 * curves.SHOWN[-1])
    for off, passed in ((0.99, True), (1.01, False)):
        gap = math.exp(off * curves.PERCEPTIBLE * height)
        rows = curve_of(drawn, lambda n, g=gap: g if n == first else 1.0)
        assert drawn.together(rows, "mu", "x").passed is passed


def test_curves_that_are_closer_than_with_equal_rates():
    drawn = next(each for each in figures_named(PAPERS["lfms"]).values() if getattr(each, "rate_small", 1.0) != 1.0)
    near = curve_of(drawn, lambda _: 1.1) + curve_of(drawn, lambda _: 0.8, rates=(1.0, 1.0))
    assert drawn.compared(near, "mu", "x", closer=True).passed
    assert not drawn.compared(near, "mu", "x", closer=False).passed
    assert drawn.compared(near, "mu", "x", closer=True).difference == "none"
    far = curve_of(drawn, lambda _: 1.3) + curve_of(drawn, lambda _: 0.8, rates=(1.0, 1.0))
    assert drawn.compared(far, "mu", "x", closer=False).passed
    last = curves.SHOWN[-1]
    mixed = curve_of(drawn, lambda n: 1.3 if n == last else 1.1) + curve_of(drawn, lambda _: 0.8, rates=(1.0, 1.0))
    found = drawn.compared(mixed, "mu", "x", closer=True)
    assert (found.passed, found.difference) == (False, "1 points the other way")


def test_both_forms_of_a_point():
    """n = 100, p = n^(−1/2) = 1/10, rates 3 and 2."""
    row = curves.point(0.5, 100, 3.0, 2.0)
    assert row["share_large"] == pytest.approx(0.1)
    assert row["mu_many"] == pytest.approx(3.0 / (0.1 * math.log(10)))
    assert row["mu_one"] == 300.0
    assert row["completions_many"] == pytest.approx(5.0)
    assert row["completions_one"] == pytest.approx(1000 * math.log(100) ** 2 / 2)
    assert row["lost"] == pytest.approx(300.0 - row["mu"])


# ---- zeroq -------------------------------------------------------------------------------------------------------


def test_waits_that_fall_over_sizes_and_laws_that_shrink():
    def rows(mean, deviations, error=0.01):
        return [
            {"class": i, "servers": n, "mean": mean, "mean_duration": 2.0, "standard_error": error,
             "standard_deviation": deviation}
            for i in (1, 2, 3) for n, deviation in zip((64, 256), deviations, strict=True)
        ]  # fmt: skip

    six = figure("zeroq", "fig6")
    for mean, passed in ((2.059, True), (1.941, True), (2.061, False), (1.939, False)):  # 1 % of 2, and 4·0.01
        assert [c.passed for c in six.claims(rows(mean, (0.5, 0.25)))] == [passed, True] * 3
    assert [c.passed for c in six.claims(rows(2.0, (0.5, 0.5)))] == [True, False] * 3
    assert six.claims(rows(2.0, (0.5, 0.25)))[0].found == "2.0000 ± 0.02 at n = 256"


def test_grid_points_where_waiting_falls():
    three = figure("zeroq", "fig3")
    rows = [{"verdict": "vanishes", "falls": True}] * 3 + [{"verdict": "stays", "falls": False}] * 2
    assert [(c.passed, c.difference) for c in three.claims(rows)] == [(True, "0"), (True, "0")]
    rows += [{"verdict": "vanishes", "falls": False}, {"verdict": "stays", "falls": True}]
    assert [(c.passed, c.difference) for c in three.claims(rows)] == [(False, "1"), (False, "1")]


def test_the_table_of_loads():
    table = figure("zeroq", "table3")
    module = __import__(type(table).__module__, fromlist=["PAPER_I"])

    def rows(off=0.0, needs="", load=0.0):
        return [
            {"servers": n, "needs": text + (needs if n == 64 else ""), "sufficient": 0.97,
             "load_I": module.PAPER_I.get(n, 0.8) + (off if n == 256 else 0.0),
             "load_II": load or module.PAPER_II[n]}
            for n, text in module.PAPER_NEEDS.items()
        ]  # fmt: skip

    assert [c.passed for c in table.claims(rows())] == [True, True, True, True]
    assert [c.passed for c in table.claims(rows(needs="1"))] == [False, True, True, True]
    for off, passed in ((0.4e-4, True), (-0.4e-4, True), (0.6e-4, False), (-0.6e-4, False)):
        assert [c.passed for c in table.claims(rows(off))] == [True, passed, True, True]
    assert [c.passed for c in table.claims(rows(load=0.97))] == [True, True, False, False]


def test_the_bound_lies_above_what_is_found():
    def above(bound=2.0, sharper=1.0):
        row = {"bound": 4.0, "sharper_bound": 2.0, "simulated": 0.5, "high": 0.6}
        return sets.bound_claim([row, {"bound": bound, "sharper_bound": sharper, "simulated": 1.0, "high": 2.0}])

    assert above().passed
    assert above().found == "above by factors 2 to 8"
    assert "1 to 4 times what is found" in above().because
    assert "bound is 2 at least" in above().because
    assert not above(bound=1.99).passed
    assert not above(sharper=0.99).passed
    nobody = {"bound": 4.0, "sharper_bound": 2.0, "simulated": 0.0, "high": 0.6}
    assert sets.bound_claim([nobody, nobody | {"simulated": 0.5}]).found == "above by factors 8 to 8"


def of_classes(*each):
    """Rows over sizes; each is what was simulated of every class, and the ends of its interval."""
    rows = []
    for value, low, high in each:
        row = {f"{key}_{i}": v for i in (1, 2, 3) for key, v in (("simulated", value), ("low", low), ("high", high))}
        rows.append(row | {"bound": 9.0, "sharper_bound": 9.0, "simulated": value, "high": high, "lower_bound": value})
    return rows


def test_waiting_that_falls_and_waiting_that_stays():
    five, seven = figure("zeroq", "fig5"), figure("zeroq", "fig7")
    assert [c.passed for c in five.claims(of_classes((0.5, 0.4, 0.6), (0.3, 0.2, 0.39)))] == [True] * 4
    assert [c.passed for c in five.claims(of_classes((0.5, 0.4, 0.6), (0.3, 0.2, 0.41)))] == [False] * 3 + [True]

    def stays(last, low, high):
        return [c.passed for c in seven.claims(of_classes((0.9, 0.8, 1.0), (0.3, 0.2, 0.4), (last, low, high)))]

    assert stays(0.35, 0.15, 0.45) == [True] * 5
    assert stays(0.35, 0.09, 0.45) == [False] * 3 + [True, True]  # the last must be surely above 0.1
    assert stays(0.25, 0.15, 0.26)[3] is False  # the lower bound falls on
    wide = of_classes((0.9, 0.8, 1.0), (0.3, 0.25, 0.4), (0.31, 0.15, 0.24))
    assert [c.passed for c in seven.claims(wide)][:3] == [False] * 3  # surely below the least before


# ---- how points are computed -------------------------------------------------------------------------------------


class Recorded:
    """Work that computes nothing: it notes what is asked, and answers by a function."""

    def __init__(self, answer, *, quick=True, seed=7):
        self.answer, self.quick, self.seed, self.asked = answer, quick, seed, []

    @property
    def scale(self):
        return "quick" if self.quick else "full"

    def map(self, function, points, *, checkpoints=False):
        self.asked.append((function.__name__, list(points), checkpoints))
        return [self.answer(function.__name__, point) for point in points]


@pytest.mark.parametrize("quick", [True, False])
def test_replications_are_kept_one_by_one_where_they_are_long(quick):
    """All at once in a quick run, else one by one; means of both are put together trial by trial."""

    def answer(function, point):
        if function == "exact":
            return points._row(point["model"], point["rho"], "exact", 9.0, None, None)
        return [[10.0 + i, 0.0] for i in point["replications"]]

    work = Recorded(answer, quick=quick)
    drawn = figure("wcfs", "fig6")
    rows = drawn.compute(work)
    (_, exact, _), (_, tasks, _) = work.asked
    trials = drawn.simulated_points(work.scale)
    sizes = {len(task["replications"]) for task in tasks}
    assert sizes == ({points.REPLICATIONS} if quick else {1})
    assert len(tasks) == len(trials) * (1 if quick else points.REPLICATIONS)
    assert {task["seed"] for task in tasks} == {7}
    assert exact == drawn.exact_points(trials)
    simulated_rows = [row for row in rows if row["method"] == "simulated"]
    assert [(row["model"], row["rho"]) for row in simulated_rows] == [(each["model"], each["rho"]) for each in trials]
    plain = next(row for row in simulated_rows if models()[row["model"]].crowding is None)
    assert plain["response_time"] == pytest.approx(10.0 + (points.REPLICATIONS - 1) / 2)
    known = {(row["model"], row["rho"]) for row in rows if row["method"] == "exact"}
    assert all((row["z"] is None) is ((row["model"], row["rho"]) not in known) for row in simulated_rows)


def test_curves_over_loads_have_simulations_where_they_are_marked():
    work = Recorded(lambda _, point: {"simulated": point["arrival_rate"], "low": 0.0, "high": 9.0})
    rows = settings.curve_rows(work, ("k = 4", "k = 10"), (0.5, 0.25), (0.5, 0.75))
    [(_, asked, kept)] = work.asked
    assert kept is True
    assert [(row["setting"], row["load"]) for row in rows] == [
        (name, load) for name in ("k = 4", "k = 10") for load in (0.25, 0.5, 0.75)
    ]
    assert [(point["setting"], point["jobs"]) for point in asked] == [
        (name, settings.arrivals_at(load, "quick")) for name in ("k = 4", "k = 10") for load in (0.5, 0.75)
    ]
    for row in rows:
        assert row["relative_error"] == pytest.approx((row["predicted"] - row["exact"]) / row["exact"])
        assert ("simulated" in row) is (row["load"] != 0.25)
        assert row.get("simulated", row["arrival_rate"]) == pytest.approx(row["arrival_rate"])
    ends = [(row["arrival_rate"], row["load"]) for row in rows]
    assert ends[2][0] / ends[0][0] == pytest.approx(3.0)
    assert len({tuple(point["seed"]) for point in asked}) == len(asked)


def test_errors_of_simulated_points(monkeypatch):
    """Predicted 6; simulated 4 in [3, 5]: off by 6/4, and at least 6/5, at most 6/3."""
    rows = [{"predicted": 6.0} | simulated(4.0, 3.0, 5.0), {"predicted": 6.0}]
    monkeypatch.setattr(fig3, "curve_rows", lambda work, names, loads, marked: rows)
    marked, plain = figure("reset", "fig3").compute(None)
    assert (marked["simulated_error"], marked["error_low"], marked["error_high"]) == pytest.approx((0.5, 0.2, 1.0))
    assert plain == {"predicted": 6.0}


def test_runs_are_as_long_as_the_cluster_remembers(monkeypatch):
    """A system of rate r that remembers for m is run for 200·m·r jobs, at least half a million."""
    family = zeroq_fig6.family(**zeroq_fig6.LOAD_I)
    rate = family.utilisation_at(64) * family.system_at(64).naive_threshold
    monkeypatch.setattr(zeroq_fig6, "memory_of", lambda system, at: 1e4 if at == rate else math.nan)
    assert zeroq_fig6.jobs_of_a_run(64) == math.ceil(200 * 1e4 * rate)
    monkeypatch.setattr(zeroq_fig6, "memory_of", lambda *_: 1.0)
    assert zeroq_fig6.jobs_of_a_run(64) == 500_000


@pytest.mark.parametrize(("jobs", "kept"), [(4_999_999, False), (5_000_000, True)])
def test_only_long_simulations_keep_their_state(monkeypatch, tmp_path, jobs, kept):
    asked = {}

    def simulate(system, **options):
        asked.update(options, rate=float(system.arrival_rate))
        return SimpleNamespace(outcome=Outcome.UNSTABLE)

    monkeypatch.setattr("msj.answers.simulate", simulate)
    state = tmp_path / "state"
    found = theorem8_1.simulated_outcome(servers=4, side=1.25, jobs=jobs, seed=[1, 2], checkpoint=state)
    assert found == {"unstable": True}
    assert asked["checkpoint"] == (state if kept else None)
    assert asked["jobs"] == jobs
    assert asked["rate"] == pytest.approx(1.25 * theorem8_1._closed(4))


def test_whoever_waits_is_told_of_each_figure_as_it_is_done(monkeypatch):
    verdict, told = importlib.import_module("msj.papers.verdict"), []
    monkeypatch.setattr(verdict, "paper_named", lambda name: name)
    monkeypatch.setattr(verdict, "figures_named", lambda *_: {"fig1": "one", "fig2": "two"})
    monkeypatch.setattr(verdict, "reproduce", lambda paper, known, *_, **__: f"{paper} {known}")
    monkeypatch.setattr(verdict, "verdict_of", lambda found, seed: (found, seed))
    assert inspect.unwrap(verdict.paper)("reset", each=told.append, seed=5) == (["reset fig1", "reset fig2"], 5)
    assert told == ["reset fig1", "reset fig2"]


def test_how_many_arrivals_a_figure_simulates_in_all():
    """Of every cluster, on either side of the border."""
    runs = [(servers, side) for servers in theorem8_1.SIMULATED for side in theorem8_1.SIDES]
    assert len(runs) > len(theorem8_1.SIMULATED)
    assert theorem8_1.VARIANT().arrivals("quick") == theorem8_1._jobs("quick") * len(runs)
