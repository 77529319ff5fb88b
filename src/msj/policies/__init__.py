"""Policies, one file each; the folder's listing is their catalogue."""

from msj.policies.base import Policy
from msj.policies.fcfs import Fcfs

__all__ = ["Fcfs", "Policy"]
