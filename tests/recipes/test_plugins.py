"""Files on MSJ_PATH: found where they are asked for only, never in place of another, and never an old version."""

import json
import os
import re
import subprocess
import sys

import pytest
from test_contributing import RECIPES

import msj
from msj.cli.options import complete_policies
from msj.plugins import folders, name_of
from msj.registry import ANALYSES, ARRIVALS, DURATIONS, ENVIRONMENTS, OPEN, ORDERS, POLICIES, files_behind

SKIP, TRIANGLE = RECIPES["skip_one.py"], RECIPES["triangular.py"]


def test_nothing_is_taken_from_the_current_folder_unasked(put, monkeypatch):
    file = put("skip_one.py", SKIP)
    monkeypatch.chdir(file.parent)
    for value in ("", os.pathsep, os.pathsep * 2):
        monkeypatch.setenv("MSJ_PATH", value)
        assert folders() == ()
        assert "skip-one" not in POLICIES.names()
    monkeypatch.setenv("MSJ_PATH", ".")
    assert "skip-one" in POLICIES.names()


def test_several_folders(put, tmp_path, monkeypatch):
    put("skip_one.py", SKIP)
    other = tmp_path / "other"
    other.mkdir()
    (other / "triangular.py").write_text(TRIANGLE)
    (other / "helper.py").write_text("raise RuntimeError('no variant, so nobody reads it')")
    monkeypatch.setenv("MSJ_PATH", os.pathsep.join([os.environ["MSJ_PATH"], str(other)]))
    assert list(POLICIES.added()) == ["skip-one"]
    assert list(DURATIONS.added()) == ["triangular"]
    assert list(ANALYSES.added()) == []
    (other / "skip_one.py").write_text(SKIP)
    with pytest.raises(msj.InvalidInput, match=r"2 files for 'skip-one', .*variants.* and .*other.*; rename all but"):
        POLICIES.get("skip-one")
    put("skip_one.py", "nothing = 0\n")  # no variant, but it has the name of the module
    with pytest.raises(msj.InvalidInput, match=r"variants.skip_one.py' stands in front of '.*other.skip_one.py'; ren"):
        POLICIES.get("skip-one")


def test_another_folder_is_another_variant(put, tmp_path, monkeypatch):
    first = put("skip_one.py", SKIP).parent
    second = tmp_path / "second"
    second.mkdir()
    (second / "skip_one.py").write_text(SKIP.replace("front: ClassVar[int] = 2", "front: ClassVar[int] = 3"))
    for folder, front in ((first, 2), (second, 3), (first, 2)):
        monkeypatch.setenv("MSJ_PATH", str(folder))
        assert POLICIES.get("skip-one").front == front


def test_what_is_no_name_is_refused_as_ever(put):
    put("skip_one.py", SKIP)
    with pytest.raises(msj.InvalidInput, match=r"unknown policy '\['fcfs'\]'"):
        POLICIES.get(["fcfs"])


def test_a_folder_that_is_not_there_is_said(run, monkeypatch):
    monkeypatch.setenv("MSJ_PATH", "/nowhere/at/all")
    code, out, err = run("list", "policies")
    assert (code, out) == (2, "")
    assert "MSJ_PATH names '/nowhere/at/all', which is no folder; correct or unset MSJ_PATH" in err


@pytest.mark.parametrize("catalogue", OPEN, ids=lambda catalogue: catalogue.kind)
def test_msjs_own_names_cannot_be_taken(catalogue, put):
    own = catalogue.names()[0]
    recipe = {
        POLICIES: SKIP,
        DURATIONS: TRIANGLE,
        ARRIVALS: RECIPES["every_nth.py"],
        ORDERS: "from msj.model.orders import Order\n\n\nclass Own(Order):\n    pass\n\n\nVARIANT = Own\n",
        ANALYSES: RECIPES["no_two_fit.py"],
        ENVIRONMENTS: "from msj.model.environments import Breakdowns\n\n\nVARIANT = Breakdowns\n",
    }.get(catalogue, RECIPES["one_at_a_time.py"])
    put(f"{own.replace('-', '_')}.py", recipe)
    with pytest.raises(msj.InvalidInput, match=f"takes the name of msj's own {catalogue.kind} '{own}'; rename it"):
        catalogue.get(own)
    assert catalogue.names().count(own) == 1
    assert len(list(catalogue)) == len(catalogue.names())
    assert [broken.name for broken in catalogue.broken()] == [own]


