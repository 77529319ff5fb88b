"""Do the tests know the values of what msj prints? ``python -m verification.values``.

``tests/results/test_every_quantity.py`` says, for each name of the glossary, which test knows its value. Here all rows
of a name that msj makes are put wrong (by OFF, those simulated by SIMULATED_OFF, intervals with them), and that test is
run: it must fail. A name that it does not notice is told, and the exit code is 1.

    python -m verification.values                            all names, some minutes
    python -m verification.values --names mean_power,load    some of them
"""

from __future__ import annotations

import argparse
import runpy
import sys
import tempfile
from pathlib import Path
from typing import Any

from msj.results.quantity import Quantity
from verification.mutation import ROOT, Copy
from verification.reached import Reached

LIST = Path("tests") / "results" / "test_every_quantity.py"
OFF, SIMULATED_OFF = 1.03, 1.3
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
    renamed = False  # a copy under another name is a new row
    while frame.f_code.co_name in COPYING:
        renamed = renamed or "name" in frame.f_locals.get("changes", {})
        if not renamed:
            return False
        frame = frame.f_back
    return "/src/msj/" in frame.f_code.co_filename


def main() -> None:
    """Put every quantity wrong, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--names", help="separated by commas; all if not given")
    given = parser.parse_args()
    known = runpy.run_path(str(ROOT / LIST))["KNOWN"]
    tests = {name: f"tests/{test}" for test, names in known.items() for name in names.split()}
    chosen = given.names.split(",") if given.names else sorted(tests)
    missed = []
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(Path(folder) / "copy", Reached(ROOT, []))
        for name in chosen:
            by = copy.warm.misled([tests[name]], name)
            missed += [] if by else [name]
            print(f"{name:45} {'noticed' if by else 'MISSED'} by {tests[name]}", flush=True)
        copy.close()
    print(f"{len(chosen) - len(missed)} of {len(chosen)} noticed; missed: {', '.join(missed) or 'none'}")
    raise SystemExit(1 if missed else 0)


if __name__ == "__main__":
    main()
