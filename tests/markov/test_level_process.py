from __future__ import annotations

import tracemalloc
from math import factorial

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.sparse.linalg import spsolve

from msj.errors import InvalidInput, NotAccurate, TooLarge, Unstable
from msj.markov.level_process import LevelProcess, estimate_memory, solve

ERLANG = (np.array([1.0, 0.0, 0.0]), np.array([[-3.0, 3.0, 0.0], [0.0, -3.0, 3.0], [0.0, 0.0, -3.0]]))
MIXTURE = (np.array([0.9, 0.1]), np.array([[-10.0, 0.0], [0.0, -1 / 9.1]]))  # two very unequal kinds of job
COXIAN = (np.array([0.3, 0.7]), np.array([[-2.0, 1.5], [0.1, -1.0]]))


def closed(off_diagonal, *others):
    """Return the local block whose rows sum to zero together with the others."""
    local = off_diagonal - np.diag(np.diag(off_diagonal))
    return local - np.diag(local.sum(axis=1) + sum(other.sum(axis=1) for other in others))


def mm_c(servers, arrival, service=1.0):
    rates = [n * service for n in range(servers + 1)]
    return LevelProcess(
        local=[[[-arrival - rate]] for rate in rates[:-1]],
        up=[[[arrival]]] * servers,
        down=[None, *([[rate]] for rate in rates[1:])],
        repeating_up=[[arrival]],
        repeating_local=[[-arrival - rates[-1]]],
        repeating_down=[[rates[-1]]],
    )


def m_ph_1(start, T, arrival):
    exits = -T.sum(axis=1)
    up = arrival * np.eye(len(T))
    return LevelProcess(
        local=[[[-arrival]]],
        up=[arrival * start[None, :]],
        down=[None, exits[:, None]],
        repeating_up=up,
        repeating_local=T - up,
        repeating_down=np.outer(exits, start),
    )


def modulated_mm1(arrivals, services, switching):
    """Return an M/M/1 queue whose rates follow a random environment."""
    up, down = np.diag(arrivals), np.diag(services)
    return LevelProcess(
        local=[closed(switching, up)],
        up=[up],
        down=[None, down],
        repeating_up=up,
        repeating_local=closed(switching, up, down),
        repeating_down=down,
    )


def random_process(seed, levels, phases):
    """Return a process of random blocks, with varying sizes, that drifts down at least twice as fast as up."""
    rng = np.random.default_rng(seed)
    sizes = [*rng.integers(1, phases + 1, levels), phases]

    def block(rows, columns, density):
        rates = rng.random((rows, columns)) * (rng.random((rows, columns)) < density)
        rates[np.arange(rows), rng.integers(0, columns, rows)] += 0.1  # no row without a way out
        return rates

    repeating_down = 1.0 + rng.random() * block(phases, phases, 0.5)  # full: one closed class
    repeating_up = block(phases, phases, 0.3)
    repeating_up *= rng.uniform(0.05, 0.5) * repeating_down.sum(axis=1).min() / repeating_up.sum(axis=1).max()
    inside = block(phases, phases, 0.3)
    up = [block(sizes[n], sizes[n + 1], 0.4) for n in range(levels)]
    down = [None, *(block(sizes[n], sizes[n - 1], 0.4) for n in range(1, levels + 1))]
    # the steps down from level L go elsewhere than those above, at the same rates
    down[levels] *= (repeating_down.sum(axis=1) / down[levels].sum(axis=1))[:, None]
    local = [closed(block(sizes[n], sizes[n], 0.3), up[n], *([] if n == 0 else [down[n]])) for n in range(levels)]
    return LevelProcess(
        local=local,
        up=up,
        down=down,
        repeating_up=repeating_up,
        repeating_local=closed(inside, repeating_up, repeating_down),
        repeating_down=repeating_down,
    )


def truncated_law(process, last):
    """Return the stationary vectors of levels 0..last with steps up from the last one forbidden."""
    grid = [[None] * (last + 1) for _ in range(last + 1)]
    for n in range(last + 1):
        local, up, down = process.blocks(n)
        grid[n][n] = local
        if n > 0:
            grid[n][n - 1] = down
        if n < last:
            grid[n][n + 1] = up
        else:
            grid[n][n] = local + sparse.diags_array(up.sum(axis=1))
    generator = sparse.block_array(grid, format="lil")
    generator[:, 0] = 1.0  # the first balance equation gives way to the sum of probabilities
    known = np.zeros(generator.shape[0])
    known[0] = 1.0
    law = spsolve(sparse.csc_array(generator.T), known)
    sizes = [process.blocks(n)[0].shape[0] for n in range(last + 1)]
    return np.split(law, np.cumsum(sizes)[:-1])


