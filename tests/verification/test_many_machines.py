"""``python -m verification.many_machines`` sees a digit that differs, a cell that is missing and a failed check."""

from verification.many_machines import Verdicts, rows, wrong_cells

import msj


def test_a_digit_that_differs_is_a_wrong_cell(tmp_path):
    msj.sweep("examples/two_servers.toml", vary={"load": [0.5, 0.6, 0.7]}, out=tmp_path / "runs")
    reference = rows(tmp_path / "runs")
    assert wrong_cells(reference, reference) == 0
    changed = reference.copy()
    changed.loc[7, "value"] = changed.loc[7, "value"] * (1 + 1e-15)
    assert wrong_cells(changed, reference) == 1
    cells = reference.cell.unique()
    part = reference[reference.cell != cells[0]].reset_index(drop=True)
    assert wrong_cells(part, reference) == 0  # a shard
    assert wrong_cells(reference, part) == 1  # a cell that should not be there


def test_failed_checks_are_counted(capsys):
    verdicts = Verdicts()
    verdicts.add(True, "as it should be")
    verdicts.add(False, "3 of 9 cells differ")
    assert verdicts.failed == 1
    assert "FAIL  3 of 9 cells differ" in capsys.readouterr().out
