"""reset, Appendix C.2: two servers, needs 1 and 2, arbitrary shares and rates, in symbols.

Every formula the paper prints is compared with the one that exact algebra finds for the same chain: equal as rational
functions once p_2 = 1 − p_1. One is not: the printed Delta([2]) lacks a plus sign.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from msj.papers.figure import Claim, Figure, Rows, Work
from msj.symbolic import ExactSaturated, solve_symbolically

SHARES, RATIOS = np.linspace(0.0, 1.0, 51), np.geomspace(0.05, 20.0, 53)
D = "(mu2*p1**2 + 2*mu2*p1*p2 + 2*mu1*p2)"
PRINTED = {  # as they stand in the paper; d11, d12, d2 are the relative completions of [1,1], [1,2], [2]
    "P(Y = [1,1])": ("y11", f"mu2*p1**2/{D}"),
    "P(Y = [1,2])": ("y12", f"2*mu2*p1*p2/{D}"),
    "P(Y = [2])": ("y2", f"2*mu1*p2/{D}"),
    "λ*": ("threshold", f"2*mu1*mu2/{D}"),
    "P(Y_d = [1,1])": ("yd11", "p1**2"),
    "P(Y_d = [1,2])": ("yd12", "p1*p2"),
    "P(Y_d = [2])": ("yd2", "p2"),
    "Δ([1,1]) − Δ([1,2]), (C.7)": ("d11 - d12", f"(2*mu1 - mu2*p2)/{D}"),
    "Δ([1,2]) − Δ([2]), (C.8)": ("d12 - d2", f"(-mu2*p1**2 + 2*(mu1 - mu2)*p2)/{D}"),
    "Δ([2]) from the others, (C.9)": ("d2 - p1*d11 - p2*d12", f"((mu2 - 2*mu1)*p1 + 2*(mu2 - mu1)*p2)/{D}"),
    "Δ([2]) − C": ("d2 - d12", f"(mu2*p1**2 + 2*(mu2 - mu1)*p2)/{D}"),
    "C = Δ([1,2])": (
        "d12",
        f"(4*mu1**2*p2**2 - 2*mu1*mu2*(p1**2 + p1**2*p2 + 2*p2**2) + mu2**2*p1**2*p2)/{D}**2",
    ),
    "Δ([1,1])": (
        "d11",
        f"2*p2*(2*mu1**2*(1 + p2) - mu1*mu2*(-2*p1 + p1**2 + 3*p2) - mu2**2*p1*p2)/{D}**2",
    ),
    "Δ([2])": ("d2", f"mu2*p1*(-2*mu1*(1 + p2**2) + mu2*(p1**2*p1**2*p2 + 3*p2 + p2**2))/{D}**2"),
    "Δ(Y_d)": (
        "delta",
        f"p1*p2*(4*mu1**2 - 2*mu1*mu2*(1 + 3*p2) + mu2**2*(1 + p2 + 2*p2**2))/{D}**2",
    ),
}
MENDED = f"mu2*p1*(-2*mu1*(1 + p2**2) + mu2*(p1**2 + p1**2*p2 + 3*p2 + p2**2))/{D}**2"
AT = {"p1": "2/3", "mu1": "1", "mu2": "1/2"}  # the example of section 4.1, for numbers beside the formulas


class AppendixC2(Figure):
    title: ClassVar[str] = "Two servers in symbols: the share of servers used, and Δ(Y_d), for all shares and rates"
    caption: ClassVar[str] = (
        "Drawn from the formulas found: left λ* over what the servers could take if none stood idle, right Δ(Y_d). The "
        "cross is the example of section 4.1. Below, D = mu2 p1^2 + 2 mu2 p1 p2 + 2 mu1 p2."
    )
    width: ClassVar[float] = 9.0

    def compute(self, work: Work) -> Rows:  # noqa: ARG002
        answer = solve_symbolically(
            servers=2, needs=(1, 2), shares=("2/3", "1/3"), rates=(1, "1/2"), parameters=("p1", "p2", "mu1", "mu2")
        )
        return [*_formula_rows(answer), *_map_rows(answer)]

    def draw(self, rows: Rows, figure: Any) -> None:
        table = [row for row in rows if row["what"] == "map"]
        shape = (len(RATIOS), len(SHARES))
        x, y = (np.array([row[key] for row in table]).reshape(shape) for key in ("p_2", "rate_ratio"))
        used = 100.0 * np.array([row["servers_used"] for row in table]).reshape(shape)
        delta = np.array([row["delta"] for row in table]).reshape(shape)
        left, right = figure.subplots(1, 2, sharey=True)
        _contours(left, x, y, used, np.arange(65, 100, 5), "%d %%", "Greys_r", "servers used at saturation, λ*/λ_naive")
        _contours(right, x, y, delta, (0.1, 0.2, 0.4, 0.7, 1.0, 1.5), "%g", "Greys", "relative completions Δ(Y_d)")
        left.set_ylabel("rate ratio μ₂/μ₁")

    def claims(self, rows: Rows) -> list[Claim]:
        return [
            Claim(
                claim=row["name"],
                claimed=row["printed"],
                found="the same function" if row["same"] else f"another function: {row['found']}",
                difference=f"{row['printed_at_example']} printed, {row['found_at_example']} found, for section 4.1",
                passed=row["same"],
                because=row["because"],
            )
            for row in rows
            if row["what"] == "formula"
        ]


def _quantities(answer: ExactSaturated) -> dict[str, Any]:
    named = {name: i for i, name in enumerate(answer.state_names)}
    states = {"11": named["[1,1]"], "12": named["[1,2]"], "2": named["[2]"]}
    laws = {"y": answer.time_average, "yd": answer.departure_average, "d": answer.relative_completions}
    found = {f"{law}{short}": values[i] for law, values in laws.items() for short, i in states.items()}
    return found | {"threshold": answer.threshold, "delta": answer.departure_relative_completions}


def _formula_rows(answer: ExactSaturated) -> Rows:
    import sympy

    known = {name: sympy.Symbol(name) for name in ("p1", "p2", "mu1", "mu2")}
    found = _quantities(answer)
    rest = {known["p2"]: 1 - known["p1"]}
    example = {known[name]: sympy.Rational(value) for name, value in AT.items()}
    rows: Rows = []
    for name, (quantity, formula) in PRINTED.items():
        ours = sympy.sympify(quantity, locals=known | found).subs(rest)
        theirs = sympy.sympify(formula, locals=known).subs(rest)
        same = bool(sympy.cancel(ours - theirs) == 0)
        mended = name == "Δ([2])" and sympy.cancel(ours - sympy.sympify(MENDED, locals=known).subs(rest)) == 0
        rows.append(
            {
                "what": "formula",
                "name": name,
                "printed": formula.replace(D, "D").replace("**", "^").replace("*", " "),
                "found": str(sympy.factor(ours)).replace("**", "^").replace("*", " "),
                "same": same,
                "printed_at_example": str(theirs.subs(example)),
                "found_at_example": str(ours.subs(example)),
                "because": "A plus sign is missing in print: with p1^2 + p1^2 p2 it is right." if mended else "",
            }
        )
    return rows


def _map_rows(answer: ExactSaturated) -> Rows:
    """Evaluate threshold and Delta(Y_d) over shares and rate ratios; time is measured in 1/mu_1."""
    import sympy

    symbols = [sympy.Symbol(name) for name in ("p1", "p2", "mu1", "mu2")]
    functions = sympy.lambdify(symbols, (answer.threshold, answer.departure_relative_completions))
    p2, ratio = np.meshgrid(SHARES, RATIOS)
    threshold, delta = (np.broadcast_to(values, p2.shape) for values in functions(1 - p2, p2, 1.0, ratio))
    used = threshold * (1 - p2 + 2 * p2 / ratio) / 2
    return [
        {"what": "map", "p_2": float(a), "rate_ratio": float(b), "servers_used": float(c), "delta": float(d)}
        for a, b, c, d in zip(p2.flat, ratio.flat, used.flat, delta.flat, strict=True)
    ]


def _contours(axes: Any, x: Any, y: Any, z: Any, levels: Any, label: str, greys: str, title: str) -> None:
    axes.contourf(x, y, z, levels=levels, cmap=greys, alpha=0.35, extend="both")
    lines = axes.contour(x, y, z, levels=levels, colors="0.2", linewidths=0.9)
    axes.clabel(lines, [level for level in lines.levels if level != 1.0], fmt=label, fontsize=8.5)  # 1.0 hugs the edges
    axes.plot(1 / 3, 0.5, "x", color="#a61c00", markersize=9, markeredgewidth=2)
    axes.set(yscale="log", xlabel="share p₂ of jobs that need both servers")
    axes.set_title(title, fontsize=10)


VARIANT = AppendixC2
