import time

import mpmath
import numpy as np
import pytest
from brute_force_saturated import saturated
from hypothesis import given
from hypothesis import strategies as st

from msj.closed_forms import one_and_n
from msj.closed_forms.smooth_sums import sum_over_integers
from msj.errors import InvalidInput, TooLarge


@st.composite
def small_systems(draw):
    rates = st.floats(0.05, 20)
    return {
        "servers": draw(st.integers(2, 14)),
        "share_large": draw(st.floats(0.02, 0.98)),
        "rate_small": draw(rates),
        "rate_large": draw(rates),
    }


def lemmas_5_3_and_5_5(servers, share_large, rate_small, rate_large, digits=60):
    """Threshold, n mu_1/mu - 1, waste, E[Delta(Y_d)] and Delta(0), Delta(n), as printed, in many digits."""
    with mpmath.workdps(digits):
        n, p, mu1, mun = servers, *map(mpmath.mpf, (share_large, rate_small, rate_large))
        powers = [mpmath.mpf(1)]
        for _ in range(n):
            powers.append(powers[-1] * (1 - p))
        inverse = 1 / mun + powers[n] / (n * mu1 * p) + mpmath.fsum(powers[b] / (b * mu1) for b in range(1, n))
        mu = 1 / (p * inverse)
        waste = mpmath.fsum((n - b) * mu * p * powers[b] / (b * mu1) for b in range(1, n))
        offsets = [mpmath.mpf(0)]  # Delta(i) - Delta(0)
        for i in range(1, n):
            offsets.append(offsets[-1] + 1 - mu / (i * mu1))
        offsets.append(offsets[-1] + 1 / p - mu / (n * p * mu1))
        departure = [powers[i] * p for i in range(n)] + [powers[n]]
        over_time = [mu * x / (i * mu1 or mun) for i, x in enumerate(departure)]
        mean = mpmath.fdot(over_time, offsets)
        return mu, n * mu1 / mu - 1, waste, mpmath.fdot(departure, offsets) - mean, -mean, offsets[n] - mean


def blocked_or_running(servers):
    """The brute-force chain's name for the state with b small jobs."""
    names = [((1,), None)] + [((0,) * b, 1) for b in range(1, servers)]
    return [*names, ((0,) * servers, None)]


@given(small_systems())
def test_every_answer_is_the_brute_force_chains(system):
    n, share = system["servers"], system["share_large"]
    closed = one_and_n(**system)
    slow = saturated(n, (1, n), (1 - share, share), (system["rate_small"], system["rate_large"]))
    order = [slow.states.index(name) for name in blocked_or_running(n)]
    assert len(order) == len(slow.states)
    laws = closed.laws()
    np.testing.assert_allclose(laws.time_average, slow.time_average[order], rtol=1e-10, atol=1e-13)
    np.testing.assert_allclose(laws.departure_average, slow.departure_average[order], rtol=1e-10, atol=1e-13)
    scale = np.max(np.abs(slow.relative_completions))
    np.testing.assert_allclose(closed.relative_completions(), slow.relative_completions[order], atol=1e-10 * scale)
    assert closed.relative_completions_at_departure == pytest.approx(
        slow.relative_completions_at_departure, rel=1e-10, abs=1e-11 * scale
    )
    assert closed.stability_threshold == pytest.approx(slow.stability_threshold, rel=1e-10)
    assert closed.wasted_servers == pytest.approx(slow.wasted_servers, rel=1e-10)
    assert closed.saturated_utilisation == pytest.approx(1 - slow.wasted_servers / n, rel=1e-10)


@given(small_systems())
def test_the_transition_law_is_stationary(system):
    """lfms, section 5.1: the transition probabilities as listed there, applied once."""
    laws, n, p = one_and_n(**system).laws(), system["servers"], system["share_large"]
    filling, completing = np.zeros(n + 1), np.zeros(n)
    filling[1:] += laws.filling[:-1] * (1 - p)
    filling[0] += laws.completing[0]
    filling[n - 1] += laws.filling[n]
    completing += laws.filling[:-1] * p
    completing[:-1] += laws.completing[1:]
    np.testing.assert_allclose(filling, laws.filling, rtol=1e-12)
    np.testing.assert_allclose(completing, laws.completing, rtol=1e-12)
    assert np.sum(laws.filling) + np.sum(laws.completing) == pytest.approx(1, rel=1e-12)
    assert np.sum(laws.time_average) == pytest.approx(1, rel=1e-12)
    assert np.sum(laws.departure_average) == pytest.approx(1, rel=1e-12)


@pytest.mark.parametrize(
    ("servers", "share_large", "rate_small", "rate_large", "threshold", "at_departure"),
    [
        (2, 1 / 3, 1, 0.5, 9 / 10, 0.43),
        (4, 0.58, 0.25, 1, 0.5412908340, 0.3271131265),
        (10, 0.9, 0.1, 1, 0.5410539156, 1.8498581387),
        (20, 0.5, 1, 0.5, 0.7426255837, 0.3407306506),
    ],
)
def test_known_numbers(servers, share_large, rate_small, rate_large, threshold, at_departure):
    system = one_and_n(servers=servers, share_large=share_large, rate_small=rate_small, rate_large=rate_large)
    assert system.stability_threshold == pytest.approx(threshold, rel=2e-10)
    assert system.relative_completions_at_departure == pytest.approx(at_departure, rel=2e-10)


