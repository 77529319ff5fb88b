"""Pages that can be read: legends clear of the data, narrow screens, the dark scheme, paper (W9)."""

import re
import time
from dataclasses import replace

import pytest
from hand_made import CLUSTER, capacity, change, report, row

import msj
from browsing import chromium
from msj.reports import write_page
from msj.reports.contents import WaitingSection
from msj.reports.legends import legend_of
from msj.reports.plan_page import plan_page
from msj.reports.tables import provenance_rows

NAMES = [f"a class with a rather long name, number {n}" for n in range(30)]
QUESTION = {"verb": "report", "system": {"servers": 10}, "options": {"precision": 0.02, "policies": ["fcfs"]}}


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """A report with an overload, thirty classes and long words; and a plan."""
    folder = tmp_path_factory.mktemp("pages")
    waits = [
        row("waiting_time_percentile", 5.0 * n + level, "exact").replace(job_class=name, level=level)
        for n, name in enumerate([None, *NAMES])
        for level in (50.0, 90.0)
    ]
    lost = [row("blocked_servers", 0.5, "exact").replace(job_class=name) for name in NAMES[:3]]
    made = report(
        takes=replace(capacity(), blocked_servers=tuple(lost)),
        stable=False,
        changes=[change("half as many jobs of the largest class (1.5 % instead of 3 %)", takes=capacity())],
    )
    facts = {"msj": "1", "question": QUESTION}
    made = replace(made, waiting=WaitingSection(rows=tuple(waits)), provenance=facts, system=CLUSTER.to_spec())
    (folder / "report.html").write_text(write_page(made), encoding="utf-8")
    found = msj.plan("examples/two_servers.toml", targets="mean wait <= 5", seed=1)
    (folder / "plan.html").write_text(plan_page(found), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with chromium(tmp_path_factory.mktemp("browser")) as found:
        yield found


def opened(browser, path, width, scheme="light"):
    media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    browser.get(path.as_uri())
    for _ in range(100):
        script = "return Array.from(document.querySelectorAll('.plot')).every((plot) => plot.querySelector('.xy'))"
        if browser.execute_script(script):
            return
        time.sleep(0.1)


@pytest.mark.parametrize("width", [1200, 390])
def test_legends_are_clear_of_the_data_and_the_data_has_room(browser, pages, width):
    opened(browser, pages / "report.html", width)
    found = browser.execute_script(
        """const box = (one) => one.getBoundingClientRect();
        return Array.from(document.querySelectorAll("figure")).map((figure) => ({
          id: figure.querySelector(".plot").id, entries: figure.querySelectorAll(".legend li").length,
          inside: figure.querySelectorAll(".plot .legend").length,
          clear: !figure.querySelector(".legend") || box(figure.querySelector(".legend")).bottom
            <= box(figure.querySelector(".plot")).top + 1,
          data: box(figure.querySelector(".plot .cartesianlayer .bg") ?? figure.querySelector(".plot .xy")).width}))"""
    )
    assert {"capacity", "waiting", "what_if"} <= {each["id"] for each in found}
    for each in found:
        assert each["clear"], each
        assert each["inside"] == 0, each
    entries = {each["id"]: each["entries"] for each in found}
    assert entries["capacity"] == 5
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    drawn = browser.execute_script("return document.getElementById('waiting').querySelectorAll('.ytick').length")
    assert drawn == 31
    area = "return document.getElementById(arguments[0])._fullLayout._size.w"
    for name in ("waiting", "what_if"):
        assert browser.execute_script(area, name) > 0.4 * width * (1 if width < 500 else 0.7), name


def test_reports_and_plans_have_a_dark_scheme(browser, pages):
    script = "return getComputedStyle(document.body).backgroundColor"
    for name in ("report", "plan"):
        opened(browser, pages / f"{name}.html", 390)
        light = browser.execute_script(script)
        assert browser.execute_script("return document.documentElement.scrollWidth") <= 390
        opened(browser, pages / f"{name}.html", 390, "dark")
        assert browser.execute_script(script) != light
    opened(browser, pages / "report.html", 1200, "dark")
    ink = "return document.getElementById('capacity').layout.font.color"
    assert browser.execute_script(ink) == "#e6ebf0"
    browser.execute_script("window.dispatchEvent(new Event('beforeprint'))")
    assert browser.execute_script(ink) == "#1b2733"  # paper is light
    browser.execute_script("window.dispatchEvent(new Event('afterprint'))")


def test_on_paper_no_heading_stands_alone(browser, pages):
    """A heading whose section has nothing to print was printed all the same."""
    opened(browser, pages / "report.html", 1200)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    alone = browser.execute_script(
        """return Array.from(document.querySelectorAll("h2")).filter((head) => head.getClientRects().length)
          .filter((head) => Array.from(head.closest("section, footer").querySelectorAll("p, table, figure, li"))
            .every((one) => !one.getClientRects().length)).map((head) => head.textContent)"""
    )
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert alone == []
    rule = "return Array.from(document.querySelectorAll('section > .together')).length"
    assert browser.execute_script(rule) >= 3


def test_provenance_is_text(pages):
    text = (pages / "report.html").read_text(encoding="utf-8")
    footer = text[text.index('<footer id="provenance">') : text.index("</footer>")]
    assert not re.search(r"[{}\[\]]|&#39;", footer)
    assert provenance_rows({"question": QUESTION})[0][1] == "report, precision = 0.02, policies = fcfs"
    assert provenance_rows({"a": None, "b": True, "c": [1, 2]}) == [("a", "–"), ("b", "yes"), ("c", "1, 2")]


def test_a_single_name_needs_no_legend():
    assert legend_of([{"type": "bar", "name": "one"}]) == []
    assert legend_of([{"type": "bar"}, {"type": "bar", "name": "x", "showlegend": False}]) == []
