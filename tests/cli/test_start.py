"""How soon the command line answers what needs no computing.

Seconds are those the processor spent on it, the best of five: what else the machine does at the time does not count.
"""

import resource
import subprocess
import sys

import pytest


def spent():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def least_seconds(*arguments, times=5):
    found = []
    for _ in range(times):
        before = spent()
        subprocess.run([sys.executable, "-m", "msj", *arguments], capture_output=True, check=False)
        found.append(spent() - before)
    return min(found)


@pytest.mark.parametrize(
    ("arguments", "most"),
    [
        (["--help"], 0.2),
        ([], 0.2),
        (["--version"], 0.2),
        (["analyse", "nowhere.toml"], 0.5),
        (["simulate", "nowhere.toml", "--jobs", "1000"], 0.5),
        (["report", "nowhere.toml"], 0.5),
    ],
    ids=lambda given: " ".join(given) if isinstance(given, list) else "",
)
def test_it_answers_at_once(arguments, most):
    assert least_seconds(*arguments) <= most
