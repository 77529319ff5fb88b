"""The parts of the solver of sparse levels one by one, on levels so small that plain sums over them can be written."""

import itertools
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sparse

from msj.errors import NotAccurate, TooLarge
from msj.markov import laguerre
from msj.markov import laguerre_kernels as kernels
from msj.markov import sparse_level_solver as solver
from msj.markov.linear_solver import make_solver
from msj.markov.sparse_descent import SparseDescent
from msj.markov.sparse_level_mode import _often_visited, _order, crossing, leading_mode
from msj.markov.sparse_level_operator import GroundFactors, LevelEquations, Preconditioned, _from_higher
from msj.markov.sparse_level_residual import Missing, missing_flows
from msj.markov.sparse_levels import SparseLaw, SparseLevels

ARRIVALS, RATIO, A, COUNT, UNIT = 0.5, 0.8, 0.4, 50, 0.3
#: Far more than matter: 0.8^300 is 1e-29.
FAR = 300
VALUES = laguerre.values(A, COUNT, FAR)


def levels_of(*, up, local, starting, passing, settling, landing, ground, ground_up, arrival_rate=ARRIVALS):
    """Levels of given rates; ``leaving`` and the diagonal of the ground follow."""
    block = {name: np.array(each, float) for name, each in locals().items() if name != "arrival_rate"}
    leaving = sum(block[name].sum(axis=1) for name in ("up", "local", "starting"))
    block["ground"] -= np.diag(block["ground"].sum(axis=1) + block["ground_up"].sum(axis=1))
    blocks = {name: sparse.csr_array(each) for name, each in block.items()}
    return SparseLevels(arrival_rate=arrival_rate, leaving=leaving, **blocks)


def three_states():
    """Rates without any symmetry; from the second vanishing state one falls further with chance 0.3."""
    return levels_of(
        up=[[0.4, 0.1, 0.0], [0.0, 0.3, 0.2], [0.2, 0.0, 0.3]],
        local=[[0.0, 0.3, 0.0], [0.7, 0.0, 0.2], [0.4, 0.9, 0.0]],
        starting=[[0.6, 0.2, 0.0], [0.5, 0.8, 0.3], [0.1, 1.1, 0.0]],
        passing=[[0.0, 0.3, 0.1], [0.0, 0.0, 0.3], [0.0, 0.0, 0.0]],
        settling=[[0.5, 0.1, 0.0], [0.2, 0.2, 0.3], [0.6, 0.0, 0.4]],
        landing=[[0.4, 0.0, 0.6, 0.0], [0.0, 0.7, 0.0, 0.3], [0.1, 0.2, 0.3, 0.4]],
        ground=[[0.0, 0.5, 0.2, 0.0], [1.0, 0.0, 0.3, 0.1], [0.0, 0.6, 0.0, 0.4], [0.3, 0.0, 0.8, 0.0]],
        ground_up=[[0.0, 0.0, 0.0], [0.1, 0.0, 0.2], [0.0, 0.4, 0.0], [0.0, 0.2, 0.3]],
    )


def one_state(*, arrivals=0.5, rate=2.0, further=0.25):
    """A single server whose customers bring the next one along with some chance: closed forms."""
    return levels_of(
        up=[[arrivals]], local=[[0.0]], starting=[[rate]], passing=[[further]], settling=[[1.0 - further]],
        landing=[[0.0, 1.0]], ground=[[0.0, arrivals], [rate, 0.0]], ground_up=[[0.0], [arrivals]],
        arrival_rate=arrivals,
    )  # fmt: skip


def plain_flows(process, ground, levels):
    """Flow in minus flow out of the ground and of each level, by the equations at the head of ``sparse_levels``."""
    dense = {name: getattr(process, name).toarray() for name in ("up", "local", "starting", "passing", "settling")}
    count = levels.shape[1]
    falling = np.zeros((count + 1, process.passing.shape[0]))  # falling[q]: into the vanishing states of level q
    for q in range(count - 1, -1, -1):
        falling[q] = levels[:, q] @ dense["starting"] + falling[q + 1] @ dense["passing"]
    flows = np.empty((process.states, count))
    for q in range(count):
        below = ground @ process.ground_up.toarray() if q == 0 else levels[:, q - 1] @ dense["up"]
        flows[:, q] = (
            below + levels[:, q] @ dense["local"] + falling[q + 1] @ dense["settling"] - process.leaving * levels[:, q]
        )
    return ground @ process.ground.toarray() + falling[0] @ process.landing.toarray(), flows


