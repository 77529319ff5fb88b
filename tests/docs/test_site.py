"""The documentation site: it builds without a warning, needs no network, and its lists are those of the code."""

import html
import re
import subprocess
import sys
from pathlib import Path

import pytest

from msj.cli import COMMANDS
from msj.registry import DURATIONS, MODELS, POLICIES

DOCS = Path("docs")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    out = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-W", "-q", "-b", "html", "-d", out / "doctrees", DOCS, out / "html"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return out / "html"


def text_of(page):
    return html.unescape(re.sub(r"<[^>]+>", "", page.read_text(encoding="utf-8")))


def test_every_page_is_there_and_can_be_reached(site):
    pages = {path.relative_to(DOCS).with_suffix("") for path in DOCS.rglob("*.md")}
    for page in pages:
        assert (site / page).with_suffix(".html").exists(), page
    navigation = text_of(site / "index.html")
    for title in ("Tutorial", "How-to guides", "Reference", "Background"):
        assert title in navigation


def test_nothing_is_fetched_from_elsewhere(site):
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        for kind, place in re.findall(r"<(script|img|link|iframe)\b[^>]*?(?:src|href)=\"(https?:[^\"]+)", text):
            raise AssertionError(f"{page.name} fetches a {kind} from {place}")


def test_links_within_the_site_lead_somewhere(site):
    for page in site.rglob("*.html"):
        for link in re.findall(r"<a\b[^>]*?href=\"([^\"#:?]+)(?:#[^\"]*)?\"", page.read_text(encoding="utf-8")):
            assert (page.parent / link).resolve().exists(), f"{page.relative_to(site)}: {link}"


def test_the_references_name_everything_there_is(site):
    commands = text_of(site / "reference" / "cli.html")
    for name in COMMANDS:
        assert f"Usage: msj {name}" in commands
    spec = text_of(site / "reference" / "spec_file.html")
    for catalogue in (DURATIONS, POLICIES, MODELS):
        for name in catalogue.names():
            assert name in spec


def test_the_theorem_index_is_read_off_the_source(site):
    index = text_of(site / "background" / "theorems.html")
    assert re.search(r"Theorem 4\.2\s[^A-Z]*msj/analysis/", index)
    for paper in ("reset", "twoclass", "lfms", "wcfs", "zeroq"):
        assert f'<section id="{paper}">' in (site / "background" / "theorems.html").read_text(encoding="utf-8")
    cited = set(re.findall(r"msj/[\w/]+\.py", index))
    assert {"msj/analysis/reset.py", "msj/closed_forms/two_class.py", "msj/disciplines/server_filling.py"} <= cited
    assert all((Path("src") / file).exists() for file in cited)


def test_no_generated_part_is_left_out(site):
    for page in site.rglob("*.html"):
        assert "<!-- generated:" not in page.read_text(encoding="utf-8")
