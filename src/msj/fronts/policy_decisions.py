"""The decisions of a policy, as a chain uses them: a function of the jobs in the front and of nothing else.

A chain is exact only if the decision function is such a function. Three things are done about functions from outside:

- what the chain does not know (how long jobs have waited, what is left of their service, random numbers) is passed as
  :class:`~msj.decision_functions.Unreadable`: using it is noticed, naming it is not;
- every decision is checked as a simulation would check it: the jobs fit, and running jobs go on without preemption;
- :meth:`PolicyDecisions.confirm` asks for every decision a second time, in the opposite order and, where the chain does
  not keep it, with the running jobs in another order; an answer that differs shows a function that depends on something
  else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from msj.decision_functions import ARGUMENTS, Unreadable
from msj.disciplines import Policy
from msj.errors import BadFunction, MsjError, NotSupported

KNOWN = frozenset({"needs", "classes", "running", "servers", "free", "chosen"})
SHOWN = 12  # needs that a message lists

Flags = NDArray[np.bool_]
#: Needs and classes of the jobs, which of them run, and the number of servers.
Situation = tuple[tuple[int, ...], tuple[int, ...], tuple[bool, ...], int]


class PolicyDecisions:
    """Which jobs a policy serves, by situation; each situation is asked about once, and confirmed once.

    Parameters
    ----------
    policy
        Its decision function is called.
    orders_running
        Whether the chain knows in which order the running jobs arrived. If not, that order must not matter.
    """

    def __init__(self, policy: Policy, *, orders_running: bool) -> None:
        self.policy = policy
        self.orders_running = orders_running
        self._hidden = {name: Unreadable(name) for name in ARGUMENTS if name not in KNOWN}
        self._answers: dict[Situation, Flags] = {}
        self._confirmed = 0

    def chosen(self, needs: Sequence[int], classes: Sequence[int], running: Sequence[bool], servers: int) -> Flags:
        """Return which jobs are served."""
        situation = (tuple(needs), tuple(classes), tuple(running), servers)
        answer = self._answers.get(situation)
        if answer is None:
            answer = self._answers[situation] = self._ask(situation)
        return answer

    def confirm(self) -> None:
        """Ask about every situation once more; an answer that differs from the first is refused."""
        if not self.policy.from_outside:
            return
        for situation in reversed(list(self._answers)[self._confirmed :]):
            needs, classes, running, servers = situation
            places = [] if self.orders_running else [i for i, on in enumerate(running) if on]
            order = list(range(len(needs)))
            for place, other in zip(places, reversed(places), strict=True):
                order[place] = other
            again = self._ask((tuple(needs[i] for i in order), tuple(classes[i] for i in order), running, servers))
            if not np.array_equal(again[order], self._answers[situation]):
                raise NotSupported(
                    f"policy '{self.policy.name}' decides differently when it is asked twice about jobs of needs "
                    f"{list(needs)[:SHOWN]}: it depends on more than the jobs present, so it has no exact chain; "
                    "simulate it (leave front out), with random numbers from the argument rng"
                )
        self._confirmed = len(self._answers)

    def _ask(self, situation: Situation) -> Flags:
        needs, running = np.array(situation[0], dtype=np.int64), np.array(situation[2], dtype=np.bool_)
        servers, chosen = situation[3], np.zeros(len(needs), dtype=np.bool_)
        values: dict[str, Any] = {
            "needs": needs.copy(),
            "classes": np.array(situation[1], dtype=np.int64),
            "running": running.copy(),
            "servers": servers,
            "free": servers - int(needs[running].sum()),
            "chosen": chosen,
            **self._hidden,
        }
        self._call(values, needs)
        if self.policy.from_outside:
            self._check(needs, running, chosen, servers)
        return chosen

    def _call(self, values: dict[str, Any], needs: NDArray[np.int64]) -> None:
        try:
            self.policy.decide_on(values)
        except MsjError:
            raise
        except Exception as error:
            if not any(hidden.used for hidden in self._hidden.values()):
                raise BadFunction(
                    f"policy function '{self.policy.name}' fails with {type(error).__name__} ({error}) for needs "
                    f"{needs.tolist()[:SHOWN]}; correct it"
                ) from None
        used = [hidden.name for hidden in self._hidden.values() if hidden.used]
        if used:
            raise NotSupported(why_hidden(self.policy, used[0]))

    def _check(self, needs: NDArray[np.int64], running: Flags, chosen: Flags, servers: int) -> None:
        if needs[chosen].sum() > servers:
            raise BadFunction(
                f"policy function '{self.policy.name}' chose jobs of needs {needs[chosen].tolist()[:SHOWN]} for "
                f"{servers} servers; choose jobs that fit together"
            )
        if not self.policy.preemptive and (running & ~chosen).any():
            raise BadFunction(
                f"policy function '{self.policy.name}' stops a running job of need {int(needs[running & ~chosen][0])} "
                "although it is declared not preemptive; set chosen[i] = True where running[i], or declare "
                "preemptive = true"
            )


def why_hidden(policy: Policy, argument: str) -> str:
    """Return the reason why a policy that uses an argument has no exact chain."""
    return (
        f"policy '{policy.name}' uses {argument}, which a chain does not know: it has no exact answer; "
        "simulate it (leave front out)"
    )
