"""Results made by hand, of few and round numbers, that take every branch of a picture."""

from msj.results import Quantity, Result

TWO = {"name": "two", "servers": 2, "classes": [
    {"name": "small", "share": "1/2", "need": 1}, {"name": "large", "share": "1/2", "need": 2},
]}  # fmt: skip


def row(name, value, half=None, kind="exact", job_class=None, level=None, bracket=False, **at):
    """Return a row whose interval is ``half`` below its value and twice that above."""
    ends = {} if half is None else {"low": value - half, "high": value + 2 * half}
    return Quantity(
        name=name, value=value, kind=kind, method="by hand", job_class=job_class, level=level, bracket=bracket, at=at,
        **ends,
    )  # fmt: skip


def result(*rows, system=TWO, time_unit=None, **provenance):
    system = system if time_unit is None else system | {"time_unit": time_unit}
    return Result(system=system, quantities=tuple(rows), provenance=provenance)


def simulated(name, value, half=None, **rest):
    return row(name, value, half, kind="simulated", **rest)


def sweep_lines():
    values = {("fcfs", 2): (1.0, 2.0, 30.0), ("first-fit", 2): (1.0, 1.5, 9.0), ("fcfs", 4): (0.5, 0.75, 4.0)}
    return result(*(
        simulated("mean_response_time", value, None if load == 0.9 and policy == "fcfs" else value / 8,
                  policy=policy, servers=servers, load=load)
        for (policy, servers), line in values.items()
        for load, value in zip((0.25, 0.5, 0.9), line, strict=True)
    ))  # fmt: skip


def sweep_sizes():
    return result(*(row("wasted_servers", 0.5 * k, servers=k) for k in (1, 2, 4)), row("mean_work", 1.0, job_class="a"))


def sweep_policies():
    return result(simulated("mean_work", 4.0, 1.0, policy="fcfs"), simulated("mean_work", 2.0, policy="msf"))


def sweep_of_one_end():
    """A simulated value of which only one end is known, on either side: no interval, and so an open dot."""
    low, both, high = (simulated("mean_work", value, 1.0, load=value / 8) for value in (2.0, 4.0, 6.0))
    return result(low.replace(high=None), both, high.replace(low=None))


def sweep_heat():
    cells = [(load, n) for load in (0.25, 0.5, 0.75) for n in range(1, 8)]
    halves = {(0.25, 1): None, (0.5, 2): None}
    rows = [
        row("mean_response_time", 0.5 + 8 * load * n, halves.get((load, n), 0.25), kind=kind, load=load, seed=n)
        for load, n in cells
        for kind in ["exact" if (load, n) == (0.5, 2) else "simulated"]
    ]
    return result(*rows[:-1])  # one cell is empty


def comparison():
    means, gap = "mean_response_time", "mean_response_time_difference"
    return result(
        simulated(means, 8.0, 0.5, policy="fcfs"), simulated(means, 5.0, 0.25, policy="first-fit"),
        simulated(means, 9.0, policy="msf"), simulated(gap, -3.0, 0.5, policy="first-fit", baseline="fcfs"),
        simulated(gap, 1.0, policy="msf", baseline="fcfs"), time_unit="hours",
    )  # fmt: skip


WAIT = {"name": "waiting_time_percentile", "level": 90.0, "job_class": "large"}


def plan_of_sizes():
    values = {"fcfs": (8.0, 2.0, 0.5), "first-fit": (4.0, 1.0, 0.75)}
    rows = [
        each
        for policy, line in values.items()
        for servers, value in zip((2, 3, 4), line, strict=True)
        for each in (
            simulated(**WAIT, value=value, half=value / 4, policy=policy, servers=servers),
            row("meets_targets", float(value <= 2), bracket=(policy, servers) == ("fcfs", 3), policy=policy,
                servers=servers),
        )
    ]  # fmt: skip
    target = row(**WAIT, value=2.0, quantity="target")
    return result(target, *rows, row("planned_servers", 3.0), time_unit="hours")


def plan_of_policies():
    rows = [
        each
        for policy, value, half in (("fcfs", 3.0, None), ("msf", 1.0, 0.25))
        for each in (
            simulated("mean_waiting_time", value, half, policy=policy),
            row("meets_targets", float(value <= 2), policy=policy),
        )
    ]
    return result(row("mean_waiting_time", 2.0, quantity="target"), *rows)


def plan_of_rates():
    rows = [
        each
        for rate, value in ((1.0, 0.0), (2.0, 3.0))
        for each in (
            row("mean_waiting_time", value, 0.0, arrival_rate=rate),
            row("meets_targets", float(value <= 2), arrival_rate=rate),
        )
    ]
    return result(row("mean_waiting_time", 2.0, quantity="target"), *rows, time_unit="hours")


