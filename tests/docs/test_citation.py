"""What says who made msj, and which version it is, says it once."""

import re
import tomllib
from pathlib import Path

import msj

ROOT = Path(__file__).parents[2]


def test_the_citation_is_of_this_version_title_and_licence():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    cited = dict(re.findall(r"^([\w-]+): (.+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE))
    assert cited["version"] == project["version"] == msj.__version__
    assert cited["license"] == project["license"]
    assert cited["cff-version"] == "1.2.0"


def test_the_assumptions_are_said_where_a_newcomer_looks():
    for page in ("README.md", "docs/tutorial.md", "examples/cluster.toml"):
        text = " ".join((ROOT / page).read_text(encoding="utf-8").replace("#", " ").split())
        assert "Poisson" in text, page
        assert "independently" in text, page
