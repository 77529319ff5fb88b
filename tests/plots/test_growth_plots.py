"""Pictures of the 1-and-n system and of one cluster as they grow."""

import numpy as np
import pytest

import msj
from msj.errors import InvalidInput
from msj.growth import cluster_scaling, one_and_n_scaling
from msj.plots import cluster_scaling as cluster_picture
from msj.plots import load_focused
from msj.plots.figure import new_figure

THRESHOLD, LOST = "stability threshold", "lost throughput, $n\\mu_1$ − threshold"


@pytest.mark.parametrize(
    ("share", "title", "lines"),
    [
        ("n^-0.5", THRESHOLD, [3, 3]),
        ("n^-2", LOST, [3, 3]),
        ("1/(n*ln(n))", THRESHOLD, [3, 2]),
        ("0.2", THRESHOLD, [2, 1]),
    ],
)
def test_values_above_ratios_below(share, title, lines):
    result = one_and_n_scaling(share, [10**2, 10**4, 10**6])
    figure = load_focused.draw(result)
    if share == "n^-2":  # all that can be drawn
        figure.draw_without_rendering()
    upper, lower = figure.axes[:2], figure.axes[2:]
    assert upper[0].get_title() == title
    assert [len(axes.lines) for axes in upper] == lines
    name = "relative_completions_at_departure"
    exact = [row.value for _, row in result.along("servers", name) if row.kind == "exact"]
    np.testing.assert_allclose(upper[1].lines[0].get_ydata(), exact)
    for axes, ratios in zip(upper, lower, strict=True):
        styles = [(line.get_linestyle(), line.get_marker()) for line in axes.lines]
        assert len(set(styles)) == len(styles)  # they differ in black and white
        for line, ratio in zip(axes.lines[1:], ratios.lines[1:], strict=True):  # below, the first is the line at 1
            np.testing.assert_allclose(ratio.get_ydata(), axes.lines[0].get_ydata() / line.get_ydata())


def test_dollars_in_a_name_are_text():
    system = msj.read("examples/two_servers.toml").replace(name="$\\frac$ {")
    cluster_picture.draw(cluster_scaling(system, [2, 4])).draw_without_rendering()


def test_exact_is_filled_and_simulated_hollow_with_intervals():
    system = msj.read("examples/two_servers.toml").replace(utilisation=0.6)
    uniform = system.replace(classes=[c.replace(duration=msj.Uniform(low=0, high=2)) for c in system.classes])
    for cluster, face in ((system, "black"), (uniform, "white")):
        result = cluster_scaling(cluster, [2, 4], keep="utilisation", jobs=20_000, rng=1)
        figure = cluster_picture.draw(result)
        markers = [line for line in figure.axes[0].lines if line.get_marker() == "o"]
        assert [line.get_markerfacecolor() for line in markers] == [face, face]
        assert len(figure.axes[0].collections) == (0 if face == "black" else 2)  # intervals


def test_one_line_for_each_cap():
    figure = cluster_picture.draw(cluster_scaling("examples/two_servers.toml", [2, 4], largest_needs=[1]))
    assert [text.get_text() for text in figure.axes[1].get_legend().get_texts()] == ["needs up to 2", "needs up to 1"]
    assert figure.get_suptitle() == "two servers, keeping the load at 0.8"


def test_nothing_known_is_said():
    result = cluster_scaling(msj.read("examples/two_servers.toml").replace(arrival_rate=3), [2], keep="rate")
    waits = cluster_picture.draw(result).axes[0]
    assert [text.get_text() for text in waits.texts] == ["not known at any size"]


def test_both_draw_into_given_axes():
    figure = new_figure()
    axes = figure.subplots(2, 4)
    assert cluster_picture.draw(cluster_scaling("examples/two_servers.toml", [2, 4]), axes[0, :3]) is figure
    assert load_focused.draw(one_and_n_scaling("1/n", [100, 1000]), axes[1].reshape(2, 2)) is figure
    assert [len(each.lines) > 0 for each in axes.ravel()] == [True] * 3 + [False] + [True] * 4
    assert figure.get_suptitle() == ""  # what stands above it is its owner's


def test_the_wrong_axes_or_result_is_refused():
    result = one_and_n_scaling("1/n", [100, 1000])
    with pytest.raises(InvalidInput, match="1 axes are given for a picture of 4 panels"):
        load_focused.draw(result, new_figure().add_subplot())
    with pytest.raises(InvalidInput, match=r"give one of msj\.cluster_scaling"):
        cluster_picture.draw(result)
    with pytest.raises(InvalidInput, match=r"give one of msj\.one_and_n_scaling"):
        load_focused.draw(cluster_scaling("examples/two_servers.toml", [2, 4]))