def in_differences(levels):
    return np.column_stack([levels[:, 0], levels[:, 1:] - RATIO * levels[:, :-1]])


def some_vector(seed, rows=3):
    """Coefficients that fall, and the levels they stand for."""
    coefficients = np.random.default_rng(seed).normal(size=(rows, COUNT)) * 0.4 ** np.arange(COUNT)
    levels = UNIT * coefficients @ VALUES
    for q in range(1, FAR):
        levels[:, q] += RATIO * levels[:, q - 1]
    return coefficients, levels


@pytest.fixture(scope="module")
def equations():
    return LevelEquations(three_states(), ratio=RATIO, a=A, count=COUNT, unit=UNIT)


@pytest.fixture(scope="module")
def quick():
    process = three_states()
    made = Preconditioned(process, GroundFactors(process), ratio=RATIO, a=A, count=COUNT, unit=UNIT)
    made.set_laws(np.array([0.2, 0.8, -0.4, 0.6]), np.array([0.5, -0.1, 0.2]))
    return made


def test_balances_in_coordinates_are_those_of_the_levels(equations):
    coefficients, levels = some_vector(1)
    ground = np.array([0.3, 0.1, 0.4, 0.2])
    out = np.empty(equations.length)
    equations.balance(np.concatenate([ground, coefficients.ravel()]), out)
    at_ground, flows = plain_flows(equations.process, ground, levels)
    found_ground, found = equations.parts(out)
    np.testing.assert_allclose(found_ground, at_ground, atol=1e-12)
    np.testing.assert_allclose(UNIT * found @ VALUES, in_differences(flows), atol=1e-9)


def test_the_mass_is_the_sum_over_ground_and_levels(equations):
    coefficients, levels = some_vector(2)
    ground = np.array([0.3, 0.1, 0.4, 0.2])
    found = equations.mass(np.concatenate([ground, coefficients.ravel()]))
    assert found == pytest.approx(1.0 + levels.sum(), rel=1e-12)


def test_a_sweep_solves_what_leads_to_lower_numbers_and_each_line(quick):
    """leaving·u − up − local and first falls from higher numbers − first falls to itself = given + what enters."""
    process, given = quick.process, some_vector(3)[0].astype(np.float32)
    entering = np.array([0.7, 0.2, 0.4], dtype=np.float32)
    out = np.empty_like(given)
    kernels.sweep(quick._earlier, quick._earlier_once, quick._lines, quick._basis, entering, given, out)
    first, down = laguerre.at_zero(A, COUNT), laguerre.down_matrix(A, COUNT)
    falls = down + RATIO * np.outer(first, first)  # one down, in differences
    once = process.starting.toarray() @ process.settling.toarray()
    local = process.local.toarray()
    for x in range(3):
        here = out[x].astype(float)
        left = process.leaving[x] * here - process.up[x, x] * (down.T @ here) - once[x, x] * (falls @ here)
        for y in range(x + 1, 3):
            left -= local[y, x] * out[y] + once[y, x] * (falls @ out[y])
        np.testing.assert_allclose(left, given[x] + entering[x] * quick.source, atol=3e-6)


def test_corrections_add_up_to_nothing_and_balance_the_states_of_a_level_together(quick):
    given = np.concatenate([np.array([0.2, -0.1, 0.3, -0.4]), some_vector(4)[0].ravel()]).astype(np.float32)
    out, left = np.empty_like(given), np.empty_like(given)
    quick.precondition(given, out)
    quick.apply(out, left)
    assert quick.mass(out) == pytest.approx(0.0, abs=1e-5)
    np.testing.assert_allclose((quick.parts(left)[1] - quick.parts(given)[1]).sum(axis=0), 0.0, atol=2e-5)


