"""twoclass, Theorems 8.1 and 8.2: any needs, one exponential law; stable if lambda/mu · sum prod p / sigma(m) < 1.

The sum runs over all vectors m of the needs of n jobs. It is taken here term by term as printed where that is possible
(|needs|^n terms), and compared with the saturated chain, with the renewal sums of ``closed_forms.same_law``, and with
simulations on both sides of the border.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from msj.analysis import saturate
from msj.closed_forms import same_law
from msj.fronts import ordered_chain
from msj.markov import solve
from msj.papers.figure import Claim, Figure, Rows, Scale, Work
from msj.papers.systems import exponential_system

NEEDS, SHARES, RATE = (1, 2, 3), (0.5, 0.3, 0.2), 1.0
MOST = 30  # servers in the picture
TERM_BY_TERM = 10  # servers up to which the printed sum is taken
SIMULATED = (4, 6, 8)
SIDES = (0.95, 1.05)  # of the border
WHOLE_LAW = 5  # servers of the chain whose law is compared state by state


class Theorem81(Figure):
    title: ClassVar[str] = "Any needs, one exponential law: the border of stability"
    caption: ClassVar[str] = (
        "The theorem is for any needs; our choice is 1, 2 and 3 servers with probabilities 1/2, 3/10, 1/5, and rate 1. "
        "Triangles: arrival rates 5 % below the border (open: stable) and above it (filled: the queue keeps growing)."
    )

    def arrivals(self, scale: Scale) -> float:
        return float(_jobs(scale) * len(SIMULATED) * len(SIDES))

    def compute(self, work: Work) -> Rows:
        rows: Rows = []
        for servers in range(max(NEEDS), MOST + 1):
            row: dict[str, Any] = {
                "what": "border",
                "servers": servers,
                "renewal_sums": _closed(servers),
                "chain": saturate(_system(servers)).stability_threshold,
                "naive": _system(servers).naive_threshold,
            }
            if servers <= TERM_BY_TERM:
                row["term_by_term"] = RATE / printed_sum(servers)
            rows.append(row)
        points: Rows = [
            {
                "servers": servers,
                "side": side,
                "jobs": _jobs(work.scale),
                "seed": [work.seed, servers, round(100 * side)],
            }
            for servers in SIMULATED
            for side in SIDES
        ]
        answers = work.map(simulated_outcome, points, checkpoints=True)
        for point, answer in zip(points, answers, strict=True):
            kept = {key: point[key] for key in ("servers", "side")}
            rows.append(
                {"what": "simulated", "arrival_rate": point["side"] * _closed(point["servers"])} | kept | answer
            )
        return [*rows, *_law_rows()]

    def draw(self, rows: Rows, figure: Any) -> None:
        axes = figure.add_subplot()
        border = [row for row in rows if row["what"] == "border"]
        terms = [row for row in border if "term_by_term" in row]
        axes.axhline(100.0, color="#a61c00", linestyle="--", label="n / E[need × duration]: no server wasted")
        for mine, key, marker, words in (
            (border, "renewal_sums", "-", "λ*, renewal sums"),
            (terms, "term_by_term", "o", "λ*, the printed sum term by term"),
        ):
            axes.plot(
                [row["servers"] for row in mine], [100 * row[key] / row["naive"] for row in mine], marker,
                color="#0b5394", markerfacecolor="white", markersize=6, linewidth=1.8, label=words,
            )  # fmt: skip
        for unstable, marker, fill, words in ((True, "^", "black", "keeps growing"), (False, "v", "white", "stable")):
            mine = [row for row in rows if row["what"] == "simulated" and row["unstable"] == unstable]
            heights = [100 * row["arrival_rate"] / _system(row["servers"]).naive_threshold for row in mine]
            axes.plot(
                [row["servers"] for row in mine], heights, marker, color="black", markerfacecolor=fill, markersize=7,
                linestyle="none", label=f"simulated: {words}",
            )  # fmt: skip
        axes.set(xlabel="servers n", ylabel="arrival rate (% of n / E[need × duration])", xlim=(2, MOST + 1))
        axes.set_ylim(75, 106)
        axes.grid(visible=True, color="#e4e4e4", linewidth=0.7)
        axes.set_axisbelow(True)
        axes.legend(frameon=False, loc="lower right", fontsize=9)

    def claims(self, rows: Rows) -> list[Claim]:
        border = [row for row in rows if row["what"] == "border"]
        terms = [row for row in border if "term_by_term" in row]
        return [
            _agreement("the printed sum is the saturated chain's throughput", terms, "term_by_term", "chain"),
            _agreement("(not in the paper) renewal sums give the same", border, "renewal_sums", "chain"),
            *(_sides(rows, side) for side in SIDES),
            _product_form([row for row in rows if row["what"] == "law"]),
        ]


def printed_sum(servers: int) -> float:
    """Return the sum of Theorem 8.1 over all vectors of needs, as it stands (times 1/mu it is 1/lambda*).

    Examples
    --------
    Three servers hold one, two or three of the first jobs:

    >>> round(printed_sum(3), 9)
    0.704166667
    """
    chances = dict(zip(NEEDS, SHARES, strict=True))
    return sum(prod(chances[need] for need in m) / in_service(m, servers) for m in product(NEEDS, repeat=servers))


def in_service(needs: Sequence[int], servers: int) -> int:
    """Return sigma(m): how many jobs, in order, fit.

    Examples
    --------
    >>> in_service((1, 2, 3), 3), in_service((3, 1, 1), 3)
    (2, 1)
    """
    busy = 0
    for count, need in enumerate(needs):
        busy += need
        if busy > servers:
            return count
    return len(needs)


def simulated_outcome(
    *, servers: int, side: float, jobs: int, seed: Sequence[int], checkpoint: Path | None
) -> dict[str, Any]:
    """Simulate at a multiple of the border; say whether the queue runs away."""
    from msj.answers import simulate
    from msj.results import Outcome

    result = simulate(
        _system(servers).replace(arrival_rate=side * _closed(servers)),
        jobs=jobs,
        rng=np.random.SeedSequence(list(seed)),
        checkpoint=checkpoint if jobs >= 5_000_000 else None,
    )
    if result.outcome is Outcome.INTERRUPTED:
        raise KeyboardInterrupt
    return {"unstable": result.outcome is Outcome.UNSTABLE}


def _system(servers: int) -> Any:
    return exponential_system(servers, [(need, share, RATE) for need, share in zip(NEEDS, SHARES, strict=True)])


def _closed(servers: int) -> float:
    return same_law(servers=servers, needs=NEEDS, shares=SHARES, rate=RATE).stability_threshold


def _jobs(scale: Scale) -> int:
    return 100_000_000 if scale == "full" else 2_000_000


def _law_rows() -> Rows:
    """Return the law of the full ordered chain at departures, state by state (Theorem 8.2)."""
    states, chain = ordered_chain(_system(WHOLE_LAW))
    law = solve(chain).departure_average
    return [
        {
            "what": "law",
            "state": str([NEEDS[job] for job in state]),
            "found": float(probability),
            "product": prod(SHARES[job] for job in state),
        }
        for state, probability in zip(states, law, strict=True)
    ]


def _agreement(what: str, rows: Rows, one: str, other: str) -> Claim:
    gap = max(abs(row[one] / row[other] - 1.0) for row in rows)
    return Claim(
        claim=what,
        claimed="equal",
        found=f"equal to {gap:.0e} for {rows[0]['servers']} to {rows[-1]['servers']} servers",
        difference=f"{gap:.1e} relatively",
        passed=gap < 1e-9,
    )


def _sides(rows: Rows, side: float) -> Claim:
    mine = [row for row in rows if row["what"] == "simulated" and row["side"] == side]
    found = sum(row["unstable"] for row in mine)
    above = side > 1.0
    return Claim(
        claim=f"the system is {'unstable above' if above else 'stable below'} the border (λ = {side:g} λ*, simulated)",
        claimed=f"{'all grow' if above else 'none grows'}",
        found=f"{found} of {len(mine)} queues keep growing",
        difference=str(len(mine) - found if above else found),
        passed=found == (len(mine) if above else 0),
    )


def _product_form(rows: Rows) -> Claim:
    gap = max(abs(row["found"] / row["product"] - 1.0) for row in rows)
    return Claim(
        claim=f"after departures a state has probability prod p (Theorem 8.2; {WHOLE_LAW} servers)",
        claimed=f"{len(NEEDS)}^{WHOLE_LAW} = {len(NEEDS) ** WHOLE_LAW} states in product form",
        found=f"{len(rows)} states in product form to {gap:.0e}",
        difference=f"{gap:.1e} relatively",
        passed=len(rows) == len(NEEDS) ** WHOLE_LAW and gap < 1e-9,
    )


VARIANT = Theorem81
