"""twoclass, Fig. 5: the transitions of the saturated 3-10-30 system, found from its chain and drawn.

States are [h, a, b]: a job of class 2 blocks the head (h = 1) or not, a and b jobs of class 1 and 2 are in service. The
completion matrix is linear in the rates, D1 = mu_1 A_1 + mu_2 A_2, so two chains (mu_1 = 1 and mu_1 = 2, mu_2 = 1)
give A_1 and A_2 apart: which class completes in each transition. Lemma 5.1's list is the claim.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from msj.analysis import saturate
from msj.closed_forms import two_class
from msj.papers.figure import Claim, Figure, Rows, Work
from msj.papers.systems import exponential_system
from msj.papers.verdicts import exactly

SERVERS, NEEDS, SHARES = 30, (3, 10), (0.5, 0.5)
SOURCES = range(1, 8)  # the caption: "starting from states with 1 to 7 class 1 jobs"
STATES = (
    (0, 0, 3), (1, 1, 2), (1, 2, 2), (0, 3, 2), (1, 4, 1), (1, 5, 1), (0, 6, 1), (1, 7, 0), (1, 8, 0), (1, 9, 0),
    (0, 10, 0),
)  # fmt: skip
PREDECESSORS = {(0, 6, 1), (0, 3, 2), (1, 4, 1), (1, 5, 1)}  # of [1, 5, 1], section 5
NONE = 1e-12
State = tuple[int, int, int]


class Fig5(Figure):
    title: ClassVar[str] = "All transitions of the 3-10-30 system from states with 1 to 7 class-1 jobs"
    caption: ClassVar[str] = (
        "A state [h, a, b]: h = 1 if a class-2 job blocks the head, a class-1 and b class-2 jobs in service. Above the "
        "states, class-2 completions (dashed): fresh jobs start. Below, class-1 completions (solid). A loop is a "
        "completion whose place is taken by a job of the same class. Shares 1/2 and rates 1 for the probabilities in "
        "the data."
    )
    width: ClassVar[float] = 11.0
    height: ClassVar[float] = 3.6

    def compute(self, work: Work) -> Rows:  # noqa: ARG002
        return [
            {
                "from": _name(state),
                "class": job_class,
                "to": _name(to),
                "probability": probability,
                "drawn": state[1] in SOURCES,
            }
            for (state, job_class, to), probability in _transitions((1.0, 1.0)).items()
        ]

    def draw(self, rows: Rows, figure: Any) -> None:
        axes = figure.add_subplot()
        place = {_name(state): state[1] for state in STATES}
        for name, x in place.items():
            box = {"boxstyle": "round,pad=0.4", "facecolor": "white" if name[1] == "0" else "0.87", "edgecolor": "0.2"}
            axes.text(x, 0.0, name, ha="center", va="center", fontsize=11.5, bbox=box, zorder=3)
        for row in rows:
            if row["drawn"]:
                _arc(axes, place[row["from"]], place[row["to"]], row["class"])
        axes.plot([], [], "--", color="#a61c00", label="a class-2 job completes")
        axes.plot([], [], "-", color="#0b5394", label="a class-1 job completes")
        axes.plot([], [], "s", color="0.2", markerfacecolor="0.87", markersize=9, label="a class-2 job blocks the head")
        axes.set(xlim=(-0.5, 10.5), ylim=(-0.6, 1.75))
        axes.axis("off")
        axes.legend(frameon=False, loc="upper left", fontsize=10)

    def claims(self, rows: Rows) -> list[Claim]:
        found = {(row["from"], row["class"], row["to"]) for row in rows}
        listed = {(_name(state), job_class, _name(to)) for state, job_class, to in lemma_5_1()}
        before = {row["from"] for row in rows if row["to"] == _name((1, 5, 1))}
        drawn = sum(row["drawn"] for row in rows)
        return [
            exactly("states of the 3-10-30 system", _listed(map(_name, STATES)), _listed(row["from"] for row in rows)),
            Claim(
                claim="the possible transitions are exactly those of Lemma 5.1",
                claimed=f"{len(listed)} transitions, {sum(s[1] in SOURCES for s, *_ in lemma_5_1())} of them drawn",
                found=f"{len(found)} transitions, {drawn} of them drawn",
                difference=f"{len(listed - found)} missing, {len(found - listed)} more",
                passed=listed == found,
            ),
            exactly("states that lead to [1,5,1]", _listed(map(_name, PREDECESSORS)), _listed(before)),
            _example(),
            _product_form(),
        ]


def lemma_5_1() -> set[tuple[State, int, State]]:
    """Return the transitions that Lemma 5.1 lists, cases i to viii."""
    by_a = {state[1]: state for state in STATES}  # s_1(a)
    full = {state[2]: state for state in STATES if state[0] == 0}  # s_2(b)
    found: set[tuple[State, int, State]] = set()
    for state in STATES:
        blocked, a, b = state
        if a > 0:
            found.add((state, 1, by_a[a - 1]))  # ii, vi
            if not blocked:
                found.add((state, 1, state))  # i
        if b > 0:
            left = b if blocked else b - 1
            found.add((state, 2, full[left]))  # iv, vii
            if not blocked:
                found.add((state, 2, state))  # iii
            first = a if blocked else a + 1  # v, viii
            found |= {(state, 2, by_a[more]) for more in range(first, full[left][1])}
    return found


def _transitions(rates: tuple[float, float]) -> dict[tuple[State, int, State], float]:
    """Return the probabilities of the embedded chain's transitions, by class of the completed job."""
    plain, more = (_completions((rate, 1.0)) for rate in (1.0, 2.0))
    of_class_1 = more - plain
    by_class = {1: rates[0] * of_class_1, 2: rates[1] * (plain - of_class_1)}
    leaving = sum(by_class.values()).sum(axis=1)
    states = _states()
    return {
        (states[i], job_class, states[j]): float(matrix[i, j] / leaving[i])
        for i in range(len(states))
        for job_class, matrix in by_class.items()
        for j in range(len(states))
        if matrix[i, j] > NONE
    }


