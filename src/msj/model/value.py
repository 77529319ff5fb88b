"""Frozen values: validated when made, changed with ``replace``."""

from __future__ import annotations

import dataclasses
from typing import Any, Self


class Value:
    """Mixin for the model's frozen, keyword-only dataclasses."""

    def replace(self, **changes: Any) -> Self:
        """Return a copy with some fields changed; the copy is validated like any other."""
        return dataclasses.replace(self, **changes)  # type: ignore[type-var]