def assert_is_the_law(law, vectors, rtol):
    """Compare with all levels of a truncated chain, which must reach far enough.

    Its linear system is solved with pivoting, so zeros come out as numbers of either sign around 1e-15.
    """
    assert vectors[-1].sum() < 1e-13, "the comparison itself is cut off too early"
    boundary = len(law.boundary)
    for n, vector in enumerate(vectors[: boundary + 5]):
        np.testing.assert_allclose(law.level_vector(n), vector, rtol=rtol, atol=1e-14)
    tail = np.array(vectors[boundary:])
    np.testing.assert_allclose(law.repeating_mass, tail.sum(axis=0), rtol=rtol, atol=1e-14)
    moment = np.arange(len(tail)) @ tail
    np.testing.assert_allclose(law.repeating_first_moment, moment, rtol=rtol, atol=1e-14)
    mean = sum(n * vector.sum() for n, vector in enumerate(vectors))
    assert law.mean_level() == pytest.approx(mean, rel=rtol)


def assert_sound(law):
    """Check what holds for every law."""
    total = sum(vector.sum() for vector in law.boundary) + law.repeating_mass.sum()
    assert total == pytest.approx(1.0, rel=1e-14)
    assert min(vector.min() for vector in (*law.boundary, law.first_repeating, law.repeating_mass)) >= 0
    assert law.residual < 1e-12


@pytest.mark.parametrize("rho", [0.01, 0.5, 0.999, 0.9999])
def test_mm1(rho):
    law = solve(mm_c(1, rho))
    assert_sound(law)
    assert law.mean_level() == pytest.approx(rho / (1 - rho), rel=1e-11)
    assert law.decay_rate == pytest.approx(rho, rel=1e-15)
    np.testing.assert_allclose(law.level_masses(40), (1 - rho) * rho ** np.arange(41), rtol=1e-11)


@pytest.mark.parametrize(("servers", "rho"), [(3, 0.7), (20, 0.95), (200, 0.9999), (200, 0.01)])
def test_mmc_against_erlang_c(servers, rho):
    load = rho * servers
    law = solve(mm_c(servers, load))
    assert_sound(law)
    terms = [1.0]
    for n in range(1, servers):
        terms.append(terms[-1] * load / n)
    waiting = terms[-1] * load / servers / (1 - rho)
    empty = 1 / (sum(terms) + waiting)
    assert law.mean_level() == pytest.approx(load + waiting * empty * rho / (1 - rho), rel=1e-11)
    assert law.repeating_mass.sum() == pytest.approx(waiting * empty, rel=1e-11)
    np.testing.assert_allclose([v.sum() for v in law.boundary], np.array(terms) * empty, rtol=1e-11)


def test_levels_out_of_reach_of_floating_point_do_no_harm():
    # at load 1e-6 the 150th level has probability 1e-900 / 150!, and 0 is the nearest number
    law = solve(mm_c(150, 1e-6))
    assert law.level_mass(0) == pytest.approx(1 - 1e-6, rel=1e-10)
    assert law.level_mass(20) == pytest.approx(1e-120 / factorial(20), rel=1e-5)
    assert law.repeating_mass.sum() == 0.0
    # and from level 0 to the bulk around level 600 probabilities rise by a factor of 1e258
    heavy = solve(mm_c(650, 600.0))
    terms = [mpmath.mpf(600) ** n / mpmath.factorial(n) for n in range(651)]
    empty = 1 / (sum(terms[:-1]) + terms[-1] * 13)
    assert heavy.level_mass(0) == pytest.approx(float(empty), rel=1e-11)
    assert_sound(heavy)


@pytest.mark.parametrize("load", [0.3, 0.9, 0.999, 0.9999])
@pytest.mark.parametrize("service", [ERLANG, MIXTURE, COXIAN])
def test_m_ph_1_against_pollaczek_khinchine(service, load):
    start, T = service
    means = np.linalg.solve(-T, np.ones(len(T)))
    mean, second = start @ means, 2 * start @ np.linalg.solve(-T, means)
    law = solve(m_ph_1(start, T, load / mean))
    assert_sound(law)
    rho = load
    expected = rho + (rho / mean) ** 2 * second / (2 * (1 - rho))
    assert law.mean_level() == pytest.approx(expected, rel=1e-11)
    assert law.level_mass(0) == pytest.approx(1 - rho, rel=1e-11)


