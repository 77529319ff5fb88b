"""The picture of a waste curve."""

import numpy as np
import pytest
from matplotlib.path import Path as Line

from msj.answers import curve, waste
from msj.errors import InvalidInput
from msj.plots.figure import new_figure
from msj.plots.waste_curve import curve_of, deepest, draw
from strategies import simple

PEAKS = simple(60, (1, 1, 0.5), (20, 1, 0.5), name="sixty")


def texts(axes):
    return [text for text in axes.texts if text.get_text()]


@pytest.fixture(scope="module")
def peaks():
    return waste(PEAKS, "rate-ratio=0.01..10000", points=60)


def test_two_panels_with_names_and_every_extremum(peaks):
    figure = draw(peaks)
    upper, lower = figure.axes
    assert upper.get_ylabel() == "wasted servers"
    assert lower.get_ylabel() == "servers in use (%)"
    assert lower.get_xlabel() == "rate of 'need 20' / rate of 'need 1'"
    assert lower.get_xscale() == "log"
    assert upper.get_title(loc="left") == "sixty: 60 servers, needs 1, 20"
    for axes, name, unit in ((upper, "wasted_servers", 1), (lower, "saturated_utilisation", 100)):
        points = [(x, unit * row.value) for x, row in peaks.along("rate_ratio", name) if "extremum" not in row.at]
        line, pessima, optima = axes.lines
        np.testing.assert_allclose(np.column_stack(line.get_data()), points, rtol=1e-14)
        assert pessima.get_marker() != optima.get_marker()  # they differ in black and white
        for marked, kind in ((pessima, "pessimum"), (optima, "optimum")):
            assert list(marked.get_xdata()) == [x for x, _ in peaks.at(extremum=kind).along("rate_ratio", name)]
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
    result = waste(system, vary)
    figure, shown = draw(result), curve_of(result)
    figure.draw_without_rendering()
    upper, lower = figure.axes
    written = texts(upper)
    assert written
    boxes = [text.get_window_extent() for text in written]
    line = Line(upper.transData.transform(np.column_stack((shown.places, shown.wasted_servers))))
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
    large = draw(waste(simple(200, (1, 2, 0.5), (200, 1, 0.5)), "share:need 200=0..1")).axes[1]
    assert large.get_xlabel() == "share of 'need 200' (axis stretched near 0)"
    labels = [label.get_text() for label in large.get_xticklabels()]
    assert labels[0] == "0"
    assert {"0.01", "0.1", "1"} <= set(labels)
    small = draw(waste(simple(200, (1, 2, 0.5), (200, 1, 0.5)), "share:need 1=0..1")).axes[1]
    assert small.get_xlabel() == "share of 'need 1' (axis stretched near 1)"
    assert {"0", "0.9", "0.99", "1"} <= {label.get_text() for label in small.get_xticklabels()}
    for axes, peak in ((large, 0.013), (small, 0.987)):  # both ends and the peak are well apart
        low, middle, high = axes.transAxes.inverted().transform(
            axes.transData.transform([(x, 0) for x in (0, peak, 1)])
        )
        assert 0 < low[0] < middle[0] - 0.2 < high[0] - 0.4 < 0.6
    even = draw(waste(simple(2, (1, 1, 0.5), (2, 0.5, 0.5)), "share:need 2=0..1")).axes[1]
    assert even.get_xscale() == "linear"


def test_a_flat_curve_is_drawn_too():
    upper, lower = draw(waste(simple(5, (1, 1, 1)), "servers=2..9")).axes
    assert -0.1 < upper.get_ylim()[0] < 0
    assert lower.get_ylim() == (0, 102)
    assert lower.get_xlabel() == "servers"


def test_the_deepest_turns_come_first(peaks):
    extrema = curve_of(peaks).extrema
    inner = [e for e in deepest(extrema) if not e.at_end]
    assert {e.place for e in inner} == {e.place for e in extrema if not e.at_end}
    everywhere = [e.wasted_servers for e in extrema]

    def depth(extremum):
        i = extrema.index(extremum)
        return min(abs(everywhere[i] - everywhere[i - 1]), abs(everywhere[i] - everywhere[i + 1]))

    depths = [depth(e) for e in inner]
    assert depths == sorted(depths, reverse=True)


def test_given_axes_are_drawn_into_and_share_the_scale(peaks):
    figure = new_figure()
    upper, lower = figure.subplots(2, 1)  # not tied together
    assert draw(peaks, [upper, lower]) is figure
    assert upper.get_xscale() == lower.get_xscale() == "log"
    assert (len(figure.legends), len(lower.get_legend().get_texts())) == (0, 2)
    assert texts(upper)


def test_the_wrong_axes_or_result_is_refused(peaks):
    with pytest.raises(InvalidInput, match="3 axes are given for a picture of 2 panels"):
        draw(peaks, new_figure().subplots(1, 3))
    with pytest.raises(InvalidInput, match=r"give one of msj\.waste"):
        draw(curve("examples/two_servers.toml", loads=[0.5]))


def test_classes_that_never_arrive_are_not_named():
    system = simple(4, (1, 1, 0.5), (3, 1, 0), (4, 1, 0.5))
    upper, lower = draw(waste(system, "rate-ratio=0.1..10", points=9)).axes
    assert upper.get_title(loc="left") == "4 servers, needs 1, 4"
    assert lower.get_xlabel() == "rate of 'need 4' / rate of 'need 1'"
