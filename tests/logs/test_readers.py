"""Lines of each format, one rule at a time: which bytes are a number, a column, a job, a piece, a step; likeness."""

import io

import numpy as np
import pyarrow
import pyarrow.compute
import pyarrow.parquet
import pytest

from msj import InvalidInput
from msj.logs import cells
from msj.logs.delimited import Layout, _judged, parts_of
from msj.logs.number_lines import _POWERS, GOOD, NO_NUMBER, TOO_SHORT, _scan, read_lines
from msj.logs.opening import HEAD
from msj.logs.readers.csv import Csv
from msj.logs.readers.parquet import Parquet, _plain
from msj.logs.readers.sacct import Sacct, _put_together, _repair
from msj.logs.readers.sacct import _layout as sacct_layout
from msj.logs.readers.sacct import _reasons as sacct_reasons
from msj.logs.readers.swf import Swf, _begins, _header, _positive
from msj.logs.reason import Reason
from msj.logs.rows import blank
from msj.logs.sacct_columns import choose, need_of
from msj.options import ReadOptions

JOB = "{} {} 5 {} 4 -1 -1 4 120 -1 {} 12 13 -1 15 16 -1 -1"


@pytest.mark.parametrize(
    ("line", "values", "status"),
    [
        (b"1 2 3", [1, 2, 3], GOOD),
        (b"\t 1\t2  3 ", [1, 2, 3], GOOD),
        (b"1 2 3 4 x", [1, 2, 3], GOOD),  # what follows is not looked at
        (b"1 2", [1, 2, np.nan], GOOD),
        (b"1", [1, np.nan, np.nan], TOO_SHORT),
        (b"1 x 3", [1, np.nan, 3], NO_NUMBER),
        (b"x", [np.nan] * 3, NO_NUMBER),
        (b"1 2;3", [1, np.nan, np.nan], NO_NUMBER),  # a remark only at the beginning
        (b"-1 +2 -.5", [-1, 2, -0.5], GOOD),
        (b"1 - 3", [1, np.nan, 3], NO_NUMBER),
        (b"1e3 2E-1 3", [1000, 0.2, 3], GOOD),
        (b"x 1e3", [np.nan, np.nan, np.nan], NO_NUMBER),
        (b"1e3 x", [np.nan, np.nan, np.nan], NO_NUMBER),
        (b"1 1e999", [1, np.inf, np.nan], NO_NUMBER),
        (b"0.00000000000000000000001 1 1", [1e-23, 1, 1], GOOD),
        (b"123456789.123456 1234567890123456 1", [123456789.123456, 1234567890123456, 1], GOOD),
        (b"12345678901234567890 1 1", [12345678901234567890, 1, 1], GOOD),
        (b"100/ 1 1", [np.nan, 1, 1], NO_NUMBER),  # the bytes on either side of the digits are none
        (b"100: 1 1", [np.nan, 1, 1], NO_NUMBER),
        (b"0990 1 1", [990, 1, 1], GOOD),
    ],
)  # fmt: skip
def test_numbers_of_a_line(line, values, status):
    for end in (b"", b"\n", b"\r"):
        found = read_lines(line + end, 3, 2, b";")
        assert found.status.tolist() == [status]
        np.testing.assert_equal(found.values[0], values) if status == GOOD else None
        assert found.place.tolist() == [[0, len(line)]]
        assert found.lines == 1


def test_lines_are_numbered_whatever_ends_them():
    found = read_lines(b"; x\n1 2\r\n\r\n \t\n3 4\r;5 6\n\n7 8\r\r9 9", 2, 1, b";")
    assert found.line.tolist() == [1, 4, 7, 9]
    assert found.values.tolist() == [[1, 2], [3, 4], [7, 8], [9, 9]]
    assert found.lines == 10
    assert read_lines(b"", 2, 1, b";").lines == 0


def read(reader, tmp_path, text, **options):
    path = tmp_path / "log"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return reader().read(path, ReadOptions(**options))


