"""Slips that the tests once did not notice, and must for ever: ``python -m verification.mutation --listed --count 0``.

Each is a file below ``src/msj``, what stands there once, and what stands there instead.
"""

from __future__ import annotations

from pathlib import Path

from verification.mutants import Mutant

LISTED = (
    ("markov/level_descent.py", "self.local.T.tocsc()", "self.local.tocsc()"),
    ("closed_forms/fluid.py", "self._straight + after_bend, np.min", "after_bend, np.min"),
    ("closed_forms/one_and_n.py", "q * (n - 1) - 1 if n > 2 else -p", "q * (n - 1) - 1"),
    ("markov/gth.py", "if law[k] > 1e100:", "if law[k] > np.inf:"),
    ("markov/incomplete_lu.py", "n_upper + 1 > room", "n_upper > room"),
    ("closed_forms/queueing_bounds.py", "len(set(zip(needs, mean_durations, strict=True)))", "len(set(needs))"),
    ("simulation/percentile_interval.py", "scores = apart / _quantiles(", "scores = apart / 0.8 / _quantiles("),
    ("simulation/estimates.py", '"preemptions", all_jobs), jobs,', '"preemptions", all_jobs), time,'),
    ("simulation/tally.py", "tallies[-1].present", "tallies[0].present"),
    ("answers/threshold.py", "min(rate / naive, 1.0)), falling=True)", "min(rate / naive, 1.0)))"),
    ("planning/remedies.py", "(low, middle, found) if works else (middle, high, kind)",
     "(low, middle, kind) if works else (middle, high, found)"),
    ("reports/findings.py", "<= 2.0 * half", "<= 20.0 * half"),
    ("reports/findings.py", 'None, 90.0)\n    if ninety', 'None, 95.0)\n    if ninety'),
    ("reports/findings.py", "row.difference.ends[1] < 0", "row.difference.value < 0"),
    ("reports/findings.py", "if growing:", "if growing and not others:"),
    ("planning/capacity.py", "value=max(1.0 - used.value, 0.0)", "value=max(used.value, 0.0)"),
    ("reports/tables.py", "rate = rate_words(report.time_unit)\n    limits", 'rate = "jobs per server"\n    limits'),
    ("reports/tables.py", "float(c.share) * report.cluster.work_of(c)", "report.cluster.work_of(c)"),
    ("reports/wording.py", "half = max(below, above)", "half = min(below, above)"),
    ("results/result.py", "return [*self.notes, *map(str, gaps)]", "return [*map(str, gaps)]"),
)  # fmt: skip


def listed(root: Path) -> list[Mutant]:
    """Return the slips as they stand in the source now; one whose place is gone is an error."""
    return [_found(root, f"src/msj/{file}", before, after) for file, before, after in LISTED]


def _found(root: Path, file: str, before: str, after: str) -> Mutant:
    text = (root / file).read_text(encoding="utf-8")
    if text.count(before) != 1:
        raise ValueError(f"{file} has {text.count(before)} times {before!r}, not once; mend verification/listed.py")
    start = text.index(before)
    line = text.count("\n", 0, start) + 1
    code = " ".join(text.splitlines()[line - 1].split())
    return Mutant(file, line, start, start + len(before), before, after, code)
