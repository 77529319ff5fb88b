"""The analyses that apply to a system."""

from __future__ import annotations

from typing import TypeVar

from msj.analysis.base import Analysis
from msj.model import System
from msj.registry import ANALYSES

Some = TypeVar("Some", bound=Analysis)


def analyses(kind: type[Some]) -> list[Some]:
    """Return every analysis of one kind."""
    return [variant() for variant in ANALYSES if issubclass(variant, kind)]


def supporting(kind: type[Some], system: System) -> list[Some]:
    """Return the analyses of one kind that support a system, by their own word."""
    return [analysis for analysis in analyses(kind) if analysis.supports(system) is None]
