"""The published schema says what the code says."""

import json
from importlib.resources import files

import jsonschema

from msj.errors import Failure
from msj.results import COORDINATES, KINDS, Outcome

SCHEMA = json.loads(files("msj.results").joinpath("schema.json").read_text(encoding="utf-8"))


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_outcomes_failures_kinds_and_coordinates_are_those_of_the_code():
    definitions = SCHEMA["$defs"]
    assert SCHEMA["properties"]["outcome"]["enum"] == [outcome.label for outcome in Outcome]
    assert definitions["missing"]["properties"]["failure"]["enum"] == [failure.label for failure in Failure]
    assert definitions["quantity"]["properties"]["kind"]["enum"] == list(KINDS)
    assert list(definitions["at"]["properties"]) == list(COORDINATES)
    for name, coordinate in COORDINATES.items():
        kind = definitions["at"]["properties"][name].get("type", "string")
        assert (kind == "string") == (coordinate.unit is None), name
