"""Numbers and tables as people read them, on both sides of every rule of how they are written."""

import math
from fractions import Fraction

import numpy as np
import pytest

from msj.errors import Failure, InvalidInput
from msj.results import Missing, Outcome, Quantity, Result
from msj.results.coordinates import At, same_place
from msj.results.html import html_grid, write_html
from msj.results.records import read_csv, write_csv
from msj.results.result import plain
from msj.results.table import _in_words, _said_of, _thinned, _wrapped, blocks_of, write_number, write_table, write_value


def row(name="mean_response_time", value=7.517772123456, **more):
    return Quantity(**{"name": name, "value": value, "kind": "exact", "method": "QBD", **more})


@pytest.mark.parametrize(
    ("value", "low", "high", "written"),
    [
        (10.0, 9.04, 11.04, "10.0 ± 1.0"),  # off the middle by 4 % of the half width
        (10.0, 9.06, 11.06, "10 (9.06 to 11.06)"),
        (10.0, 8.94, 10.94, "10 (8.94 to 10.94)"),
        (1000.0, 975.0, 1025.0, "1000 ± 25"),
        (12345.678, 12095.678, 12595.678, "12345.7 ± 2.5e+02"),
        (999_999.0, 999_998.0, 1_000_000.0, "999999.0 ± 1.0"),
        (1_000_000.0, 999_999.0, 1_000_001.0, "1e+06 ± 1"),
        (-2_000_000.0, -2_000_001.0, -1_999_999.0, "-2e+06 ± 1"),
        (0.5, 0.49999985, 0.50000015, "0.50000000 ± 0.00000015"),
        (0.5, 0.499999985, 0.500000015, "0.5 ± 1.5e-08"),
        (12.3, -12.7, 37.3, "12 ± 25"),
        (1.23456, 1.12345, 3.45678, "1.235 (1.123 to 3.457)"),
        (3.0, 2.0, math.inf, "3 (2 to inf)"),
        (3.0, None, 4.0, "3"),
        (3.0, 2.0, None, "3"),
        (1 / 3, 1 / 3, 1 / 3, "0.3333333333"),
        (math.nan, None, None, ""),
    ],
)
def test_how_a_value_and_its_interval_are_written(value, low, high, written):
    assert write_value(row(value=value, low=low, high=high)) == written


def test_a_bracket_of_a_replay_is_no_error():
    assert write_value(row(value=10.0, low=9.0, high=11.0, kind="replayed")) == "10 (9 to 11)"


def test_a_formula_is_shown_if_it_is_short_or_all_there_is():
    short, long = "x" * 24, "x" * 25
    assert write_value(row(value=0.75, formula=short)) == f"{short} = 0.75"
    assert write_value(row(value=0.75, formula=long)) == "0.75"
    assert write_value(row(value=math.nan, formula=long)) == long
    assert write_value(row(value=1 / 3, formula="1/3"), 4) == "1/3 = 0.3333"
    assert (write_number(2 / 3), write_number(2 / 3, 3), write_number(100.0)) == ("0.6666666667", "0.667", "100")


def test_single_numbers_have_ten_digits_and_those_of_classes_seven():
    [alone] = blocks_of([row(), row(name="tail_decay_rate", value=0.5)])
    assert (alone.title, alone.headings) == ("exact, by QBD", ())
    assert alone.rows == (("mean_response_time", "7.517772123"), ("tail_decay_rate", "0.5"))
    [classes] = blocks_of([row(job_class="a"), row(job_class="b", value=1.5), row(name="load", job_class="b", value=2)])
    assert classes.headings == ("quantity", "a", "b")
    assert classes.rows == (("mean_response_time", "7.517772", "1.5"), ("load", "", "2"))
    [mixed] = blocks_of([row(name="load", value=0.5), row(job_class="a", value=2.0)])
    assert mixed.headings == ("quantity", "all jobs", "a")
    assert mixed.rows == (("load", "0.5", ""), ("mean_response_time", "", "2"))
    [both] = blocks_of([row(job_class="a"), row(value=2.0)], time_unit="hours")
    assert both.headings == ("quantity", "all jobs", "a")
    assert both.rows == (("mean_response_time (hours)", "2", "7.517772"),)
    assert (both.labels, both.remarks) == (1, ())


def placed(columns, places, **more):
    return [
        row(f"quantity {c}", c + p / 100, at={"servers": p}, **more)
        for p in range(1, places + 1)
        for c in range(columns)
    ]


