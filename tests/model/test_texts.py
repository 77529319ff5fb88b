"""Spec files as texts: where files are looked for, what is written, which line is to blame; clusters as tables."""

from fractions import Fraction
from pathlib import Path

import pytest

import msj
from msj import Exponential, InvalidInput, JobClass, System
from msj.model.chosen import _may_be_own
from msj.model.durations import Duration
from msj.model.law import law_from
from msj.model.spec_file import _comment, _each_key_once, _key, _located, _located_policy, _slip, _toml, to_toml
from msj.model.table import Table, frozen, plain
from msj.model.value import _retimed
from msj.model.written_units import in_one_unit, plain_rate, plain_time, written
from msj.registry import ORDERS


def test_files_are_looked_for_beside_the_spec_file():
    there = Path("/there")
    law = {"law": "empirical", "file": "a.csv", "more": [{"law": "recorded", "file": "b.csv"}]}
    assert _located(law, there) == {
        "law": "empirical", "file": "/there/a.csv", "more": [{"law": "recorded", "file": "/there/b.csv"}],
    }  # fmt: skip
    assert _located({"file": "a.csv"}, there) == {"file": "a.csv"}  # no law: nobody's file
    assert _located({"law": "x", "file": 3}, there) == {"law": "x", "file": 3}
    assert _located_policy("mine.py:pick", there) == "/there/mine.py:pick"
    assert _located_policy("fcfs", there) == "fcfs"
    assert _located_policy({"name": "mine.py:pick", "front": 1}, there) == {"name": "/there/mine.py:pick", "front": 1}
    table = {"function": "pick", "file": "mine.py"}
    assert _located_policy(table, there) == {"function": "pick", "file": "/there/mine.py"}
    assert _located_policy(3, there) == 3


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a = 1\nload = 0,8\n", 2, "decimals take a point: write 0.8 instead of 0,8"),
        ("load = 0,8\nb = 1\n", 2, ""),
        ('{"load": -1,5}', 1, "decimals take a point: write -1.5 instead of -1,5"),
        ("rates = [1,5]", 1, "decimals take a point: write 1.5 instead of 1,5"),
        ("load = 0,8 # all", 1, "decimals take a point: write 0.8 instead of 0,8"),
        ("load = 80 %", 1, "write 80 % as a share, 0.8"),
        ("load = 12.5%", 1, "write 12.5 % as a share, 0.125"),
        ("name = „x“", 1, 'the line has the typographic quote „: write straight quotes, "'),
        ("load = 0,8", 0, ""),
        ("load = 0,8", 2, ""),
        ("", 1, ""),
    ],
)
def test_the_line_that_is_to_blame(text, line, words):
    assert _slip(text, line) == words


def test_values_as_toml_writes_them():
    assert _toml({"a": 1, "b c": [True, "x"], "d": None}) == '{ a = 1, "b c" = [true, "x"] }'
    assert (_key("a-b_1"), _key("a.b"), _key("")) == ("a-b_1", '"a.b"', '""')
    assert _comment(None) == _comment("") == ""
    assert _comment("one\ntwo\x07") == "# one\n# two\n"
    assert _each_key_once([("a", 1), ("b", 1)]) == {"a": 1, "b": 1}
    with pytest.raises(InvalidInput, match="key 'b' is given twice in one table"):
        _each_key_once([("a", 1), ("b", 1), ("b", 2)])


def cluster(**more):
    classes = [
        JobClass(name="small", need=1, share="3/4", duration=Exponential(mean=2)),
        JobClass(name="large", need=3, share="1/4", duration=Exponential(mean=10)),
    ]
    return System(servers=6, classes=classes, **more)


def test_remarks_stand_above_what_they_are_about():
    text = to_toml(cluster(name="x", load=0.5), {"load": "half", "large": "the others"})
    lines = text.splitlines()
    assert lines[lines.index("load = 0.5") - 1] == "# half"
    assert lines[lines.index('name = "large"') - 2 : lines.index('name = "large"')] == ["# the others", "[[classes]]"]
    assert text.count("# ") == 2


