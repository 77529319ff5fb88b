"""The examples that come with msj: in the package where it is installed, beside it in the repository."""

from __future__ import annotations

from pathlib import Path

from msj.errors import InvalidInput
from msj.registry import nearest

PACKAGE = Path(__file__).parents[1]
PLACES = (PACKAGE / "examples", PACKAGE.parents[1] / "examples")  # as installed; in the repository


def examples() -> dict[str, Path]:
    """Return every example by its name: of a spec file without its ending, of a log with it."""
    folder = next((place for place in PLACES if place.is_dir()), None)
    if folder is None:
        return {}
    specs = {path.stem: path for path in (*folder.glob("*.toml"), *folder.glob("models/*.toml"))}
    logs = {path.name: path for path in folder.glob("logs/*") if path.suffix not in (".py", "")}
    return dict(sorted(specs.items())) | dict(sorted(logs.items()))


def example(name: str) -> Path:
    """Return the file of the example called ``name``; the beginning of one name only is enough.

    Examples
    --------
    >>> example("gpu").name
    'gpu_training.toml'
    """
    known = examples()
    meant = name.strip().casefold().replace("-", "_").removesuffix(".toml")
    begun = [other for other in known if meant and other.startswith(meant)]
    if meant in known or len(begun) == 1:
        return known[meant if meant in known else begun[0]]
    fix = f"did you mean {' or '.join(begun)}?" if begun else nearest(meant, known)
    raise InvalidInput(f"unknown example '{name}'; {fix}")