def test_a_law_may_be_called_as_a_policy_is(put):
    put("fcfs.py", TRIANGLE.replace('"triangular"', '"fcfs"'))
    assert POLICIES.get("fcfs") is msj.Fcfs
    assert DURATIONS.get("fcfs").__name__ == "Triangular"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("x = (\nVARIANT = 3\n", r"broken.py', line \d: SyntaxError: .*; correct the file"),
        ("import nothing_of_that_name\nVARIANT = 3\n", "broken.py', line 1: ModuleNotFoundError: No module named"),
        ("\n\n1 / 0\nVARIANT = 3\n", "broken.py', line 3: ZeroDivisionError: division by zero; correct the file"),
        ("\nraise SystemExit(3)\nVARIANT = 3\n", "broken.py', line 2: SystemExit: 3"),
        ("\nimport msj\nmsj.Exponential(mean=0)\nVARIANT = 3\n", "broken.py', line 3: mean = 0 must be greater than 0"),
        ("\nVARIANT = 3\n", r"VARIANT in '.*broken.py' is 3; derive it from msj.model.durations.base.Duration or"),
        (SKIP, "the policy in '.*broken.py' calls itself 'skip-one'; set name = 'broken', or rename the file"),
        (
            SKIP.replace('"skip-one"', '"broken"').replace("def serve(", "def choose("),
            "policy 'broken' in '.*broken.py' lacks serve",
        ),
        (b"\xff\nVARIANT = 3\n", "broken.py', line 1: SyntaxError"),
        (
            SKIP.replace('"skip-one"', '"broken"').replace("    summary:", "    about:"),
            "policy 'broken' in '.*broken.py' lacks summary; add it",
        ),
        ('TEXT = """\nVARIANT = 3\n"""\n', "broken.py' sets no VARIANT"),
    ],
)
def test_a_broken_file_is_listed_with_its_reason_beside_the_others(folder, put, run, ask, text, sentence):
    put("skip_one.py", SKIP)
    file = folder / "broken.py"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    assert "broken" not in POLICIES.names()
    (broken,) = POLICIES.broken()
    assert (broken.name, broken.file) == ("broken", file)
    assert re.search(f"MSJ_PATH: .*{sentence}", broken.reason)
    code, out, _ = run("list", "policies")
    assert code == 0
    assert "skip-one" in out
    assert f"\n  broken: {broken.reason}\n" in out
    rows = {row["name"]: row for row in ask("list", "policies")}
    assert (rows["broken"]["broken"], rows["broken"]["file"]) == (broken.reason, str(file))
    assert rows["skip-one"]["broken"] == rows["fcfs"]["broken"] == ""
    code, out, err = run("list", "policies", "broken")
    assert (code, out) == (2, "")
    assert "Traceback" not in err
    with pytest.raises(msj.InvalidInput) as caught:
        POLICIES.get("broken")
    assert str(caught.value) == broken.reason


def test_a_broken_file_stands_in_nobodys_way(put, run, cluster):
    put("skip_one.py", SKIP)
    put("broken.py", "1 / 0\n\nVARIANT = 3\n")
    path = cluster('policy = "skip-one"\narrival_rate = 0.5')
    found = msj.analyse(path, percentiles=False)
    assert found.provenance["question"]["files"].keys() == {"skip-one"}
    assert msj.rerun(found).quantities == found.quantities
    code, _, err = run("analyse", cluster('policy = "skip-on"\narrival_rate = 0.5'))
    assert code == 2
    assert "unknown policy 'skip-on'; did you mean 'skip-one'?" in err
    code, _, err = run("simulate", cluster('policy = "broken"\narrival_rate = 0.5'))
    assert code == 2
    assert "broken.py', line 1: ZeroDivisionError" in err
    assert [item.value for item in complete_policies(None, None, "fcfs,sk")] == ["fcfs,skip-one"]
    for kind in ("durations", "arrivals", "orders", "policies", "models", "environments", "analyses"):
        code, out, _ = run("list", kind)
        assert code == 0
        assert "\n  broken: MSJ_PATH" in out


def test_a_file_of_a_known_kind_is_broken_in_its_catalogue_only(put):
    put("broken.py", TRIANGLE)
    assert [broken.name for broken in DURATIONS.broken()] == ["broken"]
    assert POLICIES.broken() == ANALYSES.broken() == ()


