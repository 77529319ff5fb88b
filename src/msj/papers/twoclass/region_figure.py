"""What Fig. 6a and 6b of twoclass share: the stability region in the plane of the two classes' arrival rates.

On the ray of share p_2 the border is (p_1 lambda*, p_2 lambda*) (Theorems 4.1-4.3); without waste it would be the line
n_1 lambda_1/mu_1 + n_2 lambda_2/mu_2 = n. The caption gives mu_1 = 2 and mu_2 = 1, the text n_2 and n (through the
number of servers wasted and the utilisation), and n_1 = 1.
"""

from __future__ import annotations

from typing import Any, ClassVar

from msj.answers.waste_curve import waste_curve
from msj.papers.figure import Claim, Figure, Rows, Work
from msj.papers.systems import exponential_system
from msj.papers.verdicts import printed_number

SERVERS, NEED_1, RATES = 200, 1, (2.0, 1.0)


class RegionFigure(Figure):
    """One region."""

    need_2: ClassVar[int]
    peak: ClassVar[str]  # the paper's numbers at its peak of wastage: share of class 2 in per cent
    work_share: ClassVar[str]  # share of server-seconds that class 2 demands, in per cent
    wasted: ClassVar[str]
    utilisation: ClassVar[str]  # in per cent

    def compute(self, work: Work) -> Rows:  # noqa: ARG002
        system = exponential_system(SERVERS, [(NEED_1, 0.5, RATES[0]), (self.need_2, 0.5, RATES[1])])
        curve = waste_curve(system, f"share:need {self.need_2}=0..1")
        rows: Rows = []
        kinds = {extremum.parameter: extremum.kind for extremum in curve.extrema}
        for i, p_2 in enumerate(curve.parameter.tolist()):
            threshold = float(curve.stability_threshold[i])
            work_2 = p_2 * self.need_2 / RATES[1]
            mean_work = work_2 + (1.0 - p_2) * NEED_1 / RATES[0]
            rows.append(
                {
                    "p_2": p_2,
                    "lambda_1": (1.0 - p_2) * threshold,
                    "lambda_2": p_2 * threshold,
                    "naive_lambda_1": (1.0 - p_2) * SERVERS / mean_work,
                    "naive_lambda_2": p_2 * SERVERS / mean_work,
                    "wasted_servers": float(curve.wasted_servers[i]),
                    "utilisation": float(curve.saturated_utilisation[i]),
                    "work_share_2": work_2 / mean_work,
                    "extremum": kinds.get(p_2, ""),
                }
            )
        return rows

    def draw(self, rows: Rows, figure: Any) -> None:
        axes = figure.add_subplot()
        x, y = [row["lambda_1"] for row in rows], [row["lambda_2"] for row in rows]
        naive_x, naive_y = [row["naive_lambda_1"] for row in rows], [row["naive_lambda_2"] for row in rows]
        axes.fill([*x, *naive_x[::-1]], [*y, *naive_y[::-1]], color="0.88", linewidth=0)
        axes.plot(naive_x, naive_y, "--", color="#a61c00", linewidth=1.6, label="if no server were ever wasted")
        axes.plot(x, y, "-", color="#0b5394", linewidth=2.0, label="stability region")
        worst = _peak(rows)
        axes.plot(worst["lambda_1"], worst["lambda_2"], "ko", markersize=6)
        axes.annotate(
            f"most waste: p₂ = {worst['p_2']:.1%},\n{worst['wasted_servers']:.0f} of {SERVERS} servers,"
            f" {worst['utilisation']:.0%} used",
            (worst["lambda_1"], worst["lambda_2"]),
            xytext=(0.44, 0.62),
            textcoords="axes fraction",
            fontsize=9,
            arrowprops={"arrowstyle": "-", "color": "0.3", "shrinkB": 5},
        )
        axes.set(
            xlabel="arrival rate λ₁ of class 1 (need 1)", ylabel=f"arrival rate λ₂ of class 2 (need {self.need_2})"
        )
        axes.set(xlim=(0.0, None), ylim=(0.0, None))
        axes.grid(visible=True, color="#e4e4e4", linewidth=0.7)
        axes.set_axisbelow(True)
        axes.legend(frameon=False, loc="upper right")

    def claims(self, rows: Rows) -> list[Claim]:
        worst, ends = _peak(rows), (rows[0], rows[-1])
        alone = max(abs(row["wasted_servers"]) for row in ends)
        return [
            printed_number("share of class 2 at the peak of wastage", self.peak, 100 * worst["p_2"], unit=" %"),
            printed_number(
                "of server-seconds, class 2 demands", self.work_share, 100 * worst["work_share_2"], unit=" %"
            ),
            printed_number("servers wasted there", self.wasted, worst["wasted_servers"]),
            printed_number("utilisation there", self.utilisation, 100 * worst["utilisation"], unit=" %"),
            Claim(
                claim="if all jobs come from one class, no wastage occurs",
                claimed="0",
                found=f"{ends[0]['wasted_servers']:g} and {ends[1]['wasted_servers']:g}",
                difference=f"{alone:.1e}",
                passed=alone < 1e-9,
            ),
            Claim(
                claim="at most n_2 − 1 servers are wasted",
                claimed=f"at most {self.need_2 - 1}",
                found=f"{worst['wasted_servers']:.2f} at worst",
                difference=f"{self.need_2 - 1 - worst['wasted_servers']:.2f} below",
                passed=worst["wasted_servers"] <= self.need_2 - 1,
            ),
        ]


def _peak(rows: Rows) -> dict[str, Any]:
    return max(rows, key=lambda row: row["wasted_servers"])
