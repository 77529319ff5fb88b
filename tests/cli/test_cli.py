"""The command line, run as users run it."""

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from result_in import result_in

import msj

EXAMPLE = "examples/two_servers.toml"


def test_msj_alone_says_what_to_do_first(run):
    code, out, _ = run()
    assert code == 0
    assert "msj new" in out
    assert "msj analyse FILE" in out


def test_analyse_prints_a_table(run):
    code, out, err = run("analyse", EXAMPLE)
    assert (code, err) == (0, "")
    assert out.startswith("two servers: solved")
    assert "stability_threshold" in out
    assert "reset, Theorem 4.2" in out


def test_analyse_json_has_the_contract_keys(run):
    code, out, _ = run("analyse", EXAMPLE, "--json")
    document = json.loads(out)
    assert code == 0
    assert {"system", "outcome", "quantities", "provenance"} <= set(document)
    assert document["outcome"] == "solved"
    rows = {(row["name"], row["class"]): row for row in document["quantities"]}
    for row in rows.values():
        assert {"name", "value", "kind", "method", "class", "low", "high"} <= set(row)
    names = {name for name, _ in rows}
    assert {
        "stability_threshold", "naive_threshold", "wasted_servers", "saturated_utilisation",
        "relative_completions_at_departure", "predicted_mean_response_time",
    } <= names  # fmt: skip
    assert rows["wasted_servers", None]["value"] == pytest.approx(0.2)
    assert msj.model.spec_file.from_document(document["system"]) == msj.read(EXAMPLE)


def test_analyse_csv(run):
    _, out, _ = run("analyse", EXAMPLE, "--csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert float(rows[0]["value"]) == pytest.approx(0.9)


@pytest.mark.parametrize(
    "flags", [("--load", "0.5"), ("--arrival-rate", "0.45"), ("--utilisation", "0.45"), ("--load", "1/2")]
)
def test_load_from_the_command_line(run, flags):
    _, out, _ = run("analyse", EXAMPLE, "--json", *flags)
    rows = {row["name"]: row["value"] for row in json.loads(out)["quantities"] if row["class"] is None}
    assert rows["load"] == pytest.approx(0.5)


def test_states_are_listed(run):
    code, out, _ = run("analyse", EXAMPLE, "--states", 2)
    assert code == 0
    likeliest = [line.split() for line in out.splitlines()[-2:]]
    assert [line[:2] + line[-1:] for line in likeliest] == [["1", "large", "-0.37"], ["2", "small", "1.38"]]


def test_states_and_law_are_rows_like_any_other(run):
    _, out, _ = run("analyse", EXAMPLE, "--states", 3, "--law", 2, "--json")
    found = result_in(out)
    values = {state: row.value for state, row in found.along("state", "relative_completions")}
    assert values == pytest.approx({"1 large": -0.37, "2 small": 1.38, "1 small": -0.27})
    law = {n: row.value for n, row in found.along("jobs", "jobs_in_system_probability")}
    assert law == pytest.approx({0: 0.169337, 1: 0.151854, 2: 0.108602}, abs=1e-6)
    assert run("analyse", EXAMPLE, "--states", 3, "--law", 2, "--csv")[0] == 0


def test_the_law_of_the_number_in_system_is_listed(run):
    code, out, _ = run("analyse", EXAMPLE, "--law", 1, "--no-percentiles")
    assert code == 0
    assert [float(line.split()[1]) for line in out.splitlines()[-2:]] == pytest.approx([0.169337, 0.151854], abs=1e-6)


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["analyse", "nowhere.toml"], 2, "nowhere.toml: cannot be read"),
        (["analyse", EXAMPLE, "--load", "much"], 2, "load = 'much' is not a number"),
        (["analyse", EXAMPLE, "--load", "1", "--arrival-rate", "2"], 2, "both given"),
        (["analyse", EXAMPLE, "--states", "0"], 2, "0 is not in the range"),
        (["analyse", EXAMPLE, "--json", "--csv"], 2, "--json and --csv are both given"),
        (["analyse", EXAMPLE, "--no-exact", "--percentiles"], 2, "contradict each other"),
        (["analyse", EXAMPLE, "--load", "1e400"], 2, "out of range"),
        (["analyse", EXAMPLE, "--load", "1e99999999"], 2, "out of range"),
        (["analyse"], 2, "Missing argument"),
        (["analize", EXAMPLE], 2, "No such command"),
        (["list", "durationz"], 2, "'durationz' is not one of"),
    ],
)
def test_bad_input_gets_one_sentence(run, arguments, code, sentence):
    found, out, err = run(*arguments)
    assert found == code
    assert sentence in err
    assert "Traceback" not in out + err


@pytest.mark.parametrize("load", ["1", "1.2", "1000"])
def test_too_much_load_is_an_answer_and_the_answer_is_no(run, load):
    code, out, err = run("analyse", EXAMPLE, "--load", load)
    assert (code, err) == (1, "")
    assert out.startswith("two servers: unstable: the queue keeps growing")
    assert "stability_threshold                0.9" in out
    assert f"The arrival rate {0.9 * float(load):.6g} is not below the stability threshold 0.9" in out
    assert "mean_response_time" not in out


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("servers = ", "is not TOML"),
        ("servers = 3", "key 'classes' is missing"),
        ("\x00", "is not TOML"),
    ],
)
def test_bad_files_are_named(run, tmp_path, text, sentence):
    path = tmp_path / "cluster.toml"
    path.write_text(text, encoding="utf-8")
    code, _, err = run("analyse", path)
    assert code == 2
    assert err.startswith("msj: cluster.toml: ")
    assert sentence in err


