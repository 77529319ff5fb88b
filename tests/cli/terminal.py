"""Running ``msj`` in a process of its own: on a pseudo-terminal, or to be interrupted."""

import fcntl
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
import time

ENVIRONMENT = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR")} | {
    "TERM": "xterm-256color",
    "OPENBLAS_NUM_THREADS": "1",
}


def hear_interrupts():
    """Listen to Ctrl-C even where the tests themselves run in the background, where a shell turns it off."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def on_a_terminal(*arguments, columns=80, **environment):
    """Return what a user sees on a terminal (stdout and stderr together) and the exit code."""
    main_end, other_end = pty.openpty()
    fcntl.ioctl(other_end, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-m", "msj", *arguments],
        stdin=other_end, stdout=other_end, stderr=other_end, env=ENVIRONMENT | environment,
        preexec_fn=hear_interrupts,
    )  # fmt: skip
    os.close(other_end)
    seen = b""
    while True:
        try:
            part = os.read(main_end, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        seen += part
    os.close(main_end)
    return seen.decode(), process.wait()


def interrupted(*arguments, until, most_seconds=60):
    """Start a command, send what Ctrl-C sends to it and its children once ``until()`` holds; return code, out, err."""
    process = subprocess.Popen(
        [sys.executable, "-m", "msj", *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True, env=ENVIRONMENT,
        preexec_fn=hear_interrupts,
    )  # fmt: skip
    deadline = time.monotonic() + most_seconds
    while not until(process) and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGINT)
    try:
        out, err = process.communicate(timeout=most_seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        return "still running", out, err
    return process.returncode, out, err
