"""Numbers, matrices, shares and what changes them: a value on each side of every rule."""

from fractions import Fraction

import numpy as np
import pytest

from msj import Exponential, InvalidInput, JobClass, NotSupported, System
from msj.model.changes import with_largest_need, with_servers, with_share
from msj.model.chosen import chosen_from, distinct_label
from msj.model.column import read_column
from msj.model.matrix import law_of, matrix, recurrent, require_generator, require_rates
from msj.model.numbers import (
    as_plain,
    as_text,
    exact,
    number,
    positive,
    probability,
    reciprocal,
    shortened,
    sums_to_one,
    text,
    truth,
    vector,
    whole,
)
from msj.model.system import _amount
from msj.registry import POLICIES


@pytest.mark.parametrize(
    "value", [0, 0.0, 1e100, -1e100, 1e-100, 10**100, -(10**100), Fraction(1, 10**100), 1e99, "1e100", "1e-100", "0"]
)
def test_numbers_in_range(value):
    assert number(value, "x") == (value if not isinstance(value, str) else Fraction(value))


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (1.1e100, "x = 1.1e+100 is out of range; give a number between 1e-100 and 1e100"),
        (0.9e-100, "x = 9e-101 is out of range"),
        (10**100 + 1, "x = a number of more than 100 digits is out of range"),
        (Fraction(1, 10**100 + 1), "x = a number below 1e-100 is out of range"),
        (-(10**101), "x = a number of more than 100 digits is out of range"),
        ("1e400", "x = a number of more than 100 digits is out of range"),
        ("1e401", "x = '1e401' is out of range"),
        ("1e-401", "x = '1e-401' is out of range"),
        ("1e00001", None),
        ("1e000001", "x = '1e000001' is out of range"),
        ("1" * 60, None),
        ("1" * 61, f"x = '{'1' * 20}...{'1' * 10}' is out of range"),
        (float("-inf"), "x = -inf is not finite"),
        ("1,5", "x = '1,5' is not a number; decimals take a point: write 1.5"),
        (" -,5 ", "decimals take a point: write -.5"),
        ("12.5 %", "x = '12.5 %' is not a number; write it as a share, 0.125"),
        ("2 h", "units are for times and rates in spec files ('2 h', '12 per hour'); write a bare number here"),
        ("12 per hour", "units are for times and rates"),
        ("two", "x = 'two' is not a number; write 0.25, 3 or '1/3'"),
    ],
)
def test_numbers_out_of_range_and_other_texts(value, words):
    if words is None:
        assert number(value, "x") == Fraction(value)
        return
    with pytest.raises(InvalidInput) as raised:
        number(value, "x")
    assert words in str(raised.value)


def test_long_texts_are_shortened():
    assert shortened("a" * 40) == "a" * 40
    assert shortened("".join(chr(97 + i % 26) for i in range(41))) == "abcdefghijklmnopqrst...fghijklmno"
    assert shortened("abcdefghi", 8) == "abcd...hi"


def test_rules_of_one_number():
    assert positive("1/3", "x") == Fraction(1, 3)
    assert [probability(value, "x") for value in (0, 1, 0.5)] == [0, 1, 0.5]
    assert (whole(1, "x"), whole(0, "x", least=0), whole(3.0, "x"), whole("6/2", "x")) == (1, 0, 3, 3)
    for value in (0, -0.5):
        with pytest.raises(InvalidInput, match="must be greater than 0"):
            positive(value, "x")
    for value in (-0.001, 1.001):
        with pytest.raises(InvalidInput, match="must lie between 0 and 1"):
            probability(value, "x")
    with pytest.raises(InvalidInput, match=r"x = -1.5 must be a whole number; write -2 or -1$"):
        whole(-1.5, "x")
    with pytest.raises(InvalidInput, match=r"x = 4 must be at least 5; raise x$"):
        whole(4, "x", least=5)
    assert truth(False, "x") is False
    with pytest.raises(InvalidInput, match="must be true or false"):
        truth(0, "x")


@pytest.mark.parametrize("code", [0xD800, 0xDFFF])
def test_half_a_character_is_refused(code):
    with pytest.raises(InvalidInput, match="holds half a character"):
        text(f"a{chr(code)}", "x")
    assert text("a\ud7ff\ue000", "x") == "a\ud7ff\ue000"


def test_lists_of_numbers():
    assert vector(np.array([1.5, 2.0]), "x") == (1.5, 2.0)
    with pytest.raises(InvalidInput, match=r"x\[1\] = 'a' is not a number"):
        vector([1, "a"], "x")
    for none in ([], "12", b"12", 3):
        with pytest.raises(InvalidInput, match="must be a non-empty list of numbers"):
            vector(none, "x")


