"""Pictures of zero queueing and of the fluid model."""

import numpy as np
import pytest

from msj.errors import InvalidInput
from msj.growth import fluid, zero_queueing, zero_queueing_family
from msj.plots import fluid as fluid_picture
from msj.plots import zero_queueing as picture
from msj.plots.figure import new_figure
from msj.results import Quantity, Result
from strategies import simple

NEEDS = ("3", "log2(n)")
SYSTEM = simple(64, (1, 1, 0.5), (4, 0.5, 0.5), utilisation=0.5)


def labels(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


def test_every_class_and_bound_has_its_line():
    result = zero_queueing_family(NEEDS, [64, 256], alpha=0.1, jobs=20_000, rng=1, exact_seconds=1)
    axes = picture.draw(result).axes[0]
    assert labels(axes) == [
        "all jobs, exact",
        "bound (zeroq, Theorem 4.2)",
        "sharper bound",
        "lower bound",
        "need 3, simulated",
        "need log2(n), simulated",
    ]
    assert axes.get_xlabel() == "servers n"
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["64", "256"]
    assert axes.get_title().endswith("needs 3, log2(n): waiting vanishes (region 3)")


def test_the_only_class_is_all_jobs():
    axes = picture.draw(zero_queueing_family(["2"], [64], jobs=20_000, rng=1, exact_seconds=0)).axes[0]
    assert "need 2, simulated" in labels(axes)


def test_nobody_waited_is_drawn_as_an_upper_limit():
    result = zero_queueing_family(NEEDS, [64], alpha=0.1, simulation=False, exact_seconds=0)
    nobody = Quantity(
        name="simulated_waiting_probability", value=0.0, low=0.0, high=0.01, kind="simulated", method="simulation",
        at={"servers": 64},
    )  # fmt: skip
    rows = [nobody, *(nobody.replace(job_class=name) for name in NEEDS)]
    with_nobody = Result(
        system={}, quantities=(*result.quantities, *rows), provenance=result.provenance, notes=result.notes
    )
    axes = picture.draw(with_nobody).axes[0]
    drawn = np.concatenate([np.asarray(line.get_ydata(), dtype=float) for line in axes.lines])
    assert 0.01 in drawn
    assert axes.get_ylim()[0] < 0.01


def test_fluid_with_and_without_sizes():
    alone = fluid_picture.draw(fluid(SYSTEM, 5))
    assert len(alone.axes) == 1
    assert labels(alone.axes[0]) == ["need 1, fluid", "need 4, fluid"]
    both = fluid_picture.draw(fluid(SYSTEM, 5, servers=[64, 256], paths=2, rng=1))
    assert len(both.axes) == 2
    assert labels(both.axes[0])[-1] == "simulated, n = 256"
    assert both.axes[1].get_yscale() == "log"


def test_of_many_sizes_the_smallest_a_middle_one_and_the_largest_are_shown():
    result = fluid(SYSTEM, 2, servers=[512, 64, 128, 256, 1024], paths=1, rng=1)
    figure = fluid_picture.draw(result)
    assert [text for text in labels(figure.axes[0]) if "simulated" in text] == [
        "simulated, n = 64", "simulated, n = 256", "simulated, n = 1,024",
    ]  # fmt: skip
    marked = figure.axes[1].containers[0].lines[0].get_xdata()
    assert list(marked) == [64, 128, 256, 512, 1024]


def test_given_axes_are_drawn_into():
    figure = new_figure()
    one, *two = figure.subplots(1, 3)
    family = zero_queueing_family(NEEDS, [64, 256], alpha=0.1, simulation=False, exact_seconds=0)
    assert picture.draw(family, one) is figure
    paths = fluid(SYSTEM, 5, servers=[64, 256], paths=2, rng=1)
    assert fluid_picture.draw(paths, two) is figure
    assert all(axes.lines for axes in (one, *two))
    with pytest.raises(InvalidInput, match="1 axes are given for a picture of 2 panels"):
        fluid_picture.draw(paths, one)


def test_another_result_is_refused():
    with pytest.raises(InvalidInput, match=r"give one of msj\.zero_queueing_family"):
        picture.draw(zero_queueing("examples/two_servers.toml", simulation=False))
    with pytest.raises(InvalidInput, match=r"give one of msj\.fluid"):
        fluid_picture.draw(zero_queueing("examples/two_servers.toml", simulation=False))
