"""Coordinates: one closed list, each with its unit."""

import numpy as np
import pytest

from msj.errors import Failure, InvalidInput
from msj.results import COORDINATES, At, Missing, Outcome, Quantity, Result, quantities_from, read_csv


def row(value=1.0, **more):
    return Quantity(**{"name": "mean_response_time", "value": value, "kind": "exact", "method": "QBD", **more})


def test_the_list_is_closed():
    with pytest.raises(InvalidInput, match="unknown coordinate 'lode'; did you mean 'load'"):
        row(at={"lode": 0.9})


@pytest.mark.parametrize(("name", "value"), [("load", "0.9"), ("policy", 3), ("servers", float("nan")), ("load", True)])
def test_a_coordinate_of_the_wrong_sort_is_refused(name, value):
    with pytest.raises(InvalidInput, match=f"coordinate {name}"):
        At({name: value})


def test_every_coordinate_says_what_it_is():
    assert all(coordinate.words for coordinate in COORDINATES.values())
    assert {"load", "arrival_rate", "servers", "policy", "baseline", "class_share", "time"} <= set(COORDINATES)


def test_numpy_numbers_become_plain_ones():
    at = At({"servers": np.int64(4), "load": np.float64(0.5)})
    assert [type(value) for value in at.values()] == [int, float]


def test_rows_are_selected_by_coordinate():
    result = Result(system={}, quantities=(row(1.0, at={"load": 0.1 + 0.2}), row(2.0, at={"load": 0.5})))
    assert result.at(load=0.3)["mean_response_time"] == 1.0
    assert result.places("load") == [0.1 + 0.2, 0.5]


def test_several_matches_are_an_error_that_lists_them():
    result = Result(system={}, quantities=tuple(row(at={"policy": p}) for p in ("fcfs", "first-fit")))
    with pytest.raises(InvalidInput, match="stands 2 times in this result: policy = fcfs; policy = first-fit"):
        result["mean_response_time"]


def test_a_place_that_is_not_there_is_answered_with_those_that_are():
    result = Result(system={}, quantities=(row(at={"policy": "fcfs"}),))
    with pytest.raises(InvalidInput, match="nothing in this result stands at policy = fifo; there is policy: fcfs"):
        result.at(policy="fifo")


ROWS = (
    row(1 / 3, low=0.1, high=np.nextafter(1.0, 2), citation="a, b", at={"policy": "x, 'y'", "servers": 3}),
    row(float("nan"), formula="mu1/2", job_class="big"),
    row(2.5, name="waiting_time_percentile", level=99.9, kind="simulated", at={"load": 0.1 + 0.2}),
)


def same(found, wanted):
    return [r.to_dict() for r in found] == [r.to_dict() for r in wanted]


def test_csv_frame_and_json_can_be_read_back():
    gap = Missing(name="response times", failure=Failure.UNSTABLE, reason="too much arrives", at={"servers": 2})
    result = Result(
        system={"servers": 2}, quantities=ROWS, outcome=Outcome.UNSTABLE, notes=("n",), missing=(gap,),
        provenance={"seed": 1},
    )  # fmt: skip
    assert same(read_csv(result.to_csv()), ROWS)
    assert same(quantities_from(result.to_frame().to_dict("records")), ROWS)
    back = Result.from_dict(result.to_dict())
    assert back.to_dict() == result.to_dict()
    assert back.missing == (gap,)
    assert back.outcome is Outcome.UNSTABLE


@pytest.mark.parametrize("wrong", [{"low": 2.0}, {"high": 0.5}, {"kind": "guess"}, {"level": 101}, {"level": -1}])
def test_a_quantity_that_contradicts_itself_is_refused(wrong):
    with pytest.raises(InvalidInput):
        row(**wrong)


@pytest.mark.parametrize("outcome", Outcome)
def test_every_outcome_has_a_label_a_sentence_and_an_exit_code(outcome):
    assert Outcome.from_label(outcome.label) is outcome
    assert outcome.value
    assert outcome.exit_code in (0, 1, 130)
    assert (outcome is Outcome.UNSTABLE) <= (outcome.exit_code == 1)