def test_fields_of_a_workload_file(tmp_path):
    text = (
        "1 10 5 60 4 -1 -1 8 120 -1 1 12 13 -1 15 16 -1 -1\n"
        "2 11 -1 -1 -1 -1 -1 8 -1 -1 0 -1 -1 -1 -1 -1 -1 -1\n"  # the processors that were asked for
        "3 12 0 0 0 -1 -1 0 0 -1 5 0 0 -1 0 0 -1 -1\n"
        "4 -2 5 60 2.5 -1 -1 3 120\n"
        "5 13 5 60 9007199254740991 -1 -1 8 120\n"
        "9007199254740992 13 5 60 9007199254740992 -1 -1 8 120\n"
        "6 13 5\n"
        "7 13 5 60 4 -1 -1 -1 -1 -1 1 2147483647 2147483648 -1 1 1\n"
    )
    found = read(Swf, tmp_path, text)
    columns = found.columns
    nan = np.nan
    np.testing.assert_equal(columns["line"], [1, 2, 3, 4, 5, 6, 7, 8])
    np.testing.assert_equal(columns["job"], [1, 2, 3, 4, 5, -1, -1, 7])
    np.testing.assert_equal(columns["submit"], [10, 11, 12, nan, 13, 13, nan, 13])
    np.testing.assert_equal(columns["wait"], [5, nan, 0, 5, 5, 5, nan, 5])
    np.testing.assert_equal(columns["run"], [60, nan, 0, 60, 60, 60, nan, 60])
    np.testing.assert_equal(columns["need"], [4, 8, 0, 0, 2**53 - 1, 0, 0, 4])
    np.testing.assert_equal(columns["estimate"], [120, nan, nan, 120, 120, 120, nan, nan])
    np.testing.assert_equal(columns["reason"], [0, 0, 0, 0, 0, 0, 1, 0])
    np.testing.assert_equal(columns["status"], [1, 0, 5, -1, -1, -1, -1, 1])
    np.testing.assert_equal(columns["user"], [12, -1, 0, -1, -1, -1, -1, 2**31 - 1])
    np.testing.assert_equal(columns["group"], [13, -1, 0, -1, -1, -1, -1, -1])
    np.testing.assert_equal(columns["queue"], [15, -1, 0, -1, -1, -1, -1, 1])
    np.testing.assert_equal(columns["partition"], [16, -1, 0, -1, -1, -1, -1, 1])
    assert found.bad == ((7, "has 3 of at least 5 fields: '6 13 5'"),)
    assert found.in_order_of == "job"
    ones = read(Swf, tmp_path, "1 0 0 9 1 -1 -1 8 9\n2 0 0 9 -1 -1 -1 1 9\n3 0 0 9 0 -1 -1 6 9\n")
    assert ones.columns["need"].tolist() == [1, 1, 6]
    assert len(read(Swf, tmp_path, b"").columns["line"]) == 0


def test_five_bad_lines_are_described_over_all_blocks(monkeypatch, tmp_path):
    monkeypatch.setattr("msj.logs.opening.BLOCK", 12)
    found = read(Swf, tmp_path, "1 2 3 4 5\n" + "a b\n" * 7 + "x" * 50 + "\n")
    assert [line for line, _ in found.bad] == [2, 3, 4, 5, 6]
    assert {words for _, words in found.bad} == {"has something that is no number: 'a b'"}
    assert found.columns["line"].tolist() == list(range(1, 10))
    assert read(Swf, tmp_path, "y" * 50).bad == ((1, f"has something that is no number: '{'y' * 40}'"),)


