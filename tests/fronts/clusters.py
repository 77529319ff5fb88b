"""Clusters that the tests of several fronts share, and what is asked of them."""

import pytest

import msj
from msj import Erlang, Exponential, Hyperexponential, JobClass, System

ONE = Exponential(mean=1)
ERLANG = Erlang(stages=2, mean=3)
VARIABLE = Hyperexponential(rates=[4, "1/2"], probabilities=["1/2", "1/2"])
TWO_CLASSES = [(0.4, 0), (0.6, 1)]


def same_as_fcfs(special, system):
    fcfs = msj.analyse(system, percentiles=False)
    result = msj.analyse(special.replace(arrival_rate=fcfs["arrival_rate"]), percentiles=False)
    for name in ("stability_threshold", "mean_response_time", "predicted_mean_response_time"):
        assert result[name] == pytest.approx(fcfs[name], rel=1e-9)
    if len(system.classes) > 1:
        for c in system.classes:
            assert result["mean_response_time", c.name] == pytest.approx(fcfs["mean_response_time", c.name], rel=1e-8)


def exact(system, rate):
    return msj.analyse(system.replace(arrival_rate=rate))["mean_response_time"]


def fork_join(servers, *classes):
    return System(
        servers=servers,
        model="fork-join",
        classes=[
            JobClass(name=f"class {i}", need=tasks, share=share, duration=law)
            for i, (tasks, share, law) in enumerate(classes)
        ],
    )


def machines(speeds, sizes, assignment="fastest-first"):
    """Sizes are times at speed 1, as durations are."""
    classes = [
        JobClass(name=f"class {i}", need=1, share=share, duration=law)
        for i, (share, law) in enumerate(sizes if isinstance(sizes, list) else [(1, sizes)])
    ]
    policy = {"name": "heterogeneous-servers", "speeds": speeds, "assignment": assignment}
    return System(servers=len(speeds), classes=classes, policy=policy)
