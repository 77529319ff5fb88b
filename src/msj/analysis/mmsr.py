"""The M/M/1 with Markovian service rate: any marked chain as service process.

Jobs arrive at rate lambda and leave one at a time, first come first served, at the completions of a finite chain (D0,
D1) that runs on by itself; completions that find nobody are lost (reset, section 3.2). The level process has the
chain's states as phases: up lambda·I, local D0 − lambda·I, down D1, and D0 + D1 − lambda·I at level 0.

- MARC (reset, Theorem 4.1): E[T] = (1 + Delta(Y_d))/(lambda*·(1 − lambda/lambda*)) + O(1);
- exactly: the level process; P(T > t) by its descent, a job's response ending with the completion after those ahead.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
import scipy.sparse as sparse
from numpy.typing import ArrayLike

from msj.analysis.percentile_row import percentile_row
from msj.analysis.reset import predicted_mean_response_time, require_stable
from msj.errors import InvalidInput, TooLarge
from msj.markov.blas import blas_threads
from msj.markov.level_descent import DescentLevel, LevelDescent
from msj.markov.level_process import LevelLaw, LevelProcess
from msj.markov.level_process import solve as solve_levels
from msj.markov.marked_chain import MarkedChain
from msj.markov.percentiles import SurvivalCurves
from msj.markov.solution import solve
from msj.model.numbers import number, positive, whole
from msj.results import Kind, Outcome, Quantity, Result, provenance

MOST_PHASES = 4_000
QBD = "Latouche & Ramaswami 1999 (QBD)"


def analyse_service_process(
    chain: MarkedChain,
    *,
    arrival_rate: float | None = None,
    load: float | None = None,
    percentiles: Sequence[float] = (50.0, 90.0, 95.0, 99.0, 99.9),
    name: str = "service process",
) -> Result:
    """Return threshold, MARC prediction and exact response time of the queue served by a marked chain.

    Examples
    --------
    A server that works at rate 2, breaks down at rate 0.1 and is repaired at rate 0.5:

    >>> from msj import mmsr
    >>> server = mmsr.MarkedChain.from_matrices([[-2.1, 0.1], [0.5, -0.5]], [[2, 0], [0, 0]])
    >>> result = mmsr.analyse(server, load=0.8)
    >>> round(result["stability_threshold"], 6), round(result["mean_response_time"], 6)
    (1.666667, 4.666667)
    """
    started = time.perf_counter()
    if arrival_rate is not None and load is not None:
        raise InvalidInput("arrival_rate and load are both given; say how much arrives in one way only")
    arrival_rate, load = (
        None if value is None else float(positive(value, key))
        for key, value in (("arrival_rate", arrival_rate), ("load", load))
    )
    for level in percentiles:
        if not 0 < float(number(level, "percentile")) < 100:
            raise InvalidInput(f"percentile = {level} must lie between 0 and 100; 95 is the 95th")
    run = solve(chain)
    rows = [
        _row("stability_threshold", run.throughput, "exact", "stationary law", "reset, section 3.7"),
        _row(
            "relative_completions_at_departure",
            run.relative_completions_at_departure,
            "exact",
            "Poisson equation",
            "reset, Corollary D.1",
        ),
    ]
    facts = {"states": chain.states, "solver": run.method, "residual": run.residual}
    rate = load * run.throughput if load is not None else arrival_rate
    if rate is not None:
        require_stable(rate, run.throughput)
        predicted = predicted_mean_response_time(rate, run.throughput, run.relative_completions_at_departure)
        rows.append(_row("predicted_mean_response_time", predicted, "asymptotic", "MARC", "reset, Theorem 4.1"))
        with blas_threads(1):
            law = open_queue(chain, rate)
            exact = _exact_rows(chain, law, rate, percentiles)
        difference = exact[0].value - predicted
        rows += [_row("reset_difference", difference, "exact", "QBD minus MARC", "reset, Theorem 4.1"), *exact]
        facts |= {"exact_residual": law.residual}
    return Result(
        system={"name": name, "states": chain.states, "arrival_rate": rate},
        quantities=tuple(rows),
        outcome=Outcome.SOLVED if rate is not None else Outcome.NO_LOAD_GIVEN,
        provenance=provenance(seconds=round(time.perf_counter() - started, 6), **facts),
    )


def open_queue(chain: MarkedChain, arrival_rate: float) -> LevelLaw:
    """Return the stationary law of (jobs in system, state of the chain)."""
    if chain.states > MOST_PHASES:
        raise TooLarge(
            f"the service process has {chain.states:,} states and at most {MOST_PHASES:,} can be solved exactly; "
            "use the MARC prediction"
        )
    eye = sparse.eye_array(chain.states, format="csr")
    D0, D1 = chain.D0, chain.D1
    return solve_levels(
        LevelProcess(
            local=[D0 + D1 - arrival_rate * eye],
            up=[arrival_rate * eye],
            down=[None, D1],
            repeating_up=arrival_rate * eye,
            repeating_local=D0 - arrival_rate * eye,
            repeating_down=D1,
        )
    )


def _exact_rows(chain: MarkedChain, law: LevelLaw, rate: float, levels: Sequence[float]) -> list[Quantity]:
    mean = law.mean_level()
    busy = 1.0 - law.level_mass(0)
    values = {
        "mean_response_time": mean / rate,
        "mean_waiting_time": (mean - busy) / rate,
        "mean_jobs_in_system": mean,
        "mean_jobs_waiting": mean - busy,
        "waiting_probability": busy,
        "tail_decay_rate": law.decay_rate,
    }
    rows = [_row(name, value, "exact", "QBD", QBD) for name, value in values.items()]
    if len(levels):
        found, errors = response_curve(chain, law, mean / rate).percentiles(np.asarray(levels, dtype=float))
        rows += [
            percentile_row("response_time_percentile", level, value, error, None)
            for level, value, error in zip(levels, found[:, 0], errors[:, 0], strict=True)
        ]
    return rows


def response_curve(chain: MarkedChain, law: LevelLaw, scale: float) -> SurvivalCurves:
    """Return P(T > t): a job's response ends with the completion that follows those of the jobs ahead."""
    alone = DescentLevel(
        start=law.boundary[0],
        completions=chain.D1,
        local=sparse.csr_array(chain.D0),
        counted=sparse.csr_array(np.ones((1, chain.states))),
    )
    descent = LevelDescent(
        first_repeating=law.first_repeating,
        rate_matrix=law.rate_matrix,
        repeating_local=sparse.csr_array(chain.D0),
        repeating_completions=chain.D1,
        levels=(alone,),
    )
    return SurvivalCurves(descent.transform, np.ones(1), width=chain.states, scale=scale)


