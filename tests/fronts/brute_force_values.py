"""What the brute force says of every case, computed once and kept beside it; with PYTHONPATH=tests it writes it anew.

Rows of the open system by name, ``mean_response_time 0`` for class 0, and ``throughput`` with one more job than
servers always present: nobody looks further.
"""

import json
from pathlib import Path

from fronts.brute_force_cases import CASES
from fronts.brute_force_parts import saturated, solved

KEPT = Path(__file__).with_suffix(".json")
SERVER_ROWS = ["busy_servers", "idle_servers", "set_up_servers", "off_servers", "broken_servers", "paying_servers"]


def kept():
    return json.loads(KEPT.read_text())


def computed(name):
    parts, shares, rate, most = CASES[name]
    found = solved(parts, shares, rate, most)
    rows = {row: found[row] for row in ["mean_response_time", *SERVER_ROWS]}
    for c in range(len(shares)):
        rows[f"mean_response_time {c}"] = found["mean_response_time", c]
    return {**rows, "throughput": throughput(name)}


def throughput(name):
    parts, shares, _, _ = CASES[name]
    return saturated(parts, shares, 1 + sum(group[0] for group in parts["groups"]))["throughput"]


if __name__ == "__main__":
    KEPT.write_text(json.dumps({name: computed(name) for name in CASES}, indent=1) + "\n")
