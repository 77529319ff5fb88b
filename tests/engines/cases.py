"""Policies in every variant, and random job lists each can serve."""

import numpy as np

from msj.disciplines.remembering import Remembering
from msj.registry import POLICIES

OPTIONS = {
    "first-fit": [
        {},
        {"preemptive": True},
        {"window": 3},
        {"window": 3, "preemptive": True},
        {"oldest": 4},
        {"oldest": 4, "preemptive": True},
        {"preemptive": True, "restart": True},
        {"window": 3, "preemptive": True, "restart": True},
    ],
    "best-packing": [
        {},
        {"window": 1},
        {"window": 3},
        {"window": 5, "preemptive": True},
        {"preemptive": True, "restart": True},
    ],
    "least-servers-first": [{}, {"preemptive": False}, {"restart": True}],
    "most-servers-first": [{}, {"preemptive": False}, {"restart": True}],
    "max-weight": [
        *({"ties": ties, "limited": limited} for ties in ("smallest", "largest") for limited in (False, True)),
        {"ties": "smallest", "restart": True},
    ],
    "server-filling": [{}, {"restart": True}],
    "divisor-filling": [{}, {"restart": True}],
    "first-fit-srpt": [{}, {"restart": True}, {"oldest": 3}],
    "greedy-srpt": [{}, {"restart": True}, {"oldest": 3}, {"oldest": 2, "restart": True}],
    "server-filling-srpt": [{}, {"restart": True}],
    "divisor-filling-srpt": [{}, {"restart": True}],
    "easy-backfilling": [{}, {"factor": 2}, {"factor": 1.5, "round_up_to": 2}],
    "smash": [{}, {"window": 1}, {"window": 3}],
    "conservative-backfilling": [{}, {"factor": 2}, {"factor": 1.5, "round_up_to": 2}],
}
POWERS_OF_TWO = ("server-filling", "server-filling-srpt", "server-filling-gittins")
RANDOM = ("randomized-timers", "msr", "nmsr")  # no plain twin: decisions or their times are drawn
REMEMBERING = tuple(p.name for p in POLICIES if issubclass(p, Remembering))  # twins in test_by_counts.py
LOSING = tuple(p.name for p in POLICIES if p.turns_away)  # twin in test_loss.py
SHARING = ("heterogeneous-servers", "limited-processor-sharing", "threshold-parallelism")  # twins in test_sharing.py


def variants():
    """Every policy that decides by a plain function, with every option worth a test."""
    return [
        POLICIES.get(name).from_options(options)
        for name in POLICIES.names()
        if name not in RANDOM + REMEMBERING + LOSING + SHARING
        for options in OPTIONS.get(name, [{}])
    ]


def label(policy):
    spec = policy.to_spec()
    return spec if isinstance(spec, str) else "-".join(str(value) for value in spec.values())


def random_jobs(policy, seed, count=150):
    """Servers, arrivals, needs, durations: light or heavy load, durations continuous or with many ties."""
    rng = np.random.default_rng(seed)
    servers = int(rng.choice([1, 2, 4, 8] if policy.name in POWERS_OF_TWO else [1, 2, 4, 6, 12]))
    if policy.name in POWERS_OF_TWO:
        need = 2 ** rng.integers(0, int(np.log2(servers)) + 1, count)
    elif policy.name.startswith("divisor-filling"):
        need = rng.choice([d for d in range(1, servers + 1) if servers % d == 0], count)
    else:
        need = rng.integers(1, servers + 1, count)
    arrival = np.cumsum(rng.exponential(rng.choice([0.2, 0.8, 2.0]), count))
    if seed % 2:
        duration = rng.exponential(1.0, count) + 1e-3
    else:  # whole numbers: jobs end together, and at arrivals
        arrival, duration = np.floor(arrival), rng.integers(1, 5, count).astype(float)
    return servers, arrival, need, duration
