"""How the odds of a wrong verdict are spent: over points, over looks at a point, over targets.

A plan may be wrong with odds of at most ``whole``. It asks several points, looks at each several times, and each look
at several targets; each verdict gets a share of the odds and the shares add up to at most 1, whatever is asked
(Bonferroni). The first eight points get a sixteenth each, those after them 1/2, 1/6, 1/12, ... of the other half; looks
at a point get 1/2, 1/6, 1/12, ... = 1/(i·(i + 1)) of its share.
"""

from __future__ import annotations

from dataclasses import dataclass

FIRST_POINTS = 8


@dataclass(frozen=True, kw_only=True)
class PointOdds:
    """What one point may spend."""

    share: float

    def at_look(self, look: int) -> float:
        """Return the odds that one target's verdict at a look, counted from 1, may be wrong with."""
        return self.share / (look * (look + 1))


class Odds:
    """The odds of a whole plan, handed out point by point.

    Examples
    --------
    >>> odds = Odds(0.05)
    >>> [round(odds.next_point(1).share / 0.05, 4) for _ in range(10)][-3:]
    [0.0625, 0.25, 0.0833]
    """

    def __init__(self, whole: float) -> None:
        self.whole = whole
        self.asked = 0

    def next_point(self, targets: int) -> PointOdds:
        """Return what the next point may spend on each of so many targets."""
        self.asked += 1
        later = self.asked - FIRST_POINTS
        share = 0.5 / FIRST_POINTS if later <= 0 else 0.5 / (later * (later + 1))
        return PointOdds(share=self.whole * share / targets)
