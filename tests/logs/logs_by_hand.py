"""Slow, plain readers and rules: no code in common with those of msj.logs."""

import gzip
import re
from pathlib import Path

DATA = Path(__file__).parents[3] / "shared" / "data"
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$")


def text_of(path):
    content = Path(path).read_bytes()
    return (gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content).decode("utf-8", "replace")


def swf_slowly(text, servers):
    """Return jobs as (submit, number, wait, run, need, estimate) in order, and counts of what was left out."""
    jobs, out, lines = [], {}, []
    for line in re.split(r"\r\n|\n|\r", text.removeprefix("\ufeff")):
        if not line.strip(" \t") or line.strip(" \t").startswith(";"):
            continue
        words = re.split(r"[ \t]+", line.strip(" \t"))[:18]
        good = len(words) >= 5 and all(NUMBER.match(word) for word in words)
        lines.append([float(word) for word in words] + [-1.0] * (18 - len(words)) if good else None)
    whole = {row[0] for row in lines if row and row[10] not in (2, 3, 4)}
    pieces = {}
    for row in lines:
        reason = None
        if row is None:
            reason = "bad-line"
        elif row[10] in (2, 3, 4):
            if row[0] in whole or row[0] in pieces:
                reason = "piece"
                if row[0] in pieces:  # joined to the first one
                    pieces[row[0]][3] += max(row[3], 0)
                    pieces[row[0]][4] = max(pieces[row[0]][4], row[4])
            else:
                pieces[row[0]] = row
        if reason is not None:
            out[reason] = out.get(reason, 0) + 1
            continue
        jobs.append(row)
    found = []
    for row in jobs:
        need = row[4] if row[4] > 0 else row[7]
        checks = (
            (row[3] <= 0, "no-run-time"), (need <= 0 or need != int(need), "no-need"), (row[1] < 0, "no-submit"),
            (servers is not None and need > servers, "needs-too-many"),
        )  # fmt: skip
        reason = next((name for wrong, name in checks if wrong), None)
        if reason is None:
            found.append((row[1], row[0], row[2], row[3], int(need), row[8]))
        else:
            out[reason] = out.get(reason, 0) + 1
    return sorted(found, key=lambda job: job[:2]), out


def counts(trace):
    return {reason.value: count for reason, (count, _) in trace.left_out.items()}


def accounted(trace):
    """Every row is used or left out for one reason."""
    return trace.rows == len(trace) + sum(count for count, _ in trace.left_out.values())
