"""Policies under which a job may run on fewer servers than it could use: speed is shared, not all or nothing.

A job's need is here the most servers it can use, its duration the time it takes on that many; on a servers it advances
at rate a / need (wcfs, section 3). No plain function can say that, so each names an engine and a front of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from msj.disciplines.base import Fills, Policy, Serve
from msj.disciplines.served_by import ServedBy
from msj.errors import NotSupported
from msj.model import System


@dataclass(frozen=True, kw_only=True)
class Sharing(Policy):
    """Base of the policies that share speed."""

    preemptive: ClassVar[bool] = True
    fills: ClassVar[Fills] = Fills.SHARED
    shares_speed: ClassVar[bool] = True
    serve_is_complete: ClassVar[bool] = False
    why_no_restart: ClassVar[str] = (
        "shares servers, so that a job that slows down and one that is stopped are not told apart"
    )

    @property
    def front(self) -> None:
        return None

    def front_model(self, system: System) -> ServedBy | None:
        return None

    def why_no_front(self, system: System) -> str | None:
        reason = self.supports(system)
        if reason is None and self.front_model(system) is None:
            return f"policy '{self.name}' shares servers in a way that has no chain here; simulate it"
        return reason

    @property
    def serve(self) -> Serve:
        raise NotSupported(f"'{self.name}' shares servers between jobs, so no function can say who has all it needs")