def test_files_that_cannot_be_read_or_named_are_broken(put, folder):
    put("skip_one.py", SKIP)
    put("no-name.py", SKIP)
    (folder / "gone.py").symlink_to(folder / "nowhere")
    (folder / "folder.py").mkdir()
    reasons = {broken.name: broken.reason for broken in POLICIES.broken()}
    assert reasons.keys() == {"gone", "no-name"}
    assert "gone.py' cannot be read (No such file or directory); check the file" in reasons["gone"]
    assert "no-name.py' has no Python name; use letters, digits and _ only" in reasons["no-name"]
    assert files_behind({"classes": [{"name": "gone"}], "policy": "skip-one"}).keys() == {"skip-one"}
    for name in reasons:
        with pytest.raises(msj.InvalidInput, match=re.escape(reasons[name])):
            POLICIES.get(name)


def test_a_corrected_file_is_no_longer_broken(put):
    put("skip_one.py", "1 / 0\n\nVARIANT = 3\n")
    assert len(POLICIES.broken()) == 1
    put("skip_one.py", SKIP)
    assert POLICIES.broken() == ()
    assert POLICIES.get("skip-one").name == "skip-one"


def test_a_policy_without_default_options_is_listed_as_not_applying(put, ask, cluster):
    put("skip_one.py", SKIP.replace("    @property\n", "    depth: int\n\n    @property\n", 1))
    rows = {row["name"]: row["applies"] for row in ask("list", "policies", cluster("arrival_rate = 0.5"))}
    assert rows["skip-one"] == "no: policy 'skip-one' has no depth; add depth = ..."
    assert rows["fcfs"] == "yes"


def test_a_mistake_that_shows_later_is_the_files_too(put, run, cluster):
    put("skip_one.py", SKIP.replace("        return skip_one", "        return not_there"))
    code, _, err = run("simulate", cluster('policy = "skip-one"\narrival_rate = 0.5'), "--jobs", "1000")
    assert code == 2
    assert "skip_one.py', line" in err
    assert "NameError: name 'not_there' is not defined; correct the file" in err
    assert "defect of msj" not in err


def test_an_edited_file_is_another_answer(put, cluster):
    put("skip_one.py", SKIP)
    path = cluster('policy = "skip-one"\narrival_rate = 0.72')
    before = msj.analyse(path, percentiles=False)
    put("skip_one.py", SKIP.replace("passed_over < 2", "passed_over < 1"))  # that is FCFS
    after = msj.analyse(path, percentiles=False)
    fcfs = msj.analyse(msj.read(path).replace(policy="fcfs"), percentiles=False)
    assert after["mean_response_time"] == pytest.approx(fcfs["mean_response_time"], rel=1e-9)
    assert before["mean_response_time"] < 0.9 * after["mean_response_time"]
    assert before.provenance["identity"] != after.provenance["identity"]
    assert before.provenance["question"]["files"].keys() == {"skip-one"}
    with pytest.raises(msj.InvalidInput, match="the file of 'skip-one' on MSJ_PATH has been edited since"):
        msj.rerun(before)
    assert msj.rerun(after).quantities == after.quantities


def test_an_edited_file_never_continues_an_old_checkpoint(put, cluster, tmp_path):
    put("skip_one.py", SKIP)
    path = cluster('policy = "skip-one"\narrival_rate = 0.5')
    ask = {"jobs": 4000, "seed": 1, "replications": 2, "checkpoint": tmp_path / "run"}
    first = msj.simulate(path, **ask)
    assert msj.simulate(path, **ask).quantities == first.quantities
    put("skip_one.py", SKIP.replace("passed_over < 2", "passed_over < 1"))
    with pytest.raises(msj.InvalidInput, match="was made with another"):
        msj.simulate(path, **ask)


def test_a_comparison_depends_on_the_files_of_its_policies(put, cluster):
    put("skip_one.py", SKIP)
    path = cluster("arrival_rate = 0.5")
    ask = {"policies": ["fcfs", "skip-one"], "jobs": 2000, "seed": 1}
    before = msj.compare(path, **ask).provenance
    put("skip_one.py", SKIP + "# a remark\n")
    after = msj.compare(path, **ask).provenance
    assert before["identity"] != after["identity"]
    assert msj.compare(path, **ask | {"policies": ["fcfs", "first-fit"]}).provenance["question"].get("files") is None


def test_an_analysis_is_behind_every_answer(put):
    file = put("no_two_fit.py", RECIPES["no_two_fit.py"])
    before = files_behind({"policy": "fcfs"})
    assert list(before) == [name_of(file)]
    file.write_text(file.read_text() + "\n")
    assert files_behind({"policy": "fcfs"}) != before


