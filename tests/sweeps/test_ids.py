"""Ids name what an answer depends on, all of it and nothing else, on every machine and under every Python."""

import os
import subprocess
import sys

import pytest

import msj
from msj.simulation import Known
from msj.simulation.blocks import Stream
from msj.sweeps import cell as cells
from msj.sweeps import opening
from msj.sweeps.cell import Asked, Cell
from msj.sweeps.opening import stream_id

TWO = "examples/two_servers.toml"
OWN = """\
LIMIT = 3


def pick(needs, running, remaining, servers, chosen):
    free = servers
    for i in range(min(len(needs), LIMIT)):
        if needs[i] <= free:
            chosen[i] = True
            free -= needs[i]
"""


@pytest.fixture
def same_code(monkeypatch):
    """Ids as they would be if the code that computes never changed."""
    for room in (cells, opening):
        monkeypatch.setattr(room, "computing_code", lambda: "the code")
    monkeypatch.setattr(opening.np, "__version__", "2.0.1")


def cell_of(policy=None, **changes):
    asked = {key: changes.pop(key) for key in ("seed", "asked") if key in changes}
    system = msj.read(TWO).replace(**changes)
    return Cell(own=system, policy=policy or system.policy, **{"seed": 1, **asked})


def test_ids_are_those_that_were_written_down(same_code, tmp_path):
    """The same on every machine and under every Python; a new field of the model, and only that, changes them."""
    file = tmp_path / "own.py"
    file.write_text(OWN)
    own = cell_of(policy=msj.OwnFunction.from_file(f"{file}:pick"))
    heavy = [c.replace(duration=msj.Pareto(shape=2.5, minimum="4/3")) for c in msj.read(TWO).classes]
    found = {
        "plain": cell_of().id,
        "load": cell_of(load="2/3").id,
        "policy": cell_of(policy=msj.FirstFit(window=4)).id,
        "own": own.id,
        "heavy": cell_of(classes=heavy).id,
        "seed": cell_of(seed=2, asked=Asked(levels=(99.0,), simulate=True)).id,
        "stream": stream_id(
            Stream(
                system=cell_of(arrival_rate=0.72).served,
                known=Known(stability_threshold=0.9, weights=(2 / 3, 1.0)),
                seed=1,
            )
        ),
    }
    assert found == PINNED


PINNED = {
    "plain": "5811d87e822e5311d7deb686",
    "load": "fca8f170505de10cd042f245",
    "policy": "ad9ea5bd90848548015fabc7",
    "own": "40300b0141840b1434b759db",
    "heavy": "8ad28e7099357006a26ac8b5",
    "seed": "aeecf230654aff959914f7ea",
    "stream": "0d407647d8b91a15715b6bd5",
}


def test_the_same_question_has_the_same_id_however_it_is_written(same_code):
    assert cell_of(load=0.5).id == cell_of(load=0.5, name="another name").id
    # without a load the own policy does not matter, only the one that serves
    rated = cell_of(arrival_rate=0.5)
    assert Cell(own=rated.own.replace(policy="first-fit"), policy=rated.policy, seed=1).id == rated.id
    at_load = cell_of(load=0.5)
    assert Cell(own=at_load.own.replace(policy="first-fit"), policy=at_load.policy, seed=1).id != at_load.id


def test_whatever_the_answer_depends_on_changes_the_id(same_code):
    classes = msj.read(TWO).classes
    found = [
        cell_of(),
        cell_of(load=0.8000000000000002),
        cell_of(servers=3),
        cell_of(policy="first-fit"),
        cell_of(policy=msj.FirstFit(window=2)),
        cell_of(seed=2),
        cell_of(asked=Asked(simulate=True)),
        cell_of(asked=Asked(controls=False)),
        cell_of(asked=Asked(levels=(50.0,))),
        cell_of(classes=[classes[0], classes[1].replace(duration=msj.Deterministic(value=2))]),
    ]
    assert len({cell.id for cell in found}) == len(found)


def test_other_code_has_other_ids(same_code, monkeypatch):
    before = cell_of().id
    monkeypatch.setattr(cells, "computing_code", lambda: "edited")
    assert cell_of().id != before


def test_a_function_counts_by_its_source_and_the_values_it_uses(same_code, tmp_path):
    file = tmp_path / "own.py"

    def id_of(text):
        file.write_text(text)
        return cell_of(policy=msj.OwnFunction.from_file(f"{file}:pick")).id

    first = id_of(OWN)
    assert id_of(OWN.replace("LIMIT = 3", "LIMIT = 4")) != first
    assert id_of(OWN.replace("needs[i] <= free", "needs[i] < free + 1")) != first
    assert id_of("UNUSED = 1\n" + OWN) == first


def test_a_function_without_a_source_is_refused():
    place = {}
    exec(OWN, place)
    with pytest.raises(msj.InvalidInput, match="'pick' has no source that can be read"):
        cell_of(policy=msj.OwnFunction(function=place["pick"])).id  # noqa: B018


def test_another_process_with_another_hash_seed_finds_the_same_id():
    code = (
        "import msj; from msj.sweeps.cell import Cell; s = msj.read('examples/two_servers.toml');"
        "print(Cell(own=s, policy=s.policy, seed=1).id)"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "12345"}
    found = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == cell_of().id
