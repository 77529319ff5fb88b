"""Draw the pictures of README and docs anew: ``make pictures``."""

from pathlib import Path

import matplotlib.pyplot as plt

import msj
from msj.plots import response_curve
from msj.plots.figure import save

FOLDER = Path(__file__).parent / "pictures"
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


def main():
    """Draw every picture."""
    curve = msj.curve(FOLDER.parent.parent / "examples" / "hpc_partition.toml")
    save(response_curve.draw(curve), FOLDER / "hpc_partition.png")
    policies()


def policies(jobs=200_000):
    """Mean response time of all policies on one cluster over load, on the same jobs at each load."""
    system = msj.System(
        servers=4,
        classes=[
            msj.JobClass(name="small", need=1, share="1/2", duration=msj.Exponential(mean=2)),
            msj.JobClass(name="large", need=4, share="1/2", duration=msj.Exponential(mean="3/2")),
        ],
    )
    figure, axes = plt.subplots(1, 2, figsize=(11, 5), sharey=True, layout="constrained")
    for panel, (title, chosen) in zip(axes, POLICIES.items(), strict=True):
        lines = {name: ([], []) for name in chosen}
        for load in LOADS:
            found = msj.compare(system.replace(utilisation=load), policies=list(chosen.values()), jobs=jobs, seed=1)
            for (name, given), (rho, stay) in zip(chosen.items(), lines.values(), strict=True):
                row = found.at(policy=system.replace(policy=given).policy.label()).find("mean_response_time")
                if row is not None and row.low is not None:
                    rho.append(load)
                    stay.append(row.value)
        for i, (name, (rho, stay)) in enumerate(lines.items()):
            panel.plot(rho, stay, marker=MARKERS[i], markersize=4, linewidth=1.2, color=plt.cm.tab10(i), label=name)
        panel.set(title=title, xlabel="offered utilisation", yscale="log", xlim=(0.15, 1.0))
        panel.grid(alpha=0.3)
        panel.legend(fontsize=8, frameon=False)
    axes[0].set_ylabel("mean response time")
    axes[0].set_ylim(1.5, 150)
    figure.savefig(FOLDER / "policies.png", dpi=110)
    plt.close(figure)


if __name__ == "__main__":
    main()
