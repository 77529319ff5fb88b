"""Queues served by any marked chain."""

import math

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse

from msj import InvalidInput, TooLarge, Unstable, mmsr
from msj.fronts import saturated_chain
from strategies import simple


def brute_force(D0, D1, rate, levels):
    """Truncated chain, solved densely: mean number in system, P(empty)."""
    D0, D1 = np.asarray(D0, float), np.asarray(D1, float)
    m = len(D0)
    Q = np.zeros((levels * m, levels * m))
    for n in range(levels):
        here = slice(n * m, (n + 1) * m)
        Q[here, here] = D0 + (D1 if n == 0 else 0)
        if n > 0:
            Q[here, (n - 1) * m : n * m] = D1
        if n < levels - 1:
            Q[here, (n + 1) * m : (n + 2) * m] = rate * np.eye(m)
            Q[here, here] -= rate * np.eye(m)
    A = Q.T.copy()
    A[0] = 1
    b = np.zeros(levels * m)
    b[0] = 1
    return scipy.linalg.solve(A, b).reshape(levels, m)


def test_one_state_is_mm1():
    result = mmsr.analyse(mmsr.from_matrices([[-2.0]], [[2.0]]), arrival_rate=1.5)
    assert result["mean_response_time"] == pytest.approx(2.0, rel=1e-12)
    assert result["relative_completions_at_departure"] == pytest.approx(0.0, abs=1e-15)
    assert result["response_time_percentile", None, 99.0] == pytest.approx(math.log(100) / 0.5, rel=1e-7)


@pytest.mark.parametrize("seed", range(5))
def test_random_service_processes_against_brute_force(seed):
    rng = np.random.default_rng(seed)
    m = int(rng.integers(2, 5))
    D1 = rng.exponential(1, (m, m)) * (rng.random((m, m)) < 0.5) + np.diag(rng.random(m))
    D0 = rng.exponential(1, (m, m))
    np.fill_diagonal(D0, 0)
    np.fill_diagonal(D0, -(D0 + D1).sum(axis=1))
    chain = mmsr.from_matrices(D0, D1)
    result = mmsr.analyse(chain, load=0.6)
    rate = 0.6 * result["stability_threshold"]
    law = brute_force(D0, D1, rate, 120)
    mean = (law.sum(axis=1) * np.arange(120)).sum()
    assert result["mean_jobs_in_system"] == pytest.approx(mean, rel=1e-9)
    assert result["waiting_probability"] == pytest.approx(1 - law[0].sum(), rel=1e-10)
    # Response time: n + 1 completions of the chain from the state seen on arrival, by the matrix exponential.
    t = result["response_time_percentile", None, 90.0]
    levels = 60
    down = np.kron(np.eye(levels), D0) + np.kron(np.eye(levels, k=-1), D1)
    survival = law[:levels].ravel() @ scipy.linalg.expm(down * t) @ np.ones(levels * m)
    assert survival == pytest.approx(0.1, rel=1e-7)


def test_breakdowns_of_one_machine_have_a_closed_form():
    # Up at rate r, fails at f, is repaired at g: two states, solved by generating functions (reset, section 2.3).
    rate, fail, repair, load = 2.0, 0.1, 0.5, 0.7
    result = mmsr.analyse(mmsr.breakdowns(rate=rate, failure_rate=fail, repair_rate=repair), load=load)
    threshold = rate * repair / (fail + repair)
    arrival = load * threshold
    assert result["stability_threshold"] == pytest.approx(threshold, rel=1e-12)
    # With P_up(z), P_down(z): balance in z gives P(empty and up) = (threshold − arrival)/rate and
    # E[N] = arrival·(1 + rate·fail/(fail + repair)²)/(threshold − arrival).
    mean = arrival * (1 + rate * fail / (fail + repair) ** 2) / (threshold - arrival)
    assert result["mean_jobs_in_system"] == pytest.approx(mean, rel=1e-10)