@pytest.mark.parametrize(
    ("columns", "places", "turned"),
    [(3, 2, False), (4, 2, True), (4, 3, True), (4, 4, False), (5, 4, True), (13, 12, True), (14, 13, False)],
)
def test_a_table_is_turned_where_it_has_more_quantities_than_places(columns, places, turned, monkeypatch):
    monkeypatch.setattr(Quantity, "label_in", lambda self, _: self.name)
    [block] = blocks_of(placed(columns, places))
    numbers, names = tuple(str(p) for p in range(1, places + 1)), tuple(f"quantity {c}" for c in range(columns))
    assert block.labels == 1
    if turned:
        assert block.headings == ("servers", *numbers)
        assert [line[0] for line in block.rows] == list(names)
        assert block.rows[2][1] == "2.01"
    else:
        assert block.headings == ("servers", *names)
        assert [line[0] for line in block.rows] == list(numbers)
        assert block.rows[1][3] == "2.02"


def test_two_coordinates_that_vary_head_the_lines_and_one_that_does_not_is_said_above():
    rows = [
        row(name, 10 * p + s, at={"policy": f"p{p}", "servers": s, "load": 0.5})
        for p in (1, 2)
        for s in (3, 4)
        for name in ("a", "b", "c", "d", "e")
        if (p, s, name) != (2, 4, "b")
    ]
    [block] = blocks_of(rows)
    assert (block.title, block.labels) == ("exact, by QBD; at load = 0.5", 2)
    assert block.headings == ("policy", "servers", "a", "b", "c", "d", "e")
    assert block.rows[0] == ("p1", "3", "13", "13", "13", "13", "13")
    assert block.rows[3] == ("p2", "4", "24", "", "24", "24", "24")
    [single] = blocks_of([row(at={"load": 0.5})])
    assert (single.title, single.headings, single.rows) == (
        "exact, by QBD",
        ("load", "mean_response_time"),
        (("0.5", "7.517772"),),
    )


def test_the_unit_of_time_stands_behind_what_has_one():
    rows = [row(at={"arrival_rate": rate, "time": 2.0}, value=1.5) for rate in (0.5, 0.75)]
    [block] = blocks_of(rows, time_unit="hours")
    assert block.title == "exact, by QBD; at time (hours) = 2"
    assert block.headings == ("arrival_rate (jobs per hour)", "mean_response_time (hours)")


def test_long_tables_are_thinned_evenly():
    places = [(n,) for n in range(7)]
    assert _thinned(places, 4) == places
    assert _thinned(places, 3) == [(0,), (3,), (6,)]
    assert _thinned(places[:6], 3) == places[:6]
    assert [place for (place,) in _thinned([(n,) for n in range(101)], 5)] == [0, 25, 50, 75, 100]
    [whole] = blocks_of([row(at={"servers": n}) for n in range(1, 51)])
    assert (len(whole.rows), whole.remarks) == (50, ())
    [some] = blocks_of([row(at={"servers": n}) for n in range(1, 8)], most_lines=3)
    assert [line[0] for line in some.rows] == ["1", "4", "7"]
    two = [row(at={"servers": n}, method="m" if n < 4 else "QBD") for n in range(1, 8)]
    assert blocks_of(two, most_lines=3)[0].remarks[0] == "(3 of 7 lines; --csv and --json have all)"
    assert some.remarks == ("(3 of 7 lines; --csv and --json have all)",)


def test_where_columns_come_from_is_said_by_quantity_or_by_place():
    def there(name, servers, **more):
        return row(name, at={"policy": "p", "servers": servers}, **more)

    apart = [there("a", n) for n in (1, 2)] + [there("b", n, method="sums", citation="c") for n in (1, 2)]
    sources = [("exact", "QBD", ""), ("exact", "sums", "c")]
    assert [_said_of(source, apart, ["servers"], 2) for source in sources] == [
        "a: exact, by QBD",
        "b: exact, by sums (c)",
    ]
    for places, said in ((4, "1, 2, 3, 4"), (5, "1 to 5")):
        mixed = [there("a", n) for n in range(1, places + 1)] + [there("a", 9, method="sums")]
        assert _said_of(sources[0], mixed, ["policy", "servers"], 1) == f"a at servers {said}: exact, by QBD"
    both = [there("a", 1), there("b", 1), there("a", 1, method="sums")]  # nothing tells them apart: the last is named
    assert _said_of(sources[0], both, ["policy", "servers"], 2) == "all at servers 1: exact, by QBD"
    assert [_in_words(source) for source in (("exact", "", ""), ("bound", "m", ""), ("bound", "", "c"))] == [
        "exact",
        "bound, by m",
        "bound (c)",
    ]
    [block] = blocks_of(apart)
    assert block.remarks == ("a: exact, by QBD", "b: exact, by sums (c)")
    assert block.title == "at policy = p"


