"""What a sweep asks, checked: the cells, and when a simulated one is sharp enough."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self

from msj.answers.question import as_option
from msj.errors import InvalidInput
from msj.model.numbers import positive, whole
from msj.simulation import LEVELS
from msj.simulation.question import checked_levels
from msj.store import computing_code, digest
from msj.sweeps.cell import Asked
from msj.sweeps.grid import Grid, read_grid

PRECISION = 0.01
MOST_JOBS = 1_000_000_000


@dataclass(frozen=True, kw_only=True)
class Question:
    """A grid, and what may be spent on each of its cells.

    Parameters
    ----------
    grid
        The cells.
    precision, jobs
        When a simulated cell is sharp enough, and the most jobs of one.
    shard
        Which part of how many.

    Examples
    --------
    >>> asked = Question.of("examples/two_servers.toml", vary="load=0.5..0.9/5", shard="2/3")
    >>> asked.precision, asked.shard, len(asked.grid)
    (0.01, (2, 3), 5)
    """

    grid: Grid
    precision: float
    jobs: int
    shard: tuple[int, int]

    @classmethod
    def from_file(cls, path: str | os.PathLike[str] | None, **given: Any) -> Self:
        """Read a grid's file, if there is one; what is given beside it (not None) counts more."""
        said = {} if path is None else read_grid(path)
        return cls.of(**said | {key: value for key, value in given.items() if value is not None})

    @classmethod
    def of(
        cls,
        systems: Any = None,
        *,
        vary: Any = None,
        policies: Iterable[Any] | None = None,
        precision: float = PRECISION,
        jobs: int = MOST_JOBS,
        levels: Sequence[float] = LEVELS,
        seed: int = 1,
        simulate: bool = False,
        controls: bool = True,
        shard: str | tuple[int, int] | None = None,
    ) -> Self:
        """Check what was asked; see :func:`msj.sweep` for what each means."""
        if systems is None:
            raise InvalidInput("no cluster is given; give at least one file, or a System")
        asked = Asked(levels=checked_levels(levels), simulate=bool(simulate), controls=bool(controls))
        return cls(
            precision=float(positive(precision, "precision")),
            jobs=whole(jobs, "jobs"),
            grid=Grid.of(systems, vary=vary, policies=policies, seed=seed, asked=asked),
            shard=shard_of(shard),
        )

    def plain(self) -> dict[str, Any]:
        """Return it as plain data, from which it can be asked again."""
        grid = self.grid
        found: dict[str, Any] = {
            "systems": [system.replace(name=label).to_spec() for label, system in grid.clusters.items()],
            "vary": {axis.key: [as_option(value) for value in axis.values] for axis in grid.axes},
            "policies": [as_option(policy) for policy in grid.policies.values()] or None,
            "precision": self.precision,
            "jobs": self.jobs,
            "levels": list(grid.asked.levels),
            "simulate": grid.asked.simulate,
            "controls": grid.asked.controls,
            "shard": None if self.shard == WHOLE else "{}/{}".format(*self.shard),
        }
        return {key: value for key, value in found.items() if value is not None}

    @property
    def id(self) -> str:
        """The identity of the question: all that its answers depend on, without the budget and the shard."""
        said = {key: value for key, value in self.plain().items() if key not in ("precision", "jobs", "shard")}
        return digest("question", said, self.grid.seed, computing_code())


WHOLE = (1, 1)


def shard_of(given: str | tuple[int, int] | None) -> tuple[int, int]:
    """Return which part of how many.

    Examples
    --------
    >>> shard_of("3/200"), shard_of(None)
    ((3, 200), (1, 1))
    """
    if given is None:
        return WHOLE
    parts = given.split("/") if isinstance(given, str) else list(given)
    how = "write 3/200, for the third of 200 parts"
    if len(parts) != 2:
        raise InvalidInput(f"shard = {given!r} is no part of a whole; {how}")
    part, of = (whole(number, "shard") for number in parts)
    if part > of:
        raise InvalidInput(f"shard = {part}/{of} is beyond the last part; {how}")
    return part, of
