"""What tests of sweeps share: a small grid that has exact and simulated cells, and how folders are compared."""

import pyarrow.parquet as parquet

import msj

TWO = "examples/two_servers.toml"
#: Two exact cells, two simulated ones, and four that are no cluster.
GRID = {"vary": {"load": [0.5, 0.8], "servers": [2, 1]}, "policies": ["fcfs", "first-fit"], "precision": 0.2}


def undisturbed(**options):
    """The answers as one process gives them, from nothing."""
    return msj.sweep(TWO, **{**GRID, **options})


def blocks_of(folder):
    """Every block in a folder, by stream and number, in all its digits; each but once."""
    found = parquet.read_table(folder / "blocks").drop_columns(["seconds"]).to_pylist()
    keys = [(row["stream"], row["index"]) for row in found]
    assert len(set(keys)) == len(keys)
    return dict(zip(keys, found, strict=True))


def rows_of(folder):
    """Every row of a folder but for the seconds it took, in an order of its own."""
    found = parquet.read_table(folder / "rows").drop_columns(["seconds"]).to_pylist()
    return sorted(found, key=lambda row: str([row[key] for key in ("cell", "name", "class", "level", "quantity")]))