@pytest.mark.parametrize(("load", "expected"), [(0.5, 2.815423), (0.8, 7.517772), (0.95, 31.320377)])
def test_two_servers_two_needs(load, expected):
    # needs 1 (Exp(1), 2/3 of jobs) and 2 (Exp(1/2), 1/3); in service 1+1, or 1 with a blocked 2 behind, or 2
    arrival = load * 0.9
    down = np.array([[4 / 3, 2 / 3, 0.0], [0.0, 0.0, 1.0], [2 / 9, 1 / 9, 1 / 6]])
    up = arrival * np.eye(3)
    to_one = np.array([[2.0, 0.0], [0.0, 1.0], [1 / 3, 1 / 6]])
    to_two = arrival * np.array([[2 / 3, 1 / 3, 0.0], [0.0, 0.0, 1.0]])
    to_empty = np.array([[1.0], [0.5]])
    law = solve(
        LevelProcess(
            local=[[[-arrival]], closed(np.zeros((2, 2)), to_two, to_empty)],
            up=[arrival * np.array([[2 / 3, 1 / 3]]), to_two],
            down=[None, to_empty, to_one],
            repeating_up=up,
            repeating_local=closed(np.zeros((3, 3)), up, down),
            repeating_down=down,
        )
    )
    assert law.mean_level() / arrival == pytest.approx(expected, abs=6e-7)


def test_random_environment_against_a_truncated_chain():
    switching = np.array([[0.0, 0.2, 0.1], [0.3, 0.0, 0.3], [0.05, 0.4, 0.0]])
    process = modulated_mm1([1.2, 0.3, 0.6], [1.0, 1.5, 2.0], switching)  # overloaded in its first state
    law = solve(process)
    assert_sound(law)
    assert_is_the_law(law, truncated_law(process, 500), rtol=1e-10)


@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(1, 4))
def test_random_processes_against_a_truncated_chain(seed, levels, phases):
    process = random_process(seed, levels, phases)
    law = solve(process)
    assert_sound(law)
    assert_is_the_law(law, truncated_law(process, levels + 60), rtol=1e-9)


@pytest.mark.parametrize("load", [0.99, 0.999999])
def test_slow_environment_near_saturation(load):
    # two states, service only in the first, switching at rate e both ways: the mean number in system is known
    # (generating functions): with theta = load * mu / 2,  E[N] = (theta + mu theta / (4 e)) / (mu / 2 - theta)
    mu, e = 1.0, 1e-6
    arrival = load * mu / 2
    process = modulated_mm1([arrival] * 2, [mu, 0.0], np.array([[0.0, e], [e, 0.0]]))
    law = solve(process)
    expected = (arrival + mu * arrival / (4 * e)) / (mu / 2 - arrival)
    assert law.mean_level() == pytest.approx(expected, rel=1e-15 / (1 - load) * 10)


def test_masses_in_strides_are_those_level_by_level():
    law = solve(mm_c(2, 1.998))
    masses = law.level_masses()  # thousands of levels, 64 and more at a time
    assert masses[:50] == pytest.approx([law.level_mass(n) for n in range(50)], rel=1e-12)
    assert masses[2500:] == pytest.approx(law.level_mass(1) * 0.999 ** np.arange(2499, len(masses) - 1), rel=1e-10)
    ratio = 0.999
    beyond = masses[-1] * ratio / (1 - ratio)
    assert beyond <= 1e-12 < beyond / ratio
    assert masses.sum() == pytest.approx(1.0, abs=3e-12)
    np.testing.assert_array_equal(law.level_masses(0), masses[:1])
    assert len(law.level_masses(777)) == 778


@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 6))
def test_masses_of_random_processes(seed, levels, phases):
    law = solve(random_process(seed, levels, phases))
    masses = law.level_masses(tail=1e-8)
    expected = [law.level_mass(n) for n in range(len(masses))]
    np.testing.assert_allclose(masses, expected, rtol=1e-12)
    assert 1 - sum(expected) <= 1.0000001e-8
    assert len(masses) == 1 or 1 - sum(expected[:-1]) > 0.9999999e-8


@pytest.mark.parametrize("levels", [1, 2, 7, 10, 16])
def test_segments_change_nothing(levels):
    process = random_process(levels, levels, 30)
    whole = solve(process)
    short = solve(process, memory_limit=estimate_memory(process.level_sizes) - (levels > 6))
    assert short.residual < 1e-13
    for n in range(levels + 2):
        np.testing.assert_allclose(short.level_vector(n), whole.level_vector(n), rtol=1e-12)


def test_memory_estimate_is_near_what_is_held():
    sizes = [120] * 60 + [200]
    process = sized_process(sizes)
    for segment, limit in ((None, 1e12), (8, 7.5e6)):
        tracemalloc.start()
        solve(process, memory_limit=limit)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        estimate = estimate_memory(sizes, segment=segment)
        assert 0.6 * estimate < peak < 1.1 * estimate
    assert estimate_memory(sizes) > 8 * sum(size**2 for size in sizes[1:])


