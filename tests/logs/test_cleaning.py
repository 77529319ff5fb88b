"""From rows to a trace: which rows are used, in which order, with which clock, and what is said about the others."""

import io
from itertools import pairwise

import numpy as np
import pandas
import pyarrow
import pytest

from msj import InvalidInput
from msj.logs import opening
from msj.logs.cleaning import LONGEST, MOST, counted, in_order, judged, plausible
from msj.logs.opening import blocks_of, head_of
from msj.logs.reading import as_trace, trace_of
from msj.logs.reason import SENTENCES, Reason
from msj.logs.rows import Rows, alike, blank
from msj.logs.stacking import begun, in_turn, stacked, unlikely
from msj.logs.tables import columns_of, rows_of
from msj.options import ReadOptions
from msj.results.units import seconds_in


def rows(count, **columns):
    return blank(count) | {"line": np.arange(11, 11 + count)} | {name: np.array(v) for name, v in columns.items()}


def test_reasons_are_numbered_from_1_on_and_have_a_sentence():
    assert [reason.code for reason in Reason] == list(range(1, 10))
    assert set(SENTENCES) == set(Reason)
    assert Reason.STEP.sentence == "a step of a job, which holds the job's own servers"


def test_the_first_reason_that_holds_counts():
    """One row on each side of every limit; the last two have several reasons."""
    cases = [  # run, need, submit, reason the reader gave, code of the reason found
        (1.0, 1, 0.0, 0, 0),
        (0.0, 1, 0.0, 0, Reason.NO_RUN_TIME.code),
        (np.nan, 1, 0.0, 0, Reason.NO_RUN_TIME.code),
        (LONGEST / 2, 1, 0.0, 0, 0),
        (LONGEST, 1, 0.0, 0, Reason.NO_RUN_TIME.code),
        (1.0, 0, 0.0, 0, Reason.NO_NEED.code),
        (1.0, -1, 0.0, 0, Reason.NO_NEED.code),
        (1.0, MOST, 0.0, 0, Reason.NEEDS_TOO_MANY.code),
        (1.0, MOST + 1, 0.0, 0, Reason.NO_NEED.code),
        (1.0, 1, np.nan, 0, Reason.NO_SUBMIT.code),
        (1.0, 1, -LONGEST, 0, Reason.NO_SUBMIT.code),
        (1.0, 1, -5.0, 0, 0),
        (1.0, 4, 0.0, 0, 0),
        (1.0, 5, 0.0, 0, Reason.NEEDS_TOO_MANY.code),
        (1.0, 5, np.nan, 0, Reason.NO_SUBMIT.code),
        (0.0, 0, np.nan, Reason.STEP.code, Reason.STEP.code),
    ]
    run, need, submit, given, wanted = map(list, zip(*cases, strict=True))
    columns = rows(len(cases), run=run, need=need, submit=submit, reason=np.array(given, dtype=np.int8))
    before = columns["reason"].copy()
    assert judged(Rows(columns=columns), 4).tolist() == wanted
    unlimited = [0 if code == Reason.NEEDS_TOO_MANY.code else code for code in wanted]
    assert judged(Rows(columns=columns), None).tolist() == unlimited
    assert (columns["reason"] == before).all()


def test_reasons_are_counted_with_the_first_five_lines():
    code = Reason.NO_NEED.code
    found = counted(np.array([code] * 7 + [0, Reason.STEP.code], dtype=np.int8), np.arange(20, 29))
    assert list(found.items()) == [(Reason.STEP, (1, (28,))), (Reason.NO_NEED, (7, (20, 21, 22, 23, 24)))]


def test_times_that_are_none_are_not_known():
    np.testing.assert_equal(plausible(np.array([5.0, LONGEST, np.nan, 0.0])), [5.0, np.nan, np.nan, 0.0])
    times = np.array([5.0, 1.0])
    assert plausible(times) is times


