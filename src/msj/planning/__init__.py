"""What a change would bring, and which size, policy or limit meets a target."""

from msj.planning.capacity import Capacity, bounded_capacity, find_capacity
from msj.planning.plan import plan
from msj.planning.plan_result import PlanResult
from msj.planning.remedies import Remedy, servers_needed, what_makes_it_stable
from msj.planning.what_if import Change, WhatIf, possible_changes, what_if

__all__ = [
    "Capacity",
    "Change",
    "PlanResult",
    "Remedy",
    "WhatIf",
    "bounded_capacity",
    "find_capacity",
    "plan",
    "possible_changes",
    "servers_needed",
    "what_if",
    "what_makes_it_stable",
]
