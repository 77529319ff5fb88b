"""Policies under which a job may run on fewer servers than it could use: speed is shared, not all or nothing.

A job's need is here the most servers it can use, its duration the time it takes on that many; on a servers it advances
at rate a / need (wcfs, section 3). Each of them has a front model and a simulation kernel that know it by its type.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from msj.disciplines.base import Fills, Policy, Serve
from msj.errors import NotSupported


@dataclass(frozen=True, kw_only=True)
class Sharing(Policy):
    """Base of the policies that share speed."""

    preemptive: ClassVar[bool] = True
    fills: ClassVar[Fills] = Fills.SHARED

    @property
    def front(self) -> None:
        return None

    @property
    def serve(self) -> Serve:
        raise NotSupported(f"'{self.name}' shares servers between jobs, so no function can say who has all it needs")
