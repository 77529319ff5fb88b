"""What a spec file's ``model = ...`` says: the options of a model, and how a system becomes its front model.

Each model's file holds two values. The front model (``ForkJoin``, ``SetUp``, ...) is the mathematics, complete in
itself. The other derives from :class:`SystemModel`: it reads the options and the keys the model adds to a
``[[classes]]`` table, checks them against the system, and makes the front model of it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from msj.finite_skip.front_model import FrontModel
from msj.finite_skip.job_types import why_not_phase_type
from msj.model import JobClass, System
from msj.model.chosen import Chosen


class SystemModel(Chosen, ABC):
    """Base of the models that a spec file can name; each is a frozen dataclass whose fields are its options."""

    kind: ClassVar[str] = "model"
    #: Keys that the model adds to a ``[[classes]]`` table.
    class_keys: ClassVar[tuple[str, ...]] = ()
    #: The one policy the model goes with; its own order of service is part of the model.
    policy: ClassVar[str] = "fcfs"
    #: Why servers may stand idle, or work without progress, although jobs wait (wcfs: not work-conserving).
    idles: ClassVar[str | None] = None

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
        return self.why_not_policy(system.policy.name) or why_not_phase_type(system)

    def why_not_policy(self, policy: str) -> str | None:
        """Return the reason if the model does not go with a policy."""
        if policy == self.policy:
            return None
        return f"model '{self.name}' goes with policy '{self.policy}', not '{policy}'; set policy = '{self.policy}'"
