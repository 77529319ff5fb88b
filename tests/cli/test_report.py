"""``msj report``."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from terminal import hear_interrupts

EXAMPLE = Path("examples/two_servers.toml").resolve()

QUICK = ("--precision", "0.3", "--seed", "1", "--policies", "first-fit", "--seconds", "500")


@pytest.fixture(autouse=True)
def fewer_points(monkeypatch):
    monkeypatch.setattr("msj.reports.response.SIMULATED_AT", (0.5,))
    monkeypatch.setattr("msj.reports.outlook.TIMES", (1, 2))


def test_text_and_page(run, tmp_path):
    code, out, err = run("report", EXAMPLE, *QUICK, "--out", tmp_path / "new" / "folder")
    assert code == 0
    assert out.startswith("two servers: 2 servers, 2 classes, fcfs, 0.72 jobs per unit of time (load 0.8, as given)")
    assert "10 % of the servers are lost to head-of-line blocking. (exact)" in " ".join(out.split())
    path = tmp_path / "new" / "folder" / "two_servers_report.html"
    assert f"written: {path}" in err
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_json_and_unstable(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, _ = run("report", EXAMPLE, *QUICK, "--arrival-rate", "0.95", "--json")
    assert code == 1
    document = json.loads(out)
    assert document["stable"] is False
    assert document["findings"][0]["sentence"].startswith("More arrives than it takes")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (["--precision", "0"], "precision = 0.0 must be between 0 and 1"),
        (["--seconds", "-1"], "seconds"),
        (["--seed", "-1"], "is no seed"),
        (["--policies", "first-git"], "did you mean 'first-fit'?"),
        (["--load", "a lot"], "is not a number"),
        (["--load", "1", "--utilisation", "1"], "are both given"),
        (["--out", "pyproject.toml"], "--out 'pyproject.toml' cannot be made"),
    ],
)
def test_bad_input(run, flags, sentence, monkeypatch):
    monkeypatch.chdir(EXAMPLE.parents[1])
    code, out, err = run("report", EXAMPLE, *flags)
    assert code == 2
    assert sentence in err
    assert out == ""


def test_interrupt(tmp_path):
    """Ctrl-C ends it cleanly: exit code 130, one line, no page and no traceback."""
    command = [sys.executable, "-m", "msj", "report", str(EXAMPLE), "--precision", "0.005", "--out", str(tmp_path)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ, preexec_fn=hear_interrupts
    )
    time.sleep(4.0)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert err.strip() == "msj: interrupted"
    assert out == ""
    assert list(tmp_path.iterdir()) == []
