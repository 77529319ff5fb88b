"""A Dask cluster of processes on this machine, whose members can be killed, stopped and joined by others."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import msj

QUIET: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
RULE, OTHER_RULE = "rate = float(own.load) * threshold.value", "rate = 0.5 * threshold.value"


def wait_until(condition: Callable[[], Any], seconds: float = 300.0) -> None:
    """Wait until a condition holds."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError("waited for longer than it may take")
        time.sleep(0.05)


class Cluster:
    """A scheduler and workers with one thread each; a worker that is killed is started again by its nanny.

    Parameters
    ----------
    folder
        Where the scheduler writes its address.
    workers
        Their number.
    """

    def __init__(self, folder: Path, workers: int = 2) -> None:
        self.folder, self.count = folder, workers
        self.processes: list[subprocess.Popen[bytes]] = []
        self.scheduler: subprocess.Popen[bytes] | None = None
        self.address = ""

    def __enter__(self) -> Self:
        file = self.folder / f"scheduler-{time.monotonic_ns()}.json"
        self.scheduler = self._start(
            "scheduler", "--port", "0", "--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", str(file)
        )
        wait_until(lambda: file.exists() and file.read_text().endswith("}"))
        self.address = json.loads(file.read_text())["address"]
        for _ in range(self.count):
            self._start("worker", self.address, "--nthreads", "1", "--no-dashboard")
        wait_until(lambda: len(self.pids()) == self.count)
        return self

    def __exit__(self, *_: object) -> None:
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()

    def pids(self) -> dict[str, int]:
        """Return the process of each worker, by address."""
        from distributed import Client

        with Client(self.address, set_as_default=False) as client:
            return dict(client.run(os.getpid))

    def kill_worker(self) -> None:
        """Kill a worker at work."""
        os.kill(next(iter(self.pids().values())), signal.SIGKILL)

    def stop_worker(self) -> int:
        """Stop a worker as a frozen machine would be stopped; return its process."""
        number = next(iter(self.pids().values()))
        os.kill(number, signal.SIGSTOP)
        return number

    def kill_scheduler(self) -> None:
        """Kill the scheduler."""
        assert self.scheduler is not None
        self.scheduler.kill()

    def workers(self) -> int:
        """Return how many workers the scheduler knows."""
        from distributed import Client

        with Client(self.address, set_as_default=False) as client:
            return len(client.scheduler_info(n_workers=-1)["workers"])

    def join_with_other_code(self, folder: Path) -> None:
        """Let a worker join whose copy of msj has another rule for the arrival rate of a load."""
        copy = folder / "msj"
        shutil.copytree(Path(msj.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
        file = copy / "sweeps" / "opening.py"
        text = file.read_text()
        assert text.count(RULE) == 1
        file.write_text(text.replace(RULE, OTHER_RULE))
        options = {"env": {**os.environ, "PYTHONPATH": str(folder)}, "cwd": folder}
        words = ("worker", self.address, "--nthreads", "4", "--no-nanny", "--no-dashboard")
        self._start(*words, **options)

    def _start(self, *words: str, **options: Any) -> subprocess.Popen[bytes]:
        process = subprocess.Popen([sys.executable, "-m", "dask", *words], **{**QUIET, **options})
        self.processes.append(process)
        return process
