"""The pictures of a log: what is written in them."""

import math

import numpy as np
import pytest
from hand_made_log import JOBS, looked, trace, wait, without

from msj.reports.chart_style import INK, RED
from msj.reports.log_charts import (
    _arrivals,
    _boxes,
    _estimates,
    _gantt,
    _heat,
    _queue,
    _use,
    _waits,
    charts_of,
)
from msj.reports.log_contents import LEVELS


def test_boxes_say_how_many_jobs_in_few_letters():
    written = {
        0: "",
        1: "1",
        999: "999",
        1000: "1.0k",
        1260: "1.3k",
        99_940: "99.9k",
        99_950: "100k",
        999_600: "1000k",
    }
    boxes = np.array(list(written)).reshape(2, 4)
    found = _boxes(boxes, ["1", "2"], ["a", "b", "c", "d"], "%{y} servers")
    assert found["text"] == np.array(list(written.values())).reshape(2, 4).tolist()
    assert found["customdata"] == boxes.tolist()
    assert found["z"][1][0] == pytest.approx(np.log10(1261), abs=1e-4)
    assert found["hovertemplate"] == "%{y} servers: %{customdata:,} jobs<extra></extra>"
    assert found["showscale"] is False


# The picture is cut into 360 stretches; those of the log put together by hand are half a minute long.


def test_servers_in_use_over_time():
    """Three for two hours; four, while two jobs that waited run together with one; 3, 2 1/3 and 2 as they end."""
    chart = _use(trace())
    [line] = chart.data
    wanted = [75.0] * 240 + [100.0] + [75.0] * 12 + [58.333] + [50.0] * 106
    assert line["y"] == wanted
    assert line["x"][:3] == [0.0, 0.000347, 0.000694]  # days
    assert line["hovertemplate"] == "%{x}: %{y:.3~g} %<extra></extra>"
    axis = chart.layout["yaxis"]
    assert (axis["title"]["text"], axis["range"]) == ("servers in use (%)", [0, pytest.approx(105.0)])
    assert _use(trace(servers=8)).layout["yaxis"]["range"] == [0, 100.0]  # half of them: all are shown
    assert chart.layout["showlegend"] is False
    assert chart.caption == "Servers in use over time, as the log has it."


def test_servers_in_use_where_nobody_knows_how_many_there_are():
    chart = _use(without("wait", servers=None))
    [line] = chart.data
    # 7600 seconds, 360 stretches: after half an hour, in the 86th, the second job would have started at once
    assert (line["y"][84], line["y"][86]) == (3.0, 5.0)
    assert line["hovertemplate"] == "%{x}: %{y:.3~g} servers<extra></extra>"
    assert chart.layout["yaxis"]["title"]["text"] == "servers in use"
    assert chart.layout["yaxis"]["range"] == [0, pytest.approx(1.05 * max(line["y"]), rel=1e-3)]
    assert chart.caption == "Servers in use over time, as if every job started when it was submitted."
    seldom = trace([(0.0, 0.0, 1.0, 1, 1.0), (35_999.0, 0.0, 1.0, 1, 1.0)], servers=None)
    assert _use(seldom).data[0]["y"][0] == 0.01  # a second of a hundred
    assert _use(seldom).layout["yaxis"]["range"] == [0, 1.0]


def test_jobs_waiting_over_time():
    chart = _queue(trace())
    assert chart.data[0]["y"] == [0.0] * 60 + [1.0] * 60 + [2.0] * 120 + [0.0] * 120
    assert chart.layout["showlegend"] is False
    assert _queue(without("wait")) is None


def test_moments_are_dates_where_they_are_known():
    begins = 2 * 86_400.0 + 3600.0  # 3 January 1970, one o'clock
    assert _use(trace(begins=begins)).data[0]["x"][:2] == ["1970-01-03 01:00:00", "1970-01-03 01:00:30"]
    assert _use(trace(begins=begins)).layout["xaxis"]["type"] == "date"
    early = _use(trace(begins=-10_000.0))  # the log ends after 1970 has begun
    assert early.data[0]["x"][0] == "1969-12-31 21:13:20"
    for far in (None, 1.2e11, -2e5):  # not known, or no year that can be
        assert _use(trace(begins=far)).data[0]["x"][-1] == pytest.approx(359 * 30 / 86_400, abs=1e-6)


def test_jobs_by_hour_and_weekday():
    """From one o'clock on a Saturday: at 1:00, 1:30, 2:00 and 3:00."""
    assert _arrivals(trace()) is None
    chart = _arrivals(trace(begins=2 * 86_400.0 + 3600.0))
    hours, days = chart.data
    assert hours["x"] == list(range(24))
    assert hours["y"] == [0, 2, 1, 1] + [0] * 20
    assert (days["x"][5], days["y"]) == ("Sat", [0, 0, 0, 0, 0, 4, 0])
    assert hours["showlegend"] is days["showlegend"] is False
    (first, until), (then, last) = (chart.layout[name]["domain"] for name in ("xaxis", "xaxis2"))
    assert 0 == first < until < then < last == 1  # side by side
    assert 24 % chart.layout["xaxis"]["dtick"] == 0


def test_needs_and_run_times():
    chart = _heat(trace())
    [boxes] = chart.data
    assert boxes["y"] == ["1", "2", "3"]
    assert [[n for n in line if n] for line in boxes["text"]] == [["1", "1"], ["1"], ["1"]]
    two = _heat(trace(JOBS[1:]))
    assert 20 <= chart.layout["height"] - two.layout["height"] <= 40  # a line more
    assert two.layout["height"] > 2 * 20 + 60
    assert chart.layout["xaxis"]["tickangle"] < 0  # names run upwards


