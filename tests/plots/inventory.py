"""Everything a picture says, as lines of text: what is written, on which axes, and the points that are drawn.

Colours of lines, sizes and the place of a legend are left out: they are choices.
"""

import numpy as np
from matplotlib.text import Annotation, Text
from matplotlib.ticker import FixedLocator, LogFormatter

SHOWN = 4  # points of a long line


def inventory(figure):
    """Return what a picture says, one thing a line."""
    found = [f"figure: {_numbers(figure.get_size_inches())} inches", *(f"figure: {text}" for text in _written(figure))]
    plain = [text.get_text() for text in figure.findobj(Text) if text.get_text() and not text.get_parse_math()]
    found += [f"no mathematics in: {text}" for text in plain]
    for number, axes in enumerate(figure.axes):
        found += [f"{number}: {line}" for line in _axes(axes)]
    return found


def _axes(axes):
    if not axes.get_visible():
        yield "hidden"
        return
    spec = axes.get_subplotspec()
    if spec is not None and spec.get_gridspec().get_geometry() != (1, 1):
        rows, columns, place, _ = spec.get_geometry()
        yield f"place {place} of {rows} by {columns}"
    for what, text in (
        ("title", " ".join(filter(None, (axes.get_title(loc=where) for where in ("left", "center", "right"))))),
        ("x", f"{axes.get_xlabel()} ({axes.get_xscale()}) {_numbers(axes.get_xlim())}"),
        ("y", f"{axes.get_ylabel()} ({axes.get_yscale()}) {_numbers(axes.get_ylim())}"),
    ):
        yield f"{what} {text}"
    for line in axes.lines:
        look = f"{line.get_linestyle()}{line.get_marker()}{_hollow(line)}"
        yield f"line {_label(line)} {look} {_points(line.get_xydata())}"
    for each in axes.collections:
        paths = [path.vertices for path in each.get_paths()]
        places = np.concatenate([*paths, np.asarray(each.get_offsets()).reshape(-1, 2)]) if paths else np.empty((0, 2))
        yield f"{type(each).__name__} {_label(each)} {_points(places)}"
    for each in axes.patches:
        extents = each.get_path().get_extents(each.get_patch_transform()).extents
        yield f"{type(each).__name__} {_label(each)} {_numbers(extents)}"
    for each in axes.texts:
        at = each.xy if isinstance(each, Annotation) else each.get_position()
        beside = f" {each.get_ha()} {_numbers(each.xyann)}" if isinstance(each, Annotation) else ""
        yield f"text {each.get_text()!r} {each.get_color()} at {_numbers(at)}{beside}"
    for table in axes.tables:
        for (row, column), cell in sorted(table.get_celld().items()):
            yield f"cell {row} {column} {cell.get_text().get_text()}"
    for image in axes.images:
        yield f"image {np.array2string(np.asarray(image.get_array()), precision=4)}".replace("\n", "")
    for name, axis in (("x", axes.xaxis), ("y", axes.yaxis)):
        marks = axis.get_major_locator()
        if isinstance(marks, FixedLocator):
            yield f"{name} ticks {_numbers(marks.locs)} {axis.get_major_formatter().format_ticks(marks.locs)}"
        elif axis.get_scale() == "linear" and (marks.tick_values(2.0, 4.0) % 1 == 0).all():
            yield f"{name} marked at whole numbers"
        if axis.get_scale() == "log":
            yield f"{name} marked {' '.join(_log_marks(axis))}"
    legend = axes.get_legend()
    if legend is not None:
        yield f"legend {[text.get_text() for text in legend.get_texts()]}"


def _log_marks(axis):
    """Return the base of a logarithmic axis, and what is written where that is not matplotlib's choice."""
    yield f"base {axis.get_transform().base:g}"
    for which, marks, written in (
        ("major", axis.get_major_locator(), axis.get_major_formatter()),
        ("minor", axis.get_minor_locator(), axis.get_minor_formatter()),
    ):
        if not isinstance(written, LogFormatter):
            at = [value for value in (1, 2, 3, 5, 20, 30) if np.isclose(marks.tick_values(0.1, 1000.0), value).any()]
            yield f"{which} {[written(value) for value in at]}"


def _written(figure):
    yield from filter(None, (figure.get_suptitle(), figure.get_supxlabel()))
    for legend in figure.legends:
        yield f"legend {[text.get_text() for text in legend.get_texts()]}"


def _hollow(line):
    return " hollow" if line.get_marker() != "None" and line.get_markerfacecolor() in ("w", "white", "none") else ""


def _label(artist):
    label = str(artist.get_label())
    return "" if label.startswith("_") else repr(label)


def _points(places):
    """Return how many points there are, some of them, and the sum of all."""
    places = np.asarray(places, dtype=float)
    some = places[np.unique(np.linspace(0, len(places) - 1, SHOWN).round().astype(int))] if len(places) else places
    shown = " ".join(f"({_numbers(place)})" for place in some)
    return f"{len(places)}: {shown} sum ({_numbers(np.nansum(places, axis=0))})"


def _numbers(values):
    return " ".join(f"{0.0 if abs(float(value)) < 1e-9 else float(value):.4g}" for value in values)
