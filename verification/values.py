"""Does every quantity have a test that knows its value? ``python -m verification.values``.

For each name of the glossary all rows of that name that msj makes are put wrong (by OFF, those simulated by
SIMULATED_OFF, intervals with them), and the tests that reach the functions where the name stands are run, up to the
first that fails. The name and that test are written to ``tests/results/values.txt``, which the tests hold to the
glossary; a name that nobody notices is told, and the exit code is 1.

    python -m verification.values                            all names, some minutes
    python -m verification.values --names mean_power,load    some of them
"""

from __future__ import annotations

import argparse
import ast
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msj.results.glossary import GLOSSARY
from msj.results.quantity import Quantity
from verification.mutation import ROOT, Copy, seen_reaching
from verification.reached import Reached, place_of

KEPT = Path("tests") / "results" / "values.txt"
OFF, SIMULATED_OFF = 1.03, 1.3
MOST_SECONDS = 60.0
COPYING = ("replace", "put", "from_dict", "rescaled")  # what has a wrong value already


def put_wrong(name: str) -> None:
    """Make every row of a name wrong that msj makes from now on; the rows that tests make themselves stay."""
    made = Quantity.__post_init__

    def wrong(row: Quantity) -> None:
        made(row)
        if row.name == name and _by_msj():
            factor = SIMULATED_OFF if row.kind == "simulated" else OFF
            for end in ("value", "low", "high"):
                number = getattr(row, end)
                object.__setattr__(row, end, None if number is None else number * factor)

    Quantity.__post_init__ = wrong  # type: ignore[method-assign]


def _by_msj() -> bool:
    frame: Any = sys._getframe(2)
    while frame.f_code.co_filename.startswith("<") or frame.f_code.co_name == "watched":  # tests/conftest.py
        frame = frame.f_back
    code = frame.f_code
    return "/src/msj/" in code.co_filename and code.co_name not in COPYING


def places_of(root: Path) -> dict[str, set[str]]:
    """Return, for each name of the glossary, the functions in which it stands, as file:name; or a part of it."""
    found: dict[str, set[str]] = defaultdict(set)
    for file in sorted((root / "src").rglob("*.py")):
        if file.stem == "glossary":
            continue
        text = file.read_text(encoding="utf-8")
        for word, line in _words(text):
            for name in GLOSSARY:
                if word == name or (len(word) > 5 and word.strip("_") != word and word in name):
                    found[name].add(f"{file.relative_to(root).as_posix()}:{place_of(text, line).name}")
    return found


def _words(text: str) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " not in node.value:
            yield node.value, node.lineno


def noticed_by(reached: Reached, places: set[str]) -> Iterator[str]:
    """Return the tests to ask, the quickest first."""
    tests = reached.of_functions(places)
    spent = 0.0
    for test in sorted(tests, key=lambda test: (reached.seconds[test], test)):
        spent += reached.seconds[test]
        if spent > MOST_SECONDS:
            return
        yield test


def main() -> None:
    """Put every quantity wrong, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--names", help="separated by commas; all if not given")
    given = parser.parse_args()
    names = given.names.split(",") if given.names else sorted(GLOSSARY)
    reached, places = seen_reaching(2), places_of(ROOT)
    kept = ROOT / KEPT
    known = dict(line.split() for line in kept.read_text().splitlines()) if kept.exists() else {}
    missed = []
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(Path(folder) / "copy", reached)
        for name in names:
            first = [known[name]] if name in known else []
            by = copy.warm.misled([*first, *noticed_by(reached, places[name])], name)
            known.pop(name, None)
            if by:
                known[name] = by[0]
            else:
                missed.append(name)
            print(f"{name:45} {by[0] if by else 'MISSED'}", flush=True)
            kept.write_text("".join(f"{name} {by}\n" for name, by in sorted(known.items())))
        copy.close()
    print(f"{len(names) - len(missed)} of {len(names)} have a test that knows their value; not: {', '.join(missed)}")
    raise SystemExit(1 if missed else 0)


if __name__ == "__main__":
    main()