def test_requested_and_run_times():
    """Requested down, run across: 2 h and 2 h, 30 min and 1 h, 1 min and 30 s, 1 h and 400 s."""
    [boxes] = _estimates(trace()).data
    seen = {(down, across) for down, line in enumerate(boxes["customdata"]) for across, n in enumerate(line) if n}
    assert seen == {(4, 4), (3, 4), (2, 1), (4, 2)}
    assert boxes["x"] == boxes["y"]
    assert _estimates(trace()).layout["xaxis"]["tickangle"] < 0
    assert _estimates(without("estimate")) is None


def waits_of(name, *values):
    return [wait(value, job_class=name, level=level) for level, value in zip(LEVELS, values, strict=True)]


def test_waits_by_need_in_powers_of_ten():
    rows = [*waits_of(None, 0.0, 30.0, 600.0, 7200.0), *waits_of("need 8", 60.0, 90.0, 120.0, 3600.0)]
    chart = _waits(looked(*rows, *waits_of("queue a", 1.0, 1.0, 1.0, 1e6)))
    assert [(mark["name"], mark["x"]) for mark in chart.data] == [
        ("50 %", [1.0, 60.0]),  # nothing is drawn at a second
        ("90 %", [30.0, 90.0]),
        ("95 %", [600.0, 120.0]),
        ("99 %", [7200.0, 3600.0]),
    ]
    assert all(mark["y"] == ["all jobs", "8"] for mark in chart.data)
    assert chart.data[0]["customdata"] == ["0 s", "60 s"]
    assert [mark["marker"]["color"] for mark in chart.data] == [INK, INK, INK, RED]
    assert [mark["cliponaxis"] for mark in chart.data] == [False] * 4
    assert chart.layout["yaxis"]["categoryarray"] == ["8", "all jobs"]  # from below
    low, high = chart.layout["xaxis"]["range"]
    assert -0.15 < low < 0  # a little room on either side of 1 second and 2 hours
    assert 0.1 < high - math.log10(7200) < 0.2
    single = _waits(looked(*rows[:4]))
    assert 20 <= chart.layout["height"] - single.layout["height"] <= 40
    assert single.layout["height"] > 20 + 60


def test_waits_that_are_short_or_nothing():
    short = _waits(looked(*waits_of(None, 0.0, 0.0, 0.0, 0.5)))
    assert 1.1 < short.layout["xaxis"]["range"][1] < 1.2  # up to ten seconds at least
    assert _waits(looked(*waits_of(None, 0.0, 0.0, 0.0, 0.0))) is None
    assert _waits(looked(*waits_of(None, 0.0, 1.0, 2.0, 3.0)[1:])) is None


def test_a_window_of_the_log_shows_each_job_on_its_servers():
    """Eight servers. From second 3600 on: 3 servers for two hours, 2 for one; then one each, where they are free."""
    jobs = [
        (3600.0, 0.0, 7200.0, 3, 1.0),
        (3600.0, 0.0, 3600.0, 2, 1.0),
        (7200.0, 0.0, 3600.0, 1, 1.0),
        (9000.0, 0.0, 3600.0, 1, 1.0),
        (10_800.0, 0.0, 3600.0, 4, 1.0),
    ]
    chart = _gantt(trace(jobs, servers=8))
    [bars] = chart.data
    assert bars["base"] == [0.0, 0.0, 1.0, 1.5]  # hours since the first; the last one begins where the window ends
    assert bars["x"] == [2.0, 1.0, 1.0, 0.5]
    assert bars["width"] == [3, 2, 1, 1]
    assert bars["y"] == [1.0, 3.5, 3.0, 4.0]  # the middle of servers 0 to 2, 3 and 4, 3, 4
    assert bars["customdata"] == ["3 servers, ran 2 h", "2 servers, ran 60 min", *["1 servers, ran 60 min"] * 2]
    assert len(set(bars["marker"]["color"])) == 4
    assert chart.layout["xaxis"]["range"] == [0, 2.0]
    assert chart.layout["xaxis"]["title"]["text"] == "hours since second 3,600 of the log"
    assert chart.layout["yaxis"]["range"] == [-0.5, 7.5]
    assert (chart.layout["showlegend"], chart.layout["bargap"]) == (False, 0)
    [area] = chart.layout["shapes"]
    assert [area[key] for key in ("x0", "x1", "y0", "y1")] == [0, 1, -0.5, 7.5]
    assert chart.caption.endswith("each job on the lowest servers that were free when it started.")
    unknown = _gantt(without("wait", jobs, servers=None))
    assert unknown.layout["yaxis"]["range"] == [-0.5, 4.5]  # five were seen
    assert unknown.caption.endswith("when it started, as if every job started when it was submitted.")
    assert _gantt(trace(servers=200_000)) is None


def test_colours_begin_again_after_the_eighth_job():
    jobs = [(float(i), 0.0, 100.0, 1, 1.0) for i in range(12)]
    colours = _gantt(trace(jobs, servers=20)).data[0]["marker"]["color"]
    assert len(set(colours[:8])) == 8
    assert colours[8:] == colours[:3]


def test_a_log_has_the_pictures_there_is_something_to_draw_for():
    rows = waits_of(None, 0.0, 30.0, 600.0, 7200.0)
    assert list(charts_of(looked(*rows, of=trace(begins=0.0)))) == [
        "time", "queue", "arrivals", "needs", "waits", "estimates", "gantt",
    ]  # fmt: skip
    assert list(charts_of(looked(of=without("wait")))) == ["time", "needs", "estimates", "gantt"]
