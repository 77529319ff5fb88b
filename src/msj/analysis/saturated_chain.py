"""The saturated system by its counts-only chain: any number of classes, any phase-type durations.

wasted = k − E[busy] is computed as the mean number of free servers, which keeps its digits when little is wasted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray
from scipy.sparse.linalg import expm_multiply

from msj.analysis.base import Saturated, SaturatedAnalysis, why_not_fcfs, without_load
from msj.analysis.chain_cost import chain_cost
from msj.disciplines.fcfs import is_fcfs
from msj.effort import Cost
from msj.errors import NotAccurate
from msj.fronts.fcfs_counts import CountsChain, number_of_states, saturated_chain
from msj.fronts.job_types import job_types, why_not_phase_type
from msj.logs.spec_or_log import as_system
from msj.markov import LongRun, MarkedChain, solve
from msj.model import System
from msj.model.spec_file import SystemLike

ACCURATE = 1e-8


@dataclass(frozen=True, kw_only=True, eq=False)
class SaturatedSystem:
    """The solved saturated chain, state by state.

    ``counts[s, t]`` is the number of type-t jobs in service in state s (types as in ``labels``); the arrays
    ``time_average``, ``departure_average`` and ``relative_completions`` run over the states.
    """

    built: CountsChain
    long_run: LongRun

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the job types: a class, or class/phase."""
        return self.built.types.labels

    @property
    def counts(self) -> NDArray[np.int32]:
        """Jobs in service per state and type."""
        return self.built.counts

    @property
    def time_average(self) -> NDArray[np.float64]:
        """Stationary law Y."""
        return self.long_run.time_average

    @property
    def departure_average(self) -> NDArray[np.float64]:
        """Law Y_d just after a completion."""
        return self.long_run.departure_average

    @property
    def relative_completions(self) -> NDArray[np.float64]:
        """Delta(y) of each state."""
        return self.long_run.relative_completions

    @property
    def stability_threshold(self) -> float:
        """lambda*: the completion rate of the saturated system."""
        return self.long_run.throughput

    @property
    def wasted_servers(self) -> float:
        """Mean number of servers idle although jobs wait."""
        return float(self.time_average @ self.built.free)


def saturate(system: SystemLike) -> SaturatedSystem:
    """Solve the saturated system of ``system``, or of the file that describes it, state by state.

    Examples
    --------
    >>> import msj
    >>> saturated = msj.saturate("examples/two_servers.toml")
    >>> saturated.counts.tolist(), saturated.relative_completions.round(12).tolist()
    ([[0, 1], [1, 0], [2, 0]], [-0.37, -0.27, 1.38])
    """
    system = as_system(system)
    SaturatedChain().require(system)
    # How much arrives does not matter here: the same chain serves every load.
    return _saturate(without_load(system))


def completions_ahead(
    chain: MarkedChain, relative_completions: NDArray[np.float64], times: Sequence[float]
) -> NDArray[np.float64]:
    """Return E[C(y, t)] − lambda*·t for each time and state y: completions until t, less the usual number.

    With A = D0 + D1 and A·Delta = lambda* − D1·1, integrating e^(As)·(D1·1 − lambda*) gives Delta − e^(At)·Delta, which
    tends to Delta (reset, equation (1)).

    Examples
    --------
    >>> import msj
    >>> found = msj.saturate("examples/two_servers.toml")
    >>> completions_ahead(found.built.chain, found.relative_completions, [0, 1, 20]).round(4).tolist()
    [[0.0, 0.0, 0.0], [-0.2522, -0.0425, 0.7992], [-0.37, -0.27, 1.38]]
    """
    generator = sparse.csr_array(chain.D0 + chain.D1)
    return np.array([relative_completions - expm_multiply(generator * t, relative_completions) for t in times])


@lru_cache(maxsize=4)
def _saturate(system: System) -> SaturatedSystem:
    built = saturated_chain(system)
    return SaturatedSystem(built=built, long_run=solve(built.chain))


@lru_cache(maxsize=8)
def _cost(system: System) -> Cost:
    return chain_cost(number_of_states(system), len(job_types(system)))


class SaturatedChain(SaturatedAnalysis):
    """The general chain."""

    name: ClassVar[str] = "saturated-chain"
    summary: ClassVar[str] = "threshold, waste and relative completions of FCFS, phase-type durations, any classes"
    citation: ClassVar[str] = "reset, sections 3.5-3.11 and Appendix C.1"
    needs_independence: ClassVar[bool] = False

    def supports(self, system: System) -> str | None:
        return why_not_fcfs(system) or why_not_phase_type(system)

    def concerns(self, system: System) -> bool:
        return is_fcfs(system)

    def cost(self, system: System) -> Cost:
        return _cost(without_load(system))

    def saturate(self, system: System) -> Saturated:
        solved = saturate(system)
        run = solved.long_run
        busy = system.servers - solved.wasted_servers
        gap = abs(run.throughput * system.mean_work / busy - 1.0)
        if not gap <= ACCURATE:  # Little's law for the servers, which the chain does not know
            raise NotAccurate(
                f"busy servers and throughput disagree by {gap:.1e}, relatively, and {ACCURATE:.0e} is required; "
                "simulate this system, or bring its rates closer together"
            )
        return Saturated(
            stability_threshold=run.throughput,
            wasted_servers=solved.wasted_servers,
            saturated_utilisation=1.0 - solved.wasted_servers / system.servers,
            relative_completions_at_departure=run.relative_completions_at_departure,
            method="saturated chain",
            citation=self.citation,
            facts={
                "states": solved.built.chain.states,
                "solver": run.method,
                "residual": run.residual,
                "threshold_error": float(run.throughput_error),
                "little_gap_saturated": gap,
            },
        )


VARIANT = SaturatedChain
