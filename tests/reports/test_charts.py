"""What the pictures of a report show, of reports put together by hand."""

from dataclasses import replace

import pytest
from hand_made import capacity, change, outlook, policy, report, row

from msj.reports.chart_style import BLUE, GREY, INK, ORANGE, RED, log_axis
from msj.reports.charts import (
    PATTERNS,
    _errors,
    _marks,
    outlook_chart,
    policies_chart,
    response_chart,
    servers_chart,
    waiting_chart,
    what_if_chart,
)
from msj.reports.contents import Curve, Point, WaitingSection


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_policies_are_drawn_from_two_on_the_fastest_on_top(count):
    means = {"slow": 12.0, "fast": 4.0, "own": 8.0}
    rows = [policy(name, own=name == "own", mean=mean) for name, mean in list(means.items())[:count]]
    chart = policies_chart(report(policies=[*rows, policy("growing", stable=False)]))
    if count < 2:
        assert chart is None
        return
    points = chart.data[0]
    wanted = sorted(list(means.items())[:count], key=lambda each: each[1])
    assert points["x"] == [mean for _, mean in wanted]
    assert points["y"] == [f"<b>{name}</b>" if name == "own" else name for name, _ in wanted]
    assert points["marker"]["symbol"] == ["diamond" if name == "own" else "circle" for name, _ in wanted]


def drawn(chart, *keys):
    """Return these parts of everything that is drawn."""
    return [tuple(part[key] for key in keys) for part in chart.data]


# Where the servers go: ten, of which two are lost at the limit

LIMIT, HERE = "at its limit", "at this load"


def test_the_four_classes_that_cost_most_are_named_and_the_others_are_together():
    blocked = [("c", 0.3), ("a<'b'", 0.6), ("f", 0.019), ("b", 0.5), ("e", 0.1), ("d", 0.2)]
    chart = servers_chart(report(takes=capacity(0.8, blocked=blocked)))
    assert [name for (name,) in drawn(chart, "name")] == [
        "busy",
        "held empty for 'a&lt;'b''",
        "held empty for 'b'",
        "held empty for 'c'",
        "held empty for 'd'",
        "lost to other classes",  # 2 - 0.6 - 0.5 - 0.3 - 0.2
    ]
    assert [x for ((x,),) in drawn(chart, "x")] == pytest.approx([8.0, 0.6, 0.5, 0.3, 0.2, 0.4])
    assert {y for ((y,),) in drawn(chart, "y")} == {LIMIT}
    patterns = [marker.get("pattern", {}).get("shape") for (marker,) in drawn(chart, "marker")]
    assert patterns == [None, *PATTERNS[:4], "-"]
    assert chart.layout["xaxis"]["range"] == [0, 10]
    assert chart.layout["yaxis"]["categoryarray"] == [LIMIT]
    assert chart.caption == "Where the 10 servers go."


@pytest.mark.parametrize(
    ("blocked", "parts"),
    [
        ([], {"lost": 2.0}),
        ([("a", 2.0)], {"held empty for 'a'": 2.0}),
        ([("a", 2.0 - 1.2e-5)], {"held empty for 'a'": 2.0, "lost to other classes": 1.2e-5}),
        ([("a", 2.0 - 0.8e-5)], {"held empty for 'a'": 2.0}),  # less than a millionth of ten servers
        ([("a", 1.0), ("b", 0.021)],
         {"held empty for 'a'": 1, "held empty for 'b'": 0.021, "lost to other classes": 0.979}),
        ([("a", 1.0), ("b", 0.019)], {"held empty for 'a'": 1, "lost to other classes": 1}),  # a hundredth of 2 is 0.02
    ],
)  # fmt: skip
def test_what_is_next_to_nothing_is_not_drawn(blocked, parts):
    found = dict(drawn(servers_chart(report(takes=capacity(0.8, blocked=blocked))), "name", "x"))
    assert {name: x for name, (x,) in found.items() if name != "busy"} == pytest.approx(parts, abs=2e-5)


