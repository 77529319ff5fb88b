"""The front model of a system: that of its ``model``, or of its policy.

The discipline says itself which class of this room that is (``disciplines.served_by``); without a word a policy is
asked by its plain function (``policy_front``). In a system a duration is the time a job takes on ``need`` servers, and
so it is in every front.
"""

from __future__ import annotations

from typing import Any

from msj.disciplines.model import discipline_of
from msj.disciplines.restarting import why_not_resumed
from msj.errors import NotSupported
from msj.fronts.front_model import FrontModel
from msj.fronts.job_types import why_not_phase_type
from msj.model import System
from msj.model.assumptions import why_not_independent


def why_no_front(system: System) -> str | None:
    """Return the reason if the system has no finite front, else None."""
    return (
        why_not_independent(system)
        or why_not_resumed(system)
        or discipline_of(system).why_no_front(system)
        or why_not_phase_type(system)
    )


def front_of(system: System) -> FrontModel[Any, Any]:
    """Return the front model of a system; what has none is refused with the reason.

    Examples
    --------
    >>> import msj
    >>> jobs = msj.JobClass(name="jobs", need=2, share=1, duration=msj.Exponential(mean=1))
    >>> front_of(msj.System(servers=4, classes=[jobs], model="fork-join")).most_jobs
    5
    """
    reason = why_no_front(system)
    if reason is not None:
        raise NotSupported(reason)
    served_by = discipline_of(system).front_model(system)
    assert served_by is not None  # else there is a reason
    front: FrontModel[Any, Any] = served_by.made(system)
    return front
