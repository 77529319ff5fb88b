"""Results made by hand, of few and round numbers, that take every branch of a picture."""

from dataclasses import replace

from msj.errors import Failure
from msj.results import Quantity, Result
from msj.results.outcome import Missing

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


NAMES = "stability_threshold", "attainable_threshold", "naive_threshold"


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


def region_asked():
    """Of three classes two were asked for; some thresholds are simulated, of one only one end is known."""
    exact, sure, half_sure = _border("stability_threshold", (1.0, 1.6, 3.0), 0.2)
    own = [exact.replace(low=None, high=None), sure.replace(kind="simulated"), half_sure.replace(high=None)]
    classes = [*REGION["classes"], REGION["classes"][0] | {"name": "third"}]
    asked = {"question": {"options": {"classes": ["third", "small"]}}}
    return result(*own, *_border("naive_threshold", (2.0, 2.5, 4.0)), system=REGION | {"classes": classes}, **asked)


def region_of_one_mix():
    rows = [row(name, 2.0 + n, of_class="small", class_share=0.5) for n, name in enumerate(NAMES)]
    return result(*rows, system=REGION)


def curve_with_some_room():
    rows = [row("mean_response_time", 2.0 + n, arrival_rate=n) for n in range(2)]
    return result(*rows, row("stability_threshold", 3.0), row("naive_threshold", 4.0))


def curve_mixed():
    """Exact and simulated points, of one only one end; as many classes as there are dashes."""
    rows = [row("mean_response_time", 2.0, arrival_rate=0.0), simulated("mean_response_time", 4.0, 0.5, arrival_rate=1)]
    rows.append(simulated("mean_response_time", 8.0, 0.5, arrival_rate=2).replace(low=None))
    rows += [row("mean_response_time", 2.0 + n, job_class=f"c{n}", arrival_rate=n) for n in range(5)]
    return result(*rows, row("stability_threshold", 2.6, 0.1).replace(high=None), row("naive_threshold", 4.0))


def curve_of_many_classes():
    """More classes than dashes: none is drawn. What is lost, a tenth, has no room for words."""
    rows = [row("mean_response_time", 2.0 + n, job_class=f"c{n}", arrival_rate=n) for n in range(6)]
    rows += [row("mean_response_time", 2.0 + n, arrival_rate=n) for n in range(2)]
    return result(*rows, row("stability_threshold", 3.6), row("naive_threshold", 4.0))


def curve_with_a_little_room():
    rows = [row("mean_response_time", 2.0 + n, arrival_rate=n) for n in range(2)]
    return result(*rows, row("stability_threshold", 3.4), row("naive_threshold", 4.0))


def sweep_of_panels():
    """Lines, and two further numbers that make five panels in two lines; one of the lines is missing in one of them."""
    places = [(2, 1), (2, 2), (4, 1), (4, 2), (4, 4)]
    rows = [
        simulated("mean_response_time", 1 + load * n, 0.25, policy=policy, load=load, servers=n, largest_need=need)
        for n, need in places
        for policy in ("fcfs", "msf", "first-fit")
        for load in (0.25, 0.5)
        if (n, need, policy) != (4, 4, "fcfs")
    ]
    beside = row("mean_work", 3.0, load=0.25), row("mean_response_time", float("nan"), load=0.9, policy="fcfs")
    return result(*beside, *rows)


def sweep_of_words():
    """Policies on two clusters: nothing is a number."""
    values = {("fcfs", "north"): 8.0, ("msf", "north"): 2.0, ("fcfs", "south"): 4.0, ("msf", "south"): 160.0}
    rows = [
        simulated("mean_work", value, policy=policy, cluster=cluster) for (policy, cluster), value in values.items()
    ]
    return result(*rows)


def sweep_of_two_numbers(count=6):
    """As many lines as there are styles; the axis is logarithmic only from a ratio above twenty on."""
    rows = [row("mean_work", value, load=load, seed=n) for n in range(count) for load, value in ((0.25, 1), (0.5, 20))]
    return result(*rows)


def sweep_of_two_numbers_in_panels():
    return sweep_of_two_numbers(7)


def sweep_of_two_sizes():
    return result(*(row("mean_work", float(k), servers=k) for k in (2, 4)))


