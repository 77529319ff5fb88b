"""Draw the pictures of README and docs anew: ``make pictures``."""

from pathlib import Path

from policies_picture import draw_policies

import msj
from msj.plots import response_curve, sweep
from msj.plots.figure import save

FOLDER = Path(__file__).parent / "pictures"


def main():
    """Draw every picture."""
    curve = msj.curve(FOLDER.parent.parent / "examples" / "hpc_partition.toml")
    save(response_curve.draw(curve), FOLDER / "hpc_partition.png")
    found = msj.sweep(
        FOLDER.parent.parent / "examples" / "two_servers.toml",
        vary={"load": "0.5..0.95/10", "servers": [2, 4, 8]},
        policies=["fcfs", "first-fit", "server-filling"],
        precision=0.03,
    )
    save(sweep.draw(found), FOLDER / "sweep.png")
    save(draw_orders(), FOLDER / "order.png")
    save(draw_policies(), FOLDER / "policies.png")


def draw_orders():
    """Draw threshold and mean response time against how much alike successive jobs are (docs/arrivals.md)."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.8), layout="constrained")
    above, below = figure.subplots(1, 2)
    stays = [i / 50 for i in range(50)] + [0.985, 0.99, 0.993]
    for name, label in (("one_and_four", "1 and 4 on 4, rate 1"), ("two_and_three", "2 and 3 on 5, rate 1.2")):
        system = msj.read(FOLDER.parent.parent / "examples" / "arrivals" / f"{name}.toml")
        ordered = [system.replace(order={"law": "sticky", "probability": s}) for s in stays]
        found = [msj.analyse(each, percentiles=False) for each in ordered]
        above.plot(stays, [each["stability_threshold"] for each in found], label=label)
        below.plot(stays, [each["mean_response_time"] for each in found], label=label)
    above.set(xlabel="probability to be like the job before", ylabel="stability threshold", ylim=(0, None))
    below.set(xlabel="probability to be like the job before", ylabel="mean response time", ylim=(0, 20))
    above.legend(frameon=False)
    return figure


if __name__ == "__main__":
    main()
