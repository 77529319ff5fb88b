"""Closed forms for FCFS clusters, on plain numbers: no cluster description needed.

One file per theorem. Saturated clusters: two exponential classes, any classes that share one exponential duration, and
jobs that need one server or all of them (with their asymptotics, ``load_focused``). Large clusters: ``waste_limit``,
``infinite_servers``, ``queueing_bounds``, ``fluid``. They hold at a million servers and more, where no chain could be
solved.
"""

from __future__ import annotations

from msj.closed_forms.one_and_n import OneAndN, OneAndNLaws, one_and_n
from msj.closed_forms.same_law import JobsInService, SameLaw, same_law
from msj.closed_forms.two_class import (
    TwoClass,
    TwoClassLimit,
    fast_large_jobs_limit,
    slow_large_jobs_limit,
    two_class,
)

__all__ = [
    "JobsInService",
    "OneAndN",
    "OneAndNLaws",
    "SameLaw",
    "TwoClass",
    "TwoClassLimit",
    "fast_large_jobs_limit",
    "one_and_n",
    "same_law",
    "slow_large_jobs_limit",
    "two_class",
]
