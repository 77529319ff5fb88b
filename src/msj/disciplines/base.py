"""What every policy declares: its name, its traits, and one plain function that decides who is served.

The function gets the jobs present in arrival order and marks those to serve::

    def serve(needs, running, servers, chosen): ...

It names the arguments it wants; ``msj.decision_functions.arguments`` has all of them. It uses nothing but loops over
these arrays, so that the same text can be compiled for simulation and called plainly to build an exact chain. A chain
does not know every argument (``remaining``, for instance): a policy that uses one of those has no finite chain and is
refused when the chain is built. Policies from outside the package are tried on the needs of their system first
(``check``).

Which loop really simulates it ``engine`` says, and ``front_model`` what solves it: without a word the generic engine
and ``fronts.policy_front``, both driven by the function. Where a policy names a faster loop, the tests hold that loop
to the function job by job.

What else is known of a rule its class declares, as traits; nothing is ever concluded from a policy's name.

| trait | what it says | who asks |
|---|---|---|
| ``preemptive``, ``front``, ``front_on``, ``sees_enough`` | stops running jobs; how far it looks | chains, simulation |
| ``order_within_need`` | a front may be sorted by need | chains |
| ``counting`` | looks only at how many jobs of each need there are (``disciplines.counting``) | count chains |
| ``fills``, ``fills_on`` | where it leaves no server idle (:class:`Fills`) | bounds: work-conserving |
| ``oldest_served`` | n: only the n oldest jobs are ever served | bounds: finite-skip |
| ``least_busy`` | b_inf: share of the servers in use while a job is present | bounds: non-idling |
| ``least_busy_per_job`` | beta: the same per job among the n oldest | bounds: sharper ones |
| ``fastest_speed`` | of a server, where durations are those at speed 1 | bounds: a job that meets nobody |
| ``service_capacity`` | the sum of the speeds of all servers | naive threshold, utilisation, bounds |
| ``capacity_processes``, ``relaxation_time`` | what changes by a clock, whatever jobs there are | run lengths |
| ``shares_speed`` | jobs may run on fewer servers than they can use | who reads durations |
| ``restart`` | a job that is stopped loses its work (``disciplines.restarting``) | analyses, engines |
| ``may_idle`` | may leave all servers idle although jobs wait | trials, bounds, simulation |
| ``turns_away`` | jobs may leave unserved; then nobody waits and every load is stable | thresholds, simulation |
| ``knows_durations``, ``knows_laws``, ``uses_estimates`` | what it is told of how long jobs take | reports, engines |

The bounds are those of wcfs, section 2. What is not declared claims no more than that an idle cluster serves somebody.
A subclass that replaces ``serve`` has another rule, so it inherits nothing of what its parent says of its own
(``OF_THE_RULE``) but says it anew; without a word no limit of ``front`` is assumed.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, ClassVar, Self

from msj.decision_functions import call_decision, decision_arguments, random_source, state_kept, try_decisions
from msj.decision_functions.arguments import DecisionFunction
from msj.decision_functions.trial import TrialRules
from msj.disciplines.capacity_process import CapacityProcess
from msj.disciplines.counting import Counting
from msj.disciplines.served_by import ServedBy
from msj.errors import BadFunction, InvalidInput, NotSupported
from msj.model import System
from msj.model.chosen import Chosen
from msj.model.numbers import whole
from msj.model.system import ChosenPolicy
from msj.store import function_identity, function_parts

Serve = DecisionFunction

#: What is true of one rule only.
OF_THE_RULE = (
    "engine",
    "front_model",
    "why_no_front",
    "front",
    "front_on",
    "sees_enough",
    "sees_enough_once_full",
    "larger_needs_first",
    "order_within_need",
    "counting",
    "shares_speed",
    "fills",
    "fills_on",
    "oldest_served",
    "oldest_because",
    "least_busy_per_job",
    "may_idle",
    "serve_is_complete",
    "fastest_speed",
    "service_capacity",
    "capacity_processes",
    "relaxation_time",
    "turns_away",
)
_tried: dict[Any, str] = {}  # trials that were passed, each with what the function keeps between decisions


class Fills(Enum):
    """Where a rule leaves no server idle while ``oldest_served`` jobs are present."""

    #: Nothing is known.
    UNKNOWN = "nothing is known"
    #: Where all needs are equal and divide the servers: the oldest are served, as nobody fits where an older one
    #: does not.
    EQUAL_NEEDS = "equal needs"
    #: Where all needs are equal and divide the servers, though not always with the oldest.
    EQUAL_NEEDS_IN_ANY_ORDER = "equal needs, in any order"
    #: On every system the policy supports; and where all needs are equal the oldest are served.
    ALWAYS = "always"
    #: On every system the policy supports, as jobs may run on fewer servers than they can use.
    SHARED = "the last job takes what remains"

    @property
    def keeps_order(self) -> bool:
        """Whether jobs of equal needs are served in order of arrival."""
        return self in (Fills.EQUAL_NEEDS, Fills.ALWAYS)


class Policy(Chosen, ABC):
    """Base of the policies; each is a frozen dataclass whose fields are its options."""

    kind: ClassVar[str] = "policy"
    #: Where no server idles; see :class:`Fills`.
    fills: ClassVar[Fills] = Fills.UNKNOWN
    #: Ends the sentence that only so many of the oldest jobs are ever served.
    oldest_because: ClassVar[str] = ""
    #: Whether jobs may run on fewer servers than they can use, and then take longer than their duration.
    shares_speed: ClassVar[bool] = False
    #: Why a policy without the option ``restart`` has none; ends a sentence that names it.
    why_no_restart: ClassVar[str] = "never stops a running job, so there is nothing to restart"
    #: Whether jobs that do not fit leave unserved.
    turns_away: ClassVar[bool] = False
    #: Whether it must know how long each job will take.
    knows_durations: ClassVar[bool] = False
    #: Whether it must know the law of each class's durations.
    knows_laws: ClassVar[bool] = False
    #: Whether it works with estimates of how long each job will take, such as users give.
    uses_estimates: ClassVar[bool] = False
    #: Whether, in a front sorted by need (largest first, ties by age), the same jobs are served as in order of arrival.
    order_within_need: ClassVar[bool] = False
    #: Whether no job waits for one that needs fewer servers.
    larger_needs_first: ClassVar[bool] = False
    #: Whether it has seen enough jobs as soon as their needs sum to the servers.
    sees_enough_once_full: ClassVar[bool] = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        rule = declared_at(cls, "serve")
        # An option, such as the front of a function of one's own, is said by whoever makes the policy: it stands.
        for trait in OF_THE_RULE:
            if rule < declared_at(cls, trait) < cls.__mro__.index(Policy) and trait not in options_of(cls):
                setattr(cls, trait, None if trait == "front" else getattr(Policy, trait))

    @property
    @abstractmethod
    def preemptive(self) -> bool:
        """Whether running jobs may be stopped and taken up again later; a class constant, or an option."""

    @property
    def may_idle(self) -> bool:
        """Whether all servers may stand idle although jobs wait."""
        return False

    @property
    def serve_is_complete(self) -> bool:
        """Whether ``serve`` alone decides: no memory, timers or random draws of the policy's own kernel."""
        return True

    @property
    def restart(self) -> bool:
        """Whether a job that is stopped loses its work; an option, where there is one."""
        return False

    @property
    @abstractmethod
    def front(self) -> int | None:
        """How many of the oldest waiting jobs may matter to the decision; None if there is no limit."""

    @property
    @abstractmethod
    def serve(self) -> Serve:
        """The plain function that decides."""

    @classmethod
    def from_options(cls, options: dict[str, Any]) -> Self:
        if "restart" in options and "restart" not in options_of(cls):
            raise InvalidInput(f"policy '{cls.name}' {cls.why_no_restart}; leave restart out")
        return super().from_options(options)

    def engine(self, servers: int) -> ServedBy:
        """Return the engine that simulates the policy on so many servers, made for an ``engines.Cluster``."""
        return ServedBy("msj.engines.generic:GenericEngine", rule=self)

    def on(self, system: System) -> Self:
        """Return the policy for one system, where it depends on how much arrives and how long that takes."""
        return self

    def front_model(self, system: System) -> ServedBy | None:
        """Return the front that solves the policy, made for a system; None where there is none."""
        return ServedBy("msj.fronts.policy_front:policy_front")

    def why_no_front(self, system: System) -> str | None:
        """Return the reason why the policy has no finite front on a system, whatever its durations."""
        if self.front_on(system.servers) is None:
            return f"policy '{self.name}' may look at every waiting job, so it has no finite chain; simulate it"
        kept = self.state_kept(system)
        if kept:
            return (
                f"policy '{self.name}' keeps state between decisions (it changes {kept}), which a chain does not know; "
                "simulate it"
            )
        return self.supports(system)

    def counting(self, servers: int, needs: Sequence[int]) -> Counting | None:
        """Return who is served by counts, where only the numbers of jobs of these ``needs`` (ascending) decide."""
        return None

    @property
    def arguments(self) -> tuple[str, ...]:
        """The arguments that its decision function wants."""
        return decision_arguments(self.serve, self.name)

    @property
    def from_outside(self) -> bool:
        """Whether its decision function was written outside msj."""
        return type(self).__module__.partition(".")[0] != "msj"

    def decide_on(self, values: Mapping[str, Any]) -> None:
        """Call the decision function with those of the values that it wants."""
        call_decision(self.serve, self.arguments, values)

    def compiled(self, form: str) -> Any:
        """Compile the function for one of ``decision_functions.compiled.FORMS``; the compiler's errors are raised."""
        from msj.decision_functions.compiled import compile_decision

        version = self.version()
        # What cannot be compared is never taken from before.
        compile_it = compile_decision if version is not None else compile_decision.__wrapped__
        return compile_it(self.serve, self.arguments, form, str(version), self.from_outside)

    def version(self) -> str | None:
        """Return a hash of what a function from outside does now; None where that cannot be compared."""
        return function_identity(self.serve, text=False) if self.from_outside else ""

    def check(self, system: System) -> None:
        """Refuse a decision function from outside that makes a mistake on the system's needs."""
        self.state_kept(system)

    @property
    def _decides_by_function(self) -> bool:
        """Whether it has a decision function; policies that share servers between jobs have none."""
        try:
            return self.serve is not None
        except NotSupported:
            return False

    def state_kept(self, system: System) -> str:
        """Return what a decision function from outside keeps from one decision to the next; empty for nothing."""
        return self.try_on(system.servers, [c.need for c in system.classes if not c.is_copy])

    def try_on(self, servers: int, needs: Sequence[int], *, classes: bool = True) -> str:
        """Try the decision function for some hundred events; return what it keeps between decisions, if anything.

        ``needs`` are those of the classes in order or, where there are no ``classes``, those that occur. Functions of
        msj itself are not tried.
        """
        if not (self.from_outside and self._decides_by_function):
            return ""
        front = self.front_on(servers)
        rules = TrialRules(
            front=None if front is None else whole(front, "front"),
            preemptive=bool(self.preemptive),
            may_idle=bool(self.may_idle),
        )
        version = self.version()
        key = (self.serve, version, rules, servers, tuple(needs), classes)
        if version is None or key not in _tried:
            source = random_source(self.serve)
            if source is not None:
                raise BadFunction(
                    f"policy function '{self.name}' uses {source}; random numbers come from the argument rng, so that "
                    "the same seed gives the same answer: add rng to its arguments and use that"
                )
            before = function_parts(self.serve)
            try_decisions(
                self.serve,
                self.arguments,
                name=self.name,
                servers=servers,
                jobs=[(need, index if classes else 0) for index, need in enumerate(needs)],
                rules=rules,
            )
            _tried[key] = state_kept(before, self.serve) or ""
        return _tried[key]

    def front_on(self, servers: int) -> int | None:
        """Return ``front`` for a cluster of this size, for policies whose front grows with it."""
        return self.front

    def sees_enough(self, needs: Sequence[int], servers: int) -> bool:
        """Return whether, having seen jobs of these ``needs``, the policy looks at no younger one.

        For policies that fill from a prefix (``front`` None, ``front_on`` the prefix's length).
        """
        if self.sees_enough_once_full:
            return sum(needs) >= servers
        front = self.front_on(servers)
        return front is not None and len(needs) >= front

    def fills_on(self, servers: int, least_need: int) -> Fills:
        """Return ``fills`` for a cluster of this size and jobs of at least this need."""
        return self.fills

    def oldest_served(self, servers: int, least_need: int) -> int | None:
        """Return n, where only the n oldest jobs are ever served; None if a job may pass any number of older ones.

        A rule that passes over up to ``front`` waiting jobs serves none behind them and those that fit beside them.
        """
        passed_over = self.front_on(servers)
        return None if passed_over is None else servers // least_need + passed_over - 1

    def least_busy(self, servers: int, least_need: int) -> tuple[float | None, str]:
        """Return b_inf, the least share of the servers in use while a job is present, and a sentence; None if none."""
        if self.may_idle:
            return None, f"policy '{self.name}' may leave all servers idle although jobs wait"
        busy = f"at least {least_need} of {servers} servers {'are' if least_need > 1 else 'is'} busy"
        return least_need / servers, f"with a job present {busy}"

    def least_busy_per_job(self, servers: int, least_need: int) -> float | None:
        """Return beta: with N jobs among the n oldest at least beta·N of the capacity is in use; None if not known.

        Where nothing is known it is b_inf/n.
        """
        return None

    def fastest_speed(self, servers: int) -> float:
        """Return the speed of the fastest server, where a job of the duration given runs at speed 1."""
        return 1.0

    def service_capacity(self, servers: int) -> float:
        """Return the work that all servers can do in a unit of time: the sum of their speeds."""
        return float(servers)

    def capacity_processes(self, system: System) -> tuple[CapacityProcess, ...]:
        """Return what changes the capacity by itself, whatever jobs there are: turns that go by a clock."""
        return ()

    def relaxation_time(self, system: System) -> float:
        """Return the time over which the policy forgets what it did by itself (a clock's mean interval, say)."""
        return 0.0

    def supports(self, system: System) -> str | None:
        """Return None if the policy can run ``system``, else the reason why not."""
        return None


def options_of(kind: type) -> list[str]:
    """Return what may be chosen of a policy, by name; a class that is being made has what its parents have."""
    return [field.name for field in dataclasses.fields(kind)] if dataclasses.is_dataclass(kind) else []


def declared_at(cls: type, attribute: str) -> int:
    """Return which of a class and its ancestors, the nearest first, says what an attribute is."""
    return next(i for i, ancestor in enumerate(cls.__mro__) if attribute in vars(ancestor))


def told_apart(policy: ChosenPolicy, meant: type[Policy]) -> str:
    """Return the name of a policy that is not the one ``meant``, with its type if it goes by the same name.

    Examples
    --------
    >>> from msj.disciplines.fcfs import Fcfs
    >>> from msj.disciplines.first_fit import FirstFit
    >>> told_apart(FirstFit(), Fcfs)
    "'first-fit'"
    """
    called = f"'{policy.name}'"
    return called if policy.name != meant.name else f"{called} ({type(policy).__name__}, not msj's own of that name)"
