"""Rules of the files beside the rooms: efforts and costs, errors, names, catalogues, questions asked again."""

import pickle
import sys
import time
from pathlib import Path

import pytest

import msj
from msj import InvalidInput, ask_again, errors, plugins, registry
from msj.effort import USUAL, Cost, Effort, Progress, within
from msj.registry import ANALYSES, ARRIVALS, DURATIONS, ENVIRONMENTS, LOG_READERS, MODELS, POLICIES, Catalogue, nearest

# --- efforts ---


def test_costs_add_up_and_bytes_are_held_at_once():
    one, other = Cost(operations=3.0, bytes=5.0), Cost(operations=4.0, bytes=2.0)
    assert one + other == other + one == Cost(operations=7, bytes=5)
    assert Cost(operations=1.0).bytes == 0


@pytest.mark.parametrize(
    ("operations", "held", "allowed"),
    [(10, 20, True), (11, 20, False), (10, 21, False), (9, 19, True), (11, 21, False)],
)
def test_an_effort_allows_what_is_no_more_than_it(operations, held, allowed):
    assert Effort(operations=10.0, bytes=20.0).allows(Cost(operations=operations, bytes=held)) is allowed


def test_an_effort_is_over_at_its_moment_or_when_it_is_cancelled():
    now = time.monotonic()
    assert not USUAL.over
    assert Effort(until=now).over
    assert not Effort(until=now + 100).over
    assert Effort(cancel=lambda: True).over
    assert not Effort(cancel=lambda: False).over
    assert Effort(until=now, cancel=lambda: False).over
    assert now + 90 < Effort.lasting(100).until < time.monotonic() + 110
    assert Effort.lasting(100, jobs=7).jobs == 7


@pytest.mark.parametrize(("done", "told"), [(-1, 0.25), (0, 0.25), (0.5, 0.5), (1, 0.75), (1.2, 0.75)])
def test_a_part_of_the_work_stays_within_its_part(done, told):
    seen = []
    within(seen.append, 0.25, 0.75)(Progress(done=done, words="w", notice=True))
    assert seen == [Progress(done=told, words="w", notice=True)]
    assert not Progress(done=0, words="").notice


def test_ends_of_the_whole_are_parts_and_nobody_is_told_where_nobody_watches():
    for low, high in ((0.0, 1.0), (0.0, 0.0), (1.0, 1.0)):
        within(None, low, high)(Progress(done=0.5, words=""))
    unwatched = Effort()
    assert unwatched.part(0.0, 0.5) is unwatched
    unwatched.tell(0.5)


# --- errors ---


def test_an_error_says_where_it_is():
    error = InvalidInput("is wrong")
    assert (str(error), error.args) == ("is wrong", ("is wrong",))
    error.within("need").within("classes[1]").in_file(Path("folder/cluster.toml")).in_file(Path("other.toml"))
    assert str(error) == "cluster.toml: classes[1].need: is wrong"
    assert str(InvalidInput("is empty").in_file(Path("/"))) == "/: is empty"


def test_exit_codes_tell_what_was_asked_wrong_from_what_has_no_answer():
    """2 for a question that cannot be asked so, 1 for one that has no answer."""
    codes = {
        kind.__name__: kind.exit_code
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, errors.MsjError)
    }
    assert codes == {
        "MsjError": 2, "InvalidInput": 2, "BadFunction": 2, "BadLaw": 2, "NotSupported": 2, "TooLarge": 2,
        "Unstable": 1, "NotAccurate": 1, "OutOfTime": 1,
    }  # fmt: skip


# --- names ---


