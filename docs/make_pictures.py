"""Draw the pictures of README and docs anew: ``make pictures``."""

from pathlib import Path

import msj
from msj.plots import response_curve
from msj.plots.figure import save

FOLDER = Path(__file__).parent / "pictures"


def main():
    """Draw every picture."""
    curve = msj.curve(FOLDER.parent.parent / "examples" / "hpc_partition.toml")
    save(response_curve.draw(curve), FOLDER / "hpc_partition.png")


if __name__ == "__main__":
    main()
