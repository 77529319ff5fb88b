"""The cluster as something to take along: a spec file, a report, a few lines of Python."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from msj import reports
from msj.effort import Watch
from msj.errors import InvalidInput
from msj.model import System
from msj.model.spec_file import to_json, to_toml

REPORT_SECONDS = 20.0


def document(system: System, form: Any, progress: Watch | None = None) -> dict[str, str]:
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
    return {"name": f"{_stem(system)}{ending}", "type": media, "text": write(system, progress)}


def _report(system: System, progress: Watch | None) -> str:
    return reports.write_page(reports.report(system, seconds=REPORT_SECONDS, seed=1, progress=progress))


def _python(system: System, _: Watch | None) -> str:
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


Write = Callable[[System, Watch | None], str]
FORMS: dict[str, tuple[str, str, Write]] = {
    "toml": (".toml", "application/toml", lambda system, _: to_toml(system)),
    "json": (".json", "application/json", lambda system, _: to_json(system)),
    "python": (".py", "text/x-python", _python),
    "report": ("_report.html", "text/html", _report),
}


def _stem(system: System) -> str:
    """Return a file name made of the cluster's name: letters, digits and underscores only."""
    return re.sub(r"[^a-z0-9]+", "_", system.name.casefold()).strip("_")[:60] or "cluster"
