"""What every policy declares: its name, its traits, and one plain function that decides who is served.

The function gets the jobs present in arrival order and marks those to serve::

    def serve(needs, running, remaining, servers, chosen): ...

``needs[i]`` is the server need of the i-th oldest job, ``running[i]`` whether it is in service now, ``remaining[i]``
the service time it still needs, ``servers`` the number of servers; the function sets ``chosen[i] = True`` for the jobs
to serve (all are False on entry). It uses nothing but loops over these arrays, so that the same text can be compiled
for simulation and called plainly to build an exact chain: the two can never disagree about what the policy is. A
policy that looks at ``remaining`` has no finite chain and says so (``front`` is None).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from msj.model import System
from msj.model.chosen import Chosen

Serve = Callable[[NDArray[np.int64], NDArray[np.bool_], NDArray[np.float64], int, NDArray[np.bool_]], None]


class Policy(Chosen, ABC):
    """Base of the policies; each is a frozen dataclass whose fields are its options."""

    kind: ClassVar[str] = "policy"
    #: Whether, in a front sorted by need (largest first, ties by age), the same jobs are served as in order of arrival.
    order_within_need: ClassVar[bool] = False

    @property
    @abstractmethod
    def preemptive(self) -> bool:
        """Whether running jobs may be stopped and taken up again later; a class constant, or an option."""

    @property
    @abstractmethod
    def front(self) -> int | None:
        """How many of the oldest waiting jobs may matter to the decision; None if there is no limit."""

    @property
    @abstractmethod
    def serve(self) -> Serve:
        """The plain function that decides."""

    def front_on(self, servers: int) -> int | None:  # noqa: ARG002
        """Return ``front`` for a cluster of this size, for policies whose front grows with it."""
        return self.front

    def sees_enough(self, needs: Sequence[int], servers: int) -> bool:
        """Return whether, having seen jobs of these ``needs``, the policy looks at no younger one.

        For policies that fill from a prefix (``front`` None, ``front_on`` the prefix's length).
        """
        front = self.front_on(servers)
        return front is not None and len(needs) >= front

    def supports(self, system: System) -> str | None:  # noqa: ARG002
        """Return None if the policy can run ``system``, else the reason why not."""
        return None
