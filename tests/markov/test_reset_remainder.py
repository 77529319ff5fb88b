"""What RESET leaves open, against subtraction where nothing cancels, and against many digits where it does."""

import mpmath
import numpy as np
import pytest

import msj
from msj.analysis.exact_response import open_model
from msj.markov.level_process import solve
from msj.markov.reset_remainder import reset_remainder


def two_servers_by_hand(load):
    """Return lambda, R and what else examples/two_servers.toml takes, in 60 digits (logarithmic reduction)."""
    with mpmath.workdps(60):
        lam = mpmath.mpf(load) * mpmath.mpf(9) / 10
        p1, p2, mu1, mu2 = mpmath.mpf(2) / 3, mpmath.mpf(1) / 3, mpmath.mpf(1), mpmath.mpf(1) / 2
        # Phases of a level n >= 3: both small; one small and a large one waiting; a large one running.
        up = lam * mpmath.eye(3)
        down = mpmath.matrix([[2 * mu1 * p1, 2 * mu1 * p2, 0], [0, 0, mu1], [mu2 * p1 * p1, mu2 * p1 * p2, mu2 * p2]])
        out = [2 * mu1, mu1, mu2]
        local = mpmath.diag([-(lam + each) for each in out])
        inverse = -(local**-1)
        H, L = inverse * up, inverse * down
        G, T = L.copy(), H.copy()
        for _ in range(40):
            U = H * L + L * H
            left = (mpmath.eye(3) - U) ** -1
            H, L = left * H * H, left * L * L
            G, T = G + T * L, T * H
        R = up * (-(local + up * G)) ** -1
        return lam, R, down, (p1, p2, mu1, mu2)


def mean_response_time(load):
    lam, R, down, (p1, p2, mu1, mu2) = two_servers_by_hand(load)
    with mpmath.workdps(60):
        # pi_0 | pi_1: one small, a large | pi_2: two small, small with a large waiting, large with one behind.
        size = 1 + 2 + 3
        Q = mpmath.zeros(size, size)
        Q[0, 1], Q[0, 2] = lam * p1, lam * p2
        Q[1, 0], Q[2, 0] = mu1, mu2
        Q[1, 3], Q[1, 4] = lam * p1, lam * p2
        Q[2, 5] = lam
        Q[3, 1] = 2 * mu1
        Q[4, 2] = mu1
        Q[5, 1], Q[5, 2] = mu2 * p1, mu2 * p2
        for i in range(size):
            Q[i, i] = -sum(Q[i, j] for j in range(size) if j != i) - (lam if i > 2 else 0)
        back = R * down  # through level 3 and back to level 2
        for i in range(3):
            for j in range(3):
                Q[3 + i, 3 + j] += back[i, j]
        Q = Q.T
        for j in range(size):
            Q[0, j] = 1
        tail = (mpmath.eye(3) - R) ** -1
        for j in range(3):
            Q[0, 3 + j] = sum(tail[j, i] for i in range(3))
        pi = mpmath.lu_solve(Q, mpmath.matrix([1] + [0] * (size - 1)))
        two = mpmath.matrix([[pi[3], pi[4], pi[5]]])
        jobs = pi[1] + pi[2] + sum(two * tail * 2 + two * R * tail * tail)
        return jobs / lam


@pytest.mark.parametrize("load", [0.3, 0.8, 0.999, 0.999999, 0.99999999, 0.999999998])
def test_it_keeps_its_digits_up_to_the_threshold(load):
    system = msj.read("examples/two_servers.toml")
    rate = load * 0.9
    process = open_model(system).at(rate)
    found = reset_remainder(process, solve(process), rate)
    with mpmath.workdps(60):
        exact_rate = mpmath.mpf(load) * mpmath.mpf(9) / 10
        wanted = mean_response_time(load) - mpmath.mpf("1.43") / (mpmath.mpf("0.9") - exact_rate)
    assert found == pytest.approx(float(wanted), rel=1e-6)


def test_the_row_does_not_wander_near_the_threshold():
    rows = [
        msj.analyse(msj.read("examples/two_servers.toml").replace(load=load), percentiles=False)
        for load in (0.999999, 0.99999999, 0.999999998)
    ]  # fmt: skip
    assert np.ptp([found["reset_difference"] for found in rows]) < 1e-6


@pytest.mark.parametrize("policy", ["fcfs", {"name": "first-fit", "window": 2}, "server-filling"])
@pytest.mark.parametrize("servers", [4, 8])
def test_it_is_the_difference_wherever_a_subtraction_can_be_trusted(policy, servers):
    system = msj.System(
        servers=servers, policy=policy, load=0.9,
        classes=[
            msj.JobClass(name="a", need=1, share=0.5, duration=msj.Exponential(mean=1)),
            msj.JobClass(name="b", need=2, share=0.3, duration=msj.Exponential(mean=0.5)),
            msj.JobClass(name="c", need=4, share=0.2, duration=msj.Exponential(mean=2)),
        ],
    )  # fmt: skip
    found = msj.analyse(system, exact=True, percentiles=False)
    gap = found["mean_response_time"] - found["predicted_mean_response_time"]
    assert found["reset_difference"] == pytest.approx(gap, rel=1e-8, abs=1e-9)
