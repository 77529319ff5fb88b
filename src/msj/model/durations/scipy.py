"""Any continuous law on the positive numbers that ``scipy.stats`` has by name. For simulation only.

Mean and variance are SciPy's, E[X²] = Var[X] + E[X]²; samples are drawn by its ``rvs`` with msj's own generator.
Moments beyond the second are not asked for: SciPy integrates them numerically, and where they are infinite it does not
always say so. Whether the tail is a power law t^(-a) is read off P(X > t) itself: ln P(X > t) against ln t has the same
slope −a over two decades of t far out.
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from msj.errors import InvalidInput
from msj.model.durations.base import Duration
from msj.model.numbers import Number, as_plain, as_text, number, text
from msj.model.table import Table
from msj.registry import nearest

UNCHANGED = {"loc": 0, "scale": 1}  # what SciPy takes where nothing is said
FAR = (1e2, 1e3, 1e4)  # times the median
STRAIGHT = 0.05  # two slopes that differ by less are one: Weibull's and the lognormal's keep growing


@dataclass(frozen=True, kw_only=True)
class Scipy(Duration):
    """The law that ``scipy.stats`` calls ``name``, with its ``parameters``.

    In a spec file the parameters stand beside the name: ``{ law = "scipy", name = "gamma", a = 2, scale = 1 }``. In
    Python, a frozen distribution (``scipy.stats.gamma(a=2)``) is taken wherever a duration law is.

    Examples
    --------
    >>> Scipy(name="gamma", parameters={"a": 2, "scale": 3}).mean
    6.0
    """

    law: ClassVar[str] = "scipy"
    summary: ClassVar[str] = "a continuous law of scipy.stats; name, and its parameters as scipy calls them"
    time_powers: ClassVar[Mapping[str, int]] = {"loc": 1, "scale": 1}

    name: str
    parameters: Mapping[str, Number] = Table()

    def __post_init__(self) -> None:
        names = _parameter_names(self.name)
        for key in self.parameters:
            if key not in names:
                raise InvalidInput(
                    f"unknown key '{key}' for law 'scipy' with name '{self.name}'; {nearest(key, names)}"
                )
        missing = [key for key in names if key not in self.parameters and key not in UNCHANGED]
        if missing:
            raise InvalidInput(
                f"law 'scipy' with name '{self.name}' needs {' and '.join(missing)}; add {missing[0]} = ..."
            )
        given = {key: number(self.parameters[key], key) for key in names if key in self.parameters}
        kept = tuple((key, value) for key, value in given.items() if UNCHANGED.get(key) != value)
        object.__setattr__(self, "parameters", Table(kept))
        self._require_durations()

    def _require_durations(self) -> None:
        shown = ", ".join(f"{key} = {as_text(value)}" for key, value in self.parameters.items()) or "no parameters"
        least, mean = float(self._frozen.support()[0]), self.mean
        if math.isnan(mean) or math.isnan(least):
            raise InvalidInput(
                f"'{self.name}' does not exist with {shown}; see scipy.stats.{self.name} for what it allows"
            )
        if least < 0:
            raise InvalidInput(f"'{self.name}' with {shown} can be negative, from {least:g} on; durations are positive")
        if math.isinf(mean):
            raise InvalidInput(f"'{self.name}' with {shown} has an infinite mean; choose parameters with a finite one")

    @cached_property
    def _frozen(self) -> Any:
        return _distribution(self.name)(**{key: float(value) for key, value in self.parameters.items()})

    @cached_property
    def _mean_and_variance(self) -> tuple[float, float]:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")  # of integrals that do not converge: what is infinite comes out as such
            mean, variance = (float(found) for found in self._frozen.stats("mv"))
        return mean, math.inf if math.isnan(variance) else variance

    @property
    def mean(self) -> float:
        return self._mean_and_variance[0]

    @property
    def second_moment(self) -> float:
        mean, variance = self._mean_and_variance
        return variance + mean**2

    def moment(self, order: int) -> float:
        return {0: 1.0, 1: self.mean, 2: self.second_moment}.get(order, math.nan)

    @property
    def longest(self) -> float:
        return float(self._frozen.support()[1])

    @cached_property
    def tail_index(self) -> float:
        if math.isfinite(self.longest):
            return math.inf
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            slopes = -np.diff(self._frozen.logsf(self._frozen.median() * np.array(FAR))) / np.diff(np.log(FAR))
        straight = bool(np.isfinite(slopes).all()) and abs(slopes[1] - slopes[0]) <= STRAIGHT * slopes[1]
        return float(slopes[1]) if straight else math.inf

    def sample(self, rng: np.random.Generator, size: int) -> NDArray[np.float64]:
        return np.asarray(self._frozen.rvs(size=size, random_state=rng), dtype=float)

    def scaled(self, factor: Number) -> Self:
        now: Mapping[str, Number] = UNCHANGED | dict(self.parameters)
        return self.replace(parameters=dict(now) | {key: now[key] * factor for key in UNCHANGED})

    def to_spec(self) -> dict[str, Any]:
        return {"law": self.law, "name": self.name, **{key: as_plain(value) for key, value in self.parameters.items()}}

    @classmethod
    def spec_keys(cls) -> tuple[str, ...]:
        return ("name", "its parameters, loc, scale")

    @classmethod
    def check_keys(cls, table: Mapping[str, Any]) -> None:
        """Which keys there are, the distribution says, when it is made."""

    @classmethod
    def from_spec(cls, table: dict[str, Any]) -> Duration:
        if "name" not in table:
            raise InvalidInput("law 'scipy' needs name; add name = 'gamma' or another of scipy.stats")
        return cls(name=table["name"], parameters={key: value for key, value in table.items() if key != "name"})


def from_frozen(given: Any) -> Scipy | None:
    """Return the law that a frozen distribution of ``scipy.stats`` is; None if it is none.

    Examples
    --------
    >>> from scipy import stats
    >>> from_frozen(stats.gamma(2, scale=3)).parameters
    {'a': 2, 'scale': 3}
    """
    stats = sys.modules.get("scipy.stats")  # nobody has one who has not imported it
    if stats is None or not isinstance(given, stats.distributions.rv_frozen):
        return None
    name = given.dist.name
    if type(given.dist) is not type(getattr(stats, str(name), None)):
        raise InvalidInput(
            f"the distribution {name!r} is not one that scipy.stats has by name; give Empirical values of it"
        )
    return Scipy(name=name, parameters=dict(zip(_parameter_names(name), given.args, strict=False)) | given.kwds)


def _distribution(name: object) -> Any:
    from scipy import stats  # here: it takes a second, and few ask for it

    # A distribution of the user's own that was put there is not SciPy's: nobody has tested it.
    known = sorted(
        key
        for key, found in vars(stats).items()
        if isinstance(found, stats.rv_continuous) and type(found).__module__.startswith("scipy.")
    )
    if text(name, "name") not in known:
        hint = nearest(str(name), known)
        fix = hint if hint.startswith("did") else "give a continuous one by its name there, such as 'gamma'"
        raise InvalidInput(f"name = {name!r} is no continuous distribution of scipy.stats; {fix}")
    return getattr(stats, str(name))


def _parameter_names(name: object) -> list[str]:
    """Return the parameters in SciPy's order: those of the shape, then loc and scale."""
    shapes = _distribution(name).shapes
    return [*(shape.strip() for shape in (shapes or "").split(",") if shape.strip()), *UNCHANGED]


VARIANT = Scipy
