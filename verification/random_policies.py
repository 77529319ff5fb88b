"""Random decision functions: where msj calls an answer exact, a simulation agrees; where it does not, it says why.

Functions are drawn from a small grammar: an order of priority (class, need, arrival, and things that no chain knows), a
window, a threshold below which large jobs wait, first fit or stop at the first job that does not fit, with and without
preemption. Each is written to a file and used as a user would use it, on a random system. The simulation that judges is
not the one msj makes by itself: another load, another seed, more jobs.

``python -m verification.random_policies --count 200`` prints the counts.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import msj
from msj.errors import BadFunction, MsjError

JOBS = 200_000
LOAD = 0.7
APART = 2.6  # half-widths of a 95 % interval: exceeded with probability 4e-7 where the exact value is right

TEXT = """import numpy as np


def rule({arguments}):
    n = len(needs)
    left = servers
    done = np.zeros(n, np.bool_)
    for i in range(n):
        if {keep}:
            chosen[i] = True
            done[i] = True
            left -= needs[i]
    for _ in range(n):
        best = -1
        best_key = 0.0
        for i in range(n):
            if not done[i]:
                key = float({key})
                if best < 0 or key < best_key:
                    best = i
                    best_key = key
        if best < 0:
            return
        done[best] = True
        if needs[best] <= left and ({threshold}):
            chosen[best] = True
            left -= needs[best]
        elif {stop}:
            return
