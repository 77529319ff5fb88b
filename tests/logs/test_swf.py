"""Standard Workload Format: every line accounted for, numbers read as Python reads them."""

import gzip
import lzma
from pathlib import Path

import numpy as np
import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st
from logs_by_hand import DATA, accounted, counts, swf_slowly, text_of

from msj import InvalidInput, read_log
from msj.logs.formats import format_of
from msj.logs.number_lines import BY_PYTHON, GOOD, read_lines

EXAMPLE = "examples/logs/small_cluster.swf"
JOB = "{} {} 5 60 4 -1 -1 4 120 -1 {} 1 1 -1 1 1 -1 -1"


def log_of(tmp_path, text, name="log.swf"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def assert_as_slowly(path, servers):
    trace = read_log(path)
    jobs, out = swf_slowly(text_of(path), servers)
    assert counts(trace) == out
    assert accounted(trace)
    for place, name in enumerate(("submit", "job", "wait", "run", "need", "estimate")):
        wanted = np.array([job[place] for job in jobs], dtype=float)
        if name in ("wait", "estimate"):
            wanted = np.where(wanted >= (0 if name == "wait" else 1e-300), wanted, np.nan)
        np.testing.assert_array_equal(trace.column(name).astype(float), wanted, err_msg=name)


def test_the_example_is_read_as_slowly():
    assert_as_slowly(EXAMPLE, 32)


REAL = (
    "edge_cases_HANDMADE.swf", "KTH-SP2-1996-2.1-cln.swf.gz", "CTC-SP2-1996-3.1-cln.swf.gz",
    "NASA-iPSC-1993-3.1-cln.swf.gz", "lublin_256.swf.gz",
)  # fmt: skip


@pytest.mark.parametrize("name", REAL)
def test_real_logs_are_read_as_slowly(name):
    if not DATA.exists():
        pytest.skip(f"{DATA} is not here")
    sizes = {"edge": 64, "KTH-": 100, "CTC-": 338, "NASA": 128, "lubl": 256}
    assert_as_slowly(DATA / "swf" / name, sizes[name[:4]])


WRITTEN = (
    st.floats(allow_nan=False, allow_infinity=False).map(repr)
    | st.integers(-(10**25), 10**25).map(str)
    | st.decimals(allow_nan=False, allow_infinity=False, places=5).map(str)
)


@given(st.lists(WRITTEN, min_size=5, max_size=7))
def test_numbers_are_those_that_python_reads(words):
    found = read_lines(" ".join(words).encode() + b"\n", 7, 5, b";")
    assert found.status.tolist() == [GOOD]
    assert found.values[0, : len(words)].tolist() == [float(word) for word in words]


@pytest.mark.parametrize("word", ["1e5", "1E-3", ".5", "5.", "+7", "-0", "00012", "123456789012345678", "0.1", "1e22"])
def test_ways_to_write_a_number(word):
    found = read_lines(f"{word} 2 3 4 5".encode(), 5, 5, b";")
    assert found.values[0, 0] == float(word)
    assert found.status[0] != BY_PYTHON


@pytest.mark.parametrize(
    "word", ["nan", "inf", "1,5", "0x10", "--1", "1e", "e5", "-", "+", ".", "1_0", "1e999", "٣", "1.2.3"]
)
def test_what_is_no_number_makes_a_bad_line(tmp_path, word):
    text = f"; MaxProcs: 8\n{JOB.format(1, 0, 1)}\n2 {word} 0 60 4\n"
    trace = read_log(log_of(tmp_path, text))
    assert counts(trace) == {"bad-line": 1}
    assert trace.left_out[next(iter(trace.left_out))][1] == (3,)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_of_every_system(tmp_path, end):
    lines = ["; MaxProcs: 8", JOB.format(1, 0, 1), "", "; a remark", JOB.format(2, 9, 1), "bad", JOB.format(3, 9, 1)]
    trace = read_log(log_of(tmp_path, end.join(lines)))
    assert trace.column("line").tolist() == [2, 5, 7]
    assert trace.left_out[next(iter(trace.left_out))] == (1, (6,))


def test_remarks_and_empty_lines_do_not_speak_against_a_log(tmp_path):
    """No header, and more remarks and empty lines than jobs: what it is, its jobs alone tell."""
    path = log_of(tmp_path, "".join(f"; a remark\n\n; another\n{JOB.format(i, i, 1)}\n" for i in range(1, 6)))
    assert format_of(path) == "swf"
    assert read_log(path).column("job").tolist() == [1, 2, 3, 4, 5]
    assert format_of(log_of(tmp_path, "; a remark\n\n; another\n")) is None  # nothing to tell by


def test_compressed_logs_are_the_same_log(tmp_path):
    content = Path(EXAMPLE).read_bytes()
    packed = {
        "gz": gzip.compress(content),
        "xz": lzma.compress(content),
        "zst": pyarrow.compress(content, "zstd", asbytes=True),
    }
    plain = read_log(EXAMPLE)
    for name, text in packed.items():
        trace = read_log(log_of(tmp_path, text, f"log.swf.{name}"))
        assert trace.frame.equals(plain.frame), name
        assert trace.left_out == plain.left_out
        with pytest.raises(InvalidInput, match="compression is damaged"):
            read_log(log_of(tmp_path, text[: len(text) // 2], f"half.swf.{name}"))


def test_logs_larger_than_a_block_are_read_whole(tmp_path, monkeypatch):
    plain = read_log(EXAMPLE)
    monkeypatch.setattr("msj.logs.opening.BLOCK", 1000)
    trace = read_log(EXAMPLE)
    assert trace.frame.equals(plain.frame)
    assert trace.left_out == plain.left_out
    text = Path(EXAMPLE).read_bytes().replace(b"\n", b"\r\n")
    assert read_log(log_of(tmp_path, text)).frame.equals(plain.frame)


def test_the_machine_is_as_large_as_the_header_says(tmp_path):
    job = "\n" + JOB.format(1, 0, 1)
    for header, servers in [
        ("; MaxProcs: 64\n; MaxNodes: 16", 64), ("; MaxNodes: 338 (batch partition; 512 total)", 338),
        (";MaxNodes: 8", 8),
        ("; MaxProcs: -1\n; MaxNodes: 12", 12), ("; Information: http://a/MaxProcs: 5\n; Note: MaxProcs: 7", None),
        ("; MaxProcs: UNKNOWN", None), (";\n;   MaxProcs:   9  ", 9),
    ]:  # fmt: skip
        assert read_log(log_of(tmp_path, header + job)).servers == servers, header
    assert read_log(log_of(tmp_path, "; MaxProcs: 64" + job), servers=4).servers == 4


def test_epoch_submissions_with_a_start_of_0_are_dated(tmp_path):
    trace = read_log(log_of(tmp_path, "; UnixStartTime: 0\n; MaxProcs: 8\n" + JOB.format(1, 1_700_000_000, 1)))
    assert trace.begins == 0
    assert read_log(log_of(tmp_path, "; UnixStartTime: 0\n" + JOB.format(1, 5, 1))).begins is None
    assert read_log(log_of(tmp_path, "; UnixStartTime: UNKNOWN\n" + JOB.format(1, 5, 1))).begins is None


def test_pieces_without_a_line_of_their_own_are_one_job(tmp_path):
    text = "\n".join(JOB.format(7, 0, status) for status in (2, 2, 3)) + "\n" + JOB.format(8, 1, 1)
    trace = read_log(log_of(tmp_path, text))
    assert trace.column("run").tolist() == [180.0, 60.0]
    assert counts(trace) == {"piece": 2}
    assert "joined" in trace.notes[0]


def test_a_failed_or_cancelled_job_that_ran_counts(tmp_path):
    text = "\n".join(JOB.format(i, i, status) for i, status in enumerate((0, 1, 5, -1)))
    assert len(read_log(log_of(tmp_path, text))) == 4


def test_strict_refuses_a_bad_line_and_names_it(tmp_path):
    path = log_of(tmp_path, JOB.format(1, 0, 1) + "\n1 2 3\n4 5\n")
    assert len(read_log(path)) == 1
    with pytest.raises(InvalidInput, match=r"log.swf: line 2 has 3 of at least 5 fields: '1 2 3', and 1 lines? more"):
        read_log(path, strict=True)


def test_jobs_submitted_together_stand_in_order_of_their_number(tmp_path):
    text = "\n".join(JOB.format(job, submit, 1) for job, submit in ((9, 5), (3, 5), (4, 0), (1, 5)))
    assert read_log(log_of(tmp_path, text)).column("job").tolist() == [4, 1, 3, 9]