@pytest.mark.parametrize(
    ("submit", "job", "order"),
    [
        ([1.0, 2.0, 3.0], [9, 8, 7], [0, 1, 2]),
        ([1.0, 2.0, 2.0], [9, 7, 8], [0, 1, 2]),
        ([1.0, 2.0, 2.0], [9, 8, 7], [0, 2, 1]),
        ([3.0, 2.0, 2.0], [1, 8, 7], [2, 1, 0]),
        ([3.0, 2.0, 1.0], [1, 2, 3], [2, 1, 0]),
    ],
)
def test_rows_are_put_in_order_of_submission_then_of_their_number(submit, job, order):
    columns = rows(3, submit=submit, job=job)
    everyone = np.ones(3, dtype=bool)
    assert in_order(columns, everyone, "job").tolist() == order
    assert in_order(columns, np.array([True, False, True]), "job").tolist() == [i for i in order if i != 1]
    # Where jobs have names, or no number, those submitted together stay as they stand in the file.
    by_line = sorted(range(3), key=lambda i: submit[i])
    assert in_order(columns | {"job": np.array(["c", "b", "a"], dtype=object)}, everyone, "job").tolist() == by_line
    assert in_order(columns, everyone, "number").tolist() == by_line


def test_places_of_equal_keys():
    assert [places.tolist() for places in alike(np.array([3, 1, 3, 2, 1, 3]))] == [[1, 4], [0, 2, 5]]
    assert alike(np.array([1, 2])) == []


def test_parts_are_put_end_to_end_and_bad_lines_in_their_place():
    one = rows(2, submit=[1.0, 2.0], need=[3, 4]) | {"line": np.array([2, 4]), "user": pandas.Categorical(["a", "b"])}
    two = rows(1, submit=[5.0], need=[6]) | {"line": np.array([7]), "user": pandas.Categorical(["c"])}
    one["job"], two["job"] = np.array([8, 9]), np.array(["x"], dtype=object)
    found = stacked([(one, [3]), (two, [6, 8])])
    assert found["line"].tolist() == [2, 3, 4, 6, 7, 8]
    np.testing.assert_equal(found["submit"], [1.0, np.nan, 2.0, np.nan, 5.0, np.nan])
    assert found["need"].tolist() == [3, 0, 4, 0, 6, 0]
    assert found["reason"].tolist() == [0, 1, 0, 1, 0, 1]
    assert found["user"].tolist()[::2] == ["a", "b", "c"]
    assert pandas.isna(found["user"][1])
    assert found["job"].tolist() == ["8", "", "9", "", "x", ""]
    together = stacked([(one, []), (one, [])])
    assert together["need"].tolist() == [3, 4, 3, 4]
    assert together["reason"].tolist() == [0, 0, 0, 0]
    assert {name: len(values) for name, values in stacked([]).items()} == dict.fromkeys(blank(0), 0)


def test_replications_follow_each_other_with_a_mean_gap_between():
    """Of replication 1 the submissions 4 and 10 are 6 apart: half of that comes after 10. A bad row has no say."""
    columns = rows(
        5, submit=[4.0, 10.0, 1.0, 9.0, np.nan], replication=[1.0, 1.0, 2.0, 2.0, 3.0], reason=[0, 0, 0, 0, 1]
    )
    found, notes = in_turn(columns)
    np.testing.assert_equal(found["submit"], [4.0, 10.0, 14.0, 22.0, np.nan])
    assert notes == ["The file holds 2 replications; they are taken one after the other."]
    assert "replication" not in found
    assert columns["submit"].tolist()[:4] == [4.0, 10.0, 1.0, 9.0]
    one, notes = in_turn(rows(2, submit=[4.0, 10.0], replication=[1.0, 1.0]))
    assert (one["submit"].tolist(), notes) == ([4.0, 10.0], [])
    plain = rows(1, submit=[4.0])
    assert in_turn(plain) == (plain, [])


