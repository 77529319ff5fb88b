"""What every arrival law offers.

A law gives the *shape* of the arrivals; how many come per unit of time is said by the system (``arrival_rate``,
``load`` or ``utilisation``), and where it says nothing the law's own rate holds, if it has one. So every method takes
the rate. A law draws its gaps, and says what is known of it: whether it is Poisson's, which Markov chain is behind it
(those are the laws exact methods understand), how clustered its arrivals are, and over which time it remembers its
past.

**Dispersion.** With A(t) the number of arrivals in a time t, Var A(t)/E A(t) tends to the index of dispersion I: 1 for
Poisson arrivals, above 1 for bursts, c² for independent gaps of coefficient of variation c.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from msj.model.law import Law, law_from
from msj.model.numbers import Number
from msj.model.outside import check_sampler, register
from msj.registry import ARRIVALS

if TYPE_CHECKING:
    from msj.model.arrivals.markov_form import MarkovForm
    from msj.model.orders.order_chain import OrderChain


class ArrivalSampler(ABC):
    """Draws arrivals, one block after the other; all its state is arrays, numbers and random streams."""

    @abstractmethod
    def draw(self, gaps: NDArray[np.float64], classes: NDArray[np.int64]) -> None:
        """Fill the times between the next arrivals; and their classes, if the law says who comes."""


class Arrivals(Law, ABC):
    """The law of when jobs arrive."""

    #: Whether the process is Poisson's: then an arrival finds what time finds (PASTA), and much has a closed form.
    poisson: ClassVar[bool] = False
    #: Whether jobs come one at a time; if not, some wait however few there are.
    one_at_a_time: ClassVar[bool] = True

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        register(cls, "arrival law", "sampler", check_sampler)

    @property
    def own_rate(self) -> Number | None:
        """Jobs per unit of time where nobody says otherwise; None where the law is a shape only."""
        return None

    @abstractmethod
    def sampler(self, rate: float, rng: np.random.Generator, names: Sequence[str]) -> ArrivalSampler:
        """Return what draws arrivals at ``rate`` jobs per unit of time; ``names`` are those of the classes."""

    def markov_form(self, rate: float) -> MarkovForm | None:  # noqa: ARG002
        """Return the law as a Markov chain that marks its arrivals, or None where it is not one of finite size."""
        return None

    def dispersion(self, rate: float) -> float:
        """Return the index of dispersion of counts; infinite where it is."""
        form = self.markov_form(rate)
        return math.nan if form is None else form.dispersion

    def relaxation_time(self, rate: float) -> float:
        """Return the time over which the law forgets its past, beyond the gap between two arrivals."""
        form = self.markov_form(rate)
        return 0.0 if form is None else form.relaxation_time

    @property
    def period(self) -> float | None:
        """The time after which the law repeats itself, where it goes by a clock."""
        return None

    @property
    def marks_classes(self) -> bool:
        """Whether the law says who comes, too."""
        return False

    def shares(self, names: Sequence[str]) -> tuple[Number, ...] | None:  # noqa: ARG002
        """Return the share of each class where the law says who comes, else None."""
        return None

    def order_chain(self, names: Sequence[str]) -> OrderChain | None:  # noqa: ARG002
        """Return in which order classes come where the law says who comes, else None."""
        return None

    def restricted(self, names: Sequence[str]) -> Self:  # noqa: ARG002
        """Return the same law for these classes only, of those that arrive."""
        return self

    def assumption(self) -> str:
        """Return the law for a line that says what was assumed."""
        return f"{self.law} arrivals"


def arrivals_from(given: Any) -> Arrivals:
    """Return the law that ``arrivals = ...`` describes.

    Examples
    --------
    >>> arrivals_from({"law": "renewal", "gap": {"law": "erlang", "stages": 2, "mean": 4}}).own_rate
    Fraction(1, 4)
    """
    found: Arrivals = law_from(
        ARRIVALS, given, Arrivals, '{ law = "mmpp", rates = [1, 9], switching = [[0, 1], [1, 0]] }'
    )
    return found