def test_applied_is_flow_out_minus_flow_in(quick, equations):
    vector = np.concatenate([np.array([0.3, 0.1, 0.4, 0.2]), some_vector(5)[0].ravel()])
    wanted, found = np.empty_like(vector), np.empty(len(vector), dtype=np.float32)
    equations.balance(vector, wanted)
    quick.apply(vector.astype(np.float32), found)
    np.testing.assert_allclose(found, -wanted, atol=1e-5)


def test_factors_of_the_ground_solve_from_the_left():
    process = three_states()
    given = np.array([0.4, 1.0, -0.3, 0.6])
    found = GroundFactors(process).solve(given)
    np.testing.assert_allclose(found @ -process.ground.toarray(), given, atol=1e-12)


def test_what_leads_to_lower_numbers():
    matrix = sparse.csr_array([[1.0, 2.0, 0.0], [3.0, 4.0, 5.0], [6.0, 0.0, 7.0]])
    assert _from_higher(matrix).toarray().tolist() == [[0, 0, 0], [3, 0, 0], [6, 0, 0]]


def test_what_is_missing_is_what_plain_sums_miss():
    process = three_states()
    ground, (_, levels) = np.array([0.3, 0.1, 0.4, 0.2]), some_vector(6)
    cut, ratio = 7, 0.6
    levels = np.abs(levels[:, :cut])
    far = np.column_stack([levels, levels[:, -1:] * ratio ** np.arange(1.0, FAR)])
    at_ground, flows = plain_flows(process, ground, far)
    found = missing_flows(process, ground, levels, ratio)
    within = np.append(np.abs(at_ground).sum(), np.abs(flows).sum(axis=0))
    sums = np.append(at_ground.sum(), flows.sum(axis=0))[:-50]  # without those that lack what is above them
    np.testing.assert_allclose(found.within, within[: cut + 1], atol=1e-12)
    np.testing.assert_allclose(found.across, [-sums[q + 1 :].sum() for q in range(cut + 1)], atol=1e-12)
    assert found.beyond == pytest.approx(within[cut + 1], rel=1e-10)
    assert within[cut + 2] == pytest.approx(ratio * found.beyond, rel=1e-10)
    assert found.across_beyond == pytest.approx(abs(sums[cut + 2 :].sum()), rel=1e-10)


def test_what_is_missing_costs_its_distance_from_the_ground():
    """Level q counts (q + 3)/0.5: 6, 8, 10; above, 12 + 14/2 + 16/4 + ... = 28 for what is halved each time."""
    missing = Missing(
        within=np.array([0.01, 0.2, 0.03]),
        across=np.array([0.1, -0.4, 0.05]),
        beyond=0.7,
        across_beyond=0.11,
        ratio=0.5,
    )
    assert missing.total == pytest.approx(0.24 + 1.4)
    inside = (0.1 + 0.03) * 6 + (0.4 + 0.6) * 8 + (0.05 + 0.09) * 10
    assert missing.level_error(spread=3.0, gap=0.5) == pytest.approx(inside + (0.11 + 2.1) * 28)


def test_a_law_goes_on_above_its_cut():
    levels = np.array([[0.2, 0.1, 0.04], [0.1, 0.06, 0.02]])
    law = SparseLaw(
        ground=np.array([0.3, 0.12]), levels=levels, ratio=0.5, residual=0.0, level_error=0.0, coefficients=1, steps=1
    )
    far = np.column_stack([levels, levels[:, -1:] * 0.5 ** np.arange(1.0, 60.0)])
    each = far.sum(axis=0)
    assert law.cut == 3
    np.testing.assert_allclose(law.level_masses, [0.42, 0.3, 0.16, 0.06])
    np.testing.assert_allclose(law.above, [0.04, 0.02])
    np.testing.assert_allclose(law.beyond_ground, far.sum(axis=1))
    for less in (0, 1, 2, 3):
        expected = sum(max(q - less, 0) * mass for q, mass in enumerate(each, start=1))
        assert law.mean_level(less=less) == pytest.approx(expected, rel=1e-12)
    assert law.mean_level() == law.mean_level(less=0)


