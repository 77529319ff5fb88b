"""Where a result comes from: versions, question, cost. Enough to ask again (``msj rerun``)."""

from __future__ import annotations

import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any


def provenance(**facts: Any) -> dict[str, Any]:
    """Return the versions in use together with the facts a computation adds (seconds, states, residual, ...)."""
    return {
        "msj": version_of("msj"),
        "python": platform.python_version(),
        "numpy": version_of("numpy"),
        "scipy": version_of("scipy"),
        **facts,
    }


@cache
def version_of(package: str) -> str:
    """Return the version of an installed package; reading it takes milliseconds, so once is enough."""
    try:
        return version(package)
    except PackageNotFoundError:  # used from a source tree that is not installed
        return "unknown"
