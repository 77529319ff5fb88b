"""One job followed through the front: the levels of the open system while it is there.

The job to be followed, the *tagged* one, must be told apart from its like. So every class gets a twin of the same need
and the same law that never arrives, and the tagged job is of a twin class: whatever front a model has, a front with
such a job in it says where it is, without another word from the model's author.

While the tagged job waits behind a full front it only sees those ahead of it, and ``FrontLevels`` without arrivals
describe that. It joins as soon as the front is not full and nobody is ahead; from then on those behind it matter, for
they may join the front too. Level n has n jobs in the system, the tagged one and those behind it included; from
``most_jobs`` on the levels repeat. Steps that complete the tagged job lead nowhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

from msj.errors import NotSupported, TooLarge
from msj.fronts.decided_front import decided
from msj.fronts.front_chain import MOST_FRONTS, FrontLevels, block_of, filling, moves_of
from msj.fronts.front_model import FrontModel, Step
from msj.fronts.front_of import front_of
from msj.markov.marked_chain import Sparse
from msj.model import JobClass, System

Vector = NDArray[np.float64]


class CopiedClass(JobClass):
    """A class again, to tell one of its jobs apart from the others."""

    is_copy = True


class TaggedFront(FrontModel[Any, Any]):
    """The front of a system in which one job may be of a twin class."""

    def __init__(self, system: System) -> None:
        halves = [c.replace(share=c.share / 2) for c in system.classes]
        twins = [CopiedClass(**dict(vars(c), name=f"{c.name}, tagged")) for c in halves]
        self.inner = decided(front_of(system.replace(classes=(*halves, *twins))))
        self.classes = len(system.classes)
        self.inner.pair_classes(self.classes)
        self.class_names = self.inner.class_names
        fresh = [(job, chance) for job, chance in self.inner.fresh() if chance > 0]
        self._fresh = [(job, 2.0 * chance) for job, chance in fresh if self.inner.class_of(job) < self.classes]
        twin_jobs = [(job, self.inner.class_of(job) - self.classes, chance) for job, chance in fresh]
        arriving = [0.0] * self.classes
        for _, c, chance in twin_jobs:
            arriving[c] += chance if c >= 0 else 0.0
        #: Tagged jobs that may arrive: (job, class, probability among those of its class).
        self.tagged = [(job, c, chance / arriving[c]) for job, c, chance in twin_jobs if c >= 0]
        joined = [self.tag(self.add(self.empty(), job)) for job, *_ in self.tagged]
        if not joined or None in joined:
            raise NotSupported("the front does not say which jobs it holds (jobs, class_of), so none can be followed")

    @property
    def most_jobs(self) -> int:
        return self.inner.most_jobs

    def fresh(self) -> Iterable[tuple[Any, float]]:
        return self._fresh

    def empty(self) -> Any:
        return self.inner.empty()

    def add(self, front: Any, job: Any) -> Any:
        return self.inner.add(front, job)

    def steps(self, front: Any) -> Iterable[Step[Any]]:
        return self.inner.steps(front)

    def size(self, front: Any) -> int:
        return self.inner.size(front)

    def full(self, front: Any) -> bool:
        return self.inner.full(front)

    def settled(self, front: Any) -> Iterable[tuple[Any, float]]:
        return self.inner.settled(front)

    def class_counts(self, front: Any) -> Sequence[int]:
        return self.inner.class_counts(front)

    def jobs(self, front: Any) -> Iterable[Any]:
        return self.inner.jobs(front)

    def class_of(self, job: Any) -> int:
        return self.inner.class_of(job)

    def tag(self, front: Any) -> Any | None:
        """Return the state of the tagged job, None if it is not there."""
        return next((job for job in self.jobs(front) if self.class_of(job) >= self.classes), None)

    def tagged_class(self, front: Any) -> int:
        """Return the class of the tagged job, which is there."""
        return self.class_of(self.tag(front)) - self.classes

    def serves(self, front: Any) -> bool:
        """Return whether the tagged job, which is there, is in service: it may come nearer to its end."""
        tag = self.tag(front)
        told = self.inner.in_service(tag)
        if told is not None:
            return told
        return any(rate > 0 and self.inner.progressed(tag, self.tag(after)) for rate, after, _ in self.steps(front))


@dataclass(frozen=True, kw_only=True, eq=False)
class TaggedLevels:
    """Rates while the tagged job is in the front; lists run over levels 0..L, of which level 0 is empty.

    ``arrivals`` are per unit of the arrival rate. ``joins[n][b]`` says where the tagged job gets when it joins the
    fronts of level n that are not full, in their order, with b jobs behind it; the last b stands for all above.
    """

    quiet: tuple[Sparse, ...]
    arrivals: tuple[Sparse, ...]
    completions: tuple[Any, ...]  # that of level 0 is None
    repeating_completions: Sparse
    leaving: tuple[Vector, ...]  # the rate of everything but arrivals
    job_class: tuple[NDArray[np.int64], ...]
    in_service: tuple[NDArray[np.bool_], ...]
    joins: tuple[tuple[Sparse, ...], ...]
    not_full: tuple[NDArray[np.bool_], ...]  # of the ordinary fronts of each level

    @property
    def level_sizes(self) -> tuple[int, ...]:
        """Number of phases of levels 0..L."""
        return tuple(block.shape[0] for block in self.quiet)


def tagged_levels(model: TaggedFront, ordinary: FrontLevels, *, most_fronts: int = MOST_FRONTS) -> TaggedLevels:
    """Follow the tagged job from every front it may join, whoever is behind it."""
    last, refilled, moves = model.most_jobs, filling(model, most_fronts), moves_of(model, most_fronts)
    levels: list[list[Any]] = [[] for _ in range(last + 1)]
    place: dict[tuple[int, Any], int] = {}
    visited: list[tuple[int, Any]] = []

    def number(n: int, front: Any) -> int:
        if (n, front) not in place:
            if len(visited) >= most_fronts:
                raise TooLarge(f"more than {most_fronts:,} fronts hold the job that is followed; use a smaller system")
            place[n, front] = len(levels[n])
            levels[n].append(front)
            visited.append((n, front))
        return place[n, front]

    not_full = [np.array([not model.full(front) for front in fronts], dtype=bool) for fronts in ordinary.fronts]
    joins: list[list[list[tuple[int, int, float]]]] = []
    for n in range(last):
        open_fronts = [front for front, is_open in zip(ordinary.fronts[n], not_full[n], strict=True) if is_open]
        joins.append([[] for _ in range(last - n)])
        for behind, found in enumerate(joins[-1]):
            for i, front in enumerate(open_fronts):
                for job, _, chance in model.tagged:
                    for reached, share in refilled(model.add(front, job), behind).items():
                        found.append((i, number(n + 1 + behind, reached), chance * share))
    entries: dict[str, list[list[tuple[int, int, float]]]] = {
        kind: [[] for _ in range(last + 1)] for kind in ("quiet", "arrival", "completion", "repeating")
    }
    for n, front in visited:  # the list grows while it is read
        for kind, level, reached, rate in moves(n, front):
            if model.tag(reached) is not None:
                entries[kind][n].append((place[n, front], number(level, reached), rate))
    sizes = [len(fronts) for fronts in levels]
    return TaggedLevels(
        quiet=tuple(block_of(entries["quiet"][n], sizes[n], sizes[n]) for n in range(last + 1)),
        arrivals=(
            *(block_of(entries["arrival"][n], sizes[n], sizes[n + 1]) for n in range(last)),
            sparse.csr_array(sparse.eye_array(sizes[last])),
        ),
        completions=(None, *(block_of(entries["completion"][n], sizes[n], sizes[n - 1]) for n in range(1, last + 1))),
        repeating_completions=block_of(entries["repeating"][last], sizes[last], sizes[last]),
        leaving=tuple(
            np.array([sum(rate for rate, *_ in model.steps(front)) for front in fronts], dtype=float)
            for fronts in levels
        ),
        job_class=tuple(np.array([model.tagged_class(front) for front in fronts], dtype=np.int64) for fronts in levels),
        in_service=tuple(np.array([model.serves(front) for front in fronts], dtype=bool) for fronts in levels),
        joins=tuple(
            tuple(
                block_of(found, int(not_full[n].sum()), sizes[n + 1 + behind]) for behind, found in enumerate(joins[n])
            )
            for n in range(last)
        ),
        not_full=tuple(not_full),
    )
