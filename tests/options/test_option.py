"""Functions whose parameters are the fields of a group of options."""

import inspect
import subprocess
import sys
from dataclasses import dataclass, field

import numpy as np
import pytest

import msj
from msj.options import Options, SeedOptions, argument, option, takes


@dataclass(frozen=True, kw_only=True)
class Size(Options):
    servers: int = option(2, "Number of servers.", metavar="N", kind="whole", python="An integer.")
    hidden: int = argument(3, "Only in Python.")


@dataclass(frozen=True)
class Question(Size, SeedOptions):
    name: str = field(metadata={"help": "Its name."})


@takes(Question)
def ask(asked: Question) -> list:
    """Answer.

    Examples
    --------
    >>> 1
    1
    """
    return [asked.name, asked.servers, asked.seed, asked.part(Size)]


def test_fields_are_the_parameters_of_the_function():
    assert ask("a", seed=5)[:3] == ["a", 2, 5]
    assert ask(name="a", servers=4)[3] == {"servers": 4, "hidden": 3}
    assert list(inspect.signature(ask).parameters) == ["name", "servers", "seed", "hidden", "rng"]
    assert inspect.signature(ask).return_annotation is list
    for wrong in ({}, {"name": "a", "server": 3}):
        with pytest.raises(TypeError):
            ask(**wrong)
    with pytest.raises(TypeError):
        ask("a", 3)


def test_the_documentation_is_made_from_the_fields():
    before, after = inspect.getdoc(ask).split("Examples\n--------")
    assert before.startswith(
        "Answer.\n\nParameters\n----------\nname\n    Its name.\nservers\n    Number of servers. An"
    )
    assert "Default: a fresh one." in before
    assert after.strip() == ">>> 1\n1"


def test_only_what_differs_from_the_default_is_given():
    assert Size().given() == {}
    assert Size(servers=2, hidden=4).given() == {"hidden": 4}


@pytest.mark.parametrize("seed", [7, [1, 2], np.random.SeedSequence(7), np.random.default_rng(7)], ids=type)
def test_a_seed_is_a_number_several_a_sequence_or_a_generator(seed):
    found = msj.simulate("examples/two_servers.toml", jobs=2000, seed=seed)
    again = msj.simulate("examples/two_servers.toml", jobs=2000, rng=found.provenance["seed"])
    assert found.quantities == again.quantities


def test_workers_and_processes_are_one_thing():
    found = [
        msj.simulate("examples/two_servers.toml", jobs=20_000, replications=2, seed=1, **{name: 2})
        for name in ("workers", "processes")
    ]
    assert found[0].quantities == found[1].quantities
    with pytest.raises(msj.InvalidInput, match="processes = 0"):
        msj.simulate("examples/two_servers.toml", jobs=2000, processes=0)


def test_options_are_known_without_numpy():
    code = "import sys, msj.options; assert not {'numpy', 'scipy', 'numba'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