def test_servers_at_the_load_are_busy_idle_although_jobs_wait_or_idle():
    idle = row("idle_servers_while_jobs_wait", 1.5, "simulated")
    chart = servers_chart(report(utilisation=0.6, simulated=[idle]))
    bars = {name: dict(zip(y, x, strict=True)) for name, y, x in drawn(chart, "name", "y", "x")}
    assert bars == {
        "busy": pytest.approx({LIMIT: 8.0, HERE: 6.0}),
        "lost": pytest.approx({LIMIT: 2.0}),
        "idle although jobs wait": {HERE: 1.5},
        "idle, nobody waits": pytest.approx({HERE: 2.5}),
    }
    assert chart.layout["yaxis"]["categoryarray"] == [HERE, LIMIT]
    full = servers_chart(report(utilisation=0.9, simulated=[idle]))  # 9 + 1.5 are more than 10: they are measured
    assert drawn(full, "name", "x")[-1] == ("idle, nobody waits", [0.0])
    plain = servers_chart(report(stable=False, simulated=[idle]))
    assert [name for (name,) in drawn(plain, "name")] == ["busy", "lost"]
    assert 40 <= chart.layout["height"] - plain.layout["height"] <= 90  # room for one bar more
    assert plain.layout["height"] > 100


def test_where_no_threshold_is_known_no_servers_are_drawn():
    assert servers_chart(report(takes=capacity(0.9, kind="bound"))) is None
    assert servers_chart(replace(report(), capacity=None)) is None


# Response times against utilisation


def curve(name, *points):
    """A curve from (utilisation, mean, low, high); one job in a unit of time would fill all servers."""
    rows = [(use, row("mean_response_time", mean, "exact", *ends)) for use, mean, *ends in points]
    return Curve(
        name=name,
        kind="exact",
        points=tuple(Point(arrival_rate=2 * use, utilisation=use, mean_response_time=found) for use, found in rows),
    )


def with_curves(*curves, **parts):
    made = report(**parts)
    return replace(made, response=replace(made.response, curves=curves))


def test_curves_are_drawn_over_the_utilisation_in_per_cent():
    curves = [
        curve("exact", (0.25, 3.0), (0.75, 9.0)),
        curve("RESET", (0.25, 2.0)),
        curve("simulated", (0.25, 3.1, 2.9, 3.4), (0.75, 8.0)),
        curve("lower bound", (0.25, 1.0)),
        curve("upper bound", (0.25, 5.0)),
    ]
    chart = response_chart(with_curves(*curves))
    assert drawn(chart, "name", "x", "y") == [
        ("lower bound", [25.0], [1.0]),
        ("WCFS bounds", [25.0], [5.0]),
        ("RESET prediction", [25.0], [2.0]),
        ("exact", [25.0, 75.0], [3.0, 9.0]),
        ("simulated, 95 % interval", [25.0, 75.0], [3.1, 8.0]),
    ]
    assert [part.get("showlegend", True) for part in chart.data] == [False, True, True, True, True]
    assert chart.data[3]["customdata"] == ["0.5", "1.5"]  # arrival rates
    errors = chart.data[4]["error_y"]
    assert errors["array"] == pytest.approx([0.3, 0.0])
    assert errors["arrayminus"] == pytest.approx([0.2, 0.0])
    assert errors["symmetric"] is False
    assert chart.data[4]["customdata"] == ["2.9 to 3.4", "8"]
    assert chart.layout["xaxis"]["range"] == [0, 103]
    assert chart.layout["yaxis"]["tickvals"] == [1, 2, 5, 10, 20, 50]
    assert [shape["x0"] for shape in chart.layout["shapes"]] == pytest.approx([80.0, 80.0, 50.0])  # 0.8 of 1


