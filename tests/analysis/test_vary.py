"""Where curves put their points, by hand: fractions where the steps are even, and both sides of every limit."""

import numpy as np
import pytest

from msj import InvalidInput, TooLarge
from msj.analysis.vary import MOST_POINTS, VaryRateRatio, VaryServers, VaryShare, _readable, _spread
from strategies import simple


def test_points_are_even_in_the_work_and_in_its_logarithm():
    # Odds 1/16 to 4 are shares of work 1/17 to 4/5: four values inside in steps of 63/425, and the odds 1/4 and 1.
    found = _spread(1 / 16, 4.0, 8)
    by_work = [88 / 337, 151 / 274, 214 / 211, 277 / 148]
    np.testing.assert_allclose(found, [1 / 4, 1, *by_work], rtol=1e-12)
    assert len(_spread(0.1, 10.0, 21)) == 5 + 10


def test_digits_that_are_rounding_are_left_out():
    assert _readable(np.array([0.1 + 0.2, 2.0]), np.array([0.3, 1 / 3])) == [0.3, 0.333333333333, 2.0]


def test_ratios_of_rates():
    # Two thirds of need 2 and one third of need 8: at ratio x the odds of work are x/2.
    system = simple(8, (2, 3, "2/3"), (8, 5, "1/3"))
    marks = [0.125, 0.5, 2, 8]
    by_work = [176 / 337, 151 / 137, 428 / 211, 277 / 74]  # twice the odds above; 1/4 and 1 are among the marks
    found = VaryRateRatio(low=0.125, high=8).grid(system, 8)
    assert found == pytest.approx(sorted([*marks, *by_work]), rel=1e-11)
    many = VaryRateRatio(low=1, high=1024).grid(system, 200)
    assert len(many) == len(set(many)) == 21 + 50 + 100  # no more than 21 marks for people to read
    assert {float(f"{2 ** (i / 2):.12g}") for i in range(21)} <= set(many)


def test_one_ratio_of_rates():
    system = simple(8, (1, 3, "2/3"), (4, 5, "1/3"), (2, 1, 0))
    first, second = VaryRateRatio(low=0.1, high=8).at(system, 0.25).classes  # the other never arrives
    assert (float(first.duration.mean), float(second.duration.mean)) == pytest.approx((1 / 3, 4 / 3), rel=1e-12)
    assert VaryRateRatio(low=0.1, high=8).place(0.25) == {"rate_ratio": 0.25}


def test_shares_of_a_class():
    # A job of need 5 and duration 2 is four times the work of one of need 1 and duration 5/2.
    system = simple(10, (1, "2/5", "1/2"), (5, "1/2", "1/2"))
    vary = VaryShare(job_class="need 5", low="1/10", high="1/2")
    # Odds of work are 4·(1/9) = 4/9 to 4, shares of work 4/13 to 4/5: inside 4/13 + i·(32/65)/5 = (100 + 32·i)/325, of
    # odds (100 + 32·i)/(225 − 32·i) and, of jobs, a quarter of that. Halfway in logarithms: 4/9·9^(1/3), 4/9·9^(2/3).
    odds = [(100 + 32 * i) / (225 - 32 * i) / 4 for i in range(1, 5)] + [9 ** (-2 / 3), 9 ** (-1 / 3)]
    marks = [0.1, 0.1 + 0.4 / 3, 0.1 + 0.8 / 3, 0.5]
    found = vary.grid(system, 8)
    assert found == pytest.approx(sorted([*marks, *(x / (1 + x) for x in odds)]), rel=1e-11)


@pytest.mark.parametrize(
    ("rate", "low", "rest"),
    [
        ("1/2", 1e-4, 1e-4),  # odds of work 4: a tenth of the servers is less than 1/4 and than 4
        ("1/40", 1.25e-5, 1e-4),  # odds of work 80: 1/80 is less than a tenth
        (40, 1e-4, 5e-5),  # odds of work 1/20
    ],
)
def test_shares_end_where_nothing_happens_any_more(rate, low, rest):
    """A thousandth of the least need in servers, or of the share at which the class has half of the work."""
    system = simple(10, (1, "2/5", "1/2"), (5, rate, "1/2"))
    middle = np.sqrt(low / (1 - low) * (1 - rest) / rest)  # odds, halfway between the ends in logarithms
    found = VaryShare(job_class="need 5").grid(system, 4)
    assert min(abs(x - middle / (1 + middle)) for x in found) < 1e-11


def test_shares_so_small_that_nothing_happens_are_only_marked():
    system = simple(10, (1, "2/5", "1/2"), (5, "1/2", "1/2"))
    assert VaryShare(job_class="need 5", high=1e-5).grid(system, 8) == pytest.approx([0, 1e-5 / 3, 2e-5 / 3, 1e-5])
    assert len(VaryShare(job_class="need 5", high=1e-3).grid(system, 8)) == 4 + 6


def test_the_others_keep_their_proportions():
    system = simple(6, (1, 1, "1/2"), (2, 2, "1/8"), (3, 3, "3/8"))
    vary = VaryShare(job_class="need 1")
    assert vary.place(0.25) == {"class_share": 0.25, "of_class": "need 1"}
    assert [float(c.share) for c in vary.at(system, 0.2).classes] == pytest.approx([0.2, 0.2, 0.6], rel=1e-12)
    # The one other class takes the rest even if it has none yet; of two nobody knows which.
    alone = simple(6, (1, 1, 1), (2, 2, 0))
    assert [float(c.share) for c in vary.at(alone, 0.2).classes] == pytest.approx([0.2, 0.8], rel=1e-12)
    with pytest.raises(InvalidInput, match="nothing says which classes take the rest"):
        vary.at(simple(6, (1, 1, 1), (2, 2, 0), (3, 3, 0)), 0.2)


def test_work_of_the_others_counts_as_they_share_the_rest():
    # Of the rest a quarter is of work 1 and three quarters of work 1 as well or of work 9: 1 or 7 on average.
    for rate, others in ((3, 1.0), ("1/3", 7.0)):
        system = simple(6, (1, 1, "1/2"), (2, 2, "1/8"), (3, rate, "3/8"))
        vary = VaryShare(job_class="need 1", low="1/5", high="4/5")
        ends = [1 / others / 4, 4 / others]  # odds of work
        even = [end / (1 + end) for end in ends]
        w = even[0] + (even[1] - even[0]) / 3
        odds = w / (1 - w) * others
        assert min(abs(x - odds / (1 + odds)) for x in vary.grid(system, 4)) < 1e-11


def test_numbers_of_servers():
    assert VaryServers(low=3, high=10, step=3).grid() == [3, 6, 9]
    assert VaryServers(low=3, high=9, step=3).grid() == [3, 6, 9]
    assert VaryServers(low=3, high=5).grid() == [3, 4, 5]
    assert VaryServers(low=3, high=5).place(4.0) == {"servers": 4}
    assert len(VaryServers(low=1, high=MOST_POINTS).grid()) == MOST_POINTS == 20_000
    with pytest.raises(TooLarge, match=r"asks for 20001 systems, above 20,000; add a step: servers=1\.\.20001\.\.2$"):
        VaryServers(low=1, high=20_001).grid()
    with pytest.raises(TooLarge, match=r"add a step: servers=1\.\.60001\.\.4$"):
        VaryServers(low=1, high=60_001, step=3).grid()


def test_ends_that_do_not_rise_are_refused():
    for low, high in ((5, 5), (6, 5)):
        with pytest.raises(InvalidInput, match="does not rise; write the lower value first"):
            VaryServers(low=low, high=high)
