"""The limit of the waste against product forms at sizes where it should be reached."""

import pytest

from msj.closed_forms import same_law, two_class
from msj.closed_forms.waste_limit import limiting_waste


@pytest.mark.parametrize(
    ("servers", "needs", "shares", "rates"),
    [
        (1_000_000, (1, 2), (2 / 3, 1 / 3), (1.0, 0.5)),
        (1_000_000, (3, 1000), (0.999, 0.001), (1.0, 0.5)),
        (1_000_000, (3, 10), (0.5, 0.5), (1.0, 20.0)),
        (1_000_001, (4, 10), (0.3, 0.7), (1.0, 1.0)),  # in pairs, and one server is never used
    ],
)
def test_two_classes(servers, needs, shares, rates):
    exact = two_class(servers=servers, needs=needs, shares=shares, rates=rates).wasted_servers
    assert limiting_waste(servers=servers, needs=needs, shares=shares) == pytest.approx(exact, rel=3e-3)


def test_the_distance_shrinks_with_the_size():
    gaps = []
    for servers in (1000, 10_000, 100_000):
        mix = {"servers": servers, "needs": (1, 3, 5, 16), "shares": (0.4, 0.3, 0.2, 0.1)}
        gaps.append(abs(same_law(**mix, rate=1.0).wasted_servers - limiting_waste(**mix)))
    assert gaps[0] > 5 * gaps[1] > 25 * gaps[2]
