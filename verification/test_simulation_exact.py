"""Simulation against exact values, policy by policy, with z-scores.

Exact values come from a list of known numbers, from SRPT formulas, and from a brute-force chain of the open system
(ordered front with who is running, number behind, cut off where it is never reached) built here from the policy's plain
function. Every comparison is at 4 standard errors: a false alarm once in 16,000 seeds, and seeds are fixed.
"""

import math

import numpy as np
import pytest
from scipy import integrate, sparse
from scipy.sparse.linalg import spsolve
from scipy.special import stdtrit

from msj import Exponential, JobClass, System
from msj.answers import simulate
from msj.registry import POLICIES


def simple(servers, *classes, **fields):
    jobs = [
        JobClass(name=f"need {need}", need=need, share=share, duration=Exponential(rate=rate))
        for need, rate, share in classes
    ]
    return System(servers=servers, classes=jobs, **fields)


def z_score(result, exact, name="mean_response_time"):
    row = next(r for r in result if (r.name, r.job_class, r.level) == (name, None, None))
    error = (row.high - row.value) / stdtrit(result.provenance["replications"] - 1, 0.975)
    z = (row.value - exact) / error
    print(f"{result.system['policy']}: {row.value:.6g} +- {error:.2g}, exact {exact:.8g}, z = {z:+.2f}")
    return z


class OpenChain:
    """States: (class, running) of the oldest jobs in order, and how many are behind them."""

    def __init__(self, system, policy, front, most):
        self.system, self.policy, self.front, self.most = system, policy, front, most
        self.needs = np.array([c.need for c in system.classes])
        self.shares = [float(c.share) for c in system.classes]
        self.rates = [float(c.duration.rate) for c in system.classes]

    def decide(self, jobs):
        chosen = np.zeros(len(jobs), dtype=np.bool_)
        needs = np.array([self.needs[c] for c, _ in jobs], dtype=np.int64)
        running = np.array([r for _, r in jobs], dtype=np.bool_)
        self.policy.serve(needs, running, np.ones(len(jobs)), self.system.servers, chosen)
        return tuple((c, bool(yes)) for (c, _), yes in zip(jobs, chosen, strict=True))

    def arrive(self, jobs, behind):
        if len(jobs) == self.front:
            return [((jobs, behind + 1), 1.0)]
        return [((self.decide((*jobs, (c, False))), behind), p) for c, p in enumerate(self.shares)]

    def leave(self, jobs, behind, place):
        rest = jobs[:place] + jobs[place + 1 :]
        if behind == 0:
            return [((self.decide(rest), 0), 1.0)]
        # The class of a job is drawn when it enters the front; until then it is only a number.
        return [((self.decide((*rest, (c, False))), behind - 1), p) for c, p in enumerate(self.shares)]

    def mean_response_time(self, rate):
        index, todo, entries = {((), 0): 0}, [((), 0)], []
        while todo:
            state = todo.pop()
            jobs, behind = state
            moves = [(rate, self.arrive(jobs, behind))] if behind < self.most else []
            moves += [(self.rates[c], self.leave(jobs, behind, i)) for i, (c, r) in enumerate(jobs) if r]
            for speed, targets in moves:
                for target, p in targets:
                    if target not in index:
                        index[target] = len(index)
                        todo.append(target)
                    entries.append((index[state], index[target], speed * p))
        rows, columns, values = map(np.array, zip(*entries, strict=True))
        size = len(index)
        generator = sparse.csr_matrix((values, (rows, columns)), shape=(size, size)).tolil()
        generator.setdiag(generator.diagonal() - np.asarray(generator.sum(axis=1)).ravel())
        system = generator.T.tolil()
        system[0] = 1.0
        law = spsolve(system.tocsc(), np.eye(1, size).ravel())
        assert law[[i for (_, behind), i in index.items() if behind == self.most]].sum() < 1e-9
        return sum(law[i] * (len(jobs) + behind) for (jobs, behind), i in index.items()) / rate