def sweep_of_one_point():
    return result(row("mean_work", 0.0, servers=2, load=0.5))


def sweep_heats():
    """Two heat maps that share their colours, down to a value below 1 and up to more than twenty times that."""
    cells = [(policy, load, n) for policy in ("fcfs", "msf") for load in (0.25, 0.5, 0.75) for n in range(1, 8)]
    rows = [
        simulated(
            "mean_work", (0.5 if policy == "fcfs" else 2.0) * n + 8 * load, 0.125, policy=policy, load=load, seed=n
        )
        for policy, load, n in cells
    ]
    one_end = simulated("mean_work", 0.25, 0.125, policy="fcfs", load=0.25, seed=1).replace(low=None)
    return result(one_end, *rows[1:])


def sweep_heat_of_nothing():
    """A value of 0 has no relative width, and no logarithm."""
    values = {(load, n): 4.0 * n * load for load in (0, 0.5, 1) for n in range(1, 8)}
    return result(*(simulated("mean_work", value, value / 8, load=load, seed=n) for (load, n), value in values.items()))


def sweep_heat_of_many(loads=11):
    """More cells than numbers are written in, and more of them along a side than are marked."""
    return result(*(row("mean_work", load + n, load=load / 16, seed=n) for load in range(loads) for n in range(1, 9)))


def sweep_heat_full():
    """As many cells as numbers are written in, and as many along a side as are marked."""
    return sweep_heat_of_many(10)


def comparison_of_one_end():
    means = [
        simulated("mean_response_time", 8.0, 0.5, policy="fcfs"),
        simulated("mean_response_time", 5.0, policy="msf"),
    ]
    return result(means[0].replace(low=None), means[1].replace(high=6.0))


def plan_of_targets():
    """Four targets, of which three have room; two plans; two clusters; numbers that are equal, or not known."""
    names = ("mean_waiting_time", "mean_response_time", "mean_work", "mean_slowdown")
    values = {("fcfs", "north"): (4.0, 2.0), ("fcfs", "south"): (4.0, 1.0), ("msf", "north"): (2.0, 2.0)}
    rows = [
        each
        for (policy, cluster), line in values.items()
        for servers, value in zip((2, 4), line, strict=True)
        for at in [{"policy": policy, "cluster": cluster, "servers": servers}]
        for each in (
            *(row(name, value, 0.5, **at) for name in names[:2]),
            simulated(names[2], value, 0.5, **at).replace(low=None),
            row(names[3], value, **at),
            row("meets_targets", 1.0, **at),
        )
    ]
    beside = row(names[0], float("nan"), servers=8, policy="fcfs"), row(names[1], 3.0, policy="fcfs")
    targets = [row(name, 4.0, quantity="target") for name in names]
    return result(*targets, *rows, *beside, row("planned_servers", 2.0), row("planned_servers", 4.0))


def plan_of_one_line():
    """One policy: no point is more efficient than others; every number is at most one end sure."""
    rows = [
        each
        for servers, value in ((2, 4.0), (4, 1.0))
        for each in (
            simulated("mean_work", value, 0.5, servers=servers).replace(high=None),
            row("meets_targets", 1.0, servers=servers),
        )
    ]
    return result(row("mean_work", 4.0, quantity="target"), *rows)


def plan_of_one_end():
    low, high = (simulated("mean_work", value, 0.5, policy=name) for name, value in (("fcfs", 4.0), ("msf", 2.0)))
    verdicts = [row("meets_targets", 1.0, policy=name, servers=2) for name in ("fcfs", "msf")]
    return result(row("mean_work", 4.0, quantity="target"), low.replace(high=None), high.replace(low=None), *verdicts)


def fluid_alone():
    return result(*(row("fluid_jobs_over_rate", 2.0 * time, job_class="a", time=time) for time in (0.0, 1.0, 2.0)))


def fluid_of_three_sizes():
    paths = [
        simulated("jobs_over_rate", time + 1 / n, job_class="a", time=time, servers=n)
        for time in (0.0, 1.0)
        for n in (40, 10, 20)
    ]
    fluid = [row("fluid_jobs_over_rate", time, job_class="a", time=time) for time in (0.0, 1.0)]
    return result(*fluid, *paths)


