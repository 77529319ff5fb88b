"""The picture of mean response times."""

import pytest

import msj
from msj.answers import curve, waste
from msj.errors import InvalidInput
from msj.plots import response_curve
from msj.plots.figure import new_figure
from strategies import simple


def test_lines_thresholds_and_title_are_those_of_the_result():
    result = curve("examples/two_servers.toml", loads=[0, 0.5, 0.9])
    axes = response_curve.draw(result).axes[0]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [
        "all jobs, exact", "RESET prediction", "small", "large",
    ]  # fmt: skip
    exact = axes.lines[0]
    assert exact.get_xdata() == pytest.approx([0, 0.45, 0.81])
    assert exact.get_ydata() == pytest.approx([row.value for _, row in result.along("load", "mean_response_time")])
    assert axes.get_title() == "two servers"
    assert [text.get_text() for text in axes.texts] == ["stability threshold", "naive threshold"]


def test_what_is_lost_is_written_where_there_is_room():
    axes = response_curve.draw(curve("examples/hpc_partition.toml", loads=[0.5])).axes[0]
    assert "33% of the servers\nlost to blocking" in [text.get_text() for text in axes.texts]


def test_many_classes_are_left_out():
    system = simple(12, *((need, 1, 1 / 6) for need in (1, 2, 3, 4, 5, 6)), name="$six$ {")
    figure = response_curve.draw(curve(system, loads=[0.5]))
    figure.draw_without_rendering()
    assert len(figure.axes[0].get_legend().get_texts()) == 2


def test_a_given_axes_is_drawn_into():
    figure = new_figure()
    left, right = figure.subplots(1, 2)
    assert response_curve.draw(curve("examples/two_servers.toml", loads=[0.5]), right) is figure
    assert (len(left.lines), len(right.lines)) == (0, 6)


def test_another_result_is_refused():
    with pytest.raises(InvalidInput, match=r"give one of msj\.curve"):
        response_curve.draw(waste(msj.read("examples/two_servers.toml"), "servers=2..4"))
