"""Whether a file is a spec file or a log: by its ending, else by what it begins with, else by what is said of it."""

import gzip
from pathlib import Path

import pytest

from msj import InvalidInput, System, Trace, simulate
from msj.logs.formats import is_log
from msj.logs.spec_or_log import refuse_log, system_or_trace
from msj.options import ReadOptions

SPEC, LOG = Path("examples/two_servers.toml"), Path("examples/logs/small_cluster.swf")
TABLE = "when,cpus_asked,took\n0,2,10\n5,1,20\n9,3,30\n"
COLUMNS = ReadOptions(columns="submit=when,need=cpus_asked,run=took", servers=4)


@pytest.mark.parametrize(
    ("name", "text", "known"),
    [
        ("a.csv", "x", True),
        ("a.TSV", "x", True),
        ("none.parquet", None, True),
        ("a.toml", "; MaxProcs: 4", False),
        ("a.json", "x", False),
        ("spec.txt", SPEC.read_text(), False),
        ("spec", "# a comment\n\n[[classes]]\n", False),
        ("spec.cfg", '{"servers": 2, "classes": []}', False),
        ("a.txt", "nothing like it", False),
        ("a.log", LOG.read_text()[:2000], True),
        ("a.txt", TABLE, True),
        ("empty.txt", "", False),
        ("none.txt", None, False),
    ],
)
def test_a_file_is_a_log_by_its_ending_or_by_its_beginning(tmp_path, name, text, known):
    if text is not None:
        (tmp_path / name).write_text(text)
    assert is_log(tmp_path / name) is known


def test_compressed_tables_are_logs(tmp_path):
    path = tmp_path / "jobs.csv.gz"
    path.write_bytes(gzip.compress(TABLE.encode()))
    assert is_log(path)
    assert len(system_or_trace(path, COLUMNS)) == 3


def test_a_format_or_columns_make_any_file_a_log(tmp_path):
    path = tmp_path / "jobs.odd"
    path.write_text("nothing like a log")
    assert not is_log(path)
    assert is_log(path, ReadOptions(format="swf"))
    assert is_log(path, COLUMNS)


def test_a_file_is_read_as_what_it_is(tmp_path):
    assert isinstance(system_or_trace(SPEC), System)
    trace = system_or_trace(LOG)
    assert isinstance(trace, Trace)
    assert system_or_trace(trace, ReadOptions(servers=64)).servers == 64
    (tmp_path / "spec.txt").write_text(SPEC.read_text())
    assert system_or_trace(tmp_path / "spec.txt") == system_or_trace(SPEC)


@pytest.mark.parametrize(
    ("options", "flag"), [({"servers": 4}, "--servers"), ({"from_time": 0}, "--from"), ({"strict": True}, "--strict")]
)
def test_options_for_logs_are_refused_with_a_spec_file(options, flag):
    with pytest.raises(InvalidInput, match=f"{flag} is for logs, and this is a spec file"):
        system_or_trace(SPEC, ReadOptions(**options))


def test_a_log_is_no_description_of_a_cluster():
    with pytest.raises(InvalidInput, match=r"small_cluster.swf: is a log, .* msj fit makes a description of it"):
        simulate(LOG)
    refuse_log(SPEC)
