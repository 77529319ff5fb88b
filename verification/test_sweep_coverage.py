"""Do intervals of a sweep's cells hold the exact value? Ten minutes of ``python -m verification.sweep_coverage``."""

from verification.sweep_coverage import SEEDS, run


def test_intervals_of_cells_cover():
    wrong = run(SEEDS["ten-minutes"], workers=2)
    assert not wrong, "\n".join(wrong)
