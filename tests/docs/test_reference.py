"""The reference pages that stand in the repository are what the code says."""

import subprocess
import sys
import tomllib
from pathlib import Path

import msj
from msj.cli import COMMANDS
from msj.results.glossary import GLOSSARY

PAGES = Path("docs/reference")


def test_the_pages_are_what_make_reference_writes():
    done = subprocess.run(
        [sys.executable, "docs/make_reference.py", "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"run make reference: {done.stdout}{done.stderr}"


def test_every_command_quantity_and_public_name_can_be_read_in_the_repository():
    commands = (PAGES / "cli.md").read_text(encoding="utf-8")
    assert all(f"Usage: msj {name}" in commands for name in COMMANDS)
    glossary = (PAGES / "glossary.md").read_text(encoding="utf-8")
    assert all(f"| `{name}` |" in glossary for name in GLOSSARY)
    names = (PAGES / "python.md").read_text(encoding="utf-8")
    assert all(f"| `{name}` |" in names for name in msj.__all__)
    assert "Theorem 4.2" in Path("docs/background/theorems.md").read_text(encoding="utf-8")


def test_version_and_changelog_agree():
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
    headings = [line[3:] for line in Path("CHANGELOG.md").read_text(encoding="utf-8").splitlines() if line[:3] == "## "]
    assert project["version"] == msj.__version__
    released = [heading for heading in headings if not heading.startswith("Unreleased")]
    assert released == sorted(released, key=lambda text: [int(part) for part in text.split(".")], reverse=True)
    if headings[0].startswith("Unreleased"):  # then the version is the next one, and says that it is not out
        assert msj.__version__.endswith(".dev0")
        assert msj.__version__.removesuffix(".dev0") not in released
    else:
        assert headings[0] == msj.__version__
