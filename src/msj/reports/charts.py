"""The pictures of the page as plotly documents (plain dictionaries): data and layout, no drawing.

Lines differ in dash and marker and bars in pattern, not in colour alone, so that a page printed in black and white
can be read. Colours are few and keep their meaning: ink for exact, blue for the prediction, green for the bounds,
orange for simulations, red for what is lost.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from msj.reports.chart_style import BLUE, GREEN, GREY, INK, ORANGE, PALE, RED, axis, layout_of, log_axis, safe
from msj.reports.contents import Curve, Report
from msj.reports.labels import class_labels, row_height, wrapped
from msj.reports.wording import measured, percent, short, signed_percent
from msj.results import Quantity
from msj.results.units import beside, rate_words

Trace: TypeAlias = dict[str, Any]

LEVELS = {50.0: "circle", 90.0: "diamond", 95.0: "square", 99.0: "triangle-up", 99.9: "x"}
MAX_CLASSES = 40  # lines of one picture
CURVE_CAPTION = "Mean response time against utilisation, the share of the servers the jobs would fill."
PATTERNS = ("/", "\\", "x", ".", "+")


@dataclass(frozen=True, kw_only=True)
class Chart:
    """A plot: where it belongs, what it shows in words, and what plotly draws."""

    key: str
    caption: str
    data: list[Trace]
    layout: dict[str, Any]


def charts_of(report: Report) -> dict[str, Chart]:
    """Return every picture there is something to draw for."""
    made = (
        servers_chart(report),
        response_chart(report),
        waiting_chart(report),
        policies_chart(report),
        what_if_chart(report),
        outlook_chart(report),
    )
    return {chart.key: chart for chart in made if chart is not None}


def servers_chart(report: Report) -> Chart | None:
    """Where the servers go: at the limit, and at the report's load."""
    found, load, k = report.capacity, report.load, report.cluster.servers
    if found is None:
        return None
    if found.stability_threshold.kind == "bound":
        return None
    lost = found.wasted_servers.value
    limit, here = "at its limit", "at this load"
    parts: list[tuple[str, str, str, dict[str, float]]] = [("busy", GREY, "", {limit: k - lost})]
    blamed = sorted((row for row in found.blocked_servers if row.value > 0.01 * lost), key=lambda row: -row.value)
    for row, pattern in zip(blamed[:4], PATTERNS, strict=False):
        parts.append((f"held empty for '{safe(row.job_class or '')}'", RED, pattern, {limit: row.value}))
    rest = lost - sum(row.value for row in blamed[:4])
    if rest > 1e-6 * k:
        parts.append(("lost to other classes" if blamed else "lost", RED, "-", {limit: rest}))
    wasted = next((row for row in report.response.simulated_here if row.name == "idle_servers_while_jobs_wait"), None)
    if load is not None and load.stable and wasted is not None:
        busy = load.utilisation * k
        parts[0][3][here] = busy
        parts.append(("idle although jobs wait", ORANGE, ".", {here: wasted.value}))
        parts.append(("idle, nobody waits", PALE, "", {here: max(k - busy - wasted.value, 0.0)}))
    data = [_bar(name, colour, pattern, values) for name, colour, pattern, values in parts]
    rows = 1 + any(here in part[3] for part in parts)
    layout = layout_of(
        110 + 62 * rows,
        barmode="stack",
        bargap=0.35,
        xaxis=axis("servers", range=[0, k]),
        yaxis=axis(categoryorder="array", categoryarray=[here, limit] if rows == 2 else [limit], ticks=""),
    )
    return Chart(key="capacity", caption=f"Where the {k:,} servers go.", data=data, layout=layout)


def _bar(name: str, colour: str, pattern: str, values: dict[str, float]) -> Trace:
    marker: dict[str, Any] = {"color": colour, "line": {"color": "#ffffff", "width": 1}}
    if pattern:
        marker["pattern"] = {"shape": pattern, "fgcolor": "#ffffff", "bgcolor": colour, "size": 7, "solidity": 0.25}
    return {
        "type": "bar",
        "orientation": "h",
        "name": name,
        "y": list(values),
        "x": list(values.values()),
        "marker": marker,
        "hovertemplate": "%{y}: %{x:.3~g} servers " + name + "<extra></extra>",
    }