def test_shares_of_a_whole_are_exact_for_fractions_and_nearly_so_for_others():
    assert sums_to_one((Fraction(1, 3), Fraction(2, 3)), "x") == (Fraction(1, 3), Fraction(2, 3))
    assert sums_to_one((0.5, 0.5 + 0.9e-9), "x")
    assert sums_to_one((0.5, 0.5 - 0.9e-9), "x")
    for wrong in ((0.5, 0.5 + 1.2e-9), (0.5, 0.5 - 1.2e-9), (Fraction(1, 2), Fraction(1, 2) + Fraction(1, 10**12))):
        with pytest.raises(InvalidInput, match="they must sum to 1"):
            sums_to_one(wrong, "x")
    with pytest.raises(InvalidInput, match=r"x\[1\] = -1 must lie"):
        sums_to_one((1, -1, 1), "x")


def test_reciprocals_and_ways_to_write_a_number():
    assert [reciprocal(value) for value in (4, Fraction(2, 3), Fraction(1, 3), 0.5)] == [
        Fraction(1, 4), Fraction(3, 2), 3, 2.0,
    ]  # fmt: skip
    assert isinstance(reciprocal(Fraction(1, 3)), int)
    assert isinstance(reciprocal(Fraction(2, 3)), Fraction)
    assert exact(0.1) == Fraction(1, 10)
    assert exact(3) == 3
    assert [as_text(value) for value in (Fraction(2, 3), 7, 2 / 3)] == ["2/3", "7", "0.6666666667"]
    assert [as_plain(value) for value in (Fraction(6, 3), Fraction(2, 3), 0.5)] == [2, "2/3", 0.5]


def test_matrices_are_square_or_as_wide_as_is_said():
    assert matrix([[1, 2]], "m", columns=2) == ((1, 2),)
    with pytest.raises(InvalidInput, match=r"m\[1\] has 3 entries; it must have as many as there are rows"):
        matrix([[1, 2], [1, 2, 3]], "m")
    with pytest.raises(InvalidInput, match=r"m\[0\] has 1 entries; it must have 2"):
        matrix([[1]], "m", columns=2)
    require_rates(((-1, 1), (0, -2)), "m", diagonal=True)
    require_rates(((1, 1), (0, 2)), "m", diagonal=False)
    with pytest.raises(InvalidInput, match=r"m\[0\]\[0\] = -1 is a rate"):
        require_rates(((-1, 1), (0, 2)), "m", diagonal=False)
    with pytest.raises(InvalidInput, match=r"m\[1\]\[0\] = -1 is a rate"):
        require_rates(((-1, 1), (-1, 1)), "m", diagonal=True)


def test_rows_of_a_generator_sum_to_0_up_to_rounding_of_their_largest_number():
    for off in (0.9e-9, -0.9e-9):
        require_generator([((-1.0, 1.0 + off), (3, -3))], "m")
        require_generator([((-1000.0, 0.0), (0.0, -5.0)), ((0.0, 1000.0 * (1 + off)), (5.0, 0.0))], "m")
    for off in (1.1e-9, -1.1e-9):
        with pytest.raises(InvalidInput, match="row 1 of m sums to"):
            require_generator([((3, -3), (-1.0, 1.0 + off))], "m")
    with pytest.raises(InvalidInput, match="row 0 of m sums to 0; "):
        require_generator([((0, 0), (1, -1))], "m")


def test_the_long_run_of_three_states():
    """Balance: a·(2 + 3) = c·6, b·4 = a·2, c·6 = a·3 + b·4 give a : b : c = 12 : 6 : 10."""
    law = law_of([[9, 2, 3], [0, 9, 4], [6, 0, 9]], "m")
    assert law == (Fraction(12, 28), Fraction(6, 28), Fraction(10, 28))
    assert all(isinstance(p, Fraction) for p in law)
    floats = law_of([[0.0, 2.0, 3.0], [0.0, 0.0, 4.0], [6.0, 0.0, 0.0]], "m")
    assert floats == pytest.approx([12 / 28, 6 / 28, 10 / 28], rel=1e-15)
    # Whoever leaves state 0 never comes back.
    assert law_of([[0, 1, 0], [0, 0, 2], [0, 3, 0]], "m") == (0, Fraction(3, 5), Fraction(2, 5))
    assert recurrent([[0, 1, 0], [0, 0, 2], [0, 3, 0]], "m") == [1, 2]
    assert recurrent([[5]], "m") == [0]
    with pytest.raises(InvalidInput, match="states 1 and 2 of m never lead to each other"):
        recurrent([[0, 1, 1], [0, 1, 0], [0, 0, 1]], "m")


def classes(*shares, **more):
    return [
        JobClass(name=f"c{i}", need=1 + i, duration=Exponential(mean=2 + i), share=share, **more)
        for i, share in enumerate(shares)
    ]