@pytest.mark.parametrize("anchor", [0, 1, 2])
@pytest.mark.parametrize("ratio", [0.7, 0.95])
def test_the_mode_solves_all_equations_but_that_of_the_anchor(anchor, ratio):
    process = three_states()
    gap, mode = crossing(process, ratio, anchor)
    shape, falling = mode.shape, mode.falling
    passing, settling, starting = (getattr(process, name).toarray() for name in ("passing", "settling", "starting"))
    np.testing.assert_allclose(falling, ratio * (shape @ starting + falling @ passing), atol=1e-13)
    left = process.leaving * shape - shape @ (process.up.toarray() / ratio + process.local.toarray())
    others = np.arange(3) != anchor
    np.testing.assert_allclose((left - falling @ settling)[others], 0.0, atol=1e-13)
    assert shape.sum() == pytest.approx(1.0)
    crossed, weight = 0.0, shape @ starting  # a fall crosses a border for each step, the i-th weighed by ratio^i
    for i in range(1, 5):
        crossed, weight = crossed + ratio**i * weight.sum(), weight @ passing
    assert gap == pytest.approx(crossed / ARRIVALS - 1.0, rel=1e-12)


def test_the_mode_is_known_to_the_last_digits_although_its_equations_are_solved_to_six(monkeypatch):
    class Rough:
        def __init__(self, *given, **options):
            self.exact = make_solver(*given, **options)
            self.left_residual = 1e-12

        def solve_left(self, right):
            return self.exact.solve_left(right) * (1 + 1e-6)

    gap, mode = crossing(three_states(), 0.7, 0)
    monkeypatch.setattr("msj.markov.sparse_level_mode.make_solver", Rough)
    rough_gap, rough_mode = crossing(three_states(), 0.7, 0)
    assert rough_gap == pytest.approx(gap, rel=1e-10)
    np.testing.assert_allclose(rough_mode.shape, mode.shape, rtol=1e-10)


def test_the_ratio_of_one_state_is_known():
    """mu·z/(1 − s·z) goes down and lambda comes up: z = lambda/(mu + lambda·s)."""
    mode = leading_mode(one_state(), anchor=0, guess=0.5)
    assert mode.ratio == pytest.approx(0.5 / (2.0 + 0.125), rel=1e-13)
    assert mode.falling == pytest.approx([0.5], rel=1e-12)  # z·mu/(1 − s·z), what comes up


def test_a_ratio_so_low_that_the_line_itself_would_grow_is_none():
    """leaving − up/z is 2.5 − 0.5/z: positive above 0.2 only."""
    assert crossing(one_state(), 0.2 - 1e-9, 0) == (None, None)
    assert crossing(one_state(), 0.2 + 1e-9, 0)[0] is not None
    assert _often_visited(one_state(), 0.19, 5) == 5
    assert crossing(three_states(), 0.2, 1) == (None, None)  # 1.6 − 0.4/z


def test_the_mode_is_found_whichever_state_it_is_told_and_however_it_is_solved(monkeypatch):
    """A third state that is hardly ever visited says little; its own equation holds at the right ratio all the same."""
    rates = {name: getattr(three_states(), name).toarray() for name in ("up", "local", "starting")}
    rates["local"][:, 2] *= 0.01
    rates["up"] = np.diag([0.5, 0.5, 0.5])
    process = three_states()
    process = replace(
        process, leaving=sum(each.sum(axis=1) for each in rates.values()),
        **{name: sparse.csr_array(each) for name, each in rates.items()},
    )  # fmt: skip
    settling = process.settling.toarray()
    settling[:, 0] += 0.99 * settling[:, 2]
    settling[:, 2] *= 0.01
    process = replace(process, settling=sparse.csr_array(settling))
    found = []
    for anchor, most in itertools.product((0, 1, 2), (0, 6000)):
        monkeypatch.setattr("msj.markov.linear_solver.DIRECT_UP_TO", most)
        monkeypatch.setattr("msj.markov.sparse_level_mode._often_visited", lambda *_, anchor=anchor: anchor)
        mode = leading_mode(process, anchor=0, guess=0.5)
        shape = mode.shape
        flow = shape @ (process.up.toarray() / mode.ratio + process.local.toarray()) + mode.falling @ settling
        np.testing.assert_allclose(flow, process.leaving * shape, atol=1e-12)
        found.append(mode.ratio)
    assert shape[2] < 0.1 * shape.max()
    assert 0.1 < min(found) < 0.9
    assert found == pytest.approx([found[0]] * 6, rel=1e-12)


