"""Draw the picture of ``policies.md``: all policies on one cluster over load, by ``msj.sweep``; ``make pictures``."""

from matplotlib import colormaps
from matplotlib.figure import Figure

import msj

LOADS = (0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
#: By panel. Those that are one and the same on this cluster share a line.
PANELS = {
    "without preemption": {
        "fcfs": "fcfs",
        "smash, window 2": {"name": "smash", "window": 2},
        "best-packing": "best-packing",
        "first-fit": "first-fit",
        "best-fit": "best-fit",
        "easy-backfilling": "easy-backfilling",
        "conservative-backfilling": "conservative-backfilling",
        "msfq, static-quickswap": "msfq",
        "adaptive-quickswap": "adaptive-quickswap",
        "nmsr": {"name": "nmsr", "cycle": 10},
        "randomized-timers": "randomized-timers",
    },
    "with preemption": {
        "fcfs": "fcfs",
        "least-servers-first": "least-servers-first",
        "most-servers-first": "most-servers-first",
        "max-weight": "max-weight",
        "server-filling": "server-filling",
        "divisor-filling": "divisor-filling",
        "msr": {"name": "msr", "cycle": 10},
    },
    "with preemption and sizes or their laws known": {
        "fcfs": "fcfs",
        "server-filling": "server-filling",
        "server-filling-gittins": "server-filling-gittins",
        "divisor-filling-gittins": "divisor-filling-gittins",
        "server-filling-srpt": "server-filling-srpt",
        "divisor-filling-srpt": "divisor-filling-srpt",
        "first-fit-srpt": "first-fit-srpt",
        "greedy-srpt": "greedy-srpt",
    },
}
MARKERS = "osDv^<>PXh*"
CLUSTER = msj.System(
    servers=4,
    classes=[
        msj.JobClass(name="small", need=1, share="1/2", duration=msj.Exponential(mean=2)),
        msj.JobClass(name="large", need=4, share="1/2", duration=msj.Exponential(mean="3/2")),
    ],
)


def sweep_policies(jobs=1_000_000):
    """Mean response times of all policies at all loads: exact where they can be, else simulated on the same jobs."""
    chosen = {str(given): given for lines in PANELS.values() for given in lines.values()}
    return msj.sweep(CLUSTER, vary={"utilisation": LOADS}, policies=chosen.values(), jobs=jobs, precision=0.03, seed=1)


def draw_policies():
    """Draw them; simulated points without an interval are left out."""
    found = sweep_policies()
    figure = Figure(figsize=(12.5, 5), layout="constrained")
    axes = figure.subplots(1, len(PANELS), sharey=True)
    for panel, (title, chosen) in zip(axes, PANELS.items(), strict=True):
        for i, (name, given) in enumerate(chosen.items()):
            line = found.at(policy=CLUSTER.replace(policy=given).policy.label())
            points = [
                (load, row.value)
                for load, row in line.along("utilisation", "mean_response_time")
                if row.kind != "simulated" or row.low is not None
            ]
            look = {"color": "0.4" if name == "fcfs" else colormaps["tab10"](i % 10), "marker": MARKERS[i]}
            panel.plot(*zip(*points, strict=True), **look, markersize=4, linewidth=1.2, label=name)
        panel.set(xlabel="offered utilisation", yscale="log", xlim=(0.15, 1.0))
        panel.set_title(title, fontsize=10)
        panel.grid(alpha=0.3)
        panel.legend(fontsize=7.5, frameon=False, loc="upper left")
    axes[0].set_ylabel("mean response time")
    axes[0].set_ylim(1.5, 150)
    axes[0].yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    return figure
