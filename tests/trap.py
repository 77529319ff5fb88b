"""A folder with a trap: files that are called like modules and leave a mark when they are run."""

import os
import subprocess
import sys
from pathlib import Path

INSTALLED = "numpy scipy numba llvmlite pandas pyarrow plotly matplotlib starlette uvicorn anyio click h11 jinja2 sympy"


def set_trap(folder: Path, leave_out=()) -> Path:
    """Fill a folder with traps for all modules of Python and for those that msj uses; return the file of marks."""
    marks = folder / "trapped.txt"
    for name in {*sys.stdlib_module_names, *INSTALLED.split()} - {*leave_out}:
        text = (
            f"with open({str(marks)!r}, 'a') as file: file.write('{name} ')\nraise ImportError('trapped by {name}')\n"
        )
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return marks


def imported_by_python_itself() -> list[str]:
    """Return the modules that ``python -m`` imports before any code of msj runs."""
    line = [sys.executable, "-I", "-c", "import runpy, sys; print(*sys.modules)"]
    return subprocess.run(line, capture_output=True, text=True, check=True).stdout.split()


def command(folder: Path, *arguments, by_module=False) -> dict:
    """Return what starts ``msj ARGUMENTS`` in a folder as an installed command does, for subprocess."""
    script = folder.parent / "bin" / "msj"
    script.parent.mkdir(exist_ok=True)
    script.write_text("if __name__ == '__main__':\n    from msj.cli import main\n    main()\n", encoding="utf-8")
    path = [entry for entry in map(os.path.abspath, sys.path) if os.path.isdir(entry)]
    start = ["-m", "msj"] if by_module else [str(script)]
    return {
        "args": [sys.executable, *start, *arguments],
        "cwd": folder,
        "env": {**os.environ, "PYTHONPATH": os.pathsep.join(path)},
        "text": True,
    }


def run(folder: Path, *arguments, by_module=False) -> subprocess.CompletedProcess:
    return subprocess.run(**command(folder, *arguments, by_module=by_module), capture_output=True, timeout=120)
