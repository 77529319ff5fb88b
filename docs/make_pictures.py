"""Draw the pictures of README and docs anew: ``make pictures``."""

from pathlib import Path

import msj
from msj.plots.figure import save
from msj.plots.response_curve import draw_response_curve

FOLDER = Path(__file__).parent / "pictures"


def main():
    """Draw every picture."""
    curve = msj.response_curve(msj.read(FOLDER.parent.parent / "examples" / "hpc_partition.toml"))
    save(draw_response_curve(curve), FOLDER / "hpc_partition.png")


if __name__ == "__main__":
    main()