"""

KEYS = {
    "arrival": "i",
    "youngest": "-i",
    "smallest": "needs[i] * 1000 + i",
    "largest": "-needs[i] * 1000 + i",
    "class": "{ranks}[classes[i]] * 1000 + i",
    "class, youngest": "{ranks}[classes[i]] * 1000 - i",
    "remaining": "remaining[i]",
    "age": "-ages[i] * needs[i]",
    "estimate": "estimates[i] + 0.001 * i",
    "random": "rng.random()",
}
HIDDEN = {"remaining": "remaining", "age": "ages", "estimate": "estimates", "random": "rng"}


@dataclass(frozen=True)
class Case:
    """One function on one system."""

    text: str
    system: msj.System
    options: dict[str, object]
    key: str
    preemptive: bool


@dataclass(frozen=True)
class Verdict:
    """What came of a case: ``kind`` for counting, ``detail`` for people, ``wrong`` if msj was."""

    kind: str
    detail: str
    wrong: bool = False


def random_case(rng: np.random.Generator) -> Case:
    """Draw a function and a system."""
    servers, classes = int(rng.integers(2, 6)), int(rng.integers(2, 4))
    needs = [int(rng.integers(1, servers + 1)) for _ in range(classes)]
    shares = rng.dirichlet(np.full(classes, 3.0)).round(3)
    shares[-1] = 1 - shares[:-1].sum()
    jobs = [
        msj.JobClass(name=f"c{i}", need=need, share=str(round(float(share), 3)), duration=_law(rng))
        for i, (need, share) in enumerate(zip(needs, shares, strict=True))
    ]
    known = rng.random() < 0.75
    key = str(rng.choice([k for k in KEYS if (k not in HIDDEN) == known]))
    preemptive = bool(rng.random() < 0.4)
    keeps = not preemptive or rng.random() < 0.15  # sometimes declared preemptive although it never preempts
    limit = int(rng.integers(1, servers + 1))
    threshold = str(rng.choice(["True", f"needs[best] <= {limit} or left == servers"]))
    arguments = ["needs", "running", "servers", "chosen", "classes", *([HIDDEN[key]] if key in HIDDEN else [])]
    rng.shuffle(arguments)
    text = TEXT.format(
        arguments=", ".join(arguments),
        keep="running[i]" if keeps else "False",
        key=KEYS[key].format(ranks=tuple(int(r) for r in rng.permutation(classes))),
        threshold=threshold,
        stop=str(rng.choice(["True", "False"])),
    )
    options = {"preemptive": preemptive, "front": int(rng.integers(1, 4))}
    return Case(text, msj.System(servers=servers, classes=jobs), options, key, preemptive)


def _law(rng: np.random.Generator) -> msj.Duration:
    mean = round(float(rng.uniform(0.5, 2.0)), 2)
    if rng.random() < 0.8:
        return msj.Exponential(mean=mean)
    return msj.Erlang(stages=2, mean=mean)


def judge(case: Case, folder: Path, number: int) -> Verdict:
    """Use the function as a user would, and compare what is called exact with a simulation."""
    file = folder / f"rule_{number}.py"
    file.write_text(case.text)
    try:
        policy = msj.OwnFunction.from_file(f"{file}:rule", **case.options)
        system = case.system.replace(policy=policy)
        exact = msj.analyse(system)
    except BadFunction as error:
        kind = "contradicted by a simulation" if "contradicts itself" in str(error) else "refused by the trial"
        return Verdict(kind, str(error))
    except MsjError as error:
        return Verdict("no answer", str(error), wrong=True)
    rows = [row for row in exact if row.name == "stability_threshold" and row.kind == "exact"]
    if not rows:
        reasons = [note for note in exact.notes if "exact" in note]
        return Verdict(_category(reasons), reasons[0] if reasons else "no reason", wrong=not reasons)
    if case.key in HIDDEN:
        return Verdict("exact although it uses what no chain knows", case.key, wrong=True)
    return _compared(system, LOAD * rows[0].value, number)


def _category(reasons: list[str]) -> str:
    text = " ".join(reasons)
    if "uses running" in text:
        return "uses running with preemption"
    if "uses " in text:
        return "uses what no chain knows"
    return "other reason" if reasons else "no reason"


def _compared(system: msj.System, rate: float, number: int) -> Verdict:
    """Compare exact means of all jobs and of each class with a run of another seed and load."""
    at = system.replace(arrival_rate=rate)
    try:
        exact = msj.analyse(at, percentiles=False)
    except MsjError as error:
        return Verdict("no answer", str(error), wrong=True)
    run = msj.simulate(at, jobs=JOBS, seed=1000 + number, controls=False, stability_threshold=rate / LOAD)
    pairs = [(row, _row(run, row)) for row in exact if row.name == "mean_response_time" and row.kind == "exact"]
    if not pairs or all(found is None for _, found in pairs):
        return Verdict("exact, not judged: the run has no interval", "")
    for row, found in pairs:
        if found is not None and abs(row.value - found.value) > APART * (found.high - found.low) / 2:
            return Verdict("exact and WRONG", f"{row.job_class}: {row.value} against {found}", wrong=True)
    return Verdict("exact, and the simulation agrees", "")


def _row(run: msj.Result, row: object) -> object | None:
    found = [each for each in run if (each.name, each.job_class) == (row.name, row.job_class)]
    return next((each for each in found if each.low is not None), None)


def verdicts(count: int, seed: int) -> Iterator[tuple[Case, Verdict]]:
    """Judge ``count`` random functions, one after the other."""
    rng = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as folder:
        for number in range(count):
            case = random_case(rng)
            yield case, judge(case, Path(folder), number)


def main() -> None:
    """Print the counts, and every case in which msj was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    found, began = [], time.perf_counter()
    for case, verdict in verdicts(given.count, given.seed):
        found.append((case, verdict))
        what = f"{verdict.kind}: {verdict.detail}" if verdict.wrong else verdict.kind
        print(f"{time.perf_counter() - began:6.0f} s  {len(found):3d}  {what}", file=sys.stderr, flush=True)
    for kind, times in Counter(verdict.kind for _, verdict in found).most_common():
        print(f"{times:5d}  {kind}")
    for case, verdict in found:
        if verdict.wrong or verdict.kind.startswith("contradicted"):
            print(f"\n{verdict.kind}: {verdict.detail}\n{case.options} {case.system.to_spec()}\n{case.text}")
    raise SystemExit(1 if any(verdict.wrong for _, verdict in found) else 0)


if __name__ == "__main__":
    main()
