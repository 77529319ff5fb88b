"""The package's own code as part of a question."""

import pytest

from msj.errors import InvalidInput
from msj.store import code, code_identity, known_rooms


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


def fresh(rooms):
    code._code_identity.cache_clear()
    return code_identity(rooms)


def test_an_edit_in_a_room_that_counts_changes_it(package):
    before, others = fresh(["model", "registry"]), fresh(["policies"])
    (package / "model" / "one.py").write_text("x = 2\n")
    assert fresh(["model", "registry"]) != before
    assert fresh(["policies"]) == others


def test_moving_code_from_file_to_file_changes_it(package):
    before = fresh(["model"])
    (package / "model" / "one.py").rename(package / "model" / "two.py")
    assert fresh(["model"]) != before


def test_the_order_of_rooms_does_not_matter(package):
    assert code_identity(["model", "policies"]) == code_identity(["policies", "model", "model"])
    assert known_rooms() == ("model", "policies", "registry")


def test_an_unknown_room_is_refused(package):
    with pytest.raises(InvalidInput, match="no room 'modell'; its rooms: model, policies, registry"):
        fresh(["modell"])