def test_a_band_takes_both_bounds_and_a_chart_some_curve():
    one = with_curves(curve("exact", (0.25, 3.0)), curve("lower bound", (0.25, 1.0)))
    assert drawn(response_chart(one), "name") == [("exact",)]
    assert response_chart(replace(one, load=None)) is None
    assert response_chart(replace(one, capacity=None)) is None
    assert response_chart(report()) is None


@pytest.mark.parametrize(
    ("limit", "at", "stable", "notes"),
    [
        (80.0, 0.5, True, [("limit", 80, "top", "left"), ("this load", 50, "top", "right")]),
        (80.0, 0.67, True, [("limit", 80, "top", "left"), ("this load", 67, "top", "right")]),
        # closer than 12, one label goes to the bottom
        (80.0, 0.75, True, [("limit", 80, "top", "left"), ("this load", 75, "bottom", "right")]),
        (62.0, 0.5, True, [("limit", 62, "top", "left"), ("this load", 50, "bottom", "right")]),
        (80.0, 0.85, False, [("limit", 80, "top", "left"), ("this load", 85, "bottom", "left")]),
        (80.0, 0.95, False, [("limit", 80, "top", "left"), ("this load", 95, "top", "right")]),
        (90.0, 0.5, True, [("limit", 90, "top", "left"), ("this load", 50, "top", "right")]),
        (90.5, 0.5, True, [("limit", 90.5, "top", "right"), ("this load", 50, "top", "right")]),
        (80.0, 1.03, False, [("limit", 80, "top", "left"), ("this load", 103, "top", "right")]),
        (80.0, 1.04, False, [("limit", 80, "top", "left")]),  # beyond what is drawn
    ],
)
def test_the_limit_and_the_load_are_marked_where_there_is_room(limit, at, stable, notes):
    shapes, found = _marks(report(utilisation=at, stable=stable), limit)
    found = [note for note in found if "lost" not in note["text"]]
    assert [(note["text"], note["x"], note["yanchor"], note["xanchor"]) for note in found] == [
        (text, pytest.approx(x), up, side) for text, x, up, side in notes
    ]
    for note in found:
        assert note["xshift"] * {"left": 1, "right": -1}[note["xanchor"]] > 0  # away from its line
        assert note["y"] == pytest.approx(1 if note["yanchor"] == "top" else 0, abs=0.025)
        assert not note["showarrow"]
    lines = [shape for shape in shapes if shape["type"] == "line"]
    assert [(line["x0"], line["x1"]) for line in lines] == [(pytest.approx(x), pytest.approx(x)) for _, x, *_ in notes]
    assert all((shape["y0"], shape["y1"], shape["yref"]) == (0, 1, "paper") for shape in shapes)


@pytest.mark.parametrize(
    ("limit", "shaded", "text"),
    [
        (70.0, True, "30 % of the<br>servers lost"),
        (85.9, True, "14 % of the<br>servers lost"),
        (86.0, True, None),  # no room for words
        (99.4, True, None),
        (99.5, False, None),
        (100.0, False, None),
    ],
)
def test_what_lies_beyond_the_limit_is_shaded_and_said_where_there_is_room(limit, shaded, text):
    shapes, notes = _marks(report(), limit)
    areas = [shape for shape in shapes if shape["type"] == "rect"]
    assert [(area["x0"], area["x1"]) for area in areas] == [(limit, 100)] * shaded
    if shaded:
        assert shapes[0]["type"] == "rect"  # lines are drawn over it
    lost = [(note["text"], note["x"], note["y"], note["xshift"], note["yanchor"]) for note in notes[2:]]
    assert lost == ([] if text is None else [(text, (limit + 100) / 2, 0.5, 0, "middle")])


# Waits


def waits(*rows):
    """Percentiles of waiting times, as (class, level, value)."""
    found = [row("waiting_time_percentile", value, level=level, job_class=name) for name, level, value in rows]
    return replace(report(unit="hours"), waiting=WaitingSection(rows=tuple(found)))


