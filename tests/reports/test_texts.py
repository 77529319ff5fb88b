"""Pages of text: what stands in them, in which order, how wide tables are and where sentences break."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hand_made import CLUSTER, capacity, report, row
from hand_made_log import JOBS, looked, result, share, trace, wait

from msj.answers import FitResult
from msj.effort import Progress
from msj.errors import Failure
from msj.reports.contents import Curve, Finding, Point, PolicySection
from msj.reports.fit_text import classes_table, write_fit_text
from msj.reports.log_changes import _asked
from msj.reports.log_report import _Steps
from msj.reports.log_text import table_lines, wrapped, write_log_text, write_replay_text
from msj.reports.page import _sections
from msj.reports.replay_text import needs_table, policies_table
from msj.reports.tables import Table
from msj.reports.text import _grid, _spaced, _wrapped, evidence_of, summary, write_text
from msj.results import Missing, Outcome

EASY = "easy-backfilling"


def table(*rows, headings=("name", "number (hours)"), numbers=(False, True)):
    return Table(headings=headings, rows=rows, numbers=numbers)


# A report


def test_a_table_has_words_left_and_numbers_right_and_units_below():
    assert _grid(table(("a", "1"), ("longer", "1,000"))) == [
        "  name     number",
        "          (hours)",
        "  a             1",
        "  longer    1,000",
    ]
    assert _grid(table(("a", "1"), headings=("name", "n"))) == ["  name  n", "  a     1"]
    assert _grid(table()) == _spaced(table()) == []
    assert _spaced(table(("a", "1"), headings=("name", "n"))) == [" ", "  name  n", "  a     1"]


@pytest.mark.parametrize(("count", "shown"), [(24, 24), (25, 12)])
def test_a_table_of_more_than_twice_twelve_rows_is_cut_to_twelve(count, shown):
    lines = _grid(table(*((f"{i}", "1") for i in range(count)), headings=("name", "n")))
    assert [line.split()[0] for line in lines[1 : shown + 1]] == [f"{i}" for i in range(shown)]
    more = ["  ... and 13 more; the page and --json have them all"] if count == 25 else []
    assert lines[shown + 1 :] == more


def test_a_sentence_is_96_wide_and_a_number_stays_beside_its_unit():
    for width, break_after in ((96, _wrapped), (60, lambda text, bullet: wrapped(text, bullet, 60))):
        word = "x" * (width - 4 - 3)  # a bullet of four, the word, and room for " 50" but not for " 50 %"
        assert break_after(f"{word} 50 % more", "  - ") == [f"  - {word}", "    50 % more"]
        assert break_after(f"{word} 50", "  - ") == [f"  - {word} 50"]
        assert break_after(f"{word} a-b", "  - ") == [f"  - {word}", "    a-b"]  # names stay whole


def test_a_cluster_in_a_line():
    made = report(unit="hours")
    assert summary(made) == "Cluster of 10 servers: 10 servers, 2 classes, fcfs, 0.5 jobs per hour (as the file says)"
    named = replace(made, cluster=CLUSTER.replace(name="mine"), load=None)
    assert summary(named) == "mine: 10 servers, 2 classes, fcfs"


def test_sections_say_the_load_and_have_a_title_only_if_there_is_something():
    text = write_text(replace(report(unit="hours", utilisation=0.5, here=[row("mean_response_time", 10.0)]),
                              notes=("Something is to be known.",), provenance={"seconds": 1.23456}))  # fmt: skip
    lines = text.split("\n")
    assert lines[1] == "  - Something is to be known."
    assert "RESPONSE TIMES AT ARRIVAL RATE 0.5 JOBS PER HOUR, UTILISATION 50 %" in lines
    assert "POLICIES ON THE SAME JOBS" not in lines
    assert lines[lines.index("HOW MUCH IT CAN TAKE") - 1] == ""
    assert lines[-1] == "  msj None, seed None, 1.23 seconds, identity None"
    plain = write_text(report(here=[row("mean_response_time", 10.0)])).split("\n")
    assert "RESPONSE TIMES AT ARRIVAL RATE 0.5, UTILISATION 50 %" in plain
    unknown = write_text(replace(report(here=[row("mean_response_time", 10.0)]), load=None)).split("\n")
    assert "RESPONSE TIMES " in unknown
    left_out = PolicySection(left_out=(("b", "too small"), ("a", "odd"), ("c", "too small")), notes=("More.",))
    written = write_text(replace(report(), policies=left_out)).split("\n")
    at = written.index("POLICIES ON THE SAME JOBS")
    assert written[at + 1 : at + 4] == ["  - b, c: too small", "  - a: odd", "  - More."]


def test_the_page_says_the_load_with_its_unit_where_there_is_one():
    made = [report(unit=unit, here=[row("mean_response_time", 10.0)]) for unit in ("hours", None)]
    in_hours, plain = (next(part["lead"] for part in _sections(each, {}) if part["lead"]) for each in made)
    assert in_hours.startswith("At arrival rate 0.5 jobs per hour: utilisation 50 %")
    assert plain.startswith("At arrival rate 0.5: utilisation 50 %")
    assert in_hours.endswith("(as the file says).")


def test_a_finding_says_how_sure_it_is_in_a_word_and_curves_have_eight_points():
    seen = row("mean_response_time", 10.0, "simulated", 9.0, 11.0)
    finding = Finding(sentence="Jobs stay.", quantity=seen, section="response")
    points = [Point(arrival_rate=i / 10, utilisation=i / 10, mean_response_time=seen) for i in range(1, 10)]
    curves = (Curve(name="simulated", kind="simulated", points=tuple(points)),)
    made = replace(report(), findings=(finding,))
    lines = write_text(replace(made, response=replace(made.response, curves=curves))).split("\n")
    assert lines[1] == "  * Jobs stay. (simulated)"
    assert len([line for line in lines if line.endswith("10.0 ± 1.0")]) == 8


def test_what_is_said_of_evidence_is_all_but_the_first_note():
    found = replace(capacity(0.9, kind="simulated", low=0.8, high=0.95, bracket=True), notes=("a", "b", "c"))
    assert evidence_of(report(takes=found)) == ("b", "c")
    assert evidence_of(report(takes=replace(capacity(), notes=("a", "b")))) == ()
    assert evidence_of(replace(report(), capacity=None)) == ()


# A log, and replays


def test_a_table_of_a_log_is_as_wide_as_it_may_be():
    wide = table(("a", "1"), ("b", "22"), headings=("name", "n"))
    assert table_lines(wide, 60).split("\n") == ["  name   n", "  a      1", "  b     22"]
    words = table(("a", "x" * 20, "y" * 20), headings=("n", "one", "two"), numbers=(False, False, False))
    one_line = 2 + 1 + 2 + 20 + 2 + 20
    assert len(table_lines(words, one_line).split("\n")) == 2
    assert len(table_lines(words, one_line - 1).split("\n")) > 2


def test_a_log_is_told_with_its_tables_and_notes():
    rows = [wait(600.0), wait(600.0, job_class="queue gpu")]
    rows += [share("mean_bounded_slowdown", 2.0).replace(job_class=name) for name in (None, "queue gpu")]
    gap = Missing(name="users", failure=Failure.NOT_SUPPORTED, reason="the log has none")
    log = replace(looked(share("offered_utilisation", 0.6), *rows, of=trace(notes=("Only some.",))), missing=(gap,))
    lines = write_log_text(log).split("\n")
    assert lines[:2] == [
        "some.swf: swf, 4 jobs, 4 servers, 2 h",
        "  * The jobs would keep 60 % of the servers busy. (recorded)",
    ]
    assert [line for line in lines if line and not line.startswith(" ")][1:] == [
        "WHAT WAS READ",
        "JOBS BY NEED",
        "WAITS: SO MANY PER CENT OF THE JOBS WAITED AT MOST SO LONG",
        "WAITS BY QUEUE",
        "NOTES",
    ]
    assert lines[-2:] == ["  - Only some.", f"  - {gap}"]
    assert "NOTES" not in write_log_text(looked())
    assert max(map(len, write_log_text(log, width=60).split("\n"))) <= 60


def replayed():
    at = {"policy": EASY}
    return result(
        wait(600.0), wait(700.0, job_class="need 1"), wait(60.0, level=50.0),
        wait(300.0, EASY, low=240.0, high=420.0), wait(900.0, EASY, "need 8"), wait(30.0, EASY, level=95.0),
        share("mean_bounded_slowdown", 2.3456, **at), share("utilisation", 0.75, **at),
    )  # fmt: skip


def test_policies_of_a_replay_have_a_line_each_the_log_first():
    found = policies_table(replayed())
    assert found.headings == ("policy", "mean wait", "50 %", "95 %", "slowdown", "busy")
    assert found.rows == (
        ("as recorded", "10 min", "60 s", "–", "–", "–"),
        (EASY, "5 min (4 min to 7 min)", "–", "30 s", "2.35", "75 %"),
    )
    assert found.numbers == (False, True, True, True, True, True)
    needs = needs_table(replayed())
    assert needs.headings == ("mean wait", "as recorded", EASY)
    assert needs.rows == (("need 1", "12 min", "–"), ("need 8", "–", "15 min"))
    assert needs.numbers == (False, True, True)


@pytest.mark.parametrize(("low", "high"), [(None, 400.0), (240.0, None), (298.0, 302.0)])
def test_an_interval_of_a_replay_is_shown_where_its_ends_differ(low, high):
    assert policies_table(result(wait(300.0, EASY, low=low, high=high))).rows[0][1] == "5 min"
    assert policies_table(result(wait(300.0, EASY, level=50.0))).rows[0][1] == "–"


def test_a_replay_is_told_with_its_notes():
    found = replace(replayed(), system={"servers": 1200}, provenance={"jobs": 34_000}, notes=("One.", "Two."))
    lines = write_replay_text(found).split("\n")
    assert lines[0] == "34,000 jobs on 1,200 servers"
    assert [line for line in lines if line.isupper() or line.startswith("MEAN")][-2:] == ["MEAN WAIT BY NEED", "NOTES"]
    assert lines[-2:] == ["  - One.", "  - Two."]
    short = write_replay_text(replace(found, notes=(), quantities=tuple(r for r in found if r.job_class is None)))
    assert "NOTES" not in short
    assert "MEAN WAIT BY NEED" not in short


# A fit


def fit(*rows, source="some.swf"):
    laws = [
        SimpleNamespace(
            mean=7200.0, cv=1.2345, duration=SimpleNamespace(law="lognormal"), distance=0.0456, word="good"
        ),
        SimpleNamespace(mean=60.0, cv=0.5, duration=SimpleNamespace(law="erlang"), distance=0.2, word="poor"),
    ]
    classes = SimpleNamespace(names=("small", "large"), needs=(1, 2000), counts=lambda: np.array([3, 1]))
    fitted = SimpleNamespace(trace=trace(source=source), servers=4000, classes=classes, durations=laws)
    gap = Missing(name="prediction", failure=Failure.NOT_SUPPORTED, reason="too few jobs")
    return FitResult(
        system={}, quantities=rows, outcome=Outcome.SOLVED, provenance={}, notes=("A note.",), missing=(gap,),
        fitted=fitted,
    )  # fmt: skip


def test_the_classes_of_a_fit():
    found = classes_table(fit())
    assert found.rows == (
        ("small", "1", "3", "75 %", "2 h", "1.23", "lognormal", "0.046", "good"),
        ("large", "2,000", "1", "25 %", "60 s", "0.5", "erlang", "0.200", "poor"),
    )
    words = [name for name, number in zip(found.headings, found.numbers, strict=True) if not number]
    assert words == ["class", "law", "fit"]


def test_a_fit_is_told_with_its_prediction_if_there_is_one():
    lines = write_fit_text(fit(source="")).split("\n")
    assert lines[0] == "log: 4 jobs on 4,000 servers"
    assert [line for line in lines if line.isupper()] == ["CLASSES AND THE LAWS OF THEIR RUN TIMES", "NOTES"]
    assert lines[1] == ""
    assert lines[-2:] == ["  - A note.", f"  - {fit().missing[0]}"]
    workloads = ("replay", "independent fit", "dependent fit")
    lines = write_fit_text(fit(*(wait(60.0, EASY, workload=name) for name in workloads))).split("\n")
    assert lines[0].startswith("some.swf: ")
    assert "WAITS IN THE PART HELD OUT: REPLAYED, AND AS FITS OF THE REST PREDICT THEM" in lines
    assert lines[lines.index("NOTES") + 1].startswith("  - Nobody waits in the replay")


# Changes of a log, and how far its report is


def test_which_changes_are_asked_about():
    """32 servers, the largest job needs 9: a tenth is 3.2, so 4; a quarter is 8; half of 9 is 4, a quarter 2."""
    made = trace([*JOBS, (8000.0, 0.0, 60.0, 9, 60.0)], servers=32)
    assert list(_asked(made, 32)) == [
        ("as it is", "nothing", 0.0, {}),
        ("4 fewer servers (28)", "servers", -4, {"servers": 28}),
        ("4 more servers (36)", "servers", 4, {"servers": 36}),
        ("8 more servers (40)", "servers", 8, {"servers": 40}),
        ("at most 4 servers a job", "cap", 4, {"largest_need": 4}),
        ("at most 2 servers a job", "cap", 2, {"largest_need": 2}),
        ("requested times as long as the runs", "estimates", 1.0, {"estimates": "exact"}),
        ("10 % more load", "load", 1.1, {"scale_load": 1.1}),
        ("25 % more load", "load", 1.25, {"scale_load": 1.25}),
        ("50 % more load", "load", 1.5, {"scale_load": 1.5}),
    ]


@pytest.mark.parametrize(
    ("largest", "servers", "words"),
    [
        (8, 10, ["1 more servers (11)", "3 more servers (13)", "at most 4 servers a job", "at most 2 servers a job"]),
        (10, 10, ["1 more servers (11)", "3 more servers (13)", "at most 5 servers a job", "at most 2 servers a job"]),
        (12, 10, ["3 more servers (13)", "at most 5 servers a job", "at most 2 servers a job"]),
        (3, 10, ["1 more servers (11)", "3 more servers (13)", "at most 1 servers a job"]),
        (1, 10, ["1 more servers (11)", "3 more servers (13)"]),
        (1, 1, ["1 more servers (2)", "1 more servers (2)"]),  # one fewer would be none
    ],
)
def test_a_machine_too_small_and_a_cap_of_nothing_are_not_asked_about(largest, servers, words):
    jobs = [(0.0, 0.0, 60.0, largest, np.nan)]
    found = [each[0] for each in _asked(trace(jobs, servers=servers), servers) if each[1] in ("servers", "cap")]
    assert [each for each in found if "fewer" not in each] == words
    assert ("1 fewer servers (9)" in found) is (largest < 10 and servers > 1)


def test_parts_of_the_work_are_passed_on_as_shares_of_the_whole():
    told = []
    steps = _Steps(told.append)
    steps.begin(0.35, 0.25, "changes")
    steps.watch(Progress(done=0.5, words="half", notice=True))
    steps.said("more")
    assert [(now.done, now.words, now.notice) for now in told] == [
        (0.35, "changes", False),
        (pytest.approx(0.475), "half", True),
        (0.35, "more", False),
    ]
    alone = _Steps(told.append)
    alone.watch(Progress(done=0.5, words="x"))
    assert told[-1].done == 0.5
    _Steps(None).begin(0.0, 1.0, "nobody listens")
