"""Cells of tables: each way of writing a number, a span, a moment; what says nothing is nan, what is none is marked."""

import math

import numpy as np
import pyarrow
import pytest

from msj.logs import cells
from msj.logs.sacct_columns import _count, _resource


def binary(*texts):
    return pyarrow.chunked_array([pyarrow.array([t if t is None else t.encode() for t in texts], pyarrow.binary())])


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("7", 7.0),
        ("2:07", 127.0),
        ("3:02:07", 3 * 3600 + 127.0),
        ("5-03:02:07", 5 * 86400 + 3 * 3600 + 127.0),
        ("5-03:02", 5 * 86400 + 3 * 3600 + 120.0),
        ("5-03", 5 * 86400 + 3 * 3600.0),
        ("02:07.25", 127.25),
        (" Partition_Limit ", math.nan),
        ("N/A", math.nan),
        ("-60", -60.0),
        ("1:2:3:4", None),
        ("inf", None),
    ],
)
def test_spans_of_time(text, seconds):
    np.testing.assert_equal(cells.span(text), seconds)


def test_moments_without_a_zone_are_those_of_utc_and_others_keep_theirs():
    """One day and 90 minutes after 1970 began, written in three ways."""
    for text in ("1970-01-02 01:30:00", "1970-01-02T01:30:00 UTC", "1970-01-01T22:30:00-03:00"):
        assert cells.moment(text) == 86400.0 + 5400.0
    assert cells.moment("tomorrow") is None


def test_a_column_is_read_cell_by_cell_where_not_all_at_once():
    values, unread = cells.numbers(binary("1.5", "x", "", "inf", "-2", None, "N/A"))
    np.testing.assert_equal(values, [1.5, np.nan, np.nan, np.nan, -2.0, np.nan, np.nan])
    assert unread.tolist() == [False, True, False, True, False, False, False]
    values, unread = cells.numbers(binary("1.5", "2e3", "-4"))
    assert (values.tolist(), unread.tolist()) == ([1.5, 2000.0, -4.0], [False] * 3)
    values, unread = cells.moments(binary("Unknown", "1970-01-01T00:00:02.5", "None", "1970-01-02 00:00:00"))
    np.testing.assert_equal(values, [np.nan, 2.5, np.nan, 86400.0])
    assert not unread.any()
    values, unread = cells.moments(binary("1970-01-01T00:00:02", "soon", "1970-01-01T01:00:00+02:00"))
    np.testing.assert_equal(values, [2.0, np.nan, -3600.0])
    assert unread.tolist() == [False, True, False]
    values, unread = cells.spans(binary("01:00", "x"))
    np.testing.assert_equal(values, [60.0, np.nan])
    assert unread.tolist() == [False, True]


def test_whether_a_column_is_plain_numbers():
    assert cells.are_numbers(binary("", "Unknown", "3.5", "4")) is False  # a word among them, though it says nothing
    assert cells.are_numbers(binary("3.5", "4"))
    assert not cells.are_numbers(binary("3.5", "inf"))
    assert not cells.are_numbers(binary("01:00", "4"))
    assert not cells.are_numbers(binary("", ""))
    assert cells.are_numbers(pyarrow.chunked_array([[3, None]]))


def test_texts_are_stripped_and_cells_without_any_are_one_of_them():
    found = cells.texts(binary("b", " a ", "a", "b "))
    assert found.tolist() == ["b", "a", "a", "b"]
    assert found.categories.tolist() == ["b", "a"]
    with_none = cells.texts(binary("b", None, "b"))
    assert with_none.tolist() == ["b", "", "b"]
    assert with_none.categories.tolist() == ["b", ""]
    assert cells.texts(binary()).tolist() == []


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["7", "-3"], [7, -3]),
        (["7", "3.5"], ["7", "3.5"]),
        (["7", ""], ["7", ""]),
        (["7", "9007199254740991"], [7, 2**53 - 1]),
        (["7", "9007199254740992"], ["7", "9007199254740992"]),  # 2^53 and the next one are the same double
        (["7", "8_1"], ["7", "8_1"]),
    ],
)
def test_what_jobs_are_called_is_a_whole_number_or_a_text(names, found):
    assert cells.labels(binary(*names)).tolist() == found


def test_names_in_a_table_with_types():
    assert cells.labels(pyarrow.chunked_array([["a", None]])).tolist() == ["a", ""]
    assert cells.labels(pyarrow.chunked_array([[5, 6]])).tolist() == [5, 6]


def test_each_reads_every_distinct_text_once():
    seen = []

    def read(text):
        seen.append(text)
        return len(text)

    assert cells.each(binary("aa", "b", "aa", None), read).tolist() == [2.0, 1.0, 2.0, 0.0]
    assert sorted(seen) == ["", "aa", "b"]
    assert cells.each(binary("aa"), len, np.int64).dtype == np.int64


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("12", 12.0),
        (" 12 ", 12.0),
        ("0", 0.0),
        ("1.5K", 1536.0),
        ("2k", 2048.0),
        ("3M", 3 * 1048576.0),
        ("1.5", -1.0),  # no part of a server
        ("1.0001K", -1.0),
        ("9007199254740991", 2.0**53 - 1),
        ("9007199254740992", -1.0),
        ("-4", -1.0),
        ("", -1.0),
        ("4G", -1.0),
    ],
)
def test_counts_as_sacct_prints_them(text, count):
    assert _count(text) == count


@pytest.mark.parametrize(
    ("text", "wanted", "count"),
    [
        ("cpu=12,node=3", "cpu", 12.0),
        ("cpu=12, node=3", "node", 3.0),
        ("cpu=12,node=3", "gres/gpu", 0.0),
        ("gres/gpu:a100=4,gres/gpu=7", "gres/gpu", 7.0),  # the total counts
        ("gres/gpu:a100=4,cpu=9,gres/gpu:v100=2", "gres/gpu", 6.0),
        ("gres/gpu:a100=x,gres/gpu:v100=2", "gres/gpu", 2.0),
        ("gres/gpu=x", "gres/gpu", 0.0),
        ("gpu:3,gres:gpu:v100:2", "gres/gpu", 5.0),
        ("gpu:3", "cpu", 0.0),
    ],
)
def test_resources_are_counted_by_their_name(text, wanted, count):
    assert _resource(text, wanted) == count
