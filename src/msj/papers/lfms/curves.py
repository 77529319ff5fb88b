"""lfms, Figures 2-10: mu and E[Delta(Y_d)] against the number of servers, exact and both asymptotic forms.

One family ``p_n = n^-alpha`` per regime (alpha = 0.5, 1, 2), each with ``(mu_1, mu_n)`` = (1, 1), (10, 1) and (1, 10).
In every picture the exact values (squares) stand beside

- the form of the n-server dominated and balanced regimes, ``mu_1/(p_n ln(1/p_n))`` and ``1/(2 p_n)`` (triangles down);
- the form of the 1-server dominated regime, ``n mu_1`` and ``n^(2-alpha) ln²n / 2`` (triangles up).

Below them is what the paper says in words only: exact over the form that should fit, and over the refined form of
:mod:`msj.growth.load_focused`. Gaps are factors, as a picture with logarithmic axes shows them: exact over asymptotic
or its inverse, whichever is above 1. Rows beyond the figure's 10^8 servers serve the claims about limits.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from itertools import pairwise
from typing import Any, ClassVar, Literal

from msj.growth.load_focused import load_focused_scaling
from msj.papers.figure import Claim, Figure, Rows, Work

Quantity = Literal["mu", "completions"]
#: The figure's numbers of servers, and some beyond it.
SHOWN = tuple(round(10 ** (k / 2)) for k in range(2, 17))
BEYOND = (10**10, 10**12, 10**15)
#: Fewer servers than these are not asked whether a ratio is on its way to its limit.
ON_THE_WAY = (10**4, 10**8, 10**15)
#: What "tight" and "no perceptible separation" are taken to mean: a factor, and a share of the picture's height.
TIGHT = 1.1
PERCEPTIBLE = 0.02
OFTEN_CROSSED = (
    "The first correction, −1/(p_n ln(1/p_n)), is the same for all rates; with long n-server jobs the ratio comes from "
    "above 1, and the gaps are of about the same size for a long while."
)

WORDS = {"mu": "mu", "completions": "E[Δ(Y_d)]"}
SYMBOLS = {"mu": r"$\mu$", "completions": r"$E[\Delta(Y_d)]$"}
FORMS = {
    "mu": {"many": r"$\mu_1 / (p_n \ln(1/p_n))$", "one": r"$n\mu_1$"},
    "completions": {"many": r"$1 / (2 p_n)$", "one": r"$\frac{1}{2} n^{2-\alpha} \ln^2 n$"},
}
STYLES = {"exact": ("-s", "#6a3d9a"), "many": ("-v", "#e08214"), "one": ("-^", "#1b7837")}


class LoadFocusedFigure(Figure):
    """Two quantities against the servers; a figure says which family, and what the paper says of it."""

    alpha: ClassVar[float]
    rate_small: ClassVar[float] = 1.0
    rate_large: ClassVar[float] = 1.0
    width: ClassVar[float] = 9.0
    height: ClassVar[float] = 6.2

    @property
    def fitting(self) -> Literal["many", "one"]:
        """The form that the theorem of this regime claims."""
        return "one" if self.alpha > 1 else "many"

    def compute(self, work: Work) -> Rows:
        rates = dict.fromkeys([(self.rate_small, self.rate_large), (1.0, 1.0)])  # the second is compared with
        points = [
            {"alpha": self.alpha, "servers": n, "rate_small": small, "rate_large": large}
            for small, large in rates
            for n in (*SHOWN, *BEYOND)
        ]
        return work.map(point, points)

    def draw(self, rows: Rows, figure: Any) -> None:
        axes = figure.subplots(2, 2, sharex=True, height_ratios=(5, 2))
        own = self.shown(rows)
        for column, quantity in enumerate(("mu", "completions")):
            _draw_values(axes[0, column], own, quantity)
            _draw_ratios(axes[1, column], own, quantity, self.fitting)
        figure.suptitle(
            rf"$p_n = n^{{-{self.alpha:g}}}$, $\mu_1 = {self.rate_small:g}$, $\mu_n = {self.rate_large:g}$", fontsize=11
        )

    def own(self, rows: Rows) -> Rows:
        """Return the rows of this figure's rates."""
        return [row for row in rows if (row["rate_small"], row["rate_large"]) == (self.rate_small, self.rate_large)]

    def shown(self, rows: Rows) -> Rows:
        """Return the rows that are drawn."""
        return [row for row in self.own(rows) if row["servers"] <= SHOWN[-1]]

    def claims(self, rows: Rows) -> list[Claim]:
        found = [self.converges(rows, "mu"), self.converges(rows, "completions")]
        found += [self.other_form_departs(rows, "mu"), self.other_form_departs(rows, "completions")]
        if self.alpha > 1:
            found.append(self.next_order(rows))
        return found + self.said(rows)

    @abstractmethod
    def said(self, rows: Rows) -> list[Claim]:
        """Return what else the paper says of this figure."""

    def converges(self, rows: Rows, quantity: Quantity) -> Claim:
        """Theorems 4.1-4.3: exact over asymptotic tends to 1."""
        ratios = {row["servers"]: row[quantity] / row[f"{quantity}_{self.fitting}"] for row in self.own(rows)}
        gaps = [abs(math.log(ratios[n])) for n in ON_THE_WAY]
        theorem = {0.5: "4.1", 1: "4.2", 2: "4.3"}[self.alpha]
        return Claim(
            claim=f"{WORDS[quantity]} converges to its asymptotic form (Theorem {theorem})",
            claimed="exact / asymptotic -> 1",
            found=", ".join(f"{ratios[n]:.4g} at n = {n:.0e}" for n in ON_THE_WAY),
            difference=f"{ratios[SHOWN[-1]] - 1:+.1%} at the figure's end",
            passed=gaps[0] > gaps[1] > gaps[2],
            because="Judged by gaps that shrink; the error is of order 1/ln n." if gaps[2] > 1e-3 else "",
        )

    def other_form_departs(self, rows: Rows, quantity: Quantity) -> Claim:
        """Section 9: the form of the other regime diverges from the true value."""
        other = "many" if self.fitting == "one" else "one"
        ratios = [row[f"{quantity}_{other}"] / row[quantity] for row in self.own(rows) if row["servers"] >= 100]
        return Claim(
            claim=f"the other regime's form of {WORDS[quantity]} diverges from the exact value",
            claimed="a growing gap",
            found=f"a factor {_factor(ratios[0]):.3g} at n = 100, {_factor(ratios[len(SHOWN) - 3]):.3g} at 1e+08, "
            f"{_factor(ratios[-1]):.3g} at 1e+15",
            difference="grows throughout" if _grows(ratios) else "does not grow throughout",
            passed=_grows(ratios),
        )

    def next_order(self, rows: Rows) -> Claim:
        """Theorem 4.3 with its terms of next order, which lose Euler's constant."""
        last = self.own(rows)[-1]
        c = self.rate_small / self.rate_large
        rest = last["lost"] / self.rate_small * last["servers"] ** (self.alpha - 2) - math.log(last["servers"]) - c + 1
        return Claim(
            claim="mu = mu_1 (n − n^(2−α) (ln n + mu_1/mu_n − 1 + o(1))) (Theorem 4.3)",
            claimed="a rest that vanishes",
            found=f"a rest of {rest:.6f} at n = {last['servers']:.0e}",
            difference=f"{rest:.6f}; Euler's constant is 0.577216",
            passed=abs(rest) < 0.01,
            because="The proof of Lemma 8.3 puts ln n for the harmonic number H_{n−1} = ln n + γ + o(1), though terms "
            "of that order are kept. With γ the formula holds; the leading term, and so the figure, is not affected.",
        )

    def together(self, rows: Rows, quantity: Quantity, words: str) -> Claim:
        """State that a reader cannot tell two curves apart in the paper's picture, which spans many decades."""
        shown = self.shown(rows)
        heights = [row[name] for row in shown for name in (quantity, f"{quantity}_one", f"{quantity}_many")]
        gap, at = self.widest(rows, quantity)
        share = math.log(gap) / math.log(max(heights) / min(heights))
        return Claim(
            claim=words,
            claimed=f"apart by at most {PERCEPTIBLE:.0%} of the picture's height",
            found=f"a factor {gap:.3f} at n = {at:.3g}, {share:.1%} of the height",
            difference=f"{share:.1%}",
            passed=share <= PERCEPTIBLE,
            because="The height is that of all three curves on a logarithmic axis.",
            our_reading=True,
        )

    def tight(self, rows: Rows, quantity: Quantity, words: str) -> Claim:
        """State that a form is a good approximation over the whole figure, as a number and not as a picture."""
        gap, at = self.widest(rows, quantity)
        end = self.shown(rows)[-1]
        at_end = _factor(end[quantity] / end[f"{quantity}_{self.fitting}"])
        return Claim(
            claim=words,
            claimed=f"read as: within {TIGHT - 1:.0%} from n = 10 to 10^8",
            found=f"a factor {gap:.3f} at n = {at:.3g}, {at_end:.3f} at 1e+08",
            difference=f"{gap - 1:.1%} at most",
            passed=gap <= TIGHT,
            because="" if gap <= TIGHT else "A picture that spans many decades hides such a factor.",
            our_reading=True,
        )

    def widest(self, rows: Rows, quantity: Quantity) -> tuple[float, int]:
        """Return the widest gap of the figure and where it is."""
        gaps = [
            (_factor(row[quantity] / row[f"{quantity}_{self.fitting}"]), row["servers"]) for row in self.shown(rows)
        ]
        return max(gaps)

    def compared(self, rows: Rows, quantity: Quantity, words: str, *, closer: bool) -> Claim:
        """State that the curves are closer, or less close, than for mu_1 = mu_n = 1."""
        gaps = []
        for chosen in (self.own(rows), [row for row in rows if (row["rate_small"], row["rate_large"]) == (1.0, 1.0)]):
            at = {row["servers"]: row[quantity] / row[f"{quantity}_{self.fitting}"] for row in chosen}
            gaps.append([_factor(at[n]) for n in SHOWN])
        better = sum((own < equal) == closer for own, equal in zip(*gaps, strict=True))
        end = f"at 10^8 a factor {gaps[0][-1]:.4f}, with equal rates {gaps[1][-1]:.4f}"
        return Claim(
            claim=words,
            claimed=f"{'narrower' if closer else 'wider'} gaps than with mu_1 = mu_n = 1",
            found=f"{'narrower' if closer else 'wider'} at {better} of {len(SHOWN)} points; {end}",
            difference="none" if better == len(SHOWN) else f"{len(SHOWN) - better} points the other way",
            passed=better == len(SHOWN),
            because="" if better == len(SHOWN) else OFTEN_CROSSED,
        )