def test_waits_have_a_line_for_each_class_and_a_mark_for_each_level():
    made = waits((None, 90.0, 4.0), (None, 50.0, 1.0), ("a&b", 50.0, 2.0), ("a&b", 99.9, 7.0), (None, 99.0, 6.0))
    lines, marks = waiting_chart(made).data[:2], waiting_chart(made).data[2:]
    assert [(line["x"], line["y"]) for line in lines] == [
        ([1.0, 4.0, 6.0], ["<b>all jobs</b>"] * 3),
        ([2.0, 7.0], ["a&amp;b"] * 2),
    ]
    assert all(line["showlegend"] is False for line in lines)
    assert [(mark["name"], mark["x"], mark["y"]) for mark in marks] == [
        ("50 %", [1.0, 2.0], ["<b>all jobs</b>", "a&amp;b"]),
        ("90 %", [4.0], ["<b>all jobs</b>"]),
        ("99 %", [6.0], ["<b>all jobs</b>"]),
        ("99.9 %", [7.0], ["a&amp;b"]),
    ]
    assert [mark["marker"]["color"] for mark in marks] == [INK, INK, INK, GREY]  # the rarest is pale
    assert [mark["cliponaxis"] for mark in marks] == [False] * 4
    assert waiting_chart(made).layout["xaxis"]["title"]["text"] == "waiting time (hours)"


def test_waits_of_no_length_are_not_drawn_and_many_classes_are_cut():
    assert waiting_chart(waits()) is waiting_chart(waits((None, 50.0, 0.0), ("a", 50.0, 0.0))) is None
    assert waiting_chart(waits((None, 50.0, 0.0), ("a", 50.0, 0.5))) is not None
    charts = {n: waiting_chart(waits((None, 50.0, 1.0), *((f"{i}", 50.0, 2.0) for i in range(n)))) for n in (3, 40, 50)}
    assert [len(chart.data[-1]["y"]) for chart in charts.values()] == [4, 41, 41]  # all jobs, and forty classes
    assert ["Drawn are 40 of 50 classes" in chart.caption for chart in charts.values()] == [False, False, True]  # W9
    assert [len(chart.data) for chart in charts.values()] == [5, 42, 42]
    heights = [chart.layout["height"] for chart in charts.values()]
    assert heights[1] == heights[2]
    assert 20 <= (heights[1] - heights[0]) / 37 <= 30  # room for a line of text each
    assert heights[0] > 4 * 30


def test_long_names_are_cut_beside_the_axis_and_stay_different():
    """W9: long names left a sliver for the data on a phone."""
    long = "a very long name of a class, number"
    chart = waiting_chart(waits((None, 50.0, 1.0), (f"{long} 1", 50.0, 2.0), (f"{long} 2", 50.0, 3.0)))
    first, second = chart.data[-1]["y"][1:]
    assert first != second
    assert max(len(first), len(second)) <= 24


# Policies


@pytest.mark.parametrize(("slow", "title"), [(10.0, "mean response time"), (10.5, "mean response time, log")])
def test_policies_more_than_five_times_apart_are_drawn_on_a_logarithmic_axis(slow, title):
    chart = policies_chart(report(policies=[policy("slow", mean=slow), policy("fast", own=True, mean=2.0)]))
    axis = chart.layout["xaxis"]
    assert axis["title"]["text"] == title
    assert axis.get("type") == ("log" if title.endswith("log") else None)
    errors = chart.data[0]["error_x"]
    assert errors["array"] == pytest.approx([0.2, 0.1 * slow])
    assert errors["arrayminus"] == pytest.approx([0.2, 0.1 * slow])
    assert chart.data[0]["marker"]["color"] == [INK, "#ffffff"]
    assert chart.data[0]["marker"]["line"]["color"] == [INK, ORANGE]
    assert chart.data[0]["showlegend"] is False


