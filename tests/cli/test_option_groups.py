"""Groups of options: what a command line gives becomes the value of a field; the others keep their defaults."""

from datetime import datetime
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from msj.cli.cluster_options import ClusterOptions
from msj.cli.options import options_of
from msj.cli.output import Output
from msj.options import (
    CompareOptions,
    FittingOptions,
    PlanOptions,
    ReplayOptions,
    SimulateOptions,
    SweepOptions,
    fields_of,
)

# Of each kind: what is written on the command line, and the value it means.
KINDS = {
    "text": ("some", "some"),
    "whole": ("7", 7),
    "servers": ("8", 8),
    "number": ("0.25", 0.25),
    "jobs": ("1e6", 10**6),
    "replications": ("3", 3),
    "workers": ("2", 2),
    "shakes": ("5", 5),
    "draws": ("6", 6),
    "seed": ("0", 0),
    "path": ("some/where", Path("some/where")),
    "flag": (None, True),
    "off": (None, False),
    "several": ("p95 wait <= 1", ("p95 wait <= 1",)),
    "levels": ("50,99.9", (50.0, 99.9)),
    "policy": ("{ name = 'first-fit', window = 4 }", {"name": "first-fit", "window": 4}),
    "policies": ("fcfs,{ name = 'first-fit', window = 4 }", ["fcfs", {"name": "first-fit", "window": 4}]),
}
# Texts with a meaning of their own, and what they mean.
OWN = {
    "columns": ("submit=a,need=b", {"submit": "a", "need": "b"}),
    "servers_are": ("gpus", "gpus"),
    "time_unit": ("h", "hours"),
    "wait_from": ("submit", "submit"),
    "from_time": ("2024-03-01", datetime(2024, 3, 1)),
    "until_time": ("7.5", 7.5),
    "estimates": ("factor:2", "factor:2"),
    "overruns": ("cut", "cut"),
}
GROUPS = [
    SimulateOptions,
    CompareOptions,
    ReplayOptions,
    FittingOptions,
    PlanOptions,
    SweepOptions,
    ClusterOptions,
    Output,
]


def asked_for(group, *words):
    """Return the group that a command gets from the words of a command line."""
    found = []
    command = click.command()(options_of(group, "asked")(lambda asked: found.append(asked)))
    answer = CliRunner().invoke(command, list(words), catch_exceptions=False)
    assert answer.exit_code == 0, answer.output
    return found[0]


@pytest.mark.parametrize("group", GROUPS)
def test_every_option_arrives_as_the_field_of_its_name(group):
    assert asked_for(group) == group()
    assert asked_for(group).given() == {}
    for one in fields_of(group):
        if "kind" not in one.metadata:
            continue
        words, value = OWN.get(one.name, KINDS[one.metadata["kind"]])
        for flag in one.metadata["flags"] or (f"--{one.name.replace('_', '-')}",):
            found = asked_for(group, flag, *(() if words is None else (words,)))
            assert found.given() == {one.name: value}, flag


@pytest.mark.parametrize("group", GROUPS)
def test_help_shows_every_default_and_no_odd_limits(group):
    command = click.command()(options_of(group, "asked")(lambda asked: None))
    text = " ".join(CliRunner().invoke(command, ["--help"], terminal_width=200).output.split())
    assert "None" not in text
    for one in fields_of(group):
        if "kind" in one.metadata:
            assert one.metadata["help"] in text
