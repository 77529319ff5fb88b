"""The pictures of a log as plotly documents: plain dictionaries, no drawing."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import numpy as np

from msj.answers.log import LogResult
from msj.logs import look
from msj.logs.trace import Trace
from msj.reports.chart_style import BLUE, GREY, INK, ORANGE, PALE, RED, axis, layout_of, safe
from msj.reports.charts import Chart
from msj.reports.log_contents import LEVELS, in_time

HEAT = [[0.0, "#f5f7f9"], [0.001, "#e3edf7"], [0.35, "#8fb7de"], [1.0, "#1d5fa7"]]
NO_WAITS = "as if every job started when it was submitted"
WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
SYMBOLS = ("circle", "diamond", "square", "triangle-up")
TICKS = {1: "1 s", 10: "10 s", 60: "1 min", 600: "10 min", 3600: "1 h", 86400: "1 day", 864000: "10 days"}


def charts_of(found: LogResult) -> dict[str, Chart]:
    """Return every picture there is something to draw for."""
    made = (
        _use(found.trace),
        _queue(found.trace),
        _arrivals(found.trace),
        _heat(found.trace),
        _waits(found),
        _estimates(found.trace),
        _gantt(found.trace),
    )
    return {chart.key: chart for chart in made if chart is not None}


def _clock(trace: Trace, seconds: Any) -> tuple[list[Any], dict[str, Any]]:
    """Return moments as plotly takes them, and their axis: dates where they are known, else days of the log."""
    if trace.begins is not None and 0 <= trace.begins + float(np.max(seconds)) < 1e11:
        dates = [f"{datetime.fromtimestamp(trace.begins + s, tz=UTC):%Y-%m-%d %H:%M:%S}" for s in seconds]
        return dates, axis("", type="date")
    return [round(float(s) / look.DAY, 6) for s in seconds], axis("days since second 0 of the log")


def _use(trace: Trace) -> Chart:
    found = look.over_time(trace)
    moments, across = _clock(trace, found.moment)
    share = trace.servers is not None
    values = 100.0 * found.in_use / trace.servers if trace.servers is not None else found.in_use
    line = {"color": BLUE, "width": 1.4, "shape": "hv"}
    data = [
        {"type": "scatter", "mode": "lines", "x": moments, "y": _rounded(values), "line": line, "fill": "tozeroy",
         "fillcolor": "rgba(29,95,167,.14)", "name": "in use",
         "hovertemplate": "%{x}: %{y:.3~g}" + (" %" if share else " servers") + "<extra></extra>"},
    ]  # fmt: skip
    title = "servers in use (%)" if share else "servers in use"
    most = max(float(values.max()) * 1.05, 1.0)
    layout = layout_of(
        260, xaxis=across, yaxis=axis(title, range=[0, max(most, 100.0) if share else most]), showlegend=False
    )
    how = "as the log has it" if trace.has_waits else NO_WAITS
    return Chart(key="time", caption=f"Servers in use over time, {how}.", data=data, layout=layout)


def _queue(trace: Trace) -> Chart | None:
    found = look.over_time(trace)
    if found.waiting is None:
        return None
    moments, across = _clock(trace, found.moment)
    data = [
        {"type": "scatter", "mode": "lines", "x": moments, "y": _rounded(found.waiting), "fill": "tozeroy",
         "line": {"color": ORANGE, "width": 1.4, "shape": "hv"}, "fillcolor": "rgba(184,83,10,.12)",
         "hovertemplate": "%{x}: %{y:.3~g} jobs<extra></extra>"},
    ]  # fmt: skip
    layout = layout_of(220, xaxis=across, yaxis=axis("jobs waiting", rangemode="tozero"), showlegend=False)
    return Chart(key="queue", caption="Jobs waiting over time, as the log has it.", data=data, layout=layout)


def _arrivals(trace: Trace) -> Chart | None:
    found = look.arrivals(trace)
    if found is None:
        return None
    hours, days = found
    bar = {"type": "bar", "showlegend": False}
    data = [
        {**bar, "x": list(range(24)), "y": hours.tolist(), "marker": {"color": BLUE},
         "hovertemplate": "%{x}:00: %{y:,} jobs<extra></extra>"},
        {**bar, "x": list(WEEKDAYS), "y": days.tolist(), "marker": {"color": GREY}, "xaxis": "x2", "yaxis": "y2",
         "hovertemplate": "%{x}: %{y:,} jobs<extra></extra>"},
    ]  # fmt: skip
    layout = layout_of(
        250,
        xaxis=axis("hour of the day", domain=[0, 0.6], dtick=6),
        yaxis=axis("jobs submitted", rangemode="tozero"),
        xaxis2=axis("weekday", domain=[0.7, 1], anchor="y2"),
        yaxis2=axis("", anchor="x2", rangemode="tozero"),
        bargap=0.15,
    )
    return Chart(key="arrivals", caption="Jobs submitted by hour and by weekday, local time.", data=data, layout=layout)


def _boxes(boxes: Any, down: list[str], across: list[str], words: str) -> dict[str, Any]:
    """Return a heat map with the number of jobs in each box; colours by the logarithm, so that few jobs are seen."""
    return {
        "type": "heatmap",
        "x": across,
        "y": down,
        "z": np.log10(boxes + 1.0).round(4).tolist(),
        "text": [[_few(n) for n in row] for row in boxes.tolist()],
        "customdata": boxes.tolist(),
        "texttemplate": "%{text}",
        "textfont": {"size": 11},
        "colorscale": HEAT,
        "showscale": False,
        "xgap": 1,
        "ygap": 1,
        "hovertemplate": words + ": %{customdata:,} jobs<extra></extra>",
    }


def _categories(title: str, **more: Any) -> dict[str, Any]:
    """Return an axis of names, whose title keeps clear of them."""
    made = axis(title, type="category", **more)
    made["title"]["standoff"] = 14
    return made


def _few(number: int) -> str:
    """Write a number of jobs in a small box."""
    if number == 0:
        return ""
    return str(number) if number < 1000 else f"{number / 1000:.1f}k" if number < 99_950 else f"{number / 1000:.0f}k"


def _heat(trace: Trace) -> Chart:
    groups, boxes = look.need_and_run(trace)
    down = [name.removeprefix("need ") for name in groups.names]
    data = [_boxes(boxes, down, list(look.RUN_NAMES), "%{y} servers, ran %{x}")]
    layout = layout_of(130 + 28 * len(down), xaxis=_categories("run time", tickangle=-40), yaxis=_categories("servers"))
    return Chart(
        key="needs", caption="How many jobs needed how many servers, and ran how long.", data=data, layout=layout
    )


def _waits(found: LogResult) -> Chart | None:
    names = [None, *dict.fromkeys(r.job_class for r in found if r.job_class and r.job_class.startswith("need "))]
    data: list[dict[str, Any]] = []
    values = []
    for level, symbol in zip(LEVELS, SYMBOLS, strict=True):
        rows = [(name, found.find("waiting_time_percentile", name, level)) for name in names]
        shown = [(name, row.value) for name, row in rows if row is not None]
        if not shown:
            return None
        values += [value for _, value in shown]
        data.append(
            {
                "type": "scatter", "mode": "markers", "name": f"{level:g} %",
                "x": [max(value, 1.0) for _, value in shown],
                "y": [safe(name.removeprefix("need ")) if name else "all jobs" for name, _ in shown],
                "marker": {"symbol": symbol, "size": 10, "color": INK if level < 99 else RED},
                "customdata": [in_time(value) for _, value in shown],
                "hovertemplate": f"{level:g} % of %{{y}} wait at most %{{customdata}}<extra></extra>",
                "cliponaxis": False,
            }
        )  # fmt: skip
    if max(values) <= 0:
        return None
    labels = data[0]["y"]
    layout = layout_of(
        120 + 26 * len(labels),
        xaxis=axis(
            "wait",
            type="log",
            tickvals=list(TICKS),
            ticktext=list(TICKS.values()),
            range=[-0.1, np.log10(max(max(values), 10.0)) + 0.15],
        ),
        yaxis=_categories("servers", categoryorder="array", categoryarray=labels[::-1]),
    )
    return Chart(
        key="waits", caption="So many per cent of the jobs waited at most so long, by need.", data=data, layout=layout
    )


def _estimates(trace: Trace) -> Chart | None:
    boxes = look.estimates_and_runs(trace)
    if boxes is None:
        return None
    names = list(look.RUN_NAMES)
    data = [_boxes(boxes, names, names, "requested %{y}, ran %{x}")]
    layout = layout_of(400, xaxis=_categories("run time", tickangle=-40), yaxis=_categories("requested"))
    return Chart(key="estimates", caption="How long was requested, and how long jobs ran.", data=data, layout=layout)


def _gantt(trace: Trace) -> Chart | None:
    found = look.gantt(trace)
    if found is None or not len(found.row):
        return None
    base = float(found.start.min())
    need, run = trace.column("need")[found.row], trace.column("run")[found.row]
    colours = ["#1d5fa7", "#7fa8d1", "#2b7a4b", "#8cbf9f", "#b8530a", "#dca477", "#6b7785", "#b3bbc4"]
    data = [
        {
            "type": "bar", "orientation": "h",
            "base": _rounded((found.start - base) / look.HOUR, 5),
            "x": _rounded((found.finish - found.start) / look.HOUR, 5),
            "y": (found.first + found.count / 2.0 - 0.5).tolist(),
            "width": found.count.tolist(),
            "marker": {"color": [colours[int(row) % len(colours)] for row in found.row],
                       "line": {"color": "#ffffff", "width": 0.6}},
            "customdata": [f"{n:,} servers, ran {in_time(r)}" for n, r in zip(need, run, strict=True)],
            "hovertemplate": "%{customdata}<extra></extra>",
        }
    ]  # fmt: skip
    until = float((found.finish.max() - base) / look.HOUR)
    servers = max(trace.servers or 0, int((found.first + found.count).max()))
    layout = layout_of(
        380,
        xaxis=axis(f"hours since second {base:,.0f} of the log", range=[0, until]),
        yaxis=axis("server", range=[-0.5, servers - 0.5]),
        showlegend=False,
        bargap=0,
        shapes=[{"type": "rect", "xref": "paper", "x0": 0, "x1": 1, "y0": -0.5, "y1": servers - 0.5, "layer": "below",
                 "fillcolor": "#fafbfc", "line": {"width": 0.5, "color": PALE}}],
    )  # fmt: skip
    return Chart(
        key="gantt",
        caption="A window in the middle of the log: each job on the lowest servers that were free when it started"
        + ("." if trace.has_waits else f", {NO_WAITS}."),
        data=data,
        layout=layout,
    )


def _rounded(values: Any, digits: int = 3) -> list[float]:
    return [float(value) for value in np.round(values, digits)]
