"""The bounds and terms behind an answer (``bounds=True``), each with a number worked out here."""

import math

import pytest

import msj
from strategies import simple


def values(result, job_class=None):
    return {row.name: row.value for row in result if row.job_class == job_class and row.level is None and not row.at}


def test_every_term_of_wcfs_where_the_queue_is_m_m_2():
    """Two servers, need 1, rate 1.6: rho = 0.8, n = 2, b_inf = beta = 1/2, sizes Exp(2), so E[S] = rem_sup = 1/2.

    M/G/1 on sizes has m = 0.8/0.2 · (1/2)/(2 · 1/2) = 2. M/M/2 has E[N] = 2 rho/(1 − rho²) = 40/9; the front are those
    in service, each for 1; and what is left of any job is 1/2 of the time of both servers.
    """
    found = values(msj.analyse(simple(2, (1, 1, 1), arrival_rate=1.6), percentiles=False, bounds=True))
    jobs = 40 / 9
    wanted = {
        "naive_threshold": 2,
        "utilisation": 0.8,
        "mean_jobs_waiting": jobs - 1.6,
        "mg1_mean_response_time": 2 + 1 / 2,
        "heavy_traffic_limit": 1 / 2,  # E[S²]/(2 E[S])
        "mean_work": jobs / 2,
        "mean_queueing_time": jobs / 1.6 - 1,
        "mean_front_time": 1,
        "work_lower_bound": 2,
        "work_upper_bound": 2.5,
        "queueing_time_lower_bound": 1.5,
        "queueing_time_upper_bound": 2.5,
        "queueing_time_lower_bound_from_work": jobs / 2 - 0.5,
        "queueing_time_upper_bound_from_work": jobs / 2,
        "front_time_lower_bound": 0.5,
        "front_time_upper_bound": 2,  # n E[S]/b_inf
        "response_time_lower_bound": 1.5 + 0.5,
        "response_time_upper_bound": 2.5 + 2,
        # i = j = min(n − 1, rho/beta) = 1
        "work_sharper_lower_bound": 2,
        "work_sharper_upper_bound": 2.5,
        "queueing_time_sharper_lower_bound": 1.5,
        "queueing_time_sharper_upper_bound": 2 + 0.8 / 2,
        "front_time_sharper_lower_bound": 1,  # alone, on one server
        "front_time_sharper_upper_bound": 1,  # E[S]/beta
        "response_time_sharper_lower_bound": 1.5 + 1,
        "response_time_sharper_upper_bound": 2.4 + 1,
    }
    assert {name: found.get(name) for name in wanted} == pytest.approx(wanted)


def poisson(mean, n):
    return math.exp(-mean) * mean**n / math.factorial(n)


def test_every_bound_on_the_waiting_probability_from_two_poisson_numbers():
    """Eight servers; X_1 jobs of need 1 and mean 1, X_2 of need 2 and mean 2, where there are infinitely many servers.

    These are Poisson of means 1/2 and 1, and ask for S = X_1 + 2 X_2 servers, 2.5 on average. When somebody waits, at
    least 7 servers are busy.
    """
    system = simple(8, (1, 1, "1/2"), (2, "1/2", "1/2"), arrival_rate=1)
    asked = msj.analyse(system, percentiles=False, bounds=True)
    law = {(i, j): poisson(0.5, i) * poisson(1, j) for i in range(40) for j in range(40)}

    def mean(function):
        return sum(chance * function(i + 2 * j) for (i, j), chance in law.items())

    rho, short = 2.5 / 8, mean(lambda s: max(2.5 - s, 0))
    beyond = {need: mean(lambda s, need=need: s > 8 - need) for need in (1, 2)}
    wanted = {
        "waiting_probability_bound": (3 * 2 * math.sqrt(2 / 8) + 2 / 8) / (1 - rho),
        "waiting_probability_sum_bound": (3 * (math.sqrt(1 / 8) + math.sqrt(2 / 8)) + 2 / 8) / (1 - rho),
        "waiting_probability_sharper_bound": (2 + short) / (8 * (1 - rho)),
        "waiting_probability_little_bound": short / (7 - 2.5),
        "waiting_probability_sharpest_bound": min(mean(lambda s, t=t: max(s - t, 0)) / (7 - t) for t in range(7)),
        "waiting_probability_lower_bound": (beyond[1] + beyond[2]) / 2,
        "server_time_left_bound": 6 * 2 + 2 * 4 * 2.5 / (8 - 2.5 - 2),
    }
    found = values(asked)
    assert {name: found.get(name) for name in wanted} == pytest.approx(wanted)
    for need, present in ((1, 0.5), (2, 1.0)):
        own = values(asked, f"need {need}")
        assert own["waiting_probability_lower_bound"] == pytest.approx(beyond[need])
        assert own["shortfall_bound"] == pytest.approx(3 * math.sqrt(8 * need))
        shortfall = need * sum(poisson(present, n) * max(present - n, 0) for n in range(40))
        assert own["shortfall_sharper_bound"] == pytest.approx(shortfall)


def test_every_constant_of_reset_where_the_prediction_is_exact():
    """M/M/1 at load 3/4: E[T] = 1/(1 − 3/4) is what RESET predicts, at every load.

    Never left with nobody, the jobs behind the one in service are M/M/1 themselves: 3 on average, none for 1/4 of the
    time, and busy periods of 1/(1 − 3/4).
    """
    found = values(msj.analyse(simple(1, (1, 1, 1), load=0.75), percentiles=False, bounds=True))
    wanted = {
        "at_least_k_mean_back": 3,
        "at_least_k_empty_probability": 1 / 4,
        "at_least_k_busy_period": 4,
        "predicted_mean_response_time": 4,
    }
    assert {name: found.get(name) for name in wanted} == pytest.approx(wanted)
    zero = {"reset_constant_limit", "reset_constant_high", "reset_difference"}
    assert {name: found.get(name) for name in zero} == pytest.approx(dict.fromkeys(zero, 0), abs=1e-9)
    assert found["reset_constant_low"] <= 0


def test_what_large_jobs_cost_is_what_small_ones_alone_would_complete_more():
    """Ten servers, one job in ten needs all of them: ten small jobs at a time would complete 10 per unit of time."""
    found = {row.name: row.value for row in msj.one_and_n_scaling("1/n", [10]) if "form" not in row.at}
    p, q = 0.1, 0.9
    threshold = 1 / (p * (1 + q**10 / (10 * p) + sum(q**b / b for b in range(1, 10))))  # lfms, Lemma 5.3
    assert found["stability_threshold"] == pytest.approx(threshold)
    assert found["lost_throughput"] == pytest.approx(10 - threshold)
    assert found["share_large"] == pytest.approx(p)