def test_another_process_finds_the_same_file(put, cluster, folder):
    put("skip_one.py", SKIP)
    put("triangular.py", TRIANGLE)
    path = cluster('policy = "skip-one"\narrival_rate = 0.5', '{ law = "triangular", width = 2 }')
    ask = {"jobs": 4000, "seed": 1, "replications": 2}
    assert msj.simulate(path, **ask, processes=2).quantities == msj.simulate(path, **ask).quantities
    code = "import pickle, sys; print(pickle.loads(bytes.fromhex(sys.argv[1])).policy.name)"
    import pickle

    state = pickle.dumps(msj.read(path)).hex()
    done = subprocess.run([sys.executable, "-c", code, state], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "skip-one", done.stderr


def test_one_file_may_import_another(put):
    put("shapes.py", "FACTOR = 7\n")
    text = TRIANGLE.replace("from msj.model.numbers", "from .shapes import FACTOR\nfrom msj.model.numbers")
    put("triangular.py", text.replace("return 7 *", "return FACTOR *"))
    assert DURATIONS.get("triangular")(width=2).second_moment == pytest.approx(28 / 24)


def test_a_file_may_ask_what_there_is_while_it_is_read(put):
    """It is not there itself yet; all others are."""
    put("triangular.py", TRIANGLE)
    asking = "from msj.registry import DURATIONS, POLICIES\nKNOWN = [*POLICIES.names(), *DURATIONS.names()]\n"
    put("skip_one.py", SKIP.replace("VARIANT = ", f"{asking}VARIANT = "))
    assert "skip-one" in POLICIES.names()
    known = sys.modules["msj_path.skip_one"].KNOWN
    assert "skip-one" not in known
    assert {"fcfs", "triangular"} <= set(known)


def test_nothing_is_written_into_the_folder(put, folder):
    put("skip_one.py", SKIP)
    assert POLICIES.get("skip-one")
    assert [file.name for file in folder.iterdir()] == ["skip_one.py"]


def test_list_names_the_file_of_what_was_added(put, run, ask):
    file = put("triangular.py", TRIANGLE)
    assert ask("list", "durations", "triangular")["file"] == str(file)
    assert f"From {file}." in run("list", "durations", "triangular")[1]
    rows = {row["name"]: row["file"] for row in ask("list", "durations")}
    assert (rows["triangular"], rows["exponential"]) == (str(file), "")
    _, out, _ = run("list", "policies", "--json")
    assert "file" not in json.loads(out)[0]


LARGE_ONES_ARE_WRONG = '''
from dataclasses import dataclass
from typing import ClassVar

from msj import Exponential
from msj.model.durations import Duration


@dataclass(frozen=True, kw_only=True)
class LargeWrong(Duration):
    """Exponential durations, but with a mean above 1.5 samples of twice that."""

    law: ClassVar[str] = "large-wrong"
    summary: ClassVar[str] = "exponential, if short"

    mean: float

    @property
    def second_moment(self):
        return 2.0 * self.mean**2

    def as_phase_type(self):
        return Exponential(mean=self.mean).as_phase_type()

    def sample(self, rng, size):
        return rng.exponential(self.mean * (2 if self.mean > 1.5 else 1), size)

    def scaled(self, factor):
        return self.replace(mean=self.mean * factor)


VARIANT = LargeWrong
'''


def test_a_law_that_contradicts_itself_ends_a_command_with_a_sentence(put, run, cluster):
    put("large_wrong.py", LARGE_ONES_ARE_WRONG)
    path = cluster("arrival_rate = 0.2", '{ law = "large-wrong", mean = 2 }')
    for command in (("analyse",), ("simulate", "--jobs", 1000), ("sweep", "--vary", "arrival_rate=0.1,0.2")):
        code, out, err = run(command[0], path, *command[1:])
        assert (code, out) == (2, "")
        assert "duration law 'large-wrong' declares" in err
        assert "correct as_phase_type or sample" in err
        assert "Traceback" not in err


def test_a_law_that_only_one_cell_of_a_sweep_has_is_tried_there(put, cluster):
    put("large_wrong.py", LARGE_ONES_ARE_WRONG)
    path = cluster("arrival_rate = 0.2", '{ law = "large-wrong", mean = 1 }')
    found = msj.sweep(path, vary={"classes.small.duration.mean": [1, 2]})
    [gap] = found.missing
    assert gap.at["change"] == "classes.small.duration.mean = 2"
    assert "duration law 'large-wrong' declares" in gap.reason
    assert found.row("mean_response_time").kind == "exact"
