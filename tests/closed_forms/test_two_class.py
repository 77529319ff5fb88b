import time

import mpmath
import numpy as np
import pytest
from brute_force_saturated import saturated
from hypothesis import given
from hypothesis import strategies as st

import msj
from msj.closed_forms import fast_large_jobs_limit, one_and_n, same_law, slow_large_jobs_limit, two_class
from msj.errors import InvalidInput, NotSupported, TooLarge


@st.composite
def small_systems(draw):
    servers = draw(st.integers(2, 12))
    needs = draw(st.lists(st.integers(1, servers), min_size=2, max_size=2, unique=True))
    share = draw(st.floats(0.02, 0.98))
    rates = draw(st.tuples(st.floats(0.05, 20), st.floats(0.05, 20)))
    return {"servers": servers, "needs": tuple(needs), "shares": (share, 1 - share), "rates": rates}


def theorem_4_1(servers, needs, share_large, rates, digits=50):
    """Threshold and waste by multiplying Theorem 4.1 out in many digits; needs in rising order."""
    with mpmath.workdps(digits):
        (n1, n2), p2 = needs, mpmath.mpf(share_large)
        p1, mu1, mu2 = 1 - p2, mpmath.mpf(rates[0]), mpmath.mpf(rates[1])
        class_2_factor = [mpmath.mpf(1)]
        for j in range(1, servers // n2 + 1):
            a = (servers - j * n2) // n1
            class_2_factor.append(class_2_factor[-1] * p2 * (a * mu1 + j * mu2) / (j * mu2))
        class_1_factor, departures, times, idle_times = mpmath.mpf(1), 0, 0, 0
        for a in range(servers // n1 + 1):
            b = (servers - a * n1) // n2
            idle = servers - a * n1 - b * n2
            if a:
                class_1_factor *= p1 * (a * mu1 + b * mu2) / (a * mu1)
            departure = class_1_factor * class_2_factor[b] * (p2 if idle >= n1 else 1)
            departures += departure
            times += departure / (a * mu1 + b * mu2)
            idle_times += idle * departure / (a * mu1 + b * mu2)
        return departures / times, idle_times / times


def test_the_states_of_the_3_10_30_system_are_the_papers():
    paper = [
        [0, 0, 3],
        [1, 1, 2],
        [1, 2, 2],
        [0, 3, 2],
        [1, 4, 1],
        [1, 5, 1],
        [0, 6, 1],
        [1, 7, 0],
        [1, 8, 0],
        [1, 9, 0],
        [0, 10, 0],
    ]
    states = two_class(servers=30, needs=(3, 10), shares=(0.5, 0.5), rates=(1.0, 1.0)).states
    assert [[int(blocked > 0), a, b] for blocked, a, b in states.tolist()] == paper
    assert set(states[:, 0].tolist()) == {0, 2}
    turned = two_class(servers=30, needs=(10, 3), shares=(0.5, 0.5), rates=(1.0, 1.0)).states
    assert [[int(blocked > 0), a, b] for blocked, b, a in turned.tolist()] == paper
    assert set(turned[:, 0].tolist()) == {0, 1}


@given(small_systems())
def test_every_state_has_the_brute_force_chains_probability(system):
    closed, slow = two_class(**system), saturated(**system)
    assert len(closed.states) == len(slow.states)
    for (blocked, a, b), over_time, at_departure in zip(
        closed.states.tolist(), closed.time_average, closed.departure_average, strict=True
    ):
        here = slow.states.index(((0,) * a + (1,) * b, blocked - 1 if blocked else None))
        assert over_time == pytest.approx(slow.time_average[here], rel=1e-10, abs=1e-13)
        assert at_departure == pytest.approx(slow.departure_average[here], rel=1e-10, abs=1e-13)
    assert closed.stability_threshold == pytest.approx(slow.stability_threshold, rel=1e-10)
    assert closed.wasted_servers == pytest.approx(slow.wasted_servers, rel=1e-10, abs=1e-12)
    assert closed.saturated_utilisation == pytest.approx(1 - slow.wasted_servers / system["servers"], rel=1e-10)


@given(small_systems())
def test_relative_completions_are_those_of_the_brute_force_chain(system):
    closed, slow = two_class(**system), saturated(**system)
    expected = slow.relative_completions_at_departure
    assert closed.relative_completions_at_departure == pytest.approx(expected, rel=1e-9, abs=1e-12)
    for (blocked, a, b), ahead in zip(closed.states.tolist(), closed.relative_completions, strict=True):
        here = slow.states.index(((0,) * a + (1,) * b, blocked - 1 if blocked else None))
        assert ahead == pytest.approx(slow.relative_completions[here], rel=1e-9, abs=1e-10)
    assert closed.time_average @ closed.relative_completions == pytest.approx(0.0, abs=1e-12 * system["servers"])


def completions_in_many_digits(servers, needs, share_large, ratio, digits=60):
    """Threshold and Delta(Y_d) by solving the chain of the number of small jobs, made from words, in many digits."""
    with mpmath.workdps(digits):
        (n1, n2), p2, r = needs, mpmath.mpf(share_large), mpmath.mpf(ratio)
        last = servers // n1
        large = [(servers - a * n1) // n2 for a in range(last + 1)]
        room = [servers - a * n1 - large[a] * n2 >= n1 for a in range(last + 1)]  # for one more small job
        rates = mpmath.zeros(last + 1, last + 1)
        for a in range(last + 1):
            if a:
                rates[a, a - 1] += a * (1 if room[a] else p2)
            at, left = a, large[a] * r
            while at < last and (room[at] or at == a):  # who fits starts, until a large one comes
                rates[a, at] += left * p2
                at, left = at + 1, left * (1 - p2)
            rates[a, at] += left
        for a in range(last + 1):
            rates[a, a] = -sum(rates[a, other] for other in range(last + 1) if other != a)
        completions = mpmath.matrix([a + large[a] * r for a in range(last + 1)])
        ones, zeros = mpmath.ones(1, last + 1), [0] * last
        balance, poisson = rates.T, rates.copy()
        balance[0, :] = ones
        law = mpmath.lu_solve(balance, mpmath.matrix([1, *zeros]))
        threshold = mpmath.fdot(law, completions)
        right = mpmath.matrix([threshold - each for each in completions])
        poisson[0, :], right[0] = law.T, 0
        ahead = mpmath.lu_solve(poisson, right)
        return threshold, sum(x * c * d for x, c, d in zip(law, completions, ahead, strict=True)) / threshold


@pytest.mark.parametrize(
    ("servers", "needs", "share_large", "ratio"),
    [
        (12, (1, 5), 1e-9, 1e-3),
        (20, (3, 7), 1e-12, 1e6),
        (20, (2, 9), 1 - 1e-10, 1e-5),
        (30, (3, 10), 1e-4, 3.0),
        (15, (4, 5), 1e-14, 1e-2),
        (15, (1, 14), 0.999999, 1e4),
    ],
)
def test_rare_jobs_keep_the_digits_of_their_relative_completions(servers, needs, share_large, ratio):
    found = two_class(servers=servers, needs=needs, shares=(1 - share_large, share_large), rates=(1.0, ratio))
    threshold, expected = completions_in_many_digits(servers, needs, share_large, ratio)
    assert found.stability_threshold == pytest.approx(float(threshold), rel=1e-12)
    assert found.relative_completions_at_departure == pytest.approx(float(expected), rel=1e-12, abs=0)


@pytest.mark.parametrize("share", [0.5, 1e-3, 1e-5, 1e-8])
@pytest.mark.parametrize("rates", [(1.0, 1.0), (10.0, 1.0), (1.0, 10.0)])
def test_relative_completions_of_one_and_n_are_lemma_5_5(share, rates):
    for servers in (2, 1000, 200_000):
        both = two_class(servers=servers, needs=(1, servers), shares=(1 - share, share), rates=rates)
        sums = one_and_n(servers=servers, share_large=share, rate_small=rates[0], rate_large=rates[1])
        expected = sums.relative_completions_at_departure
        assert both.relative_completions_at_departure == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize(
    ("servers", "needs", "share", "rates"),
    [
        (10_000, (1, 100), 0.01, (1.0, 0.2)),
        (30_000, (7, 3_000), 1e-3, (1.0, 3.0)),
        (20_000, (3, 5), 0.4, (1.0, 1.0)),
        (50_000, (1, 49_999), 1e-4, (0.1, 1.0)),
    ],
)
def test_relative_completions_of_large_clusters_are_the_chains(servers, needs, share, rates):
    classes = [
        msj.JobClass(name=f"{need}", need=need, share=each, duration=msj.Exponential(rate=rate))
        for need, each, rate in zip(needs, (1 - share, share), rates, strict=True)
    ]
    chain = msj.analyse(msj.System(servers=servers, classes=classes), method="chain", percentiles=False)
    found = two_class(servers=servers, needs=needs, shares=(1 - share, share), rates=rates)
    assert found.stability_threshold == pytest.approx(chain["stability_threshold"], rel=1e-9)
    expected = chain["relative_completions_at_departure"]
    assert found.relative_completions_at_departure == pytest.approx(expected, rel=1e-7)


def test_relative_completions_are_reached_by_analyse_and_classes_alike_are_one():
    exponential = msj.Exponential(rate=1)
    parts = ((1, "1/4"), (1, "1/4"), (3, "1/2"))
    classes = [msj.JobClass(name=f"{i}", need=v, share=p, duration=exponential) for i, (v, p) in enumerate(parts)]
    found = msj.analyse(msj.System(servers=20, classes=classes), percentiles=False)
    row = found.row("relative_completions_at_departure")
    assert row.method == "two-class product form"
    chain = msj.analyse(msj.System(servers=20, classes=classes), method="chain", percentiles=False)
    assert row.value == pytest.approx(chain["relative_completions_at_departure"], rel=1e-9)


@given(small_systems(), st.floats(1e-6, 1e6))
def test_waste_depends_on_the_rates_through_their_ratio_only(system, factor):
    """twoclass, Claim 1."""
    faster = {**system, "rates": tuple(factor * rate for rate in system["rates"])}
    assert two_class(**faster).wasted_servers == pytest.approx(two_class(**system).wasted_servers, rel=1e-12)
    assert two_class(**faster).stability_threshold == pytest.approx(
        factor * two_class(**system).stability_threshold, rel=1e-12
    )


@given(small_systems())
def test_busy_servers_carry_the_work_that_arrives(system):
    """Each class completes its share of the throughput, so the busy servers are threshold times mean work."""
    closed = two_class(**system)
    for c in (0, 1):
        completed = closed.time_average @ closed.states[:, 1 + c] * system["rates"][c]
        assert completed == pytest.approx(closed.stability_threshold * system["shares"][c], rel=1e-12)


@given(small_systems())
def test_the_order_of_the_classes_does_not_matter(system):
    turned = {name: value[::-1] if isinstance(value, tuple) else value for name, value in system.items()}
    assert two_class(**turned).wasted_servers == pytest.approx(two_class(**system).wasted_servers, rel=1e-13)
    assert two_class(**turned).needs == turned["needs"]
    assert (two_class(**turned).states[:, 1:] == two_class(**system).states[:, :0:-1]).all()


@pytest.mark.parametrize(("need", "share", "wasted", "utilisation"), [(100, 0.064, 77, 0.61), (200, 0.013, 125, 0.37)])
def test_the_waste_reported_in_section_9_1(need, share, wasted, utilisation):
    system = two_class(servers=200, needs=(1, need), shares=(1 - share, share), rates=(2.0, 1.0))
    assert round(system.wasted_servers) == wasted
    assert round(system.saturated_utilisation, 2) == pytest.approx(utilisation)


@pytest.mark.parametrize(
    ("servers", "needs", "share_large", "rates", "threshold"),
    [
        (2, (1, 2), 1 / 3, (1, 0.5), 9 / 10),
        (4, (1, 4), 0.58, (0.25, 1), 0.5412908340),
        (10, (1, 10), 0.9, (0.1, 1), 0.5410539156),
        (20, (1, 20), 0.5, (1, 0.5), 0.7426255837),
        (4, (1, 4), 0.5, (0.5, 2 / 3), 96 / 139),
    ],
)
def test_known_thresholds(servers, needs, share_large, rates, threshold):
    system = two_class(servers=servers, needs=needs, shares=(1 - share_large, share_large), rates=rates)
    assert system.stability_threshold == pytest.approx(threshold, rel=1e-9)


@pytest.mark.parametrize(
    ("servers", "needs", "share_large", "ratio"),
    [
        (10_000, (3, 10), 0.2, 0.3),
        (10_000, (1, 10_000), 1e-4, 1.0),
        (10_000, (1, 3_333), 3e-4, 0.1),
        (10_000, (7, 5_000), 1e-12, 1e-9),
        (9_999, (2, 5_000), 0.4, 1e9),
        (10_000, (1, 2), 1e-6, 20.0),
        (10_000, (1, 300), 3e-3, 1 / 3),
    ],
)
def test_twelve_digits_against_fifty_digit_arithmetic(servers, needs, share_large, ratio):
    system = two_class(servers=servers, needs=needs, shares=(1 - share_large, share_large), rates=(1.0, ratio))
    threshold, waste = theorem_4_1(servers, needs, share_large, (1.0, ratio))
    assert abs(system.stability_threshold / threshold - 1) < 1e-12
    assert abs(system.wasted_servers / waste - 1) < 1e-12


@pytest.mark.parametrize("needs", [(3, 10), (1, 1_000), (1, 1_000_000), (999, 1_000)])
@pytest.mark.parametrize("share", [0.5, 1e-6, 1e-300])
def test_a_million_servers(needs, share):
    for ratio in (1e-9, 1.0, 1e9):
        for shares in ((1 - share, share), (share, 1 - share)):
            started = time.process_time()
            system = two_class(servers=1_000_000, needs=needs, shares=shares, rates=(1.0, ratio))
            seconds = time.process_time() - started
            print(f"{needs} {shares} {ratio:g}: {seconds:.2f} s")
            assert seconds < 5
            mean_work = shares[0] * needs[0] + shares[1] * needs[1] / ratio
            assert system.saturated_utilisation * 1e6 == pytest.approx(system.stability_threshold * mean_work, rel=1e-9)
            assert system.wasted_servers == pytest.approx(1e6 * (1 - system.saturated_utilisation), abs=1e-8)


def test_agrees_with_the_1_and_n_form_at_a_million_servers():
    for share in (1e-3, 1e-6, 1e-12):
        two = two_class(servers=10**6, needs=(1, 10**6), shares=(1 - share, share), rates=(1.0, 0.3))
        one = one_and_n(servers=10**6, share_large=share, rate_small=1.0, rate_large=0.3)
        assert two.stability_threshold == pytest.approx(one.stability_threshold, rel=1e-11)
        assert two.wasted_servers == pytest.approx(one.wasted_servers, rel=1e-11)


def test_agrees_with_the_one_law_form_when_the_rates_are_equal():
    two = two_class(servers=10_000, needs=(3, 70), shares=(0.9, 0.1), rates=(2.0, 2.0))
    one = same_law(servers=10_000, needs=(3, 70), shares=(0.9, 0.1), rate=2.0)
    assert two.stability_threshold == pytest.approx(one.stability_threshold, rel=1e-12)
    assert two.wasted_servers == pytest.approx(one.wasted_servers, rel=1e-12)


@given(small_systems())
def test_the_limits_are_approached_at_extreme_ratios(system):
    """twoclass, section 9.2: the error is of the order of the ratio."""
    large = int(np.argmax(system["needs"]))
    parameters = {name: system[name] for name in ("servers", "needs", "shares")}
    for limit, large_rate in ((slow_large_jobs_limit, 1e-14), (fast_large_jobs_limit, 1e14)):
        rates = (large_rate, 1.0) if large == 0 else (1.0, large_rate)
        finite, extreme = two_class(**parameters, rates=rates), limit(**parameters)
        assert finite.wasted_servers == pytest.approx(extreme.wasted_servers, rel=1e-8, abs=1e-8)
        assert finite.saturated_utilisation == pytest.approx(extreme.saturated_utilisation, rel=1e-8)


def test_the_limits_are_the_papers():
    system = {"servers": 3_002, "needs": (1, 1_000), "shares": (0.5, 0.5)}
    assert slow_large_jobs_limit(**system).wasted_servers == 2
    assert fast_large_jobs_limit(**system).wasted_servers == pytest.approx(1_000 - 1 / 0.5, abs=0.01)


def test_a_share_that_rounds_the_other_to_one():
    system = two_class(servers=10, needs=(1, 10), shares=(1.0, 1e-20), rates=(1.0, 1.0))
    threshold, waste = theorem_4_1(10, (1, 10), 1e-20, (1.0, 1.0), digits=60)
    assert system.wasted_servers == pytest.approx(float(waste), rel=1e-13)
    assert system.stability_threshold == pytest.approx(float(threshold), rel=1e-13)


def test_nobody_can_write_into_what_was_found():
    found = two_class(servers=6, needs=(1, 3), shares=(0.5, 0.5), rates=(1.0, 2.0))
    arrays = {name: value for name, value in vars(found).items() if isinstance(value, np.ndarray)}
    assert {"states", "time_average", "departure_average"} <= arrays.keys()
    for name, array in arrays.items():
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7
        assert not np.any(array[0] == 7), name


@pytest.mark.parametrize(
    ("change", "error", "sentence"),
    [
        ({"needs": (1, 5)}, InvalidInput, "needs[1] is 5 of 4 servers; raise servers or lower the need"),
        ({"needs": (0, 4)}, InvalidInput, "needs[0] is 0 but must be at least 1; raise it"),
        ({"needs": (1.5, 4)}, InvalidInput, "needs[0] is 1.5 but must be a whole number; round it"),
        ({"shares": (1.2, -0.2)}, InvalidInput, "shares[1] is -0.2 but must be above 0"),
        ({"shares": (1.0, 0.0)}, InvalidInput, "shares[1] is 0.0 but must be above 0"),
        ({"shares": (0.5, 0.4)}, InvalidInput, "shares sum to 0.9 but must sum to 1; divide each by 0.9"),
        ({"shares": (1.0,)}, InvalidInput, "1 shares given for 2 needs"),
        ({"rates": (1.0, 0.0)}, InvalidInput, "rates[1] is 0.0 but a rate"),
        ({"rates": (1.0, float("nan"))}, InvalidInput, "rates[1] is nan but must be a finite number"),
        ({"rates": (1e-100, 1e100)}, InvalidInput, "further apart than a factor 1e+120"),
        ({"rates": (1.0,)}, InvalidInput, "1 rates given for 2 classes"),
        ({"servers": 0}, InvalidInput, "servers is 0 but must be at least 1"),
        ({"servers": 10**9}, TooLarge, "at most 10000000 states fit; lower servers"),
        ({"needs": (4, 4)}, NotSupported, "both classes need 4 servers"),
        ({"needs": (1, 2, 4)}, NotSupported, "exactly 2 classes and 3 needs were given"),
    ],
)
def test_what_does_not_make_sense_is_refused_in_one_sentence(change, error, sentence):
    system = {"servers": 4, "needs": (1, 4), "shares": (0.5, 0.5), "rates": (1.0, 2.0), **change}
    with pytest.raises(error) as caught:
        two_class(**system)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)
