"""Are the answers of many machines those of one? ``python -m verification.many_machines``.

Everything runs on this machine, in processes of its own, as users start them: ``msj sweep``, ``dask scheduler``,
``dask worker``. Parts (``--parts``, all by default):

late-worker
    A worker with changed code joins a sweep that runs: cells whose answer is wrong.
ways
    One grid of exact and simulated cells on one process, two processes, Dask and three shards: every number of every
    row is compared. Also printed: the seconds of the command, the CPU that it and its processes used (on Dask, the
    client alone), and the seconds of its answers alone, as the workers measured them.
faults
    The same cells, or a shard of them, with a worker killed, a worker stopped, the command killed and the scheduler
    killed: what is there when all has been asked again is compared.
results
    Seconds and memory of ``msj results --csv`` on made folders.
commands
    ``msj.plan`` and ``msj.simulate`` to a precision on Dask, with a worker killed meanwhile, beside one machine.
precision
    Jobs that simulated cells took over those that their precision needs.

Progress is on stderr. The exit code is 1 if a number differs or a target is missed.
"""

from __future__ import annotations

import argparse
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas

import msj
from msj.sweeps.folder import Folder
from verification.loopback import Cluster, wait_until

FILE = Path("examples/two_servers.toml")
PARTS = ("late-worker", "ways", "faults", "results", "commands", "precision")
MAX_MEMORY = 1.5  # GB, of the results of 100,000 cells
MAX_OVERPAID = 2.0
MIN_BLOCKS = 40  # of a simulated cell: the shortest run
REFUSED = "is refused: it has other code"
ORDER = ["cell", "name", "class", "level", "quantity", "time_of_day"]


def say(words: str) -> None:
    """Print progress."""
    print(f"  {time.strftime('%H:%M:%S')} {words}", file=sys.stderr, flush=True)


