"""Draw the pictures of README and docs anew: ``make pictures``."""

from pathlib import Path

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


if __name__ == "__main__":
    main()