def test_a_file_that_is_not_text(run, tmp_path):
    path = tmp_path / "cluster.toml"
    path.write_bytes(b"\xff\xfe\x00")
    assert run("analyse", path)[0] == 2
    assert run("analyse", tmp_path)[0] == 2


@pytest.mark.parametrize("what", ["durations", "policies", "analyses"])
def test_list(run, what):
    code, out, _ = run("list", what)
    assert code == 0
    assert len(out.splitlines()) > 1
    code, out, _ = run("list", what, EXAMPLE, "--json")
    assert code == 0
    assert {"name", "what it is"} <= set(json.loads(out)[0])


def test_the_quantities_are_listed_with_unit_and_meaning(run):
    code, out, _ = run("list", "quantities")
    assert (code, "mean_response_time" in out, "from arrival to" in out) == (0, True, True)
    [row] = json.loads(run("list", "quantities", "arrival_rate", "--json")[1])
    assert (row["name"], row["unit"]) == ("arrival_rate", "1/time")
    code, _, err = run("list", "quantities", "mean_respons_time")
    assert (code, "did you mean 'mean_response_time'?" in err) == (2, True)
    code, _, err = run("list", "quantities", EXAMPLE)
    assert (code, "mean the same whatever the file" in err) == (2, True)


def test_list_says_why_something_does_not_apply(run, tmp_path):
    path = tmp_path / "fixed.toml"
    path.write_text(
        'servers = 2\n[[classes]]\nname="a"\nneed=1\nshare=1\nduration={law="deterministic", value=1}\n',
        encoding="utf-8",
    )
    _, out, _ = run("list", "analyses", path, "--json")
    applies = {row["name"]: row["applies"] for row in json.loads(out)}
    assert applies["saturated-chain"].startswith("no: class 'a' has deterministic durations")
    _, out, _ = run("list", "analyses", path)
    assert max(map(len, out.splitlines())) <= 80


def test_help_answers_without_the_heavy_libraries():
    code = (
        "import sys\n"
        "from msj.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'scipy', 'sympy', 'matplotlib', 'pandas', 'rich'} & set(sys.modules)\n"
        "print('HEAVY', sorted(heavy))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "HEAVY []"


def test_python_dash_m():
    done = subprocess.run(
        [sys.executable, "-m", "msj", "analyse", EXAMPLE], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert "stability_threshold" in done.stdout


def test_every_example_is_analysed(run):
    for path in sorted(Path("examples").glob("*.toml")):
        code, out, err = run("analyse", path)
        assert (code, err) == (0, ""), path
        assert "nan" not in out


@pytest.mark.parametrize("command", ["analyse", "compare", "curve", "list", "simulate", "symbolic", "waste"])
def test_help_shows_examples_on_lines_of_their_own(run, command):
    code, out, _ = run(command, "--help")
    assert code == 0
    assert "\n  Examples:\n    msj " in out


@pytest.mark.parametrize(
    ("duration", "sentence"),
    [
        ('{law="coxian", rates=5}', "rates = 5 must be a non-empty list"),
        ('{law="coxian", rates=[5], continue=0.5}', "continue = 0.5 must be a non-empty list"),
        ('{law="fit", mean=1, cv=1e90}', "cv = 1e+90 is too large"),
        ('{law="exponential", mean="1e400"}', "out of range"),
        ('{law="erlang", stages=5000, mean=1}', "5,000 stages are more phases than any chain can hold"),
        ('{law="exponential", mean=1' + "0" * 5000 + "}", "correct that number"),
    ],
)
def test_durations_beyond_reason(run, tmp_path, duration, sentence):
    path = tmp_path / "cluster.toml"
    path.write_text(f'servers=2\nload=0.5\n[[classes]]\nname="a"\nneed=1\nshare=1\nduration={duration}\n', "utf-8")
    code, _, err = run("analyse", path)
    assert code == 2
    assert err.startswith("msj: cluster.toml: ")
    assert sentence in err
    assert len(err) < 400


def test_a_class_that_never_arrives_may_have_any_law(run, tmp_path):
    path = tmp_path / "cluster.toml"
    text = Path(EXAMPLE).read_text(encoding="utf-8")
    never = '\n[[classes]]\nname="never"\nneed=2\nshare=0\nduration={law="lognormal", mean=1, cv=2}\n'
    path.write_text(text + never, encoding="utf-8")
    for command in (["analyse"], ["curve", "--loads", "0.5"]):
        code, out, _ = run(command[0], path, *command[1:])
        assert code == 0
        assert "never" not in out


def test_a_reader_that_leaves_early_is_no_failure():
    command = f"{sys.executable} -m msj analyse {EXAMPLE} --law 20000 | head -1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