def clusters_of_one_end():
    value = simulated("waiting_probability", 0.25, 0.125, servers=2, largest_need=1)
    return result(
        value.replace(low=None), simulated("waiting_probability", 0.375, servers=4, largest_need=1).replace(low=0.25),
        row("mean_response_time", 2.0, servers=2, largest_need=1), row("wasted_share", 0.0, servers=2, largest_need=1),
        row("mean_response_time", 2.0, servers=4, largest_need=1), keep="load", kept=0.8,
    )  # fmt: skip


def clusters_unanswered():
    """Nothing was answered, but asked: empty panels, and no refusal."""
    places = ({"servers": 2}, {"servers": 2, "largest_need": 1})
    gaps = tuple(Missing(name="mean_work", failure=Failure.TOO_LARGE, reason="no time", at=at) for at in places)
    return replace(result(keep="load", kept=0.8), missing=gaps)


def waiting_of_one_class(count=12):
    """The only class is all jobs; as many sizes as are marked."""
    rows = [row("need", 1.0, job_class="1", servers=2)]
    for n in (2**k for k in range(1, count + 1)):
        rows.append(simulated("simulated_waiting_probability", 0.5 / n, 0.125 / n, servers=n))
        rows.append(simulated("simulated_waiting_probability", 0.25 / n, 0.125 / n, job_class="1", servers=n))
    facts = {"beta": 1, "alpha": 0.5, "needs": ["1"], "verdict": "vanishes", "region": 3}
    return result(*rows, **facts)


def waiting_of_many_sizes():
    return waiting_of_one_class(13)


def waiting_of_nobody():
    """Nobody waited; of one size no upper limit is known, of others one end of an interval."""
    probability = "simulated_waiting_probability"
    rows = [row("need", 1.0, job_class="1", servers=2), simulated(probability, 0.0, servers=2)]
    rows.append(simulated(probability, 0.0, servers=4).replace(low=0.0, high=0.01))
    rows.append(simulated(probability, 0.25, servers=8).replace(low=0.125))
    rows.append(simulated(probability, 0.125, servers=16).replace(high=0.5))
    facts = {"beta": 1, "alpha": 0.5, "needs": ["1"], "verdict": "vanishes", "region": 3}
    return result(*rows, **facts)


def nobody_at_all():
    """Nobody waited, and nobody knows how rare that is."""
    facts = {"beta": 1, "alpha": 0.5, "needs": ["1"], "verdict": "vanishes", "region": 3}
    rows = row("need", 1.0, job_class="1", servers=2), simulated("simulated_waiting_probability", 0.0, servers=2)
    return result(*rows, **facts)


LOST, RELATIVE = "lost_throughput", "relative_completions_at_departure"


def one_and_n(share="n^-2", lost=True):
    """What is lost is drawn where it has an asymptotic of its own, otherwise the threshold; nothing below 0."""
    rows = []
    for n in (10, 100, 1000):
        rows += [row("stability_threshold", n - 1.0, servers=n), row(LOST, 4.0 / n, servers=n)]
        rows += [row("stability_threshold", n - 2.0, servers=n, form="paper")]
        rows += [row(RELATIVE, 3.0 * n, servers=n), row(RELATIVE, 2.0 * n - 20, servers=n, form="corrected")]
        rows += [row(RELATIVE, 0.0, servers=n, form="refined")]
        rows += [row(LOST, 2.0 / n if n > 10 else 0.0, servers=n, form="paper")] if lost else []
    facts = {"share": share, "rate_small": 2.0, "rate_large": 0.5, "regime": "few are large"}
    return result(*rows, system={}, **facts)


def one_and_n_threshold():
    return one_and_n("$1", lost=False)


def _waste(coordinate, places, values, turns, system=TWO, **at):
    """A curve of waste; ``turns`` are places with what they are."""
    servers, wasted = system["servers"], dict(zip(places, values, strict=True))
    rows = [
        row(name, value, **{coordinate: place}, **at)
        for place in places
        for name, value in (("wasted_servers", wasted[place]), ("saturated_utilisation", 1 - wasted[place] / servers))
    ]
    marked = [row("wasted_servers", wasted[place], **{coordinate: place}, extremum=kind, **at) for place, kind in turns]
    return result(*rows, *marked, system=system)


