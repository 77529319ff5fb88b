"""Decision functions: the plain functions that mark which jobs are served now, ours and those users write.

``arguments`` has the calling convention, ``compiled`` the compiled form, ``unreadable`` the stand-ins for values that a
chain does not know, ``hidden_inputs`` what a function must not use besides its arguments, and ``trial`` a short run
that finds mistakes before the first result.
"""

from msj.decision_functions.arguments import ARGUMENTS, call_decision, decision_arguments
from msj.decision_functions.hidden_inputs import random_source, state_kept
from msj.decision_functions.trial import try_decisions
from msj.decision_functions.unreadable import Unreadable, UnreadableValue

__all__ = [
    "ARGUMENTS",
    "Unreadable",
    "UnreadableValue",
    "call_decision",
    "decision_arguments",
    "random_source",
    "state_kept",
    "try_decisions",
]
