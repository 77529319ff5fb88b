"""Do the tests notice a slip? ``python -m verification.mutation``.

Slips (:mod:`verification.mutants`) are drawn at random over all rooms and put one at a time into a copy of the project.
The tests that reach its function (:mod:`verification.reached`) are run on it, first those that speak of it, then the
quickest, up to the first that fails. A slip is noticed if one fails, or does not end. What nobody notices is listed:
either nothing depends on it (then it belongs into ``verification/equivalent.txt``, with the reason), or a test is
missing.

Compiled loops are kept on the disk by the file they stand in, and a loop knows nothing of a changed one that it calls:
so for a slip whatever holds the changed one is compiled anew (:mod:`verification.loops`), and where that takes a fresh
process, the kept loops of all files that import the changed one are removed as well.

    python -m verification.mutation                        200 slips over all rooms: an hour
    python -m verification.mutation --rooms reports,cli    of some rooms
    python -m verification.mutation --changed main         where this branch differs from another
    python -m verification.mutation --listed --count 0     those that were missed once
    python -m verification.mutation --out kept.jsonl       what was tried is kept there, and not tried again
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue
from typing import NamedTuple

from verification.hanging import SECONDS
from verification.listed import listed
from verification.mutants import Mutant, mutants_of
from verification.reached import KEPT, Place, Reached, place_of
from verification.warm import Warm

ROOT = Path(__file__).parents[1]
COPIED = ("src", "tests", "examples", "docs", "verification", "benchmarks")
FILES = ("pyproject.toml", "conftest.py", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "CITATION.cff")
MOST_SECONDS = 30.0  # of tests for one slip, as long as they take without it
FEWEST = 6  # slips of a room
NOTICED, IN_EACH_ROOM = 0.9, 0.8


class Trial(NamedTuple):
    """What became of a slip."""

    noticed: bool
    by: str  # the test that noticed it
    seconds: float


class Copy:
    """A copy of the project in which one slip at a time is tried."""

    def __init__(self, root: Path, reached: Reached, seconds: float = MOST_SECONDS) -> None:
        self.root, self.reached, self.seconds = root, reached, seconds
        for name in COPIED:
            if (ROOT / name).exists():
                shutil.copytree(ROOT / name, root / name)
        for name in FILES:
            if (ROOT / name).exists():
                shutil.copy2(ROOT / name, root / name)
        self.loops = importers_of(root / "src")
        places = os.pathsep.join([str(root / "src"), str(Path(__file__).parents[1])])
        self.environment = os.environ | {"PYTHONPATH": places, "OPENBLAS_NUM_THREADS": "1"}
        (root / "build").mkdir()
        (root / SECONDS).write_text(json.dumps(reached.seconds), encoding="utf-8")
        self.warm = Warm(root, self.environment)

    def tried(self, mutant: Mutant) -> Trial:
        """Run the tests that could notice the slip, up to the first that fails."""
        started = time.perf_counter()
        file = self.root / mutant.file
        text, stamp = file.read_text(encoding="utf-8"), file.stat()
        file.write_text(mutant.applied(text), encoding="utf-8")
        place = place_of(text, mutant.line)
        stale = self._forget_loops(file) if has_loops(text) and not place.name else []
        try:
            tests = self._tests(mutant, place)
            by = self.warm.fails(tests, mutant.file, mutant.line, 1)
            if by is None:
                by = self._freshly(tests)
            return Trial(bool(by), min(by, default=""), time.perf_counter() - started)
        finally:
            file.write_text(text, encoding="utf-8")
            os.utime(file, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
            for each in stale:
                self._restore_loops(each)

    def close(self) -> None:
        """End what runs in the copy."""
        self.warm.close()

    def fails(self, tests: Iterable[str]) -> set[str]:
        """Return those of some tests that fail without any slip."""
        return set(self.warm.fails(sorted(tests), "", 0, 1000) or [])

    def _tests(self, mutant: Mutant, place: Place) -> list[str]:
        loops = self.loops.get(self.root / mutant.file, set())
        importers = [file.relative_to(self.root).as_posix() for file in loops]
        callers = self.warm.callers(mutant.file, mutant.line) if place.compiled else []
        return self.reached.tests(mutant.file, place, callers, importers, self.seconds, mutant.code)

    def _freshly(self, tests: list[str]) -> list[str]:
        """Return the first test that fails in a process of its own."""
        tests = [test for test in tests if (self.root / test.partition("::")[0]).exists()]
        if not tests:
            return []
        listed = self.root / "build" / "tests.txt"
        listed.write_text("\n".join(tests), encoding="utf-8")
        plugins = ["-p", "no:cacheprovider", "-p", "verification.hanging"]
        arguments = ["-q", "-x", "-n", "0", *plugins, "--no-header", "--tb=no", "-rfE", "--rootdir=.", f"@{listed}"]
        command = [sys.executable, "-m", "pytest", *arguments]
        done = subprocess.run(command, cwd=self.root, env=self.environment, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return []
        # What was renamed since is not found; of tests with parameters the name alone is told.
        if unknown := set(re.findall(rf"not found: {self.root}/(.*)$", done.stderr, flags=re.MULTILINE)):
            known = [test for test in tests if not {test, test.partition("[")[0]} & unknown]
            return self._freshly(known) if len(known) < len(tests) else ["pytest itself"]
        if done.returncode < 0:
            return ["it does not end"]
        return re.findall(r"^(?:FAILED|ERROR) (.*?)(?: - .*)?$", done.stdout, re.MULTILINE) or ["pytest itself"]

    def _forget_loops(self, file: Path) -> list[Path]:
        stale = [file, *self.loops.get(file, ())]
        for each in stale:
            for kept in (each.parent / "__pycache__").glob(f"{each.stem}.*.nb[ic]"):
                kept.unlink()
        return stale

    def _restore_loops(self, file: Path) -> None:
        original = ROOT / file.relative_to(self.root).parent / "__pycache__"
        here = file.parent / "__pycache__"
        for kept in here.glob(f"{file.stem}.*.nb[ic]"):
            kept.unlink()
        for kept in original.glob(f"{file.stem}.*.nb[ic]"):
            shutil.copy2(kept, here / kept.name)


def has_loops(text: str) -> bool:
    """Return whether a file compiles loops."""
    return re.search(r"\b(njit|helper|kernel)\b", text) is not None


def importers_of(source: Path) -> dict[Path, set[Path]]:
    """Return, for each module, those that import it, and those that may have compiled its loops into their own."""
    names = {".".join(file.relative_to(source).with_suffix("").parts): file for file in source.rglob("*.py")}
    direct: dict[Path, set[Path]] = defaultdict(set)
    passing_on = set()
    for file in names.values():
        text = file.read_text(encoding="utf-8")
        if has_loops(text) or file.name == "__init__.py":
            passing_on.add(file)
        for module, imported in re.findall(r"^\s*from (msj[\w.]*) import (\([^)]*\)|.*)$", text, flags=re.MULTILINE):
            for name in (module, *(f"{module}.{word}" for word in re.findall(r"\w+", imported))):
                if name in names:
                    direct[names[name]].add(file)
    found: dict[Path, set[Path]] = {}
    for file in names.values():
        reached, new = set(), [file]
        while new:
            others = direct[new.pop()] - reached
            reached |= others
            new += others & passing_on
        found[file] = reached
    return found


def seen_reaching(workers: int) -> Reached:
    """Return which tests reach what, after running all of them if that is not kept from before."""
    if not (ROOT / KEPT).exists():
        print(f"{KEPT} is not there: all tests are run once to see which of them reach what", flush=True)
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-n",
            str(workers),
            "-p",
            "verification.reached",
            "--rootdir=.",
        ]
        places = os.pathsep.join([str(ROOT / "src"), str(Path(__file__).parents[1])])
        subprocess.run(command, cwd=ROOT, env=os.environ | {"PYTHONPATH": places}, capture_output=True, check=False)
    return Reached(ROOT, (ROOT / KEPT).read_text(encoding="utf-8").splitlines())


def drawn(mutants: list[Mutant], count: int, seed: int) -> list[Mutant]:
    """Draw slips, from each room as many as belong to it and at least a few; the order is random, too."""
    chance = random.Random(seed)
    rooms: dict[str, list[Mutant]] = defaultdict(list)
    for mutant in mutants:
        rooms[mutant.room].append(mutant)
    chosen: list[Mutant] = []
    if not count:
        return chosen
    for _, own in sorted(rooms.items()):
        share = max(round(count * len(own) / len(mutants)), FEWEST)
        chosen += chance.sample(own, min(share, len(own)))
    chance.shuffle(chosen)
    return chosen


def changed_lines(since: str) -> dict[str, set[int]]:
    """Return the lines of src that differ from another commit."""
    command = ["git", "diff", "--unified=0", since, "--", "src"]
    found: dict[str, set[int]] = defaultdict(set)
    file = ""
    for line in subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines():
        if line.startswith("+++ "):
            file = line.removeprefix("+++ b/")
        elif (at := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line)) is not None:
            first, count = int(at[1]), int(at[2] or 1)
            found[file] |= set(range(first, first + count))
    return found


def equivalent() -> set[str]:
    """Return the slips that change nothing, as they are listed: file, before → after, line; the reason follows."""
    lines = (ROOT / "verification" / "equivalent.txt").read_text(encoding="utf-8").splitlines()
    return {line for line in lines if line and not line.startswith(("#", " "))}


def name_of(mutant: Mutant) -> str:
    """Return a slip as the list of equivalent ones names it: without line numbers, which move."""
    return re.sub(r":\d+  ", " ", str(mutant), count=1)


def main() -> None:
    """Try slips, and tell which rooms notice them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rooms", help="separated by commas; all if not given")
    parser.add_argument("--listed", action="store_true", help="those of verification/listed.py as well")
    parser.add_argument("--changed", metavar="COMMIT", help="only lines that differ from this commit")
    parser.add_argument("--out", type=Path, help="keeps what was tried, so that a run can be continued")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=MOST_SECONDS, help="of tests for one slip, %(default)g")
    parser.add_argument("--list", action="store_true", help="list the slips drawn and try none")
    given = parser.parse_args()

    files = sorted(file.relative_to(ROOT).as_posix() for file in (ROOT / "src").rglob("*.py"))
    mutants = [m for file in files for m in mutants_of(file, (ROOT / file).read_text(encoding="utf-8"))]
    if given.rooms:
        mutants = [m for m in mutants if m.room in given.rooms.split(",")]
    if given.changed:
        lines = changed_lines(given.changed)
        mutants = [m for m in mutants if m.line in lines.get(m.file, ())]
    known = equivalent()
    # Drawn from all, so that a list that has grown does not change what is drawn.
    fresh = [m for m in drawn(mutants, given.count, given.seed) if name_of(m) not in known]
    chosen = [*(listed(ROOT) if given.listed else ()), *fresh]
    print(f"{len(chosen)} of {len(mutants):,} slips, {len(known)} known to change nothing", flush=True)
    if given.list:
        print("\n".join(map(str, chosen)))
        return
    raise SystemExit(0 if _verdict(_try_all(chosen, given.workers, given.out, given.seconds)) else 1)


