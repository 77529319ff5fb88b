"""What a spec file's ``model = ...`` says: the options of a model, and how a system becomes its front model.

Each model's file holds two values. The front model (``ForkJoin``, ``SetUp``, ...) is the mathematics, complete in
itself. The other derives from :class:`SystemModel`: it reads the options and the keys the model adds to a
``[[classes]]`` table, checks them against the system, and makes the front model of it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from msj.disciplines import Fcfs, Policy
from msj.disciplines.base import told_apart
from msj.fronts.front_model import FrontModel
from msj.fronts.job_types import why_not_phase_type
from msj.model import JobClass, System
from msj.model.chosen import Chosen
from msj.model.system import ChosenPolicy
from msj.registry import POLICIES


class SystemModel(Chosen, ABC):
    """Base of the models that a spec file can name; each is a frozen dataclass whose fields are its options."""

    kind: ClassVar[str] = "model"
    #: Keys that the model adds to a ``[[classes]]`` table.
    class_keys: ClassVar[tuple[str, ...]] = ()
    #: The one policy the model goes with; its own order of service is part of the model.
    goes_with: ClassVar[type[Policy]] = Fcfs
    #: Why servers may stand idle, or work without progress, although jobs wait (wcfs: not work-conserving).
    idles: ClassVar[str | None] = None

    @property
    def policy(self) -> str:
        """What a spec file calls the policy the model goes with."""
        return self.goes_with.name

    def oldest_served(self, servers: int) -> int | None:  # noqa: ARG002
        """Return n, where only the n oldest jobs are ever served and n jobs keep all servers busy (wcfs, section 2).

        None where ``idles`` says why servers may stand idle all the same, or where nothing is known.
        """
        return None

    def class_value(self, key: str, value: Any) -> Any:  # noqa: ARG002
        """Return the value of one of ``class_keys``, validated on its own."""
        return value

    def check(self, system: System) -> None:
        """Refuse a system that contradicts the model; called when the system is made."""

    def work(self, job_class: JobClass) -> float:
        """Return the mean server-time a job takes."""
        return job_class.work

    @abstractmethod
    def front(self, system: System) -> FrontModel[Any, Any]:
        """Return the front model of a system whose durations are phase type."""

    def supports(self, system: System) -> str | None:
        """Return None if the model can be solved for ``system`` under its policy, else the reason why not."""
        return self.why_not_policy(system.policy) or why_not_phase_type(system)

    def why_not_policy(self, policy: ChosenPolicy | str) -> str | None:
        """Return the reason if the model does not go with a policy; a text is a name in the catalogue."""
        chosen = POLICIES.get(policy) if isinstance(policy, str) else type(policy)
        if chosen is self.goes_with:
            return None
        other = f"'{policy}'" if isinstance(policy, str) else told_apart(policy, self.goes_with)
        return f"model '{self.name}' goes with policy '{self.policy}', not {other}; set policy = '{self.policy}'"
