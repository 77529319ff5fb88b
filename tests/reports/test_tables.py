"""The tables of a report, apart from the rest of it."""

from pathlib import Path
from types import SimpleNamespace

import pytest

import msj
from msj.reports.tables import classes_table

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("path", sorted(EXAMPLES.rglob("*.toml")), ids=lambda path: path.stem)
def test_shares_of_work_sum_to_all_of_it(path):
    table = classes_table(SimpleNamespace(cluster=msj.read(path), time_unit=None))
    place = table.headings.index("share of work")
    total = sum(float(row[place].removesuffix("%").replace("<", "")) for row in table.rows)
    assert total == pytest.approx(100, abs=0.5 * len(table.rows))
