"""Where a result comes from: versions, question, cost. Enough to ask again (``msj rerun``)."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any


def provenance(**facts: Any) -> dict[str, Any]:
    """Return the versions in use together with the facts a computation adds (seconds, states, residual, ...)."""
    return {
        "msj": _version("msj"),
        "python": platform.python_version(),
        "numpy": _version("numpy"),
        "scipy": _version("scipy"),
        **facts,
    }


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:  # used from a source tree that is not installed
        return "unknown"