def test_a_cluster_as_a_table():
    """Work: 3/4·2 = 1.5 and 1/4·30 = 7.5 of 9 in all."""
    page = cluster(name="mine", arrival_rate="1/2", time_unit="hours")._repr_html_()
    assert "mine, 6 servers, policy fcfs, arrival rate 1/2 jobs per hour" in page
    for row in ("small 1 0.75 exponential 2 0.1667", "large 3 0.25 exponential 10 0.8333"):
        name, *cells = row.split()
        assert f">{name}</th>" + "".join(f"<td>{cell}</td>" for cell in cells) in page
    assert "mean duration (hours)" in page
    plain_page = cluster(load=0.5)._repr_html_()
    assert "6 servers, policy fcfs, load 0.5" in plain_page
    assert "per hour" not in plain_page
    around = {"name": "breakdowns", "rate": 0.1, "repair": {"law": "exponential", "mean": 1}}
    renewal = {"law": "renewal", "gap": {"law": "erlang", "stages": 4, "mean": 1}}
    sticky = {"law": "sticky", "probability": 0.5}
    more = cluster(environment=around, order=sticky, arrivals=renewal)._repr_html_()
    assert "independent erlang gaps between arrivals (cv 0.5)" in more
    assert "a job is like the one before with probability 0.5 (sticky order)" in more
    assert "environment breakdowns" in more
    assert "independent jobs" not in plain_page
    assert "Poisson" not in plain_page


def test_rates_at_a_threshold():
    system = cluster()  # E[need × duration] = 9: the servers take 6/9
    assert system.naive_threshold == pytest.approx(2 / 3)
    assert system.mean_work == pytest.approx(9.0)
    assert cluster(utilisation=0.75).arrival_rate_at(0.4) == pytest.approx(0.5)
    assert cluster(load=0.75).arrival_rate_at(0.4) == pytest.approx(0.3)
    assert cluster(arrival_rate=0.75).arrival_rate_at(0.4) == 0.75
    assert system.arrival_rate_at(0.4) is None


def test_who_never_arrives_is_left_out():
    none = JobClass(name="none", need=1, share=0, duration=Exponential(mean=1))
    one = JobClass(name="one", need=2, share=1, duration=Exponential(mean=1))
    system = System(servers=2, classes=[none, one])
    assert [c.name for c in system.active_classes] == ["one"]
    assert [c.name for c in system.only_active.classes] == ["one"]
    whole = cluster()
    assert whole.only_active is whole


def test_what_a_spec_file_says():
    assert cluster().to_spec()["policy"] == "fcfs"
    assert list(cluster().to_spec()) == ["servers", "policy", "classes"]
    assert list(cluster(name="x", time_unit="h", load="1/2").to_spec()) == [
        "name", "time_unit", "servers", "policy", "load", "classes",
    ]  # fmt: skip
    around = {"name": "breakdowns", "rate": 0.1, "repair": {"law": "exponential", "mean": 1}}
    assert isinstance(cluster(environment=around).to_spec()["environment"], dict)
    assert isinstance(cluster(environment=[around, around]).to_spec()["environment"], list)
    assert cluster(load=0.5).replace(arrival_rate=1).load is None
    assert cluster(load=0.5).replace(name="x").load == 0.5
    assert cluster(load=0.5).replace(load=None).load is None


def test_frozen_tables():
    table = frozen({"a": [1, {"b": Fraction(1, 3)}], "c": True}, "x")
    assert (len(table), list(table), table["c"], repr(table)) == (2, ["a", "c"], True, repr(dict(table)))
    assert plain(table) == {"a": [1, {"b": "1/3"}], "c": True}
    assert Table() == Table(())
    assert not Table()
    with pytest.raises(KeyError):
        table["z"]
    with pytest.raises(InvalidInput, match=r"x\.a\[1\] = .*is no text, number, list or table"):
        frozen({"a": [1, object()]}, "x")
    with pytest.raises(InvalidInput, match="a key of x = 3 must be a text"):
        frozen({3: 1}, "x")


def test_laws_by_name_and_by_table():
    assert law_from(ORDERS, {"law": "sticky", "probability": 0.5}, Duration, "x").probability == 0.5
    with pytest.raises(InvalidInput, match=r"names no law; add law = \.\.\. \(known: hidden-markov, "):
        law_from(ORDERS, {}, Duration, "x")
    with pytest.raises(InvalidInput, match="unknown key 'y' for law 'independent'; it takes none"):
        law_from(ORDERS, {"law": "independent", "y": 1}, Duration, "x")