THREE = simple(4, (1, "1/2", "1/2"), (2, 1, "1/4"), (4, "2/3", "1/4"))
TWO = simple(3, (1, "1/2", "1/2"), (3, 1, "1/2"))
# With a window n no job behind the servers + n oldest can start: n are passed over before it is reached.
FRONTS = [
    (THREE, "fcfs", {}, 4),
    (THREE, "server-filling", {}, 4),
    (THREE, "divisor-filling", {}, 4),
    (TWO, "first-fit", {"window": 1}, 4),
    (TWO, "first-fit", {"window": 2}, 5),
    (TWO, "first-fit", {"window": 3}, 6),
    (TWO, "first-fit", {"window": 2, "preemptive": True}, 5),
]


@pytest.mark.parametrize(("system", "name", "options", "front"), FRONTS, ids=lambda value: str(value)[:40])
def test_finite_skip_policies_against_their_open_chain(system, name, options, front):
    policy = POLICIES.get(name).from_options(options)
    rate = 0.7 if system is THREE else 0.55
    exact = OpenChain(system, policy, front, 120 if system is THREE else 70).mean_response_time(rate)
    result = simulate(system.replace(arrival_rate=rate), policy=policy, jobs=4_000_000, rng=101)
    assert abs(z_score(result, exact)) < 4


@pytest.mark.parametrize(
    ("policy", "exact", "error"),
    [
        ("server-filling", 14.118319133, 0),
        ({"name": "max-weight", "ties": "smallest"}, 17.383088, 0),
        ({"name": "max-weight", "ties": "largest"}, 16.392586, 0),
        ("max-weight", 16.885, 0.01),
        ("most-servers-first", 21.42, 0.05),
    ],
    ids=str,
)
def test_known_values_at_nine_tenths(policy, exact, error):
    system = simple(4, (1, "1/2", "1/2"), (4, "2/3", "1/2"), utilisation=0.9)
    result = simulate(system, policy=policy, jobs=20_000_000, rng=102)
    row = result.quantities[0]
    own = (row.high - row.value) / stdtrit(19, 0.975)
    assert abs(z_score(result, exact)) * own < 4 * math.hypot(own, error)


def test_limited_max_weight_lies_where_the_sheet_says():
    system = simple(4, (1, "1/2", "1/2"), (4, "2/3", "1/2"), utilisation=0.9)
    for ties in ("smallest", "largest", "random"):
        policy = {"name": "max-weight", "limited": True, "ties": ties}
        row = simulate(system, policy=policy, jobs=4_000_000, rng=103).quantities[0]
        assert row.high > 13.2
        assert row.low < 14.1


def srpt_mean_response_time(rate):
    """M/M/1 SRPT with mean 1 (Schrage and Miller 1966), by numerical integration."""

    def load(x):
        return rate * (1 - (1 + x) * math.exp(-x))

    def second(x):
        return rate * (2 - (2 + 2 * x + x * x) * math.exp(-x))

    def response(x):
        waits = (second(x) + rate * x * x * math.exp(-x)) / (2 * (1 - load(x)) ** 2)
        return waits + integrate.quad(lambda t: 1 / (1 - load(t)), 0, x)[0]

    return integrate.quad(lambda x: response(x) * math.exp(-x), 0, 60, limit=200)[0]


@pytest.mark.parametrize("policy", ["greedy-srpt", "first-fit-srpt", "server-filling-srpt"])
@pytest.mark.parametrize("rate", [0.5, 0.8])
def test_one_server_srpt(policy, rate):
    system = simple(1, (1, 1, 1), arrival_rate=rate)
    result = simulate(system, policy=policy, jobs=4_000_000, rng=104)
    assert abs(z_score(result, srpt_mean_response_time(rate))) < 4


def test_srpt_on_k_servers_lies_within_its_bounds():
    # Grosof, Scully and Harchol-Balter 2018: never below SRPT on one server of speed k, above by at most its bound;
    # and SRPT is never worse than FCFS here.
    rate, servers = 3.2, 4
    system = simple(servers, (1, 1, 1), arrival_rate=rate)
    srpt = simulate(system, policy="greedy-srpt", jobs=4_000_000, rng=105).quantities[0]
    fcfs = simulate(system, policy="fcfs", jobs=4_000_000, rng=105).quantities[0]
    assert srpt.high > srpt_mean_response_time(rate / servers) / servers
    assert srpt.high < fcfs.low
