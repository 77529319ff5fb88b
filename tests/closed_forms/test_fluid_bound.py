"""How far paths stray from the fluid: both bounds above the exact probability of a chain with absorbing walls."""

import numpy as np
import pytest
import scipy.sparse as sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.linalg import expm_multiply

from msj.closed_forms.fluid import FluidModel
from msj.closed_forms.fluid_bound import cramer, paper_distance, paper_probability, sharper_distance


def model(rates, loads, start):
    rates, loads = np.array(rates, float), np.array(loads, float)
    begin = 1 / rates if start == "equilibrium" else np.zeros(len(rates))
    return FluidModel(classes=tuple(map(str, rates)), rates=rates, loads=loads, start=begin)


def strays(servers, need, rate, distance, until):
    """P(a path of one class of mean duration 1 strays further than ``distance`` from equilibrium, where it begins).

    The fluid stands still there, so that the walls do, and absorption is exact.
    """
    most = 4 * servers // need
    up = np.full(most, rate)
    down = np.minimum(np.arange(1.0, most + 1), servers // need)
    generator = sparse.diags_array([up, down], offsets=[1, -1]).tolil()
    generator.setdiag(-np.asarray(generator.sum(axis=1)))
    kept = np.flatnonzero(np.abs(np.arange(most + 1) / rate - 1) <= distance)
    law = np.zeros(len(kept))
    law[np.searchsorted(kept, round(rate))] = 1.0
    matrix = generator.tocsr()[kept][:, kept]
    return 1.0 - float(expm_multiply(matrix.T * until, law).sum())


@settings(max_examples=12)
@given(
    st.sampled_from([16, 40, 120]), st.sampled_from([1, 2, 4]), st.sampled_from([0.25, 0.5, 0.75]),
    st.sampled_from([0.3, 1.0, 4.0]),
)  # fmt: skip
def test_paths_from_equilibrium_stay_as_close_as_the_bounds_say(servers, need, rho, until):
    jobs = round(rho * servers / need)  # a whole number: the start is no rounding
    fluid = model([1.0], [jobs * need / servers], "equilibrium")
    rates = np.array([float(jobs)])
    for level in (0.5, 0.95):
        for find in (paper_distance, sharper_distance):
            distance = find(fluid, until=until, level=level, arrival_rates=rates)
            if distance is not None:
                exact = strays(servers, need, float(jobs), distance, until)
                assert exact <= 1 - level + 1e-9
    for distance in (0.2, 0.5):
        exact = strays(servers, need, float(jobs), distance, until)
        assert exact <= paper_probability(fluid, until=until, distance=distance, arrival_rates=rates) + 1e-9


def test_two_classes_from_empty_on_a_grid_of_times():
    # Two classes on 160 servers; seen at 40 times only, so the exact probability is at least what is computed here.
    needs, mus, jobs, servers = (1, 2), (1.0, 0.5), (24.0, 12.0), 160
    fluid = model(mus, [a * m / servers for a, m in zip(jobs, needs, strict=True)], "empty")
    rates = np.array(jobs) * mus
    until, most = 3.0, (64, 40)
    shape = (most[0] + 1, most[1] + 1)
    first, second = np.unravel_index(np.arange(shape[0] * shape[1]), shape)
    entries = []
    for here, (x, y) in enumerate(zip(first, second, strict=True)):
        if x * needs[0] + y * needs[1] > servers:
            continue  # who asks for more than there is counts as staying: that only lowers the probability
        for there, rate in (
            ((x + 1, y), rates[0]), ((x, y + 1), rates[1]), ((x - 1, y), mus[0] * x), ((x, y - 1), mus[1] * y)
        ):  # fmt: skip
            if rate > 0 and 0 <= there[0] < shape[0] and 0 <= there[1] < shape[1]:
                entries.append((here, there[0] * shape[1] + there[1], rate))
    rows, columns, values = (np.array(each) for each in zip(*entries, strict=True))
    size = shape[0] * shape[1]
    matrix = sparse.coo_array((values, (rows, columns)), (size, size)).tocsr()
    generator = (matrix - sparse.diags_array(np.asarray(matrix.sum(axis=1)).ravel())).T.tocsr()
    distance = sharper_distance(fluid, until=until, level=0.5, arrival_rates=rates)
    law, strayed = np.zeros(size), 0.0
    law[0] = 1.0
    for t in np.linspace(0, until, 41)[1:]:
        law = expm_multiply(generator * (until / 40), law)
        y = fluid.at([t])[0]
        far = np.abs(first / rates[0] - y[0]) + np.abs(second / rates[1] - y[1]) > distance
        strayed += law[far].sum()
        law[far] = 0.0
    assert 0 < strayed <= 0.5


def test_the_papers_bound_by_hand():
    fluid = model([1.0], [0.5], "empty")  # delta = (1 − .5)/.5 = 1
    expected = 2 * sum(
        np.exp(-1e4 * cramer(x * np.exp(-1) / 3)) + np.exp(-2e4 * cramer(0.5 * x * np.exp(-1) / 3)) for x in (0.5, 1.0)
    )
    found = paper_probability(fluid, until=1, distance=0.5, arrival_rates=np.array([1e4]))
    assert found == pytest.approx(expected, rel=1e-12)
    # Few arrivals say nothing, and a probability is at most 1.
    assert paper_probability(fluid, until=1, distance=0.5, arrival_rates=np.array([10.0])) == 1.0


def test_ours_is_far_below_and_hardly_grows_with_time():
    fluid, rates = model([1.0], [0.5], "empty"), np.array([1e8])
    paper, ours = (
        [find(fluid, until=t, level=0.95, arrival_rates=rates) for t in (1, 5, 20)]
        for find in (paper_distance, sharper_distance)
    )
    assert paper[0] > 8 * ours[0]
    assert paper[1] > 800 * ours[1]
    assert paper[2] is None
    assert ours[2] < 1.3 * ours[0]


@pytest.mark.parametrize("u", [1e-9, 1e-5, 9.9e-5, 1.01e-4, 0.1, 3.0])
def test_cramer_is_its_definition(u):
    import mpmath

    with mpmath.workdps(40):
        exact = float((1 + mpmath.mpf(u)) * mpmath.log(1 + mpmath.mpf(u)) - mpmath.mpf(u))
    assert cramer(u) == pytest.approx(exact, rel=1e-9)
