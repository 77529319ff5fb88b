"""The cluster as something to take along: a spec file, a report, a few lines of Python."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any

from msj import reports
from msj.effort import USUAL, Effort
from msj.errors import InvalidInput
from msj.model import System
from msj.model.spec_file import to_json, to_toml

REPORT_SECONDS = 20.0
REPORT_SHARE = 0.25  # of the time allowed: what a report has under way when its time is over takes longer, still


def document(system: System, form: Any, effort: Effort = USUAL) -> dict[str, str]:
    """Return a document with its file's name and its media type.

    Examples
    --------
    >>> import msj
    >>> document(msj.read("examples/two_servers.toml"), "toml")["name"]
    'two_servers.toml'
    """
    if not isinstance(form, str) or form not in FORMS:
        raise InvalidInput(f"unknown form {str(form)[:40]!r}; give one of {', '.join(FORMS)}")
    ending, media, write = FORMS[form]
    return {"name": f"{_stem(system)}{ending}", "type": media, "text": write(system, effort)}


def _report(system: System, effort: Effort) -> str:
    seconds = min(REPORT_SECONDS, REPORT_SHARE * max(effort.until - time.monotonic(), 1.0))
    return reports.write_page(reports.report(system, seconds=seconds, seed=1, progress=effort.progress))


def _python(system: System, _: Effort) -> str:
    """Return a script that asks the same: it reads the cluster from the text of its spec file."""
    spec = to_toml(system).replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    return (
        '"""What msj explore showed, asked again."""\n\n'
        "import tomllib\n\nimport msj\nfrom msj.model.spec_file import from_document\n\n"
        f'SPEC = """\n{spec}"""\n\n'
        "system = from_document(tomllib.loads(SPEC))\n"
        "print(msj.analyse(system))\n"
        "print(msj.curve(system))\n"
        "print(msj.simulate(system, jobs=1_600_000, seed=1))\n"
    )


Write = Callable[[System, Effort], str]
FORMS: dict[str, tuple[str, str, Write]] = {
    "toml": (".toml", "application/toml", lambda system, _: to_toml(system)),
    "json": (".json", "application/json", lambda system, _: to_json(system)),
    "python": (".py", "text/x-python", _python),
    "report": ("_report.html", "text/html", _report),
}


def _stem(system: System) -> str:
    """Return a file name made of the cluster's name: letters, digits and underscores only."""
    return re.sub(r"[^a-z0-9]+", "_", system.name.casefold()).strip("_")[:60] or "cluster"
