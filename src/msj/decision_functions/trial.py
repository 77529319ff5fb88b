"""A short trial of a decision function on the needs of the system at hand.

The jobs come and go at random for some hundred events, and the function decides after each, as in a simulation. So it
sees only situations that can come about, and a mistake gets a sentence with the jobs it was made for before any result
exists. The random numbers are fixed: a function passes or fails, whenever it is tried.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from msj.decision_functions.arguments import call_decision
from msj.errors import BadFunction

EVENTS = 300
MAX_WAITING = 12  # jobs: from then on completions are more likely than arrivals
SHOWN = 12  # needs that a message lists
ROUNDS = 50  # of decisions at one moment, where the function sees a limited number of waiting jobs


@dataclass(frozen=True, kw_only=True)
class TrialRules:
    """What a policy declares about its decision function.

    Parameters
    ----------
    front
        How many waiting jobs it is shown; None for all.
    preemptive
        Whether it may stop running jobs.
    may_idle
        Whether it may leave all servers idle although jobs wait.
    """

    front: int | None
    preemptive: bool
    may_idle: bool


@dataclass(kw_only=True)
class _Jobs:
    """Jobs present in order of arrival, one list per column."""

    needs: list[int] = field(default_factory=list)
    classes: list[int] = field(default_factory=list)
    running: list[bool] = field(default_factory=list)
    remaining: list[float] = field(default_factory=list)
    arrivals: list[float] = field(default_factory=list)

    def add(self, need: int, job_class: int, duration: float, now: float) -> None:
        for column, value in zip(self._columns(), (need, job_class, False, duration, now), strict=True):
            column.append(value)

    def remove(self, index: int) -> None:
        for column in self._columns():
            del column[index]

    def _columns(self) -> tuple[list[Any], ...]:
        return self.needs, self.classes, self.running, self.remaining, self.arrivals


def try_decisions(
    function: Callable[..., Any],
    arguments: tuple[str, ...],
    *,
    name: str,
    servers: int,
    jobs: Sequence[tuple[int, int]],
    rules: TrialRules,
) -> None:
    """Call a decision function for some hundred events; raise :class:`BadFunction` at the first mistake.

    Parameters
    ----------
    function, arguments
        The function and the arguments it wants.
    name
        What an error calls it.
    servers, jobs
        The cluster, and the kinds of jobs that arrive: need and class.
    rules
        What the policy declares.
    """
    rng, present = np.random.default_rng(20_230_807), _Jobs()
    now, served = 0.0, False
    for event in range(EVENTS):
        now += float(rng.exponential())
        running = [i for i, on in enumerate(present.running) if on]
        crowded = len(present.needs) - len(running) >= MAX_WAITING
        if running and (crowded or (event % 60 >= 30 and rng.random() < 0.7)):
            present.remove(running[int(rng.integers(len(running)))])
        elif not crowded or not running:
            need, job_class = jobs[int(rng.integers(len(jobs)))]
            present.add(int(need), job_class, float(rng.exponential()), now)
        for _ in range(1 if rules.front is None else ROUNDS):
            changed = _decide(function, arguments, present, name, servers, rules, now, rng)
            if not changed:
                break
        served = served or any(present.running)
        if present.needs and not any(present.running) and not rules.may_idle:
            raise BadFunction(
                f"policy function '{name}' serves no job of needs {present.needs[:SHOWN]} on {servers} idle servers; "
                "choose one that fits, or declare may_idle = true"
            )
    if not served:
        raise BadFunction(
            f"policy function '{name}' never serves a job in {EVENTS} events on {servers} servers, with up to "
            f"{len(present.needs)} jobs waiting; set chosen[i] = True for the jobs to serve"
        )


def _decide(
    function: Callable[..., Any],
    arguments: tuple[str, ...],
    jobs: _Jobs,
    name: str,
    servers: int,
    rules: TrialRules,
    now: float,
    rng: np.random.Generator,
) -> bool:
    """Call the function once, check its decision and carry it out; return whether anything changed."""
    waiting = [i for i, on in enumerate(jobs.running) if not on][: rules.front]
    seen = sorted({*waiting, *(i for i, on in enumerate(jobs.running) if on)})
    needs = np.array([jobs.needs[i] for i in seen], dtype=np.int64)
    running = np.array([jobs.running[i] for i in seen], dtype=np.bool_)
    arrivals = np.array([jobs.arrivals[i] for i in seen], dtype=np.float64)
    remaining = np.array([jobs.remaining[i] for i in seen], dtype=np.float64)
    chosen = np.zeros(len(seen), dtype=np.bool_)
    values = {
        "needs": needs.copy(),
        "classes": np.array([jobs.classes[i] for i in seen], dtype=np.int64),
        "running": running.copy(),
        "remaining": remaining,
        "estimates": remaining.copy(),
        "ages": now - arrivals,
        "arrivals": arrivals,
        "now": now,
        "servers": servers,
        "free": servers - int(needs[running].sum()),
        "rng": np.random.Generator(np.random.SFC64(int(rng.integers(2**32)))),
        "chosen": chosen,
    }
    try:
        call_decision(function, arguments, values)
    except Exception as error:
        raise BadFunction(
            f"policy function '{name}' fails with {type(error).__name__} ({error}) for needs "
            f"{needs.tolist()[:SHOWN]}; correct it"
        ) from None
    _check(needs, running, chosen, name, servers, rules)
    for place, i in enumerate(seen):
        jobs.running[i] = bool(chosen[place])
    return bool((running != chosen).any())


def _check(needs: Any, running: Any, chosen: Any, name: str, servers: int, rules: TrialRules) -> None:
    if needs[chosen].sum() > servers:
        raise BadFunction(
            f"policy function '{name}' chose jobs of needs {needs[chosen].tolist()[:SHOWN]} for {servers} servers; "
            "choose jobs that fit together"
        )
    stopped = running & ~chosen
    if not rules.preemptive and stopped.any():
        raise BadFunction(
            f"policy function '{name}' stops a running job of need {int(needs[stopped][0])} although it is declared "
            "not preemptive; set chosen[i] = True where running[i], or declare preemptive = true"
        )
