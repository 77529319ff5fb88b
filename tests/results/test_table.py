"""Tables for people: what they must never do."""

import re

import pytest

from msj.results import Quantity, Result
from msj.results.grid import write_grid
from msj.results.table import blocks_of, write_table, write_value

CLASSES = ["tiny", "small", "medium size", "large", "huge jobs", "whole-machine"]
NUMBER = re.compile(r"\d+\.\d+(?:e[+-]?\d+)?(?: ± \d+\.\d+| \(\S+ to \S+\))?")


def row(name="mean_response_time", value=7.517772123, **more):
    return Quantity(**{"name": name, "value": value, "kind": "exact", "method": "QBD", **more})


def per_class(**more):
    return [row(job_class=c, **more) for c in (None, *CLASSES)]


def six_classes():
    simulated = {"kind": "simulated", "method": "simulation, 1,000,000 jobs", "low": 7.2, "high": 7.8355}
    rows = [row(name="stability_threshold", method="1-and-n sums", citation="lfms, Lemmas 5.1-5.5")]
    rows += [*per_class(), *per_class(name="waiting_time_percentile", level=99.9), *per_class(**simulated)]
    return rows + per_class(kind="simulated", method="few jobs", value=1e-12, low=0.0, high=3.25e-12)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_six_classes_fit_the_width_and_no_number_is_broken(width):
    text = write_table(six_classes(), width=width)
    assert max(map(len, text.splitlines())) <= width
    cells = [cell for block in blocks_of(six_classes()) for line in block.rows for cell in line[1:]]
    for cell in set(cells):
        assert text.count(cell) >= cells.count(cell), cell


@pytest.mark.parametrize("classes", [1, 6, 40])
def test_a_comparison_of_many_policies_fits_80_columns(classes):
    names = [f"class-{i}" for i in range(classes)]
    rows = [
        row(name=name, job_class=c, at={"policy": policy})
        for policy in ("fcfs", "first-fit", "easy-backfilling", "server-filling-srpt")
        for name in ("mean_response_time", "mean_waiting_time", "waiting_probability")
        for c in (None, *names)
    ]
    text = write_table(rows)
    assert max(map(len, text.splitlines())) <= 80
    assert text.count("7.517772") == len(rows)


def test_method_and_citation_are_said_once_per_group():
    text = write_table(six_classes())
    assert text.count("QBD") == 1
    assert text.count("1-and-n sums (lfms, Lemmas 5.1-5.5)") == 1


def test_a_source_that_depends_on_the_place_is_said_with_the_place():
    rows = [row(at={"servers": 2}), row(kind="simulated", method="simulation", low=7.0, high=8.0, at={"servers": 64})]
    text = write_table(rows)
    assert "mean_response_time at servers 2: exact, by QBD" in text
    assert "mean_response_time at servers 64: simulated, by simulation" in text


def test_what_does_not_vary_is_said_above_the_table():
    rows = [row(name="mean_response_time_difference", at={"policy": p, "baseline": "fcfs"}) for p in ("a", "b")]
    assert "at baseline = fcfs" in write_table(rows).splitlines()[0]


def test_long_tables_are_thinned_and_say_so():
    rows = [row(at={"servers": n}) for n in range(1, 1001)]
    text = write_table(rows)
    assert "(25 of 1000 lines; --csv and --json have all)" in text
    assert {"1", "1000"} <= {line.split()[0] for line in text.splitlines()}


@pytest.mark.parametrize(
    ("value", "low", "high", "written"),
    [
        (7.5178, 7.41, 7.6256, "7.52 ± 0.11"),
        (0.0123, 0.0, 0.05, "0.0123 (0 to 0.05)"),
        (123456.0, 123400.0, 123512.0, "123456 ± 56"),
        (7.5, 7.5, 7.5, "7.5"),
        (3e-12, 2e-12, 4e-12, "3e-12 ± 1e-12"),
    ],
)
def test_an_interval_decides_how_many_digits_are_shown(value, low, high, written):
    assert write_value(row(value=value, low=low, high=high)) == written


def test_a_formula_is_shown_beside_its_value_or_alone():
    assert write_value(row(value=0.9, formula="9/10")) == "9/10 = 0.9"
    assert write_value(row(value=float("nan"), formula="9*mu1/(3*mu1 + 4)")) == "9*mu1/(3*mu1 + 4)"


def test_lines_that_say_nothing_are_left_out_of_the_lots_they_are_not_about():
    rows = [*per_class(), *per_class(name="mean_waiting_time"), row(name="tail_decay_rate", value=0.86)]
    text = write_table(rows)
    assert text.count("quantity") > 1
    assert text.count("mean_waiting_time") == text.count("quantity")
    assert text.count("tail_decay_rate") == 1


def test_sentences_wrap_and_labels_do_not():
    rows = [["first-fit", "a rather long sentence about what it does that no terminal has room for in one line, ever"]]
    text = write_grid(["name", "what it is"], rows, width=60)
    assert max(map(len, text.splitlines())) <= 60
    assert "first-fit  a rather" in text


def test_html_shows_the_same_numbers_and_escapes_names():
    rows = (*six_classes(), row(name="x", job_class="<b>"))
    page = Result(system={"name": "a & b", "servers": 2}, quantities=rows, notes=("1 < 2",))._repr_html_()
    assert "a &amp; b: solved" in page
    assert "&lt;b&gt;" in page
    assert "<b>" not in page.replace("<b>a &amp; b: solved</b>", "")
    assert "1 &lt; 2" in page
    assert page.count("7.517772") >= 14


def test_a_line_with_nothing_but_its_label_stays_where_all_columns_fit():
    rows = [["first", "1.5"], ["second", ""], ["third", "2.5"]]
    assert write_grid(["name", "value"], rows).splitlines() == ["name    value", "first   1.5", "second", "third   2.5"]
    assert write_grid(["name"], [["first"], ["second"]]).splitlines() == ["name", "first", "second"]