def test_moments_since_1970_are_counted_from_the_first():
    since, first = begun(rows(3, submit=[1.5e9, np.nan, 1e8], reason=[0, 0, 0]))
    assert first == 1e8
    np.testing.assert_equal(since["submit"], [1.4e9, np.nan, 0.0])
    assert begun(rows(2, submit=[1.5e9, 0.9e8]))[1] is None
    assert begun(rows(2, submit=[1.5e9, 5.0], reason=[0, 1]))[1] == 1.5e9  # a row that is none has no say
    assert begun(rows(1, submit=[np.nan]))[1] is None


def test_moments_thousands_of_years_ahead_are_doubted():
    assert unlikely(None) == unlikely(0.99e11) == []
    assert unlikely(1e11) == ["Submissions look like milliseconds since 1970; if they are, say --time-unit ms."]


def test_units_of_time_in_seconds():
    assert (
        seconds_in(None),
        seconds_in("min"),
        seconds_in(ReadOptions().time_unit),
        seconds_in(ReadOptions(time_unit="ms").time_unit),
    ) == (
        1.0,
        60.0,
        1.0,
        0.001,
    )


def table_of(**columns):
    return pyarrow.table({name: [None if v is None else str(v).encode() for v in vs] for name, vs in columns.items()})


def test_rows_of_a_table():
    """In minutes, with a wait of its own; a wait below 0 and an estimate of 0 are not known, half a server is none."""
    table = table_of(
        submit=[1, 2, 3, 4], wait=[0, -1, 5, 7], run=[10, 20, 30, "x"], need=[2, 2.5, -3, 4], estimate=[0, 25, 35, 45],
        user=["a", "b", "a", "b"], id=[5, 6, 7, 8], replication=[1, 1, "", 2],
    )  # fmt: skip
    chosen = {name: name for name in ("submit", "wait", "need", "estimate", "user", "replication")}
    found = rows_of(table, np.arange(2, 6), chosen | {"run": "run", "job": "id"}, 60.0)
    assert found["line"].tolist() == [2, 3, 4, 5]
    assert found["submit"].tolist() == [60.0, 120.0, 180.0, 240.0]
    np.testing.assert_equal(found["wait"], [0.0, np.nan, 300.0, 420.0])
    # A column of spans with something else in it is no column of plain numbers: its numbers are seconds.
    np.testing.assert_equal(found["run"], [10.0, 20.0, 30.0, np.nan])
    np.testing.assert_equal(found["estimate"], [np.nan, 1500.0, 2100.0, 2700.0])
    assert found["need"].tolist() == [2, 0, 0, 4]
    assert found["reason"].tolist() == [0, 0, 0, Reason.BAD_LINE.code]
    assert found["user"].tolist() == ["a", "b", "a", "b"]
    assert found["job"].tolist() == [5, 6, 7, 8]
    assert found["replication"].tolist() == [1.0, 1.0, 0.0, 2.0]


def test_rows_of_a_table_with_starts_and_ends():
    table = table_of(submit=[10, 20, 30], start=[15, 20, 25], end=[40, 60, 90], need=[2**53 - 1, 2**53, 1])
    chosen = {name: name for name in ("submit", "start", "end", "need")}
    found = rows_of(table, np.arange(3), chosen, 1.0)
    assert found["run"].tolist() == [25.0, 40.0, 65.0]
    np.testing.assert_equal(found["wait"], [5.0, 0.0, np.nan])  # the last started before it was submitted
    assert found["need"].tolist() == [2**53 - 1, 0, 1]
    assert np.isnan(found["estimate"]).all()
    del chosen["submit"]
    found = rows_of(table, np.arange(3), chosen, 1.0)
    assert found["submit"].tolist() == [15.0, 20.0, 25.0]
    assert np.isnan(found["wait"]).all()