def response_chart(report: Report) -> Chart | None:
    """Mean response time against utilisation by every method."""
    found, load = report.capacity, report.load
    if found is None or load is None or not report.response.curves:
        return None
    data: list[Trace] = []
    lower, upper = report.response.curve("lower bound"), report.response.curve("upper bound")
    if lower is not None and upper is not None:
        data += [
            {**_line(lower, GREEN, "dot"), "showlegend": False},
            {
                **_line(upper, GREEN, "dot"),
                "name": "WCFS bounds",
                "fill": "tonexty",
                "fillcolor": "rgba(43,122,75,.12)",
            },
        ]
    for name, colour, dash, label in (
        ("RESET", BLUE, "dash", "RESET prediction"),
        ("exact", INK, "solid", "exact"),
    ):
        curve = report.response.curve(name)
        if curve is not None:
            data.append({**_line(curve, colour, dash), "name": label})
    simulated = report.response.curve("simulated")
    if simulated is not None:
        data.append(_dots(simulated))
    found_rows = [p.mean_response_time for curve in report.response.curves for p in curve.points]
    values = [end for row in found_rows for end in (row.value, row.low, row.high) if end is not None]
    limit = 100.0 * found.stability_threshold.value / found.naive_threshold.value
    shapes, notes = _marks(report, limit)
    layout = layout_of(
        430,
        xaxis=axis("utilisation (%)", range=[0, 103]),
        yaxis=log_axis(beside("mean response time", "time", report.time_unit), values),
        shapes=shapes,
        annotations=notes,
        hovermode="closest",
    )
    return Chart(key="response", caption=CURVE_CAPTION, data=data, layout=layout)


def _line(curve: Curve, colour: str, dash: str) -> Trace:
    return {
        "type": "scatter",
        "mode": "lines",
        "name": curve.name,
        "x": [100.0 * p.utilisation for p in curve.points],
        "y": [p.mean_response_time.value for p in curve.points],
        "line": {"color": colour, "dash": dash, "width": 2.2},
        "customdata": [short(p.arrival_rate) for p in curve.points],
        "hovertemplate": f"{curve.name}: %{{y:.4~g}} at %{{x:.3~g}} % (rate %{{customdata}})<extra></extra>",
    }


def _dots(curve: Curve) -> Trace:
    rows = [p.mean_response_time for p in curve.points]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": "simulated, 95 % interval",
        "x": [100.0 * p.utilisation for p in curve.points],
        "y": [row.value for row in rows],
        "error_y": _errors(rows),
        "marker": {"color": "#ffffff", "size": 8, "symbol": "circle", "line": {"color": ORANGE, "width": 2}},
        "customdata": [measured(row) for row in rows],
        "hovertemplate": "simulated: %{customdata} at %{x:.3~g} %<extra></extra>",
    }


def _errors(rows: list[Quantity], colour: str = ORANGE) -> dict[str, Any]:
    return {
        "type": "data",
        "symmetric": False,
        "array": [row.ends[1] - row.value for row in rows],
        "arrayminus": [row.value - row.ends[0] for row in rows],
        "color": colour,
        "thickness": 1.6,
        "width": 4,
    }


