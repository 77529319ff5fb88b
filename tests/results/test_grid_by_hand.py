"""Columns that fit a width, worked out by hand: 2 spaces between columns, sentences of more than 18 letters wrap."""

import pytest

from msj.results.grid import (
    _beside,
    _broken,
    _Column,
    _parts,
    _share_out,
    _sum,
    _with_content,
    wrap_sentences,
    write_grid,
)


@pytest.mark.parametrize(
    ("heading", "room", "lines"),
    [
        ("mean_response_time", 12, ["mean_", "response_", "time"]),
        ("mean_response_time", 13, ["mean_", "response_time"]),
        ("mean_response_time", 14, ["mean_response_", "time"]),
        ("mean_response_time", 18, ["mean_response_time"]),
        ("first-fit policy", 9, ["first-fit", "policy"]),
        ("ab cd", 4, ["ab", "cd"]),
        ("ab cd", 5, ["ab cd"]),  # the space behind the last word takes no room
        ("abcdefghijkl", 10, ["abcdefghij", "kl"]),
        ("abcdefghijkl", 4, ["abcdefgh", "ijkl"]),  # eight letters stay together
        ("_x", 8, ["_x"]),
        ("", 8, [""]),
    ],
)
def test_headings_break_behind_their_parts(heading, room, lines):
    assert _broken(heading, room) == lines


@pytest.mark.parametrize(
    ("cells", "wraps"),
    [
        (["a sentence of 18 l"], False),
        (["a sentence of 19 le"], True),
        (["7.5 ± 0.11 and more words"], False),  # a number with its interval stays whole
        (["(0.5 to 0.75) and more"], False),
        (["−7.5 and very many words"], False),
        (["one_word_that_is_very_long"], False),
        (["short", "a sentence of 19 le"], True),
        ([], False),
    ],
)
def test_only_sentences_wrap(cells, wraps):
    assert _Column("heading", cells).wraps is wraps


def test_how_wide_a_column_is():
    number = _Column("mean_response_time", ["7.5", "12.25"])
    assert (number.widest, number.longest_word, number.least, number.natural) == (5, 5, 9, 18)
    words = _Column("what", ["some words about it, and more", "x"])
    assert (words.widest, words.longest_word, words.least, words.natural) == (29, 5, 18, 29)
    long = _Column("what", ["a word like unconstitutionally_long here"])
    assert (long.longest_word, long.least) == (23, 23)
    assert (_Column("x", ["abcdefghijklmno"]).least, _Column("abcdefghijkl", ["1"]).least) == (15, 12)
    assert (_Column("x", []).widest, _Column("x", []).longest_word) == (0, 0)
    assert _sum([3, 4, 5]) == 16


def columns(*widths):
    return [_Column("x", ["y" * width]) for width in widths]


@pytest.mark.parametrize(
    ("widths", "width", "labels", "lots"),
    [
        ((10, 11, 12), 37, 1, [[10, 11, 12]]),
        ((10, 11, 12), 36, 1, [[10, 11], [10, 12]]),
        ((10, 11, 12, 13), 37, 1, [[10, 11, 12], [10, 13]]),
        ((10, 11, 12, 13), 36, 1, [[10, 11], [10, 12], [10, 13]]),
        ((3, 4, 11, 12), 35, 2, [[3, 4, 11], [3, 4, 12]]),
        ((10, 11), 5, 2, [[10, 11]]),
    ],
)
def test_columns_that_do_not_fit_go_below_with_their_labels(widths, width, labels, lots):
    found = _parts(columns(*widths), width, labels)
    assert [[column.widest for column in lot] for lot in found] == lots


def test_lines_without_content_are_left_out_of_a_lot():
    given = [_Column("a", ["1", "2", "3"]), _Column("b", ["", "x", ""]), _Column("c", ["", "", "y"])]
    given[1].wraps = True
    found = _with_content(given, 1)
    assert [(column.heading, column.cells, column.wraps) for column in found] == [
        ("a", ["2", "3"], False),
        ("b", ["x", ""], True),
        ("c", ["", "y"], False),
    ]
    assert [column.cells for column in _with_content(given, 2)] == [["3"], [""], ["y"]]


def shared(given, width):
    _share_out(given, width)
    return [column.width for column in given]


def test_what_is_left_of_the_width_goes_to_headings_and_then_to_long_sentences():
    """The heading takes 9 at least and 18 at best, the sentences 18 at least and 40, 30 or 20 at best."""
    number = _Column("mean_response_time", ["7.5"])
    forty, thirty, twenty = (_Column("x", ["word " * (n // 5 - 1) + "fives"]) for n in (40, 30, 20))
    assert [column.natural for column in (forty, thirty, twenty)] == [40, 30, 20]
    assert shared([number, forty], 29) == [9, 18]
    assert shared([number, forty], 32) == [12, 18]
    assert shared([number, forty], 50) == [18, 30]
    assert shared([number, twenty], 80) == [18, 20]
    # 40/18 is more than 30/18 up to 40/24; then they take turns.
    assert shared([forty, thirty], 18 + 2 + 18 + 6) == [24, 18]
    assert shared([forty, thirty], 18 + 2 + 18 + 8) == [25, 19]
    assert shared([number, forty], 10) == [9, 18]  # too narrow: the least there is


def test_cells_stand_beside_each_other_however_many_lines_they_have():
    given = columns(4, 3)
    shared(given, 80)
    assert _beside([["a", "b"], ["c"]], given) == ["a     c", "b"]


def test_sentences_break_at_spaces_only():
    assert wrap_sentences("a well-known incomprehensibility of\nits own", 12) == (
        "a well-known\nincomprehensibility\nof\nits own"
    )
    assert wrap_sentences("a well-known one", 8) == "a\nwell-known\none"


def test_a_whole_grid():
    """Width 40: 'name' takes 9, 'mean_response_time' 9 to 18, and the sentence the rest: 40 - 9 - 18 - 2·2 = 9 < 18.

    So the heading is given 40 - 9 - 18 - 4 = 9, its least, and breaks in three.
    """
    rows = [["fcfs", "7.5", "whoever comes first is served first"], ["first-fit", "4.25", ""]]
    text = write_grid(["name", "mean_response_time", "what it does"], rows, width=40, emphasise=str.upper)
    assert text.splitlines() == [
        "NAME       MEAN_      WHAT IT DOES",
        "           RESPONSE_",
        "           TIME",
        "fcfs       7.5        whoever comes",
        "                      first is served",
        "                      first",
        "first-fit  4.25",
    ]
    assert write_grid(["name", "value", "other"], [["a", "1", ""], ["b", "", "2"]], width=13).splitlines() == [
        "name  value",
        "a     1",
        "",
        "name  other",
        "b     2",
    ]


@pytest.mark.parametrize(("letters", "lines"), [(38, 1), (39, 2)])
def test_a_label_wraps_only_if_it_is_very_long(letters, lines):
    label = ("word " * 10)[: letters - 1] + "x"
    text = write_grid(["name", "value"], [[label, "12345"]], width=40)
    assert len(text.splitlines()) == 1 + (lines if lines > 1 else 1)
    assert (label in text) is (lines == 1)
