"""The questions that may be asked over the wire, each with its options and what it gives: results, surer and surer.

Every one is a verb of ``import msj`` or of the command line with its own names for the options; what would name a file
or code is not among them. ``simulate`` and ``compare`` run again with four times as many jobs until they have the
number asked for: each line is what ``msj simulate --jobs N --seed S`` prints, so its interval is that of a run of fixed
length and not of one that ended because it looked good.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

from msj import answers
from msj.disciplines.applicable import why_not_comparable
from msj.effort import Effort
from msj.errors import InvalidInput, OutOfTime
from msj.model import System
from msj.model.chosen import chosen_from, distinct_label
from msj.model.numbers import number, whole
from msj.registry import POLICIES, nearest
from msj.reports.policies import USUAL
from msj.results import Outcome, Result
from msj.web.look import look
from msj.web.policy_table import as_reference, policy_table
from msj.web.recorded import Recording

FIRST_JOBS, STEP = 25_000, 4
MOST_JOBS = 20_000_000
MOST_LOADS, MOST_POLICIES = 60, 12
CUT = (Outcome.INTERRUPTED, Outcome.OUT_OF_TIME)

Question: TypeAlias = Callable[..., Iterator[Result]]


def analyse(
    system: System, effort: Effort, *, exact: bool | None = None, percentiles: bool | None = None
) -> Iterator[Result]:
    """Give what ``msj analyse`` gives."""
    yield answers.analyse(
        system, exact=_flag(exact, "exact"), percentiles=_flag(percentiles, "percentiles"), progress=effort.progress
    )


def curve(
    system: System, effort: Effort, *, loads: Sequence[float] | None = None, jobs: int | None = None, seed: int = 1
) -> Iterator[Result]:
    """Give what ``msj curve`` gives."""
    if loads is not None and (not isinstance(loads, list) or len(loads) > MOST_LOADS):
        raise InvalidInput(f"loads must be a list of at most {MOST_LOADS} numbers")
    most = None if jobs is None else _jobs(jobs)
    yield answers.curve(system, loads=loads, jobs=most, seed=_seed(seed), progress=effort.progress)


def simulate(system: System, effort: Effort, *, jobs: int = 1_600_000, seed: int = 1) -> Iterator[Result]:
    """Give what ``msj simulate`` gives, for more and more jobs."""
    for most in _lengths(_jobs(jobs)):
        found = answers.simulate(system, jobs=most, seed=_seed(seed), effort=effort)
        if found.outcome in CUT:
            raise OutOfTime(f"the run of {most:,} jobs was not complete in time; ask for fewer, or use msj simulate")
        yield found
        if found.outcome is Outcome.UNSTABLE:
            return


def compare(
    system: System,
    effort: Effort,
    *,
    policies: Sequence[Any] | None = None,
    jobs: int = 400_000,
    seed: int = 1,
    own: Sequence[str] = (),
) -> Iterator[Result]:
    """Give what ``msj compare`` gives, for more and more jobs; without policies, the usual ones that can run it."""
    chosen = _policies(policies, own) if policies is not None else _usual(system, own)
    for most in _lengths(_jobs(jobs)):
        found = answers.compare(system, chosen, jobs=most, seed=_seed(seed), effort=effort)
        if found.outcome in CUT:
            raise OutOfTime(
                f"the comparison of {len(chosen)} policies on {most:,} jobs was not complete in time; "
                "ask for fewer jobs, or use msj compare"
            )
        yield found


def policies(
    system: System,
    effort: Effort,
    *,
    jobs: int = 400_000,
    seed: int = 1,
    reference: Any = None,
    percentile_95: Any = None,
    own: Sequence[str] = (),
) -> Iterator[Result]:
    """Give the policy table of the page: like ``compare``, but exact where known and in agreement with the page."""
    chosen: dict[str, Any] = {}
    for policy in _usual(system, own):
        chosen[distinct_label(policy, chosen)] = policy
    lengths = list(_lengths(_jobs(jobs)))
    return policy_table(
        system,
        chosen,
        effort,
        lengths=lengths,
        seed=_seed(seed),
        reference=as_reference(reference),
        percentile_95=as_reference(percentile_95, "response_time_percentile", 95.0),
    )


def replay(
    system: System,
    effort: Effort,
    *,
    policies: Sequence[Any] | None = None,
    largest_need: int | None = None,
    scale_load: float = 1,
    seed: int = 1,
    own: Sequence[str] = (),
    log: Recording | None = None,
) -> Iterator[Result]:
    """Give what ``msj replay`` gives of the log the server was started with, once, on the servers of the cluster."""
    if log is None:
        raise InvalidInput("there is no log to replay; start the server with one: msj explore LOG")
    chosen = _policies(policies, own) if policies is not None else _usual(system, own)
    found = answers.replay(
        log.trace,
        servers=system.servers,
        policies=chosen,
        largest_need=largest_need,
        scale_load=scale_load,
        shakes=0,
        seed=_seed(seed),
        progress=effort.progress,
    )
    yield found if system.time_unit is None else found.in_unit(system.time_unit)


QUESTIONS: dict[str, Question] = {
    "analyse": analyse,
    "curve": curve,
    "simulate": simulate,
    "compare": compare,
    "policies": policies,
    "replay": replay,
    "look": lambda system, effort, *, seed=1, changes=True, percentiles=True, reference=None: look(
        system,
        effort,
        seed=_seed(seed),
        changes=_flag(changes, "changes") is not False,
        percentiles=_flag(percentiles, "percentiles") is not False,
        reference=as_reference(reference),
    ),
}


def answers_to(
    name: Any,
    system: System,
    options: Any,
    effort: Effort,
    *,
    own_policies: Sequence[str] = (),
    log: Recording | None = None,
) -> Iterator[Result]:
    """Ask a question by its name; its options are checked before anything is computed."""
    if not isinstance(name, str) or name not in QUESTIONS:
        raise InvalidInput(f"unknown question {str(name)[:80]!r}; {nearest(str(name)[:80], QUESTIONS)}")
    question = QUESTIONS[name]
    given = {} if options is None else options
    parameters = inspect.signature(question).parameters
    of_the_server = {"own": own_policies, "log": log}
    known = [key for key in parameters if key not in ("system", "effort", *of_the_server)]
    if not isinstance(given, dict):
        raise InvalidInput(f"options must be a table; '{name}' knows {', '.join(known)}")
    for key in given:
        if key not in known:
            raise InvalidInput(f"unknown option '{key[:80]}' for '{name}'; {nearest(key[:80], known)}")
    return question(system, effort, **given, **{k: v for k, v in of_the_server.items() if k in parameters})


def _lengths(jobs: int) -> Iterator[int]:
    """Return how many jobs each run has: the last has all, the others a quarter of the next.

    Examples
    --------
    >>> list(_lengths(1_000_000))
    [62500, 250000, 1000000]
    """
    steps = max(math.floor(math.log(jobs / FIRST_JOBS, STEP)), 0)
    return (round(jobs / STEP**step) for step in range(steps, -1, -1))


def _usual(system: System, own: Sequence[str]) -> list[Any]:
    """Return the cluster's own policy and the usual ones that apply to it."""
    chosen = [system.policy]
    for name in (*own, *USUAL):
        try:
            policy: Any = chosen_from(POLICIES, name, "fcfs")
        except InvalidInput:  # a broken file has the name of one that nobody asked for
            if name in own:
                raise
            continue
        if policy not in chosen and why_not_comparable(system, policy) is None:
            chosen.append(policy)
    return chosen


def _policies(given: Any, own: Sequence[str]) -> list[Any]:
    known = {*POLICIES.names(), *own}
    if not isinstance(given, list) or not 1 <= len(given) <= MOST_POLICIES:
        raise InvalidInput(f"policies must be a list of 1 to {MOST_POLICIES} names")
    for name in given:
        if not isinstance(name, str) or name not in known:
            raise InvalidInput(f"unknown policy {str(name)[:80]!r}; {nearest(str(name)[:80], sorted(known))}")
    return given


def _jobs(jobs: Any) -> int:
    found = whole(jobs, "jobs")
    if found > MOST_JOBS:
        raise InvalidInput(f"jobs = {found:,} is more than a page may ask for, {MOST_JOBS:,}; use msj simulate")
    return found


def _seed(seed: Any) -> int:
    return whole(number(seed, "seed"), "seed", least=0)


def _flag(value: Any, name: str) -> bool | None:
    if value is not None and not isinstance(value, bool):
        raise InvalidInput(f"{name} = {str(value)[:40]!r} must be true, false or null")
    return value
