"""SMASH(w) as a front: the running jobs, and the w oldest waiting ones in order of arrival.

Jobs start one at a time, for the next in line comes into the window before the next choice is made. So a front that one
has just left is not full, and the next job joins it; only where nobody else is there (``settled``) the choice goes on
among those that are. The general front of the policy's function (``policy_front``) must keep w + k − 1 waiting jobs
instead of w to say the same, and is its twin in the tests.
"""

from __future__ import annotations

from msj.disciplines.model import policy_of
from msj.fronts.policy_front import NonPreemptiveFront, Types
from msj.model import System


class SmashFront(NonPreemptiveFront):
    """Fronts in which fewer than ``window`` jobs wait, or none of those that do fits."""

    compiles = False

    def __init__(self, system: System, *, window: int) -> None:
        super().__init__(system, policy_of(system), window)

    def settled(self, front: tuple[Types, Types]) -> tuple[tuple[tuple[Types, Types], float]]:  # type: ignore[override]
        after = self._started(*front)
        while after != front:
            front, after = after, self._started(*after)
        return ((front, 1.0),)

    def _started(self, running: Types, waiting: Types) -> tuple[Types, Types]:
        needs = self.types.needs
        free = self.system.servers - sum(int(needs[job]) for job in running)
        fitting = [place for place, job in enumerate(waiting) if needs[job] <= free]
        if not fitting:
            return running, waiting
        best = max(fitting, key=lambda place: (int(needs[waiting[place]]), -place))
        return tuple(sorted((*running, waiting[best]))), (*waiting[:best], *waiting[best + 1 :])