def test_pieces_of_jobs(tmp_path):
    """Job 1 has a line of its own and two pieces; job 2 has only pieces: 30 + 50 s on 4 processors at most."""
    lines = [
        JOB.format(1, 0, 30, 2), JOB.format(1, 0, 50, 3), JOB.format(1, 0, 80, 1), JOB.format(2, 5, 30, 2),
        JOB.format(2, 5, -1, 2), JOB.format(2, 5, 50, 4).replace(" 50 4 ", " 50 3 "), JOB.format(3, 9, 7, 2),
        JOB.format(4, 9, 7, 5), JOB.format(4, 9, 8, 1),
    ]  # fmt: skip
    found = read(Swf, tmp_path, "\n".join(lines))
    assert found.columns["reason"].tolist() == [3, 3, 0, 0, 3, 3, 0, 0, 0]
    assert found.columns["run"].tolist()[2:4] == [80.0, 80.0]
    assert found.columns["need"].tolist()[3] == 4
    assert found.notes == ("Pieces of jobs without a line of their own were joined.",)
    assert read(Swf, tmp_path, "\n".join(lines[:3])).notes == ()
    assert read(Swf, tmp_path, lines[2]).notes == ()


def test_what_a_header_says():
    said = _header(b"; A: 1\n\n ; B:  two \n; A: 3\n;; C: 4\n1 2 3\n; D: 5\n")
    assert said == {"A": "1", "B": "two"}
    assert [_positive(text) for text in (None, "", "0", "-4", "12 of 16", "1.9", "9007199254740992")] == [
        None, None, None, None, 12, 1, None,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("said", "submit", "begins"),
    [
        ({"UnixStartTime": "1000"}, 5, 1000.0),
        ({"UnixStartTime": "1000", "TimeZone": "3600"}, 5, 4600.0),
        ({"UnixStartTime": "1000", "TimeZone": "-3600"}, 5, -2600.0),
        ({"UnixStartTime": "1000", "TimeZone": "Europe"}, 5, 1000.0),
        ({"UnixStartTime": "-1"}, 5, None),
        ({"UnixStartTime": "0"}, 1e8, None),
        ({"UnixStartTime": "0"}, 1.1e8, 0.0),
        ({"UnixStartTime": "1"}, 5, 1.0),
        ({}, 1e9, None),
    ],
)
def test_when_a_workload_file_begins(said, submit, begins):
    assert _begins(said, np.array([0.0, submit])) == begins


@pytest.mark.parametrize(
    ("reader", "head", "likeness"),
    [
        (Swf, b"; A: 1\n", 0.6),
        (Swf, b"; a remark\n", 0.0),
        (Swf, b"; A: 1\n1 2 3 4 5\nx\n", 0.75),
        (Swf, b"1 2 3 4 5\n1 2 3 4 5\n", 0.7),
        (Swf, b"a b\n1 2 3 4 5\n", 0.15),
        (Swf, b"1 2 3 4\n", 0.0),
        (Swf, b"1 2 3 4 5\n\0", 0.0),
        (Csv, b"a,b\n1,2\n3,4\n", 0.5),
        (Csv, b"a,b\n1\n2\n3\n", 0.1),
        (Csv, b"a,b\n1,2\n3\n4\n5,6\n", 0.1),  # two of four, the last of five may be cut
        (Csv, b"a,b\n1,2\n3\n", 0.5),
        (Csv, b",a\n1,2\n", 0.0),
        (Csv, b"a b\n", 0.0),
        (Csv, b"a,b\n\0", 0.0),
        (Csv, b"", 0.0),
        (Sacct, b"JobID|Submit|State\n", 0.95),
        (Sacct, b"JobID|Submit|x\n", 0.0),
        (Sacct, b"JobID|Submit\n", 0.95),
        (Sacct, b"Job|Submit|State\n", 0.0),
        (Sacct, b"JobIDRaw%20|Submit|State\n", 0.95),
        (Sacct, b"JobID|Submit|State\n\0", 0.0),
        (Parquet, b"PAR1...", 1.0),
        (Parquet, b"PAR2...", 0.0),
    ],
)
def test_how_much_a_file_looks_like_a_format(reader, head, likeness):
    assert reader().likeness(head) == pytest.approx(likeness)


