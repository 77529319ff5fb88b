"""Figure 2: scaled mean response time of seven models that are not WCFS; none has the limit of M/G/1 (wcfs, section 1).

What the limits are follows from where the work W sits near load 1. E[W](1−rho) goes to 1.25 for all that are stable
there, and small jobs have mean work 1/2, large ones 3/2. If all that wait are small (large ones are favoured) there are
2·W of them; if all are large, 2/3·W; MaxWeight keeps 4·small = large, hence 5 jobs for work 1/2 + 4·3/2: 10/13·W. By
Little's law E[T](1−rho) then goes to 1.25 times that. The paper gives no values; these are compared as our own.
"""

from __future__ import annotations

from typing import Any, ClassVar

from msj.papers.figure import Claim, Rows
from msj.papers.wcfs.curves import draw_curves, finish, legend, limit_line
from msj.papers.wcfs.models import OTHERS, models
from msj.papers.wcfs.points import OverLoad, agreement, at_saturation, labelled, values

STABLE = ("most-first", "elastic-first", "max-weight", "inelastic-first")  # up to load 1, and solved
OTHER_LIMIT = 0.1  # of 1.25: a limit nearer than that would count as the same
LARGEST_ERROR = 0.01  # of our own limits, relative
TOP = 5.0

CHOICES = (
    "Lines are exact (FCFS: chain of the front; the others: chain of the numbers of small and large jobs), markers "
    "simulated with 95 % intervals; M/G/4/SRPT can only be simulated, a thin line joins its points. With needs 1 and "
    "4 on 4 servers Elastic First and Most Servers First serve the same jobs at the same speed, so their curves are "
    "one. Elastic First favours the larger threshold (section 6; section 3.3 has the two names exchanged). MaxWeight: "
    "packings not limited by the jobs present, ties at random."
)


class Fig2(OverLoad):
    """E[T](1 − rho) of the alternatives."""

    title: ClassVar[str] = "Scaled mean response time of seven models that are not WCFS: other limits, or none"
    caption: ClassVar[str] = CHOICES
    width: ClassVar[float] = 8.6
    names: ClassVar[tuple[str, ...]] = OTHERS

    def draw(self, rows: Rows, figure: Any) -> None:
        axes = figure.add_subplot()
        draw_curves(axes, [row for row in rows if row["scaled"] < 1.3 * TOP], self.names, "scaled")
        limit_line(axes, models()["mg1"].excess, r"$E[S^2]\,/\,2E[S]$ = 1.25", 0.12)
        finish(
            axes, r"scaled mean response time $E[T](1-\rho)$", "Seven models that are not WCFS: other limits, or none"
        )
        axes.set_ylim(0, TOP)
        legend(axes, self.names, loc="upper right")

    def claims(self, rows: Rows) -> list[Claim]:
        return [
            *(_unstable(rows, name) for name in ("msj-fcfs", "least-first")),
            *(_other_limit(rows, name) for name in STABLE),
            _srpt(rows),
            *(_own_limit(rows, name) for name in STABLE),
            same_curve(rows),
            agreement(rows),
        ]


def _unstable(rows: Rows, name: str) -> Claim:
    model, scaled = models()[name], values(rows, name, "scaled")
    (low, first), (high, last) = min(scaled.items()), max(scaled.items())
    return Claim(
        claim=f"{labelled(name)}: E[T](1 − rho) does not converge",
        claimed="no limit",
        found=f"unstable from rho = {model.limit:.6f}; {first:.2f} at {low:g}, {last:.1f} at {high:g}",
        difference="",
        passed=model.limit < 1 and last > 10 * model.excess,
    )


def _other_limit(rows: Rows, name: str) -> Claim:
    limit, found = models()[name].excess, at_saturation(values(rows, name, "scaled"))
    return Claim(
        claim=f"{labelled(name)}: E[T](1 − rho) does not go to E[S²]/(2E[S])",
        claimed=f"not {limit:.6g}",
        found=f"{found:.4f} (extrapolated)",
        difference=f"{found / limit - 1:+.1%}",
        passed=abs(found / limit - 1) > OTHER_LIMIT,
    )


def _srpt(rows: Rows) -> Claim:
    limit = models()["srpt"].excess
    row = max((row for row in rows if row["model"] == "srpt"), key=lambda row: row["rho"])
    return Claim(
        claim="M/G/4/SRPT: E[T](1 − rho) does not go to E[S²]/(2E[S])",
        claimed=f"not {limit:.6g}",
        found=f"{row['scaled']:.4f} in [{row['scaled_low']:.4f}, {row['scaled_high']:.4f}] at rho = {row['rho']:g}",
        difference=f"{row['scaled'] / limit - 1:+.1%}",
        passed=row["scaled_high"] < (1 - OTHER_LIMIT) * limit,
        because="simulated only: no exact method is known",
    )


def _own_limit(rows: Rows, name: str) -> Claim:
    share = models()[name].crowding
    assert share is not None
    limit, found = float(share) * models()[name].excess, at_saturation(values(rows, name, "scaled"))
    return Claim(
        claim=f"{labelled(name)}: the limit is {share} of E[S²]/(2E[S]) (our derivation, not the paper's)",
        claimed=f"{limit:.4f}",
        found=f"{found:.4f} (extrapolated)",
        difference=f"{found / limit - 1:+.2%}",
        passed=abs(found / limit - 1) < LARGEST_ERROR,
    )


def same_curve(rows: Rows) -> Claim:
    """Return whether two independent simulations, of both names of one process, agree with one exact curve."""
    scores = [row["z"] for row in rows if row["model"] in ("most-first", "elastic-first") and row.get("z") is not None]
    mean_square = sum(z * z for z in scores) / len(scores)
    return Claim(
        claim="Elastic First and Most Servers First are one curve (our observation; the paper draws two)",
        claimed="mean z² below 3.6 over both simulations, against one exact curve (above it once in 1,000)",
        found=f"{mean_square:.2f} over {len(scores)} points",
        difference="",
        passed=mean_square < 3.6,  # 12 points of t with 19 degrees of freedom
    )


VARIANT = Fig2
