"""Limited processor sharing between FCFS and processor sharing, both known."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import msj
from fronts.brute_force import pollaczek_khinchine
from fronts.clusters import ERLANG, VARIABLE, exact
from msj import JobClass, NotSupported, System, Weibull
from msj.fronts import front_of
from strategies import phase_types


def shared(limit, law, speed=1):
    """One machine of a speed."""
    job = JobClass(name="all", need=1, share=1, duration=law.scaled(Fraction(1, speed)))
    return System(servers=1, classes=[job], policy={"name": "limited-processor-sharing", "limit": limit})


@settings(max_examples=15)
@given(phase_types(), st.sampled_from([0.2, 0.9]))
def test_sharing_by_one_is_first_come_first_served(law, load):
    rate = load * 2 / float(law.mean)
    model = shared(1, law, speed=2)
    assert exact(model, rate) == pytest.approx(pollaczek_khinchine(law, rate, speed=2), rel=1e-9)


@pytest.mark.parametrize("law", [ERLANG, VARIABLE])
def test_sharing_by_many_is_processor_sharing(law):
    # The 30 oldest: at load 0.4 more than 30 jobs are present with probability 0.4^31 < 1e-12.
    result = msj.analyse(shared(30, law).replace(load=0.4))
    assert result["mean_response_time"] == pytest.approx(float(law.mean) / 0.6, rel=1e-9)


def test_what_is_wrong_is_refused_in_words():
    with pytest.raises(NotSupported, match="not phase type"):
        front_of(shared(1, Weibull(mean=1, shape=0.5)))
