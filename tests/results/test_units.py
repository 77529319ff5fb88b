"""Every row says its unit, by its name; the glossary is the one place."""

import re
from pathlib import Path

import pytest

import msj
from msj.results import COORDINATES, Quantity, read_csv
from msj.results.glossary import GLOSSARY
from msj.results.units import DIMENSIONS

TWO = "examples/two_servers.toml"


@pytest.fixture(scope="module")
def hours():
    return msj.analyse(msj.read(TWO).replace(time_unit="hours"), law=1)


def test_table_csv_frame_and_json_say_the_unit(hours):
    text = hours.to_text()
    assert "stability_threshold (jobs per hour)" in text
    assert "mean_response_time (hours)" in text
    assert "wasted_servers  " in text  # has no time in it
    rows = {row["name"]: row["unit"] for row in hours.to_dict()["quantities"]}
    assert rows["mean_response_time"] == "hours"
    assert rows["arrival_rate"] == "jobs per hour"
    assert rows["wasted_servers"] == "servers"
    assert rows["jobs_in_system_probability"] == "share"
    assert set(hours.to_frame()["unit"]) == set(rows.values())
    assert "(hours)" in hours._repr_html_()
    assert read_csv(hours.to_csv()) == hours.quantities
    assert hours.to_dict()["time_unit"] == "hours"


def test_without_a_unit_tables_are_as_they_were_and_rows_say_their_dimension():
    found = msj.analyse(TWO)
    assert "(" not in next(line for line in found.to_text().splitlines() if "mean_response_time" in line)
    row = next(row for row in found.to_dict()["quantities"] if row["name"] == "stability_threshold")
    assert (row["unit"], found.time_unit) == ("1/time", None)


def test_coordinates_say_theirs():
    found = msj.curve(msj.read(TWO).replace(time_unit="days"), loads=[0.5, 0.8])
    head = found.to_text().splitlines()
    assert any("arrival_rate" in line for line in head)
    assert "(jobs per" in found.to_text()


def test_a_name_of_a_users_own_has_no_unit_rather_than_a_wrong_one():
    row = Quantity(name="my_own", value=1.0, kind="exact", method="mine")
    assert (row.dimension, row.to_dict("hours")["unit"], row.label_in("hours")) == (None, None, "my_own")


def test_a_row_in_another_unit_is_scaled_by_its_dimension():
    row = Quantity(name="mean_response_time", value=2.0, low=1.0, high=3.0, kind="simulated", method="",
                   at={"arrival_rate": 6.0, "policy": "fcfs", "servers": 4})  # fmt: skip
    there = row.rescaled(60)
    assert (there.value, there.low, there.high, there.at["arrival_rate"], there.at["servers"]) == (120, 60, 180, 0.1, 4)


def test_only_logs_are_converted_afterwards(hours):
    with pytest.raises(msj.InvalidInput, match=r"ask about system.in_unit\('min'\) instead"):
        hours.in_unit("min")
    log = msj.log("examples/logs/small_cluster.swf", seed=1)
    assert log.time_unit == "seconds"
    assert log.in_unit("h")["mean_run_time"] == pytest.approx(log["mean_run_time"] / 3600)
    assert log.in_unit("h")["arrival_rate"] == pytest.approx(log["arrival_rate"] * 3600)


def test_every_term_has_a_dimension_and_a_sentence_of_its_own():
    assert {term.dimension for term in GLOSSARY.values()} <= set(DIMENSIONS)
    assert {place.unit for place in COORDINATES.values()} <= {None, *DIMENSIONS}
    assert len({(term.group, term.words) for term in GLOSSARY.values()}) == len(GLOSSARY)
    assert not [name for name, term in GLOSSARY.items() if term.words.endswith(".") or "—" in term.words]


def test_no_name_in_the_source_is_missing_from_the_glossary():
    """Names given as they stand; names that are put together are watched while the tests run (tests/conftest.py)."""
    source = Path(msj.__file__).parent
    given = re.compile(
        r"""(?:Quantity\(\s*|_row\(\s*|row\(\s*|recorded\(\s*|\.find\()(?:name=)?"([a-z]+(?:_[a-z0-9]+)+)\""""
    )
    found = {name for path in source.rglob("*.py") for name in given.findall(path.read_text(encoding="utf-8"))}
    assert len(found) > 30
    assert found <= set(GLOSSARY), found - set(GLOSSARY)
