"""Laws of response and waiting times from following a job, against simulation: every example, and larger clusters.

An interval is about two standard errors wide to either side; 2.2 half-widths have odds of about 1 in 5,000 for each
of some 250 numbers at fixed seeds, 1 in 20 for one of them to be a false alarm.
"""

from pathlib import Path

import pytest

import msj
from msj import Erlang, Exponential, JobClass, System

EXAMPLES = sorted((Path(__file__).parents[1] / "examples" / "models").glob("*.toml"))
ONE = Exponential(mean=1)


def cluster(policy, servers, *classes):
    made = [JobClass(name=f"{i}", need=v, share=p, duration=law) for i, (v, p, law) in enumerate(classes)]
    return System(servers=servers, classes=made, policy=policy)


FOUR = [(v, "1/4", ONE) for v in (1, 2, 4, 8)]
SYSTEMS = {path.stem: msj.read(path).replace(arrival_rate=None, utilisation=None, load=0.6) for path in EXAMPLES} | {
    "server-filling, 8 servers": cluster("server-filling", 8, *FOUR).replace(load=0.8),
    "divisor-filling, 12 servers": cluster("divisor-filling", 12, (4, "1/2", ONE), (3, "1/2", ONE)).replace(load=0.7),
    "first-fit, window 3, 8 servers": cluster(
        {"name": "first-fit", "window": 3}, 8, (2, "1/2", Erlang(stages=2, mean=1)), (5, "1/2", ONE)
    ).replace(load=0.7),
    "best packing, preemptive": cluster(
        {"name": "best-packing", "window": 4, "preemptive": True}, 5, (1, "1/3", ONE), (2, "1/3", ONE), (3, "1/3", ONE)
    ).replace(load=0.7),
    "server-filling near saturation": cluster("server-filling", 4, (1, "1/2", ONE), (4, "1/2", ONE)).replace(load=0.95),
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_simulation_agrees(name):
    system = SYSTEMS[name]
    exact, run = msj.analyse(system, percentiles=True), msj.simulate(system, jobs=1_500_000, seed=11)
    compared = 0
    for row in run:
        if row.name not in NAMES or row.low is None or row.level not in (None, 50.0, 90.0, 95.0, 99.0):
            continue
        known = exact.row(row.name, level=row.level, job_class=row.job_class).value
        half = (row.high - row.low) / 2
        assert abs(row.value - known) <= 2.2 * half + 1e-12, (
            row.name,
            row.job_class,
            row.level,
            row.value,
            known,
            half,
        )
        compared += 1
        z = (row.value - known) / half * 1.96 if half > 0 else 0.0
        print(f"{name:32s} {row.name:26s} {row.job_class!s:10s} {row.level!s:6s} {known:10.5f} z = {z:5.2f}")
    assert compared >= 4


NAMES = (
    "mean_response_time",
    "mean_waiting_time",
    "waiting_probability",
    "waiting_time_percentile",
    "response_time_percentile",
)
