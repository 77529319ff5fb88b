"""twoclass, Fig. 6(a): stability region of 200 servers with needs 1 and 100."""

from __future__ import annotations

from typing import ClassVar

from msj.papers.twoclass.region_figure import RegionFigure


class Fig6a(RegionFigure):
    title: ClassVar[str] = "Stability region: 200 servers, needs 1 and 100, mu_1 = 2, mu_2 = 1"
    caption: ClassVar[str] = (
        "Grey: arrival rates that a count of server-seconds admits and that are unstable all the same. The paper "
        "states n_2 = 100, mu_1 = 2 and mu_2 = 1; n = 200 and n_1 = 1 follow from the waste and the utilisation."
    )
    need_2: ClassVar[int] = 100
    peak: ClassVar[str] = "6.4"
    work_share: ClassVar[str] = "93"
    wasted: ClassVar[str] = "77"
    utilisation: ClassVar[str] = "61"


VARIANT = Fig6a
