"""Policies of the field: longer comparisons, exact beside simulated, and Gittins beside plain ServerFilling.

``python -m verification.test_policies`` prints the table of the second part, which ``docs/policies.md`` quotes.
"""

import heapq
import sys

import numpy as np
import pytest

import msj
from msj import Deterministic, Erlang, Exponential, Hyperexponential, JobClass, Lognormal, System


def cluster(servers, *classes):
    """Classes are (need, law), equally often."""
    share = f"1/{len(classes)}"
    return System(
        servers=servers,
        classes=[JobClass(name=f"need {need}", need=need, share=share, duration=law) for need, law in classes],
    )


def varied(mean, cv):
    """The balanced mixture of two exponentials."""
    p = (1 + ((cv**2 - 1) / (cv**2 + 1)) ** 0.5) / 2
    return Hyperexponential(rates=[2 * p / mean, 2 * (1 - p) / mean], probabilities=[p, 1 - p])


W1 = cluster(4, (1, Exponential(mean=2)), (4, Exponential(mean="3/2")))

#: Named before anything was run.
TEN = {
    "W1": W1,
    "1 and 8 of 8": cluster(8, (1, Exponential(mean=1)), (8, Exponential(mean=1))),
    "1, 2, 4 and 8 of 8": cluster(8, *((v, Exponential(mean=1)) for v in (1, 2, 4, 8))),
    "1 and 4, varied": cluster(4, (1, varied(1, 3)), (4, varied(1, 3))),
    "small short, large long": cluster(
        8, (1, Exponential(mean=0.5)), (2, Exponential(mean=1)), (8, Exponential(mean=4))
    ),
    "small long, large short": cluster(
        8, (1, Exponential(mean=4)), (2, Exponential(mean=1)), (8, Exponential(mean=0.5))
    ),
    "lognormal of 16": cluster(16, *((v, Lognormal(mean=1, cv=2)) for v in (1, 4, 16))),
    "erlang": cluster(4, *((v, Erlang(stages=4, mean=1)) for v in (1, 2, 4))),
    "always the same": cluster(4, (1, Deterministic(value=1)), (4, Deterministic(value=1))),
    "small very varied, of 32": cluster(32, (1, varied(1, 5)), (8, Exponential(mean=1)), (32, Exponential(mean=1))),
}


BOTH = 2.2414 / 1.96  # two intervals of 97.5 % each hold together with 95 %


def gittins_over_filling(system, utilisation, jobs, seed=1):
    """Return the ratio of mean response times on the same jobs and a 95 % interval; None where the run is too short.

    The ratio is 1 + (difference)/(mean): both have intervals, which are widened so as to hold together.
    """
    found = msj.compare(
        system.replace(utilisation=utilisation),
        policies=["server-filling", "server-filling-gittins"],
        jobs=jobs,
        seed=seed,
    )
    base = found.at(policy="server-filling").find("mean_response_time")
    gap = found.at(policy="server-filling-gittins").find("mean_response_time_difference")
    if base is None or gap is None or base.low is None or gap.low is None:
        return None
    (least, most), ends = (
        (row.value + BOTH * (row.low - row.value), row.value + BOTH * (row.high - row.value)) for row in (base, gap)
    )
    ratios = [1 + end / mean for end in ends for mean in (least, most)]
    return 1 + gap.value / base.value, min(ratios), max(ratios)


@pytest.mark.parametrize("name", ["W1", "1, 2, 4 and 8 of 8", "1 and 4, varied", "erlang"])
def test_gittins_is_no_worse_than_plain_server_filling_at_nine_tenths(name):
    ratio, _, high = gittins_over_filling(TEN[name], 0.9, 1_000_000)
    assert ratio < 1
    assert high < 1.02


EXACT = {
    "smash 2": {"name": "smash", "window": 2},
    "smash 5": {"name": "smash", "window": 5},
    "msfq": "msfq",
    "msfq always": {"name": "msfq", "drain": "always"},
    "adaptive": "adaptive-quickswap",
    "static": "static-quickswap",
    "msr": {"name": "msr", "cycle": 4},
}


@pytest.mark.parametrize("name", EXACT)
def test_exact_beside_simulated(name):
    """Three classes of rows at 3.9 standard errors: odds of about 3e-4 for each policy."""
    system = W1.replace(policy=EXACT[name], arrival_rate=0.6)
    exact = msj.analyse(system, exact=True, percentiles=False)
    run = msj.simulate(system, jobs=2_000_000, seed=1)
    for job_class in (None, "need 1", "need 4"):
        row = run.find("mean_response_time", job_class)
        assert (
            abs(row.value - exact.find("mean_response_time", job_class).value) < 3.9 / 1.96 * (row.high - row.low) / 2
        )


def static_quickswap_that_starts_late(jobs, seed):
    """E[T] on W1 at rate 0.6 where, as in a public simulator, nobody starts after a turn until the next event."""
    rng = np.random.default_rng(seed)
    need, mean = [1, 4], np.array([2.0, 1.5])
    arrival, of = np.cumsum(rng.exponential(1 / 0.6, jobs)), rng.integers(0, 2, jobs)
    duration = rng.exponential(1.0, jobs) * mean[of]
    lines, waiting, serving, free, turn, ends, total = [[], []], [0, 0], [0, 0], 4, 0, [], 0.0
    begun = [0, 0]

    def over():
        return serving[1 - turn] == 0 and serving[turn] <= 4 // need[turn] - 1

    coming = 0
    while coming < jobs:
        if ends and ends[0][0] <= arrival[coming]:
            now, job = heapq.heappop(ends)
            serving[of[job]] -= 1
            free += need[of[job]]
            total += now - arrival[job]
        else:
            now, kind = arrival[coming], of[coming]
            waiting[kind] += 1
            lines[kind].append(coming)
            coming += 1
            if (over() and kind != turn) or waiting[turn] == 0:
                turn = 1 - turn if waiting[1 - turn] else turn
        while waiting[turn] and need[turn] <= free:
            job = lines[turn][begun[turn]]
            begun[turn] += 1
            waiting[turn] -= 1
            serving[turn] += 1
            free -= need[turn]
            heapq.heappush(ends, (now + duration[job], job))
        if over() and waiting[1 - turn]:
            turn = 1 - turn  # and whoever waits does so until the next event
    return total / jobs


def test_another_simulators_value_for_static_quickswap_is_that_of_starting_late():
    # 6.317 there (about one per cent), where the rule as written has 5.543.
    values = [static_quickswap_that_starts_late(200_000, seed) for seed in range(6)]
    error = np.std(values, ddof=1) / len(values) ** 0.5
    assert abs(np.mean(values) - 6.317) < 4 * error + 0.06


if __name__ == "__main__":  # python -m verification.test_policies [UTILISATION JOBS [CLUSTER ...]]
    asked = [(float(sys.argv[1]), int(sys.argv[2]))] if len(sys.argv) > 2 else [(0.9, 1_000_000), (0.98, 4_000_000)]
    for rho, jobs in asked:
        for title in sys.argv[3:] or TEN:
            ratio = gittins_over_filling(TEN[title], rho, jobs)
            print(rho, title, *(["too short"] if ratio is None else [round(x, 4) for x in ratio]), sep="; ", flush=True)
