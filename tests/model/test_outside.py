"""Laws from outside are recognised, and every block they draw is checked; laws of the package are left as they are."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

import msj
from msj.errors import BadLaw
from msj.model.arrivals import Arrivals
from msj.model.durations import Duration
from msj.model.outside import from_outside
from msj.registry import ARRIVALS, DURATIONS, ORDERS
from msj.simulation.state import restored, written
from own_laws import Own, OwnArrivals


@pytest.mark.parametrize("catalogue", [DURATIONS, ARRIVALS, ORDERS], ids=lambda each: each.kind)
def test_laws_of_the_package_are_not_wrapped(catalogue):
    for law in catalogue:
        assert not from_outside(law)
        for method in ("sample", "sampler"):
            assert not hasattr(getattr(law, method, None), "__checked__")


def test_a_subclass_of_a_law_of_the_package_is_from_outside():
    class Mine(msj.Exponential):
        pass

    assert from_outside(Mine)
    assert Mine.sample.__checked__ is msj.Exponential.sample
    assert Mine(mean=2).sample(np.random.default_rng(1), 3).tolist() == (
        msj.Exponential(mean=2).sample(np.random.default_rng(1), 3).tolist()
    )


def test_each_draw_is_checked_not_only_those_of_a_trial():
    law = Own(change=lambda x: np.where(np.arange(len(x)) == 1000, -1.0, x))
    assert law.sample(np.random.default_rng(1), 900).min() >= 0
    with pytest.raises(BadLaw, match=r"drew -1 \(value 1,001 of 2,000\)"):
        law.sample(np.random.default_rng(1), 2000)


def test_a_draw_of_nothing_is_no_mistake():
    assert Own().sample(np.random.default_rng(1), 0).shape == (0,)


def test_samples_are_floats():
    law = Own(change=lambda x: np.ones(len(x), dtype=np.int32))
    assert law.sample(np.random.default_rng(1), 3).dtype == np.float64


def test_an_exception_is_told_with_the_line_of_the_method():
    law = Own(change=lambda x: x[10**9])
    with pytest.raises(BadLaw, match=r"sample\(rng, 5\) raised IndexError: .* \(line \d+\); .* correct Own.sample"):
        law.sample(np.random.default_rng(1), 5)


def test_gaps_that_are_not_filled_in_are_found():
    class Lazy(OwnArrivals):
        def sampler(self, rate, rng, names):
            found = super().sampler(rate, rng, names)
            found.draw = lambda gaps, classes: gaps[:-1].fill(1.0)
            return found

    sampler = Lazy().sampler(1.0, np.random.default_rng(1), ["all"])
    with pytest.raises(BadLaw, match=r"drew nan \(value 10 of 10\)"):
        sampler.draw(np.ones(10), np.zeros(10, dtype=np.int64))


def test_a_sampler_must_be_one():
    class Wrong(OwnArrivals):
        def sampler(self, rate, rng, names):
            return "gaps"

    with pytest.raises(BadLaw, match=r"sampler returned a str; it must return an ArrivalSampler, .* correct Wrong"):
        Wrong().sampler(1.0, np.random.default_rng(1), ["all"])


def test_the_check_is_no_part_of_a_laws_identity():
    def law(body):
        @dataclass(frozen=True, kw_only=True)
        class Here(Own):
            law: ClassVar[str] = "here"
            sample = body

        return Here()

    def double(self, rng, size):
        return rng.random(size) * 2

    def triple(self, rng, size):
        return rng.random(size) * 3

    assert law(double).identity() == law(double).identity() != law(triple).identity()


def test_a_law_in_slots_is_checked_as_well():
    @dataclass(frozen=True, kw_only=True, slots=True)
    class Slots(Duration):
        law: ClassVar[str] = "slots"
        summary: ClassVar[str] = "nothing"
        mean: float = 1.0

        @property
        def second_moment(self):
            return 1.0

        def sample(self, rng, size):
            return np.full(size, -1.0)

        def scaled(self, factor):
            return self

    with pytest.raises(BadLaw, match="drew -1"):
        Slots().sample(np.random.default_rng(1), 2)


def test_a_checkpoint_keeps_the_state_of_own_arrivals():
    def sampler():
        return OwnArrivals().sampler(1.0, np.random.default_rng(1), ["all"])

    def gaps(source):
        drawn = np.empty(5)
        source.draw(drawn, np.zeros(5, dtype=np.int64))
        return drawn.tolist()

    first, arrays = sampler(), {}
    gaps(first)
    again = restored(sampler(), written(first, arrays), arrays)
    assert gaps(again) == gaps(first) != gaps(sampler())


def test_a_base_class_between_is_no_law_yet():
    class Between(Arrivals):
        pass

    assert getattr(Between.sampler, "__isabstractmethod__", False)
