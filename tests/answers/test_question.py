"""Every verb tries the laws from outside of its system, once, and says what could not be tested."""

import math

import numpy as np
import pytest

import msj
from msj.errors import BadLaw
from msj.model.environments import Breakdowns
from msj.model.trials import try_laws
from msj.workloads import Streams, SystemJobs, seed_sequence
from own_laws import Own, OwnArrivals, OwnOrder, one_class, two_classes

TRIPLE = Own(change=lambda x: 3 * x, phases=msj.Exponential(mean=1).as_phase_type())
WRONG = one_class(TRIPLE)
VERBS = {
    "analyse": lambda: msj.analyse(WRONG),
    "cluster_scaling": lambda: msj.cluster_scaling(WRONG, keep="load"),
    "compare": lambda: msj.compare(WRONG, ["fcfs", "first-fit"], jobs=1000),
    "curve": lambda: msj.curve(WRONG, loads=[0.5]),
    "design": lambda: msj.design(WRONG),
    "fluid": lambda: msj.fluid(WRONG, until=1.0),
    "open_system": lambda: msj.open_system(WRONG),
    "plan": lambda: msj.plan(WRONG, targets="mean wait <= 1"),
    "region": lambda: msj.region(WRONG),
    "report": lambda: msj.report(WRONG),
    "saturate": lambda: msj.saturate(WRONG),
    "simulate": lambda: msj.simulate(WRONG, jobs=1000),
    "sweep": lambda: msj.sweep(WRONG, vary="load=0.5,0.6"),
    "waste": lambda: msj.waste(WRONG, "servers"),
    "zero_queueing": lambda: msj.zero_queueing(WRONG),
}


@pytest.mark.parametrize("verb", VERBS)
def test_no_verb_answers_with_a_wrong_law(verb):
    with pytest.raises(BadLaw, match="duration law 'own' declares"):
        VERBS[verb]()


class TestWhatWasAcceptedBefore:
    """A load is believed only if the laws are: defect O4."""

    def test_negative_samples(self):
        with pytest.raises(BadLaw, match=r"drew -0\.\d+ .*must be finite and not negative; correct Own.sample"):
            msj.simulate(one_class(Own(change=lambda x: x - 0.5)), jobs=1000, seed=1)

    def test_three_times_the_declared_mean(self):
        with pytest.raises(BadLaw, match=r"declares the mean 1, and its samples have 2\.99"):
            msj.simulate(one_class(Own(change=lambda x: 3 * x)), jobs=1000, seed=1)

    def test_twice_the_arrival_rate(self):
        with pytest.raises(BadLaw, match=r"draws 0\.80\d* arrivals per unit of time at the rate 0\.4 "):
            msj.simulate(one_class(arrivals=OwnArrivals(factor=2.0)), jobs=1000, seed=1)


@pytest.mark.parametrize(
    "system",
    [
        lambda: one_class(arrivals={"law": "renewal", "gap": Own(change=lambda x: 3 * x)}),
        lambda: two_classes(environment=Breakdowns(rate=0.01, together=True, repair=Own(change=lambda x: 3 * x))),
        lambda: two_classes(order=OwnOrder(probabilities=(0.9, 0.1))),
        lambda: two_classes(arrivals=OwnArrivals(marks=(0.5, 0.5), change=lambda g, c: c.fill(1))),
    ],
    ids=["gap", "environment", "order", "marks"],
)
def test_laws_are_found_wherever_they_stand(system):
    with pytest.raises(BadLaw):
        msj.simulate(system(), jobs=1000, seed=1)


def test_a_correct_law_gives_the_answer_of_the_same_law_of_the_package():
    own = Own(phases=msj.Exponential(mean=1).as_phase_type(), fourth=24.0)
    assert msj.analyse(one_class(own))["mean_response_time"] == pytest.approx(1 / 0.6)
    row = msj.simulate(one_class(own), jobs=200_000, seed=1).row("mean_response_time")
    assert row.low < 1 / 0.6 < row.high


def test_marks_of_a_poisson_law_of_ones_own_are_used():
    class Marked(OwnArrivals):
        poisson = True

    system = two_classes(arrivals=Marked(marks=(0.5, 0.5)))
    streams = Streams(root=seed_sequence(1), replication=0)
    jobs = SystemJobs(system, arrival_rate=0.4, streams=streams).take(20_000)
    # Five standard errors are 0.018.
    assert np.bincount(jobs.job_class, minlength=2) / 20_000 == pytest.approx([0.5, 0.5], abs=0.02)


def test_making_and_describing_a_system_draws_nothing():
    def fails(x):
        raise AssertionError("drawn")

    system = one_class(Own(change=fails))
    assert system.naive_threshold == 1.0
    assert system.replace(arrival_rate=0.2).to_spec()["classes"][0]["duration"]["law"] == "own"


def test_a_law_is_tried_once():
    drawn = []

    def note(x):
        drawn.append(len(x))
        return x

    law = Own(change=note)
    try_laws(one_class(law))
    first = len(drawn)
    assert first > 0
    try_laws(one_class(law, arrival_rate=0.2))
    assert try_laws(one_class(law.replace(mean=1.0))) == ()
    assert len(drawn) == first


def test_a_refused_law_is_refused_again():
    for _ in range(2):
        with pytest.raises(BadLaw, match="declares the mean 1"):
            try_laws(one_class(TRIPLE.replace(phases=None)))


def test_a_trial_takes_nothing_from_the_streams_of_a_run():
    system = one_class(Own(fourth=24.0, mean=1.25))
    first = msj.simulate(system, jobs=20_000, seed=1)  # with the trial
    assert msj.simulate(system, jobs=20_000, seed=1).quantities == first.quantities


@pytest.mark.parametrize("verb", ["analyse", "simulate", "sweep"])
def test_what_could_not_be_tested_is_said_in_a_note(verb):
    system = one_class(Own(second=math.inf))
    options = {"simulate": {"jobs": 1000, "seed": 1}, "sweep": {"vary": "arrival_rate=0.3,0.4", "jobs": 1000}}
    found = getattr(msj, verb)(system, **options.get(verb, {}))
    assert [note for note in found.notes if "the mean was not compared with its samples" in note]


def test_samples_that_are_rarely_negative_end_the_run():
    # Once in 360,000 on average: not among the 115,000 samples of the trial, but among those of the run.
    rare = Own(change=lambda x: np.where(x > 12.8, -1.0, x))
    with pytest.raises(BadLaw, match="drew -1"):
        msj.simulate(one_class(rare), jobs=2_000_000, seed=1)
