"""Loss instead of waiting: a job that does not find all the servers it needs free leaves at once, unserved.

Nobody waits, so every load is stable and what counts is how many are lost (``loss_probability``). For Poisson arrivals
the answer is a product form and does not depend on the laws of the durations (``closed_forms.loss``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from msj.disciplines.base import Policy, Serve
from msj.disciplines.first_fit import first_fit
from msj.disciplines.served_by import ServedBy


@dataclass(frozen=True, kw_only=True)
class Loss(Policy):
    """Jobs that do not fit are lost."""

    name: ClassVar[str] = "loss"
    summary: ClassVar[str] = "a job that does not fit when it comes is lost; nobody waits"
    citation: ClassVar[str] = "Kaufman 1981; Roberts 1981"
    preemptive: ClassVar[bool] = False
    turns_away: ClassVar[bool] = True
    serve_is_complete: ClassVar[bool] = False

    @property
    def front(self) -> None:
        return None

    def why_no_front(self, system: object) -> str:
        return f"under policy '{self.name}' nobody waits, so there is no line to look at"

    def engine(self, servers: int) -> ServedBy:
        return ServedBy("msj.engines.loss:LossEngine")

    @property
    def serve(self) -> Serve:
        return first_fit(None, preemptive=False)  # of those that come at one moment


VARIANT = Loss
