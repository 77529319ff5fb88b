"""The package's own code as part of an identity."""

import shutil
import tempfile
from pathlib import Path

import numpy as np
import pytest

import msj
from msj.answers.question import identity_of
from msj.errors import InvalidInput
from msj.executors.kept import Kept
from msj.papers import figure
from msj.papers.figure import Work
from msj.simulation import Known
from msj.simulation.blocks import Stream
from msj.simulation.question import Question
from msj.store import code, code_identity, computing_code, known_packages, worker_identity
from msj.sweeps.cell import Cell
from msj.sweeps.opening import stream_id


@pytest.fixture
def package(tmp_path, monkeypatch):
    for name in ("model", "policies"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("")
        (tmp_path / name / "one.py").write_text("x = 1\n")
    (tmp_path / "registry.py").write_text("y = 2\n")
    monkeypatch.setattr(code, "PACKAGE", tmp_path)
    code._code_identity.cache_clear()
    yield tmp_path
    code._code_identity.cache_clear()


def fresh(packages):
    code._code_identity.cache_clear()
    return code_identity(packages)


def test_an_edit_in_a_package_that_counts_changes_it(package):
    before, others = fresh(["model", "registry"]), fresh(["policies"])
    (package / "model" / "one.py").write_text("x = 2\n")
    assert fresh(["model", "registry"]) != before
    assert fresh(["policies"]) == others


def test_moving_code_from_file_to_file_changes_it(package):
    before = fresh(["model"])
    (package / "model" / "one.py").rename(package / "model" / "two.py")
    assert fresh(["model"]) != before


def test_the_order_of_packages_does_not_matter(package):
    assert code_identity(["model", "policies"]) == code_identity(["policies", "model", "model"])
    assert known_packages() == ("model", "policies", "registry")


def test_an_unknown_package_is_refused(package):
    with pytest.raises(InvalidInput, match="no package 'modell'; known: model, policies, registry"):
        fresh(["modell"])


@pytest.fixture
def copied(tmp_path, monkeypatch):
    """A copy of the sources, as the identity reads them."""
    place = tmp_path / "msj"
    shutil.copytree(Path(msj.__file__).parent, place, ignore=shutil.ignore_patterns("__pycache__", "static"))
    monkeypatch.setattr(code, "PACKAGE", place)
    forget()
    yield place
    forget()


def forget():
    code._code_identity.cache_clear()
    figure._code_of.cache_clear()


def identities():
    """Every kind of identity that includes the code."""
    forget()
    system = msj.read("examples/two_servers.toml").replace(load=None, arrival_rate=0.45)
    stream = Stream(system=system, known=Known(stability_threshold=0.9), seed=1)
    with tempfile.TemporaryDirectory() as folder:
        msj.plan(system, targets=["mean response <= 9"], seed=1, out=folder)
        points = sorted(Kept(Path(folder)).answers)
    return {
        "worker": worker_identity(),
        "cell": Cell(own=system, policy=system.policy, seed=1).id,
        "stream": stream_id(stream),
        "checkpoint": Question.of(system, root=np.random.SeedSequence(1), jobs=1000).asked()["code"],
        "answer": identity_of(system, {"verb": "analyse", "options": {}}, None)["identity"],
        "plan": points[0],
        "figure": Work()._identity(identities, {}),  # the key its answers are kept under; nothing public shows it
    }


def edit(file):
    file.write_text(file.read_text() + "\n# edited\n")


def test_an_edit_of_what_computes_changes_every_identity_and_no_other_edit_does(copied):
    before = identities()
    for place in ("cli/sweep.py", "executors/loop.py", "plots/sweep.py", "reports/text.py", "web/pool.py"):
        edit(copied / place)
    assert identities() == before
    for place in ("sweeps/opening.py", "markov/gth.py", "engines/fcfs.py", "effort.py", "store/digest.py"):
        edit(copied / place)
        after = identities()
        assert not set(after.values()) & set(before.values())
        before = after


def test_a_verb_of_a_package_that_shows_counts_with_its_package(copied):
    reports, plain = computing_code("reports"), computing_code()
    edit(copied / "reports" / "text.py")
    forget()
    assert computing_code() == plain
    assert computing_code("reports") != reports


def test_a_worker_needs_the_same_feature_release_of_the_libraries(monkeypatch):
    before = worker_identity()
    for release, same in (("9.9.1", False), (f"{np.__version__.rpartition('.')[0]}.99", True)):
        code._feature_release.cache_clear()
        monkeypatch.setattr(
            code,
            "version",
            lambda library, kept=code.version, release=release: release if library == "numpy" else kept(library),
        )
        assert (worker_identity() == before) is same
        monkeypatch.undo()
    code._feature_release.cache_clear()