def fluid_with_paths():
    rows = [
        each
        for name, slope in (("small", 1.0), ("large", 3.0))
        for time in (0.0, 1.0, 2.0)
        for each in (
            row("fluid_jobs_over_rate", slope * time, job_class=name, time=time),
            *(simulated("jobs_over_rate", slope * time + 1 / n, job_class=name, time=time, servers=n)
              for n in (10, 20, 30, 40)),
        )
    ]  # fmt: skip
    distances = [simulated("mean_distance_to_fluid", 4 / n, 1 / n if n > 1 else None, servers=n) for n in (4, 1, 16)]
    return result(*rows, *distances, row("distance_exponent", -1.0), time_unit="hours")


def clusters():
    names = ("waiting_probability", "mean_response_time", "wasted_share")
    rows = [
        simulated(name, value / (1 + place), value / 4, servers=servers, largest_need=need)
        if servers == 4
        else row(name, value, servers=servers, largest_need=need)
        for need in (2, 3)
        for servers, value in ((2, 0.5 / need), (4, 0.25 / need))
        for place, name in enumerate(names[:2])
    ]
    none = simulated(names[0], 0.0, 0.0, servers=8, largest_need=2).replace(high=0.01)
    small = simulated(names[0], 0.5, servers=8, largest_need=3).replace(low=0.0, high=0.75)
    return result(*rows, none, small, keep="load", kept=0.8, time_unit="hours")


def one_size():
    return result(row("mean_response_time", 3.0, servers=2, largest_need=2), keep="load", kept=0.8, system={})


def waiting():
    probability = "simulated_waiting_probability"
    rows = [row("need", 1.0, job_class="1", servers=16), row("need", 4.0, job_class="sqrt(n)", servers=16)]
    for n in (16, 64, 256):
        rows += [
            simulated(probability, 4 / n, 1 / n, job_class="1", servers=n),
            simulated(probability, 5 / n, servers=n),
        ]
        rows.append(simulated(probability, 0.0, 0.0, job_class="sqrt(n)", servers=n).replace(high=2 / n))
        rows.append(row("waiting_probability_bound", 32 / n, kind="bound", servers=n))
        rows.append(row("waiting_probability_lower_bound", 1e-3 / n, kind="bound", servers=n))
    facts = {"beta": 0.5, "alpha": 0.25, "needs": ["1", "sqrt(n)"], "verdict": "stays", "region": 2}
    return result(*rows, **facts)


def bounds_only():
    rows = [row("need", 1.0, job_class="1", servers=16), row("waiting_probability", 0.5, servers=16)]
    rows.append(row("waiting_probability_lower_bound", 0.25, kind="bound", servers=16))
    facts = {"beta": 1, "alpha": 0.5, "needs": ["1"], "verdict": "undecided", "region": 1}
    return result(*rows, **facts)


def curve_simulated(threshold=0.6):
    rows = [simulated("mean_response_time", 2 / (1 - r), 0.25, arrival_rate=r) for r in (0.0, 0.25, 0.5)]
    rows += [row("mean_response_time", 1 / (1 - r), job_class="small", arrival_rate=r) for r in (0.0, 0.5)]
    rows += [row("predicted_mean_response_time", 3 / (1 - r), arrival_rate=r) for r in (0.0, 0.5)]
    limit = simulated("stability_threshold", threshold, 0.02)
    return result(*rows, limit, row("naive_threshold", 1.0), time_unit="hours")


def curve_near():
    rows = [row("mean_response_time", 2 / (1 - r), arrival_rate=r) for r in (0.0, 0.25, 0.5)]
    return result(*rows, row("stability_threshold", 0.97), row("naive_threshold", 1.0))


def curve_narrow():
    return curve_simulated(0.8)


REGION = {
    "classes": [
        {"name": name, "need": 1, "duration": {"law": "exponential", "mean": 1}} for name in ("small", "large")
    ],
    "policy": {"name": "first-fit", "window": 2},
}


def _border(name, tops, half=None, kind="exact"):
    return [
        row(name, top, half, kind=kind, of_class="small", class_share=share)
        for share, top in zip((0.0, 0.25, 1.0), tops, strict=True)
    ]


def region_exact():
    return result(*_border("stability_threshold", (1.0, 1.6, 3.0)), *_border("naive_threshold", (2.0, 2.5, 4.0)),
                  *_border("attainable_threshold", (1.5, 2.0, 3.5)), system=REGION)  # fmt: skip


def region_simulated():
    """No best packing is known; of each threshold an interval."""
    own = _border("stability_threshold", (1.0, 1.6, 3.0), 0.2, kind="simulated")
    return result(*own, *_border("naive_threshold", (2.0, 2.5, 4.0)), system=REGION | {"policy": "fcfs"})


#: What each picture is drawn of.
HAND_MADE = {
    "region": (region_exact, region_simulated),
    "sweep": (sweep_lines, sweep_sizes, sweep_policies, sweep_of_one_end, sweep_heat),
    "comparison": (comparison,),
    "plan": (plan_of_sizes, plan_of_policies, plan_of_rates),
    "fluid": (fluid_with_paths,),
    "cluster_scaling": (clusters, one_size),
    "zero_queueing": (waiting, bounds_only),
    "response_curve": (curve_simulated, curve_near, curve_narrow),
}