def _marks(report: Report, limit: float) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Mark the limit, what lies beyond it, and where the cluster stands."""
    assert report.load is not None
    at = 100.0 * report.load.utilisation
    shapes = []
    notes = []
    for x, colour, dash, text in ((limit, RED, "solid", "limit"), (at, GREY, "dot", "this load")):
        if x <= 103:
            line = {"color": colour, "width": 1.5, "dash": dash}
            shapes.append({"type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "paper", "line": line})
            leftwards = (text == "this load" and report.load.stable) or x > 90
            beside = text == "limit" or abs(limit - at) > 12  # else one label on top, one at the bottom
            notes.append(_note(x, 0.985 if beside else 0.02, text, colour, "right" if leftwards else "left"))
    if limit < 99.5:
        shapes.insert(
            0,
            {"type": "rect", "x0": limit, "x1": 100, "y0": 0, "y1": 1, "yref": "paper", "line": {"width": 0},
             "fillcolor": "#f6eceb", "layer": "below"},
        )  # fmt: skip
        if 100 - limit > 14:
            text = f"{percent(1 - limit / 100)} of the<br>servers lost"
            notes.append({**_note((limit + 100) / 2, 0.5, text, RED, "center"), "xshift": 0})
    return shapes, notes


def _note(x: float, y: float, text: str, colour: str, anchor: str) -> dict[str, Any]:
    shift = {"left": 5, "right": -5, "center": 0}[anchor]
    return {
        "x": x, "y": y, "yref": "paper", "text": text, "showarrow": False, "xanchor": anchor, "xshift": shift,
        "yanchor": "bottom" if y < 0.5 else "top" if y > 0.5 else "middle", "font": {"color": colour, "size": 12},
    }  # fmt: skip


def waiting_chart(report: Report) -> Chart | None:
    """Waiting-time percentiles, one line per class."""
    rows = report.waiting.rows
    if not rows or max(row.value for row in rows) <= 0:
        return None
    every = list(dict.fromkeys(row.job_class for row in rows))
    names = every[: MAX_CLASSES + 1]
    labels = class_labels(names)
    data: list[Trace] = []
    for name in names:
        found = sorted((row for row in rows if row.job_class == name), key=lambda row: row.level or 0.0)
        data.append(
            {
                "type": "scatter",
                "mode": "lines",
                "x": [row.value for row in found],
                "y": [labels[name]] * len(found),
                "line": {"color": PALE, "width": 5},
                "hoverinfo": "skip",
                "showlegend": False,
            }
        )
    for level, symbol in LEVELS.items():
        found = [row for row in rows if row.level == level and row.job_class in labels]
        if found:
            data.append(
                {
                    "type": "scatter",
                    "mode": "markers",
                    "name": f"{level:g} %",
                    "x": [row.value for row in found],
                    "y": [labels[row.job_class] for row in found],
                    "cliponaxis": False,
                    "marker": {"symbol": symbol, "size": 10, "color": INK if level < 99.5 else GREY},
                    "customdata": [measured(row) for row in found],
                    "hovertemplate": f"%{{y}}: {level:g} % wait at most %{{customdata}}<extra></extra>",
                }
            )
    layout = layout_of(
        130 + (38 if len(names) <= 12 else 22) * len(names),
        xaxis=axis(beside("waiting time", "time", report.time_unit), rangemode="tozero"),
        yaxis=axis(autorange="reversed", ticks="", gridcolor="#ffffff"),
    )
    caption = "Waiting-time percentiles by class; the table says how each was found."
    if len(names) < len(every):
        caption += f" Drawn are {len(names) - 1} of {len(every) - 1} classes; the table has all."
    return Chart(key="waiting", caption=caption, data=data, layout=layout)


def policies_chart(report: Report) -> Chart | None:
    """Mean response time under each policy, the fastest on top."""
    rows = [row for row in report.policies.rows if row.mean_response_time is not None]
    if len(rows) < 2:
        return None
    rows.sort(key=lambda row: row.mean_response_time.value if row.mean_response_time else 0.0)
    found = [row.mean_response_time for row in rows if row.mean_response_time is not None]
    labels = [f"<b>{safe(row.policy)}</b>" if row.own else safe(row.policy) for row in rows]
    data: list[Trace] = [
        {
            "type": "scatter", "mode": "markers", "x": [row.value for row in found], "y": labels, "showlegend": False,
            "error_x": _errors(found),
            "marker": {
                "size": 10, "symbol": ["diamond" if row.own else "circle" for row in rows],
                "color": [INK if row.own else "#ffffff" for row in rows],
                "line": {"color": [INK if row.own else ORANGE for row in rows], "width": 2},
            },
            "customdata": [measured(row) for row in found],
            "hovertemplate": "%{y}: %{customdata}<extra></extra>",
        }
    ]  # fmt: skip
    values = [row.value for row in found]
    wide = min(values) > 0 and max(values) / min(values) > 5
    title = beside("mean response time", "time", report.time_unit) + (", log" if wide else "")
    scale = log_axis(title, values) if wide else axis(title, rangemode="tozero")
    layout = layout_of(
        100 + 30 * len(rows), xaxis=scale, yaxis=axis(autorange="reversed", ticks="", gridcolor="#eef1f4")
    )
    caption = "The same jobs under each policy, with 95 % intervals; the filled diamond is the cluster as it is."
    return Chart(key="policies", caption=caption, data=data, layout=layout)


def what_if_chart(report: Report) -> Chart | None:
    """The arrival rate that is taken after each change."""
    found = report.capacity
    if found is None or not report.what_if.rows:
        return None
    if not found.proved or not all(row.capacity is not None for row in report.what_if.rows):
        return stay_chart(report)
    base = found.stability_threshold
    changed = [
        (wrapped(row.change.words), row.capacity.stability_threshold)
        for row in report.what_if.rows
        if row.capacity is not None
    ]
    rows = [("<b>as it is</b>", base), *changed]
    changes = ["", *(signed_percent(row.value / base.value - 1.0) for _, row in rows[1:])]
    colours = [INK, *(BLUE if row.value >= base.value else RED for _, row in rows[1:])]
    data: list[Trace] = [
        {
            "type": "bar", "orientation": "h", "y": [words for words, _ in rows], "x": [row.value for _, row in rows],
            "marker": {"color": colours}, "text": changes, "textposition": "outside", "cliponaxis": False,
            "showlegend": False, "customdata": [measured(row) for _, row in rows],
            "hovertemplate": "%{y}: %{customdata}<extra></extra>",
        }
    ]  # fmt: skip
    line = {"color": INK, "width": 1.2, "dash": "dot"}
    layout = layout_of(
        90 + sum(row_height(words) for words, _ in rows),
        bargap=0.4,
        xaxis=axis("arrival rate it takes", range=[0, 1.35 * max(row.value for _, row in rows)]),
        yaxis=axis(autorange="reversed", ticks=""),
        shapes=[{"type": "line", "x0": base.value, "x1": base.value, "y0": 0, "y1": 1, "yref": "paper", "line": line}],
    )
    return Chart(
        key="what_if",
        caption=f"The arrival rate that would be taken after a change, in {rate_words(report.time_unit)}.",
        data=data,
        layout=layout,
    )


def stay_chart(report: Report) -> Chart | None:
    """By how much the mean response time changes, on the same jobs."""
    stay = report.response.find("mean_response_time")
    rows = [(wrapped(row.change.words), row.difference) for row in report.what_if.rows if row.difference is not None]
    if stay is None or not rows:
        return None
    shares = [row.replace(**{end: None if (value := getattr(row, end)) is None else 100 * value / stay.value
                             for end in ("value", "low", "high")}) for _, row in rows]  # fmt: skip
    data: list[Trace] = [
        {
            "type": "scatter", "mode": "markers", "x": [row.value for row in shares], "y": [words for words, _ in rows],
            "error_x": _errors(shares), "showlegend": False,
            "marker": {"size": 10, "color": "#ffffff", "line": {"color": ORANGE, "width": 2}},
            "hovertemplate": "%{y}: %{x:+.3~g} %<extra></extra>",
        }
    ]  # fmt: skip
    line = {"color": INK, "width": 1.2, "dash": "dot"}
    layout = layout_of(
        90 + sum(row_height(words) for words, _ in rows),
        xaxis=axis("change of the mean response time (%)"),
        yaxis=axis(autorange="reversed", ticks="", gridcolor="#eef1f4"),
        shapes=[{"type": "line", "x0": 0, "x1": 0, "y0": 0, "y1": 1, "yref": "paper", "line": line}],
    )
    caption = "By how much jobs would stay longer or shorter, the same jobs before and after, with 95 % intervals."
    return Chart(key="what_if", caption=caption, data=data, layout=layout)


def outlook_chart(report: Report) -> Chart | None:
    """The chance to wait as the cluster grows."""
    pairs = [(row.servers, found) for row in report.outlook.rows if (found := row.find("waiting_probability"))]
    if len(pairs) < 2:
        return None
    data: list[Trace] = [
        {
            "type": "scatter", "mode": "lines+markers", "x": [servers for servers, _ in pairs],
            "y": [100.0 * row.value for _, row in pairs], "showlegend": False, "error_y": _percents(pairs),
            "line": {"color": INK, "width": 2}, "marker": {"size": 8, "color": INK},
            "hovertemplate": "%{x:,} servers: %{y:.3~g} % wait<extra></extra>",
        }
    ]  # fmt: skip
    sizes = [servers for servers, _ in pairs]
    layout = layout_of(
        300,
        xaxis=axis("servers", type="log", tickvals=sizes, ticktext=[f"{size:,}" for size in sizes]),
        yaxis=axis("jobs that have to wait (%)", rangemode="tozero"),
    )
    return Chart(
        key="outlook", caption="Share of jobs that have to wait as the cluster grows.", data=data, layout=layout
    )


def _percents(pairs: list[tuple[int, Quantity]]) -> dict[str, Any]:
    errors = _errors([row for _, row in pairs], INK)
    return {**errors, **{side: [100.0 * value for value in errors[side]] for side in ("array", "arrayminus")}}