def test_shares_of_classes_sum_to_1():
    for off in (0.9e-9, -0.9e-9):
        assert len(System(servers=4, classes=classes(0.25, 0.75 + off)).classes) == 2
    for off in (1.1e-9, -1.1e-9):
        with pytest.raises(InvalidInput, match=r"shares sum to 1 \(0.25 \+ 0.75000000\d+\)|shares sum to"):
            System(servers=4, classes=classes(0.25, 0.75 + off))
    with pytest.raises(InvalidInput, match=r"sum to 6/7 \(1/7 \+ 1/7 \+ 1/7 \+ 1/7 \+ 1/7 \+ 1/7\); they"):
        System(servers=9, classes=classes(*["1/7"] * 6))
    with pytest.raises(InvalidInput, match=r"\(1/8 \+ 1/8 \+ 1/8 \+ 1/8 \+ 1/8 \+ 1/8 \+ \.\.\.\); they"):
        System(servers=9, classes=classes(*["1/8"] * 7))
    with pytest.raises(InvalidInput, match="class 'c1' has neither share nor count"):
        System(servers=4, classes=[*classes(None, count=3), JobClass(name="c1", need=1, duration=Exponential(mean=1))])
    with pytest.raises(InvalidInput, match=r"classes\[1\]: a class takes share or count, and neither"):
        System(servers=4, classes=classes("1/2", None))


@pytest.mark.parametrize("off", [0.9e-9, -0.9e-9, 1.1e-9, -1.1e-9])
def test_shares_that_agree_with_the_order_may_be_said_again(off):
    order = {"law": "markov", "matrix": [["1/2", "1/2"], [1, 0]]}
    given = classes(2 / 3 + off, 1 / 3 - off)
    if abs(off) < 1e-9:
        assert System(servers=4, classes=given, order=order).classes[0].share == 2 / 3 + off
    else:
        with pytest.raises(InvalidInput, match="follows that it is 2/3; leave the share out"):
            System(servers=4, classes=given, order=order)


def test_another_share_leaves_the_others_their_ratios():
    system = System(servers=4, classes=classes("1/2", "1/3", "1/6"))
    assert [c.share for c in with_share(system, "c0", "1/4").classes] == [Fraction(s, 4) for s in (1, 2, 1)]
    assert [c.share for c in with_share(system, "c1", 0).classes] == [Fraction(3, 4), 0, Fraction(1, 4)]
    one = System(servers=4, classes=classes(1, 0))
    assert [c.share for c in with_share(one, "c0", 1).classes] == [1, 0]
    with pytest.raises(InvalidInput, match="class 'c0' has share 1, so nobody else can take the rest"):
        with_share(one, "c0", "1/2")
    with pytest.raises(InvalidInput, match="no class is called 'x'; there are: c0, c1"):
        with_share(one, "x", "1/2")


def test_needs_are_cut_and_the_work_stays():
    system = System(servers=4, classes=classes("1/2", "1/3", "1/6"))  # needs 1, 2, 3; means 2, 3, 4
    cut = with_largest_need(system, 2)
    assert [(c.need, float(c.duration.mean)) for c in cut.classes] == [(1, 2.0), (2, 3.0), (2, 6.0)]
    assert cut.mean_work == pytest.approx(system.mean_work)
    assert with_servers(system, 7).servers == 7
    with pytest.raises(NotSupported, match="need means something else in model"):
        with_largest_need(system.replace(model={"name": "set-up", "set_up_rate": 1}), 2)


@pytest.mark.parametrize(
    ("value", "key", "refused"),
    [(10, "load", False), (10.5, "load", True), (100, "utilisation", True), (100.5, "load", False),
     (50, "arrival_rate", False)],
)  # fmt: skip
def test_a_load_that_can_only_be_a_percentage_is_refused(value, key, refused):
    if refused:
        with pytest.raises(InvalidInput, match=f"for {value} % write {key} = {value / 100:g}"):
            _amount(value, key)
    else:
        assert _amount(value, key) == value


def test_columns_of_files(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("h\n\n3,x\n0\n-2\n", encoding="utf-8")
    assert read_column(path, "numbers").tolist() == [3.0, 0.0, -2.0]
    with pytest.raises(InvalidInput, match="row 3: 0 must be a positive, finite number"):
        read_column(path, "numbers", above_zero=True)
    path.write_text("1\ninf\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match="row 2: inf is not finite"):
        read_column(path, "numbers")
    path.write_bytes(b"\xff\xfe\n")
    with pytest.raises(InvalidInput, match="is not text; give a CSV file with numbers"):
        read_column(path, "numbers")


def test_two_choices_of_one_name_get_numbers():
    one, two, three = (chosen_from(POLICIES, name, "fcfs") for name in ("fcfs", "first-fit", "best-fit"))
    label = one.label()
    assert distinct_label(one, {}) == label
    assert distinct_label(one, {label: two}) == f"{label} (2)"
    assert distinct_label(one, {label: two, f"{label} (2)": three}) == f"{label} (3)"
    with pytest.raises(InvalidInput, match="is named twice; leave one out"):
        distinct_label(one, {"x": one})
