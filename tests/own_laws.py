"""Laws as users write them, correct and wrong: the options say what is wrong."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

import msj
from msj.model.arrivals import Arrivals, ArrivalSampler
from msj.model.durations import Duration
from msj.model.orders import Order, OrderChain


@dataclass(frozen=True, kw_only=True)
class Own(Duration):
    """Exponential durations; a callable ``change`` turns samples into others."""

    law: ClassVar[str] = "own"
    summary: ClassVar[str] = "exponential"

    mean: Any = 1.0
    second: Any = None
    fourth: float = float("nan")
    change: Any = None
    phases: Any = None
    distribution: Any = None

    @property
    def second_moment(self):
        return 2 * self.mean**2 if self.second is None else self.second

    def moment(self, order):
        return self.fourth if order == 4 else float("nan")

    def as_phase_type(self):
        return self.phases

    def cdf(self, x):
        return None if self.distribution is None else self.distribution(x)

    def sample(self, rng, size):
        drawn = rng.exponential(float(self.mean), size)
        return drawn if self.change is None else self.change(drawn)

    def scaled(self, factor):
        second = None if self.second is None else self.second * factor**2
        return self.replace(mean=self.mean * factor, second=second)


@dataclass(frozen=True, kw_only=True)
class OwnArrivals(Arrivals):
    """Poisson arrivals drawn at ``factor`` times the rate; of two classes where ``marks`` are their probabilities."""

    law: ClassVar[str] = "own-arrivals"
    summary: ClassVar[str] = "exponential gaps"

    factor: float = 1.0
    known: float = 1.0  # the dispersion
    marks: tuple[float, ...] = ()
    declared: tuple[float, ...] = ()  # shares
    change: Any = None
    form: Any = None

    def dispersion(self, rate):
        return self.known

    def markov_form(self, rate):
        return None if self.form is None else self.form(rate)

    @property
    def marks_classes(self):
        return bool(self.marks)

    def shares(self, names):
        return self.declared or self.marks or None

    def sampler(self, rate, rng, names):
        return Gaps(self.factor * rate, rng, self.marks, self.change)


class Gaps(ArrivalSampler):
    def __init__(self, rate, rng, marks, change):
        self.rate, self.rng, self.marks, self.change = rate, rng, marks, change

    def draw(self, gaps, classes):
        gaps[:] = self.rng.exponential(1 / self.rate, len(gaps))
        if self.marks:
            classes[:] = self.rng.choice(len(self.marks), len(classes), p=self.marks)
        if self.change is not None:
            self.change(gaps, classes)


class PoissonOfOnesOwn(OwnArrivals):
    law: ClassVar[str] = "poisson-of-ones-own"
    poisson: ClassVar[bool] = True


@dataclass(frozen=True, kw_only=True)
class OwnOrder(Order):
    law: ClassVar[str] = "own-order"
    summary: ClassVar[str] = "one state"

    probabilities: tuple[float, ...]

    def chain(self, shares):
        return OrderChain(entering=np.array(self.probabilities)[:, None, None])


def one_class(duration=None, **options):
    """One server, jobs that need it."""
    law = msj.Exponential(mean=1) if duration is None else duration
    options = {"arrival_rate": 0.4} | options
    return msj.System(servers=1, classes=[msj.JobClass(name="all", need=1, share=1, duration=law)], **options)


def two_classes(**options):
    """Two servers, jobs that need one or both."""
    law, options = msj.Exponential(mean=1), {"arrival_rate": 0.4} | options
    classes = [
        msj.JobClass(name="small", need=1, share=0.5, duration=law),
        msj.JobClass(name="large", need=2, share=0.5, duration=law),
    ]
    return msj.System(servers=2, classes=classes, **options)
