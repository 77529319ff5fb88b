"""A checkpoint is continued by the question it was made for, and by no other.

Functions come from a module, a notebook's cell, or a file given as ``FILE.py:FUNCTION``.
"""

import importlib
import linecache
import sys
import textwrap

import numpy as np
import pytest

from msj import InvalidInput, OwnFunction
from msj.results import Outcome
from msj.simulation import question as question_module
from msj.simulation import simulate_at_rate
from msj.simulation.checkpoint import Checkpoint
from msj.workloads import RecordedJobs, Streams, seed_from_record, seed_record, seed_sequence
from strategies import simple

SYSTEM = simple(4, (1, "1/2", "1/2"), (4, "2/3", "1/2"), arrival_rate=0.4)
SMALLEST = """
    from numba import njit

    LIMIT = 4

    @njit
    def first(servers, least=1):
        return least

    def pick(needs, running, remaining, servers, chosen):
        free = servers
        for size in range(first(servers), LIMIT + 1):
            for i in range(len(needs)):
                if needs[i] == size and size <= free:
                    chosen[i] = True
                    free -= size
"""
#: What is edited, and what the sentence names.
EDITS = {
    "body": ("if needs[i] == size and", "if not running[i] and needs[i] == size and", "its body"),
    "comment": ("free = servers", "free = servers  # all of them", "its body"),
    "default": ("least=1", "least=-1", "the global 'first'"),
    "global": ("LIMIT = 4", "LIMIT = 5", "the global 'LIMIT'"),
    "helper": ("return least", "return least + 0", "the global 'first'"),
}
CELLS = iter(range(10_000))


@pytest.fixture(autouse=True)
def _kept_now_and_then(monkeypatch):
    """Write every fifth row and the end: short runs spend nine tenths of their time writing them all."""
    keep, ended = Checkpoint.keep, []

    def seldom(checkpoint, run):
        if run.ended % 5 == 0 or ended[-1:] == [run.ended]:  # asked twice about one row, it is the last
            keep(checkpoint, run)
        ended.append(run.ended)

    monkeypatch.setattr(Checkpoint, "keep", seldom)


def run(policy, path=None, *, jobs=4_000, replications=2, seed=1, system=SYSTEM, **options):
    options |= {"root": seed_sequence(seed), "jobs": jobs, "replications": replications, "checkpoint": path}
    return simulate_at_rate(system.replace(policy=policy), **options)


def cut_half_way(policy, path, **options):
    seen = []

    def stop(progress):
        seen.append(progress)
        if len(seen) == 12:
            raise KeyboardInterrupt

    assert run(policy, path, progress=stop, **options).outcome is Outcome.INTERRUPTED


class Module:
    """Functions of a module that is loaded anew after an edit."""

    def __init__(self, folder, monkeypatch):
        self.folder = folder
        monkeypatch.syspath_prepend(folder)
        monkeypatch.setattr(sys, "dont_write_bytecode", True)
        monkeypatch.delitem(sys.modules, "msj_test_policies", raising=False)

    def load(self, text):
        (self.folder / "msj_test_policies.py").write_text(textwrap.dedent(text))
        importlib.invalidate_caches()
        known = sys.modules.get("msj_test_policies")
        return (importlib.reload(known) if known else importlib.import_module("msj_test_policies")).pick


class Notebook:
    """Functions of a cell that is run again after an edit, in the same namespace."""

    def __init__(self, folder, monkeypatch):
        self.names = {"__name__": "__main__"}

    def load(self, text):
        text, name = textwrap.dedent(text), f"<ipython-input-{next(CELLS)}-abc>"
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
        exec(compile(text, name, "exec"), self.names)
        return self.names["pick"]


class File:
    """Functions of a file, named as FILE.py:FUNCTION."""

    def __init__(self, folder, monkeypatch):
        self.path = folder / "mine.py"

    def load(self, text):
        self.path.write_text(textwrap.dedent(text))
        return f"{self.path}:pick"


@pytest.fixture(params=[Module, Notebook, File], ids=["module", "notebook", "file"])
def place(request, tmp_path, monkeypatch):
    return request.param(tmp_path, monkeypatch)


def test_a_users_function_continues_bit_for_bit(place, tmp_path):
    path = tmp_path / "run"
    cut_half_way(place.load(SMALLEST), path)
    resumed = run(place.load(SMALLEST), path)
    assert resumed.provenance["jobs"] == 4_000
    assert resumed.quantities == run(place.load(SMALLEST)).quantities


def test_an_edited_function_never_continues_another(place, tmp_path):
    path = tmp_path / "run"
    cut_half_way(place.load(SMALLEST), path)
    before = path.read_bytes()
    for old, new, named in EDITS.values():
        assert old in SMALLEST
        sentence = rf"another version of policy function 'pick': .*{named}.* changed since"
        with pytest.raises(InvalidInput, match=sentence):
            run(place.load(SMALLEST.replace(old, new)), path)
        assert path.read_bytes() == before
    run(place.load(SMALLEST), path)  # put back, it goes on


