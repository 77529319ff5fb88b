"""Names cannot steer a terminal or become formulas, and no compressed file can fill memory (L14)."""

import gzip
import json
import lzma
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

import msj
from msj.cli.messages import printable
from msj.logs import opening
from msj.results.records import read_csv, write_csv

EVIL = "\x1b]0;owned\x07\x1b[31mred\x9b2J\u202e\u2066\r"
SPEC = {
    "name": EVIL,
    "servers": 2,
    "load": 0.5,
    "classes": [{"name": EVIL, "need": 1, "share": 1, "duration": {"law": "exponential", "mean": 1}}],
}
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def on_a_terminal(*arguments):
    """What a command writes to a terminal."""
    parent, child = pty.openpty()
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TERM": "xterm"}
    process = subprocess.Popen([sys.executable, "-m", "msj", *arguments], stdout=child, stderr=child, env=env)
    os.close(child)
    found = b""
    while True:
        try:
            more = os.read(parent, 65536)
        except OSError:  # the other end is closed
            break
        if not more:
            break
        found += more
    os.close(parent)
    process.wait(timeout=60)
    return found.decode()


@pytest.fixture
def spec(tmp_path):
    path = tmp_path / "cluster.json"
    path.write_text(json.dumps(SPEC), encoding="utf-8")
    return str(path)


def test_no_name_reaches_a_terminal_as_an_escape(spec):
    text = on_a_terminal("analyse", spec)
    ours = re.sub(r"\x1b\[\d*m", "", text).replace("\r\n", "\n")  # the colours of msj itself
    assert "\\x1b]0;owned\\x07" in ours
    assert not CONTROL.search(ours)
    assert "\\x1b[31mred" in ours  # nor as a colour


@pytest.mark.parametrize("form", [["--json"], ["--csv"]])
def test_programs_get_names_without_control_characters(spec, form):
    line = [sys.executable, "-m", "msj", "analyse", spec, "--exact", *form]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    found = subprocess.run(line, capture_output=True, env=env, check=True).stdout.decode()
    assert not CONTROL.search(found)
    if form == ["--json"]:
        assert json.loads(found)["system"]["name"] == EVIL


@pytest.mark.parametrize("name", ["=cmd|' /C calc'!A0", "+1", "-1+2", "@SUM(A1)", "\t=1", "'=1", "''-2"])
def test_a_name_is_no_formula_in_a_spreadsheet_and_reads_back(name):
    row = msj.Quantity(name="mean_waiting_time", value=-1.5, kind="exact", method="m", job_class=name, low=-2.0)
    text = write_csv([row])
    cells = text.splitlines()[1]
    assert re.search(r"(^|,)\"?'+[=+\-@\t]", cells)
    assert ",-1.5,-2.0," in cells  # numbers stay numbers
    assert read_csv(text) == (row,)


@pytest.mark.parametrize("opener", [gzip.open, lzma.open])
def test_a_small_file_that_holds_far_too_much_is_refused_in_a_sentence(tmp_path, monkeypatch, opener):
    monkeypatch.setattr(opening, "MIN_LIMIT", 1_000_000)
    path = tmp_path / "jobs.swf.gz"
    with opener(path, "wb") as file:
        file.write(b"1 0 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\n" * 200_000)
    with pytest.raises(msj.InvalidInput, match=r"jobs.swf.gz: its [\d,]+ bytes hold more than .* decompress it first"):
        msj.log(path, servers=4)


def test_a_log_that_is_compressed_as_logs_are_is_read(tmp_path):
    text = Path("examples/logs/small_cluster.swf").read_bytes()
    path = tmp_path / "jobs.swf.gz"
    path.write_bytes(gzip.compress(text))
    assert len(msj.log(path).trace) == 2000


def test_what_can_be_seen_stays_as_it_is():
    text = "größe\tµ – ✓ 漢字 🙂\n"
    assert printable(text) == text