def test_levels_that_rise_have_no_mode():
    with pytest.raises(NotAccurate, match="more comes up than goes down"):
        leading_mode(one_state(arrivals=2.0 / 0.75), anchor=0, guess=0.9)
    assert leading_mode(one_state(arrivals=2.0 / 0.76), anchor=0, guess=0.9).ratio == pytest.approx(
        1.0 / (0.76 + 0.25), rel=1e-9
    )


def test_the_state_that_is_most_visited_is_found():
    process = three_states()
    shapes = crossing(process, 0.9, 0)[1].shape
    assert _often_visited(process, 0.9, 0) == int(np.argmax(shapes))


def test_the_fullest_come_first_beside_their_vanishing_twins():
    assert _order(three_states()).tolist() == [2, 5, 1, 4, 0, 3]
    process = three_states()
    fewer = SimpleNamespace(states=3, passing=process.passing[:2, :2])
    assert _order(fewer).tolist() == [0, 1, 2, 3, 4]


def test_memory_by_vectors_levels_and_ground():
    """Thirty vectors of eight bytes, four arrays of levels; a state of the ground takes 608 bytes more."""
    assert solver.estimate_memory(0, 10, 5, 7) == 8 * (30 * 50 + 4 * 70)
    assert solver.estimate_memory(10, 0, 5, 7) == 8 * 300 + 6080


@pytest.mark.parametrize(
    ("ratio", "gap", "forgetting", "middle_of", "count"),
    [
        (0.5, 1.0, 1 / 0.12, 0.4, 23),  # 2·y² − y = 0.12 at y = 0.6; a = 0.2087, whose 23rd power is below 1e-15
        (0.5, 3.0, 1 / 0.36, 0.4, 23),  # the same in another unit of time
        (0.5, 1.0, 1 / 0.91, 0.3, 19),  # y = 0.97 (0.9718): as for 0.7
        (0.999, 0.01, 5000.0, 0.99, 244),  # 10·y² − 0.01·y = 0.0002 at y = 0.005: as for 0.01
    ],
)
def test_as_many_coefficients_as_a_diffusion_needs(ratio, gap, forgetting, middle_of, count):
    a, found = solver.usual_size(ratio=ratio, gap=gap, forgetting=forgetting)
    assert (middle_of - a) / (1.0 - a * middle_of) == pytest.approx(a, rel=1e-9)
    assert found == count
    assert a**count < 1e-15 < a ** (count - 1)


def test_room_is_asked_for_before_it_is_taken():
    process = three_states()
    needed = solver.estimate_memory(4, 3, 20, 120)
    solver._require_room(process, 20, needed)
    with pytest.raises(TooLarge, match="4 states and 20 coefficients for each of 3 need"):
        solver._require_room(process, 20, needed - 1)


def test_laws_are_refused_that_are_rounding_or_not_accurate():
    def law(mass, error):
        return SimpleNamespace(levels=np.full((2, 5), mass / 10), level_error=error)

    search = SimpleNamespace(compared_with=2.0)
    kept = law(1.01e-8, 1.99e-9)
    assert solver._checked(kept, search) is kept
    with pytest.raises(NotAccurate, match=r"somebody waits is about 9\.9e-09"):
        solver._checked(law(0.99e-8, 0.0), search)
    with pytest.raises(NotAccurate, match=r"known to 1\.1e-09 only"):
        solver._checked(law(0.5, 2.1e-9), search)


def single_server(arrivals, rate, *, coefficients=None, monkeypatch=None, **more):
    """M/M/1: the ground is empty or busy, level q has q waiting."""
    process = one_state(arrivals=arrivals, rate=rate, further=0.0)
    if coefficients is not None:
        monkeypatch.setattr(solver, "usual_size", lambda **_: (laguerre.middle(0.5), coefficients))
    options = {"spread": 1.0, "forgetting": 1.0, "scale": 0.5} | more
    return process, solver.solve(
        process, start=np.array([0.4, 0.6]), anchor=0, ratio=arrivals / rate, throughput=rate, **options
    )


