"""Ctrl-C at any moment, in real processes: exit code 130, no traceback, no process left behind."""

import os
import signal
import subprocess
import sys
import time

import pytest

EXAMPLE = "examples/two_servers.toml"
ENDLESS = ("--jobs", "2000000000", "--seed", "1")


@pytest.mark.parametrize("seconds", [1.5, 3, 6, 10])
@pytest.mark.parametrize(
    "arguments",
    [
        ("simulate", EXAMPLE, *ENDLESS),
        ("simulate", EXAMPLE, *ENDLESS, "--processes", "2"),
        ("compare", EXAMPLE, "--policies", "fcfs,first-fit", *ENDLESS),
        ("curve", "examples/hpc_partition.toml", "--loads", ",".join(["0.9"] * 400)),
    ],
)
def test_ctrl_c(arguments, seconds):
    process = subprocess.Popen(
        [sys.executable, "-m", "msj", *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        preexec_fn=hear_interrupts,
    )  # fmt: skip
    time.sleep(seconds)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the children too
    try:
        _, err = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        pytest.fail("still running a minute after Ctrl-C")
    assert process.returncode == 130, err
    assert "Traceback" not in err
    with pytest.raises(ProcessLookupError):
        wait_for_the_last_of(process.pid, seconds=20)


def hear_interrupts() -> None:
    """Listen to Ctrl-C even where the tests themselves run in the background, where a shell turns it off."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def wait_for_the_last_of(family: int, *, seconds: float) -> None:
    """Ask for a process of the family until there is none; the last goes a moment after the one that was told."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        os.killpg(family, 0)
        time.sleep(0.1)
