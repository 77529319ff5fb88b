"""The picture of a waste curve."""

import numpy as np
import pytest
from matplotlib.path import Path as Line

from msj.analysis.waste_curve import waste_curve
from msj.plots.waste_curve import deepest, draw_waste_curve
from strategies import simple

PEAKS = simple(60, (1, 1, 0.5), (20, 1, 0.5), name="sixty")


def texts(axes):
    return [text for text in axes.texts if text.get_text()]


@pytest.fixture(scope="module")
def peaks():
    return waste_curve(PEAKS, "rate-ratio=0.01..10000", points=60)


def test_two_panels_with_names_and_every_extremum(peaks):
    figure = draw_waste_curve(peaks)
    upper, lower = figure.axes
    assert upper.get_ylabel() == "wasted servers"
    assert lower.get_ylabel() == "servers in use (%)"
    assert lower.get_xlabel() == "rate of 'need 20' / rate of 'need 1'"
    assert lower.get_xscale() == "log"
    assert upper.get_title(loc="left") == "sixty: 60 servers, needs 1, 20"
    for axes, heights in ((upper, peaks.wasted_servers), (lower, 100 * peaks.saturated_utilisation)):
        line, pessima, optima = axes.lines
        np.testing.assert_array_equal(line.get_xdata(), peaks.parameter)
        np.testing.assert_allclose(line.get_ydata(), heights)
        assert pessima.get_marker() != optima.get_marker()  # they differ in black and white
        for marked, kind in ((pessima, "pessimum"), (optima, "optimum")):
            assert list(marked.get_xdata()) == [e.parameter for e in peaks.extrema if e.kind == kind]
    assert len(figure.legends) == 1


@pytest.mark.parametrize(
    ("system", "vary"),
    [
        (PEAKS, "rate-ratio=0.01..10000"),
        (simple(10, (3, 1, 0.9), (10, 1, 0.1)), "servers=10..80"),
        (simple(200, (1, 2, 0.5), (200, 1, 0.5)), "share:need 200=0..1"),
    ],
)
def test_nothing_overlaps(system, vary):
    curve = waste_curve(system, vary)
    figure = draw_waste_curve(curve)
    figure.draw_without_rendering()
    upper, lower = figure.axes
    written = texts(upper)
    assert written
    boxes = [text.get_window_extent() for text in written]
    line = Line(upper.transData.transform(np.column_stack((curve.parameter, curve.wasted_servers))))
    frame = upper.get_window_extent()
    for i, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[:i])
        assert not line.intersects_bbox(box, filled=False)
        assert frame.y0 <= box.y0
        assert box.y1 <= frame.y1
    parts = [
        upper.get_window_extent(),
        lower.get_window_extent(),
        lower.xaxis.label.get_window_extent(),
        figure.legends[0].get_window_extent(),
        upper._left_title.get_window_extent(),
    ]
    for i, part in enumerate(parts):
        assert not any(part.overlaps(other) for other in parts[:i])


def test_an_extremum_close_to_an_end_stretches_the_axis():
    large = draw_waste_curve(waste_curve(simple(200, (1, 2, 0.5), (200, 1, 0.5)), "share:need 200=0..1")).axes[1]
    assert large.get_xlabel() == "share of 'need 200' (axis stretched near 0)"
    labels = [label.get_text() for label in large.get_xticklabels()]
    assert labels[0] == "0"
    assert {"0.01", "0.1", "1"} <= set(labels)
    small = draw_waste_curve(waste_curve(simple(200, (1, 2, 0.5), (200, 1, 0.5)), "share:need 1=0..1")).axes[1]
    assert small.get_xlabel() == "share of 'need 1' (axis stretched near 1)"
    assert {"0", "0.9", "0.99", "1"} <= {label.get_text() for label in small.get_xticklabels()}
    for axes, peak in ((large, 0.013), (small, 0.987)):  # both ends and the peak are well apart
        low, middle, high = axes.transAxes.inverted().transform(
            axes.transData.transform([(x, 0) for x in (0, peak, 1)])
        )
        assert 0 < low[0] < middle[0] - 0.2 < high[0] - 0.4 < 0.6
    even = draw_waste_curve(waste_curve(simple(2, (1, 1, 0.5), (2, 0.5, 0.5)), "share:need 2=0..1")).axes[1]
    assert even.get_xscale() == "linear"


def test_a_flat_curve_is_drawn_too():
    upper, lower = draw_waste_curve(waste_curve(simple(5, (1, 1, 1)), "servers=2..9")).axes
    assert -0.1 < upper.get_ylim()[0] < 0
    assert lower.get_ylim() == (0, 102)
    assert lower.get_xlabel() == "servers"


def test_the_deepest_turns_come_first(peaks):
    inner = [e for e in deepest(peaks) if not e.at_end]
    assert {e.parameter for e in inner} == {e.parameter for e in peaks.extrema if not e.at_end}
    everywhere = [e.wasted_servers for e in peaks.extrema]

    def depth(extremum):
        i = peaks.extrema.index(extremum)
        return min(abs(everywhere[i] - everywhere[i - 1]), abs(everywhere[i] - everywhere[i + 1]))

    depths = [depth(e) for e in inner]
    assert depths == sorted(depths, reverse=True)
