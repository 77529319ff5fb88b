"""Do the 95 % intervals hold the exact value? Ten minutes of ``python -m verification.coverage``."""

from verification.coverage import SYSTEMS, run, verdict


def test_intervals_cover():
    wrong = verdict(run("ten-minutes", workers=2, names=list(SYSTEMS), most_jobs=1_000_000, only=None))
    assert not wrong, "\n".join(wrong)
