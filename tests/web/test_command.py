"""``msj explore`` itself: one address, a warning where others may ask, an end by Ctrl-C or idleness."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

import msj
import trap
from msj.cli import msj as command

pytest.importorskip("uvicorn", reason="msj[web] is not installed: msj explore is not started")


def start(*options, file="examples/two_servers.toml"):
    line = [sys.executable, "-m", "msj", "explore", file, "--no-browser", *options]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen(line, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}, **pipes)
    return process, process.stdout.readline().strip()


def ended(process):
    process.send_signal(signal.SIGINT)
    return process.communicate(timeout=60)


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
    found = CliRunner().invoke(command, ["explore", "examples/two_servers.toml", "--no-browser", "--servers", "3"])
    assert isinstance(found.exception, msj.InvalidInput)
    assert "--servers is for logs" in str(found.exception)


def test_it_ends_when_nobody_asks_and_warns_where_others_may():
    process, _ = start("--idle", "0.01", "--host", "0.0.0.0")
    _, said = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "warning: listening at 0.0.0.0" in said


def test_what_is_no_address_or_no_policy_is_refused_in_words():
    for options in (["--host", "256.1.1.1"], ["--policy", "missing.py:pick"]):
        found = CliRunner().invoke(command, ["explore", "examples/two_servers.toml", "--no-browser", *options])
        assert found.exit_code != 0
        assert "give another" in str(found.exception) or "missing.py" in str(found.exception)


def test_the_address_can_be_used_as_soon_as_it_is_printed():
    """C8: it was printed before the socket listened, and a program that read it was refused."""
    process, address = start()
    found = httpx.get(address, timeout=60.0)  # once: no second try
    ended(process)
    assert found.status_code == 200


def test_a_trap_in_the_current_folder_is_not_run_by_the_page_of_a_log(tmp_path):
    """W1: workers were started with -m, which puts the current folder first on the path."""
    folder = tmp_path / "downloads"
    folder.mkdir()
    shutil.copy("examples/logs/small_cluster.swf", folder)
    marks = trap.set_trap(folder)
    how = trap.command(folder, "explore", "small_cluster.swf", "--no-browser")
    process = subprocess.Popen(**how, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    home, token = process.stdout.readline().strip().rstrip("/").rsplit("/", 1)
    spec = msj.read("examples/two_servers.toml").to_spec()
    body = {"question": "analyse", "spec": spec, "options": {"exact": False}}
    headers = {"authorization": f"Bearer {token}"}
    found = httpx.post(f"{home}/api/answer", headers=headers, json=body, timeout=60.0)
    _, said = ended(process)
    assert (found.status_code, marks.exists()) == (200, False), said


def test_the_token_is_on_no_command_line_and_the_file_that_has_it_is_private(tmp_path):
    """W5: the browser was started with the whole address, which every user of the machine can read in ps."""
    seen = tmp_path / "seen.txt"
    browser = tmp_path / "browser"
    browser.write_text(
        f'#!/bin/sh\nstat -c %a "${{1#file://}}" > {seen}\ncat "${{1#file://}}" >> {seen}\necho "$@" >> {seen}\n'
    )
    browser.chmod(0o700)
    line = [sys.executable, "-m", "msj", "explore", "examples/two_servers.toml"]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "BROWSER": str(browser)}
    process = subprocess.Popen(line, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    address = process.stdout.readline().strip()
    token = address.rstrip("/").rsplit("/", 1)[1]
    httpx.get(address, timeout=60.0)
    lines = seen.read_text().splitlines()
    running = b"".join(file.read_bytes() for file in Path("/proc").glob("[0-9]*/cmdline") if file.exists())
    ended(process)
    mode, *text, arguments = lines
    assert (mode, address in "".join(text)) == ("600", True)
    assert arguments.startswith("file://")
    assert token not in arguments
    assert token.encode() not in running
    assert not Path(arguments.removeprefix("file://")).exists()  # it is removed at the end


def test_a_forwarded_port_is_answered_if_it_is_allowed():
    """W5: requests through ssh -L 9000:localhost:PORT name port 9000."""
    process, address = start("--allow-host", "localhost:9000")
    token = address.rstrip("/").rsplit("/", 1)[1]
    statuses = [
        httpx.get(address, headers={"host": host, **more}, timeout=60.0).status_code
        for host, more in (
            ("localhost:9000", {}),
            ("localhost:9000", {"origin": "http://localhost:9000"}),
            ("localhost:9001", {}),
            ("evil.example:9000", {}),
            ("localhost:9000", {"origin": "http://evil.example:9000"}),
        )
    ]
    _, said = ended(process)
    assert statuses == [200, 200, 421, 421, 403]
    assert f"http://localhost:9000/{token}/" in said
    found = CliRunner().invoke(command, ["explore", "examples/two_servers.toml", "--allow-host", "localhost"])
    assert isinstance(found.exception, msj.InvalidInput)
    assert "'localhost' is not HOST:PORT" in str(found.exception)