def test_a_finished_checkpoint_is_no_answer_for_an_edited_function(place, tmp_path):
    path = tmp_path / "run"
    run(place.load(SMALLEST), path)
    with pytest.raises(InvalidInput, match=r"its body .*changed since; undo that, or give another name"):
        run(place.load(SMALLEST.replace("range(first(servers), LIMIT + 1)", "range(LIMIT, 0, -1)")), path)


def test_a_value_set_in_between_never_continues_another(tmp_path, monkeypatch):
    notebook = Notebook(tmp_path, monkeypatch)
    pick = notebook.load(SMALLEST)
    cut_half_way(pick, tmp_path / "run")
    notebook.names["LIMIT"] = 7
    with pytest.raises(InvalidInput, match="'pick': the global 'LIMIT' changed since"):
        run(pick, tmp_path / "run")


def test_a_value_set_in_between_is_compiled_anew(tmp_path, monkeypatch):
    notebook = Notebook(tmp_path, monkeypatch)
    pick = notebook.load(SMALLEST.replace("range(first(servers), LIMIT + 1)", "range(4 // LIMIT, 5)"))
    policy = OwnFunction(function=pick, may_idle=True)
    four = run(policy)
    notebook.names["LIMIT"] = 1  # only jobs of need 4
    with pytest.raises(AssertionError):
        assert run(policy).quantities == four.quantities
    notebook.names["LIMIT"] = 4
    assert run(policy).quantities == four.quantities


def test_a_value_that_a_compiled_helper_uses_is_compiled_anew(tmp_path, monkeypatch):
    notebook = Notebook(tmp_path, monkeypatch)
    text = SMALLEST.replace("return least", "return 4 // LIMIT").replace("LIMIT + 1", "5")
    pick = notebook.load(text)
    before = run(pick)["mean_response_time"]
    notebook.names["LIMIT"] = 2  # jobs of need 1 are not served
    with pytest.raises(InvalidInput, match="serves no job of needs"):
        run(pick)
    notebook.names["LIMIT"] = 4
    policy = OwnFunction(function=pick, may_idle=True)
    notebook.names["LIMIT"] = 1
    assert run(policy).outcome is Outcome.UNSTABLE
    notebook.names["LIMIT"] = 4
    assert run(policy)["mean_response_time"] == before


def test_closures_are_kept_apart(tmp_path):
    def made(limit):
        def pick(needs, running, remaining, servers, chosen):
            free = servers
            for i in range(len(needs)):
                if needs[i] <= free and i < limit:
                    chosen[i] = True
                    free -= needs[i]

        return pick

    cut_half_way(made(10), tmp_path / "run")
    with pytest.raises(InvalidInput, match="'pick': the closure variable 'limit' changed since"):
        run(made(11), tmp_path / "run")
    assert run(made(10), tmp_path / "run").quantities == run(made(10)).quantities


def test_no_identity_no_checkpoint(tmp_path):
    names = {}
    exec(textwrap.dedent(SMALLEST), names)
    with pytest.raises(
        InvalidInput, match="could be continued by another policy: 'pick' has no source that can be read"
    ):
        run(names["pick"], tmp_path / "run")
    assert not (tmp_path / "run").exists()
    run(names["pick"])  # without one it runs


def test_other_options_are_other_policies(tmp_path):
    place = File(tmp_path, None).load(SMALLEST)
    cut_half_way(place, tmp_path / "run")
    with pytest.raises(InvalidInput, match="policy function 'pick': front changed since"):
        run({"name": place, "front": 30}, tmp_path / "run")


def test_what_differs_is_named(tmp_path):
    path = tmp_path / "run"
    cut_half_way("first-fit", path)
    for change, named in [
        ({"seed": 2}, "seed = 1, not 2"),
        ({"policy": "fcfs"}, r"system\.policy = first-fit, not fcfs"),
        ({"policy": {"name": "first-fit", "window": 2}}, r"system\.policy = first-fit, not {'name'.*}"),
        ({"system": SYSTEM.replace(arrival_rate=0.41)}, r"system\.arrival_rate = 0\.4, not 0\.41"),
        ({"system": simple(5, (1, "1/2", "1/2"), (4, "2/3", "1/2"), arrival_rate=0.4)}, r"system\.servers = 4, not 5"),
        ({"warm_up": 0.5}, "warm_up = .*, not 0.5"),
    ]:
        with pytest.raises(InvalidInput, match=f"was made with {named}; ask"):
            run(path=path, **{"policy": "first-fit", **change})
    with pytest.raises(InvalidInput, match="was made with jobs = 4000, more than 2000; ask for at least as many"):
        run("first-fit", path, jobs=2_000)
    run("first-fit", path, seed=None, any_seed=True)
    run("first-fit", path, system=SYSTEM.replace(name="another name for it"))