def _try_all(chosen: list[Mutant], workers: int, out: Path | None, seconds: float) -> dict[Mutant, Trial]:
    kept = {}
    if out is not None and out.exists():
        kept = {row["mutant"]: Trial(*row["trial"]) for row in map(json.loads, out.read_text().splitlines())}
    found: dict[Mutant, Trial] = {m: kept[str(m)] for m in chosen if str(m) in kept}
    reached = seen_reaching(workers)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(workers) as pool:
        copies: Queue[Copy] = Queue()
        for number in range(workers):
            copies.put(Copy(Path(folder) / str(number), reached, seconds))

        def attempt(mutant: Mutant) -> tuple[Mutant, Trial]:
            copy = copies.get()
            try:
                return mutant, copy.tried(mutant)
            finally:
                copies.put(copy)

        # Those that take a process of their own come last: whoever stops early has seen most of the others.
        left = sorted((m for m in chosen if m not in found), key=_takes_a_process)
        for mutant, trial in pool.map(attempt, left):
            found[mutant] = trial
            how = f"noticed by {trial.by}" if trial.noticed else "MISSED"
            print(f"{len(found):4} {trial.seconds:5.0f} s  {mutant}\n       {how}", flush=True)
            if out is not None:
                with out.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"mutant": str(mutant), "trial": trial}) + "\n")
        # A test that fails anyway notices nothing. The examples of a document need those before them.
        noticing = {trial.by for trial in found.values() if "::" in trial.by}
        names = sorted({by if by.startswith("tests/") else by.partition("::")[0] for by in noticing})
        broken = copies.queue[0].fails(names)
        for copy in copies.queue:
            copy.close()
    if broken:
        print("fail without any slip, and do not count: " + ", ".join(sorted(broken)))
    return {m: t._replace(noticed=t.noticed and t.by not in broken) for m, t in found.items()}


def _takes_a_process(mutant: Mutant) -> bool:
    place = place_of((ROOT / mutant.file).read_text(encoding="utf-8"), mutant.line)
    return not place.name


def _verdict(found: dict[Mutant, Trial]) -> bool:
    rooms: dict[str, list[bool]] = defaultdict(list)
    for mutant, trial in found.items():
        rooms[mutant.room].append(trial.noticed)
    for room, noticed in sorted(rooms.items()):
        print(f"{room:14} {sum(noticed):4} of {len(noticed):4} noticed")
    print("\n".join(f"MISSED {mutant}" for mutant, trial in sorted(found.items()) if not trial.noticed))
    share = sum(trial.noticed for trial in found.values()) / max(len(found), 1)
    print(f"{share:.1%} of {len(found)} noticed")
    return share >= NOTICED and all(sum(each) >= IN_EACH_ROOM * len(each) for each in rooms.values())


if __name__ == "__main__":
    main()
