"""The front model of a system: that of its ``model``, or of its policy.

The discipline says itself which class of this room that is (``disciplines.served_by``); without a word a policy is
asked by its plain function (``policy_front``). In a system a duration is the time a job takes on ``need`` servers, and
so it is in every front.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from msj.disciplines.model import discipline_of, policy_of
from msj.disciplines.restarting import why_not_resumed
from msj.errors import NotSupported
from msj.fronts.front_model import FrontModel
from msj.fronts.job_types import why_not_phase_type
from msj.model import System
from msj.model.assumptions import why_not_independent

PROBED = 60  # fronts that are tried before a policy from outside is said to have a chain


def why_no_front(system: System) -> str | None:
    """Return the reason if the system has no finite front, else None."""
    return (
        why_not_independent(system)
        or why_not_resumed(system)
        or discipline_of(system).why_no_front(system)
        or why_not_phase_type(system)
        or (_why_not_decided(_shape(system)) if policy_of(system).from_outside else None)
        or (_refused.get(_shape(system)) if _refused else None)
    )


_refused: dict[System, str] = {}  # systems whose chain was found to be none while it was built


def refuse_front(system: System, reason: str) -> None:
    """Let a system from now on have no front, for a reason that was found while its chain was built."""
    _refused[_shape(system)] = reason


def _shape(system: System) -> System:
    """Return the system without what a front does not depend on: how much arrives, and its name."""
    return system.replace(arrival_rate=None, load=None, utilisation=None, name="")


@lru_cache(maxsize=64)
def _why_not_decided(system: System) -> str | None:
    """Return the reason if a decision function from outside uses what a chain does not know, in the first fronts."""
    served_by = discipline_of(system).front_model(system)
    assert served_by is not None  # else there is a reason
    try:
        model: FrontModel[Any, Any] = served_by.made(system)
        fronts = {model.empty(): None}
        for front in (waiting := list(fronts)):  # the list grows while it is read
            joined = [] if model.full(front) else [model.add(front, job) for job, _ in model.fresh()]
            reached = [settled for after in joined for settled, _ in model.settled(after)]
            reached += [after for _, after, _ in model.steps(front)] + joined
            waiting += (new := [each for each in dict.fromkeys(reached) if each not in fronts])
            fronts.update(dict.fromkeys(new))
            if len(fronts) > PROBED:
                break
        model.confirm()
    except NotSupported as error:
        return error.message
    return None


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
