"""Results as rows, tables and documents."""

import json
import math

import pytest

import msj
from msj import InvalidInput
from msj.results import Quantity


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


def test_frame_has_a_row_per_quantity(result):
    frame = result.to_frame()
    assert len(frame) == len(result)
    assert frame.loc[frame.name == "wasted_servers", "value"].item() == pytest.approx(0.2)


def test_dict_is_json(result):
    assert json.loads(json.dumps(result.to_dict(), allow_nan=False)) == result.to_dict()


def test_what_is_not_finite_becomes_null():
    assert Quantity(name="x", value=math.inf, kind="bound", method="").to_dict()["value"] is None