def sized_process(sizes):
    """Return a process with the given level sizes, of few rates per row."""

    def moves(rows, columns, rate):
        return sparse.csr_array(
            (np.full(rows, rate), (np.arange(rows), np.arange(rows) % columns)), shape=(rows, columns)
        )

    levels, m = len(sizes) - 1, sizes[-1]
    up = [moves(sizes[n], sizes[n + 1], 1.0) for n in range(levels)]
    down = [None, *(moves(sizes[n], sizes[n - 1], 2.0) for n in range(1, levels + 1))]
    turn = [sparse.eye_array(size, k=1) + sparse.eye_array(size, k=1 - size) for size in (*sizes[:-1], m)]
    rates = [2.0 + 2.0 * (n > 0) for n in range(levels + 1)]
    local = [turn[n] - rates[n] * sparse.eye_array(sizes[n]) for n in range(levels + 1)]
    return LevelProcess(
        local=local[:-1],
        up=up,
        down=down,
        repeating_up=sparse.eye_array(m),
        repeating_local=local[-1],
        repeating_down=2.0 * sparse.eye_array(m),
    )


def test_what_does_not_fit_is_refused():
    with pytest.raises(TooLarge, match=r"60 levels of up to 200 phases need .* GB, more than the limit"):
        solve(sized_process([120] * 60 + [200]), memory_limit=1e6)
    with pytest.raises(TooLarge, match="levels, more than 10000000"):
        solve(mm_c(1, 1 - 1e-7)).level_masses()


def test_unstable_is_refused_with_both_rates():
    with pytest.raises(Unstable, match=r"rises at mean rate 3\.5 and falls at mean rate 3,"):
        solve(mm_c(3, 3.5))


def test_rounding_decides_too_near_the_threshold():
    with pytest.raises(NotAccurate, match="rounding decides"):
        solve(mm_c(1, 1 - 1e-10))


def test_two_separate_chains_have_no_unique_law():
    process = modulated_mm1([0.5, 0.5], [1.0, 1.0], np.zeros((2, 2)))
    with pytest.raises(InvalidInput, match="2 sets of phases"):
        solve(process)


def test_phases_never_left_downwards_are_refused():
    # the second phase of level 1 only leads up, and from there only back
    up = 0.1 * np.eye(2)
    process = LevelProcess(
        local=[[[-0.1]], np.diag([-1.1, -0.1])],
        up=[[[0.1, 0.0]], up],
        down=[None, [[1.0], [0.0]], np.eye(2)],
        repeating_up=up,
        repeating_local=-1.1 * np.eye(2),
        repeating_down=np.eye(2),
    )
    with pytest.raises(InvalidInput, match="level below"):
        solve(process)


def test_unused_phases_of_level_zero_have_no_mass():
    # level 0 has a second phase that nothing enters
    law = solve(
        LevelProcess(
            local=[np.diag([-0.5, -0.5])],
            up=[[[0.5], [0.5]]],
            down=[None, [[1.0, 0.0]]],
            repeating_up=[[0.5]],
            repeating_local=[[-1.5]],
            repeating_down=[[1.0]],
        )
    )
    np.testing.assert_allclose(law.boundary[0], [0.5, 0.0], rtol=1e-14)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"down": [None]}, "L \\+ 1 down blocks"),
        ({"local": [], "up": [], "down": [None]}, "L >= 1"),
        ({"up": [[[0.5, 0.5]]]}, r"up\[0\] has shape \(1, 2\); it must be \(1, 1\)"),
        ({"down": [None, None]}, r"down\[1\] has shape None"),
        ({"local": [[[-0.7]]]}, r"phase 0 of level 0 sum to -0\.2"),
        ({"down": [None, [[0.3]]]}, r"phase 0 of level 1 sum to -0\.7"),
        ({"repeating_down": [[1.0, 1.0]]}, r"down\[2\] has shape \(1, 2\)"),
    ],
)
def test_blocks_that_do_not_fit_together_are_refused(change, words):
    blocks = {
        "local": [[[-0.5]]],
        "up": [[[0.5]]],
        "down": [None, [[1.0]]],
        "repeating_up": [[0.5]],
        "repeating_local": [[-1.5]],
        "repeating_down": [[1.0]],
    }
    LevelProcess(**blocks)
    with pytest.raises(InvalidInput, match=words):
        LevelProcess(**blocks | change)


def test_questions_outside_the_law_are_refused():
    law = solve(mm_c(1, 0.5))
    with pytest.raises(InvalidInput, match="level -1"):
        law.level_mass(-1)
    with pytest.raises(InvalidInput, match="tail = 0"):
        law.level_masses(tail=0.0)