def test_lists_follow_each_other_closely_and_tables_do_not():
    short, long = row("load", 0.5), row("tail_decay_rate", 0.25, method="sums")
    assert write_table([short, long]) == (
        "exact, by QBD\n  load             0.5\nexact, by sums\n  tail_decay_rate  0.25"
    )
    table = [row(value=1.5, at={"load": load}) for load in (0.5, 0.75)]
    assert write_table([short, *table]) == (
        "exact, by QBD\n  load  0.5\n\nexact, by QBD\nload  mean_response_time\n0.5   1.5\n0.75  1.5"
    )
    assert write_table([]) == "(no quantities)"
    assert _wrapped("one two three\n\nfour", 9) == ["one two", "  three", "four"]


def test_a_result_says_which_rows_it_has_of_a_name():
    def result(count):
        rows = tuple(row(at={"servers": n}) for n in range(1, count + 1))
        return Result(system={}, quantities=(*rows, row(job_class="a", value=3.0), row(level=95, value=4.0)))

    assert (result(1)["mean_response_time"], result(1)["mean_response_time", "a"]) == (7.517772123456, 3.0)
    assert result(1)["mean_response_time", None, 95] == 4.0
    for count, more in ((2, False), (8, False), (9, True)):
        with pytest.raises(InvalidInput, match=f"'mean_response_time' stands {count} times") as error:
            result(count)["mean_response_time"]
        listed = str(error.value).partition(": ")[2].partition("; choose")[0]
        wanted = [f"servers = {n}" for n in range(1, min(count, 8) + 1)]
        assert listed.split("; ") == wanted + ["..."] * more
    with pytest.raises(InvalidInput, match="no 'mean_response_time' of class 'b' at level 95 in this result"):
        result(1)["mean_response_time", "b", 95]
    with pytest.raises(InvalidInput, match=r"nothing .* stands at servers = 99; there is servers: 1, .*, 12$"):
        result(15).at(servers=99)
    with pytest.raises(InvalidInput, match="there is load: none"):
        result(2).at(load=0.5)
    assert [place for place, _ in result(2).along("servers", "mean_response_time")] == [1, 2]
    assert result(2).places("servers") == [1, 2]
    assert len(result(2).at(servers=2).quantities) == 1


def test_the_title_says_what_it_is_about():
    for system, provenance, title in (
        ({"servers": 3, "name": "mine"}, {}, "mine"),
        ({"servers": 3, "name": ""}, {}, "3 servers"),
        ({}, {"question": {"verb": "waste_curve"}}, "waste curve"),
        ({}, {}, "result"),
    ):
        assert Result(system=system, quantities=(), provenance=provenance).title == title


def test_a_row_is_within_its_limits():
    assert row(level=0).label == "mean_response_time 0 %"
    assert row(level=100).label_in("hours") == "mean_response_time 100 % (hours)"
    assert row(value=2.0, low=2.0, high=2.0).low == 2.0
    for wrong, sentence in (
        ({"level": -0.5}, "level -0.5 of mean_response_time is no percentage"),
        ({"level": 100.5}, "is no percentage"),
        ({"value": 2.0, "low": 2.5}, "check low"),
        ({"value": 2.0, "high": 1.5}, "check high"),
        ({"kind": "guessed"}, "kind 'guessed' of mean_response_time is unknown"),
    ):
        with pytest.raises(InvalidInput, match=sentence):
            row(**wrong)


def test_another_unit_of_time_changes_times_and_rates_and_nothing_else(monkeypatch):
    """An hour is 60 minutes: times are 60 times as many, rates a sixtieth; servers and shares stay."""
    time = row(value=2.0, low=1.5, high=2.5, formula="2", at={"arrival_rate": 30.0, "load": 0.5, "policy": "p"})
    found = time.rescaled(60.0)
    assert (found.value, found.low, found.high, found.formula) == (120.0, 90.0, 150.0, None)
    assert dict(found.at) == {"policy": "p", "load": 0.5, "arrival_rate": 0.5}
    share = row("load", 0.5, formula="1/2").rescaled(60.0)
    assert (share.value, share.low, share.formula) == (0.5, None, "1/2")
    assert row("arrival_rate", 30.0).rescaled(60.0).value == 0.5
    own = row("something of mine", 3.0)
    assert own.dimension is own.unit("hours") is None
    assert (own.value, own.label_in("hours")) == (3.0, "something of mine")
    monkeypatch.setattr(Quantity, "dimension", None)
    assert row(value=3.0).rescaled(60.0).value == 3.0