def _completions(rates: tuple[float, float]) -> Any:
    return np.asarray(_saturated(rates).built.chain.D1.toarray())


def _saturated(rates: tuple[float, float]) -> Any:
    return saturate(exponential_system(SERVERS, zip(NEEDS, SHARES, rates, strict=True)))


def _states() -> list[State]:
    """Return the states of the chain in the paper's words."""
    return [
        (int(SERVERS - 3 * int(a) - 10 * int(b) >= min(NEEDS)), int(a), int(b))
        for a, b in _saturated((1.0, 1.0)).counts
    ]


def _example() -> Claim:
    rates = (2.0, 1.0)
    found = _transitions(rates)[(1, 4, 1), 2, (0, 6, 1)]
    claimed = rates[1] / (4 * rates[0] + rates[1]) * SHARES[0] ** 2
    return Claim(
        claim="P([1,4,1], [0,6,1]) = f_2([1,4,1]) p_1², here for rates 2 and 1",
        claimed=f"{claimed:.9f}",
        found=f"{found:.9f}",
        difference=f"{found - claimed:+.1e}",
        passed=abs(found - claimed) < 1e-12,
    )


def _product_form() -> Claim:
    rates = (2.0, 1.0)
    closed = two_class(servers=SERVERS, needs=NEEDS, shares=SHARES, rates=rates)
    law = dict(zip(_states(), _saturated(rates).departure_average, strict=True))
    formula = {
        (int(h > 0), int(a), int(b)): p for (h, a, b), p in zip(closed.states, closed.departure_average, strict=True)
    }
    gap = max(abs(law[state] / formula[state] - 1.0) for state in STATES)
    return Claim(
        claim="the embedded chain's law is the product form of Theorem 4.1, here for rates 2 and 1",
        claimed="one law",
        found=f"{len(formula)} states alike to {gap:.0e}",
        difference=f"{gap:.1e} relatively",
        passed=set(formula) == set(law) and gap < 1e-9,
    )


def _name(state: State) -> str:
    return "[{},{},{}]".format(*state)


def _listed(names: Any) -> str:
    return " ".join(sorted(set(names), key=lambda name: [int(part) for part in name[1:-1].split(",")]))


def _arc(axes: Any, x: int, to: int, job_class: int) -> None:
    side = 1.0 if job_class == 2 else -1.0
    colour = "#a61c00" if job_class == 2 else "#0b5394"
    style: dict[str, Any] = {"arrowstyle": "-|>", "mutation_scale": 11, "color": colour, "linewidth": 1.3}
    style |= {"linestyle": "--" if job_class == 2 else "-", "shrinkA": 0, "shrinkB": 0}
    foot = 0.14 * side
    if x == to:
        style["connectionstyle"] = f"arc3,rad={-3.2 * side}"
        axes.annotate("", (x + 0.05, foot), (x - 0.05, foot), arrowprops=style, zorder=2)
        return
    # The longer an arrow, the nearer to the middle of its states it begins and ends: none lie on one another.
    span, step = abs(to - x), 1 if to > x else -1
    reach = step * (0.42 - 0.08 * span)
    style["connectionstyle"] = f"arc3,rad={-side * step * (0.75 if span == 1 else 0.5 + 0.02 * span)}"
    axes.annotate("", (to - reach, foot), (x + reach, foot), arrowprops=style, zorder=2)


VARIANT = Fig5
