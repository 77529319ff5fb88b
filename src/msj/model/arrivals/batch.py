"""Batches: Poisson moments at each of which several jobs arrive together. The rate counts jobs, not batches.

``size`` is a duration law whose draws are rounded up to whole numbers: ``deterministic`` and ``empirical`` with whole
numbers are taken as they are, and a phase type (alpha, T) becomes the discrete one with P(size > n) = alpha·exp(T n)·1,
so an exponential law becomes a geometric one. With sizes B the index of dispersion is E[B²]/E[B].

As a Markov chain: one phase that takes time and one passing phase for each stage of a batch (``markov_form``).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from msj.errors import InvalidInput, MsjError
from msj.model.arrivals.base import Arrivals, ArrivalSampler
from msj.model.arrivals.markov_form import MarkovForm
from msj.model.durations import Deterministic, Duration, Empirical, duration_from_spec

MOST_STAGES = 400  # phases of a batch that exact methods keep


@dataclass(frozen=True, kw_only=True)
class BatchArrivals(Arrivals):
    """Jobs that come together, at Poisson moments.

    Examples
    --------
    >>> pairs = BatchArrivals(size={"law": "deterministic", "value": 2})
    >>> pairs.mean_size, pairs.dispersion(1.0)
    (2.0, 2.0)
    """

    law: ClassVar[str] = "batch"
    summary: ClassVar[str] = "several jobs at a time, at Poisson moments; size (a law, rounded up)"
    one_at_a_time: ClassVar[bool] = False

    size: Duration

    def __post_init__(self) -> None:
        if not isinstance(self.size, Duration):
            try:
                object.__setattr__(self, "size", duration_from_spec(self.size))
            except MsjError as error:
                raise error.within("size") from None
        if not isinstance(self.size, (Deterministic, Empirical)) and self.size.as_phase_type() is None:
            raise InvalidInput(
                f"size has the law '{self.size.law}', whose rounded values have no mean that is known; "
                "use deterministic, empirical or a phase type (exponential makes geometric sizes)"
            )

    def retimed(self, factor: Fraction) -> Self:  # noqa: ARG002 - how many come together is no time
        return self

    @cached_property
    def _stages(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Size as a discrete phase type: first stage, and the probabilities of a further job in a next stage."""
        if isinstance(self.size, (Deterministic, Empirical)):
            drawn = [float(self.size.mean)] if isinstance(self.size, Deterministic) else self.size.recorded
            sizes, counts = np.unique(np.ceil(np.asarray(drawn) * (1.0 - 1e-12)), return_counts=True)
            first = np.zeros(int(sizes[-1]))
            first[sizes.astype(int) - 1] = counts / counts.sum()  # stage n: n jobs are left, this one included
            return first, np.eye(len(first), k=-1)
        from scipy.linalg import expm

        law = self.size.as_phase_type()
        assert law is not None
        return law.alpha, np.asarray(expm(law.subgenerator))

    @cached_property
    def _moments(self) -> tuple[float, float]:
        """E[B] and E[B²]."""
        first, further = self._stages
        visits = np.linalg.solve(np.eye(len(first)) - further, np.ones(len(first)))
        later = np.linalg.solve(np.eye(len(first)) - further, further @ visits)
        return float(first @ visits), float(first @ (visits + 2.0 * later))

    @property
    def mean_size(self) -> float:
        """Jobs of a batch, on average."""
        return self._moments[0]

    def dispersion(self, rate: float) -> float:  # noqa: ARG002
        return self._moments[1] / self._moments[0]

    def relaxation_time(self, rate: float) -> float:  # noqa: ARG002
        return 0.0

    def markov_form(self, rate: float) -> MarkovForm | None:
        first, further = self._stages
        size = len(first)
        if size + 1 > MOST_STAGES:
            return None
        ends = np.maximum(1.0 - further.sum(axis=1), 0.0)
        batches = rate / self.mean_size
        marked = np.zeros((size + 1, size + 1))
        marked[0, 0], marked[0, 1:] = batches * (first @ ends), batches * (first @ further)
        marked[1:, 0], marked[1:, 1:] = ends, further
        # Stages that only ever hold the first job of a batch are never waited in.
        entered = np.append(True, marked[:, 1:].max(axis=0) > 0)
        marked = marked[np.ix_(entered, entered)]
        passing = np.arange(len(marked)) > 0
        return MarkovForm.of(-np.diag(marked.sum(axis=1)), marked, passing)

    def sampler(self, rate: float, rng: np.random.Generator, names: Sequence[str]) -> ArrivalSampler:  # noqa: ARG002
        return BatchSampler(self.size, self.mean_size / rate, rng)

    def assumption(self) -> str:
        return f"Poisson batches of {self.mean_size:.4g} jobs on average ({self.size.law})"


class BatchSampler(ArrivalSampler):
    """Exponential gaps between batches, no time within them."""

    def __init__(self, size: Duration, gap: float, rng: np.random.Generator) -> None:
        self.size: Any = size
        self.gap, self.rng = gap, rng
        self.left = 0  # jobs of a batch that began in an earlier block

    def draw(self, gaps: NDArray[np.float64], classes: NDArray[np.int64]) -> None:  # noqa: ARG002
        gaps[:] = 0.0
        at = self.left
        while at < len(gaps):
            many = max(math.ceil((len(gaps) - at) / 4), 16)
            sizes = np.maximum(np.ceil(self.size.sample(self.rng, many) * (1.0 - 1e-12)), 1.0).astype(np.int64)
            starts = at + np.cumsum(sizes) - sizes
            waits = self.rng.standard_exponential(many) * self.gap
            here = starts < len(gaps)
            gaps[starts[here]] = waits[here]
            if here.all():
                at = int(starts[-1] + sizes[-1])
            else:  # what lies beyond this block was drawn for nothing
                last = int(np.flatnonzero(here)[-1])
                at = int(starts[last] + sizes[last])
        self.left = at - len(gaps)


VARIANT = BatchArrivals
