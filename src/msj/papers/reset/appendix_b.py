"""reset, section 3.11 and Appendix B: how many states the saturated system of 30 servers with needs 3 and 10 has.

Three descriptions of one system: the ordered list of the 30 oldest jobs (2^30 states), the simplified saturated system
(jobs in service and the class of the blocked job: 13), and the counts in service alone (11; twoclass has these too).
"""

from __future__ import annotations

from typing import Any, ClassVar

from msj.analysis import saturate
from msj.fronts import ordered_chain, simplified_chain
from msj.markov import solve
from msj.papers.figure import Claim, Figure, Rows, Work
from msj.papers.systems import exponential_system
from msj.papers.verdicts import exactly

SERVERS, NEEDS = 30, (3, 10)
ORDERED, SIMPLIFIED = 2**30, 13
CLAIMED = (  # need of the job not in service (0: none), 3-server and 10-server jobs in service
    (0, 0, 3), (10, 1, 2), (10, 2, 2), (3, 3, 2), (10, 3, 2), (10, 4, 1), (10, 5, 1),
    (3, 6, 1), (10, 6, 1), (10, 7, 0), (10, 8, 0), (10, 9, 0), (0, 10, 0),
)  # fmt: skip
ENOUGH = SERVERS // min(NEEDS)  # the oldest jobs that can matter: no more are ever in service
COLOURS = {3: "#9fc5e8", 10: "#0b5394"}


class AppendixB(Figure):
    title: ClassVar[str] = "The 13 states of the simplified saturated system: 30 servers, needs 3 and 10"
    caption: ClassVar[str] = (
        "A bar is the 30 servers, a box a job; hatched servers stand idle. To the right, the need of the job waiting "
        "at the head. States with the same jobs in service differ in that job only, so the counts in service alone "
        "(11) would do. How often each is met is for shares 1/2 and durations Exp(1), which the paper leaves open."
    )
    height: ClassVar[float] = 4.8

    def compute(self, work: Work) -> Rows:  # noqa: ARG002
        system = exponential_system(SERVERS, [(need, "1/2", 1) for need in NEEDS])
        states, chain = simplified_chain(system)
        run, counts = solve(chain), saturate(system)
        rows: Rows = [
            {
                "what": "state",
                "blocked_need": 0 if state.blocked is None else NEEDS[state.blocked],
                "in_service_3": state.in_service[0],
                "in_service_10": state.in_service[1],
                "probability": float(share),
            }
            for state, share in zip(states, run.time_average, strict=True)
        ]
        rows.sort(key=lambda row: (row["in_service_3"], row["blocked_need"]))
        short, of_short = ordered_chain(system, front=ENOUGH)
        found = {
            "states, ordered list of 30 jobs": len(NEEDS) ** SERVERS,
            f"states, ordered list of {ENOUGH} jobs": len(short),
            "states, simplified": len(states),
            "states, counts": len(counts.counts),
            f"threshold, ordered list of {ENOUGH} jobs": solve(of_short).throughput,
            "threshold, simplified": run.throughput,
            "threshold, counts": counts.stability_threshold,
        }
        return [*rows, *({"what": what, "value": float(value)} for what, value in found.items())]

    def draw(self, rows: Rows, figure: Any) -> None:
        axes = figure.add_subplot()
        states = [row for row in rows if row["what"] == "state"]
        for y, row in enumerate(states):
            x = 0
            for need, count in ((10, row["in_service_10"]), (3, row["in_service_3"])):
                for _ in range(count):
                    axes.barh(y, need, left=x, height=0.7, color=COLOURS[need], edgecolor="white", linewidth=1.5)
                    x += need
            if x < SERVERS:
                axes.barh(y, SERVERS - x, left=x, height=0.7, color="white", edgecolor="0.6", hatch="////", linewidth=0)
            waits = str(row["blocked_need"] or "—")
            axes.text(33.0, y, waits, va="center", ha="right", fontsize=9)
            axes.text(38.5, y, f"{row['probability']:.2%}", va="center", ha="right", fontsize=9)
        axes.set_yticks(range(len(states)), [_name(row) for row in states], fontsize=9)
        axes.set(xlim=(0, 39), ylim=(len(states) - 0.4, -1.4), xlabel="servers")
        axes.text(33.0, -0.9, "head", va="center", ha="right", fontsize=9, color="0.35")
        axes.text(38.5, -0.9, "of the time", va="center", ha="right", fontsize=9, color="0.35")
        axes.set_xticks(range(0, 31, 5))
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.spines["bottom"].set_bounds(0, SERVERS)
        axes.tick_params(left=False)
        _legend(axes)

    def claims(self, rows: Rows) -> list[Claim]:
        found = {row["what"]: row["value"] for row in rows if "value" in row}
        states = {(r["blocked_need"], r["in_service_3"], r["in_service_10"]) for r in rows if r["what"] == "state"}
        missing, extra = set(CLAIMED) - states, states - set(CLAIMED)
        thresholds = [value for what, value in found.items() if what.startswith("threshold")]
        spread = max(thresholds) / min(thresholds) - 1.0
        return [
            exactly(
                "states of the main saturated system",
                f"{ORDERED:,}",
                f"{found['states, ordered list of 30 jobs']:,.0f}",
                because=f"Counted as 2^30, not visited; the list of the {ENOUGH} oldest, which decides all, was: "
                f"{found[f'states, ordered list of {ENOUGH} jobs']:,.0f} = 2^{ENOUGH} states.",
            ),
            exactly("states of the simplified one", str(SIMPLIFIED), f"{found['states, simplified']:.0f}"),
            Claim(
                claim="the 13 states listed",
                claimed=f"{len(CLAIMED)} triples",
                found=f"{len(states & set(CLAIMED))} of them",
                difference=f"{len(missing)} missing, {len(extra)} more",
                passed=not missing and not extra,
            ),
            Claim(
                claim="simplified and main saturated system complete jobs alike (Lemma 3.3)",
                claimed="one throughput",
                found=", ".join(f"{value:.10f}" for value in thresholds),
                difference=f"{spread:.1e} relatively",
                passed=spread < 1e-9,
                because="Ordered list, simplified system, and the counts alone.",
            ),
        ]


def _name(row: dict[str, Any]) -> str:
    return f"[{row['blocked_need'] or '∅'}, {row['in_service_3']}, {row['in_service_10']}]"


def _legend(axes: Any) -> None:
    from matplotlib.patches import Patch

    axes.legend(
        handles=[
            Patch(facecolor=COLOURS[10], label="job of need 10"),
            Patch(facecolor=COLOURS[3], label="job of need 3"),
            Patch(facecolor="white", edgecolor="0.6", hatch="////", linewidth=0, label="idle"),
        ],
        loc="lower left", bbox_to_anchor=(0.0, 0.97), ncols=3, frameon=False, fontsize=9,
    )  # fmt: skip


VARIANT = AppendixB
