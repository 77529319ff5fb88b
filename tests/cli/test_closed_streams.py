"""Standard streams that are closed before the start (cron, ``>&-``): the exit code is that of the command."""

import os
import subprocess
import sys

import pytest


def run_with_closed(closed, *arguments):
    """Run a command with the file descriptors ``closed``; return its exit code and what it wrote."""

    def close():
        for number in closed:
            os.close(number)

    done = subprocess.run(
        [sys.executable, "-m", "msj", *arguments], capture_output=True, text=True, preexec_fn=close, check=False
    )
    return done.returncode, done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="file descriptors of POSIX")
@pytest.mark.parametrize("closed", [(1,), (2,), (0, 1, 2)])
def test_closed_streams_do_not_change_the_exit_code(closed):
    for load, code in (("0.5", 0), ("1.2", 1)):
        found, written = run_with_closed(closed, "analyse", "examples/two_servers.toml", "--load", load)
        assert found == code
        assert ("stability_threshold" in written) is (1 not in closed)


@pytest.mark.skipif(sys.platform == "win32", reason="file descriptors of POSIX")
def test_a_simulation_with_closed_stderr_writes_its_answer():
    found, written = run_with_closed((2,), "simulate", "examples/two_servers.toml", "--jobs", "20000", "--seed", "1")
    assert found == 0
    assert "mean_response_time" in written
