"""Red and blue against formulas, and chains that keep every job."""

from fractions import Fraction

import pytest
from hypothesis import given, settings

import msj
from fronts.brute_force import erlang_c, mean_response_time, replaced
from fronts.clusters import ERLANG, ONE, VARIABLE, exact, machines
from msj import Exponential, InvalidInput, JobClass, System
from strategies import phase_types


def red_and_blue(servers, red_share, red, blue):
    shares = Fraction(red_share), 1 - Fraction(red_share)
    classes = zip(("red", "blue"), shares, (red, blue), strict=True)
    coloured = [JobClass(name=c, need=1, share=share, duration=law, extra={"colour": c}) for c, share, law in classes]
    return System(servers=servers, classes=coloured, model="red-and-blue")


@settings(max_examples=10)
@given(phase_types(), phase_types())
def test_one_server_does_not_mind_the_colour(red, blue):
    model = red_and_blue(1, "1/4", red, blue)
    mean = float(red.mean) / 4 + float(blue.mean) * 3 / 4
    second = red.second_moment / 4 + blue.second_moment * 3 / 4
    rate = 0.8 / mean
    assert exact(model, rate) == pytest.approx(mean + rate * second / 0.4, rel=1e-9)


def test_one_colour_is_erlang_c():
    model = red_and_blue(3, 1, ONE, ONE)
    assert exact(model, 2.7) == pytest.approx(erlang_c(3, 1.0, 2.7), rel=1e-10)


@pytest.mark.parametrize("servers", [2, 3])
def test_red_and_blue_waste_nothing_when_many_wait(servers):
    model = red_and_blue(servers, "2/5", ERLANG, VARIABLE)
    result = msj.analyse(model.replace(load=0.9))
    mean = 0.4 * 3 + 0.6 * float(VARIABLE.mean)
    assert result["stability_threshold"] == pytest.approx(servers / mean, rel=1e-10)
    alone = msj.analyse(machines([1] * servers, [("2/5", ERLANG), ("3/5", VARIABLE)]).replace(load=0.9))
    assert result["mean_response_time"] > alone["mean_response_time"]  # here the colours get in the way


@pytest.mark.parametrize(("servers", "most"), [(2, 11), (3, 9)])
def test_red_and_blue_keeping_every_job(servers, most):
    rates, rate = (1.0, 0.5), 0.1 * servers

    def steps(state):
        found = [[], []]  # positions of red and blue, counted off in order of arrival
        for i, colour in enumerate(state):
            found[colour].append(i)
            if len(found[colour]) == servers:
                break
        colour = 1 if len(found[1]) > len(found[0]) else 0
        return [(rates[colour], replaced(state, i)) for i in found[colour]]

    expected = mean_response_time((), lambda state: [(0.5, (*state, 0)), (0.5, (*state, 1))], steps, rate, most=most)
    model = red_and_blue(servers, "1/2", Exponential(rate=1), Exponential(rate=0.5))
    assert exact(model, rate) == pytest.approx(expected, rel=2e-5)


def test_what_is_wrong_is_refused_in_words():
    job = JobClass(name="a", need=1, share=1, duration=ONE, extra={"colour": "green"})
    with pytest.raises(InvalidInput, match="colour = 'green' is unknown; write 'red' or 'blue'"):
        System(servers=1, model="red-and-blue", classes=[job])