def test_known_relative_completions():
    system = one_and_n(servers=2, share_large=1 / 3, rate_small=1.0, rate_large=0.5)
    np.testing.assert_allclose(system.relative_completions(), [-0.37, -0.27, 1.38], rtol=1e-13)


def test_the_waste_reported_for_two_hundred_servers():
    system = one_and_n(servers=200, share_large=0.013, rate_small=2.0, rate_large=1.0)
    assert round(system.wasted_servers) == 125
    assert round(system.saturated_utilisation, 2) == 0.37


@pytest.mark.parametrize("servers", [2, 3, 65, 1_000])
@pytest.mark.parametrize("exponent", [0.01, 0.5, 1, 2, 3, 10])
@pytest.mark.parametrize("rate_large", [1.0, 1e-9, 1e9])
def test_thirteen_digits_against_sixty_digit_arithmetic(servers, exponent, rate_large):
    share = float(servers) ** -exponent
    system = one_and_n(servers=servers, share_large=share, rate_small=1.0, rate_large=rate_large)
    mu, shortfall, waste, at_departure, empty, full = lemmas_5_3_and_5_5(servers, share, 1.0, rate_large)
    assert abs(system.stability_threshold / mu - 1) < 1e-14
    assert abs(system.threshold_shortfall / shortfall - 1) < 1e-13
    assert abs(system.wasted_servers / waste - 1) < 1e-13
    assert abs(system.saturated_utilisation / (1 - waste / servers) - 1) < 1e-13
    assert abs(system.relative_completions_at_departure / at_departure - 1) < 1e-13
    completions = system.relative_completions()
    assert abs(completions[0] - empty) < 1e-13 * abs(max(empty, full, key=abs))
    assert abs(completions[-1] - full) < 1e-13 * abs(max(empty, full, key=abs))


@pytest.mark.parametrize("exponent", [0.5, 1, 2, 3])
def test_ten_thousand_servers_against_sixty_digit_arithmetic(exponent):
    share = 1e4**-exponent
    system = one_and_n(servers=10_000, share_large=share, rate_small=3.0, rate_large=1.0)
    mu, shortfall, waste, at_departure, _, full = lemmas_5_3_and_5_5(10_000, share, 3.0, 1.0)
    assert abs(system.stability_threshold / mu - 1) < 1e-14
    assert abs(system.threshold_shortfall / shortfall - 1) < 1e-13
    assert abs(system.wasted_servers / waste - 1) < 1e-13
    assert abs(system.relative_completions_at_departure / at_departure - 1) < 1e-13
    assert abs(system.relative_completions()[-1] / full - 1) < 1e-12


@pytest.mark.parametrize("exponent", [0.5, 1, 2])
def test_three_million_servers_against_term_by_term_sums(exponent):
    """The same sums, every term visited in extended precision and in two orders of chunks."""
    n, share = 3_000_000, np.longdouble(3e6**-exponent)
    system = one_and_n(servers=n, share_large=float(share), rate_small=1.0, rate_large=1.0)
    for chunk in (1 << 17, 100_003):
        idle = np.longdouble(0)
        for start in range(1, n, chunk):
            b = np.arange(start, min(start + chunk, n), dtype=np.longdouble)
            idle += np.sum(np.exp(b * np.log1p(-share)) * (n - b) / b)
        inverse = (1 - share) + share * (n + idle)
        assert system.stability_threshold == pytest.approx(float(n / inverse), rel=1e-14)
        assert system.wasted_servers == pytest.approx(float(n * share * idle / inverse), rel=1e-14)


#: Term-by-term sums of Lemmas 5.3 and 5.5 over all 10^8 terms in 64-bit-mantissa arithmetic, mu_1 = mu_n = 1.
HUNDRED_MILLION = {
    0.5: (979.399279131429, 4225.34771408995),
    1: (5110077.12987806, 43660151.3958518),
    2: (99999981.0021072, 181.782431463733),
}


@pytest.mark.parametrize("exponent", [0.5, 1, 2])
def test_a_hundred_million_servers(exponent):
    n, share = 10**8, 1e8**-exponent
    started = time.perf_counter()
    system = one_and_n(servers=n, share_large=share, rate_small=1.0, rate_large=1.0)
    seconds = time.perf_counter() - started
    print(f"n = 10^8, p_n = n^-{exponent}: {seconds:.3f} s")
    assert seconds < 5
    threshold, at_departure = HUNDRED_MILLION[exponent]
    assert system.stability_threshold == pytest.approx(threshold, rel=1e-12)
    assert system.relative_completions_at_departure == pytest.approx(at_departure, rel=1e-12)
    # All jobs demand n p_n + p_1 server-seconds on average, and that is what busy servers deliver.
    busy = system.stability_threshold * ((1 - share) + n * share)
    assert system.saturated_utilisation == pytest.approx(busy / n, rel=1e-13)


