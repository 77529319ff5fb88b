"""Replications of a run advanced by workers of a cluster, bit for bit as they would be here.

A worker makes a replication anew from the question, puts the state into it that it had here (``state``), lets jobs
arrive, and sends the state back. So a run is on one machine between two rounds, and all its rules hold unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from msj.effort import Effort
from msj.executors.calls import gathered
from msj.executors.workers import Workers
from msj.simulation.plan import Plan
from msj.simulation.question import Question, new_replication
from msj.simulation.replication import Replication
from msj.simulation.state import restored, written
from msj.workloads import Streams

State: TypeAlias = tuple[Any, dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Elsewhere:
    """Who advances replications.

    Parameters
    ----------
    hands
        The workers.
    question, plan, root
        What the replications are made from.
    """

    hands: Workers
    question: Question
    plan: Plan
    root: np.random.SeedSequence

    @classmethod
    def of(
        cls, hands: Workers | None, question: Question, plan: Plan, root: np.random.SeedSequence
    ) -> Elsewhere | None:
        """Return who advances a run's replications; None where there are no workers: they are advanced here."""
        return None if hands is None else cls(hands=hands, question=question, plan=plan, root=root)

    def advance(self, replications: Sequence[Replication], pieces: int, effort: Effort) -> bool:
        """Let pieces arrive in every replication; return whether all did before the effort was over."""
        return self._each(advanced, replications, effort, pieces)

    def follow(self, replications: Sequence[Replication], pieces: int, most: int, effort: Effort) -> bool:
        """Let jobs arrive until those of the first pieces have left, at most so many."""
        return self._each(followed, replications, effort, pieces, most)

    def _each(
        self, function: Callable[..., State], replications: Sequence[Replication], effort: Effort, *more: Any
    ) -> bool:
        made = (self.question, self.plan, self.root)
        calls = [(function, *made, index, _state(each), *more) for index, each in enumerate(replications)]
        found = gathered(calls, self.hands, effort)
        if found is None:
            return False
        for each, state in zip(replications, found, strict=True):
            restored(each, *state)
        return True


def advanced(
    question: Question, plan: Plan, root: np.random.SeedSequence, index: int, state: State, pieces: int
) -> State:
    """Let pieces arrive in one replication; return its state."""
    one = _made(question, plan, root, index, state)
    one.advance(pieces)
    return _state(one)


def followed(
    question: Question, plan: Plan, root: np.random.SeedSequence, index: int, state: State, pieces: int, most: int
) -> State:
    """Let jobs follow in one replication; return its state."""
    one = _made(question, plan, root, index, state)
    one.follow(pieces, most)
    return _state(one)


def _made(question: Question, plan: Plan, root: np.random.SeedSequence, index: int, state: State) -> Replication:
    one = new_replication(
        question.system,
        question.rate,
        Streams(root=root, replication=index),
        warm_up=plan.warm_up,
        piece=plan.piece,
        controls=question.controls,
    )
    restored(one, *state)
    return one


def _state(one: Replication) -> State:
    arrays: dict[str, Any] = {}
    return written(one, arrays), arrays
