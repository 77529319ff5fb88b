"""The cluster: servers, job classes, how much arrives, and the policy that decides who is served.

How much arrives is said in one of three ways: ``arrival_rate`` (jobs per unit of time, lambda), ``utilisation``
(lambda·E[need × duration]/capacity) or ``load`` (lambda/lambda*, the share of the stability threshold). The capacity is
the number of servers, or the sum of their speeds where the policy or the model gives them speeds. The load needs the
threshold, which only an analysis knows; the model keeps what the user said. ``arrivals`` say when jobs come (Poisson
unless they say otherwise) and ``order`` who comes after whom (independent of each other); a rate scales the arrivals,
and where none is given their own holds, if they have one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, Self

from msj.errors import InvalidInput, MsjError
from msj.model.arrivals import Arrivals, PoissonArrivals, arrivals_from
from msj.model.chosen import chosen_from
from msj.model.environments import Environment, environments_from
from msj.model.job_class import JobClass
from msj.model.numbers import Number, as_plain, as_text, positive, text, whole
from msj.model.orders import IndependentOrder, Order, OrderChain, order_from
from msj.model.shares import with_shares
from msj.model.value import Value
from msj.registry import MODELS, POLICIES, nearest
from msj.results.html import html_grid
from msj.results.units import beside, rate_words, ratio
from msj.results.units import time_unit as unit_named

CLASS_KEYS = ("name", "need", "share", "count", "duration")
CAP = "at_most"  # what any class may say besides: how many servers its jobs may hold together
LOADS = ("arrival_rate", "load", "utilisation")
POISSON, INDEPENDENT = PoissonArrivals(), IndependentOrder()
DEPENDENCE = ("arrivals", "order")  # left out where they are as usual: what was written before they existed still holds
USUAL = (*DEPENDENCE, "environment")
PER_CENT = (10, 100)  # between these a load or a utilisation is a percentage; far more is an overload somebody means


class ChosenPolicy(Protocol):
    """What the model knows of a policy: its name, and how a spec file writes it."""

    @property
    def name(self) -> str:
        """What people call it; it decides nothing."""

    def to_spec(self) -> str | dict[str, Any]:
        """Return what stands behind ``policy =``."""

    def check(self, system: System) -> None:
        """Refuse a system on which the policy makes a mistake."""

    def service_capacity(self, servers: int) -> float:
        """Return the work that all servers can do in a unit of time: the sum of their speeds."""


class ChosenModel(Protocol):
    """What the model room knows of a ``model``: how a spec file writes it, and what it adds to the classes."""

    name: str
    class_keys: tuple[str, ...]
    parts: tuple[ChosenModel, ...]  # itself, or those it was put together from

    def to_spec(self) -> Any:
        """Return what stands behind ``model =``; an empty list if nothing does."""

    def class_value(self, key: str, value: Any) -> Any:
        """Return the value of one of ``class_keys``, validated."""

    def check(self, system: System) -> None:
        """Refuse a system that contradicts the model."""

    def work(self, job_class: JobClass) -> float:
        """Return the mean server-time of a job."""

    def service_capacity(self, system: System) -> float:
        """Return the work that all servers could do in a unit of time, if none ever stood idle."""

    def why_not_policy(self, policy: ChosenPolicy | str) -> str | None:
        """Return the reason if the model does not go with a policy, or with the one the catalogue has by a name."""


@dataclass(frozen=True, kw_only=True)
class System(Value):
    """A cluster and what is asked of it.

    Parameters
    ----------
    servers
        Number of servers.
    classes
        The job classes; their shares sum to 1, or each has a count, of which the system makes its share.
    arrival_rate, load, utilisation
        At most one: jobs per unit of time, share of the stability threshold, or share of the servers that
        would be busy if all jobs were served.
    policy
        A policy's name, a table ``{"name": ..., option: ...}``, a policy object, or a function of your own: the
        function itself, ``"FILE.py:FUNCTION"``, or a table with ``function`` and ``file``.
    model
        None for a plain cluster; or, in the same three ways, one where jobs or servers are of another kind; or a list
        of such that go together.
    environment
        What takes servers or changes their speed (breakdowns, maintenance, ...): a table, or a list of tables.
    arrivals
        When jobs come: an arrival law, its name, or the table that describes it. Poisson if nothing is said.
    order
        Who comes after whom: an order of jobs, its name, or its table. Independent if nothing is said.
    name
        What users call the cluster.
    time_unit
        What one unit of time is: ``"hours"``. It changes no number, but answers say it.

    Examples
    --------
    >>> from msj import Exponential, JobClass, System
    >>> system = System(
    ...     servers=2,
    ...     load=0.8,
    ...     classes=[
    ...         JobClass(name="small", need=1, share="2/3", duration=Exponential(mean=1)),
    ...         JobClass(name="large", need=2, share="1/3", duration=Exponential(rate="1/2")),
    ...     ],
    ... )
    >>> system.naive_threshold
    1.0
    """

    time_powers: ClassVar[Mapping[str, int]] = {"arrival_rate": -1}

    servers: int
    classes: tuple[JobClass, ...]
    arrival_rate: Number | None = None
    load: Number | None = None
    utilisation: Number | None = None
    policy: ChosenPolicy = "fcfs"  # type: ignore[assignment]
    model: ChosenModel | None = None
    environment: tuple[Environment, ...] = ()
    arrivals: Arrivals = POISSON
    order: Order = INDEPENDENT
    name: str = ""
    time_unit: str | None = None

    def __post_init__(self) -> None:
        if self.time_unit is not None:
            object.__setattr__(self, "time_unit", unit_named(self.time_unit))
        object.__setattr__(self, "servers", whole(self.servers, "servers"))
        for key, made in (("arrivals", arrivals_from), ("order", order_from)):
            try:
                object.__setattr__(self, key, made(getattr(self, key)))
            except MsjError as error:
                raise error.within(key) from None
        object.__setattr__(self, "classes", self._classes())
        given = [key for key in LOADS if getattr(self, key) is not None]
        if len(given) > 1:
            raise InvalidInput(f"{' and '.join(given)} are both given; say how much arrives in one way only")
        for key in given:
            object.__setattr__(self, key, _amount(getattr(self, key), key))
        try:
            object.__setattr__(self, "policy", chosen_from(POLICIES, self.policy, "fcfs"))
        except MsjError as error:
            raise error.within("policy") from None
        text(self.name, "name")
        try:
            object.__setattr__(self, "environment", environments_from(self.environment))
        except MsjError as error:
            raise error.within("environment") from None
        capped = any(CAP in c.extra for c in self.classes)
        model = chosen_model(self.model, more=capped or bool(self.environment))
        object.__setattr__(self, "model", model)
        if model is not None or any(c.extra for c in self.classes):
            object.__setattr__(self, "classes", _with_extra(self.classes, model))
        if model is not None:
            model.check(self)
        self.policy.check(self)

    def _classes(self) -> tuple[JobClass, ...]:
        """Return the classes, checked, each with its share."""
        if self.arrivals.marks_classes and not self.order.independent:
            raise InvalidInput(
                f"arrivals say who comes (one D1 for each class) and so does order = '{self.order.law}'; leave one out"
            )
        return with_shares(self.classes, self.servers, self._told_shares)

    def _told_shares(self, names: list[str]) -> tuple[Number, ...] | None:
        """Return the shares where the arrivals or the order say them."""
        for key, law, asked in (("arrivals", self.arrivals, names), ("order", self.order, len(names))):
            try:
                found = law.shares(asked)  # type: ignore[arg-type]
            except MsjError as error:
                raise error.within(key) from None
            if found is not None:
                return found
        return None

    def replace(self, **changes: Any) -> Self:
        """Return a copy with some fields changed; a new load of one kind replaces the old one of any kind."""
        if any(changes.get(key) is not None for key in LOADS):
            changes = dict.fromkeys(LOADS) | changes
        return super().replace(**changes)

    def in_unit(self, unit: str) -> Self:
        """Return the same cluster with its times in another unit.

        Examples
        --------
        >>> import msj
        >>> hours = msj.read("examples/two_servers.toml").replace(time_unit="hours", arrival_rate="1/2")
        >>> minutes = hours.in_unit("min")
        >>> [str(c.duration.mean) for c in minutes.classes], str(minutes.arrival_rate), minutes.time_unit
        (['60', '120.0'], '1/120', 'minutes')
        """
        wanted = unit_named(unit, "unit")
        if self.time_unit is None:
            raise InvalidInput(
                f"unit = {unit!r} cannot be converted to: the cluster does not say in which unit its times are; "
                "add time_unit = 'hours', or whatever they are in"
            )
        return self.retimed(ratio(self.time_unit, wanted)).replace(time_unit=wanted)

    def depends_on(self) -> Any:
        """Return what the identity is a hash of: everything but what users call the cluster."""
        kind, fields = super().depends_on()
        usual = {
            "name",
            *(key for key in USUAL if getattr(self, key) == type(self).__dataclass_fields__[key].default),
        }
        return [kind, {key: value for key, value in fields.items() if key not in usual}]

    @property
    def active_classes(self) -> tuple[JobClass, ...]:
        """The classes that do arrive (share above 0)."""
        return tuple(c for c in self.classes if c.share > 0)

    @property
    def only_active(self) -> Self:
        """The same system without the classes that never arrive."""
        keep = [i for i, c in enumerate(self.classes) if c.share > 0]
        if len(keep) == len(self.classes):
            return self
        classes = tuple(self.classes[i] for i in keep)
        order, arrivals = self.order.restricted(keep), self.arrivals.restricted([c.name for c in classes])
        return self.replace(classes=classes, order=order, arrivals=arrivals)

    @property
    def order_chain(self) -> OrderChain:
        """Who comes after whom as a chain, whether the order or the arrivals say so."""
        told = self.arrivals.order_chain([c.name for c in self.classes])
        return self.order.chain([c.share for c in self.classes]) if told is None else told

    @property
    def mean_work(self) -> float:
        """E[need × duration]: server-time an average job takes."""
        return sum(float(c.share) * self.work_of(c) for c in self.classes)

    def work_of(self, job_class: JobClass) -> float:
        """Return the mean server-time of a job of a class; the model may know of more than need × duration."""
        return job_class.work if self.model is None else self.model.work(job_class)

    @property
    def naive_threshold(self) -> float:
        """The arrival rate the servers could sustain if none ever stood idle: capacity / E[need × duration]."""
        return self.service_capacity / self.mean_work

    @property
    def service_capacity(self) -> float:
        """The work that all servers can do in a unit of time: their number, or the sum of their speeds.

        Where servers are taken now and then, the mean over time.
        """
        return self.policy.service_capacity(self.servers) if self.model is None else self.model.service_capacity(self)

    def arrival_rate_at(self, stability_threshold: float) -> float | None:
        """Return lambda, given the stability threshold; None where neither the user nor the arrivals say how much."""
        if self.arrival_rate is not None:
            return float(self.arrival_rate)
        if self.utilisation is not None:
            return float(self.utilisation) * self.naive_threshold
        if self.load is not None:
            return float(self.load) * stability_threshold
        return None if self.arrivals.own_rate is None else float(self.arrivals.own_rate)

    def to_spec(self) -> dict[str, Any]:
        """Return the document (TOML or JSON) that describes this system."""
        spec: dict[str, Any] = {"name": self.name} if self.name else {}
        spec |= {} if self.time_unit is None else {"time_unit": self.time_unit}
        spec |= {"servers": self.servers, "policy": self.policy.to_spec()}
        spec |= {"model": model} if self.model is not None and (model := self.model.to_spec()) else {}
        around = [one.to_spec() for one in self.environment]
        spec |= {"environment": around[0] if len(around) == 1 else around} if around else {}
        spec |= {key: as_plain(value) for key in LOADS if (value := getattr(self, key)) is not None}
        usual = {key: type(self).__dataclass_fields__[key].default for key in DEPENDENCE}
        spec |= {key: law.to_spec() for key in DEPENDENCE if (law := getattr(self, key)) != usual[key]}
        return spec | {"classes": [c.to_spec() for c in self.classes]}

    def _repr_html_(self) -> str:
        """Show the cluster as a table in a notebook."""
        arrives = next((f"{key.replace('_', ' ')} {getattr(self, key)}" for key in LOADS if getattr(self, key)), "")
        arrives += f" {rate_words(self.time_unit)}" if self.arrival_rate is not None and self.time_unit else ""
        parts = [self.name, f"{self.servers:,} servers", f"policy {self.policy.name}"]
        parts += [f"model {self.model.name}"] if self.model is not None else []
        parts += [f"environment {one.label()}" for one in self.environment]
        parts += [] if self.arrivals.poisson else [self.arrivals.assumption()]
        parts += [] if self.order.independent else [self.order.assumption()]
        total = self.mean_work
        rows = [
            (
                c.name,
                str(c.need),
                f"{float(c.share):.4g}",
                c.duration.law,
                f"{float(c.duration.mean):.6g}",
                f"{float(c.share) * self.work_of(c) / total:.4g}",
            )
            for c in self.classes
        ]
        mean = beside("mean duration", "time", self.time_unit)
        headings = ("class", "need", "share of jobs", "duration", mean, "share of work")
        return html_grid(headings, rows, caption=", ".join(part for part in (*parts, arrives) if part))


def _amount(value: Any, key: str) -> Number:
    """Return how much arrives; a share that can only be meant as a percentage is refused."""
    found = positive(value, key)
    if key != "arrival_rate" and PER_CENT[0] < found <= PER_CENT[1]:
        rule = f"{key} = {as_text(found)} must be a share, where 1 is all the cluster takes"
        raise InvalidInput(f"{rule}; for {as_text(found)} % write {key} = {float(found) / 100:.10g}")
    return found


def chosen_model(given: Any, *, more: bool = False) -> ChosenModel | None:
    """Return the model that a name, a table, a list of these or None stands for.

    ``more`` says that there is something besides (an environment, a cap) that no model alone knows of.
    """
    parts: list[ChosenModel] = []
    for i, part in enumerate(given if isinstance(given, (list, tuple)) else [] if given is None else [given]):
        try:
            parts += chosen_from(MODELS, part, "several-resources").parts  # what was combined may stand alone now
        except MsjError as error:
            raise error.within(f"model[{i}]" if isinstance(given, (list, tuple)) else "model") from None
    if not more and len(parts) < 2:
        return parts[0] if parts else None
    try:
        found: ChosenModel = MODELS.combined(parts)
    except MsjError as error:
        raise error.within("model") from None
    return found


def check_class_key(key: str, model: ChosenModel | None) -> None:
    """Refuse a key that neither every class nor the model has, and say which model would understand it."""
    further = (CAP,) if model is None else (CAP, *model.class_keys)
    if key in further:
        return
    if key in CLASS_KEYS:
        raise InvalidInput(f"'{key}' is given twice, in extra too; every class has it, so leave it out there")
    known = (*CLASS_KEYS, *further)
    would = [found.name for found in MODELS if key in found.class_keys]
    if would:
        now = "there is no model" if model is None else f"the model is '{model.name}'"
        whose = " or ".join(f"'{name}'" for name in would)
        raise InvalidInput(f"key '{key}' belongs to model {whose} and {now}; set model, or remove the key")
    raise InvalidInput(f"unknown key '{key}'; {nearest(key, known)}")


def _with_extra(classes: tuple[JobClass, ...], model: ChosenModel | None) -> tuple[JobClass, ...]:
    """Check what the classes say for the model, and write it in one way only."""
    found = []
    for index, c in enumerate(classes):
        try:
            for key in c.extra:
                check_class_key(key, model)
            extra = c.extra if model is None else {k: model.class_value(k, value) for k, value in c.extra.items()}
            found.append(c.replace(extra=extra))
        except MsjError as error:
            raise error.within(f"classes[{index}]") from None
    return tuple(found)
