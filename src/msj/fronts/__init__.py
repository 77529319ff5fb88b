"""Systems and policies turned into marked chains of the front: the waist of the exact side.

``fcfs_counts`` and ``fcfs_open`` are FCFS, on counts; ``front_model`` is the general abstraction, ``policy_front`` its
use for any policy with a finite front; the models and the policies that share speed have a file each, and ``front_of``
gives the front of whatever a system names; ``fcfs_simplified`` and ``ordered`` are the papers' own, larger chains, kept
as independent twins for the tests and for teaching.
"""

from msj.fronts.fcfs_counts import CountsChain, saturated_chain
from msj.fronts.fcfs_simplified import SimplifiedState, simplified_chain
from msj.fronts.front_chain import open_front, saturated_front
from msj.fronts.front_model import FrontModel
from msj.fronts.front_of import front_of, why_no_front
from msj.fronts.ordered import ordered_chain
from msj.fronts.policy_front import policy_front

__all__ = [
    "CountsChain",
    "FrontModel",
    "SimplifiedState",
    "front_of",
    "open_front",
    "ordered_chain",
    "policy_front",
    "saturated_chain",
    "saturated_front",
    "simplified_chain",
    "why_no_front",
]
