"""``msj explore`` itself: one address, a warning where others may ask, an end by Ctrl-C or idleness."""

import os
import signal
import subprocess
import sys
import time

import httpx
import pytest
from click.testing import CliRunner

pytest.importorskip("uvicorn", reason="msj[web] is not installed: msj explore is not started")


def start(*options, file="examples/two_servers.toml"):
    command = [sys.executable, "-m", "msj", "explore", file, "--no-browser", *options]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}, **pipes)
    return process, process.stdout.readline().strip()


def until_it_answers(address):
    for _ in range(600):
        try:
            return httpx.get(address, timeout=60.0)
        except httpx.TransportError:
            time.sleep(0.1)
    raise AssertionError("nobody answers")


def test_it_prints_an_address_and_ends_with_ctrl_c():
    process, address = start()
    assert address.startswith("http://127.0.0.1:")
    assert until_it_answers(address).status_code == 200
    process.send_signal(signal.SIGINT)
    out, said = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, "")
    assert "Traceback" not in said
    assert "ended" in said


def test_a_log_has_a_page_of_its_own_and_its_options():
    process, address = start("--servers", "40", file="examples/logs/small_cluster.swf")
    assert until_it_answers(address).status_code == 200
    home, token = address.rstrip("/").rsplit("/", 1)
    found = httpx.get(f"{home}/api/catalogue", headers={"authorization": f"Bearer {token}"}).json()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert (found["log"]["jobs"], found["start"]["servers"]) == (2000, 40)
    assert "examples" not in str(found["log"])


def test_options_of_logs_are_refused_for_a_spec_file():
    from msj.cli import msj as command

    found = CliRunner().invoke(command, ["explore", "examples/two_servers.toml", "--no-browser", "--servers", "3"])
    assert found.exit_code == 2
    assert "--servers is for logs" in found.output


def test_it_ends_when_nobody_asks_and_warns_where_others_may():
    process, _ = start("--idle", "0.01", "--host", "0.0.0.0")
    _, said = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "warning: listening at 0.0.0.0" in said


def test_what_is_no_address_or_no_policy_is_refused_in_words():
    from msj.cli import msj as command

    for options in (["--host", "256.1.1.1"], ["--policy", "missing.py:pick"]):
        found = CliRunner().invoke(command, ["explore", "examples/two_servers.toml", "--no-browser", *options])
        assert found.exit_code != 0
        assert "give another" in str(found.exception) or "missing.py" in str(found.exception)
