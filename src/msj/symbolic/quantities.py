"""What a saturated chain says, and its computation over the rational numbers.

With generator D0 + D1, stationary law Y and completion rates c = D1 1 (reset, Appendix C.1):
lambda* = Y c; Y_d = Y D1 / lambda*; (D0 + D1) Delta = lambda* - c with Y Delta = 0; and k minus the mean number
of busy servers is wasted.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from sympy import QQ

from msj.symbolic.chain import SaturatedChain
from msj.symbolic.elimination import Elimination, Rates, eliminate, gain_until_last, stationary_weights, total
from msj.symbolic.entries import Entry
from msj.symbolic.front_chain import FrontChain


@dataclass(frozen=True, kw_only=True)
class Quantities:
    """The answers of the saturated chain; laws and completions are in the order of its states.

    Attributes
    ----------
    threshold
        The stability threshold lambda*.
    time_average, departure_average
        The laws Y and Y_d of the state at a random time and just after a completion.
    relative_completions
        Delta(y), the completions a start in y is ahead of a stationary start in the long run.
    departure_relative_completions
        Delta(Y_d).
    wasted_servers
        The mean number of idle servers although jobs wait.
    """

    threshold: Entry
    time_average: tuple[Entry, ...]
    departure_average: tuple[Entry, ...]
    relative_completions: tuple[Entry, ...]
    departure_relative_completions: Entry
    wasted_servers: Entry


def eliminate_chain(chain: SaturatedChain | FrontChain) -> Elimination:
    """Eliminate the states of D0 + D1."""
    rows: list[Rates] = []
    for quiet, completing in zip(chain.without_completion, chain.with_completion, strict=True):
        row = dict(quiet)
        for j, rate in completing.items():
            row[j] = row[j] + rate if j in row else rate
        rows.append(row)
    return eliminate(rows)


def rational_quantities(chain: SaturatedChain | FrontChain) -> Quantities:
    """Solve a chain whose entries are elements of sympy's QQ; the answers are Fractions."""
    taken = eliminate_chain(chain)
    weights = [QQ.convert(weight) for weight in stationary_weights(taken)]
    weight = total(weights)
    law = [w / weight for w in weights]
    completing = [sum(row.values(), QQ.zero) for row in chain.with_completion]
    threshold = total(y * c for y, c in zip(law, completing, strict=True))
    departure = [QQ.zero] * len(law)
    for y, row in zip(law, chain.with_completion, strict=True):
        for j, rate in row.items():
            departure[j] += y * rate / threshold
    ahead = [QQ.convert(gain) for gain in gain_until_last(taken, [c - threshold for c in completing])]
    mean = total(y * gain for y, gain in zip(law, ahead, strict=True))
    relative = [gain - mean for gain in ahead]
    used = [Fraction(chain.busy(state)) for state in chain.states]
    busy = total(y * QQ(servers.numerator, servers.denominator) for y, servers in zip(law, used, strict=True))
    return Quantities(
        threshold=_fraction(threshold),
        time_average=tuple(map(_fraction, law)),
        departure_average=tuple(map(_fraction, departure)),
        relative_completions=tuple(map(_fraction, relative)),
        departure_relative_completions=_fraction(total(y * gain for y, gain in zip(departure, relative, strict=True))),
        wasted_servers=_fraction(chain.servers - busy),
    )


def _fraction(value: Entry) -> Fraction:
    return Fraction(int(QQ.numer(value)), int(QQ.denom(value)))