@pytest.mark.parametrize(
    ("name", "known", "said"),
    [
        ("FCFS", ["fcfs", "first-fit"], "did you mean 'fcfs'?"),
        ("First_Fit", ["fcfs", "first-fit"], "did you mean 'first-fit'?"),
        ("fir", ["fcfs", "first-fit"], "did you mean 'first-fit'?"),
        # The beginning of two is no hint, and neither is like it; the name itself is, even where others begin with it.
        ("m", ["msr-long-name", "mmsr-long-name"], "known: msr-long-name, mmsr-long-name"),
        ("MSR", ["msr-long", "msr"], "did you mean 'msr'?"),
        ("", ["a", "b"], "known: a, b"),
        ("xyz", ["fcfs"], "known: fcfs"),
        ("xyz", [], "none exist yet"),
        # Half of the letters alike are enough: 2·2/(4 + 4), and 2·1/(4 + 4) are not.
        ("abxy", ["abcd"], "did you mean 'abcd'?"),
        ("axyz", ["abcd"], "known: abcd"),
        ("first-bit", ["first-fit", "best-fit"], "did you mean 'first-fit'?"),
    ],
)
def test_the_nearest_name(name, known, said):
    assert nearest(name, known) == said


# --- catalogues ---


def test_names_are_those_of_the_files_that_declare_a_variant():
    names = registry._names.__wrapped__
    assert {"deterministic", "erlang", "exponential"} <= set(names("msj.model.durations"))
    assert "base" not in names("msj.model.durations")
    assert {"fcfs", "set-up"} <= set(names("msj.disciplines"))
    assert "swf" in names("msj.logs.readers")


def test_a_shared_folder_tells_its_kinds_apart():
    assert "fcfs" in POLICIES.names()
    assert "set-up" in MODELS.names()
    assert not set(POLICIES.names()) & set(MODELS.names())
    for catalogue, name in ((POLICIES, "set-up"), (MODELS, "fcfs"), (POLICIES, "nothing-like-it"), (DURATIONS, 3)):
        with pytest.raises(InvalidInput, match=f"unknown {catalogue.kind} '{name}'"):
            catalogue.get(name)
    assert POLICIES.get("fcfs") is msj.Fcfs
    assert [variant.law for variant in DURATIONS] == list(DURATIONS.names())
    assert DURATIONS.users_own("a.py:b") is None


def test_a_class_is_of_a_kind_by_what_it_derives_from():
    assert POLICIES._is_one(msj.Fcfs)
    assert not POLICIES._is_one(msj.Erlang)
    assert not POLICIES._is_one(msj.Fcfs())
    assert not Catalogue(kind="k", package="msj.disciplines", base="no.such.module:Thing")._is_one(msj.Fcfs)
    assert not Catalogue(kind="k", package="msj.disciplines", base="msj.errors:nearest")._is_one(msj.Fcfs)


@pytest.fixture
def added(tmp_path, monkeypatch):
    """Write a file into a folder on MSJ_PATH."""
    monkeypatch.setenv("MSJ_PATH", str(tmp_path))

    def put(name, text):
        file = tmp_path / f"{name}.py"
        file.write_text(text, encoding="utf-8")
        return file

    yield put
    for module in [name for name in sys.modules if name.startswith("msj_path")]:
        del sys.modules[module]
    plugins._versions.clear()


LAW = "from msj import Erlang\n\n\nclass Mine(Erlang):\n    law = 'mine'\n\n\nVARIANT = Mine\n"


def test_what_is_added_belongs_to_the_catalogue_of_its_base(added, tmp_path):
    file = added("mine", LAW)
    assert DURATIONS.added() == {"mine": file}
    assert POLICIES.added() == ANALYSES.added() == LOG_READERS.added() == {}
    assert DURATIONS.get("mine").law == "mine"
    assert "mine" in DURATIONS.names()
    with pytest.raises(InvalidInput, match="unknown policy 'mine'"):
        POLICIES.get("mine")
    with pytest.raises(InvalidInput, match="unknown log format 'mine'"):
        LOG_READERS.get("mine")
    first = DURATIONS.get("mine")
    assert DURATIONS.get("mine") is first  # it has not changed
    added("mine", LAW.replace("Mine", "Other"))
    assert DURATIONS.get("mine").__name__ == "Other"
    assert plugins.variant_in(file).__name__ == "Other"
    # The first 24 digits of SHA-256 of "one", and of nothing else that the question does not name.
    added("unnamed", "one")
    assert plugins.file_digest(tmp_path / "unnamed.py") == "7692c3ad3540bb803c020b3a"
    asked = {"system": {"classes": [{"duration": {"law": "mine"}}]}, "options": ("unnamed", 3)}
    assert plugins.named_in(asked) == registry.files_behind(asked) == {"mine": plugins.file_digest(file)}
    assert plugins.named_in({"mine": "erlang"}) == {}