def point(alpha: float, servers: int, rate_small: float, rate_large: float) -> dict[str, float]:
    """Return exact values and both asymptotic forms for one number of servers."""
    family = load_focused_scaling(f"n^-{alpha}", [servers], rate_small=rate_small, rate_large=rate_large)
    [exact] = family.points
    p, log_n = exact.share_large, math.log(servers)
    return {
        "servers": servers,
        "rate_small": rate_small,
        "rate_large": rate_large,
        "share_large": p,
        "mu": exact.threshold,
        "mu_many": rate_small / (p * math.log(1 / p)),
        "mu_one": servers * rate_small,
        "mu_refined": exact.threshold_refined,
        "lost": exact.lost,
        "completions": exact.completions,
        "completions_many": 1 / (2 * p),
        "completions_one": servers ** (2 - alpha) * log_n**2 / 2,
        "completions_refined": exact.completions_refined,
    }


def _factor(ratio: float) -> float:
    return max(ratio, 1 / ratio)


def _grows(ratios: list[float]) -> bool:
    factors = [_factor(ratio) for ratio in ratios]
    return all(after > before for before, after in pairwise(factors))


def _draw_values(axes: Any, rows: Rows, quantity: str) -> None:
    servers = [row["servers"] for row in rows]
    for form, words in (("one", FORMS[quantity]["one"]), ("many", FORMS[quantity]["many"]), ("exact", "exact")):
        style, colour = STYLES[form]
        values = [row[quantity if form == "exact" else f"{quantity}_{form}"] for row in rows]
        axes.loglog(servers, values, style, color=colour, label=words, markersize=5, linewidth=1.1, fillstyle="none")
    axes.set_title(SYMBOLS[quantity], fontsize=11)
    axes.legend(frameon=False, fontsize=9)
    axes.grid(visible=True, color="#e4e4e4", linewidth=0.7)


def _draw_ratios(axes: Any, rows: Rows, quantity: str, fitting: str) -> None:
    servers = [row["servers"] for row in rows]
    style, colour = STYLES[fitting]
    axes.axhline(1.0, color="0.4", linewidth=0.8)
    ratios = [row[quantity] / row[f"{quantity}_{fitting}"] for row in rows]
    axes.semilogx(
        servers, ratios, style, color=colour, markersize=5, linewidth=1.1, fillstyle="none", label="asymptotic"
    )
    ratios = [row[quantity] / row[f"{quantity}_refined"] for row in rows]
    axes.semilogx(servers, ratios, ":", color="black", label="refined")
    axes.set(xlabel="servers $n$", ylabel="exact / form")
    axes.legend(frameon=False, fontsize=8, ncols=2)
    axes.grid(visible=True, color="#e4e4e4", linewidth=0.7)
