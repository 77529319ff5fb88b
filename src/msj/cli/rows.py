"""Rows of plain data as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

import click


def show_csv(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print rows with the same keys as CSV; None is an empty cell."""
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    click.echo(buffer.getvalue(), nl=False)
