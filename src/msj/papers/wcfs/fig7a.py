"""Figure 7a: the gap to M/G/1 under ServerFilling grows in proportion to the number of servers (wcfs, section 6).

Needs are uniform over the powers of two up to k and sizes Exp(1), so that the servers together complete jobs at rate 1
whenever all are busy: far from empty this is M/M/1, and the gap is made where servers stand idle. Up to k = 8 the chain
of the front is solved; k = 16 is simulated.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from msj.papers.figure import Claim, Rows
from msj.papers.wcfs.curves import draw_bounds, draw_curves, finish, legend
from msj.papers.wcfs.models import models
from msj.papers.wcfs.points import OverLoad, agreement, labelled, values

SERVERS = (2, 4, 8, 16)
SOLVED = (2, 4, 8)
ROUNDING = 1e-9
COMPARED = 0.96
NEARLY_CONSTANT = 0.1  # relative change of the gap from load 0.9 on
LINEAR = 0.995  # R² at least


class Fig7a(OverLoad):
    """Delta under ServerFilling with 2, 4, 8 and 16 servers."""

    title: ClassVar[str] = "Gap to M/G/1 under ServerFilling: linear in the number of servers"
    caption: ClassVar[str] = (
        "Lines are exact for k = 2, 4, 8, markers simulated with 95 % intervals. k = 16 has too many fronts to be "
        "solved (up to sixteen jobs of five needs): simulated, a thin line joins its points. Right: the gaps that "
        "occur, between the constants of Theorem 2, which grow like k², and ours, which grow like k."
    )
    width: ClassVar[float] = 9.0
    names: ClassVar[tuple[str, ...]] = tuple(f"filling-{k}" for k in reversed(SERVERS))

    def draw(self, rows: Rows, figure: Any) -> None:
        axes, bounds = figure.subplots(1, 2, width_ratios=(2.6, 1))
        draw_curves(axes, rows, self.names, "gap")
        finish(axes, r"gap to M/G/1, $E[T]-E[T_Q^{M/G/1}]$", "MSJ ServerFilling with k servers")
        axes.set_ylim(0, 9)
        legend(axes, self.names, loc="upper right", ncols=4)
        draw_bounds(bounds, rows, self.names[::-1], tuple(f"{k}" for k in SERVERS), "and its bounds, by k")
        bounds.set_yscale("symlog", linthresh=10)
        bounds.set_yticks([-10, -5, 0, 5, 10, 30, 100, 300], ["−10", "−5", "0", "5", "10", "30", "100", "300"])
        bounds.minorticks_off()

    def claims(self, rows: Rows) -> list[Claim]:
        return [
            _linear(rows),
            _next(rows),
            *(_nearly_constant(rows, f"filling-{k}") for k in SERVERS),
            *(_bounded(rows, f"filling-{k}") for k in SERVERS),
            _constants(),
            agreement(rows),
        ]


def _linear(rows: Rows) -> Claim:
    gaps = [values(rows, f"filling-{k}", "gap")[COMPARED] for k in SOLVED]
    gaps.append(values(rows, "filling-16", "gap", "simulated")[COMPARED])
    slope, start = np.polyfit(SERVERS, gaps, 1)
    share = float(np.corrcoef(SERVERS, gaps)[0, 1]) ** 2
    listed = ", ".join(f"{gap:.3f} (k = {k})" for k, gap in zip(SERVERS, gaps, strict=True))
    return Claim(
        claim=f"the gap grows about linearly with k (at rho = {COMPARED})",
        claimed="linear",
        found=f"{listed}; gap = {start:.2f} + {slope:.3f} k, R² = {share:.5f}",
        difference=f"1 − R² = {1 - share:.1e}",
        passed=slope > 0 and share > LINEAR,
        because=f"Our reading of about linearly: R² above {LINEAR:g}.",
        our_reading=True,
    )


def _next(rows: Rows) -> Claim:
    small, large = (values(rows, f"filling-{k}", "gap")[COMPARED] for k in (4, 8))
    line = large + 2 * (large - small)  # from 4 to 8, on to 16
    [row] = [row for row in rows if row["model"] == "filling-16" and row["rho"] == COMPARED]
    return Claim(
        claim=f"k = 16 lies on the line through k = 4 and k = 8 (at rho = {COMPARED})",
        claimed=f"{line:.3f}",
        found=f"{row['gap']:.3f} in [{row['gap_low']:.3f}, {row['gap_high']:.3f}]",
        difference=f"{row['gap'] / line - 1:+.1%}",
        passed=abs(row["gap"] / line - 1) < NEARLY_CONSTANT,
    )


def _nearly_constant(rows: Rows, name: str) -> Claim:
    gaps = _gaps(rows, name)
    rho, change = max(gaps), gaps[max(gaps)] / gaps[0.9] - 1
    return Claim(
        claim=f"{labelled(name)}: the gap is nearly constant as the load goes to 1",
        claimed=f"changes by less than {NEARLY_CONSTANT:.0%} from load 0.9 on",
        found=f"{gaps[0.9]:.4f} at 0.9, {gaps[rho]:.4f} at {rho:g}",
        difference=f"{change:+.2%}",
        passed=abs(change) < NEARLY_CONSTANT,
        our_reading=True,
    )


def _bounded(rows: Rows, name: str) -> Claim:
    (lower, upper), gaps = models()[name].bounds(), _gaps(rows, name).values()
    return Claim(
        claim=f"{labelled(name)}: the gap lies between the constants of Theorem 2",
        claimed=f"in [{lower:g}, {upper:g}]",
        found=f"in [{min(gaps):.4f}, {max(gaps):.4f}]",
        difference="",
        passed=lower <= min(gaps) and max(gaps) <= upper,
    )


def _gaps(rows: Rows, name: str) -> dict[float, float]:
    return values(rows, name, "gap", "simulated" if models()[name].exact is None else "exact")


def _constants() -> Claim:
    lower, upper = zip(*(models()[f"filling-{k}"].bounds() for k in SERVERS), strict=True)
    errors = [np.polyfit(SERVERS, side, 1, full=True)[1][0] for side in (lower, upper)]
    return Claim(
        claim="the constants of Theorem 2 expand linearly with n, which here is k",
        claimed="linear",
        found=f"lower {', '.join(f'{c:g}' for c in lower)}; upper {', '.join(f'{c:g}' for c in upper)}",
        difference=f"squares left by a line: {errors[0]:.2g} (lower), {errors[1]:.2g} (upper)",
        passed=max(errors) < ROUNDING,
        because="the upper constant is (n − 1) rem_sup + n·E[S]/b_inf, and b_inf = 1/k where a job of need 1 may be "
        "alone: (k − 1) + k² here. Section 5.1 itself says O(n²), and that O(n) would be easy: with E[T_F] at most "
        "n·E[S], which holds for ServerFilling, the constant is 2k − 1, or 3, 7, 15, 31",
    )


VARIANT = Fig7a
