"""One grammar of --vary: points, steps, whole numbers, lists; the same text means the same in every command."""

import pytest

from msj import InvalidInput
from msj.analysis.vary import parse_vary as waste_vary
from msj.model.ranges import parse_vary
from msj.planning.vary import read_vary
from msj.sweeps.axis import Axis


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("servers=8..12", (8, 9, 10, 11, 12)),
        ("servers=2,4,8", (2, 4, 8)),
        ("servers=10..40..10", (10, 20, 30, 40)),
        ("servers=10..45..10", (10, 20, 30, 40)),
        ("servers=64..128/3", (64, 96, 128)),
        ("servers=4..4", (4,)),
        ("share:c1=0..1/3", (0.0, 0.5, 1.0)),
        ("share:c1=0.1..0.3..0.1", (0.1, 0.2, 0.3)),
        ("share:c1=0.5,0.7", (0.5, 0.7)),
    ],
)
def test_a_sweep_and_a_curve_of_waste_take_the_same_values(text, values):
    assert Axis.of(text).values == pytest.approx(values)
    if text != "servers=4..4":  # a curve needs two ends
        found = waste_vary(text)
        assert (found.values or tuple(found.grid())) == pytest.approx(values)


def test_values_of_loads_are_what_people_would_have_written():
    assert Axis.of("load=0.5..0.98/9").values == (0.5, 0.56, 0.62, 0.68, 0.74, 0.8, 0.86, 0.92, 0.98)
    assert Axis.of("load=0.5,0.7").values == (0.5, 0.7)
    assert waste_vary("rate-ratio=0.01..100/3").values == (0.01, 50.005, 100.0)
    with pytest.raises(InvalidInput, match=r"does not say how many values; write 0\.5\.\.0\.9/9"):
        Axis.of("load=0.5..0.9")


def test_a_range_without_points_is_left_to_the_curve():
    for text in ("share:c1=0..0.3", "rate-ratio=0.01..100"):
        assert (waste_vary(text).values, str(waste_vary(text))) == ((), text)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("servers", "does not say what to vary"),
        ("=3", "does not say what to vary"),
        ("servers=", "does not say what to vary"),
        ("servers=1..2..3..4", "is no range"),
        ("servers=1../2", "is no range"),
        ("servers=5..4", "does not rise"),
        ("servers=1..9/0", "has 0 values"),
        ("servers=1..9..0", "step = 0 must be greater than 0"),
    ],
)
def test_what_is_no_range_is_refused(text, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        [part.values(whole=True) for part in parse_vary(text)[1]]


def test_a_plan_finds_the_values_itself():
    with pytest.raises(InvalidInput, match="a plan finds the value itself; write vary = 'servers'"):
        read_vary("servers=8..12", ())