@dataclass(frozen=True, kw_only=True)
class Grid:
    """Exact cells (FCFS at many loads) and simulated ones (first-fit at a few loads with many seeds)."""

    exact: int
    simulated: int
    precision: float = 0.1

    @property
    def sweeps(self) -> Iterable[list[str]]:
        """The words of two sweeps into one folder."""
        if self.exact:
            yield ["--vary", f"load=0.3..0.95/{self.exact}"]
        if self.simulated:
            loads = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8]
            seeds = max(self.simulated // len(loads), 1)
            yield [
                "--vary", f"load={','.join(map(str, loads))}", "--vary", f"seed=1..{seeds}",
                "--policies", "first-fit", "--precision", str(self.precision),
            ]  # fmt: skip


def files_of(folder: Path) -> int:
    """Return how many files of answers and blocks there are."""
    return sum(len(list((folder / name).glob("*.parquet"))) for name in ("rows", "blocks"))


class Command:
    """``msj sweep`` in a process of its own."""

    def __init__(self, words: Iterable[str], folder: Path) -> None:
        self.folder = folder
        line = [sys.executable, "-m", "msj", "sweep", str(FILE), *words, "--out", str(folder), "--csv"]
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
        self.messages = folder.with_suffix(".messages")
        with self.messages.open("w") as errors:
            self.process = subprocess.Popen(
                line, env=environment, stdout=subprocess.DEVNULL, stderr=errors, start_new_session=True
            )

    def ended(self) -> int:
        """Wait for its end; return the exit code."""
        code = self.process.wait()
        if code not in (0, 130, -signal.SIGKILL):
            raise RuntimeError(f"msj sweep ended with {code}: {self.messages.read_text()}")
        return code

    def wait_for_files(self, count: int) -> None:
        """Wait until it has written so many files of answers or blocks, or has ended."""
        wait_until(lambda: files_of(self.folder) >= count or self.process.poll() is not None)
        if self.process.poll() is not None:
            say("the command ended before the fault; ask for more cells")

    def kill(self) -> None:
        """Kill it and all processes it has started."""
        os.killpg(self.process.pid, signal.SIGKILL)


def rows(folder: Path) -> pandas.DataFrame:
    """Return what a folder says, each answer once, without the seconds."""
    found = pandas.read_parquet(folder / "rows")
    found = found[found.outcome != "interrupted"].drop(columns=["seconds"])
    return found.drop_duplicates().sort_values(ORDER, kind="stable", ignore_index=True)


def wrong_cells(found: pandas.DataFrame, reference: pandas.DataFrame) -> int:
    """Return how many cells differ from the reference in any digit; the cells there must all be in the reference."""
    wanted = reference[reference.cell.isin(set(found.cell))].reset_index(drop=True)
    if found.equals(wanted):
        return 0
    by_cell = {cell: part.reset_index(drop=True) for cell, part in wanted.groupby("cell")}
    parts = found.groupby("cell")
    return sum(cell not in by_cell or not part.reset_index(drop=True).equals(by_cell[cell]) for cell, part in parts)


class Verdicts:
    """What was found, one line each, and whether all of it is as it should be."""

    def __init__(self) -> None:
        self.failed = 0

    def add(self, good: bool, words: str) -> None:
        """Print a line."""
        self.failed += not good
        print(f"{'ok  ' if good else 'FAIL'}  {words}", flush=True)


def late_worker(place: Path, cells: int, verdicts: Verdicts) -> None:
    """Let a worker with other code join when a few cells are answered."""
    words = ["--vary", f"load=0.3..0.95/{cells}"]
    say(f"{cells} cells on one process")
    Command([*words, "--processes", "1"], place / "alone").ended()
    with Cluster(place) as cluster:
        say("the same on Dask; a worker with other code joins")
        running = Command([*words, "--dask", cluster.address], place / "late")
        running.wait_for_files(1)
        cluster.join_with_other_code(place / "other")
        wait_until(lambda: cluster.workers() == 3 or running.process.poll() is not None)
        before = rows(place / "late").cell.nunique()
        running.ended()
    reference, found = rows(place / "alone"), rows(place / "late")
    wrong = wrong_cells(found, reference)
    verdicts.add(
        wrong == 0 and found.cell.nunique() == cells and before < cells and REFUSED in running.messages.read_text(),
        f"late worker with other code: {wrong} wrong cells of {found.cell.nunique()}; it joined after {before}",
    )


def ways(place: Path, grid: Grid, verdicts: Verdicts) -> None:
    """Compare the ways to compute a grid; the folder ``one`` is the reference."""
    with Cluster(place) as cluster:
        listed: dict[str, list[list[str]]] = {
            "one process": [["--processes", "1"]],
            "two processes": [["--processes", "2"]],
            "Dask, two workers": [["--dask", cluster.address]],
            "three shards": [["--processes", "1", "--shard", f"{part}/3"] for part in (3, 1, 2)],
        }
        for name, options in listed.items():
            folder = place / name
            spent = {}
            for words in grid.sweeps:
                kind = "simulated" if "first-fit" in words else "exact"
                say(f"{name}: {kind} cells")
                begun, used = time.perf_counter(), cpu_of_commands()
                for each in options:
                    Command([*words, *each], folder).ended()
                spent[kind] = time.perf_counter() - begun, cpu_of_commands() - used
            report(folder, name, spent, reference=place / "one process", verdicts=verdicts)


def cpu_of_commands() -> float:
    """Return the seconds of CPU of the commands that have ended and of their processes; a cluster is none of them."""
    return sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])


def report(
    folder: Path, name: str, spent: dict[str, tuple[float, float]], *, reference: Path, verdicts: Verdicts
) -> None:
    """Print how many cells differ, and what they cost."""
    found = rows(folder)
    wrong = wrong_cells(found, rows(reference))
    whole = found.cell.nunique() == rows(reference).cell.nunique()
    answers = pandas.read_parquet(folder / "rows", columns=["cell", "blocks", "seconds"]).drop_duplicates("cell")
    costs = []
    for kind, chosen in (("exact", answers[answers.blocks == 0]), ("simulated", answers[answers.blocks > 0])):
        if kind in spent:
            (seconds, cpu), alone = spent[kind], chosen.seconds.sum()
            costs.append(f"{len(chosen):,} {kind}: {seconds:.0f} s, CPU {cpu:.0f} s, answers alone {alone:.0f} s")
    verdicts.add(wrong == 0 and whole, f"{name}: {wrong} of {found.cell.nunique():,} cells differ; {'; '.join(costs)}")