def test_nothing_is_named_without_a_path(monkeypatch):
    monkeypatch.delenv("MSJ_PATH", raising=False)
    assert plugins.folders() == ()
    assert plugins.named_in("mine") == {}
    assert plugins.file_of("mine") is None


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (LAW.replace("'mine'", "'yours'"), "calls itself 'yours'; set law = 'mine', or rename the file"),
        ("VARIANTS = 1\nVARIANT = 3\n", "VARIANT in '.*' is 3; derive it from"),
        ("class Mine:\n    pass\n\n\nVARIANT = Mine\n", "is <class .*>; derive it from msj.model.durations.base.D"),
        ("\nVARIANT = 1 +\n", "line 2: SyntaxError: invalid syntax; correct the file"),
        ("\n\n1 / 0\nVARIANT = 1\n", "line 3: ZeroDivisionError: division by zero; correct the file"),
        ("import msj\n\nmsj.read('x.toml')\nVARIANT = 1\n", "line 3: x.toml: cannot be read"),
    ],
)  # fmt: skip
def test_what_will_not_do_is_told_with_its_line(added, text, sentence):
    file = added("mine", text)
    with pytest.raises(InvalidInput, match=sentence) as caught:
        DURATIONS.get("mine")
    assert str(file) in str(caught.value)
    assert file not in plugins._being_read
    assert plugins.variant_in(added("mine", LAW)).law == "mine"  # it may be corrected


def test_an_error_is_of_the_file_whose_line_raised_it(added):
    file = added("mine", LAW.replace("law = 'mine'", "law = 'mine'\n\n    def fail(self):\n        return 1 / 0"))
    assert plugins.mistake_in_a_file(_raised(lambda: 1 / 0)) is None
    law = DURATIONS.get("mine")
    said = plugins.mistake_in_a_file(_raised(lambda: law.fail(None)))
    assert said == f"MSJ_PATH: '{file}', line 8: ZeroDivisionError: division by zero; correct the file"
    assert plugins.mistake_in_a_file(_raised(lambda: int("x"))) is None


def _raised(ask):
    try:
        ask()
    except (ZeroDivisionError, ValueError) as error:
        return error
    raise AssertionError


def test_folders_are_named_once_and_files_have_python_names(added, tmp_path, monkeypatch):
    other = tmp_path / "other"
    other.mkdir()
    monkeypatch.setenv("MSJ_PATH", f"{tmp_path}::{other}:{tmp_path}")
    assert plugins.folders() == (tmp_path, other)
    added("no name", "nothing is declared here")
    added("mine", LAW)
    assert plugins.files() == {"mine": tmp_path / "mine.py"}
    (other / "mine.py").write_text(LAW)
    assert plugins.files() == {}
    assert [broken.name for broken in plugins.unusable_files()] == ["mine", "mine"]
    with pytest.raises(InvalidInput, match="has 2 files for 'mine'"):
        plugins.file_of("mine")
    (other / "mine.py").write_text("VARIANTS = 1\n")
    added("no name", LAW)
    assert plugins.files() == {"mine": tmp_path / "mine.py"}
    with pytest.raises(InvalidInput, match="has no Python name"):
        plugins.file_of("no name")


# --- asked again ---


