"""Rows that people read beside the main ones, each with a number worked out some other way."""

import pytest

import msj

E = msj.read("examples/two_servers.toml")


def at(result, name, key):
    return {row.at[key]: row.value for row in result if row.name == name and key in row.at}


def test_states_of_the_running_example_by_balance_equations():
    """Two small jobs (A), one beside a blocked large one (B), one large job (C).

    A leaves for B at 2 · 1/3; B for C at 1; C at 1/2 for A with 4/9, for B with 2/9: a = b = c/3. Completions per unit
    of time are 2, 1 and 1/2. Relative completions d solve rate − 0.9 + sum of rates · (d there − d here) = 0.
    """
    found = msj.analyse(E, percentiles=False, states=3)
    probability = {"2 small": 1 / 5, "1 small": 1 / 5, "1 large": 3 / 5}
    assert at(found, "state_probability", "state") == pytest.approx(probability)
    leaving = {"2 small": 0.4 / 0.9, "1 small": 0.2 / 0.9, "1 large": 0.3 / 0.9}
    assert at(found, "state_probability_at_departure", "state") == pytest.approx(leaving)
    d = at(found, "relative_completions", "state")
    assert d["2 small"] - d["1 small"] == pytest.approx((2 - 0.9) * 3 / 2)
    assert d["1 small"] - d["1 large"] == pytest.approx(1 - 0.9)
    assert sum(probability[state] * value for state, value in d.items()) == pytest.approx(0, abs=1e-12)


def test_differences_on_the_same_jobs_are_those_of_the_exact_means():
    """Each within three half-widths, which happens by chance less than once in a million."""
    policies = ["fcfs", "server-filling"]
    found = msj.compare(E, policies, jobs=20_000, seed=1, levels=(50,))
    exact = [msj.analyse(E.replace(policy=name, load=None, arrival_rate=0.72), percentiles=False) for name in policies]
    for name in ("mean_response_time", "mean_waiting_time", "mean_jobs_in_system", "mean_jobs_waiting",
                 "waiting_probability"):  # fmt: skip
        (row,) = (row for row in found if row.name == f"{name}_difference")
        if all(name in each for each in exact):
            difference = exact[1][name] - exact[0][name]
        else:  # a preempted job waits whenever it is not served: all but its duration
            difference = exact[1]["mean_response_time"] - exact[0]["mean_response_time"]
            difference *= 0.72 if "jobs" in name else 1
        assert abs(row.value - difference) < 3 * max(row.high - row.value, row.value - row.low), name
        assert row.low < row.value < row.high < 0
        assert (row.at["policy"], row.at["baseline"]) == ("server-filling", "fcfs")


LOG = """; MaxProcs: 8
1  0 0 10 4 -1 -1 4 20 -1 1 1 1 1 1 1 -1 -1
2  5 3 10 2 -1 -1 2  5 -1 1 1 1 1 1 1 -1 -1
3  6 2 20 2 -1 -1 2 40 -1 1 1 1 1 1 1 -1 -1
4 30 0 -1 2 -1 -1 2 40 -1 0 1 1 1 1 1 -1 -1
"""


def test_what_a_log_of_three_jobs_says_by_hand(tmp_path):
    path = tmp_path / "three.swf"
    path.write_text(LOG)
    found = msj.log(path)
    wanted = {
        "jobs_read": 4,
        "jobs_used": 3,
        "servers": 8,
        "offered_utilisation": (4 * 10 + 2 * 10 + 2 * 20) / (8 * 6),  # in the 6 seconds in which they arrive
        "arrival_rate": 3 / 6,
        "mean_need": 8 / 3,
        "largest_need": 4,
        "mean_run_time": 40 / 3,
        "peak_servers_in_use": 8,  # from 8 to 10 all of them run
        "overrun_share": 1 / 3,  # 10 seconds where 5 were asked for
        "mean_estimate_accuracy": (1 / 2 + 1 + 1 / 2) / 3,
        "mean_waiting_time": 5 / 3,
        "waiting_probability": 2 / 3,
        "mean_response_time": (10 + 13 + 22) / 3,
        "mean_slowdown": (1 + 1.3 + 1.1) / 3,
    }
    rows = {row.name: row.value for row in found if row.job_class is None and row.level is None and not row.at}
    assert {name: rows[name] for name in wanted} == pytest.approx(wanted)
    assert at(found, "jobs_left_out", "reason") == {"no-run-time": 1}


def test_servers_that_are_set_up_are_switched_off_as_often_as_renewal_says():
    """One server, switched off when empty: a cycle is 1/rate off, 1/set-up, then the work of those who came so far.

    With rate a, set-up rate s and work share r it is off for (1 − r) · s/(a + s) of the time and set up for the rest.
    """
    a, s, r = 0.6, 0.5, 0.6
    law = msj.Exponential(mean=1)
    system = msj.System(
        servers=1,
        arrival_rate=a,
        classes=[msj.JobClass(name="a", need=1, share=1, duration=law)],
        model={"name": "set-up", "set_up_rate": s},
    )
    found = msj.analyse(system, percentiles=False)
    assert found["off_servers"] == pytest.approx((1 - r) * s / (a + s))
    assert found["set_up_servers"] == pytest.approx((1 - r) * a / (a + s))
    assert found["busy_servers"] == pytest.approx(r)
    assert found["idle_servers"] == pytest.approx(0, abs=1e-12)


def test_packings_that_take_most_share_the_time_by_their_work():
    """Three servers, half the jobs need two: with one of each all the time, 1 + 1 jobs end per unit of time."""
    law = msj.Exponential(mean=1)
    classes = [msj.JobClass(name=str(need), need=need, share="1/2", duration=law) for need in (1, 2)]
    found = msj.design(msj.System(servers=3, classes=classes))
    assert at(found, "time_share", "state") == pytest.approx({"1 of need 1, 1 of need 2": 1.0})
    assert found["stability_threshold"] == pytest.approx(2.0)


def test_the_law_of_the_number_of_jobs_begins_at_none():
    law = msj.Exponential(mean=1)
    system = msj.System(servers=1, arrival_rate=0.5, classes=[msj.JobClass(name="a", need=1, share=1, duration=law)])
    for last in (0, 3):
        found = at(msj.analyse(system, percentiles=False, law=last), "jobs_in_system_probability", "jobs")
        assert found == pytest.approx({n: 0.5 ** (n + 1) for n in range(last + 1)})  # M/M/1
