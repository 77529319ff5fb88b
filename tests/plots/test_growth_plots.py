"""Pictures of the 1-and-n system and of one cluster as they grow."""

import numpy as np
import pytest

import msj
from msj.plots.cluster_scaling import draw_cluster_scaling
from msj.plots.load_focused import draw_load_focused
from msj.scaling.cluster import cluster_scaling
from msj.scaling.load_focused import load_focused_scaling

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
    family = load_focused_scaling(share, [10**2, 10**4, 10**6])
    figure = draw_load_focused(family)
    if share == "n^-2":  # all that can be drawn
        figure.draw_without_rendering()
    upper = [figure.axes[0], figure.axes[1]]
    assert upper[0].get_title() == title
    assert [len(axes.lines) for axes in upper] == lines
    np.testing.assert_allclose(upper[1].lines[0].get_ydata(), [point.completions for point in family.points])
    for axes in upper:
        styles = [(line.get_linestyle(), line.get_marker()) for line in axes.lines]
        assert len(set(styles)) == len(styles)  # they differ in black and white


def test_dollars_in_a_name_are_text():
    scaling = cluster_scaling(msj.read("examples/two_servers.toml").replace(name="$\\frac$ {"), [2, 4])
    draw_cluster_scaling(scaling).draw_without_rendering()


def test_exact_is_filled_and_simulated_hollow_with_intervals():
    system = msj.read("examples/two_servers.toml").replace(utilisation=0.6)
    uniform = system.replace(classes=[c.replace(duration=msj.Uniform(low=0, high=2)) for c in system.classes])
    for cluster, face in ((system, "black"), (uniform, "white")):
        scaling = cluster_scaling(cluster, [2, 4], keep="utilisation", jobs=20_000, rng=1)
        figure = draw_cluster_scaling(scaling)
        markers = [line for line in figure.axes[0].lines if line.get_marker() == "o"]
        assert [line.get_markerfacecolor() for line in markers] == [face, face]
        assert len(figure.axes[0].collections) == (0 if face == "black" else 2)  # intervals


def test_nothing_known_is_said():
    scaling = cluster_scaling(msj.read("examples/two_servers.toml").replace(arrival_rate=3), [2], keep="rate")
    waits = draw_cluster_scaling(scaling).axes[0]
    assert [text.get_text() for text in waits.texts] == ["not known at any size"]