def test_more_policies_have_a_higher_picture_and_small_means_a_logarithmic_axis_too():
    few, many = (policies_chart(report(policies=[policy(f"{i}", mean=0.4 + i) for i in range(n)])) for n in (4, 6))
    assert 20 <= (many.layout["height"] - few.layout["height"]) / 2 <= 40
    assert few.layout["height"] > 4 * 20 + 60
    assert few.layout["xaxis"]["type"] == "log"  # 3.4 is more than five times 0.4


def test_a_mean_of_nothing_keeps_the_axis_plain():
    chart = policies_chart(report(policies=[policy("slow", mean=5.0), policy("fast", mean=0.0)]))
    assert "type" not in chart.layout["xaxis"]
    assert chart.layout["xaxis"]["rangemode"] == "tozero"


# Changes


def test_what_is_taken_after_each_change_beside_what_is_taken_now():
    changes = [
        change("two more (12)", takes=capacity(1.2, 1.5)),
        change("less", takes=capacity(0.6)),
        change("same", takes=capacity(0.8)),
    ]
    chart = what_if_chart(report(changes=changes, unit="hours"))
    [bars] = chart.data
    assert bars["y"] == ["<b>as it is</b>", "two more<br>(12)", "less", "same"]
    assert bars["x"] == [0.8, 1.2, 0.6, 0.8]
    assert bars["text"] == ["", "+50 %", "−25 %", "+0 %"]
    assert bars["marker"]["color"] == [INK, BLUE, RED, BLUE]
    assert bars["customdata"] == ["0.8", "1.2", "0.6", "0.8"]
    assert (bars["cliponaxis"], bars["showlegend"]) == (False, False)
    assert chart.layout["xaxis"]["range"] == [0, pytest.approx(1.62)]  # 1.2 and room for the words behind the longest
    [line] = chart.layout["shapes"]
    assert (line["x0"], line["x1"], line["y0"], line["y1"]) == (0.8, 0.8, 0, 1)
    assert chart.caption == "The arrival rate that would be taken after a change, in jobs per hour."
    fewer = what_if_chart(report(changes=changes[:1]))
    assert 30 <= (chart.layout["height"] - fewer.layout["height"]) / 2 <= 50
    assert fewer.layout["height"] > 2 * 30 + 60


def test_where_thresholds_are_not_known_stays_are_drawn():
    """The mean stay is 20: two less is a tenth."""
    known = change("cap (4)", takes=capacity(0.9), difference=(-2.0, -3.0, -1.5))
    unknown = change("more", difference=(1.0, None, None))
    bracket = capacity(0.9, kind="simulated", low=0.85, high=0.95, bracket=True)
    stay = row("mean_response_time", 20.0)
    for takes, changes in ((None, [known, unknown]), (bracket, [known, replace(unknown, capacity=capacity(1.0))])):
        chart = what_if_chart(report(takes=takes, here=[stay], changes=[*changes, change("neither")]))
        [points] = chart.data
        assert points["y"] == ["cap<br>(4)", "more"]
        assert points["x"] == pytest.approx([-10.0, 5.0])
        assert points["error_x"]["array"] == pytest.approx([2.5, 0.0])
        assert points["error_x"]["arrayminus"] == pytest.approx([5.0, 0.0])
        assert points["showlegend"] is False
        [line] = chart.layout["shapes"]
        assert (line["x0"], line["x1"], line["y0"], line["y1"]) == (0, 0, 0, 1)
    one = what_if_chart(report(takes=bracket, here=[stay], changes=[known]))
    assert 30 <= chart.layout["height"] - one.layout["height"] <= 50
    assert one.layout["height"] > 30 + 60
    assert what_if_chart(report(takes=bracket, changes=[known])) is None  # a share of what?
    assert what_if_chart(report(takes=bracket, here=[stay], changes=[change("neither")])) is None
    assert what_if_chart(report()) is None
    assert what_if_chart(replace(report(changes=[known]), capacity=None)) is None


# Outlook