def breakdowns(*, rate: float, failure_rate: float, repair_rate: float, servers: int = 1) -> MarkedChain:
    """A server pool whose ``servers`` machines each work at ``rate``, break down and are repaired independently.

    The service process keeps working while the queue is empty (section 3.2): with j machines up, completions come at
    rate j·rate. State: machines up.
    """
    servers = whole(servers, "servers")
    rate, repair_rate = (float(positive(v, k)) for k, v in (("rate", rate), ("repair_rate", repair_rate)))
    failure_rate = float(number(failure_rate, "failure_rate"))
    if failure_rate < 0:
        raise InvalidInput(f"failure_rate = {failure_rate:g} must not be negative; 0 means machines never fail")
    _check_states(servers + 1)
    up = np.arange(servers + 1)
    D1 = np.diag(rate * up.astype(float))
    changes = np.diag(failure_rate * up[1:].astype(float), -1) + np.diag(repair_rate * (servers - up[:-1]), 1)
    return MarkedChain.from_matrices(changes - np.diag(changes.sum(axis=1) + D1.sum(axis=1)), D1)


def higher_priority(
    *, servers: int, rate: float, priority_arrival_rate: float, priority_rate: float, most: int | None = None
) -> MarkedChain:
    """Servers that higher-priority jobs (Poisson, exponential, one server each) take away.

    Low-priority work is completed at ``rate`` by each server the priority jobs leave. State: priority jobs present, cut
    off at ``most`` (by default where less than 1e-15 of their law lies beyond).
    """
    servers = whole(servers, "servers")
    rate, priority_arrival_rate, priority_rate = (
        float(positive(value, key))
        for key, value in (
            ("rate", rate),
            ("priority_arrival_rate", priority_arrival_rate),
            ("priority_rate", priority_rate),
        )
    )
    if not priority_arrival_rate < servers * priority_rate:
        raise InvalidInput(
            f"priority_arrival_rate = {priority_arrival_rate} overloads {servers} servers of rate {priority_rate}; "
            "the priority jobs alone would be unstable: lower it"
        )
    if most is None:
        most = servers + int(np.ceil(-36.0 / np.log(priority_arrival_rate / (servers * priority_rate)))) + 1
    most = whole(most, "most", least=servers)
    _check_states(most + 1)
    present = np.arange(most + 1)
    taken = np.minimum(present, servers)
    D1 = np.diag(rate * (servers - taken).astype(float))
    changes = np.diag(np.full(most, float(priority_arrival_rate)), 1) + np.diag(priority_rate * taken[1:], -1)
    return MarkedChain.from_matrices(changes - np.diag(changes.sum(axis=1) + D1.sum(axis=1)), D1)


def _check_states(states: int) -> None:
    if states > MOST_PHASES:
        raise TooLarge(
            f"the service process would have {states:,} states and at most {MOST_PHASES:,} can be solved exactly; "
            "make it smaller, or build a sparse chain with from_matrices for the MARC prediction"
        )


def from_matrices(D0: ArrayLike, D1: ArrayLike) -> MarkedChain:
    """Make a service process from its two matrices: D1 the rates of completions, D0 all others."""
    return MarkedChain.from_matrices(D0, D1)


def _row(name: str, value: float, kind: Kind, method: str, citation: str, level: float | None = None) -> Quantity:
    return Quantity(name=name, value=value, kind=kind, method=method, citation=citation, level=level)