@pytest.mark.parametrize(
    ("given", "own"),
    [
        ("fcfs", False),
        ("mine.py:pick", True),
        ({"name": "fcfs"}, False),
        ({"name": "mine.py:pick"}, True),
        ({"function": "pick"}, True),
        ({}, False),
        (len, True),
        (msj.Fcfs(), False),
        (3, False),
    ],
)
def test_what_may_be_a_function_of_ones_own(given, own):
    assert _may_be_own(given) is own


def test_other_units_change_times_and_rates_only():
    assert _retimed(3, Fraction(60), 1) == 180
    assert _retimed(3, Fraction(60), -1) == Fraction(1, 20)
    assert _retimed(3, Fraction(60), 0) == 3
    assert _retimed((3, 4), Fraction(60), 1) == (180, 240)
    assert _retimed({"a": 3, "b": "x"}, Fraction(60), -1) == {"a": Fraction(1, 20), "b": "x"}
    same = ("x", None)
    assert _retimed(same, Fraction(60), 1) is same
    table = {"a": "x"}
    assert _retimed(table, Fraction(60), 1) is table
    law = Exponential(mean=3)
    assert _retimed(law, Fraction(60), 0).mean == 180


def test_numbers_with_units():
    assert plain_rate("12 per hour", "x", "minutes") == Fraction(1, 5)
    assert plain_time("45 min", "x", "hours") == Fraction(3, 4)
    assert plain_time("2 h", "x", "minutes") == 120
    assert isinstance(plain_time("2 h", "x", "minutes"), int)
    assert plain_time("45", "x", "hours") == "45"
    with pytest.raises(InvalidInput, match="has a unit and the file has none; add time_unit = 'hours' there"):
        plain_time("2 h", "x", None)
    assert written("x", "k", rate=True) is None
    assert written(3, "k", rate=True) is None
    with pytest.raises(InvalidInput, match="is a rate, and a time is wanted; write it as '1 hours'"):
        written("0 per hour", "k", rate=False)
    with pytest.raises(InvalidInput, match="k = '1 h 2 min' cannot be read; write one number and one unit"):
        written("1 h 2 min", "k", rate=False)


def test_documents_in_one_unit():
    exponential = {"law": "exponential", "mean": "2 h"}
    document = {
        "time_unit": "min",
        "policy": {"name": "easy-backfilling", "round_up_to": "1 h"},
        "environment": [{"name": "breakdowns", "rate": "1 per h", "repair": {"law": "exponential", "mean": "30 min"}}],
        "arrivals": {"law": "batch", "size": {"law": "exponential", "mean": 3}},
        "classes": [{"duration": exponential}],
    }
    found = in_one_unit(document)
    assert found["policy"]["round_up_to"] == 60
    assert found["environment"][0]["rate"] == Fraction(1, 60)
    assert found["environment"][0]["repair"]["mean"] == 30
    assert found["arrivals"]["size"]["mean"] == 3  # how many come together is no time
    assert found["classes"][0]["duration"]["mean"] == 120
    assert exponential["mean"] == "2 h"  # what was given stays
    del document["time_unit"]
    assert in_one_unit(document)["time_unit"] == "hours"
    nothing = {"environment": {"name": "breakdowns", "rate": 0, "repair": exponential}}
    assert in_one_unit(nothing)["environment"]["rate"] == 0  # nothing is nothing in every unit
    with pytest.raises(InvalidInput, match=r"environment\.rate = 2 has no unit and others have; give it one, or say"):
        in_one_unit({"environment": {"name": "breakdowns", "rate": 2, "repair": exponential}})
    one = {"name": "breakdowns", "rate": "2 per h"}
    with pytest.raises(InvalidInput, match=r"environment\[1\]\.rate = '2' has no unit and others have"):
        in_one_unit({"environment": [one, one | {"rate": "2"}]})
    law = {"law": "hyperexponential", "rates": ["1 per h", "2 h"], "probabilities": [0.5, 0.5]}
    with pytest.raises(InvalidInput, match=r"classes\[1\]\.duration: rates\[1\] = '2 h' is a time, and a rate is"):
        in_one_unit({"classes": [{"duration": exponential}, {"duration": law}]})
    assert in_one_unit({"servers": 3}) == {"servers": 3}
