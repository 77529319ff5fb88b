"""Pictures of zero queueing and of the fluid model."""

import numpy as np

from msj.plots.fluid import draw_fluid
from msj.plots.zero_queueing import draw_zero_queueing
from msj.scaling.fluid_paths import fluid
from msj.scaling.queueing_probability import Estimate, QueueingProbability
from msj.scaling.zero_queueing_family import (
    FamilyAnswer,
    ZeroQueueingFamily,
    zero_queueing_family,
)
from strategies import simple

FAMILY = ZeroQueueingFamily(needs=("3", "log2(n)"), alpha=0.1)


def labels(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


def test_every_class_and_bound_has_its_line():
    answer = zero_queueing_family(FAMILY, [64, 256], jobs=20_000, rng=1, exact_seconds=1)
    axes = draw_zero_queueing(answer).axes[0]
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


def test_nobody_waited_is_drawn_as_an_upper_limit():
    point = zero_queueing_family(FAMILY, [64], simulation=False, exact_seconds=0).points[0]
    nobody = Estimate(value=0.0, low=0.0, high=0.01)
    found = QueueingProbability(overall=nobody, by_class={"3": nobody, "log2(n)": nobody}, jobs=1000)
    with_nobody = type(point)(**{**vars(point), "simulated": found})
    axes = draw_zero_queueing(FamilyAnswer(family=FAMILY, points=(with_nobody,))).axes[0]
    drawn = np.concatenate([np.asarray(line.get_ydata(), dtype=float) for line in axes.lines])
    assert 0.01 in drawn
    assert axes.get_ylim()[0] < 0.01


def test_fluid_with_and_without_sizes():
    system = simple(64, (1, 1, 0.5), (4, 0.5, 0.5), utilisation=0.5)
    alone = draw_fluid(fluid(system, 5))
    assert len(alone.axes) == 1
    assert labels(alone.axes[0]) == ["need 1, fluid", "need 4, fluid"]
    both = draw_fluid(fluid(system, 5, servers=[64, 256], paths=2, rng=1))
    assert len(both.axes) == 2
    assert labels(both.axes[0])[-1] == "simulated, n = 256"
    assert both.axes[1].get_yscale() == "log"
