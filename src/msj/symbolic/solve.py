"""Exact answers for small saturated systems, as rational numbers or as formulas.

The saturated system never runs out of waiting jobs. Its throughput is the stability threshold lambda*, and its
relative completions Delta give the mean response time of the open system up to a bounded error,
E[T] = (1 + Delta(Y_d)) / (lambda* (1 - lambda/lambda*)) + O(1) (reset, Theorem 4.2, Corollary 4.1 and
Appendix C). Here all of it is computed without rounding, for FCFS on the counts-only chain of
:mod:`msj.symbolic.chain`, for any other finite-skip policy or model on its fronts (:mod:`msj.symbolic.front_chain`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy
from sympy.polys.polyerrors import CoercionFailed

from msj.errors import InvalidInput
from msj.symbolic.answer import ARRIVAL_RATE, ExactSaturated
from msj.symbolic.chain import RATIONAL_STATES, SaturatedChain, build, refuse_above
from msj.symbolic.entries import Entry, Phases, check_model, exact, exact_phases, exponential, is_negative, is_zero
from msj.symbolic.front_chain import ExactFront, FrontChain, build_front
from msj.symbolic.presentation import Presentation
from msj.symbolic.quantities import rational_quantities
from msj.symbolic.rational_functions import symbolic_quantities

FCFS = "MSJ FCFS"
SYMBOLIC_STATES = {0: 32, 1: 32, 2: 18, 3: 13}
"""The most states taken on with so many independent symbols: seconds, half a minute at worst."""
SYMBOLIC_STATES_BEYOND = 9
"""The most states taken on with still more symbols; the formulas then run to ten thousand characters."""


def solve_exactly(
    *,
    servers: int,
    needs: Sequence[int],
    shares: Sequence[Any],
    rates: Sequence[Any] | None = None,
    phases: Sequence[Any] | None = None,
    most_states: int | None = None,
    front: ExactFront | None = None,
    served: str = FCFS,
) -> ExactSaturated:
    """Solve a saturated MSJ FCFS system, or that of another ``front``, without rounding.

    Parameters
    ----------
    servers
        Number of servers.
    needs, shares
        Per class: servers needed, and share of arrivals. The shares must sum to exactly 1.
    rates
        Per class: the rate of an exponential duration.
    phases
        Instead of rates, per class: a phase-type duration as (initial law, generator matrix).
    most_states
        Refuse a chain with more states than this; by default what takes seconds rather than minutes.
    front, served
        The front of another policy or model (exponential durations only), and what it is called.

    Returns
    -------
    ExactSaturated
        Fractions if all entries are numbers. Entries may also be sympy expressions with symbols (assumed to keep
        all shares and rates positive); then the answers are formulas.

    Raises
    ------
    InvalidInput
        If the model breaks a rule.
    TooLarge
        If the chain has too many states.

    Examples
    --------
    >>> from msj.symbolic import solve_exactly
    >>> answer = solve_exactly(servers=2, needs=(1, 2), shares=("2/3", "1/3"), rates=(1, "1/2"))
    >>> answer.threshold, answer.departure_relative_completions
    (Fraction(9, 10), Fraction(43, 100))
    >>> dict(zip(answer.state_names, map(str, answer.relative_completions)))
    {'[1,1]': '69/50', '[1,2]': '-27/100', '[2]': '-37/100'}
    """
    if (rates is None) == (phases is None):
        raise InvalidInput(f"{'neither' if rates is None else 'both'} of rates and phases given; give one of the two")
    return _solve(
        servers=servers,
        needs=tuple(needs),
        shares=tuple(exact(share, f"the share of class {i}") for i, share in enumerate(shares, start=1)),
        phases=_read_rates(rates) if phases is None else _read_phases(phases),
        most_states=most_states,
        front=front,
        served=served,
    )


def solve_symbolically(
    *,
    servers: int,
    needs: Sequence[int],
    shares: Sequence[Any],
    rates: Sequence[Any],
    parameters: Sequence[str],
    most_states: int | None = None,
    front: ExactFront | None = None,
    served: str = FCFS,
) -> ExactSaturated:
    """Solve a saturated system with exponential durations as formulas in chosen parameters.

    Parameters
    ----------
    servers, needs, shares, rates, most_states, front, served
        As in :func:`solve_exactly`.
    parameters
        The quantities that become symbols: ``p1, p2, ...`` for shares and ``mu1, mu2, ...`` for rates, numbered by
        class from 1. Shares sum to 1: if some are chosen, the last share that is not chosen becomes 1 minus the
        others and its given value no longer matters. If all are chosen, the answers are written with all of
        them, using their sum to be short; they hold for shares that sum to 1.

    Examples
    --------
    Two servers, arbitrary shares and rates (reset, Appendix C.2):

    >>> from msj.symbolic import solve_symbolically
    >>> answer = solve_symbolically(
    ...     servers=2,
    ...     needs=(1, 2),
    ...     shares=("2/3", "1/3"),
    ...     rates=(1, "1/2"),
    ...     parameters=("p1", "p2", "mu1", "mu2"),
    ... )
    >>> answer.threshold
    2*mu1*mu2/(2*mu1*p2 + mu2*p1*(p2 + 1))
    >>> answer.departure_average
    (p1**2, p1*p2, p2)
    """
    given = [exact(share, f"the share of class {i}") for i, share in enumerate(shares, start=1)]
    durations = _read_rates(rates)
    check_model(servers=servers, needs=needs, shares=given, phases=durations)
    symbols = _chosen_symbols(parameters, len(given))
    entries = [symbols.get(f"p{i}", share) for i, share in enumerate(given, start=1)]
    fixed = [i for i in range(len(entries)) if f"p{i + 1}" not in symbols]
    dependent: sympy.Symbol | None = None
    if len(fixed) < len(entries):
        last = fixed[-1] if fixed else len(entries) - 1
        dependent = None if fixed else entries[last]
        entries[last] = 1 - sum(share for i, share in enumerate(entries) if i != last)
    return _solve(
        servers=servers,
        needs=tuple(needs),
        shares=tuple(entries),
        phases=tuple(
            exponential(symbols[f"mu{i}"]) if f"mu{i}" in symbols else duration
            for i, duration in enumerate(durations, start=1)
        ),
        most_states=most_states,
        dependent=dependent,
        front=front,
        served=served,
    )


def _solve(
    *,
    servers: int,
    needs: tuple[int, ...],
    shares: tuple[Entry, ...],
    phases: tuple[Phases, ...],
    most_states: int | None,
    dependent: sympy.Symbol | None = None,
    front: ExactFront | None = None,
    served: str = FCFS,
) -> ExactSaturated:
    """Check, build and solve; `dependent` is the symbol of a last share given as 1 minus the others."""
    check_model(servers=servers, needs=needs, shares=shares, phases=phases)
    servers, needs = int(servers), tuple(map(int, needs))
    symbols = _symbols_in((shares, phases))
    if ARRIVAL_RATE.name in {symbol.name for symbol in symbols}:
        raise InvalidInput("the symbol lambda is the arrival rate; call the share or rate something else")
    independent = len(symbols) - _rates_are_symbols(phases)
    if most_states is None:
        most_states = SYMBOLIC_STATES.get(independent, SYMBOLIC_STATES_BEYOND) if symbols else RATIONAL_STATES
    if front is None:
        refuse_above(most_states, servers=servers, needs=needs, phases=phases, symbols=independent)
    names = symbols if dependent is None else _in_order({*symbols, dependent})
    field = sympy.ZZ.frac_field(*names) if symbols else sympy.QQ
    elements = _converted(shares, field)
    durations = _converted(phases, field)
    chain: SaturatedChain | FrontChain
    if front is None:
        chain = build(servers=servers, needs=needs, shares=elements, phases=durations)
    else:
        chain = build_front(
            front,
            shares=elements,
            rates=[-generator[0][0] for _, generator in durations],
            number=lambda value: field.from_sympy(sympy.Rational(value.numerator, value.denominator)),
            most_states=most_states,
        )
    if symbols:
        style = Presentation(
            field.field.ring,
            shares=_symbols_in((shares, dependent)),
            likely=[share.numer for share in elements],
            dependent=dependent,
        )
        quantities = symbolic_quantities(chain, field, style)
    else:
        quantities = rational_quantities(chain)
    return ExactSaturated(
        **vars(quantities),
        servers=servers,
        needs=needs,
        shares=shares if dependent is None else tuple(_symbols_in((shares, dependent))),
        phases=phases,
        states=chain.states,
        state_names=chain.names(),
        parameters=names,
        served=served,
    )


def _read_rates(rates: Sequence[Any] | None) -> tuple[Phases, ...]:
    durations = []
    for i, value in enumerate(rates or (), start=1):
        rate = exact(value, f"the rate of class {i}")
        if is_negative(rate) or is_zero(rate):
            raise InvalidInput(f"the rate of class {i} is {rate}; give a positive rate")
        durations.append(exponential(rate))
    return tuple(durations)


def _read_phases(phases: Sequence[Any]) -> tuple[Phases, ...]:
    return tuple(exact_phases(pair, f"class {i}") for i, pair in enumerate(phases, start=1))


def _chosen_symbols(parameters: Sequence[str], classes: int) -> dict[str, sympy.Symbol]:
    # The share of a single class is 1 and stays 1.
    allowed = [f"p{i}" for i in range(1, classes + 1) if classes > 1] + [f"mu{i}" for i in range(1, classes + 1)]
    if not parameters or isinstance(parameters, str):
        raise InvalidInput(f"the parameters are {parameters!r}; give a list of names among {', '.join(allowed)}")
    for name in parameters:
        if name not in allowed:
            raise InvalidInput(
                f"parameter {name!r} is unknown; choose among {', '.join(allowed)}; lambda is always free"
            )
    return {name: sympy.Symbol(name) for name in parameters}


def _rates_are_symbols(phases: tuple[Phases, ...]) -> bool:
    """Whether all rates are symbols: then one of them only sets the unit of time and costs next to nothing."""
    return all(len(initial) == 1 and isinstance(-generator[0][0], sympy.Symbol) for initial, generator in phases)


def _symbols_in(entries: Any) -> tuple[sympy.Symbol, ...]:
    """Return the symbols anywhere in nested tuples of entries, in order."""
    if isinstance(entries, tuple):
        return _in_order({symbol for entry in entries for symbol in _symbols_in(entry)})
    return _in_order(entries.free_symbols) if isinstance(entries, sympy.Expr) else ()


def _in_order(symbols: set[sympy.Symbol]) -> tuple[sympy.Symbol, ...]:
    """Sort p2 before p10, and shares before rates."""
    kinds = {"p": 0, "mu": 1}

    def key(symbol: sympy.Symbol) -> tuple[int, str, int]:
        stem = symbol.name.rstrip("0123456789")
        return kinds.get(stem, 2), stem, int(symbol.name[len(stem) :] or 0)

    return tuple(sorted(symbols, key=key))


def _converted(entries: Any, field: Any) -> Any:
    if isinstance(entries, tuple):
        return tuple(_converted(entry, field) for entry in entries)
    try:
        return field.from_sympy(sympy.sympify(entries))
    except (CoercionFailed, ValueError):
        raise InvalidInput(
            f"the entry {entries} is not a rational function of its symbols; use +, -, * and / only"
        ) from None
