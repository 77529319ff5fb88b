"""All that is kept of the cases put together from parts, computed anew."""

import pytest

from fronts.brute_force_cases import CASES
from fronts.brute_force_parts import solved
from fronts.brute_force_values import computed, kept


@pytest.mark.parametrize("name", CASES)
def test_what_is_kept_is_what_is_computed(name):
    assert computed(name) == pytest.approx(kept()[name], rel=1e-10, abs=1e-15)


@pytest.mark.parametrize("name", CASES)
def test_the_levels_cut_off_do_not_matter(name):
    model, shares, rate, most = CASES[name]
    a, b, c = (solved(model, shares, rate, most - less)["mean_response_time"] for less in (0, 1, 2))
    assert (a - b) * (a - b) / abs(b - c) < 1e-9 * a  # what the next level would change, if each changes so much less
