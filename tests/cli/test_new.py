"""``msj new`` writes what a newcomer starts from, and the first steps of ``msj --help`` work in an empty folder."""

import re
import shlex
from pathlib import Path

import pytest
from attempt import attempt

import msj
from msj.cli import FIRST_STEPS
from msj.cli.examples import example, examples
from msj.errors import InvalidInput

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_new_writes_a_commented_spec_file_that_can_be_asked_about():
    code, out, _ = attempt("new")
    assert code == 0
    assert "msj report cluster.toml" in out
    text = Path("cluster.toml").read_text(encoding="utf-8")
    assert text.count("#") > 15
    assert "Poisson" in text
    assert msj.read("cluster.toml").servers == 8
    assert attempt("analyse", "cluster.toml", "--no-percentiles")[0] == 0


def test_its_comments_name_the_file_that_was_asked_for():
    assert attempt("new", "mine.toml")[0] == 0
    text = Path("mine.toml").read_text(encoding="utf-8")
    assert "msj report mine.toml" in text
    assert "cluster.toml" not in text


def test_nothing_is_overwritten():
    Path("cluster.toml").write_text("mine", encoding="utf-8")
    code, _, said = attempt("new")
    assert code == 2
    assert "'cluster.toml' is there already and is not overwritten; name another FILE" in said
    assert Path("cluster.toml").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("name", examples())
def test_every_example_can_be_written_and_read(name):
    code, _, _ = attempt("new", "--example", name)
    assert code == 0
    (written,) = Path().iterdir()
    assert written.name == example(name).name
    if written.suffix == ".toml":
        assert msj.read(written) == msj.read(example(name))
    else:
        assert written.read_text(encoding="utf-8") == example(name).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("given", "file"),
    [("gpu", "gpu_training.toml"), ("two-servers", "two_servers.toml"), ("HPC", "hpc_partition.toml")],
)
def test_the_beginning_of_a_name_is_enough(given, file):
    assert example(given).name == file


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--example", "gup"), "unknown example 'gup'; known: best_packing,"),
        (("--example", "set"), None),
        (("--example", "small_cluster"), "did you mean small_cluster.csv or small_cluster.swf or"),
        (("mine.json",), "'mine.json' must end in .toml, as the example does; write mine.toml"),
        (("nowhere/mine.toml",), "'nowhere/mine.toml' cannot be used (No such file or directory); check the path"),
    ],
)  # fmt: skip
def test_what_cannot_be_written_is_said(arguments, sentence):
    code, _, said = attempt("new", *arguments)
    assert code == (2 if sentence else 0)
    assert (sentence or "") in said


def test_a_name_that_is_far_from_all_gets_the_list():
    with pytest.raises(InvalidInput, match=r"known: .*hpc_partition"):
        example("zzzz")


def test_an_example_that_is_not_here_is_offered():
    code, _, said = attempt("analyse", "examples/hpc_partition.toml")
    assert code == 2
    assert "it comes with msj: msj new --example hpc_partition writes it here" in said


def test_the_first_steps_work_in_an_empty_folder():
    fast = {"simulate": ("--jobs", "20000"), "compare": ("--jobs", "20000"), "replay": ("--shakes", "0")}
    slow = "report"  # tests/cli/test_report.py has reports of their own
    steps = [shlex.split(re.split(r"\s{2,}", line.strip())[0]) for line in FIRST_STEPS.splitlines() if "  msj " in line]
    assert [words[1] for words in steps][:2] == ["new", "report"]
    names = {"FILE": "cluster.toml", "LOG": "small_cluster.swf"}
    for words in steps:
        _, command, *rest = [names.get(word, word) for word in words]
        if command != slow:
            code, _, said = attempt(command, *rest, *fast.get(command, ()), seconds=60)
            assert code == 0, (words, said)


def test_the_wheel_is_told_to_carry_the_examples():
    pyproject = (REPOSITORY / "pyproject.toml").read_text(encoding="utf-8")
    assert '"examples" = "msj/examples"' in pyproject
