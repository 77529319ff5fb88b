"""The laws of a system that come from outside, each tried once.

A system is tried when a verb takes it (``model.spec_file.as_system``), when an exact method is chosen for it and when
its jobs are drawn, not when it is made or read. Outcomes are kept for the life of the process, by the law's equality.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Iterator, Mapping
from numbers import Number
from typing import TYPE_CHECKING, Any

from msj.errors import BadLaw
from msj.model.arrivals.base import Arrivals
from msj.model.durations.base import Duration
from msj.model.orders.base import Order
from msj.model.outside import any_from_outside, from_outside
from msj.model.trials.arrivals import try_arrivals
from msj.model.trials.durations import try_duration
from msj.model.trials.orders import try_order
from msj.model.trials.trial import Trial

if TYPE_CHECKING:
    from msj.model.system import System

LAWS = (Duration, Arrivals, Order)

#: Notes of the laws that passed and errors of those that did not; the law is kept, so that its id stays its own.
_outcomes: dict[Hashable, tuple[Any, tuple[str, ...] | BadLaw]] = {}


def try_laws(system: System) -> tuple[str, ...]:
    """Refuse a system with a law from outside that fails its trial; return notes on what could not be tested.

    Examples
    --------
    >>> import msj
    >>> try_laws(msj.read("examples/two_servers.toml"))
    ()
    """
    if not any_from_outside():
        return ()
    notes: list[str] = []
    for law in _laws_in(system):
        notes += _notes(law, system)
    return tuple(dict.fromkeys(notes))


def _laws_in(value: Any) -> Iterator[Any]:
    """Yield the laws from outside in a value: in its fields, its tables and its lists."""
    if isinstance(value, LAWS) and from_outside(type(value)):
        yield value
    if isinstance(value, Mapping):
        for item in value.values():
            yield from _laws_in(item)
    elif isinstance(value, (list, tuple)):
        if value and not isinstance(value[0], (Number, str)):  # rows of numbers may be long
            for item in value:
                yield from _laws_in(item)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from _laws_in(getattr(value, field.name))


def _notes(law: Any, system: System) -> tuple[str, ...]:
    """Return the notes of a law's trial, or raise its error; the trial is run if there was none."""
    key = _key(law, system)
    if key not in _outcomes:
        try:
            _outcomes[key] = law, tuple(_trial(law, system).notes)
        except BadLaw as error:
            _outcomes[key] = law, error
    outcome = _outcomes[key][1]
    if isinstance(outcome, BadLaw):
        raise BadLaw(outcome.message)  # a new one: an error collects where it was raised
    return outcome


def _key(law: Any, system: System) -> Hashable:
    """Return what a trial is kept by: the law, and the classes where they matter to it."""
    if isinstance(law, Order):
        more: tuple[Any, ...] = tuple((c.name, c.share) for c in system.classes)
    elif isinstance(law, Arrivals):
        more = tuple(c.name for c in system.classes)
    else:
        more = ()
    try:
        hash(law)
    except TypeError:  # it holds an array, perhaps
        return (type(law), law.identity() or id(law), more)
    return (type(law), law, more)


def _trial(law: Any, system: System) -> Trial:
    if isinstance(law, Duration):
        return try_duration(law)
    if isinstance(law, Order):
        return try_order(law, [c.share for c in system.classes])
    return try_arrivals(law, _rate(law, system), [c.name for c in system.classes])


def _rate(law: Arrivals, system: System) -> float:
    """Return a rate to try arrivals at: the system's or the law's own, else that at which the servers would be busy."""
    rate = system.arrival_rate if system.arrival_rate is not None else law.own_rate
    return system.naive_threshold if rate is None else float(rate)