def faults(place: Path, grid: Grid, shard: str, verdicts: Verdicts) -> None:
    """Disturb sweeps, ask the same again where they were ended, and compare with one process."""

    def killed_worker(cluster: Cluster, _: Command) -> None:
        cluster.kill_worker()

    def stopped_worker(cluster: Cluster, running: Command) -> None:
        number = cluster.stop_worker()
        try:
            running.process.wait(3600)
        finally:
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGCONT)

    def killed_command(_: Cluster, running: Command) -> None:
        running.kill()

    def killed_scheduler(cluster: Cluster, _: Command) -> None:
        cluster.kill_scheduler()

    reference = place / "one process"
    if not reference.exists():
        for words in grid.sweeps:
            say("the reference on one process")
            Command([*words, "--processes", "1", "--shard", shard], reference).ended()
    known = rows(reference)
    for fault in (killed_worker, stopped_worker, killed_command, killed_scheduler):
        name = fault.__name__.replace("_", " ")
        again = 0
        for words in grid.sweeps:
            disturbed, done = False, False
            while not done:
                with Cluster(place) as cluster:
                    say(f"{name}: {'once more' if disturbed else 'begun'}")
                    before = files_of(place / name)
                    running = Command([*words, "--dask", cluster.address, "--shard", shard], place / name)
                    if not disturbed:
                        running.wait_for_files(before + 2)
                        fault(cluster, running)
                        disturbed = True
                    done = running.ended() == 0
                    again += not done
        found = rows(place / name)
        wrong = wrong_cells(found, known)
        verdicts.add(
            wrong == 0,
            f"{name}: {wrong} of {found.cell.nunique():,} cells differ from one process; asked again {again} times",
        )


#: The command, with the peak of its own memory printed at the end; what wait4 says includes that of its parent.
WITH_PEAK = """
import atexit, sys
atexit.register(lambda: sys.stderr.write(open("/proc/self/status").read()))
from msj.cli import msj
msj()
"""


