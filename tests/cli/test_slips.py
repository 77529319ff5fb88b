"""What people mistype is answered with the value, the rule and the fix."""

import pytest
from attempt import attempt

from msj.cli.options import WholeNumber

A_SHARE = "must be a share, where 1 is all the cluster takes"
NOT_THERE = "cannot be read (No such file or directory)"
SPEC = """
servers = 2
policy = "fcfs"
load = 0.8

[[classes]]
name = "all"
need = 1
share = 1
duration = { law = "exponential", mean = 1 }
"""


@pytest.fixture
def refused(tmp_path, monkeypatch):
    """Return what is said of the spec file after one of its lines was changed."""
    monkeypatch.chdir(tmp_path)

    def ask(old, new, *, suffix=".toml", text=SPEC):
        assert old in text
        (tmp_path / f"mine{suffix}").write_text(text.replace(old, new), encoding="utf-8")
        code, _, said = attempt("analyse", f"mine{suffix}")
        assert code == 2
        return said

    return ask


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("load = 0.8", "load = 80", f"load = 80 {A_SHARE}; for 80 % write load = 0.8"),
        ("load = 0.8", "utilisation = 12.5", "for 12.5 % write utilisation = 0.125"),
        ('"fcfs"', '"easy"', "unknown policy 'easy'; did you mean 'easy-backfilling'?"),
        ('"fcfs"', '"FCFS"', "unknown policy 'FCFS'; did you mean 'fcfs'?"),
        ('"fcfs"', '"First_Fit"', "unknown policy 'First_Fit'; did you mean 'first-fit'?"),
        ("0.8", "0,8", "(at line 4, column 9); decimals take a point: write 0.8 instead of 0,8"),
        ("0.8", "0,8  # of what it takes", "write 0.8 instead of 0,8"),
        ("mean = 1 }", "mean = 1,5 }", "write 1.5 instead of 1,5"),
        ("0.8", '"0,8"', "load = '0,8' is not a number; decimals take a point: write 0.8"),
        ("0.8", "80%", "write 80 % as a share, 0.8"),
        ("0.8", '"80 %"', "load = '80 %' is not a number; write it as a share, 0.8"),
        ('"fcfs"', "“fcfs”", "the line has the typographic quote “: write straight quotes, \""),
        ('"all"', "‘all’", "the line has the typographic quote ‘"),
        (SPEC[SPEC.index("[[") :], "", "key 'classes' is missing; add at least one [[classes]] table"),
        ("servers = 2", "", "key 'servers' is missing; add servers = ..."),
        ("need = 1", "need = = 1", "correct that line"),
    ],
)  # fmt: skip
def test_a_slip_in_a_spec_file_is_answered_with_its_fix(refused, old, new, sentence):
    assert sentence in refused(old, new)


def test_json_gets_the_same_hints(refused):
    text = '{\n"servers": 2,\n"load": 0.8,\n"policy": "fcfs"\n}'
    assert "line 3; decimals take a point: write 0.8 instead of 0,8" in refused("0.8", "0,8", suffix=".json", text=text)
    assert "line 4; the line has the typographic quote “" in refused('"fcfs"', "“fcfs”", suffix=".json", text=text)


def test_typographic_quotes_inside_a_text_are_nobodys_fault(tmp_path):
    (tmp_path / "mine.toml").write_text(SPEC.replace('"all"', '"the “all” class"'), encoding="utf-8")
    assert attempt("analyse", tmp_path / "mine.toml")[0] == 0


@pytest.mark.parametrize("load", ["2", "10", "1000"])
def test_too_much_is_a_question_and_not_a_slip(tmp_path, load):
    (tmp_path / "mine.toml").write_text(SPEC.replace("0.8", load), encoding="utf-8")
    assert attempt("analyse", tmp_path / "mine.toml")[0] == 1


@pytest.mark.parametrize("written", ["20000", "2e4", "2E4", "20_000", "2.0e4"])
def test_a_number_of_jobs_may_be_written_as_a_power_of_ten(tmp_path, written):
    (tmp_path / "mine.toml").write_text(SPEC, encoding="utf-8")
    _, out, _ = attempt("simulate", tmp_path / "mine.toml", "--jobs", written, "--seed", "1e1")
    assert "20,000 jobs" in out
    assert WholeNumber().convert(written, None, None) == 20_000


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--jobs", "1.5"), "'1.5' is not a valid whole number"),
        (("--jobs", "1.5e0"), "'1.5e0' is not a valid whole number"),
        (("--jobs", "many"), "'many' is not a valid whole number"),
        (("--seed", "-1"), "'--seed': -1 is no seed; give a whole number from 0"),
        (("--seed", "x"), "'--seed': 'x' is not a valid seed"),
        (("--load", "0,5"), "load = '0,5' is not a number; decimals take a point: write 0.5"),
        (("--load", "80"), "for 80 % write load = 0.8"),
        (("--policy", "easy"), "did you mean 'easy-backfilling'?"),
    ],
)
def test_a_slip_on_the_command_line_is_answered_with_its_fix(options, sentence):
    code, _, said = attempt("simulate", "examples/two_servers.toml", *options)
    assert code == 2
    assert sentence in said


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("nowhere/mine.toml", f"nowhere/mine.toml: {NOT_THERE}; there is no folder 'nowhere'"),
        ("inner/clutser.toml", f"inner/clutser.toml: {NOT_THERE}; did you mean 'inner/cluster.toml'?"),
        ("inner/unlike.toml", f"inner/unlike.toml: {NOT_THERE}; check the path"),
    ],
)  # fmt: skip
def test_a_file_that_is_not_there_is_named_with_its_folder(tmp_path, monkeypatch, given, sentence):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "cluster.toml").write_text(SPEC, encoding="utf-8")
    (tmp_path / "inner" / "g.toml").write_text(SPEC, encoding="utf-8")
    code, _, said = attempt("analyse", given)
    assert code == 2
    assert sentence in said
