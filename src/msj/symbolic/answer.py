"""The exact answers of a saturated system as one value.

Besides the quantities of the saturated chain it gives the RESET prediction of the open system's mean response time,
E[T] = (1 + Delta(Y_d)) / (lambda* (1 - lambda/lambda*)) + O(1) (reset, Theorem 4.2 and Corollary 4.1).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import sympy

from msj.errors import InvalidInput, Unstable
from msj.symbolic.entries import Entry, Phases, check_model, exact, is_negative, is_zero
from msj.symbolic.quantities import Quantities

ARRIVAL_RATE = sympy.Symbol("lambda")


@dataclass(frozen=True, kw_only=True)
class ExactSaturated(Quantities):
    """The exact answers of a saturated system, and the system they are for.

    All values are Fractions, or all are sympy expressions in :attr:`parameters`.

    Attributes
    ----------
    servers, needs, shares, phases, served
        The system and how it serves; an exponential duration of rate mu has the phases ``((1,), ((-mu,),))``.
    states, state_names
        Jobs in service per (class, phase), and their names: ``[1,2]`` as in reset where the blocked job's need is
        certain, otherwise the counts; under other policies and models, the full fronts.
    parameters
        The symbols in the answers, the arrival rate aside.
    """

    servers: int
    needs: tuple[int, ...]
    shares: tuple[Entry, ...]
    phases: tuple[Phases, ...]
    states: tuple[Any, ...]
    state_names: tuple[str, ...]
    parameters: tuple[sympy.Symbol, ...]
    served: str = "MSJ FCFS"

    def response_time(self, arrival_rate: Any = ARRIVAL_RATE) -> Entry:
        """Return the RESET prediction of the mean response time, by default as a formula in ``lambda``.

        Examples
        --------
        >>> from msj.symbolic import solve_exactly
        >>> answer = solve_exactly(servers=2, needs=(1, 2), shares=("2/3", "1/3"), rates=(1, "1/2"))
        >>> answer.response_time(), answer.response_time("4/5")
        (143/(100*(9/10 - lambda)), Fraction(143, 10))
        """
        rate = exact(arrival_rate, "the arrival rate")
        if is_negative(rate) or is_zero(rate):
            raise InvalidInput(f"the arrival rate is {rate}; give a positive rate")
        if isinstance(rate, Fraction) and not self.parameters:
            if rate >= self.threshold:
                raise Unstable(
                    f"the arrival rate {rate} is not below the stability threshold {self.threshold}, "
                    "so no mean response time exists; lower the arrival rate"
                )
            return (1 + self.departure_relative_completions) / (self.threshold - rate)
        ahead, threshold, rate = map(sympy.sympify, (self.departure_relative_completions, self.threshold, rate))
        return (1 + ahead) / (threshold - rate)

    def at(self, **values: Any) -> ExactSaturated:
        """Put numbers in for all parameters.

        Examples
        --------
        >>> from msj.symbolic import solve_symbolically
        >>> formula = solve_symbolically(
        ...     servers=2, needs=(1, 2), shares=("2/3", "1/3"), rates=(1, "1/2"), parameters=("mu1", "mu2")
        ... )
        >>> formula.threshold
        9*mu1*mu2/(3*mu1 + 4*mu2)
        >>> formula.at(mu1=1, mu2="1/2").threshold
        Fraction(9, 10)
        """
        names = [symbol.name for symbol in self.parameters]
        if set(values) != set(names):
            raise InvalidInput(
                f"values are given for {', '.join(values) or 'nothing'} but the parameters are "
                f"{', '.join(names) or 'none'}; give each parameter one value"
            )
        numbers = {symbol: sympy.Rational(exact(values[symbol.name], symbol.name)) for symbol in self.parameters}

        def put(entry: Any) -> Any:
            if isinstance(entry, tuple):
                return tuple(put(item) for item in entry)
            return exact(sympy.sympify(entry).subs(numbers), "an answer")

        shares, phases = put(self.shares), put(self.phases)
        check_model(servers=self.servers, needs=self.needs, shares=shares, phases=phases)
        return replace(
            self,
            shares=shares,
            phases=phases,
            parameters=(),
            threshold=put(self.threshold),
            time_average=put(self.time_average),
            departure_average=put(self.departure_average),
            relative_completions=put(self.relative_completions),
            departure_relative_completions=put(self.departure_relative_completions),
            wasted_servers=put(self.wasted_servers),
        )
