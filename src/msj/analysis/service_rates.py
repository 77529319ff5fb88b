"""MSR without filling up, exactly: each need is a queue in a random environment.

Packing j serves min(n, u^j_i) jobs of need i, and the packings change whatever the queues are. So n_i and the packing
are a Markov chain if durations are exponential: a level process with the packings as phases whose levels 0 to max_j
u^j_i are its boundary. E[T_i] = E[N_i]/lambda_i; an arrival starts at once if n < u^j_i (PASTA).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from msj.analysis.base import why_not_exponential
from msj.disciplines.model import policy_of
from msj.disciplines.msr import Msr
from msj.markov.level_process import LevelLaw, LevelProcess
from msj.markov.level_process import solve as solve_levels
from msj.model import System

Vector = NDArray[np.float64]


def why_not_service_rates(system: System) -> str | None:
    """Return the reason why the needs are no independent queues under a system's policy, or None if they are."""
    if system.model is not None:
        return f"the model is '{system.model.name}' and this method knows only plain clusters"
    policy = policy_of(system)
    if not isinstance(policy, Msr):
        return f"under policy '{policy.name}' needs are served as the queues are, not by packings that take turns"
    if policy.fill:
        return "with fill = true the needs see each other; simulate it"
    rates: dict[int, float] = {}
    for c in system.active_classes:
        rate = 1.0 / float(c.duration.mean)
        if abs(rates.setdefault(c.need, rate) - rate) > 1e-12 * rate:
            other = f"another of need {c.need}"
            return f"class '{c.name}' differs in duration from {other}, so who is older matters; simulate it"
    return policy.supports(system) or why_not_exponential(system)


class OneNeed:
    """The queue of one need: ``places[j]`` of its jobs are served in packing j, which lasts ``stays[j]`` on average."""

    def __init__(self, *, share: float, service_rate: float, places: Vector, stays: Vector) -> None:
        self.share, self.service_rate, self.places, self.stays = share, service_rate, places, stays

    @property
    def threshold(self) -> float:
        """Rate of all arrivals at which this need has as much as its places can do."""
        return float(self.service_rate * (self.places @ self.stays) / self.stays.sum() / self.share)

    def law(self, rate: float) -> LevelLaw:
        """Return the stationary law of (jobs of this need, packing)."""
        phases, most = len(self.places), int(self.places.max())
        change = np.zeros((phases, phases))
        for j, stay in enumerate(self.stays):
            change[j, (j + 1) % phases] += 1.0 / stay
            change[j, j] -= 1.0 / stay
        coming = rate * self.share
        up = sparse.csr_array(coming * sparse.eye_array(phases))
        down = [
            sparse.csr_array(sparse.diags_array(np.minimum(n, self.places) * self.service_rate))
            for n in range(most + 1)
        ]
        local = [sparse.csr_array(change - coming * np.eye(phases) - down[n].toarray()) for n in range(most + 1)]
        return solve_levels(
            LevelProcess(
                local=local[:-1],
                up=[up] * most,
                down=[None, *down[1:]],
                repeating_up=up,
                repeating_local=local[-1],
                repeating_down=down[-1],
            )
        )

    def waiting_probability(self, law: LevelLaw) -> float:
        """P(an arrival does not start at once)."""
        starts = sum(float(mass[self.places > n].sum()) for n, mass in enumerate(law.boundary))
        return float(np.clip(1.0 - starts, 0.0, 1.0))


def queues(system: System) -> Iterator[tuple[int, OneNeed]]:
    """Yield each need and its queue, for a system that :func:`why_not_service_rates` has nothing against."""
    policy = policy_of(system).on(system)
    assert isinstance(policy, Msr)
    classes = system.active_classes
    stays, total = np.array(policy.mean_stays()), sum(float(c.share) for c in classes)
    for i, need in enumerate(sorted({c.need for c in classes})):
        mine = [c for c in classes if c.need == need]
        yield (
            need,
            OneNeed(
                share=sum(float(c.share) for c in mine) / total,
                service_rate=1.0 / float(mine[0].duration.mean),
                places=np.array([row[i] for row in policy.packings], dtype=float),
                stays=stays,
            ),
        )
