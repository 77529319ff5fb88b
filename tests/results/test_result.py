"""Results as rows, tables and documents."""

import json
import math

import pytest

import msj
from msj import InvalidInput
from msj.errors import Failure
from msj.results import Missing, Outcome, Quantity, Result


@pytest.fixture(scope="module")
def result():
    return msj.analyse(msj.read("examples/two_servers.toml"))


def test_lookup(result):
    assert result["stability_threshold"] == pytest.approx(0.9)
    assert "wasted_servers" in result
    with pytest.raises(InvalidInput, match=r"there is no .stability_treshold. .* did you mean .stability_threshold."):
        result["stability_treshold"]


def test_repr_is_readable(result):
    text = repr(result)
    assert text.splitlines()[0] == "two servers: solved"
    assert "stability_threshold" in text


def test_notes_and_what_is_missing_are_said_in_text_and_html():
    gap = Missing(name="thing", failure=Failure.NOT_SUPPORTED, reason="nobody knows it")
    row = Quantity(name="load", value=0.5, kind="exact", method="definition")
    found = Result(
        system={}, quantities=(row,), outcome=Outcome.SOLVED, provenance={}, notes=("First.", "Second."), missing=(gap,)
    )
    for said in (found.to_text(), found._repr_html_()):
        assert said.index("First.") < said.index("Second.") < said.index(str(gap))


def test_frame_has_a_row_per_quantity(result):
    frame = result.to_frame()
    assert len(frame) == len(result)
    assert frame.loc[frame.name == "wasted_servers", "value"].item() == pytest.approx(0.2)


def test_dict_is_json(result):
    assert json.loads(json.dumps(result.to_dict(), allow_nan=False)) == result.to_dict()


def test_what_is_not_finite_becomes_null():
    assert Quantity(name="x", value=math.inf, kind="bound", method="").to_dict()["value"] is None


def test_json_has_names_as_they_are_and_only_numbers_that_json_knows():
    row = Quantity(name="load", value=math.inf, kind="bound", method="λ·E[S] ≤ 1")
    found = Result(system={"name": "Größe"}, quantities=(row,), provenance={"seconds": math.nan})
    text = found.to_json()
    assert '"name": "Größe"' in text
    assert "λ·E[S] ≤ 1" in text
    assert "\\u" not in text
    document = json.loads(text, parse_constant=pytest.fail)
    assert document == found.to_dict()
    assert (document["quantities"][0]["value"], document["provenance"]["seconds"]) == (None, None)
    # What was given is told as it was given; where JSON has no word for it, none is made up.
    with pytest.raises(ValueError, match="JSON"):
        Result(system={"servers": math.nan}, quantities=()).to_json()


def test_a_number_of_times_a_quantity_and_its_ends():
    row = Quantity(name="mean_work", value=2.0, kind="simulated", method="", low=1.0, high=4.0, formula="2")
    assert (row.interval, row.ends) == ((1.0, 4.0), (1.0, 4.0))
    assert row.times(0.5) == row.replace(value=1.0, low=0.5, high=2.0, formula=None)
    for one_end, ends in ((row.replace(low=None), (2.0, 4.0)), (row.replace(high=None), (1.0, 2.0))):
        assert (one_end.interval, one_end.ends) == (None, ends)
    assert row.replace(low=None).times(3.0).ends == (6.0, 12.0)