def waste_near_zero():
    """The waste turns close to the left end, which the axis stretches."""
    places = (0.0, 0.01, 0.02, 0.5, 1.0)
    turns = [(0.0, "optimum"), (0.02, "pessimum"), (0.5, "optimum"), (1.0, "pessimum")]
    return _waste("class_share", places, (0.0, 0.5, 1.0, 0.25, 0.75), turns, of_class="large")


def waste_near_one():
    turns = [(0.0, "optimum"), (0.5, "pessimum"), (0.96, "optimum"), (1.0, "pessimum")]
    return _waste("class_share", (0.0, 0.5, 0.96, 1.0), (0.0, 1.5, 0.25, 0.5), turns, of_class="large")


def waste_near_both():
    """As near to either end: the left one is stretched."""
    turns = [(0.0, "optimum"), (0.03125, "pessimum"), (0.5, "optimum"), (0.96875, "pessimum"), (1.0, "optimum")]
    places = (0.0, 0.03125, 0.5, 0.96875, 1.0)
    return _waste("class_share", places, (0.0, 1.0, 0.25, 1.0, 0.0), turns, of_class="large")


def waste_of_shares():
    turns = [(0.25, "optimum"), (0.5, "pessimum"), (0.75, "optimum")]
    return _waste("class_share", (0.25, 0.5, 0.75), (0.0, 1.0, 0.25), turns, of_class="large")


def waste_of_rates():
    """Over the ratio of the rates of those classes that arrive."""
    classes = [TWO["classes"][0], {"name": "never", "share": "0", "need": 7}, TWO["classes"][1]]
    system = {"servers": 4, "classes": classes}
    turns = [(0.1, "optimum"), (1.0, "pessimum"), (10.0, "optimum")]
    return _waste("rate_ratio", (0.1, 1.0, 10.0), (0.5, 1.0, 0.75), turns, system)


def waste_flat():
    only = {"name": "one", "servers": 2, "classes": [TWO["classes"][0] | {"share": "1"}]}
    return _waste("servers", (2, 3, 4), (0.5, 0.5, 0.5), [], only)


def waste_nowhere():
    return _waste("servers", (2, 3, 4), (0.0, 0.0, 0.0), [])


def waste_of_servers(count=13):
    """Teeth of growing height: the numbers of the deepest are written, as far as there is room."""
    places = range(2, 2 + count)
    values = [(k - 1) / 4 if k % 2 else 0.125 for k in places]
    turns = [(k, "pessimum" if k % 2 else "optimum") for k in places]
    return _waste("servers", tuple(places), values, turns)


def waste_of_many_turns():
    return waste_of_servers(41)


#: What each picture is drawn of.
HAND_MADE = {
    "region": (region_exact, region_simulated, region_asked, region_of_one_mix),
    "sweep": (
        sweep_lines, sweep_sizes, sweep_policies, sweep_of_one_end, sweep_of_panels, sweep_of_words,
        sweep_of_two_numbers, sweep_of_two_numbers_in_panels, sweep_of_two_sizes, sweep_of_one_point,
        sweep_heat, sweep_heats, sweep_heat_of_nothing, sweep_heat_of_many, sweep_heat_full,
    ),
    "comparison": (comparison, comparison_of_one_end),
    "plan": (plan_of_sizes, plan_of_policies, plan_of_rates, plan_of_targets, plan_of_one_line, plan_of_one_end),
    "fluid": (fluid_with_paths, fluid_alone, fluid_of_three_sizes),
    "cluster_scaling": (clusters, one_size, clusters_of_one_end, clusters_unanswered),
    "zero_queueing": (
        waiting, bounds_only, waiting_of_one_class, waiting_of_many_sizes, waiting_of_nobody, nobody_at_all,
    ),
    "response_curve": (
        curve_simulated, curve_near, curve_narrow, curve_mixed, curve_of_many_classes, curve_with_a_little_room,
        curve_with_some_room,
    ),
    "load_focused": (one_and_n, one_and_n_threshold),
    "waste_curve": (
        waste_near_zero, waste_near_one, waste_near_both, waste_of_shares, waste_of_rates, waste_flat, waste_nowhere,
        waste_of_servers, waste_of_many_turns,
    ),
}  # fmt: skip
