"""Speeds count as given: the capacity is their sum, and a declared duration is the time at speed 1."""

import numpy as np
import pytest

import msj
from msj.analysis.wcfs_bounds import wcfs_bounds

#: wcfs, section 6: speeds that sum to 1, sizes of mean 1.
PAPER, SIZES = (0.4, 0.3, 0.2, 0.1), msj.Hyperexponential(rates=[2, "2/3"], probabilities=["1/2", "1/2"])
ASSIGNMENTS = ("fastest-first", "newest-first", "move-up", "slowest-first", "stay")


def machines(speeds, law, assignment="fastest-first", **arriving):
    policy = {"name": "heterogeneous-servers", "speeds": list(speeds), "assignment": assignment}
    jobs = msj.JobClass(name="jobs", need=1, share=1, duration=law)
    return msj.System(servers=len(speeds), classes=(jobs,), policy=policy, **arriving)


def test_the_papers_own_numbers():
    """Figure 1 of wcfs: E[T](1 − rho) goes to E[S²]/2E[S] = 1.25; it was 0.007."""
    found = msj.analyse(machines(PAPER, SIZES, arrival_rate=0.99), percentiles=False)
    assert found["mean_response_time"] * 0.01 == pytest.approx(1.256, abs=0.0005)
    assert found["stability_threshold"] == pytest.approx(1.0)
    assert found["offered_utilisation"] == pytest.approx(0.99)
    assert found["heavy_traffic_limit"] == pytest.approx(1.25)


@pytest.mark.parametrize("speed", [0.25, 3])
@pytest.mark.parametrize("load", [0.5, 0.9])
def test_one_server_is_m_m_1_at_its_speed(speed, load):
    found = msj.analyse(machines([speed], msj.Exponential(mean=1), utilisation=load), percentiles=False)
    assert found["naive_threshold"] == found["stability_threshold"] == pytest.approx(speed)
    assert found["arrival_rate"] == pytest.approx(load * speed)
    assert found["mean_response_time"] == pytest.approx(1 / speed / (1 - load))
    assert found["mean_waiting_time"] == pytest.approx(load / speed / (1 - load))
    bounds = wcfs_bounds(machines([speed], msj.Exponential(mean=1), utilisation=load))
    assert bounds.lower == pytest.approx(found["mean_response_time"])  # with one server the bounds are the value
    assert bounds.upper == pytest.approx(found["mean_response_time"])


@pytest.mark.parametrize("load", [0.5, 0.9])
def test_two_servers_are_a_birth_and_death_chain(load):
    """Down by 2 from one job and by 2.5 from more: p_n = p_1 rho^(n−1)."""
    rate = load * 2.5
    one = rate / 2
    exact = one / (1 - load) ** 2 / (1 + one / (1 - load)) / rate
    found = msj.analyse(machines([0.5, 2], msj.Exponential(mean=1), arrival_rate=rate), percentiles=False)
    assert found["mean_response_time"] == pytest.approx(exact)
    assert found["response_time_sharper_lower_bound"] < exact < found["response_time_sharper_upper_bound"]


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_faster_servers_are_shorter_durations(assignment):
    """All speeds times 4 is all durations over 4: every row, exact or simulated, but the slowdown."""
    slow = machines(PAPER, SIZES.scaled(4), assignment, arrival_rate=0.2)
    fast = machines([4 * v for v in PAPER], SIZES.scaled(16), assignment, arrival_rate=0.2)
    for ask in (
        lambda system: msj.analyse(system, percentiles=False),
        lambda system: msj.simulate(system, jobs=3000, seed=1),
    ):
        one, other = ask(slow), ask(fast)
        rows = [row for row in one if row.name != "mean_slowdown"]
        assert len(rows) > 8
        same = {(row.name, row.job_class, row.level, row.at): row.value for row in other}
        assert [same[row.name, row.job_class, row.level, row.at] for row in rows] == pytest.approx(
            [row.value for row in rows], rel=1e-6
        )


@pytest.mark.parametrize(
    ("speeds", "assignment"), [(PAPER, "fastest-first"), ((3, 1), "stay"), ((2, 2, 1), "newest-first")]
)
@pytest.mark.parametrize("load", [0.5, 0.8])
def test_simulation_agrees_with_the_chain(speeds, assignment, load):
    """Three half-widths of 95 %: a false alarm below 1e-5 for each of 18 rows (Student, 19 degrees of freedom)."""
    system = machines(speeds, SIZES, assignment, utilisation=load)
    exact, run = msj.analyse(system, percentiles=False), msj.simulate(system, jobs=60_000, seed=7)
    # Servers in use are known exactly where mean waits are.
    in_use = ["utilisation"] if "mean_waiting_time" in exact else []
    assert exact["offered_utilisation"] == pytest.approx(run["offered_utilisation"]) == pytest.approx(load)
    for name in ("mean_response_time", "waiting_probability", *in_use):
        row = run.row(name)
        assert abs(row.value - exact[name]) < 1.5 * (row.high - row.low)
    assert run["idle_servers_while_jobs_wait"] == pytest.approx(0.0, abs=1e-12)


def test_replays_use_the_speeds_as_given():
    jobs = msj.RecordedJobs(arrival=[0.0, 0.0], need=[1, 1], duration=[6.0, 6.0])
    found = msj.replay(jobs, servers=2, policy={"name": "heterogeneous-servers", "speeds": [3, 1]})
    # The oldest takes 2 at speed 3; the other then has 4 left and moves to the fast server.
    assert found["makespan"] == pytest.approx(2 + 4 / 3)
    assert found["utilisation"] == pytest.approx(12 / (4 * (2 + 4 / 3)))


def test_the_most_load_of_a_plan_is_a_share_of_the_capacity():
    system = machines([3, 1], msj.Exponential(mean=1), arrival_rate=1)
    found = msj.plan(system, targets=["utilisation<=0.5"], vary="load")
    assert found["planned_utilisation"] == pytest.approx(0.5, abs=0.01)
    assert found["planned_arrival_rate"] == pytest.approx(2.0, abs=0.04)


def test_a_saturated_window_knows_the_capacity():
    from msj.simulation.saturated_window import saturated_windows

    system = machines([3, 1], msj.Uniform(low=0.5, high=1.5))
    found = saturated_windows(system, jobs=20_000, rng=1)
    assert found.last.threshold == pytest.approx(4.0, rel=1e-9)


def test_speeds_may_be_fractions_and_in_any_order():
    one, other = (machines(v, SIZES, utilisation=0.5).policy for v in (["1/10", "2/5", "1/5", "3/10"], PAPER))
    assert one.server_speeds(4) == pytest.approx(other.server_speeds(4))
    assert np.isclose(one.service_capacity(4), 1.0)