def test_pools_of_machines_that_never_fail_complete_at_the_full_rate():
    result = mmsr.analyse(mmsr.breakdowns(servers=3, rate=1.0, failure_rate=1e-12, repair_rate=1.0), arrival_rate=2.0)
    assert result["mean_response_time"] == pytest.approx(1.0, rel=1e-9)  # M/M/1 with rate 3


def test_priority_work_takes_its_share():
    chain = mmsr.higher_priority(servers=4, rate=1.0, priority_arrival_rate=2.0, priority_rate=1.0)
    # Work conservation of the priority jobs: they hold two servers on average.
    assert mmsr.analyse(chain)["stability_threshold"] == pytest.approx(2.0, rel=1e-10)
    with pytest.raises(InvalidInput, match="overloads 4 servers"):
        mmsr.higher_priority(servers=4, rate=1.0, priority_arrival_rate=4.0, priority_rate=1.0)


def test_the_saturated_chain_of_a_cluster_is_a_service_process():
    chain = saturated_chain(simple(2, (1, 1, "2/3"), (2, "1/2", "1/3"))).chain
    result = mmsr.analyse(chain, load=0.8)
    assert result["predicted_mean_response_time"] == pytest.approx(1.43 / 0.18, rel=1e-12)
    # The At-least-k system: never fewer than k jobs in front, so somewhat slower than the cluster itself.
    assert result["mean_response_time"] > 7.517772


def test_refusals():
    chain = mmsr.from_matrices([[-2.0]], [[2.0]])
    with pytest.raises(Unstable, match=r"lambda = 2 is not below .* lambda\* = 2"):
        mmsr.analyse(chain, arrival_rate=2.0)
    with pytest.raises(InvalidInput, match="both given"):
        mmsr.analyse(chain, arrival_rate=1.0, load=0.5)
    with pytest.raises(InvalidInput, match=r"arrival_rate = .* must be greater than 0"):
        mmsr.analyse(chain, arrival_rate=-1.0)
    with pytest.raises(TooLarge, match="10,001 states"):
        mmsr.breakdowns(servers=10_000, rate=1, failure_rate=1, repair_rate=1)
    for wrong in ({"servers": 1.5}, {"servers": -1}, {"rate": 0}, {"repair_rate": 0}, {"failure_rate": -1}):
        with pytest.raises(InvalidInput, match=next(iter(wrong))):
            mmsr.breakdowns(**{"servers": 2, "rate": 1, "failure_rate": 1, "repair_rate": 1} | wrong)
    with pytest.raises(InvalidInput, match="percentile = 100 must lie between"):
        mmsr.analyse(chain, load=0.5, percentiles=[100])
    with pytest.raises(InvalidInput, match="not a matrix of numbers"):
        mmsr.from_matrices("a", "b")
    line = scipy.sparse.diags_array([np.full(9_999, 1.0)], offsets=[1], shape=(10_000, 10_000), format="lil")
    line[9_999, 0] = 1.0
    D1 = scipy.sparse.diags_array(np.ones(10_000), format="csr")
    long_line = mmsr.from_matrices((line - 2 * scipy.sparse.eye_array(10_000)).tocsr(), D1)
    with pytest.raises(TooLarge, match="use the MARC prediction"):
        mmsr.analyse(long_line, load=0.5)


def test_states_that_are_left_for_ever_do_not_slow_the_tail():
    # Machines that never fail: in the long run all three work, and the queue is an M/M/1 of rate 3.
    pool = mmsr.breakdowns(servers=3, rate=1.0, failure_rate=0.0, repair_rate=0.2)
    assert mmsr.analyse(pool, load=0.5)["tail_decay_rate"] == pytest.approx(0.5, rel=1e-12)


def test_how_exact_it_is_where_there_is_a_load():
    chain = mmsr.from_matrices([[-2.0]], [[2.0]])
    assert mmsr.analyse(chain, arrival_rate=1.5).provenance["exact_residual"] < 1e-12
    assert "exact_residual" not in mmsr.analyse(chain).provenance