@pytest.mark.parametrize("load", [0.3, 0.9])
def test_a_single_server_is_known(load):
    _, law = single_server(load * 2.0, 2.0)
    np.testing.assert_allclose(law.ground, [1 - load, (1 - load) * load], rtol=1e-10)
    assert law.mean_level() == pytest.approx(load**2 / (1 - load), rel=1e-10)
    assert law.ratio == pytest.approx(load, rel=1e-13)
    assert law.residual < 1e-12


def test_hardly_anybody_waits():
    """From a ground of which 1e-10 leads to the levels nothing can be known; from 1.1e-10 it is tried."""
    process = one_state(further=0.0)

    def begin(busy):
        options = {"anchor": 0, "ratio": 0.25, "throughput": 2.0, "spread": 1.0, "forgetting": 1.0, "scale": 0.5}
        return solver.solve(process, start=np.array([7.0 * (1 - busy), 7.0 * busy]), **options)

    with pytest.raises(NotAccurate, match=r"about 9\.9e-11"):
        begin(0.99e-10)
    assert begin(1.01e-10).ground[1] == pytest.approx(0.75 * 0.25, rel=1e-9)


def test_coefficients_are_added_until_they_are_enough(monkeypatch):
    """M/M/1: of 1, 0, 0, ... the coefficients fall by a = 0.268, and the 27th power of it is below 1e-15."""
    widened, widen = [], solver._Search.widen
    monkeypatch.setattr(solver._Search, "widen", lambda search, count: widened.append(count) or widen(search, count))
    _, law = single_server(1.0, 2.0, coefficients=8, monkeypatch=monkeypatch)
    assert widened[:3] == [11, 15, 20]
    assert law.coefficients == widened[-1] <= 34
    assert law.mean_level() == pytest.approx(0.5, rel=1e-9)
    widened.clear()
    monkeypatch.setattr(solver, "MOST_COEFFICIENTS", 12)
    with pytest.raises(NotAccurate, match="is known to"):
        single_server(1.0, 2.0, coefficients=8, monkeypatch=monkeypatch)
    assert widened == [11, 12]


@pytest.mark.parametrize(
    ("errors", "kept", "widened"),
    [
        ([1e-10], 0, []),
        ([1.1e-10, 1e-10], 1, [13]),
        ([8e-10, 4e-10, 1e-11], 2, [13, 17]),
        ([8e-10, 4.1e-10, 1e-11], 1, [13]),  # not half as much: no further
        ([8e-10, 9e-10, 1e-11], 0, [13]),  # and the better one is kept
    ],
)
def test_more_coefficients_only_where_they_help(monkeypatch, errors, kept, widened):
    laws = [SimpleNamespace(level_error=error, levels=np.ones((1, 1))) for error in errors]

    class Told:
        tolerance, compared_with = 1e-10, 1.0

        def __init__(self, *given, **_):
            self.count, self.left, self.widened = given[4], iter(laws), []
            searches.append(self)

        def run(self):
            return next(self.left)

        def widen(self, count):
            self.count = count
            self.widened.append(count)

    searches = []
    monkeypatch.setattr(solver, "_Search", Told)
    _, law = single_server(1.0, 2.0, coefficients=10, monkeypatch=monkeypatch)
    assert law is laws[kept]
    assert searches[0].widened == widened


def test_room_is_asked_for_at_first_and_for_more(monkeypatch):
    needed = [solver.estimate_memory(2, 1, count, 6 * count) for count in (8, 11)]
    with pytest.raises(TooLarge, match="8 coefficients"):
        single_server(1.0, 2.0, coefficients=8, monkeypatch=monkeypatch, memory_limit=needed[0] - 1)
    with pytest.raises(TooLarge, match="11 coefficients"):
        single_server(1.0, 2.0, coefficients=8, monkeypatch=monkeypatch, memory_limit=needed[1] - 1)


@pytest.fixture
def search():
    process = three_states()
    mode = crossing(process, RATIO, 0)[1]
    return solver._Search(process, mode, np.array([2.0, 1.0, 3.0, 2.0]), A, COUNT, spread=2.0, gap=0.3, scale=0.5)


