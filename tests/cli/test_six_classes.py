"""A cluster of six classes, seen on a screen of 80 columns."""

import re

import pytest
from result_in import result_in

SIX = """name = "six classes"
servers = 8
load = 0.7
""" + "".join(
    f"""[[classes]]
name = "{name}"
need = {need}
share = "{share}/10"
duration = {{ law = "exponential", mean = {mean} }}
"""
    for name, need, share, mean in [
        ("interactive", 1, 3, 0.5),
        ("small", 1, 2, 1),
        ("medium size", 2, 2, 1),
        ("large", 4, 1, 2),
        ("gpu-training", 4, 1, 3),
        ("whole-machine", 8, 1, 1),
    ]
)
COMMANDS = [
    ("analyse",),
    ("curve", "--loads", "0,0.5,0.9,0.95,0.99"),
    ("simulate", "--jobs", "20000", "--seed", "1"),
    ("compare", "--policies", "fcfs,first-fit,easy-backfilling,server-filling", "--jobs", "20000", "--seed", "1"),
    ("waste", "--vary", "servers=8..12"),
    ("scaling", "cluster", "--servers", "8,16", "--seed", "1"),
    ("scaling", "zero-queueing", "--jobs", "20000", "--seed", "1"),
    ("fluid", "--until", "5"),
    ("list", "analyses"),
    ("list", "policies"),
]


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "six.toml"
    path.write_text(SIX)
    return path


def asked(words, path):
    at = 2 if words[0] in ("scaling", "list") else 1
    return *words[:at], path, *words[at:]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_what_is_printed_fits_80_columns(run, path, words):
    code, out, _ = run(*asked(words, path))
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80


def test_every_class_and_every_number_of_an_analysis_is_shown_whole(run, path):
    _, out, _ = run("analyse", path)
    result = result_in(run("analyse", path, "--json")[1])
    for row in result:  # fewer digits where classes stand side by side
        written = {f"{row.value:.7g}", f"{row.value:.10g}"}
        assert any(re.search(rf"(?<![\d.]){re.escape(text)}(?![\d.])", out) for text in written), row
    headings = " ".join(line for line in out.splitlines() if line.startswith("quantity"))
    for name in ("interactive", "small", "medium size", "large", "gpu-training", "whole-machine"):
        assert headings.count(name) == 2  # means, percentiles
