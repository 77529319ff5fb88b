"""Coxian durations: stages in a row, each of its own rate; after stage i the job goes on with probability c_i.

With n rates there are n − 1 probabilities ``continue``. The moments are those of the equivalent phase type.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from msj.errors import InvalidInput
from msj.model.durations.base import Duration
from msj.model.durations.phase_type import PhaseType
from msj.model.numbers import Number, as_plain, positive, probability, reciprocal, vector


@dataclass(frozen=True, kw_only=True)
class Coxian(Duration):
    """Stages of the given ``rates``; ``continues[i]`` is the chance to go on after stage i (key ``continue``).

    Examples
    --------
    >>> Coxian(rates=[2, 1], continues=[0.5]).mean
    1.0
    """

    law: ClassVar[str] = "coxian"
    summary: ClassVar[str] = "stages in a row, each of which may be the last; rates, continue"
    time_powers: ClassVar[Mapping[str, int]] = {"rates": -1}

    rates: tuple[Number, ...]
    continues: tuple[Number, ...]  # "continue" in spec files; a keyword in Python

    def __post_init__(self) -> None:
        rates = tuple(positive(rate, f"rates[{i}]") for i, rate in enumerate(vector(self.rates, "rates")))
        none = isinstance(self.continues, (list, tuple)) and not self.continues
        going_on = () if len(rates) == 1 and none else vector(self.continues, "continue")
        going_on = tuple(probability(chance, f"continue[{i}]") for i, chance in enumerate(going_on))
        if len(going_on) != len(rates) - 1:
            raise InvalidInput(
                f"{len(rates)} rates and {len(going_on)} chances to continue; give {len(rates) - 1}: "
                "one after every stage but the last"
            )
        object.__setattr__(self, "rates", rates)
        object.__setattr__(self, "continues", going_on)

    @property
    def mean(self) -> float:
        return self.as_phase_type().mean

    @property
    def second_moment(self) -> float:
        return self.as_phase_type().second_moment

    def sample(self, rng: np.random.Generator, size: int) -> NDArray[np.float64]:
        total = np.zeros(size)
        alive = np.arange(size)
        for i, rate in enumerate(self.rates):
            total[alive] += rng.exponential(1.0 / float(rate), alive.size)
            if i < len(self.continues):
                alive = alive[rng.random(alive.size) < float(self.continues[i])]
        return total

    def as_phase_type(self) -> PhaseType:
        size = len(self.rates)
        rows = [[0 if i != j else -self.rates[i] for j in range(size)] for i in range(size)]
        for i, chance in enumerate(self.continues):
            rows[i][i + 1] = self.rates[i] * chance
        return PhaseType(initial=(1,) + (0,) * (size - 1), generator=tuple(map(tuple, rows)))

    def scaled(self, factor: Number) -> Self:
        return self.replace(rates=tuple(rate * reciprocal(factor) for rate in self.rates))

    def to_spec(self) -> dict[str, Any]:
        table = {"law": self.law, "rates": [as_plain(rate) for rate in self.rates]}
        return table | {"continue": [as_plain(chance) for chance in self.continues]}

    @classmethod
    def spec_keys(cls) -> tuple[str, ...]:
        return ("rates", "continue")

    @classmethod
    def from_spec(cls, table: dict[str, Any]) -> Duration:
        renamed = {"continues" if key == "continue" else key: value for key, value in table.items()}
        if "continues" not in renamed and len(vector(renamed.get("rates", (0, 0)), "rates")) != 1:
            raise InvalidInput("law 'coxian' needs continue; add continue = [...], one chance fewer than rates")
        return super().from_spec({"continues": (), **renamed})


VARIANT = Coxian