def test_columns_by_number_name_and_case():
    names = ("Submit", "b", "Need", "run")
    options = ReadOptions(columns={"submit": "1", "need": "need", "run": "4"})
    chosen, unit, notes = columns_of(names, options)
    assert (chosen, unit, notes) == ({"submit": "Submit", "need": "Need", "run": "run"}, 1.0, [])
    for wrong in ("0", "5"):
        with pytest.raises(InvalidInput, match=f"there is no column '{wrong}' for submit"):
            columns_of(names, ReadOptions(columns={"submit": wrong}))
    # A column that was given to one part is not guessed to be another one.
    chosen, _, notes = columns_of(
        ("submit", "need", "run", "duration"), ReadOptions(columns="estimate=run,run=duration")
    )
    assert chosen == {"estimate": "run", "run": "duration", "submit": "submit", "need": "need"}
    assert notes == [
        "Guessed from the names of the columns: submit = submit, need = need; --columns says otherwise.",
    ]
    start_and_end = columns_of(("start", "end", "need"), ReadOptions())[0]
    assert start_and_end == {"start": "start", "end": "end", "need": "need"}
    with pytest.raises(InvalidInput, match=r"no column for run among submit, need, end;.*--columns run=COLUMN$"):
        columns_of(("submit", "need", "end"), ReadOptions())


def test_a_known_table_has_its_unit_unless_another_is_said():
    header = ("job_id", "num_gpu", "submit_time", "duration", "model_name", "iterations")
    chosen, unit, notes = columns_of(header, ReadOptions())
    assert chosen == {"job": "job_id", "submit": "submit_time", "need": "num_gpu", "run": "duration"}
    assert unit == 0.001
    assert notes == [
        "The columns are those of Philly, as the Muri and Lucid simulators have it.",
        "Times are in ms; --time-unit says otherwise.",
    ]
    _, unit, notes = columns_of(header, ReadOptions(time_unit="min"))
    assert (unit, len(notes)) == (60.0, 1)


@pytest.mark.parametrize(("count", "end"), [(30, "c29;"), (31, "c29, ...;")])
def test_only_so_many_names_are_shown(count, end):
    with pytest.raises(InvalidInput, match=f"among c0, .*{end} name them"):
        columns_of([f"c{i}" for i in range(count)], ReadOptions())


def trace_from(strict=False, servers=None, bad=(), notes=(), count=4, **columns):
    known = {"submit": np.arange(count) * 10.0, "run": np.full(count, 5.0), "need": np.arange(1, count + 1)} | columns
    given = Rows(columns=rows(count, **known), servers=3, bad=tuple(bad), notes=tuple(notes), begins=77.0)
    return trace_of(given, ReadOptions(strict=strict, servers=servers), source="a.swf", name="swf")


def test_what_is_used_of_the_rows_is_the_trace():
    trace = trace_from(notes=["Said."], wait=[1.0, LONGEST, 2.0, 3.0])
    assert (trace.servers, trace.rows, trace.begins, trace.source, trace.format) == (3, 4, 77.0, "a.swf", "swf")
    assert trace.left_out == {Reason.NEEDS_TOO_MANY: (1, (14,))}
    assert trace.notes == ("Said.",)
    assert trace.column("line").tolist() == [11, 12, 13]
    np.testing.assert_equal(trace.column("wait"), [1.0, np.nan, 2.0])
    assert "reason" not in trace.frame
    assert len(trace_from(servers=4)) == 4  # what a user says comes before the log
    assert trace_from(submit=[9.0, 3.0, 5.0, 1.0]).column("need").tolist() == [2, 3, 1]
    assert trace_from(submit=[9.0, 3.0, 5.0, 1.0], servers=4).column("need").tolist() == [4, 2, 3, 1]


