"""Job types: a class and the phase its duration is in. What a chain counts.

A class with a phase-type duration (alpha, T, exit rates t) contributes one type per phase; a fresh job is of type
(i, phase) with probability p_i·alpha_phase, changes phase at the rates of T and completes at rate t_phase.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import block_diag

from msj.errors import NotSupported
from msj.model import JobClass, System


@dataclass(frozen=True, kw_only=True, eq=False)
class JobTypes:
    """All types of a system, as arrays over types."""

    needs: NDArray[np.int64]
    fresh: NDArray[np.float64]  # probability that a fresh job is of this type
    completion_rates: NDArray[np.float64]
    phase_changes: NDArray[np.float64]  # rates from type to type within a class; zero diagonal
    class_of: NDArray[np.int64]  # index into the classes
    labels: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.needs)

    def blocked_share(self, most_free: int) -> NDArray[np.float64]:
        """P(V > f) for f = 0..most_free: the share of fresh jobs that f free servers cannot take.

        Summed from above, so that it is exactly zero where every job fits and never a small leftover.
        """
        share = np.zeros(most_free + 1)
        below = 0
        for need in np.unique(self.needs).tolist():
            share[below:need] = self.fresh[self.needs >= need].sum()
            below = need
        return share


def why_not_phase_type(system: System) -> str | None:
    """Return the reason why the durations are not all phase type, or None if they are."""
    for c in system.active_classes:
        if c.duration.as_phase_type() is None:
            mean, cv = float(c.duration.mean), float(c.duration.cv)
            fit = f"use law = 'fit' with mean = {mean:g}, cv = {cv:g} for an exact answer, or "
            return (
                f"class '{c.name}' has {c.duration.law} durations, which are not phase type; "
                f"{fit if 0.1 <= cv <= 1e4 else ''}simulate it"
            )
    return None


def job_types(system: System) -> JobTypes:
    """Return the job types of a plain cluster whose durations are all phase type."""
    if system.model is not None:  # every chain of a plain cluster comes by here
        raise NotSupported(f"model '{system.model.name}' has a chain of its own; use front_of")
    reason = why_not_phase_type(system)
    if reason:
        raise NotSupported(reason)
    return types_of(system.classes)


def types_of(classes: Sequence[JobClass]) -> JobTypes:
    """Return the types of classes that are all known to be phase type, in their order."""
    needs, fresh, completions, changes, class_of, labels = [], [], [], [], [], []
    for index, c in enumerate(classes):
        if c.share == 0:
            continue
        law = c.duration.as_phase_type()
        assert law is not None
        phases = len(law.alpha)
        needs += [c.need] * phases
        fresh.append(float(c.share) * law.alpha)
        completions.append(law.exit_rates)
        moves = law.subgenerator.copy()
        np.fill_diagonal(moves, 0.0)
        changes.append(moves)
        class_of += [index] * phases
        labels += [c.name] if phases == 1 else [f"{c.name}/{phase + 1}" for phase in range(phases)]
    total = np.concatenate(fresh)
    return JobTypes(
        needs=np.array(needs, dtype=np.int64),
        fresh=total / total.sum(),
        completion_rates=np.concatenate(completions),
        phase_changes=np.asarray(block_diag(*changes)),
        class_of=np.array(class_of, dtype=np.int64),
        labels=tuple(labels),
    )