def test_a_search_begins_with_the_mode_above_the_ground(search):
    """Of the ground's mass w·lambda leads up, so level 1 holds w in the shape of the mode, and all levels w/(1 − z)."""
    ground, levels = search._equations.parts(search._vector)
    waiting = (ground @ search.process.ground_up.toarray()).sum() / ARRIVALS
    first = search.unit * levels @ VALUES
    np.testing.assert_allclose(first[:, 0], waiting * crossing(search.process, RATIO, 0)[1].shape, rtol=1e-10)
    np.testing.assert_allclose(first[:, 1:4], 0.0, atol=1e-12)
    assert ground.sum() + waiting / (1.0 - RATIO) == pytest.approx(1.0, rel=1e-10)
    np.testing.assert_allclose(ground / ground.sum(), [0.25, 0.125, 0.375, 0.25])
    assert search._equations.mass(search._vector) == pytest.approx(1.0, rel=1e-12)


def test_what_is_missing_is_measured_by_sequences(search):
    """Sums over the ground, lengths of the sequences of the states, over all that flows out, measured alike."""
    ground, coefficients = search._equations.parts(search._vector)
    coefficients[:] = some_vector(7)[0]
    found = search._measure()
    out_ground, out = search._equations.parts(search._residual)
    lengths = [search.unit * np.sqrt(((each @ VALUES) ** 2).sum(axis=1)) for each in (out, coefficients)]
    flow = ground @ -search.process.ground.diagonal() + lengths[1] @ search.process.leaving
    assert found == pytest.approx((np.abs(out_ground).sum() + lengths[0].sum()) / flow, rel=1e-10)


def test_what_no_law_could_make_up_for_is_taken_out(search):
    search._measure()
    search._residual += 0.01
    before = search._residual.copy()
    search._make_consistent()
    assert search._equations.mass(search._residual) == pytest.approx(0.0, abs=1e-13)
    (_, was), (_, now) = search._equations.parts(before), search._equations.parts(search._residual)
    levels = search._equations.parts(search._vector)[1]
    change = (was - now)[:, 0]
    np.testing.assert_allclose(change / change.sum(), np.abs(levels).sum(axis=1) / np.abs(levels).sum(), rtol=1e-10)
    np.testing.assert_allclose(was[:, 1:], now[:, 1:], rtol=0)


def test_levels_are_written_down_one_by_one(search):
    _, coefficients = search._equations.parts(search._vector)
    coefficients[:] = np.abs(some_vector(8)[0])
    expected = search.unit * coefficients @ VALUES
    for q in range(1, FAR):
        expected[:, q] += RATIO * expected[:, q - 1]
    found = search._levels()
    np.testing.assert_allclose(found, np.maximum(expected, 0.0)[:, : found.shape[1]], atol=1e-12)
    assert found.shape[1] >= 64
    law = search._law()
    assert law.ground.sum() + law.levels.sum() + law.above.sum() == pytest.approx(1.0, rel=1e-12)


def test_levels_end_where_they_fall_by_the_ratio_for_good(search):
    """0.4^j is below 1e-16 from j = 41 on: the second 64 levels say so. The last function takes all there may be."""
    _, coefficients = search._equations.parts(search._vector)
    coefficients[:] = 0.0
    coefficients[1, 0] = 1.0
    assert search._levels().shape == (3, 128)
    coefficients[1, -1] = 1.0
    assert search._levels().shape == (3, 117 + 64)  # 50·1.4/0.6, and 64


def test_what_is_aimed_at_is_relative_to_jobs_in_the_system_and_coarser_near_saturation(search):
    search._mean = 1.5
    assert search.compared_with == 2.0
    assert search.tolerance == pytest.approx(2e-10)  # 0.3/0.8 of the load is left
    search.gap = 0.5e-3  # a thousandth of the threshold
    assert search.tolerance == pytest.approx(2 * 4e-13 / (0.5e-3 / 0.5005), rel=1e-9)


def test_more_coefficients_begin_where_fewer_ended(search):
    before = search._equations.parts(search._vector)[1].copy()
    search.widen(COUNT + 9)
    after = search._equations.parts(search._vector)[1]
    assert search.count == COUNT + 9
    np.testing.assert_allclose(after[:, :COUNT], before, rtol=1e-9)
    assert not after[:, COUNT:].any()


