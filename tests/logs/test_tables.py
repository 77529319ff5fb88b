"""CSV and Parquet: columns by map, preset or name; units; what cannot be read is counted."""

from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
from logs_by_hand import DATA, accounted, counts
from pandas.testing import assert_frame_equal

from msj import InvalidInput, read_log
from msj.registry import LOG_READERS

PLAIN = "id,submit,nodes,seconds,requested\n1,0,1,3600,7200\n2,60,4,1800,3600\n3,120,1,600,900\n"


def log_of(tmp_path, text, name="jobs.csv"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def columns(trace):
    return {name: trace.column(name).tolist() for name in ("submit", "need", "run")}


WANTED = {"submit": [0.0, 60.0, 120.0], "need": [1, 4, 1], "run": [3600.0, 1800.0, 600.0]}


def test_obvious_columns_are_guessed_and_said(tmp_path):
    trace = read_log(log_of(tmp_path, PLAIN))
    assert columns(trace) == WANTED
    assert trace.column("estimate").tolist() == [7200.0, 3600.0, 900.0]
    assert "submit = submit" in trace.notes[0]
    assert trace.servers is None


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_delimiters_and_line_ends(tmp_path, delimiter, end):
    assert columns(read_log(log_of(tmp_path, PLAIN.replace(",", delimiter).replace("\n", end)))) == WANTED


def test_a_column_map_comes_before_any_guess(tmp_path):
    text = "a,b,submit,c\n0,1,9,60\n1,4,9,30\n2,1,9,10\n"
    trace = read_log(log_of(tmp_path, text), columns="submit=a, need=b, run=c", time_unit="min")
    assert columns(trace) == {"submit": [0.0, 60.0, 120.0], "need": [1, 4, 1], "run": [3600.0, 1800.0, 600.0]}
    numbered = read_log(log_of(tmp_path, text), columns={"submit": "1", "need": "2", "run": "4"}, time_unit="min")
    assert columns(numbered) == columns(trace)
    bare = read_log(log_of(tmp_path, text.partition("\n")[2]), columns="submit=1,need=2,run=4", time_unit="min")
    assert columns(bare) == columns(trace)


@pytest.mark.parametrize(("unit", "factor"), [("s", 1), ("ms", 1000), ("min", 1 / 60), ("h", 1 / 3600)])
def test_units_of_time(tmp_path, unit, factor):
    lines = [
        "submit,need,run",
        *(f"{s * factor!r},{n},{r * factor!r}" for s, n, r in zip(*WANTED.values(), strict=True)),
    ]
    trace = read_log(log_of(tmp_path, "\n".join(lines)), time_unit=unit)
    np.testing.assert_allclose(trace.column("run"), WANTED["run"], rtol=1e-12)
    np.testing.assert_allclose(trace.column("submit"), WANTED["submit"], rtol=1e-12)


def test_moments_and_spans_need_no_unit(tmp_path):
    text = (
        "submit_time,start_time,end_time,gpus\n2024-03-01 08:00:00,2024-03-01T08:01:00,2024-03-01 09:01:00,2\n"
        "2024-03-01T08:00:30+00:00,2024-03-01 08:00:30,2024-03-02 08:00:30,1\n"
    )
    trace = read_log(log_of(tmp_path, text), time_unit="h")
    assert columns(trace) == {"submit": [0.0, 30.0], "need": [2, 1], "run": [3600.0, 86400.0]}
    assert trace.column("wait").tolist() == [60.0, 0.0]
    assert trace.begins == datetime.fromisoformat("2024-03-01T08:00:00+00:00").timestamp()
    spans = read_log(log_of(tmp_path, "submit,need,elapsed\n0,1,01:00:00\n5,1,1-00:00:00\n"))
    assert spans.column("run").tolist() == [3600.0, 86400.0]


def test_quotes_hold_delimiters(tmp_path):
    trace = read_log(log_of(tmp_path, 'submit,user,need,run\n0,"a, b",1,10\n1,"c ""d""",2,20\n2,e,3,30\n'))
    assert trace.column("run").tolist() == [10.0, 20.0, 30.0]
    assert accounted(trace)


def test_bad_lines_are_counted_with_their_number(tmp_path):
    text = "submit,need,run\n0,1,10\n1,2\nx,1,5\n3,1,5,7\n\n4,1.5,5\n5,1,\n6,1,8\n"
    trace = read_log(log_of(tmp_path, text))
    assert accounted(trace)
    assert counts(trace) == {"bad-line": 3, "no-run-time": 1, "no-need": 1}
    assert next(iter(trace.left_out.values()))[1] == (3, 4, 5)
    assert trace.column("line").tolist() == [2, 9]
    with pytest.raises(InvalidInput, match="line 3 has 2 columns, not 3"):
        read_log(log_of(tmp_path, text), strict=True)


@pytest.mark.parametrize(
    ("text", "options", "sentence"),
    [
        ("a,b\n1,2\n", {}, "no column for submit and need and run among a, b; name them: --columns submit=COLUMN"),
        (PLAIN, {"columns": "submit=sumbit"}, "there is no column 'sumbit' for submit; did you mean 'submit'"),
        (PLAIN, {"columns": "when=submit"}, "'when' is no part of a job"),
        (PLAIN, {"columns": "submit"}, "'submit' names no column; write submit=submit_time"),
        (PLAIN, {"time_unit": "hors"}, "time_unit = 'hors' is no unit of time that msj knows; did you mean 'hours'"),
        (PLAIN, {"format": "excel"}, "unknown log format 'excel'"),
        (PLAIN, {"servers": 0}, "servers = 0 must be at least 1"),
        ("1,2,3\n4,5,6\n", {"format": "csv"}, "has no header; number its columns"),
        ("a,a\n4,5\n", {}, "has two columns 'a'"),
        ("submit,need,run\n", {}, "has no job"),
    ],
)
def test_what_is_wrong_is_said(tmp_path, text, options, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        read_log(log_of(tmp_path, text), **options)


def test_parquet_has_types(tmp_path):
    begin = datetime(2024, 3, 1, 8)
    table = {
        "submit": pyarrow.array([begin, begin + timedelta(seconds=60)], type=pyarrow.timestamp("ns")),
        "duration": pyarrow.array([timedelta(hours=1), timedelta(minutes=5)], type=pyarrow.duration("ms")),
        "num_gpus": pyarrow.array([4, 8], type=pyarrow.int32()),
        "user": pyarrow.array(["a", "b"]).dictionary_encode(),
    }
    pyarrow.parquet.write_table(pyarrow.table(table), tmp_path / "jobs.bin")
    trace = read_log(tmp_path / "jobs.bin", time_unit="min")
    assert trace.format == "parquet"
    assert columns(trace) == {"submit": [0.0, 60.0], "need": [4, 8], "run": [3600.0, 300.0]}
    assert trace.frame.user.tolist() == ["a", "b"]
    pyarrow.parquet.write_table(
        pyarrow.table({"submit": [0, 1], "need": [1, None], "run": [5, 7]}), tmp_path / "j.parquet"
    )
    assert counts(read_log(tmp_path / "j.parquet")) == {"no-need": 1}
    whole = (tmp_path / "j.parquet").read_bytes()
    with pytest.raises(InvalidInput, match="is no Parquet file that can be read"):
        read_log(log_of(tmp_path, whole[: len(whole) // 2], "half.parquet"))


def test_the_philly_trace_is_known():
    path = DATA / "gpu" / "philly_vc_ee9e8c_muri_trace2.csv"
    if not path.exists():
        pytest.skip(f"{path} is not here")
    trace = read_log(path)
    assert trace.rows == len(trace) == 5755
    assert sorted(set(trace.column("need"))) == [1, 2, 4, 8, 16, 32]
    assert (trace.column("run")[0], trace.column("submit")[1]) == (1453510.0, 27069.0)  # milliseconds in the file
    assert "Philly" in trace.notes[0]


def test_tables_of_classes_are_no_logs():
    for path in sorted((DATA / "borg").glob("*.txt")) or pytest.skip(f"{DATA} is not here"):
        with pytest.raises(InvalidInput, match="no column for submit and need and run"):
            read_log(path)


def test_the_readers_are_a_catalogue():
    assert LOG_READERS.names() == ("csv", "parquet", "sacct", "swf")
    for reader in LOG_READERS:
        assert reader.summary
        assert reader().likeness(b"\x00\x01\x02") == 0.0


@pytest.mark.parametrize("name", ["small_cluster_sacct.txt", "small_cluster.csv"])
def test_tables_larger_than_a_block_are_read_whole(monkeypatch, tmp_path, name):
    path = Path("examples/logs") / name
    options = {"columns": "submit=1,need=2,run=3"} if name.endswith("csv") else {}
    plain = read_log(path, **options)
    wrong = log_of(tmp_path, path.read_bytes().replace(b"\n", b"\r\nbad\r\n", 3), name)
    monkeypatch.setattr("msj.logs.opening.BLOCK", 500)
    assert_frame_equal(read_log(path, **options).frame, plain.frame)
    trace = read_log(wrong, **options)
    assert counts(trace) == counts(plain) | {"bad-line": 3}
    kept = [column for column in plain.frame if column != "line"]
    assert_frame_equal(trace.frame[kept], plain.frame[kept])