def test_a_line_that_is_cut_does_not_speak_against_a_workload_file():
    lines = b"1 2 3 4 5\n" * (HEAD // 10 + 1)
    assert Swf().likeness(lines[:HEAD]) == pytest.approx(0.7)
    assert Swf().likeness(lines[: HEAD - 1]) < 0.7  # the whole file: its last line has four numbers and a half


LAYOUT = Layout(delimiter=",", names=("a", "b", "c"), has_header=True, quoted=True)


def parts(text, layout=LAYOUT, wanted=("c", "a"), repair=None):
    found = list(parts_of(io.BytesIO(text), layout, list(wanted), repair))
    rows = [tuple(row.values()) for part in found for row in part.table.to_pylist()]
    return rows, [int(n) for part in found for n in part.line], [bad for part in found for bad in part.bad]


def test_lines_are_rows_or_bad():
    text = b'\na,b,c\n1,2,3\n4,5\n\n  \n"6,5",7,8\n9,10,11\r\n12,13,14,15\n16,,\n17,18,"19\n'
    rows, lines, bad = parts(text)
    assert rows == [(b"3", b"1"), (b"8", b"6 5"), (b"11", b"9"), (b"", b"16"), (b"19", b"17")]
    assert lines == [3, 7, 8, 10, 11]
    assert bad == [(4, "has 2 columns, not 3: '4,5'"), (9, "has 4 columns, not 3: '12,13,14,15'")]


def test_lines_without_a_header_or_quotes():
    bare = Layout(delimiter=",", names=("a", "b", "c"), has_header=False, quoted=False)
    assert parts(b'1,2,"3\n4,5,6', bare) == ([(b'"3', b"1"), (b"6", b"4")], [1, 2], [])
    assert parts(b'"1,2",3,4\n', bare)[2] == [(1, "has 4 columns, not 3: '\"1,2\",3,4'")]
    assert parts(b"x\n", bare) == ([], [], [(1, "has 1 columns, not 3: 'x'")])
    assert parts(f"{'x' * 41}\n".encode(), bare)[2][0][1].endswith(f"'{'x' * 40}'")
    mended = parts(b"1,2,3\n1,2,3,4\n5,6,7\n", bare, repair=lambda cells: [*cells[:2], "z"])
    assert mended == ([(b"3", b"1"), (b"z", b"1"), (b"7", b"5")], [1, 2, 3], [])
    assert parts(b"1,2,3,4\n", bare, repair=lambda _: None)[2][0][0] == 1


def test_lines_of_later_blocks_go_on_counting(monkeypatch):
    monkeypatch.setattr("msj.logs.opening.BLOCK", 8)
    rows, lines, bad = parts(b"a,b,c\n1,2,3\n4,5\n6,7,8\n9,1,2\n")
    assert rows == [(b"3", b"1"), (b"8", b"6"), (b"2", b"9")]
    assert (lines, [line for line, _ in bad]) == ([2, 4, 5], [3])


def test_where_lines_begin_and_end():
    starts, ends, good, doubtful = _judged(b'a,b,c\n\n1,2\n"x",2,3\n4,5,6', LAYOUT, header=False)
    assert (starts.tolist(), ends.tolist()) == ([0, 6, 7, 11, 19], [5, 6, 10, 18, 24])
    assert good.tolist() == [True, False, False, False, True]
    assert doubtful.tolist() == [False, False, True, True, False]


def test_a_table_says_which_of_its_lines_cannot_be_read(tmp_path):
    text = "submit,need,run\n1,2,3\n" + "1,2\n" * 3 + "x,2,3\n" * 4
    found = read(Csv, tmp_path, text)
    assert [line for line, _ in found.bad] == [3, 4, 5, 6, 7]
    assert found.bad[4][1] == "has something that cannot be read as a time or a number"
    assert found.columns["reason"].tolist() == [0] + [1] * 7
    assert [line for line, _ in read(Csv, tmp_path, "submit,need,run\n" + "1,2\n" * 9).bad] == [2, 3, 4, 5, 6]


def test_tables_are_laid_out_by_their_first_line(tmp_path):
    assert read(Csv, tmp_path, "\n\nsubmit;need;run\n1;2;3\n").columns["run"].tolist() == [3.0]
    numbered = read(Csv, tmp_path, "5,6,7\n1,2,3\n", columns="submit=1,need=2,run=3")
    assert numbered.columns["submit"].tolist() == [5.0, 1.0]
    with pytest.raises(InvalidInput, match="has no header"):
        read(Csv, tmp_path, "5,6,7\n1,2,3\n", columns="submit=1,need=b,run=3")
    with pytest.raises(InvalidInput, match="is no table: its first line is 'abc'"):
        read(Csv, tmp_path, "abc\n")
    one_name = read(Csv, tmp_path, "5,need,7\n1,2,3\n", columns="submit=1,run=3")
    assert one_name.columns["need"].tolist() == [2]
    nameless = read(Csv, tmp_path, "submit,need,run,,\n1,2,3,,\n")
    assert nameless.columns["run"].tolist() == [3.0]


@pytest.mark.parametrize(
    ("column", "seconds"),
    [
        (pyarrow.array([1500, None], pyarrow.timestamp("ms")), [1.5, None]),
        (pyarrow.array([3], pyarrow.timestamp("s")), [3.0]),
        (pyarrow.array([2500], pyarrow.duration("ms")), [2.5]),
        (pyarrow.array([2], pyarrow.date32()), [172800.0]),
        (pyarrow.array([2 * 86400000], pyarrow.date64()), [172800.0]),
    ],
)
def test_typed_times_are_seconds_whatever_the_unit_of_plain_ones(column, seconds):
    for unit in (1.0, 60.0):
        found = _plain(column, unit).to_pylist()
        assert [None if value is None else value * unit for value in found] == pytest.approx(seconds)


def test_columns_that_are_no_times_stay(tmp_path):
    assert _plain(pyarrow.array(["a", "b", "a"]).dictionary_encode(), 60.0).to_pylist() == ["a", "b", "a"]
    assert _plain(pyarrow.array([4, 5]), 60.0).to_pylist() == [4, 5]
    with pytest.raises(InvalidInput, match="has lists or tables in a column"):
        _plain(pyarrow.array([[4], [5]]), 60.0)
    table = pyarrow.table({"submit": ["0", *["x"] * 6], "need": [1] * 7, "run": [5] * 7})
    pyarrow.parquet.write_table(table, tmp_path / "a.parquet")
    found = Parquet().read(tmp_path / "a.parquet", ReadOptions())
    assert found.columns["line"].tolist() == [1, 2, 3, 4, 5, 6, 7]
    assert [line for line, _ in found.bad] == [2, 3, 4, 5, 6]


def test_layouts_of_sacct():
    found = sacct_layout(b"\n\nJobID%30|Submit|State|\n", ReadOptions(), asked=False)
    assert found == Layout(delimiter="|", names=("JobID", "Submit", "State", "column 4"), has_header=True, quoted=False)
    columns = ReadOptions(columns="submit=2,run=3,need=1")
    assert sacct_layout(b"1|2|3\n", columns, asked=True).names == ("1", "2", "3")
    assert sacct_layout(b"1|2|3\n", columns, asked=False) is None
    for text, options in ((b"1\n", columns), (b"1|2|3\n", ReadOptions()), (b"1|2|3\n", ReadOptions(columns="run=x"))):
        with pytest.raises(InvalidInput, match="columns are not those of a known request"):
            sacct_layout(text, options, asked=True)


def xdmod(submit="2024-03-01T08:00:00", elapsed="01:00:00"):
    cells_of = [str(i) for i in range(26)]
    cells_of[10], cells_of[14] = submit, elapsed
    return "|".join(cells_of).encode()


def test_a_request_without_a_header_is_known_by_its_times():
    found = sacct_layout(xdmod(), ReadOptions(), asked=False)
    assert (len(found.names), found.names[10], found.names[25], found.has_header) == (26, "Submit", "JobName", False)
    assert Sacct().likeness(xdmod()) == 0.8
    with_end = sacct_layout(xdmod() + b"|", ReadOptions(), asked=False)
    assert (len(with_end.names), with_end.names[26]) == (27, "")
    assert sacct_layout(xdmod() + b"|x", ReadOptions(), asked=False) is None
    assert sacct_layout(xdmod(submit="x"), ReadOptions(), asked=False) is None
    assert sacct_layout(xdmod(elapsed="x"), ReadOptions(), asked=False) is None


def test_names_with_bars_are_mended_where_times_fit():
    names = ("JobID", "JobName", "Submit", "Elapsed", "State")
    repair = _repair(Layout(delimiter="|", names=names, has_header=True, quoted=False))
    rest = ["2024-03-01T08:00:00", "01:00", "X"]
    assert repair(["1", "a", "b", "c", *rest]) == ["1", "a b c", *rest]
    assert repair(["1", "a", *rest]) is None
    assert repair(["1", *rest]) is None
    assert repair(["1", "a", *rest, "more"]) is None  # the bar is elsewhere: the times would be wrong
    no_times = _repair(Layout(delimiter="|", names=("JobID", "JobName", "State"), has_header=True, quoted=False))
    assert no_times(["1", "a", "b", "c"]) is None


def test_columns_of_sacct_by_name_number_and_rank():
    names = (
        "JobID",
        "Submit",
        "Elapsed",
        "ElapsedRaw",
        "Timelimit",
        "Start",
        "ReqCPUS",
        "NCPUS",
        "NNodes",
        "AllocTRES",
    )
    found = choose(names, ReadOptions())
    assert found.columns == {
        "job": "JobID", "submit": "Submit", "start": "Start", "run": "ElapsedRaw", "estimate": "Timelimit",
    }  # fmt: skip
    assert (found.need, found.resources, found.resource) == (("NCPUS", "ReqCPUS"), ("AllocTRES",), "cpu")
    assert (found.run_unit, found.estimate_unit) == (1.0, 1.0)
    assert found.notes == ("A server is one of the cpus; --servers-are cpus, nodes or gpus says otherwise.",)
    options = ReadOptions(columns="run=3,need=9,estimate=timelimit", time_unit="min", servers_are="nodes")
    found = choose(names, options)
    assert (found.columns["run"], found.need, found.resources, found.notes) == ("Elapsed", ("NNodes",), (), ())
    assert found.run_unit == 60.0
    assert found.wanted() == ["Elapsed", "Timelimit", "JobID", "Submit", "Start", "NNodes"]
    assert choose((*names, "TimelimitRaw"), ReadOptions()).estimate_unit == 60.0
    assert choose(("JobID", "Submit", "Elapsed", "ReqNodes"), ReadOptions()).need == ("ReqNodes",)
    assert choose(("JobID", "Submit", "Elapsed", "AllocTRES"), ReadOptions()).resource == "cpu"
    for number in ("0", "11"):
        with pytest.raises(InvalidInput, match=f"there is no column '{number}' for run"):
            choose(names, ReadOptions(columns=f"run={number}"))
    assert choose(names, ReadOptions(columns="user=10")).columns["user"] == "AllocTRES"


def test_jobs_of_sacct_wait_from_when_the_user_says():
    names = ("JobID", "Eligible", "Elapsed", "NCPUS")
    assert "eligible" in choose(names, ReadOptions()).columns
    assert choose(names, ReadOptions()).notes[0].startswith("Jobs wait from when they were eligible")
    with_submit = choose(("Submit", *names), ReadOptions(wait_from="submit"))
    assert "eligible" not in with_submit.columns
    assert not any("eligible" in note for note in with_submit.notes)
    with pytest.raises(InvalidInput, match="no column for submit among"):
        choose(names, ReadOptions(wait_from="submit"))
    with pytest.raises(InvalidInput, match="no column for run among"):
        choose(("JobID", "Submit", "Start", "NCPUS"), ReadOptions())
    assert "run" not in choose(("JobID", "Submit", "End", "NCPUS"), ReadOptions()).columns


def test_the_first_column_that_says_something_counts_servers():
    """4 of the first, and 1; 0 and none there: 5 of the second, and 1; nothing anywhere: 7 of the list."""

    def column(*texts):
        return pyarrow.array([text.encode() for text in texts], pyarrow.binary())

    table = pyarrow.table(
        {
            "NCPUS": column("4", "0", "", "x", "1", "0"), "ReqCPUS": column("9", "5", "5", "0", "6", "1"),
            "AllocTRES": column("cpu=8", "cpu=8", "cpu=8", "cpu=7,node=2", "cpu=3", "cpu=3"),
        }
    )  # fmt: skip
    found = choose(("JobID", "Submit", "Elapsed", "NCPUS", "ReqCPUS", "AllocTRES"), ReadOptions())
    need, allocated = need_of(table, found, 6)
    assert need.tolist() == [4, 5, 5, 7, 1, 1]
    np.testing.assert_equal(allocated, [4.0, 0.0, np.nan, np.nan, 1.0, 0.0])


def reasons(cases, states=True):
    run, start, end, allocated, words, unread, steps = zip(*cases, strict=True)
    state = cells.texts(pyarrow.array(words)) if states else None
    floats = (np.array(values, dtype=float) for values in (start, end, allocated))
    bools = (np.array(values, dtype=bool) for values in (unread, steps))
    return sacct_reasons({"run": np.array(run, dtype=float)}, *(next(floats) for _ in range(3)), state, *bools).tolist()


def test_why_rows_of_sacct_are_no_jobs():
    nan = np.nan
    never, running, step, bad = (
        reason.code for reason in (Reason.NEVER_RAN, Reason.STILL_RUNNING, Reason.STEP, Reason.BAD_LINE)
    )
    cases = [  # run, start, end, allocated, state, unread, step; code
        ((5, 1, 6, 2, "COMPLETED", 0, 0), 0),
        ((5, 1, 6, 2, "Suspended", 0, 0), running),
        ((5, 1, nan, 2, "COMPLETED", 0, 0), 0),
        ((5, 1, nan, 2, "", 0, 0), running),
        ((0, 1, 1, 2, "COMPLETED", 0, 0), 0),  # no run time, which is found later
        ((0, 1, 1, 2, "CANCELLED by 5", 0, 0), never),
        ((5, 1, 6, 2, "CANCELLED by 5", 0, 0), 0),
        ((0, 1, 1, 0, "COMPLETED", 0, 0), never),
        ((0, nan, 1, 2, "FAILED", 0, 0), never),
        ((nan, nan, nan, nan, "PENDING", 0, 0), never),
        ((5, 1, 6, 2, "RUNNING", 0, 1), step),
        ((5, 1, 6, 2, "RUNNING", 1, 0), bad),
    ]
    assert reasons([case for case, _ in cases]) == [code for _, code in cases]
    # A log without starts, or without ends, cannot say who never started, or who still runs.
    no_start = [((0, nan, 1, 2, "FAILED", 0, 0), 0), ((0, nan, 1, 2, "PENDING", 0, 0), never)]
    assert reasons([case for case, _ in no_start]) == [code for _, code in no_start]
    no_end = [((5, 1, nan, 2, "", 0, 0), 0), ((5, 1, nan, 2, "RUNNING", 0, 0), running)]
    assert reasons([case for case, _ in no_end]) == [code for _, code in no_end]
    no_state = [((5, 1, nan, 2, "", 0, 0), running), ((5, 1, 6, 2, "", 0, 0), 0), ((0, nan, nan, 2, "", 0, 0), never)]
    assert reasons([case for case, _ in no_state], states=False) == [code for _, code in no_state]


def test_parts_of_one_job_add_up_and_the_same_row_counts_once():
    """Parts of job 9 are one job on 3 + 5 servers for the longest of their times; submitted later, they are another."""
    columns = blank(8) | {
        "job": np.array(["9+0", "9+1", "9+0", "7", "7", "7", "7", "8+0"], dtype=object),
        "submit": np.array([0.0, 0, 50, 0, 0, 0, 1, 0]),
        "wait": np.array([1.0, 1, 1, 1, 1, 2, 1, 1]),
        "need": np.array([3, 5, 4, 1, 1, 1, 1, 6]),
        "run": np.array([10.0, 20, 30, 1, 1, 1, 1, 9]),
    }
    columns["base"] = np.where([("+" in job) for job in columns["job"]], columns["job"], "")
    assert _put_together(columns) == [
        "The parts of a heterogeneous job are one job whose needs add up.",
        "1 rows stand in the file twice (same id, submission and start).",
    ]
    piece = Reason.PIECE.code
    assert columns["reason"].tolist() == [0, piece, 0, 0, piece, 0, 0, 0]
    assert (columns["need"].tolist()[:3], columns["run"].tolist()[:3]) == ([8, 5, 4], [20.0, 20.0, 30.0])
    assert _put_together(blank(1)) == []


def test_a_dump_of_sacct_as_rows(tmp_path):
    text = (
        "JobID|Submit|Eligible|Start|End|TimelimitRaw|NCPUS|User\n"
        "5|2024-03-01T08:00:00|2024-03-01T08:00:10|2024-03-01T08:00:30|2024-03-01T08:01:30|2|4|a\n"
        "6|2024-03-01T08:00:00|Unknown|2024-03-01T07:59:00|2024-03-01T08:01:30|0|4|b\n"
        "6.0|2024-03-01T08:00:00|Unknown|x|2024-03-01T08:01:30|0|4|b\n"
        + "7|x|Unknown|2024-03-01T07:59:00|2024-03-01T08:01:30|0|4|b\n"
        * 6
    )
    found = read(Sacct, tmp_path, text)
    assert found.columns["reason"].tolist() == [0, 0, Reason.STEP.code] + [Reason.BAD_LINE.code] * 6
    assert found.columns["run"].tolist()[:2] == [60.0, 150.0]
    np.testing.assert_equal(found.columns["estimate"][:2], [120.0, np.nan])
    np.testing.assert_equal(found.columns["submit"][:2], [10.0, 0.0])
    np.testing.assert_equal(found.columns["wait"][:2], [20.0, np.nan])  # the second started before it was submitted
    assert found.columns["user"].tolist()[:2] == ["a", "b"]
    assert [line for line, _ in found.bad] == [5, 6, 7, 8, 9]
    assert "base" not in found.columns
    minutes = read(
        Sacct, tmp_path, "JobID|Submit|x|NCPUS\n1|2024-03-01T08:00:00|5|4\n", columns="run=x", time_unit="min"
    )
    assert minutes.columns["run"].tolist() == [300.0]


@pytest.mark.parametrize("end", ["; a remark", "3 4", "3 4 5", "3 4  ", "-", "1.", "x"])
def test_a_file_may_end_without_an_end_of_its_line(end):
    """As the plain function reads it, which knows where its data end."""
    data = np.frombuffer(f"1 2\n{end}".encode(), dtype=np.uint8)
    room = np.zeros((2, 2)), np.zeros(2, np.int8), np.zeros(2, np.int64), np.zeros((2, 2), np.int64)
    values, status, line, place = room
    rows, _ = _scan.py_func(data, ord(";"), 2, _POWERS, values, status, line, place)
    assert rows == (1 if end.startswith(";") else 2)
    assert values[0].tolist() == [1, 2]
    if end.startswith("3"):
        assert (values[1].tolist(), status[1]) == ([3, 4], GOOD)


@pytest.mark.parametrize(
    "written", ["0.12345678901234567890", "12345678901234567.25", "0.1", "1234567.000000000000125", ".5", "00012"]
)
def test_numbers_of_many_digits_are_those_that_python_reads(written):
    assert read_lines(f"{written} 1\n".encode(), fields=2, least=2, remark=b";").values[0, 0] == float(written)