def told(search, monkeypatch, sizes, errors):
    """Let a search run whose residuals and errors are told; return its law and the rows of each cycle's room."""
    sizes, errors, done = iter(sizes), iter(errors), []
    search._mean = 0.5  # so that 1e-10 is aimed at
    monkeypatch.setattr(search, "_measure", lambda: next(sizes))
    monkeypatch.setattr(search, "_law", lambda: SimpleNamespace(level_error=next(errors)))
    monkeypatch.setattr(search, "_make_consistent", lambda: done.append("consistent"))
    monkeypatch.setattr(search, "_cycle", lambda room: done.append(len(room)))
    return search.run().level_error, done


@pytest.mark.parametrize(
    ("sizes", "errors", "error", "done"),
    [
        ([1.0, 0.5, 1e-13], [1e-10], 1e-10, [41, 41]),  # small, and fine
        ([1.0, 0.51], [1e-11], 1e-11, [41]),  # not half as much: looked at
        ([1.0, 0.6, 0.3, 0.2], [9e-9, 1e-11], 1e-11, [41, "consistent", 41, 41]),  # not fine: on it goes
        ([1e-14] * 5, [5e-9, 4e-9, 6e-9, 3e-9], 3e-9, ["consistent", 16] * 3),  # polished three times
        ([1e-14] * 5, [5e-9, 2e-9, 6e-9, 3e-9], 2e-9, ["consistent", 16] * 3),  # the best is kept
        ([0.5**k for k in range(25)], [7e-9], 7e-9, [41] * 25),  # so many cycles and no more
    ],
)
def test_cycles_end_where_the_law_is_fine_or_nothing_is_gained(search, monkeypatch, sizes, errors, error, done):
    assert told(search, monkeypatch, sizes, errors) == (error, done)


def descent(*, load=0.6, cut=5, least_rate=0.0):
    """M/M/1 at service rate 2: who waits has probability load, and waits for an exponential time."""
    process = one_state(arrivals=2.0 * load, rate=2.0, further=0.0)
    masses = (1 - load) * load ** np.arange(1.0, cut + 2)
    law = SparseLaw(
        ground=np.array([1 - load, masses[0]]), levels=masses[None, 1:], ratio=load, residual=0.0, level_error=0.0,
        coefficients=1, steps=1,
    )  # fmt: skip
    ground = sparse.csr_array((1, 1))
    return SparseDescent(process, law, np.array([1]), ground, np.array([2.0]), least_rate=least_rate)


@pytest.mark.parametrize("least_rate", [0.0, 5.0])
def test_the_wait_at_a_single_server_is_exponential(least_rate):
    """P(W > t) = load·e^(−(mu − lambda)·t); until one job less is left, the same times load once more."""
    load, found = 0.6, descent(least_rate=least_rate)
    assert found.rate == pytest.approx(1.0001 * max(2.0, least_rate))
    events = []
    rows = found.alive(np.array([[1.0], [0.0]]), lambda row: events.append(row) or len(events) == 40)
    assert len(rows) == 40
    falls = (1.0 - 0.8 / found.rate) ** np.arange(40)
    np.testing.assert_allclose(rows, np.outer(falls, [load, load**2]), rtol=1e-11)


def test_what_is_no_longer_followed_counts_as_nothing(monkeypatch):
    """0.6·(1 − 0.8/2.0002)^k is below 0.001 from k = 13 on."""
    monkeypatch.setattr("msj.markov.sparse_descent.NOTHING", 1e-3)

    def rows(count):
        events = []
        return descent().alive(np.array([[1.0]]), lambda row: events.append(row) or len(events) == count)

    found = rows(20)[:, 0]
    assert found[12] == pytest.approx(0.6 * (1.0 - 0.8 / 2.0002) ** 12)
    assert not found[13:-1].any()
    monkeypatch.setattr("msj.markov.sparse_descent.MOST_EVENTS", 19)
    assert len(rows(20)) == 20
    with pytest.raises(TooLarge, match="more than 19 steps"):
        rows(21)
