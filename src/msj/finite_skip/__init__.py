"""Systems and policies turned into marked chains of the front: the waist of the exact side.

``fcfs_counts`` is what analyses use; ``fcfs_simplified`` and ``ordered`` are the papers' own, larger chains, kept as
independent twins for the tests and for teaching.
"""

from msj.finite_skip.fcfs_counts import CountsChain, saturated_chain
from msj.finite_skip.fcfs_simplified import SimplifiedState, simplified_chain
from msj.finite_skip.ordered import ordered_chain

__all__ = ["CountsChain", "SimplifiedState", "ordered_chain", "saturated_chain", "simplified_chain"]
