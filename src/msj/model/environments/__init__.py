"""What surrounds a cluster, one file each: breakdowns, maintenance, other work. The listing is their catalogue."""

from msj.model.environments.base import Component, Environment, environments_from
from msj.model.environments.breakdowns import Breakdowns
from msj.model.environments.maintenance import Maintenance
from msj.model.environments.modulated import Modulated
from msj.model.environments.priority_work import PriorityWork

__all__ = [
    "Breakdowns",
    "Component",
    "Environment",
    "Maintenance",
    "Modulated",
    "PriorityWork",
    "environments_from",
]
