"""Where segments are placed: groups of servers, resources and caps as one vector (reset, Appendices H.3 and H.4).

What a segment holds is a vector of whole numbers: servers of each group, amounts of each resource of the cluster, of
each resource of a group, and servers counted against the cap of its class. It fits where the vector is no larger than
what is free, in every entry; so groups, resources and caps need no further word about each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import add, le, sub
from typing import Any

import numpy as np
from scipy.optimize import linprog

from msj.fronts.parts_segments import Drawn, Kind

Vector = tuple[int, ...]
Place = tuple[int, ...]  # servers held, by group


class Places:
    """The groups, resources and caps of a cluster; ``caps_of`` says which class's cap holds for each class."""

    def __init__(
        self,
        groups: Sequence[tuple[int, float, Mapping[str, int]]],
        capacity: Mapping[str, int],
        classes: Sequence[Mapping[str, Any]],
        kinds: Sequence[Kind],
        caps_of: Sequence[int],
    ) -> None:
        self.groups, self.classes, self.kinds = groups, classes, kinds
        caps = sorted({caps_of[c] for c, told in enumerate(classes) if told["at_most"] is not None})
        names: list[Any] = [("servers", g) for g in range(len(groups))]
        names += [(None, name) for name in capacity]
        names += [(g, name) for g, (_, _, own) in enumerate(groups) for name in own]
        names += [("cap", c) for c in caps]
        self._entry = {name: i for i, name in enumerate(names)}
        self._caps_of = caps_of
        self._beside = (
            *capacity.values(),
            *(amount for _, _, own in groups for amount in own.values()),
            *(int(classes[c]["at_most"]) for c in caps),
        )
        self._held: dict[tuple[int, Place], Vector] = {}
        self._speeds: dict[Place, float] = {}
        self._put: dict[tuple[Drawn, Vector], tuple[tuple[Place, ...], Vector] | None] = {}

    def free(self, servers: Sequence[int], held: Sequence[Vector]) -> Vector:
        """Return what is free where groups have so many ``servers`` and some segments hold so much."""
        found: Vector = (*servers, *self._beside)
        for vector in held:
            found = tuple(map(sub, found, vector))
        return found

    def held(self, kind: int, place: Place) -> Vector:
        """Return what a segment holds in its place."""
        if (kind, place) not in self._held:
            self._held[kind, place] = self._vector(kind, place)
        return self._held[kind, place]

    def speed(self, place: Place) -> float:
        """Return the speed of a place: the slowest of its groups."""
        if place not in self._speeds:
            self._speeds[place] = min(self.groups[g][1] for g, servers in enumerate(place) if servers)
        return self._speeds[place]

    def put(self, segments: Drawn, free: Vector) -> tuple[tuple[Place, ...], Vector] | None:
        """Return the places of some segments and what is free then; None if they do not all fit."""
        key = (segments, free)
        if key not in self._put:
            places: list[Place] = []
            left: Vector | None = free
            for kind, phase in segments:
                assert left is not None
                place = self._where(kind, phase, left)
                if place is None:
                    left = None
                    break
                places.append(place)
                left = tuple(map(sub, left, self.held(kind, place)))
            self._put[key] = None if left is None else (tuple(places), left)
        return self._put[key]

    def taken_over(self, segments: Drawn, kind: int, place: Place) -> tuple[Place, ...] | None:
        """Return where segments go on in the place of one that has ended; None if they need more than it held."""
        before = self.held(kind, place)
        left = list(place)
        places = []
        for k, p in segments:
            need = self.kinds[k].needs[p]
            got = [0] * len(place)
            for g in self.classes[self.kinds[k].job_class]["groups"]:
                got[g] = min(left[g], need - sum(got))
                left[g] -= got[g]
            if sum(got) < need or not self._has_resources(k, tuple(got)):
                return None
            places.append(tuple(got))
        total = (0,) * len(before)
        for (k, _), own in zip(segments, places, strict=True):
            total = tuple(map(add, total, self.held(k, own)))
        return tuple(places) if all(map(le, total, before)) else None

    def _where(self, kind: int, phase: int, free: Vector) -> Place | None:
        told = self.classes[self.kinds[kind].job_class]
        need = self.kinds[kind].needs[phase]
        if told["span"]:
            found = [0] * len(self.groups)
            for g in told["groups"]:
                found[g] = min(free[g], need - sum(found))
            options = [tuple(found)] if sum(found) == need else []
        else:
            options = [tuple(need * (g == own) for own in range(len(self.groups))) for g in told["groups"]]
        for place in options:
            if self._has_resources(kind, place) and all(map(le, self.held(kind, place), free)):
                return place
        return None

    def _has_resources(self, kind: int, place: Place) -> bool:
        named = [name for name, amount in self.kinds[kind].resources.items() if amount]
        return all(self._entry_of(name, place) is not None for name in named)

    def _entry_of(self, name: str, place: Place) -> int | None:
        """Return the entry from which a resource is taken: the group's, else the cluster's."""
        used = [g for g, servers in enumerate(place) if servers]
        if len(used) == 1 and (used[0], name) in self._entry:
            return self._entry[used[0], name]
        return self._entry.get((None, name))

    def _vector(self, kind: int, place: Place) -> Vector:
        found = [*place, *(0 for _ in self._beside)]
        for name, amount in self.kinds[kind].resources.items():
            if amount:
                entry = self._entry_of(name, place)
                assert entry is not None
                found[entry] += amount
        cap = self._entry.get(("cap", self._caps_of[self.kinds[kind].job_class]))
        if cap is not None:
            found[cap] += sum(place)
        return tuple(found)

    def most_jobs(self) -> int:
        """Return how many jobs hold something at once, at most: what a linear programme says."""
        used = {vector for k in range(len(self.kinds)) for vector in self._least(k)}
        limits = (*(servers for servers, _, _ in self.groups), *self._beside)
        amounts = np.array(sorted(used), dtype=float)
        found = linprog(-np.ones(len(amounts)), A_ub=amounts.T, b_ub=limits)
        return int(-found.fun + 1e-6)

    def _least(self, kind: int) -> set[Vector]:
        """Return what a segment may hold at least, wherever it is; one that spans groups counts as if in each."""
        told, needs = self.classes[self.kinds[kind].job_class], self.kinds[kind].needs
        found = set()
        for need in set(needs):
            for g in told["groups"]:
                place = tuple(need * (g == own) for own in range(len(self.groups)))
                if self._has_resources(kind, place):
                    found.add(self.held(kind, place))
        return found
