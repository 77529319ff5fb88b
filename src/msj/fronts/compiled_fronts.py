"""The saturated chain of any policy with a finite front, by compiled enumeration.

The same chain as ``front_chain.saturated_front`` makes of ``policy_front``, in the same canonical form of fronts, some
hundred times faster; the plain one is its twin in the tests. Jobs that join after a completion pass through vanishing
states (``markov.marked_chain``), one per front that is not full, so that no row grows long.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

from msj.disciplines import Policy
from msj.errors import NotSupported, TooLarge
from msj.fronts.front_chain import MOST_FRONTS as PLAIN_FRONTS
from msj.fronts.front_chain import saturated_front
from msj.fronts.front_model import FrontModel
from msj.fronts.policy_front import PolicyFront
from msj.markov.marked_chain import MarkedChain, SeveralRecurrentClasses, Sparse

SMALL = 2_000  # fronts, full or not: below, plain Python takes less than a second
MOST_FRONTS = 3_000_000  # full or not; 2 to 6 GB with the factors of the solver, about a minute


@dataclass(frozen=True, kw_only=True, eq=False)
class CompiledFronts:
    """The chain, its fronts as rows (see ``front_loop``), and how many servers each uses."""

    chain: MarkedChain
    rows: NDArray[np.int16]
    busy_servers: NDArray[np.float64]


def saturated_fronts(model: FrontModel[Any, Any]) -> tuple[MarkedChain, NDArray[np.float64] | None]:
    """Return the saturated chain of any model, by the way that suits it, and how many servers each front uses.

    Small chains are made plainly, because loading the compiler takes longer; so are those of models in Python. Servers
    in use are None where the model knows of none. A system whose long run depends on its start is refused.
    """
    try:
        return _saturated_fronts(model)
    except SeveralRecurrentClasses as error:
        raise NotSupported(
            "the saturated chain has several recurrent classes, so its throughput depends on which jobs came first"
        ) from error


def _saturated_fronts(model: FrontModel[Any, Any]) -> tuple[MarkedChain, NDArray[np.float64] | None]:
    compile_it = isinstance(model, PolicyFront) and model.compiles
    try:
        fronts, chain = saturated_front(model, most_fronts=SMALL if compile_it else PLAIN_FRONTS)
    except TooLarge:
        if not isinstance(model, PolicyFront) or not model.compiles:
            raise
        if why_not_compiled(model) is None:
            found = compiled_fronts(model)
            return found.chain, found.busy_servers
        fronts, chain = saturated_front(model)
    busy = [model.busy_servers(front) for front in fronts]
    return chain, None if None in busy else np.array(busy, dtype=float)


def why_not_compiled(model: PolicyFront) -> str | None:
    """Return the reason why the compiled enumeration does not apply, or None if it does."""
    if _rule(model.policy) is None:
        return f"policy '{model.policy.name}' says in Python when it has seen enough"
    if _compiled(model.policy) is None:
        return f"the function of policy '{model.policy.name}' cannot be compiled"
    return None


def compiled_fronts(model: PolicyFront, *, most_fronts: int = MOST_FRONTS) -> CompiledFronts:
    """Return the saturated chain of a policy on a system; ``why_not_compiled`` says where it applies.

    Examples
    --------
    >>> from msj import Exponential, JobClass, System
    >>> from msj.fronts import policy_front
    >>> from msj.markov import solve
    >>> classes = [JobClass(name=str(n), need=n, share="1/2", duration=Exponential(mean=1)) for n in (1, 4)]
    >>> system = System(servers=8, classes=classes, policy="server-filling")
    >>> round(solve(compiled_fronts(policy_front(system)).chain).throughput, 12)  # 8 / E[need x duration]
    3.2
    """
    from msj.fronts.front_loop import Rule, front_loop  # loads the compiler

    types, policy, servers = model.types, model.policy, model.system.servers
    serve, rule = _compiled(policy), _rule(policy)
    assert serve is not None
    assert rule is not None
    width = model.most_jobs if policy.preemptive else len(types) + model.front
    loop_rule = Rule(
        servers=servers,
        preemptive=bool(policy.preemptive),
        by_need=policy.order_within_need,
        full=rule,
        front=model.front,
        one_by_one=not model.settles,
    )
    done, rows, full, *steps = front_loop()(serve, loop_rule, _jobs(model), width, most_fronts)
    if not done:
        raise TooLarge(
            f"the chain of policy '{policy.name}' has more than {most_fronts:,} fronts, of up to {model.most_jobs:,} "
            f"jobs of {len(types):,} types; use fewer servers, classes or phases, a smaller window, or simulate"
        )
    count = (rows >= 0).sum(axis=1) if policy.preemptive else rows[:, : len(types)].sum(axis=1, dtype=np.int64)
    if not policy.preemptive:
        count = count + (rows[:, len(types) :] >= 0).sum(axis=1)
    return CompiledFronts(chain=_chain(full, count, *steps), rows=rows[full], busy_servers=_busy(model, rows[full]))


def _chain(full: Any, jobs: Any, source: Any, target: Any, value: Any, kind: Any) -> MarkedChain:
    """Sort the steps into the blocks of a marked chain; vanishing states by size, so that steps only lead upwards."""
    from msj.fronts.front_loop import COMPLETES, JOINS, QUIET

    states, vanishing = np.flatnonzero(full), np.flatnonzero(~full)
    vanishing = vanishing[np.argsort(jobs[vanishing], kind="stable")]
    place = np.empty(len(full), np.int64)
    place[states], place[vanishing] = np.arange(len(states)), np.arange(len(vanishing))
    sizes = {True: len(states), False: len(vanishing)}
    reaches_full = full[target]

    def block(what: int, from_full: bool, to_full: bool) -> Sparse:
        chosen = (kind == what) & (reaches_full == to_full)
        entries = (value[chosen], (place[source[chosen]], place[target[chosen]]))
        return sparse.csr_array(sparse.coo_array(entries, (sizes[from_full], sizes[to_full])))

    return MarkedChain.from_blocks(
        quiet=block(QUIET, True, True),
        completing=block(COMPLETES, True, True),
        starting=block(COMPLETES, True, False),
        passing=block(JOINS, False, False),
        settling=block(JOINS, False, True),
    )


def _busy(model: PolicyFront, rows: NDArray[np.int16]) -> NDArray[np.float64]:
    if not model.policy.preemptive:
        return np.asarray(rows[:, : len(model.types)] @ model.types.needs, dtype=float)
    from msj.fronts.front_loop import busy_loop

    return np.asarray(busy_loop()(_compiled(model.policy), rows, _jobs(model), model.system.servers))


def _jobs(model: PolicyFront) -> Any:
    """Return the job types as the loop takes them."""
    from msj.fronts.front_loop import Jobs

    types = model.types
    return Jobs(
        needs=types.needs,
        classes=np.ascontiguousarray(model.shown_classes, dtype=np.int64),
        fresh=types.fresh,
        completion_rates=types.completion_rates,
        changes=np.ascontiguousarray(types.phase_changes),
    )


def _rule(policy: Policy) -> int | None:
    """When a preemptive front is full, as ``front_loop`` knows it."""
    from msj.fronts.front_loop import LENGTH, NEED, PASSES

    if policy.front is not None:
        return PASSES
    if type(policy).sees_enough is not Policy.sees_enough:
        return None
    return NEED if policy.sees_enough_once_full else LENGTH


def _compiled(policy: Policy) -> Any | None:
    """Compile a policy's function, or return None: it may use what cannot be compiled, or what no chain knows."""
    try:
        return policy.compiled("known")
    except Exception:  # whatever the compiler has against it
        return None