def results(place: Path, sizes: Iterable[int], verdicts: Verdicts) -> None:
    """Measure ``msj results`` on folders of made cells: the rows of one real cell at many loads."""
    real = tuple(msj.sweep(FILE, vary={"load": [0.5]}).quantities)
    for cells in sizes:
        say(f"making {cells:,} cells")
        folder = Folder(place / str(cells))
        for start in range(0, cells, 1000):
            numbers = range(start, min(start + 1000, cells))
            folder.keep_answers([(f"{n}", {"load": n / cells}, real, {"outcome": "solved"}) for n in numbers])
        folder.close()
        for words in ([], ["--where", "load>=0.9", "--where", "name=mean_response_time"]):
            begun = time.perf_counter()
            line = [sys.executable, "-c", WITH_PEAK, "results", str(place / str(cells)), "--csv", "--quiet", *words]
            done = subprocess.run(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
            memory = int(done.stderr.split("VmHWM:")[1].split()[0]) / 2**20
            verdicts.add(
                done.returncode == 0 and memory < MAX_MEMORY,
                f"results {' '.join(words) or 'of all rows'}: {cells:,} cells, {cells * len(real):,} rows, "
                f"{time.perf_counter() - begun:.0f} s, {memory:.2f} GB",
            )


def commands(place: Path, verdicts: Verdicts) -> None:
    """Compare plan and simulate on Dask, a worker killed meanwhile, with one machine."""
    from distributed import Client

    asked: dict[str, Callable[..., Any]] = {
        "simulate --precision 0.01": lambda **more: msj.simulate(
            msj.read(FILE).replace(policy="first-fit", load=0.9), precision=0.01, seed=1, **more
        ),
        "plan": lambda **more: msj.plan(
            FILE, targets="mean wait <= 4", policies=["first-fit"], jobs=2_000_000, seed=1, **more
        ),
    }
    for name, ask in asked.items():
        say(f"{name} on one machine")
        alone = ask()
        for disturbed in (False, True):
            say(f"{name} on Dask{', with a worker killed' if disturbed else ''}")
            with Cluster(place) as cluster, Client(cluster.address, set_as_default=False) as client:
                killed: list[int] = []

                def watch(_: Any, client: Any = client, killed: list[int] = killed, wanted: bool = disturbed) -> None:
                    if wanted and not killed:
                        killed.extend(client.run(os.getpid).values())
                        os.kill(killed[0], signal.SIGKILL)

                found = ask(dask=client, progress=watch)
            same = tuple(found.quantities) == tuple(alone.quantities) and found.outcome is alone.outcome
            what = ", a worker killed" if killed else ""
            verdicts.add(
                same and bool(killed) == disturbed,
                f"{name} on Dask{what}: {len(found.quantities)} rows {'equal' if same else 'DIFFER'}",
            )


def precision(place: Path, verdicts: Verdicts) -> None:
    """Compare the jobs that cells took with those that half-widths, which shrink like the root, say they needed."""
    for asked in (0.02, 0.01, 0.005):
        words = ["--vary", "load=0.5,0.7,0.9", "--vary", "seed=1..4", "--policies", "first-fit,easy-backfilling"]
        say(f"cells to a precision of {asked}")
        Command([*words, "--precision", str(asked), "--processes", "2"], place / str(asked)).ended()
        found = pandas.read_parquet(place / str(asked) / "rows").drop_duplicates("cell")
        long = found[found.blocks > MIN_BLOCKS]
        factors = (long.precision / long.width) ** 2
        words_of = f"{len(found)} cells, {len(found) - len(long)} at the shortest run"
        if len(long):
            words_of += f"; the others took {factors.mean():.2f} times the jobs needed, at most {factors.max():.2f}"
        verdicts.add(not len(long) or factors.max() <= MAX_OVERPAID, f"precision {asked}: {words_of}")


def main() -> None:
    """Measure the parts that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", default=",".join(PARTS), help="parts, by commas")
    parser.add_argument("--exact", type=int, default=5000, metavar="CELLS", help="exact cells (default: 5000)")
    parser.add_argument("--simulated", type=int, default=600, metavar="CELLS", help="simulated cells (default: 600)")
    parser.add_argument("--shard", default="1/5", help="the part of the grid that faults disturb (default: 1/5)")
    parser.add_argument("--late", type=int, default=800, metavar="CELLS", help="of the late worker (default: 800)")
    parser.add_argument("--sizes", default="1000,10000,100000", help="made cells (default: 1000,10000,100000)")
    parser.add_argument("--folder", type=Path, help="keep the folders there (default: a temporary one)")
    given = parser.parse_args()
    chosen = given.parts.split(",")
    unknown = [part for part in chosen if part not in PARTS]
    if unknown:
        parser.error(f"unknown part '{unknown[0]}'; parts: {', '.join(PARTS)}")
    verdicts = Verdicts()
    with tempfile.TemporaryDirectory() as temporary:
        place = given.folder or Path(temporary)
        grid = Grid(exact=given.exact, simulated=given.simulated)
        measures: dict[str, Callable[[Path], None]] = {
            "late-worker": lambda at: late_worker(at, given.late, verdicts),
            "ways": lambda at: ways(at, grid, verdicts),
            "faults": lambda at: faults(at, grid, given.shard, verdicts),
            "results": lambda at: results(at, map(int, given.sizes.split(",")), verdicts),
            "commands": lambda at: commands(at, verdicts),
            "precision": lambda at: precision(at, verdicts),
        }
        for part in chosen:
            at = place / ("grid" if part in ("ways", "faults") else part)  # faults are compared with one of the ways
            at.mkdir(parents=True, exist_ok=True)
            measures[part](at)
    print("all is well" if not verdicts.failed else f"{verdicts.failed} checks failed")
    raise SystemExit(bool(verdicts.failed))


if __name__ == "__main__":
    main()
