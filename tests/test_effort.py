"""Parts of the work are parts of the whole."""

import pytest

from msj.effort import Effort


@pytest.mark.parametrize(("low", "high"), [(-0.1, 0.5), (0.6, 0.5), (0.4, 1.5)])
@pytest.mark.parametrize("watched", [True, False])
def test_a_part_that_is_none_is_refused(low, high, watched):
    with pytest.raises(ValueError, match="is no part of the whole"):
        Effort(progress=(lambda _: None) if watched else None).part(low, high)


def test_parts_of_parts_are_told_as_shares_of_the_whole():
    seen = []
    Effort(progress=seen.append).part(0.5, 1.0, "a").part(0.0, 0.5, "b").tell(0.5, "c")
    assert [(now.done, now.words) for now in seen] == [(0.625, "a: b: c")]


def test_only_what_is_said_to_be_a_notice_is_told_as_one():
    # A bar overwrites what it is told; notices stay on a line of their own.
    seen = []
    for effort in (Effort(progress=seen.append), Effort(progress=seen.append).part(0.0, 0.5)):
        effort.tell(0.5, "1,000 jobs")
        effort.tell(0.5, "this may take a minute", notice=True)
    assert [(now.words, now.notice) for now in seen] == 2 * [("1,000 jobs", False), ("this may take a minute", True)]
