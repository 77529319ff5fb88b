"""Waste as a curve: known pessima, limits, Claim 1, and extrema against dense grids."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import msj
from msj import Deterministic, Erlang, InvalidInput, JobClass, NotSupported, System, TooLarge
from msj.analysis.vary import VaryRateRatio, VaryServers, VaryShare, parse_vary
from msj.answers.waste_curve import waste_curve
from msj.closed_forms import fast_large_jobs_limit, slow_large_jobs_limit, two_class
from strategies import RATES, phase_types, simple

COLUMNS = ("wasted_servers", "saturated_utilisation", "stability_threshold")


def kinds(curve, *, ends=True):
    return [e.kind for e in curve.extrema if ends or not e.at_end]


def assert_monotone_between_extrema(curve, grid, waste):
    """No turn is missed, and none is invented: between neighbouring extrema a dense grid only rises or only falls."""
    heights = np.array([waste(value) for value in grid])
    slack = 2e-8 * heights.max()
    assert curve.extrema[0].at_end
    assert curve.extrema[-1].at_end
    for here, there in zip(curve.extrema, curve.extrema[1:], strict=False):
        assert {here.kind, there.kind} == {"optimum", "pessimum"}
        inside = heights[(grid > here.parameter) & (grid < there.parameter)]
        piece = np.concatenate(([here.wasted_servers], inside, [there.wasted_servers]))
        steps = np.diff(piece) if here.kind == "optimum" else -np.diff(piece)
        assert steps.min() > -slack
        assert abs(there.wasted_servers - here.wasted_servers) > slack / 4


# --- known numbers ---


@pytest.mark.parametrize(
    ("large", "share", "wasted", "utilisation", "work"), [(100, 0.064, 77, 0.61, 0.93), (200, 0.013, 125, 0.37, 0.84)]
)
def test_where_twoclass_section_9_1_says_wastage_peaks(large, share, wasted, utilisation, work):
    # "wastage reaches a peak when p_2 ~ 6.4 %, meaning that 93 % of server-seconds are demanded by class 2 jobs"
    system = simple(200, (1, 2, 0.5), (large, 1, 0.5))
    curve = waste_curve(system, f"share:need {large}=0..1")
    assert kinds(curve) == ["optimum", "pessimum", "optimum"]
    none, peak, all_large = curve.extrema
    assert round(peak.parameter, 3) == share
    assert round(peak.wasted_servers) == wasted
    assert round(peak.saturated_utilisation, 2) == utilisation
    assert round(peak.parameter * large / (peak.parameter * large + (1 - peak.parameter) / 2), 2) == work
    # "if all jobs come from just one class, no wastage occurs"
    assert (none.parameter, none.wasted_servers, none.stability_threshold) == (0, 0, pytest.approx(400))
    assert (all_large.parameter, all_large.wasted_servers) == (1, 0)
    assert all_large.stability_threshold == pytest.approx(200 / large)


def test_two_servers_against_calculus():
    # reset, Appendix C.2 with mu = 1, 1/2: wasted = 2p(1 − p)/(1 + 4p − p²), whose derivative has the factor 1 − 3p.
    curve = waste_curve(simple(2, (1, 1, "2/3"), (2, "1/2", "1/3")), VaryShare(job_class="need 2"))
    p = curve.parameter
    np.testing.assert_allclose(curve.wasted_servers, 2 * p * (1 - p) / (1 + 4 * p - p**2), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(curve.stability_threshold, 2 / (1 + 4 * p - p**2), rtol=1e-12)
    assert curve.extrema[1].parameter == pytest.approx(1 / 3, abs=1e-6)
    assert curve.extrema[1].wasted_servers == pytest.approx(1 / 5, rel=1e-12)


def test_varying_the_other_class_mirrors_the_curve():
    system = simple(200, (1, 2, 0.5), (200, 1, 0.5))
    small, large = (waste_curve(system, VaryShare(job_class=f"need {need}")) for need in (1, 200))
    assert small.extrema[1].parameter == pytest.approx(1 - large.extrema[1].parameter, abs=1e-7)
    assert small.extrema[1].wasted_servers == pytest.approx(large.extrema[1].wasted_servers, rel=1e-11)


# --- twoclass, sections 9.2 and 9.3 ---


def test_three_peaks_where_three_large_jobs_fit():
    # "n/n_2 = 3, leading to a 3-peaked pattern"; the last peak is the limit on the right.
    for servers, large in ((30, 10), (3000, 1000)):
        curve = waste_curve(simple(servers, (1, 1, 0.5), (large, 1, 0.5)), "rate-ratio=0.001..1000000")
        assert kinds(curve) == ["optimum", "pessimum"] * 3
    depth = [e.wasted_servers for e in curve.extrema]
    assert min(depth[1], depth[3], depth[5]) > 0.9 * 1000  # "very pronounced"
    assert max(depth[0], depth[2], depth[4]) < 0.1 * 1000


def test_monotone_where_needs_are_close():
    assert kinds(waste_curve(simple(30, (3, 1, 0.5), (10, 1, 0.5)), "rate-ratio=0.001..1000")) == [
        "optimum",
        "pessimum",
    ]


@settings(max_examples=15)
@given(st.integers(3, 60), st.data())
def test_the_ends_approach_the_limits(servers, data):
    large = data.draw(st.integers(2, servers))
    small = data.draw(st.integers(1, large - 1))
    share = data.draw(st.integers(1, 19)) / 20
    about = {"servers": servers, "needs": (small, large), "shares": (1 - share, share)}
    slow, fast = slow_large_jobs_limit(**about), fast_large_jobs_limit(**about)
    classes = [(small, 3, 1 - share), (large, 0.2, share)]
    curve = waste_curve(simple(servers, *classes), "rate-ratio=1e-10..1e10", points=20)
    turned = waste_curve(simple(servers, *reversed(classes)), "rate-ratio=1e-10..1e10", points=20)  # small / large
    for name in COLUMNS[:2]:
        ends = getattr(curve, name)[[0, -1]]
        assert ends == pytest.approx([getattr(slow, name), getattr(fast, name)], abs=1e-6)
        np.testing.assert_allclose(getattr(turned, name)[[-1, 0]], ends, rtol=1e-9, atol=1e-12)


def test_the_rule_of_thumb_for_fast_large_jobs():
    curve = waste_curve(simple(3000, (1, 1, 0.9), (1000, 1, 0.1)), "rate-ratio=1..1e10", points=30)
    assert curve.wasted_servers[-1] == pytest.approx(1000 - 1 / 0.1, rel=1e-3)  # n_2 − n_1/p_2


@settings(max_examples=8)
@given(st.integers(2, 6), st.data(), phase_types(), phase_types(), RATES, RATES)
def test_waste_depends_on_the_rates_only_through_their_ratio(servers, data, first, second, faster, slower):
    # twoclass, Claim 1; by the time-scaling argument it holds for every phase type.
    need = st.integers(1, servers)
    needs = data.draw(need), data.draw(need)

    def curve(*durations):
        classes = [
            JobClass(name=str(i), need=needs[i], share=0.5, duration=duration) for i, duration in enumerate(durations)
        ]
        return waste_curve(System(servers=servers, classes=classes), VaryRateRatio(low=0.1, high=10), points=8)

    given_rates, other_rates = curve(first, second), curve(first.scaled(faster), second.scaled(slower))
    shared = np.intersect1d(given_rates.parameter, other_rates.parameter)
    assert len(shared) >= 6
    for here, scale in (("wasted_servers", 1), ("saturated_utilisation", 1), ("stability_threshold", float(faster))):
        left, right = (getattr(c, here)[np.isin(c.parameter, shared)] for c in (given_rates, other_rates))
        np.testing.assert_allclose(left, right * scale, rtol=1e-9, atol=1e-12)


# --- extrema against dense grids ---


@st.composite
def two_classes(draw):
    servers = draw(st.integers(4, 120))
    large = draw(st.one_of(st.integers(2, servers), st.integers(1, 8).map(lambda n: max(servers // n, 2))))
    return servers, draw(st.integers(1, max(large // 4, 1))), large


@settings(max_examples=6)
@given(two_classes(), st.integers(1, 99).map(lambda n: n / 100))
def test_no_turn_is_missed_against_the_rate_ratio(system, share):
    servers, small, large = system
    curve = waste_curve(simple(servers, (small, 1, 1 - share), (large, 1, share)), "rate-ratio=0.001..10000")

    def waste(ratio):
        form = two_class(servers=servers, needs=(small, large), shares=(1 - share, share), rates=(1.0, ratio))
        return form.wasted_servers

    assert_monotone_between_extrema(curve, np.geomspace(1e-3, 1e4, 1500), waste)


@settings(max_examples=6)
@given(two_classes(), st.sampled_from([0.01, 0.3, 1.0, 5.0, 40.0, 1000.0]))
def test_no_turn_is_missed_against_the_share(system, ratio):
    servers, small, large = system
    curve = waste_curve(simple(servers, (small, 1, 0.5), (large, ratio, 0.5)), f"share:need {large}=0..1")

    def waste(share):
        form = two_class(servers=servers, needs=(small, large), shares=(1 - share, share), rates=(1.0, ratio))
        return form.wasted_servers

    assert_monotone_between_extrema(curve, 1 / (1 + np.exp(-np.linspace(-17, 17, 1500))), waste)


@pytest.mark.parametrize("varied", [1, 20])
def test_what_happens_close_to_an_end_is_found(varied):
    # Small jobs that take a hundred million times as long hold all servers unless hardly any arrive.
    curve = waste_curve(simple(60, (1, 1, 0.5), (20, 1e8, 0.5)), f"share:need {varied}=0..1")

    def waste(share):
        shares = (1 - share, share) if varied == 20 else (share, 1 - share)
        return two_class(servers=60, needs=(1, 20), shares=shares, rates=(1.0, 1e8)).wasted_servers

    assert_monotone_between_extrema(curve, 1 / (1 + np.exp(-np.linspace(-26, 26, 1500))), waste)
    deep = [e.parameter for e in curve.extrema if not e.at_end and e.wasted_servers < 6]
    assert len(deep) == 2
    assert all(0 < (share if varied == 1 else 1 - share) < 1e-6 for share in deep)


def test_a_hundred_extrema_are_all_found():
    curve = waste_curve(simple(2500, (1, 1, 0.5), (50, 1, 0.5)), "rate-ratio=0.01..100000")
    assert len(curve.extrema) == 100

    def waste(ratio):
        return two_class(servers=2500, needs=(1, 50), shares=(0.5, 0.5), rates=(1.0, ratio)).wasted_servers

    assert_monotone_between_extrema(curve, np.geomspace(1e-2, 1e5, 1000), waste)


def test_where_only_the_chain_applies():
    classes = [
        JobClass(name="a", need=1, share=0.5, duration=Erlang(stages=2, mean=1)),
        JobClass(name="b", need=6, share=0.5, duration=Erlang(stages=2, mean=3)),
    ]
    curve = waste_curve(System(servers=6, classes=classes), "rate-ratio=0.1..100", points=30)
    assert set(curve.method) == {"saturated chain"}
    for i in (3, 17, 28):
        second = classes[1].replace(duration=Erlang(stages=2, mean=1 / curve.parameter[i]))
        expected = msj.analyse(System(servers=6, classes=[classes[0], second]))
        for name in COLUMNS:
            assert getattr(curve, name)[i] == pytest.approx(expected[name], rel=1e-10)


# --- shares of one class among several ---

THREE = simple(12, (1, 1, "1/2"), (3, 2, "1/8"), (5, 3, "3/8"))


@pytest.mark.parametrize("share", [0, 0.5, 1])
def test_the_other_classes_keep_their_proportions(share):
    curve = waste_curve(THREE, VaryShare(job_class="need 5"), points=21)
    (i,) = np.flatnonzero(curve.parameter == share)
    kept = [(1, 1, (1 - share) * 0.8), (3, 2, (1 - share) * 0.2), (5, 3, share)]
    expected = msj.analyse(simple(12, *(c for c in kept if c[2] > 0)), method="chain")
    for name in COLUMNS:
        assert getattr(curve, name)[i] == pytest.approx(expected[name], rel=1e-11, abs=1e-13)


def test_at_the_ends_a_class_is_alone_or_gone():
    curve = waste_curve(THREE, "share:need 5=0..1", points=10)
    assert curve.wasted_servers[-1] == 12 % 5
    assert curve.stability_threshold[-1] == pytest.approx(2 * 3)
    assert curve.method[-1] == "one service law, renewal sum"
    assert curve.method[0] == "two-class product form"


def test_a_class_that_does_not_arrive_in_the_file_can_be_varied():
    as_given, absent = (simple(9, (1, 1, 1 - p), (4, 2, p)) for p in (0.5, 0))
    alone = simple(9, (1, 1, 0), (4, 2, 1))
    curves = [waste_curve(system, "share:need 4=0..1", points=20) for system in (as_given, absent, alone)]
    for other in curves[1:]:
        np.testing.assert_array_equal(other.wasted_servers, curves[0].wasted_servers)


# --- servers ---


@settings(max_examples=15)
@given(st.integers(1, 6), st.integers(1, 12), st.integers(1, 9).map(lambda n: n / 10), st.sampled_from([0.2, 1, 5]))
def test_servers_take_every_whole_number(small, extra, share, rate):
    large = small + extra
    curve = waste_curve(simple(large, (small, 1, 1 - share), (large, rate, share)), VaryServers(low=large, high=60))
    assert curve.parameter.tolist() == list(range(large, 61))
    waste = [
        two_class(servers=k, needs=(small, large), shares=(1 - share, share), rates=(1, rate)).wasted_servers
        for k in range(large, 61)
    ]
    np.testing.assert_allclose(curve.wasted_servers, waste, rtol=1e-9)
    assume(np.abs(np.diff(waste)).min() > 1e-7 * max(waste))
    turns = [k for k in range(1, len(waste) - 1) if (waste[k] > waste[k - 1]) == (waste[k] > waste[k + 1])]
    assert [e.parameter for e in curve.extrema if not e.at_end] == [large + k for k in turns]
    assert kinds(curve, ends=False) == ["pessimum" if waste[k] > waste[k - 1] else "optimum" for k in turns]


def test_one_class_is_a_sawtooth():
    curve = waste_curve(simple(7, (3, 1, 1)), "servers=3..14")
    assert curve.wasted_servers.tolist() == [k % 3 for k in range(3, 15)]
    assert [e.parameter for e in curve.extrema] == [3, 5, 6, 8, 9, 11, 12, 14]
    assert waste_curve(simple(7, (3, 1, 1)), "servers=3..14..3").wasted_servers.tolist() == [0, 0, 0, 0]


def test_a_class_without_arrivals_does_not_limit_the_servers():
    curve = waste_curve(simple(20, (3, 1, 1), (20, 1, 0)), "servers=3..14")
    assert curve.wasted_servers.tolist() == [k % 3 for k in range(3, 15)]


# --- flat curves, forms of the answer ---


def same_needs(**durations):
    return [JobClass(name=name, need=2, share=0.5, duration=duration) for name, duration in durations.items()]


def test_a_flat_curve_has_no_extrema():
    curve = waste_curve(simple(5, (1, 1, 1)), "servers=2..9")
    assert not curve.wasted_servers.any()
    assert curve.extrema == ()


def test_rounding_is_no_turn():
    classes = same_needs(a=Erlang(stages=2, mean=1), b=Erlang(stages=3, mean=1))
    curve = waste_curve(System(servers=5, classes=classes), "rate-ratio=0.001..1000", points=40)
    np.testing.assert_allclose(curve.wasted_servers, 1, rtol=1e-12)
    assert curve.extrema == ()


@pytest.mark.parametrize(
    ("vary", "place"),
    [("share:need 4=0..1", "class_share"), ("rate-ratio=0.1..10", "rate_ratio"), ("servers=4..20", "servers")],
)
def test_the_rows_of_the_verb_are_the_arrays(vary, place):
    system = simple(9, (1, 1, 0.5), (4, 2, 0.5))
    points = None if place == "servers" else 12
    curve, result = waste_curve(system, vary, points=points), msj.waste(system, vary, points=points)
    for name in COLUMNS:
        points = [(x, row.value) for x, row in result.along(place, name) if "extremum" not in row.at]
        assert points == list(zip(curve.parameter.tolist(), getattr(curve, name).tolist(), strict=True))
    turns = [(x, row.at["extremum"]) for x, row in result.along(place, "wasted_servers") if "extremum" in row.at]
    assert turns == [(e.parameter, e.kind) for e in curve.extrema]


def test_points_are_about_as_many_as_asked_and_progress_counts_them():
    seen = []
    curve = waste_curve(simple(9, (1, 1, 0.5), (4, 2, 0.5)), "share:need 4=0..1", points=50, progress=seen.append)
    assert 25 <= len(curve.parameter) <= 55
    assert [now.words for now in seen] == [f"{n} systems solved" for n in range(1, curve.systems_solved + 1)]
    assert all(0 < one.done < other.done < 1 for one, other in pairwise(seen))


def test_forced_methods_agree():
    system = simple(9, (1, 1, 0.5), (4, 2, 0.5), load=0.7)
    form, chain = (waste_curve(system, "servers=4..20", method=method) for method in ("closed-form", "chain"))
    np.testing.assert_allclose(form.wasted_servers, chain.wasted_servers, rtol=1e-10)
    assert set(chain.method) == {"saturated chain"}


# --- texts and refusals ---


@pytest.mark.parametrize(
    ("text", "vary"),
    [
        ("share:large=0..1", VaryShare(job_class="large")),
        ("share:a=b:c=0.25..0.5", VaryShare(job_class="a=b:c", low="1/4", high=0.5)),
        ("rate-ratio=0.01..100", VaryRateRatio(low=0.01, high=100)),
        ("servers=10..400", VaryServers(low=10, high=400)),
        ("servers=10..400..10", VaryServers(low=10, high=400, step=10)),
    ],
)
def test_texts_go_both_ways(text, vary):
    assert parse_vary(text) == vary
    assert str(vary) == text


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("share=0..1", "'share=0..1' does not say what to vary; write one of share:CLASS=0..1"),
        ("servers:large=1..2", "does not say what to vary"),
        ("shares:large=0..1", "does not say what to vary"),
        ("share:large", "does not say what to vary"),
        ("", "'' does not say what to vary"),
        ("share:large=0-1", "share:large = '0-1' is not a number"),
        ("share:large=0...1", "'0...1' in 'share:large=0...1' is no range; write one of share:CLASS=0..1"),
        ("rate-ratio=1..10..2..3", "is no range"),
        ("share:large=0..2", "high = 2 must lie between 0 and 1"),
        ("share:large=x..1", "low = 'x' is not a number"),
        ("share:large=..1", "is no range"),
        ("rate-ratio=0..1", "low = 0 must be greater than 0"),
        ("rate-ratio=5..5", "rate-ratio=5..5 does not rise; write the lower value first"),
        ("servers=1.5..4", "low = 3/2 must be a whole number"),
        ("servers=4..9..0", "step = 0 must be at least 1"),
    ],
)
def test_bad_texts_get_a_sentence(text, sentence):
    with pytest.raises(InvalidInput) as caught:
        parse_vary(text)
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("system", "vary", "error", "sentence"),
    [
        (THREE, "share:need 6=0..1", InvalidInput, "there is no class 'need 6'; did you mean 'need"),
        (simple(3, (1, 1, 1)), "share:need 1=0..1", InvalidInput, "class 'need 1' has all arrivals"),
        (simple(3, (1, 1, 1), (2, 1, 0), (3, 1, 0)), "share:need 1=0..1", InvalidInput, "nothing says which classes"),
        (THREE, "rate-ratio=1..2", InvalidInput, "takes two classes and 3 arrive; vary a share or servers"),
        (THREE, "servers=4..9", InvalidInput, "servers=4..9: class 'need 5' needs 5 of 4 servers"),
        (simple(9, (1, 1, 1)), "servers=1..10000000", TooLarge, "add a step"),
        (
            System(servers=4, classes=same_needs(a=Erlang(stages=2, mean=1), b=Deterministic(value=1))),
            "share:b=0..1",
            NotSupported,
            "class 'b' has deterministic durations",
        ),
    ],
)
def test_what_cannot_be_varied_is_refused(system, vary, error, sentence):
    with pytest.raises(error) as caught:
        waste_curve(system, vary)
    assert sentence in str(caught.value)


def test_points_do_not_go_with_servers():
    with pytest.raises(InvalidInput, match=r"points = 9 does not go with servers=5\.\.9; write a step"):
        waste_curve(THREE, "servers=5..9", points=9)
    with pytest.raises(InvalidInput, match="points = 2 must be at least 3"):
        waste_curve(THREE, "share:need 5=0..1", points=2)
    with pytest.raises(NotSupported, match="no closed form applies"):
        waste_curve(THREE, "share:need 5=0..1", method="closed-form")
