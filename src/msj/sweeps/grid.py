"""The cells of a sweep: every cluster × every combination of values × every policy.

A grid can also stand in a TOML file: what ``msj sweep`` takes on the command line, by the same names. ::

    files = ["hpc_partition.toml"]
    policies = ["fcfs", { name = "first-fit", window = 4 }]
    precision = 0.02
    [vary]
    load = "0.5..0.98/9"
    servers = [64, 128]
"""

from __future__ import annotations

import itertools
import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msj.disciplines.applicable import chosen_policies
from msj.errors import BadFunction, InvalidInput, MsjError
from msj.logs.spec_or_log import as_system
from msj.model import System
from msj.model.numbers import whole
from msj.model.spec_file import SystemLike, from_document
from msj.registry import nearest
from msj.results.coordinates import Place
from msj.store import digest
from msj.sweeps.axis import Axis, axes_of
from msj.sweeps.cell import Asked, Cell

MOST_CELLS = 10_000_000
#: What a grid file may say, besides its files.
KEYS = ("files", "vary", "policies", "precision", "jobs", "levels", "seed", "simulate", "controls")


@dataclass(frozen=True, kw_only=True)
class Grid:
    """Clusters by what they are called, axes, policies by what they are called (none: each cluster's own)."""

    clusters: Mapping[str, System]
    axes: tuple[Axis, ...] = ()
    policies: Mapping[str, Any]
    seed: int = 1
    asked: Asked

    @classmethod
    def of(
        cls, systems: Any, *, vary: Any = None, policies: Iterable[Any] | None = None, seed: int = 1, asked: Asked
    ) -> Grid:
        """Check what is asked for."""
        clusters = clusters_of(systems)
        chosen = chosen_policies(policies or ())
        grid = cls(
            clusters=clusters,
            axes=axes_of(vary),
            policies=chosen,
            seed=whole(seed, "seed", least=0),
            asked=asked,
        )
        if len(grid) > MOST_CELLS:
            raise InvalidInput(f"the grid has {len(grid):,} cells; at most {MOST_CELLS:,} are answered at once")
        return grid

    def __len__(self) -> int:
        sizes = [len(self.clusters), max(len(self.policies), 1), *(len(axis.values) for axis in self.axes)]
        total = 1
        for size in sizes:
            total *= size
        return total

    def cells(self, *, shard: tuple[int, int] = (1, 1)) -> Iterator[Cell | Refused]:
        """Yield the cells of a shard, in the order of the grid; those that are no cluster with the reason."""
        part, parts = shard
        places = itertools.product(self.clusters.items(), *(axis.values for axis in self.axes))
        numbers = itertools.count()
        for (label, system), *values in places:
            for policy in self.policies.items() or [(system.policy.label(), system.policy)]:
                if next(numbers) % parts == part - 1:
                    yield self._cell(label, system, values, *policy)

    def _cell(self, label: str, system: System, values: Sequence[Any], called: str, policy: Any) -> Cell | Refused:
        at: dict[str, Place] = {"cluster": label, "policy": called, "servers": system.servers, "seed": self.seed}
        changes = []
        for axis, value in zip(self.axes, values, strict=True):
            place = axis.place(value)
            changes += [str(place.pop("change"))] if "change" in place else []
            at |= place
        at |= {"change": "; ".join(changes)} if changes else {}
        try:
            for axis, value in zip(self.axes, values, strict=True):
                system = axis.applied(system, value)
            cell = Cell(own=system, policy=policy, seed=int(at["seed"]), asked=self.asked, at=at)
            cell.served  # noqa: B018  a policy that the model does not go with is refused here
        except BadFunction:
            raise
        except MsjError as error:
            return Refused(at=at, reason=str(error))
        return cell


@dataclass(frozen=True, kw_only=True)
class Refused:
    """A combination that is no cluster, and why."""

    at: dict[str, Place]
    reason: str

    @property
    def id(self) -> str:
        """What the reason is filed under."""
        return digest("refused", self.at, self.reason)


def clusters_of(systems: Any) -> dict[str, System]:
    """Return clusters by what they are called: their names, else those of their files."""
    if isinstance(systems, (str, os.PathLike, System, Mapping)):
        systems = [systems]
    found: dict[str, System] = {}
    for given in systems:
        system = as_system(from_document(dict(given)) if isinstance(given, Mapping) else given)
        label = system.name or (Path(given).stem if isinstance(given, (str, os.PathLike)) else "cluster")
        number = 1
        while label in found:
            number += 1
            label = f"{label.removesuffix(f' ({number - 1})')} ({number})"
        found[label] = system
    if not found:
        raise InvalidInput("no cluster is given; give at least one file, or a System")
    return found


def read_grid(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a grid from a TOML file; files are named as seen from its folder."""
    place = Path(path)
    try:
        document = tomllib.loads(place.read_text(encoding="utf-8"))
    except OSError as error:
        raise InvalidInput(f"cannot be read ({error.strerror}); check the path").at_path(place) from None
    except ValueError as error:  # no TOML, or no text
        raise InvalidInput(f"is no grid in TOML: {error}; correct that line").in_file(place) from None
    try:
        for key in document:
            if key not in KEYS:
                raise InvalidInput(f"unknown key '{key}' in a grid; {nearest(key, KEYS)}")
        if not isinstance(document.get("vary", {}), dict):
            raise InvalidInput("vary must be a table; write [vary] and below it load = '0.5..0.9/5'")
        files: list[SystemLike] = [place.parent / name for name in document.pop("files", [])]
    except MsjError as error:
        raise error.in_file(place) from None
    return {**document, **({"systems": files} if files else {})}
