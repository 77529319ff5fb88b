"""What a change would bring: one more server, a cap on the largest need, another mix of jobs."""

from msj.planning.capacity import Capacity, bounded_capacity, find_capacity
from msj.planning.remedies import Remedy, servers_needed, what_makes_it_stable
from msj.planning.what_if import Change, WhatIf, possible_changes, what_if

__all__ = [
    "Capacity",
    "Change",
    "Remedy",
    "WhatIf",
    "bounded_capacity",
    "find_capacity",
    "possible_changes",
    "servers_needed",
    "what_if",
    "what_makes_it_stable",
]