@pytest.mark.parametrize(
    ("document", "sentence"),
    [
        (3, "there is no question"),
        ({}, "there is no question"),
        ({"provenance": 3}, "there is no question"),
        ({"provenance": {}}, "there is no question"),
        ({"provenance": {"question": {"verb": "read"}}}, "'read' cannot be asked again; that is possible for analyse"),
        ({"provenance": {"question": {"verb": "log", "files": {"mine": "1"}}}}, "'mine' on MSJ_PATH is not there"),
        ({"provenance": {"question": {"verb": "log", "logs": {"no.swf": "1"}}}}, "the log 'no.swf' is not there"),
        ({"provenance": {"question": {"verb": "log", "logs": {__file__: "1"}}}}, "has been edited since"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_again(document, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        ask_again._question(document)


def test_what_can_be_asked_again_is_the_question_and_its_seed(added):
    file = added("mine", LAW)
    asked = {"verb": "log", "system": {"classes": [{"law": "mine"}]}}
    digest = plugins.file_digest(file)
    for files in (None, {}, {"mine": digest}):
        question = asked | {"files": files, "logs": None}
        assert ask_again._question({"provenance": {"question": question, "seed": 7}}) == (question, 7)
    with pytest.raises(InvalidInput, match="the file of 'mine' on MSJ_PATH has been edited since"):
        ask_again._question({"provenance": {"question": asked | {"files": {"mine": "1"}}}})


def test_a_question_is_asked_again_with_its_seed(monkeypatch):
    asked = []

    def by_workers(*, seed=None, points=None, processes=None, progress=None):
        asked.append(("workers", seed, points, processes, progress))

    def by_seed(*, seed=None, points=None):
        asked.append(("seed", seed, points))

    def again(**more):
        document = {"provenance": {"question": {"verb": "log", "options": {"points": 3}}, "seed": more.pop("seed", 5)}}
        ask_again.rerun(document, **more)
        return asked[-1]

    monkeypatch.setattr(msj, "log", by_workers)
    assert again() == ("workers", 5, 3, None, None)
    assert again(processes=2, progress=print) == ("workers", 5, 3, 2, print)
    monkeypatch.setattr(msj, "log", by_seed)
    assert again(processes=2, progress=print) == ("seed", 5, 3)
    assert again(seed=None) == ("seed", None, 3)


def test_a_document_is_read_from_its_file(tmp_path):
    for text, sentence in ((None, "cannot be read"), ("{", "is no JSON")):
        file = tmp_path / "result.json"
        if text is not None:
            file.write_text(text)
        with pytest.raises(InvalidInput, match=f"result.json: {sentence}"):
            ask_again.rerun(file)


def test_what_is_imported_only_when_it_is_asked_for():
    assert msj.__getattr__("mmsr").__name__ == "msj.mmsr"
    assert msj.__getattr__("Fcfs").__module__ == "msj.disciplines.fcfs"
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = msj.no_such_name


@pytest.mark.parametrize(
    ("name", "code", "failure"),
    [
        ("InvalidInput", 2, "invalid-input"), ("BadFunction", 2, "bad-function"), ("NotSupported", 2, "not-supported"),
        ("Unstable", 1, "unstable"), ("TooLarge", 2, "too-large"), ("NotAccurate", 1, "not-accurate"),
        ("OutOfTime", 1, "out-of-time"),
    ],
)  # fmt: skip
def test_errors_leave_with_their_codes(name, code, failure):
    error = getattr(errors, name)("a sentence")
    assert (error.exit_code, error.failure.label) == (code, failure)
    assert error.args == ("a sentence",)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


RATES = {"rate", "rates", "arrival_rate", "switching", "generator", "D0", "D1"}


@pytest.mark.parametrize("catalogue", [DURATIONS, ARRIVALS, ENVIRONMENTS], ids=lambda each: each.kind)
def test_what_another_unit_of_time_changes(catalogue):
    """Rates are by time, whatever else is named is a time."""
    told = {key: power for name in catalogue.names() for key, power in catalogue.get(name).time_powers.items()}
    assert told == {key: -1 if key in RATES else 1 for key in told}
    assert len(told) >= 2