def test_bad_lines_are_noted_or_refused():
    one = {"bad": [(12, "is odd")], "reason": np.array([0, 1, 0, 0], dtype=np.int8)}
    assert trace_from(**one).notes == ("Line 12 is odd.",)
    with pytest.raises(InvalidInput, match=r"^line 12 is odd; correct it, or leave --strict out$"):
        trace_from(strict=True, **one)
    two = {"bad": [(12, "is odd"), (13, "too")], "reason": np.array([0, 1, 1, 0], dtype=np.int8)}
    with pytest.raises(InvalidInput, match=r"^line 12 is odd, and 1 lines more; correct it"):
        trace_from(strict=True, **two)
    four = {"bad": [(11, "is odd")], "reason": np.ones(4, dtype=np.int8)}
    with pytest.raises(InvalidInput, match=r"^has no job: none of its 4 lines is one as swf has it; line 11 is odd$"):
        trace_from(**four)
    with pytest.raises(InvalidInput, match=r"^has no job that can be used: of 4 rows 1 bad-line, 3 no-run-time$"):
        trace_from(**one, run=np.zeros(4))
    assert len(trace_from(strict=True)) == 3


def test_a_trace_that_is_given_is_taken_as_it_is():
    trace = trace_from()
    assert as_trace(trace) is trace
    assert as_trace(trace, ReadOptions(servers=9)).servers == 9
    assert repr(trace) == "Trace(a.swf: 3 jobs of 4 rows, 3 servers)"
    assert repr(trace.replace(servers=None, source="")) == "Trace(no file: 3 jobs of 4 rows, servers unknown)"


@pytest.mark.parametrize(("known", "has"), [(0, False), (1, False), (2, False), (3, True), (4, True)])
def test_a_log_has_what_more_than_half_of_its_jobs_say(known, has):
    times = [5.0] * known + [np.nan] * (4 - known)
    trace = trace_from(servers=4, wait=times, estimate=times)
    assert trace.has_waits is has
    assert trace.has_estimates is has


def test_a_trace_without_jobs_has_neither_waits_nor_estimates():
    none = trace_from(wait=np.ones(4), estimate=np.ones(4)).between(-2, -1)
    assert (none.has_waits, none.has_estimates, len(none)) == (False, False, 0)
    assert none.notes == ("Only 0 jobs were chosen.",)


def test_both_ends_of_a_stretch():
    trace = trace_from()
    assert trace.between(0, 20).column("submit").tolist() == [0.0, 10.0]
    assert trace.where(need=2).where(run=5.0).column("line").tolist() == [12]
    assert trace.to_spec()["servers"] == 3
    assert trace.to_spec()["jobs"] == 3
    with pytest.raises(InvalidInput, match="no truth value"):
        trace.where(lambda jobs: np.array([True]))


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        (b"ab\ncd\nef", [b"ab\n", b"cd\n", b"ef"]),
        (b"\xef\xbb\xbfab\ncd\n", [b"ab\n", b"cd\n"]),
        (b"ab\rcd\r\nef\r", [b"ab\r", b"cd\r\n", b"ef\r"]),
        (b"", []),
        (b"abcdefgh\ni", [b"abcdefgh\n", b"i"]),
    ],
)
def test_blocks_are_whole_lines(monkeypatch, text, blocks):
    """Four bytes at a time: what is cut is kept for the next block, and a \\r waits for its \\n."""
    monkeypatch.setattr(opening, "BLOCK", 4)
    found = list(blocks_of(io.BytesIO(text)))
    assert b"".join(found) == b"".join(blocks)
    assert all(block.endswith((b"\n", b"\r")) for block in found[:-1])
    assert not any(block.endswith(b"\r") and after.startswith(b"\n") for block, after in pairwise(found))


def test_a_line_that_never_ends_is_no_log(monkeypatch):
    monkeypatch.setattr(opening, "BLOCK", 4)
    monkeypatch.setattr(opening, "LONGEST_LINE", 8)
    assert list(blocks_of(io.BytesIO(b"x" * 12))) == [b"x" * 12]
    with pytest.raises(InvalidInput, match="is no log: it has no lines"):
        list(blocks_of(io.BytesIO(b"x" * 13)))


def test_the_head_of_a_file_is_as_long_as_it_should_be(monkeypatch, tmp_path):
    (tmp_path / "log").write_bytes(bytes(range(100)))
    monkeypatch.setattr(opening, "HEAD", 10)
    assert head_of(tmp_path / "log") == bytes(range(10))
