"""Draw the picture of ``policies.md``: all policies on one cluster over load; part of ``make pictures``."""

from matplotlib import colormaps
from matplotlib.figure import Figure

import msj

LOADS = (0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
#: By panel; those that are one and the same on this cluster share a line.
POLICIES = {
    "without preemption": {
        "fcfs": "fcfs",
        "smash, window 2": {"name": "smash", "window": 2},
        "first-fit": "first-fit",
        "best-fit": "best-fit",
        "easy-backfilling": "easy-backfilling",
        "msfq": "msfq",
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
        "server-filling-gittins": "server-filling-gittins",
        "server-filling-srpt": "server-filling-srpt",
        "first-fit-srpt": "first-fit-srpt",
        "msr": {"name": "msr", "cycle": 10},
    },
}
MARKERS = "osDv^<>PX"


def draw_policies(jobs=200_000):
    """Mean response time of all policies on one cluster over load, on the same jobs at each load."""
    system = msj.System(
        servers=4,
        classes=[
            msj.JobClass(name="small", need=1, share="1/2", duration=msj.Exponential(mean=2)),
            msj.JobClass(name="large", need=4, share="1/2", duration=msj.Exponential(mean="3/2")),
        ],
    )
    figure = Figure(figsize=(11, 5), layout="constrained")
    axes = figure.subplots(1, 2, sharey=True)
    for panel, (title, chosen) in zip(axes, POLICIES.items(), strict=True):
        lines = {name: ([], []) for name in chosen}
        for load in LOADS:
            found = msj.compare(system.replace(utilisation=load), policies=list(chosen.values()), jobs=jobs, seed=1)
            for given, (rho, stay) in zip(chosen.values(), lines.values(), strict=True):
                row = found.at(policy=system.replace(policy=given).policy.label()).find("mean_response_time")
                if row is not None and row.low is not None:
                    rho.append(load)
                    stay.append(row.value)
        for i, (name, (rho, stay)) in enumerate(lines.items()):
            panel.plot(
                rho, stay, marker=MARKERS[i], markersize=4, linewidth=1.2, color=colormaps["tab10"](i), label=name
            )
        panel.set(title=title, xlabel="offered utilisation", yscale="log", xlim=(0.15, 1.0))
        panel.grid(alpha=0.3)
        panel.legend(fontsize=8, frameon=False)
    axes[0].set_ylabel("mean response time")
    axes[0].set_ylim(1.5, 150)
    return figure
