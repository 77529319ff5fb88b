"""Sweeps in tests are short."""

import pytest

from msj.simulation import blocks


@pytest.fixture(autouse=True, scope="module")
def _short_blocks():
    """The first blocks are a tenth as long as they are at least otherwise; nothing that is tested depends on it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "LEAST_PIECE", 100)
        yield
