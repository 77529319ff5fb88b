"""Random arrival laws, wrapped in a class of this file, so that msj takes them for a user's.

Independent gaps (coefficients of variation up to 10), batches, modulated, daily and Markovian arrivals, the last with
classes. Each law declares some of what it could: the order of classes, the Markov chain.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from msj.model.arrivals import Arrivals, ArrivalSampler, arrivals_from
from verification.random_laws import some_law

NAMES = ("a", "b")


@dataclass(frozen=True, kw_only=True)
class WrappedArrivals(Arrivals):
    """An arrival law of msj as a user's; ``factor`` multiplies the rate it draws."""

    law: ClassVar[str] = "wrapped-arrivals"
    summary: ClassVar[str] = "another law"

    inner: Any
    declares: tuple[str, ...] = ()
    factor: float = 1.0

    def sampler(self, rate, rng, names):
        return Inner(self.inner.sampler(self.factor * rate, rng, names))

    def dispersion(self, rate):
        return self.inner.dispersion(rate)

    def relaxation_time(self, rate):
        return self.inner.relaxation_time(rate)

    @property
    def period(self):
        return self.inner.period

    @property
    def marks_classes(self):
        return self.inner.marks_classes

    def shares(self, names):
        return self.inner.shares(names)

    def order_chain(self, names):
        return self.inner.order_chain(names) if "order_chain" in self.declares else None

    def markov_form(self, rate):
        return self.inner.markov_form(rate) if "markov_form" in self.declares else None


class Inner(ArrivalSampler):
    """A sampler of msj's."""

    def __init__(self, sampler):
        self.sampler = sampler

    def draw(self, gaps, classes):
        self.sampler.draw(gaps, classes)


def some_arrivals(rng, *, max_cv=10.0):
    """Return a random arrival law."""
    kind = int(rng.integers(6))
    if kind in (0, 1):
        while True:
            gap = some_law(rng, max_cv=max_cv)[0]
            if gap.cv <= max_cv:
                return arrivals_from({"law": "renewal", "gap": gap})
    if kind == 2:
        size = {"law": "exponential", "mean": float(rng.uniform(1, 6))}
        return arrivals_from({"law": "batch", "size": size})
    if kind == 3:
        slow = 10.0 ** rng.uniform(-2.5, 1)
        switching = [[0, slow], [slow * rng.uniform(0.2, 5), 0]]
        return arrivals_from({"law": "mmpp", "rates": [rng.uniform(0, 1), rng.uniform(1, 9)], "switching": switching})
    if kind == 4:
        rates = rng.uniform(0, 3, 24).tolist()
        return arrivals_from({"law": "daily", "rates": rates, "cycle": float(rng.uniform(5, 50))})
    slow, fast = 10.0 ** rng.uniform(-2, 0), rng.uniform(1, 5)
    marked = {"a": [[0.2, 0], [0, fast]], "b": [[1, 0], [0, 0.1]]}
    return arrivals_from({"law": "map", "D0": [[-1.2 - slow, slow], [slow, -fast - 0.1 - slow]], "D1": marked})


def wrapped_arrivals(rng, *, max_cv=10.0, factor=1.0):
    """Return a random arrival law as a user would write it."""
    declares = tuple(name for name in ("order_chain", "markov_form") if rng.random() < 0.5)
    while True:
        inner = some_arrivals(rng, max_cv=max_cv)
        if max_cv >= 10 or inner.dispersion(1.0) <= max_cv**2:
            return WrappedArrivals(inner=inner, declares=declares, factor=factor)