def test_the_share_that_waits_is_drawn_in_per_cent_with_its_ends():
    points = [(10, 0.4, "exact"), (2000, 0.25, "simulated", 0.2, 0.35)]
    chart = outlook_chart(report(ahead=outlook(*points)))
    [line] = chart.data
    assert line["x"] == [10, 2000]
    assert line["y"] == pytest.approx([40.0, 25.0])
    assert line["error_y"]["array"] == pytest.approx([0.0, 10.0])
    assert line["error_y"]["arrayminus"] == pytest.approx([0.0, 5.0])
    assert line["showlegend"] is False
    assert chart.layout["xaxis"]["tickvals"] == [10, 2000]
    assert chart.layout["xaxis"]["ticktext"] == ["10", "2,000"]
    assert outlook_chart(report(ahead=outlook(points[0]))) is None


# Axes


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ([1.0, 7.9], [s * p for p in (1, 10) for s in (1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9)]),  # less than 8 times
        ([1.0, 8.0], [1, 2, 5, 10, 20, 50]),
        ([2000.0, 4000.0], [s * p for p in (1e3, 1e4) for s in (1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9)]),
        ([100.0, 10_000.0], [s * p for p in (100, 1000, 10_000) for s in (1, 2, 5)]),
        ([0.03, 0.4], [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5]),
        ([-3.0, 0.0, 1.0, 8.0], [1, 2, 5, 10, 20, 50]),  # what a logarithm does not know is not drawn
        ([1.0, 10_000.0], [s * 10**p for p in range(5) for s in (1, 2, 5)]),
        ([1.0, 20_000.0], [1, 10, 100, 1000, 10_000, 100_000]),  # more than four powers of ten
        ([1.0, 1e6], [10**p for p in range(7)]),
    ],
)
def test_a_logarithmic_axis_has_plain_numbers_at_few_ticks(values, ticks):
    axis = log_axis("x", values, side="left")
    assert axis["tickvals"] == pytest.approx(ticks)
    assert [float(text.replace(",", "")) for text in axis["ticktext"]] == pytest.approx(ticks)
    assert (axis["type"], axis["side"], axis["title"]["text"]) == ("log", "left", "x")


@pytest.mark.parametrize("values", [[], [0.0], [1.0, 1.1e6]])
def test_a_logarithmic_axis_of_too_much_or_nothing_has_powers(values):
    axis = log_axis("x", values, side="left")
    assert "tickvals" not in axis
    assert (axis["type"], axis["exponentformat"], axis["side"]) == ("log", "power", "left")


def test_pictures_are_as_wide_as_the_page_and_axes_make_room_for_their_words():
    made = log_axis("x", [1.0, 3.0])
    assert (made["automargin"], made["zeroline"]) == (True, False)
    layout = response_chart(with_curves(curve("exact", (0.25, 3.0)))).layout
    assert layout["autosize"] is True
    assert layout["legend"]["x"] == 0
    assert 1 < layout["legend"]["y"] < 1.2  # above the picture


def test_the_limit_is_a_share_of_what_server_time_promises_and_the_axis_reaches_all_ends():
    curves = curve("exact", (0.25, 3.0)), curve("simulated", (0.5, 4.0, 0.9, 12.0))
    chart = response_chart(with_curves(*curves, takes=capacity(0.8, 1.6)))
    assert [shape["x0"] for shape in chart.layout["shapes"]] == pytest.approx([50.0, 50.0, 50.0])
    assert chart.layout["yaxis"]["tickvals"] == pytest.approx([s * 10.0**p for p in (-1, 0, 1, 2) for s in (1, 2, 5)])


def test_an_end_that_is_not_known_has_no_error_bar():
    found = _errors([row("x", 5.0, "simulated", None, 7.0), row("x", 5.0, "simulated", 4.0, None)])
    assert found["array"] == [2.0, 0.0]
    assert found["arrayminus"] == [0.0, 1.0]