def test_other_code_continues_nothing(tmp_path, monkeypatch):
    path = tmp_path / "run"
    cut_half_way("fcfs", path)
    with monkeypatch.context() as patch:
        patch.setattr(question_module, "computing_code", lambda: "edited")
        with pytest.raises(InvalidInput, match="was made with another version of msj's code"):
            run("fcfs", path)
    run("fcfs", path)


def test_durations_edited_in_a_file_continue_nothing(tmp_path):
    (tmp_path / "durations.csv").write_text("1\n2\n")

    def system():
        law = {"law": "empirical", "file": str(tmp_path / "durations.csv")}
        return SYSTEM.replace(classes=[c.replace(duration=duration_of(law)) for c in SYSTEM.classes])

    from msj.model.durations import duration_from_spec as duration_of

    cut_half_way("fcfs", tmp_path / "run", system=system())
    (tmp_path / "durations.csv").write_text("1\n3\n")
    with pytest.raises(InvalidInput, match="another system: an order or the content of a file differs"):
        run("fcfs", tmp_path / "run", system=system())


@pytest.mark.parametrize("content", [b"something else", b"", b"PK\x03\x04", b"\x80\x04K\x01."])
def test_strange_bytes_are_no_checkpoint(tmp_path, content):
    (tmp_path / "run").write_bytes(content)
    with pytest.raises(InvalidInput, match=r"cannot be read .* remove it to begin anew"):
        run("fcfs", tmp_path / "run")


def test_a_folder_that_is_not_there_is_said_at_once(tmp_path):
    with pytest.raises(InvalidInput, match="in a folder that does not exist"):
        run("fcfs", tmp_path / "none" / "run")


def test_any_function_runs_in_several_threads(place):
    pick = place.load(SMALLEST)
    assert run(pick, workers=2).quantities == run(pick).quantities


@pytest.mark.parametrize("policy", ["fcfs", "server-filling", "max-weight", "easy-backfilling", "greedy-srpt"])
def test_a_checkpoint_can_be_lengthened(tmp_path, policy):
    path = tmp_path / "run"
    short = run(policy, path, jobs=4_000)
    long = run(policy, path, jobs=10_000)
    assert short.provenance["jobs"] == 4_000
    assert 10_000 <= long.provenance["jobs"] < 10_100
    again = run(policy, path, jobs=long.provenance["jobs"])
    assert again.quantities == long.quantities


def test_a_checkpoint_holds_nothing_that_could_run(tmp_path):
    run("max-weight", tmp_path / "run")
    with np.load(tmp_path / "run", allow_pickle=False) as file:
        assert {"asked", "plan", "state"} <= set(file.files)
        assert not any(file[name].dtype.hasobject for name in file.files)


def test_two_runs_cannot_write_one_checkpoint(tmp_path):
    from msj.store import lock

    with lock(tmp_path / "run"), pytest.raises(InvalidInput, match="is being written by process"):
        run("fcfs", tmp_path / "run")


def test_a_file_edited_during_a_run_does_not_disturb_it(tmp_path, monkeypatch):
    file = File(tmp_path, monkeypatch)
    whole = run(file.load(SMALLEST))

    def edit(progress):
        file.load(SMALLEST.replace("LIMIT = 4", "LIMIT = 1"))

    assert run(file.load(SMALLEST), progress=edit).quantities == whole.quantities


def test_a_spawned_seed_is_recorded_as_it_is():
    child = np.random.SeedSequence([3, 4]).spawn(3)[2].spawn(1)[0]
    result = run("fcfs", seed=child)
    record = result.provenance["seed"]
    assert record == {"entropy": [3, 4], "spawn_key": [2, 0]} == seed_record(child)
    assert run("fcfs", seed=record).quantities == result.quantities
    assert run("fcfs", seed=np.random.SeedSequence([3, 4])).quantities != result.quantities
    assert seed_from_record(record).generate_state(4).tolist() == child.generate_state(4).tolist()
    for wrong in ({"entropy": 1}, {"entropy": -1, "spawn_key": []}, {"entropy": 1, "spawn_key": 2}, [], [1, -1], 1.5):
        with pytest.raises(InvalidInput, match="is no seed"):
            seed_sequence(wrong)


def test_a_replication_ends_with_its_source():
    from msj.disciplines import Fcfs
    from msj.simulation.engine_of import engine_for
    from msj.simulation.record import Record
    from msj.simulation.replication import Replication

    source = RecordedJobs(arrival=[0.0, 1.0, 2.0], need=[1, 1, 1], duration=[0.5, 0.5, 0.5])
    streams = Streams(root=seed_sequence(1), replication=0)
    kernel = engine_for(Fcfs(), servers=1, needs=np.array([1]), streams=streams)
    record = Record(classes=1, lowest=-10, warm_up=0, piece=2)
    replication = Replication(source=source, kernel=kernel, record=record)
    kept = []
    replication.advance(100, keep=lambda done: kept.append(len(done.start)))
    assert sum(kept) == 3
    assert record.ended == 1
    replication.advance(100)