def test_a_row_is_told_and_read_back():
    whole = row(low=7.0, high=8.0, bracket=True, formula="f", at={"load": 0.5}, job_class="a", level=5, citation="c")
    plain = row(value=math.inf)
    for each in (whole, plain):
        told = each.to_dict("hours")
        again = Quantity.from_dict(told)
        assert again == each or (math.isnan(again.value) and math.isinf(each.value))
        assert told["unit"] == "hours"
    assert ("formula" in plain.to_dict(), "bracket" in plain.to_dict()) == (False, False)
    assert (whole.to_dict()["formula"], whole.to_dict()["bracket"], plain.to_dict()["low"]) == ("f", True, None)


def test_html_has_the_labels_as_headings():
    left = 'style="text-align: left"'
    assert html_grid(["a", "b"], [["x", "1"]], caption="t & u") == (
        f"<table><caption {left}>t &amp; u</caption><thead><tr><th>a</th><th>b</th></tr></thead>"
        f"<tbody><tr><th {left}>x</th><td>1</td></tr></tbody></table>"
    )
    assert html_grid([], [["x", "y", "1"]], labels=2) == (
        f"<table><tbody><tr><th {left}>x</th><th {left}>y</th><td>1</td></tr></tbody></table>"
    )
    page = write_html("h", [row(at={"servers": n}) for n in range(1, 60)], ["note"])
    assert "<p><small>(25 of 59 lines; --csv and --json have all)</small></p><p>note</p></div>" in page


def test_a_place_matches_if_all_of_it_does():
    there = At({"load": 0.5, "policy": "a"})
    for wanted, matches in (
        ({}, True),
        ({"load": 0.5 + 1e-12}, True),
        ({"load": 0.5, "policy": "a"}, True),
        ({"load": 0.5, "policy": "b"}, False),
        ({"load": 0.5, "servers": 2}, False),
    ):
        assert there.matches(wanted) is matches
    assert (same_place("a", "a"), same_place("0.5", 0.5), same_place(0.5, "0.5")) == (True, False, False)


def test_how_it_ended_and_what_is_missing():
    assert [each.exit_code for each in (Outcome.SOLVED, Outcome.UNSTABLE, Outcome.INTERRUPTED)] == [0, 1, 130]
    gap = {"name": "x", "failure": Failure.UNSTABLE, "reason": "too much."}
    assert str(Missing(**gap, at={"load": 0.5, "policy": "p"})) == "No x at policy = p, load = 0.5: too much."
    assert str(Missing(**gap)) == "No x: too much."


def test_rows_are_written_as_csv_and_read_back():
    assert write_csv([]) == "name,class,level,value,low,high,unit,kind,method,citation,formula,bracket\n"
    rows = (row(value=2.5, at={"servers": 3, "load": 1.0}), row(name="load", value=0.5, level=95.0, bracket=True))
    assert read_csv(write_csv(rows[:1])) == rows[:1]
    assert read_csv(write_csv(rows)) == rows
    [first, _] = read_csv(write_csv(rows))
    assert (type(first.at["servers"]), type(first.at["load"])) == (int, float)
    [half] = read_csv("name,kind,value,at.servers\nload,exact,0.5,2.5\n")
    assert half.at["servers"] == 2.5


def test_a_result_finds_its_rows_and_is_plain_data():
    rows = (row(value=1.5), row(value=2.5), row(value=3.5, job_class="a"))
    result = Result(system={"name": "x"}, quantities=rows, notes=("A note.",))
    assert (result.find("mean_response_time").value, result.find("mean_response_time", "a").value) == (1.5, 3.5)
    assert result.find("mean_response_time", "b") is None
    both = Result(system={}, quantities=(*rows, row(name="load", value=0.5)))
    assert ("load" in both, "load" in result) == (True, False)
    assert result.to_json().startswith('{\n  "system": {\n    "name": "x"\n  },')
    assert result.to_text().endswith("\n\nA note.")
    given = {"a": (1, True, None, "x"), 2: [np.array([1.5, math.inf]), 2.5, math.nan, Fraction(1, 2)]}
    assert plain(given) == {"a": [1, True, None, "x"], "2": [[1.5, None], 2.5, None, "1/2"]}
