"""Jobs as graphs of segments, for fronts put together from parts (reset, Appendix H.2).

A segment is ready once all those it comes *after* have ended. The segments under way in a job tell which have ended:
they are the least elements of what is left, so all that is not beyond one of them is done. Segments of one class that
stand side by side and differ in nothing (the tasks of a fork) are one *kind*, of which only the number is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from msj.model.durations import Duration


class Phases:
    """A phase-type law as a front needs it: where it begins, and what happens in each phase (None: it ends)."""

    def __init__(self, law: Duration) -> None:
        found = law.as_phase_type()
        assert found is not None  # else the discipline has said so
        self.first = tuple((j, float(chance)) for j, chance in enumerate(found.alpha) if chance > 0)
        self.steps: tuple[tuple[tuple[float, int | None], ...], ...] = tuple(
            tuple((float(rate), j) for j, rate in enumerate(row) if j != i and rate > 0)
            + (((float(end), None),) if end > 0 else ())
            for i, (row, end) in enumerate(zip(found.subgenerator, found.exit_rates, strict=True))
        )

    def __len__(self) -> int:
        return len(self.steps)


@dataclass(frozen=True, eq=False)
class Kind:
    """Segments of one class that differ in nothing: ``count`` of them, with a need for each phase."""

    job_class: int
    count: int
    needs: tuple[int, ...]
    resources: Mapping[str, int]
    phases: Phases
    after: frozenset[int]  # kinds


Drawn = tuple[tuple[int, int], ...]  # segments that are ready: (kind, phase), in order of definition


class Segments:
    """All kinds of the classes that arrive, and which become ready when one ends."""

    def __init__(self, classes: Sequence[Mapping[str, Any]], shares: Sequence[float]) -> None:
        self.kinds: list[Kind] = []
        self._of_class: dict[int, range] = {}
        for index, (job_class, share) in enumerate(zip(classes, shares, strict=True)):
            if share > 0:
                first = len(self.kinds)
                self.kinds += _kinds(job_class["segments"], index, first)
                self._of_class[index] = range(first, len(self.kinds))
        self._ready: dict[tuple[int, frozenset[int]], tuple[tuple[Drawn, float], ...]] = {}

    def roots(self, job_class: int) -> tuple[tuple[Drawn, float], ...]:
        """Return how a job of a class begins: (its first segments, probability)."""
        return self._drawn([k for k in self._of_class[job_class] if not self.kinds[k].after])

    def ready(self, ended: int, left: frozenset[int]) -> tuple[tuple[Drawn, float], ...]:
        """Return what becomes ready as a segment of a kind ends and those of the kinds ``left`` are under way."""
        if (ended, left) not in self._ready:
            self._ready[ended, left] = self._drawn(self._become_ready(ended, left))
        return self._ready[ended, left]

    def _become_ready(self, ended: int, left: frozenset[int]) -> list[int]:
        if ended in left:
            return []
        own = self._of_class[self.kinds[ended].job_class]
        to_come = set(left)
        for k in own:  # in order of definition no segment stands before one that it comes after
            if self.kinds[k].after & to_come:
                to_come.add(k)
        return [k for k in own if ended in self.kinds[k].after and not self.kinds[k].after & to_come]

    def _drawn(self, kinds: Sequence[int]) -> tuple[tuple[Drawn, float], ...]:
        """Return the law of the phases in which segments of some kinds begin, all of each."""
        slots = [(k, self.kinds[k].phases.first) for k in kinds for _ in range(self.kinds[k].count)]
        law: dict[Drawn, float] = {}
        for phases in product(*(first for _, first in slots)):
            drawn = tuple(sorted((k, phase) for (k, _), (phase, _) in zip(slots, phases, strict=True)))
            chance = 1.0
            for _, own in phases:
                chance *= own
            law[drawn] = law.get(drawn, 0.0) + chance
        return tuple(law.items())


def _kinds(segments: Sequence[Mapping[str, Any]], job_class: int, first: int) -> Iterator[Kind]:
    """Put segments that differ in nothing together, if they stand side by side."""
    followed_by = [
        frozenset(j for j, other in enumerate(segments) if i in other["after"]) for i in range(len(segments))
    ]
    kind_of: list[int] = []
    counts: list[int] = []
    for i, segment in enumerate(segments):
        same = i > 0 and followed_by[i] == followed_by[i - 1] and _alike(segment, segments[i - 1])
        kind_of.append(kind_of[-1] if same else (kind_of[-1] + 1 if kind_of else 0))
        if same:
            counts[-1] += 1
        else:
            counts.append(1)
    for k, count in enumerate(counts):
        segment = segments[kind_of.index(k)]
        phases = Phases(segment["law"])
        need = segment["need"]
        yield Kind(
            job_class,
            count,
            tuple(need) if isinstance(need, (list, tuple)) else (need,) * len(phases),
            segment["resources"],
            phases,
            frozenset(first + kind_of[j] for j in segment["after"]),
        )


def _alike(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    same = all(one[key] == other[key] for key in ("need", "law")) and dict(one["resources"]) == dict(other["resources"])
    return same and sorted(one["after"]) == sorted(other["after"])