def test_the_regimes_are_approached():
    """lfms, Theorems 4.1-4.3: the relative distance to the asymptotic form shrinks with n."""
    for exponent in (0.5, 1.0):  # both quantities, with an error of order 1/ln n
        distance = []
        for n in (10**4, 10**8, 10**12):
            share = n**-exponent
            system = one_and_n(servers=n, share_large=share, rate_small=1.0, rate_large=1.0)
            distance.append(
                (
                    abs(system.stability_threshold * share * np.log(1 / share) - 1),
                    abs(system.relative_completions_at_departure * 2 * share - 1),
                )
            )
        assert np.all(np.diff(distance, axis=0) < 0)
        assert np.all(np.array(distance[-1]) < 0.15)
    # alpha = 2, the shortfall itself: n (n mu_1/mu - 1) - ln n tends to mu_1/mu_n - 1 plus Euler's constant, which
    # Theorem 4.3 loses where the proof of Lemma 8.3 puts ln n for a harmonic number.
    for n in (10**4, 10**8, 10**12):
        system = one_and_n(servers=n, share_large=float(n) ** -2, rate_small=1.0, rate_large=0.25)
        constant = system.threshold_shortfall * n - np.log(n)
        assert constant == pytest.approx(4 - 1 + np.euler_gamma, abs=30 * np.log(n) / n)


@given(st.integers(1, 300), st.integers(0, 3_000), st.floats(1e-6, 3))
def test_smooth_sums_are_sums(start, length, decay):
    def function(b):
        return np.exp(-decay * b) / (1 + b) ** 2

    every = function(np.arange(start, start + length, dtype=float))
    assert sum_over_integers(function, start, start + length) == pytest.approx(
        float(np.sum(every)), rel=1e-13, abs=1e-13 * float(function(float(1)))
    )


@pytest.mark.parametrize(
    ("change", "error", "sentence"),
    [
        ({"servers": 1}, InvalidInput, "servers is 1, where both kinds of job need the same"),
        ({"servers": 2.5}, InvalidInput, "servers is 2.5 but must be a whole number; round it"),
        ({"servers": 10**17}, TooLarge, "lower it"),
        ({"share_large": 0.0}, InvalidInput, "share_large is 0.0 but a share must lie strictly between 0 and 1"),
        ({"share_large": 1.0}, InvalidInput, "share_large is 1.0 but a share must lie strictly between 0 and 1"),
        ({"rate_small": 0.0}, InvalidInput, "rate_small is 0.0 but a rate"),
        ({"rate_large": -2.0}, InvalidInput, "rate_large is -2.0 but a rate"),
        ({"rate_large": 1e-200}, InvalidInput, "further apart than a factor 1e+120; bring them closer"),
    ],
)
def test_what_does_not_make_sense_is_refused_in_one_sentence(change, error, sentence):
    system = {"servers": 4, "share_large": 0.5, "rate_small": 1.0, "rate_large": 2.0, **change}
    with pytest.raises(error) as caught:
        one_and_n(**system)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_arrays_beyond_memory_are_refused():
    system = one_and_n(servers=10**8, share_large=1e-8, rate_small=1.0, rate_large=1.0)
    for request in (system.laws, system.relative_completions):
        with pytest.raises(TooLarge, match="arrays over 100000000 \\+ 1 states"):
            request()


@pytest.mark.parametrize("rare", [1e-3, 1e-9, 1e-12, 1e-30])
@pytest.mark.parametrize("servers", [2, 10, 200])
def test_rare_small_jobs_lose_no_digits_if_their_share_is_given(servers, rare):
    rates = {"rate_small": 1e-6, "rate_large": 1e6}
    found = one_and_n(servers=servers, share_large=1 - rare, share_small=rare, **rates)
    with mpmath.workdps(80):
        wanted = lemmas_5_3_and_5_5(servers, 1 - mpmath.mpf(rare), digits=80, **rates)
    for value, exact in zip(
        (
            found.stability_threshold,
            found.threshold_shortfall,
            found.wasted_servers,
            found.relative_completions_at_departure,
        ),
        wanted,
        strict=False,
    ):
        assert value == pytest.approx(float(exact), rel=1e-11)


def test_shares_that_do_not_sum_to_one_are_refused():
    with pytest.raises(InvalidInput, match="sum to 1"):
        one_and_n(servers=4, share_large=0.5, share_small=0.4, rate_small=1.0, rate_large=1.0)


def test_two_servers_and_rare_large_jobs_lose_no_digits():
    # For n = 2 the shortfall is p·(2·mu_1/mu_2 − p), where 1 − p would round its last digits away.
    with mpmath.workdps(60):
        p, small, large = mpmath.mpf("1e-10"), mpmath.mpf("1e-9"), mpmath.mpf(1)
        q = 1 - p
        inverse = q + p * (2 * small / large + q)
        expected = inverse - 1
    found = one_and_n(servers=2, share_large=1e-10, rate_small=1e-9, rate_large=1.0)
    assert found.threshold_shortfall == pytest.approx(float(expected), rel=1e-13, abs=0)  # it is 1.9e-19
