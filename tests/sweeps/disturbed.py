"""Runs a sweep in a process of its own, to be killed; ``python disturbed.py FOLDER [OPTION=VALUE ...]``."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent


def begin(folder, **options):
    """Start a sweep elsewhere and return its process; it leads a group of its own."""
    command = [sys.executable, str(HERE / "disturbed.py"), str(folder), json.dumps(options)]
    return subprocess.Popen(command, cwd=HERE.parent.parent, start_new_session=True)


def wait_for(condition, process, seconds=120.0):
    """Wait until something is true while a process runs; return whether it became true before that ended."""
    until = time.monotonic() + seconds
    while time.monotonic() < until and process.poll() is None:
        if condition():
            return True
        time.sleep(0.01)
    return condition()


def children_of(process):
    """The processes a process has started."""
    listed = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return [int(number) for number in listed]


def kill(number):
    """As nobody can be prepared for."""
    os.kill(number, signal.SIGKILL)


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    from same import undisturbed

    from msj.simulation import blocks

    blocks.LEAST_PIECE = 100
    undisturbed(out=Path(sys.argv[1]), **json.loads(sys.argv[2]))
