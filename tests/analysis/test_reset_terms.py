"""The constants RESET leaves open, the at-least-k system, and completions over time, against brute force."""

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.integrate import solve_ivp

import msj
from msj.analysis.mmsr import open_queue
from msj.analysis.reset_terms import at_least_k_rows, extremes, reset_constants, service_chain
from msj.analysis.saturated_chain import completions_ahead
from strategies import simple, systems

SYSTEMS = [
    simple(1, (1, 1, 1)),
    simple(2, (1, 1, "2/3"), (2, "1/2", "1/3")),
    simple(2, (1, 3, "1/2"), (2, "1/4", "1/2")),
    simple(3, (1, 1, "1/3"), (2, 1, "1/3"), (3, 1, "1/3")),
    simple(3, (1, 2, "9/10"), (3, 1, "1/10")),
    simple(3, (2, 1, 1)),
    simple(4, (1, 1, "1/2"), (3, 2, "1/2")),
    simple(4, (2, 1, "1/4"), (3, 1, "3/4")),
    simple(5, (1, "1/5", "1/2"), (5, 1, "1/2")),
    simple(2, (1, 1, "1/2"), (2, 1, "1/2"), policy={"name": "first-fit", "window": 2}),
]


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: f"{system.servers} servers")
def test_what_reset_leaves_open_lies_between_the_constants_at_every_load(system):
    found = reset_constants(system)
    scale = max(abs(found.low), abs(found.high), 1e-3)
    for load in (0.03, 0.37, 0.74, 0.97):
        difference = msj.analyse(system.replace(load=load), percentiles=False)["reset_difference"]
        assert found.low - 1e-8 * scale <= difference <= found.high + 1e-8 * scale
    near = msj.analyse(system.replace(load=1 - 1e-6), percentiles=False)["reset_difference"]
    assert near == pytest.approx(found.limit, abs=1e-4 * scale)


def test_twenty_servers_of_the_paper():
    # By a program that shares no code with this: between −0.3054 and −0.537.
    found = reset_constants(simple(20, (1, 1, "1/2"), (20, "1/2", "1/2")))
    assert (round(found.high, 4), round(found.low, 4)) == (-0.3054, -0.5375)


def test_a_server_filling_front_has_constants_too():
    filling = simple(4, (1, "1/2", "1/2"), (4, "2/3", "1/2"), policy="server-filling")
    found = reset_constants(filling)
    at_half = msj.analyse(filling.replace(load=0.5), percentiles=False)["reset_difference"]
    assert found.low < at_half < found.high == found.limit
    # At no load a job takes its duration, (2 + 3/2)/2, and the prediction is (1 + Delta)/lambda* = 1.25.
    assert found.low == pytest.approx(1.75 - 1.25, abs=1e-9)


def test_a_function_that_does_not_settle_has_no_constants():
    assert extremes(lambda load: abs(load - 0.3)) is None


def test_a_function_whose_points_mislead_is_found_out_at_other_loads():
    # Zero at all 9 and at all 27 points, and 1 between them: the coefficients alone would call it zero.
    nodes = np.cos(np.pi * (2 * np.arange(27) + 1) / 54)

    def hidden(load):
        return 0.0 if np.abs(nodes - (2 * load - 1)).min() < 1e-9 else 1.0

    assert extremes(hidden) is None
    # What it is off by is what it misses: a wiggle too fine for nine points makes it take more.
    asked = []

    def fine(load):
        asked.append(load)
        return float(1 / (1.001 - load * 0.5) + 1e-3 * np.cos(14 * load))

    found = extremes(fine)
    assert len(asked) > 15
    grid = [fine(load) for load in np.linspace(0, 1, 2001)]
    assert found.low == pytest.approx(min(grid), abs=1e-5)
    assert found.high == pytest.approx(max(grid), abs=1e-5)


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: f"{system.servers} servers")
def test_the_at_least_k_system_obeys_the_equations_of_appendix_f(system):
    load = 0.6
    chain = service_chain(system)
    threshold = msj.mmsr.solve(chain).throughput
    rate = load * threshold
    law = open_queue(chain, rate)
    unused = float(law.boundary[0] @ np.asarray(chain.D1.sum(axis=1)).ravel())
    assert unused == pytest.approx(threshold - rate, rel=1e-8)  # (F.2)
    rows = {row.name: row.value for row in at_least_k_rows(chain, rate)}
    empty, busy = rows["at_least_k_empty_probability"], rows["at_least_k_busy_period"]
    assert empty == pytest.approx(1 / (1 + rate * busy), rel=1e-9)  # busy and idle periods alternate
    # It has as many jobs as the system itself, and at most so many more as the front holds.
    jobs = msj.analyse(system.replace(load=load), percentiles=False)["mean_jobs_in_system"]
    assert jobs <= rows["at_least_k_mean_back"] + system.servers + 1


def test_one_server_is_its_own_at_least_k_system():
    alone = simple(1, (1, 1, 1), load=0.75)
    rows = msj.analyse(alone, percentiles=False, bounds=True)
    assert rows["at_least_k_empty_probability"] == pytest.approx(0.25)
    assert rows["at_least_k_busy_period"] == pytest.approx(4)  # 1/(mu − lambda)
    assert rows["empty_back_probability"] == pytest.approx(1 - 0.75**2)  # nobody, or one in service
    assert rows["reset_constant_high"] == pytest.approx(0, abs=1e-9)


@settings(max_examples=10)
@given(systems(most_servers=3, most_classes=2))
def test_completions_ahead_are_the_integral_of_the_rates(system):
    solved = msj.saturate(system)
    chain = solved.built.chain
    rates = np.asarray(chain.D1.sum(axis=1)).ravel()
    generator = (chain.D0 + chain.D1).toarray()
    times = [0.1, 1.0, 3.0]
    # Two equations at once: E[rate at t] from each state, and its integral.
    size = len(rates)
    found = solve_ivp(
        lambda _, x: np.concatenate((generator @ x[:size], x[:size] - solved.stability_threshold)),
        (0, 3), np.concatenate((rates, np.zeros(size))), t_eval=times, rtol=1e-10, atol=1e-12, method="LSODA",
    )  # fmt: skip
    ahead = completions_ahead(chain, solved.relative_completions, times)
    assert ahead == pytest.approx(found.y[size:].T, abs=1e-7)


def test_completions_ahead_are_rows_of_the_likeliest_states():
    found = msj.analyse("examples/two_servers.toml", states=2, until=40, percentiles=False)
    for row in [row for row in found if row.name == "relative_completions"]:
        last = [each for each in found if each.name == "completions_ahead" and each.at["state"] == row.at["state"]]
        assert len(last) == 21
        assert last[0].value == 0
        assert last[-1].value == pytest.approx(row.value, abs=1e-6)
    with pytest.raises(msj.InvalidInput, match="goes with states"):
        msj.analyse("examples/two_servers.toml", until=3)


def test_an_extreme_inside_is_looked_up_where_the_interpolation_has_it():
    asked = []

    def difference(load):
        asked.append(load)
        return (load - 0.3141592) ** 2

    found = extremes(difference)
    assert (found.low, found.high, found.limit) == pytest.approx((0, 0.6858408**2, 0.6858408**2), abs=1e-9)
    assert min(abs(load - 0.3141592) for load in asked) < 1e-8
