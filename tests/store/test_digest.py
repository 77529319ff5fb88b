"""The same data, the same text; other data, another text."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from msj.errors import InvalidInput
from msj.store import canonical, digest

DIFFERENT = [
    None, True, False, 0, 1, -1, 1.0, -0.0, 0.0, 0.1, 0.1 + 2**-56, math.nan, math.inf, -math.inf, 2**70, 1j, "", "1",
    "0.1", "null", Fraction(1, 2), "1/2", b"1", [], [1], [[1]], [1, 2], [2, 1], {}, {"a": 1}, {"a": 1.0}, {1: "a"},
    {"1": "a"}, {"$fraction": [1, 2]}, {"$$fraction": [1, 2]}, {"$table": [[1, "a"]]}, {1, 2}, {"$set": [1, 2]},
    np.array([1, 2]),
    np.array([1, 2], dtype=np.int32), np.array([[1, 2]]), np.array([1.0, 2.0]),
]  # fmt: skip


def test_other_data_has_another_text():
    texts = [canonical(value) for value in DIFFERENT]
    for (i, one), (j, other) in itertools.combinations(enumerate(texts), 2):
        assert one != other, (DIFFERENT[i], DIFFERENT[j])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ((1, (2, 3)), [1, [2, 3]]),
        (np.float64(0.1), 0.1),
        (np.int64(3), 3),
        (np.bool_(True), True),
        ({3, 1, 2}, frozenset({1, 2, 3})),
        (np.arange(6).reshape(2, 3).T.copy(), np.arange(6).reshape(2, 3).T),
    ],
)
def test_the_same_data_has_the_same_text(one, other):
    assert canonical(one) == canonical(other)
    assert digest(one) == digest(other)


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.fractions(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(plain, plain)
def test_texts_are_equal_exactly_where_the_data_is(one, other):
    assert (canonical(one) == canonical(other)) == (repr_of(one) == repr_of(other))


def repr_of(value):
    """Another way to write plain data in one way only."""
    if isinstance(value, dict):
        return ("table", *sorted((key, repr_of(item)) for key, item in value.items()))
    return ("list", *map(repr_of, value)) if isinstance(value, list) else (type(value).__name__, repr(value))


def test_parts_are_not_run_together():
    assert digest("ab", "c") != digest("a", "bc")
    assert digest([1], 2) != digest(1, [2])
    assert len(digest("x")) == 24


def test_what_is_no_plain_data_is_refused():
    with pytest.raises(InvalidInput, match="a object is no plain data"):
        canonical({"a": [object()]})
    with pytest.raises(InvalidInput, match="ndarray"):
        canonical(np.array([object()]))


@pytest.mark.parametrize("number", [0, 127, -(2**62), 2**63 - 1])
def test_whole_numbers_that_fit_a_machine_word_are_written_as_they_are(number):
    assert canonical(number) == str(number)
    assert canonical(2**63) == '{"$integer":"0x8000000000000000"}'


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1, "a": "ä"}, '{"a":"\\u00e4","b":1}'),
        ({"a": 1, 2: 3}, '{"$table":[["a",1],[2,3]]}'),  # in order of the keys' own texts
        ({2: "a", 1: "b"}, '{"$table":[[1,"b"],[2,"a"]]}'),
        ({"$set": 1}, '{"$$set":1}'),
        ({3, 1}, '{"$set":[1,3]}'),
        (float("nan"), '{"$float":"nan"}'),
        (-float("inf"), '{"$float":"-inf"}'),
        (Fraction(2, 3), '{"$fraction":[2,3]}'),
        (2 - 3j, '{"$complex":[2.0,-3.0]}'),
        (b"\x01\xff", '{"$bytes":"01ff"}'),
    ],
)
def test_the_text_of_each_kind_of_value(value, text):
    assert canonical(value) == text
