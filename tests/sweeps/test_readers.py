"""A sweep's folder as others read it: nothing of msj is needed, and the numbers are those of the result."""

import pytest
from same import TWO

import msj

QUERY = """
    SELECT policy, load, value, low, high FROM '{folder}/rows/*.parquet'
    WHERE name = 'mean_response_time' AND class IS NULL ORDER BY policy, load
"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """The folder, and its mean response times as the result has them."""
    folder = tmp_path_factory.mktemp("sweep") / "runs"
    found = msj.sweep(TWO, vary={"load": [0.5, 0.8]}, policies=["fcfs", "first-fit"], precision=0.3, out=folder)
    rows = [row for row in found if row.name == "mean_response_time" and row.job_class is None]
    return folder, [(row.at["policy"], row.at["load"], row.value, row.low, row.high) for row in rows]


def needed(module):
    return pytest.importorskip(module, reason=f"{module} is not installed here: pip install {module} runs this test")


def test_pandas_reads_it(runs):
    folder, rows = runs
    table = needed("pandas").read_parquet(folder / "rows")
    chosen = table[(table.name == "mean_response_time") & table["class"].isna()].sort_values(["policy", "load"])
    columns = chosen[["policy", "load", "value", "low", "high"]]
    assert [tuple(None if cell != cell else cell for cell in row) for row in columns.itertuples(index=False)] == rows


def test_polars_reads_it(runs):
    folder, rows = runs
    polars = needed("polars")
    table = polars.read_parquet(folder / "rows")
    chosen = table.filter((polars.col("name") == "mean_response_time") & polars.col("class").is_null())
    assert chosen.sort("policy", "load").select("policy", "load", "value", "low", "high").rows() == rows


def test_duckdb_reads_it(runs):
    folder, rows = runs
    assert needed("duckdb").sql(QUERY.format(folder=folder)).fetchall() == rows
