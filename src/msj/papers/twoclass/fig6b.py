"""twoclass, Fig. 6(b): stability region of 200 servers with needs 1 and 200."""

from __future__ import annotations

from typing import ClassVar

from msj.papers.twoclass.region_figure import RegionFigure


class Fig6b(RegionFigure):
    title: ClassVar[str] = "Stability region: 200 servers, needs 1 and 200, mu_1 = 2, mu_2 = 1"
    caption: ClassVar[str] = (
        "Grey: arrival rates that a count of server-seconds admits and that are unstable all the same. The paper "
        "states n_2 = 200, mu_1 = 2 and mu_2 = 1; n = 200 and n_1 = 1 follow from the waste and the utilisation."
    )
    need_2: ClassVar[int] = 200
    peak: ClassVar[str] = "1.3"
    work_share: ClassVar[str] = "84"
    wasted: ClassVar[str] = "125"
    utilisation: ClassVar[str] = "37"


VARIANT = Fig6b
