"""The reports of the three examples: what they say, and how their pages behave in a real browser."""

import base64
import json
import math
import re
import shutil
import time
from html import unescape

import pytest

import msj
from msj.reports import report as gather
from msj.reports.log_page import write_log_page
from msj.reports.page import write_page
from msj.reports.text import write_text

POLICIES = {
    "two_servers": ["first-fit", "easy-backfilling", "server-filling"],
    "gpu_training": ["server-filling"],
    "hpc_partition": ["easy-backfilling"],
}
FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)


@pytest.fixture(scope="module")
def reports():
    """The reports, with fewer points than usual; verification/test_report.py makes them whole."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("msj.reports.response.SIMULATED_AT", (0.3, 0.7))
        patch.setattr("msj.reports.outlook.TIMES", (1, 2))
        return {
            name: gather(msj.read(f"examples/{name}.toml"), policies=policies, precision=0.2, seconds=1000, rng=1)
            for name, policies in POLICIES.items()
        }


@pytest.fixture(scope="module")
def pages(reports, tmp_path_factory):
    folder = tmp_path_factory.mktemp("reports")
    for name, report in reports.items():
        (folder / f"{name}.html").write_text(write_page(report), encoding="utf-8")
    return folder


def test_text_sentences_axes_and_rows_say_the_unit_of_time(reports, pages):
    hours = reports["hpc_partition"]
    text, page = write_text(hours), (pages / "hpc_partition.html").read_text(encoding="utf-8")
    for words in ("jobs per hour", "mean response time (hours)", "it takes (jobs per hour)", "waits in hours"):
        assert all(part in text for part in words.replace(" (", "\n(").split("\n"))  # in headings, a line below
        assert words in page
    assert "unit of time" not in text
    assert re.search(r"a job stays [\d.]+ hours on average", text)
    assert "waiting time (hours)" in page  # an axis
    assert {row["unit"] for row in hours.to_dict()["quantities"] if row["name"] == "mean_response_time"} == {"hours"}
    assert "jobs per unit of time" in write_text(reports["two_servers"])


@pytest.mark.parametrize("name", POLICIES)
def test_every_section_is_filled(reports, name):
    report = reports[name]
    assert report.stable
    sections = {finding.section for finding in report.findings}
    assert sections == {"capacity", "response", "policies", "what_if", "outlook"}
    assert report.waiting.rows
    assert {curve.name for curve in report.response.curves} == {"exact", "RESET", "simulated"}
    assert not any("does not apply" in note for note in report.response.notes)  # people asked about a cluster
    assert all(kind and method and citation for kind, method, citation in report.methods)


def test_numbers_are_those_of_the_analysis(reports):
    """Known numbers of the running example: 0.9, 0.2 of 2 servers, 7.517772, and its share of waiting jobs."""
    report = reports["two_servers"]
    assert report.capacity.stability_threshold.value == pytest.approx(0.9)
    assert report.findings[0].quantity.value == pytest.approx(0.1)
    assert report.response.find("mean_response_time").value == pytest.approx(7.517772, abs=1e-6)
    assert "10 % of the servers are lost to head-of-line blocking" in report.findings[0].sentence
    exact = {round(p.arrival_rate, 9): p.mean_response_time.value for p in report.response.curve("exact").points}
    assert exact[0.855] == pytest.approx(31.320377, abs=1e-6)  # load 0.95, from the theory
    waits = [row.find("waiting_probability").value for row in report.outlook.rows]
    assert waits[0] == pytest.approx(0.7693366, abs=1e-6)


@pytest.mark.parametrize("name", POLICIES)
def test_simulated_points_agree_with_the_exact_curve(reports, name):
    """Two points of ten replications each: |z| below 6.6 of a t law with 9 degrees of freedom (odds 1e-4 each)."""
    report = reports[name]
    for point in report.response.curve("simulated").points:
        row = point.mean_response_time
        there = report.cluster.replace(arrival_rate=point.arrival_rate)
        exact = msj.analyse(there, exact=True, percentiles=False)["mean_response_time"]
        assert abs(row.value - exact) < 6.6 / 2.26 * (row.high - row.value)


def test_what_ifs_are_those_of_the_changed_systems(reports):
    report = reports["hpc_partition"]
    for row in report.what_if.rows:
        changed = row.change.system.replace(load=None)
        threshold = msj.analyse(changed)["stability_threshold"]
        assert row.capacity.stability_threshold.value == pytest.approx(threshold, rel=1e-9)
    capped = next(f for f in report.findings if f.sentence.startswith("Capping jobs at 8 servers"))
    assert "would recover 21 % of the servers" in capped.sentence
    assert capped.kind == "exact"


@pytest.mark.parametrize("name", POLICIES)
def test_text_is_a_page(reports, name):
    text = write_text(reports[name])
    lines = text.splitlines()
    assert 45 < len(lines) < 100
    assert max(map(len, lines)) <= 140
    assert not re.search(r"\b(nan|inf|None)\b", text)
    assert "WHAT IS ASSUMED" in text
    assert "Poisson" in text


@pytest.mark.parametrize("name", POLICIES)
def test_json_holds_it_all(reports, name):
    document = json.loads(json.dumps(reports[name].to_dict(), allow_nan=False))
    assert document["stable"] is True
    assert [f["sentence"] for f in document["findings"]] == [f.sentence for f in reports[name].findings]
    sections = {row["at"]["section"] for row in document["quantities"]}
    assert sections == {"capacity", "response", "simulation", "curve", "policies", "what_if", "outlook"}
    assert set(reports[name].response.notes) <= set(document["notes"])
    again = msj.Result.from_dict(document)
    exact = again.at(section="response").row("mean_response_time")
    assert exact.value == reports[name].response.find("mean_response_time").value
    assert document["provenance"]["seed"] == 1
    assert len(document["provenance"]["identity"]) == 24


@pytest.mark.parametrize("name", POLICIES)
def test_page_names_nothing_outside_itself(pages, name):
    html = (pages / f"{name}.html").read_text(encoding="utf-8")
    body = re.sub(r"<script>.*?</script>", "", html, flags=re.DOTALL)
    assert not re.findall(r'(?:src|href)="(?!#|data:)[^"]*"', body)
    assert "@import" not in body
    assert "url(" not in body
    assert "Poisson" in body


def cells_of(page):
    """Every table of a written page: headings, and rows of texts."""
    for table in re.findall(r"<table>(.*?)</table>", page, re.DOTALL):
        heads = [unescape(head) for head in re.findall(r"<th[^>]*>(.*?)</th>", table)]
        for line in re.findall(r"<tr[^>]*>(.*?)</tr>", table, re.DOTALL):
            cells = [unescape(cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", line)]
            if cells:
                yield heads, cells


@pytest.mark.parametrize("name", POLICIES)
def test_a_number_that_a_report_shows_twice_is_the_same_number(reports, pages, name):
    """W4: the table of policies had a simulated FCFS beside the exact one, and differences from the former."""
    report = reports[name]
    shown = {}
    for heads, cells in cells_of((pages / f"{name}.html").read_text(encoding="utf-8")):
        if cells[0] in ("all jobs", "as it is") or cells[0].endswith(" (as it is)"):
            for head, cell in zip(heads, cells, strict=True):
                if head.startswith("mean response time"):
                    shown.setdefault(head, []).append(cell)
    [texts] = shown.values()
    assert len(texts) == 3  # response times, policies, changes
    assert len(set(texts)) == 1
    mean = report.response.find("mean_response_time")
    rows = [row for row in report.policies.rows if not row.own] + list(report.what_if.rows)
    compared = [row for row in rows if row.mean_response_time is not None and row.difference is not None]
    assert compared
    for row in compared:
        assert row.mean_response_time.value - mean.value == pytest.approx(row.difference.value, rel=1e-6, abs=1e-9)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or driver is None:
        pytest.skip("chromium and chromedriver are not installed: the pages are not opened")
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in FLAGS.split():
        options.add_argument(flag)
    options.add_argument(f"--user-data-dir={tmp_path_factory.mktemp('browser')}")
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    found = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    found.get("about:blank")  # what the browser itself asks for when it starts is not the page's doing
    yield found
    found.quit()


def open_page(browser, path, width):
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    for log in ("performance", "browser"):
        browser.get_log(log)
    browser.get(path.as_uri())
    for _ in range(100):  # the plots come once their script is unpacked
        drawn = "return Array.from(document.querySelectorAll('.plot')).every(p => p.querySelector('.main-svg'))"
        if browser.execute_script(drawn):
            return
        time.sleep(0.1)


def plots(browser):
    """What each plot has drawn: traces with marks, its width, and whether words stick out of it."""
    return browser.execute_script(
        """return Array.from(document.querySelectorAll(".plot")).map(function (plot) {
          return {id: plot.id, given: plot.data.length, width: plot.querySelector(".main-svg").clientWidth,
                  room: plot.parentElement.clientWidth,
                  drawn: plot.querySelectorAll(".scatterlayer .trace, .barlayer .trace").length};
        });"""
    )


def requested(browser):
    """Every address the page asked for."""
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    sent = [event["params"] for event in events if event["method"] == "Network.requestWillBeSent"]
    return [params["request"]["url"] for params in sent]


@pytest.mark.parametrize("width", [1200, 390], ids=["desk", "phone"])
@pytest.mark.parametrize("name", POLICIES)
def test_page_in_a_browser(browser, pages, name, width):
    open_page(browser, pages / f"{name}.html", width)
    found = plots(browser)
    assert [plot["id"] for plot in found] == ["capacity", "response", "waiting", "policies", "what_if", "outlook"]
    for plot in found:
        assert plot["drawn"] == plot["given"] > 0
        assert abs(plot["width"] - plot["room"]) <= 2
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    assert browser.get_log("browser") == []
    addresses = requested(browser)
    assert addresses, "the log of requests is empty, so it shows nothing"
    assert [address for address in addresses if not address.startswith(("file:", "data:", "blob:"))] == []


def test_page_answers_the_mouse(browser, pages):
    open_page(browser, pages / "two_servers.html", 1200)
    browser.execute_script("Plotly.Fx.hover('policies', [{curveNumber: 0, pointNumber: 0}])")
    for _ in range(20):  # hover boxes come with a little delay
        texts = [e.text for e in browser.find_elements("css selector", "#policies .hoverlayer .hovertext")]
        if texts:
            break
        time.sleep(0.1)
    assert re.search(r"\d ± \d|\d to \d", texts[0])  # with its interval


def test_page_prints(browser, pages):
    """On A4 in a handful of pages, with the plots as wide as the text allows and wide again on the screen."""
    open_page(browser, pages / "hpc_partition.html", 1200)
    pdf = base64.b64decode(
        browser.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True, "printBackground": False})["data"]
    )
    assert pdf.startswith(b"%PDF")
    counted = [int(number) for number in re.findall(rb"/Count (\d+)", pdf)]
    assert counted
    assert 3 <= max(counted) <= 10
    width, height = map(float, re.search(rb"/MediaBox ?\[0 0 ([\d.]+) ([\d.]+)\]", pdf).groups())
    assert math.isclose(height / width, math.sqrt(2), rel_tol=0.01)
    browser.execute_script("window.dispatchEvent(new Event('beforeprint'))")
    assert {plot["width"] for plot in plots(browser)} == {680}
    browser.execute_script("window.dispatchEvent(new Event('afterprint'))")
    assert all(abs(plot["width"] - plot["room"]) <= 2 for plot in plots(browser))


@pytest.mark.parametrize("width", [1200, 390], ids=["desk", "phone"])
def test_the_page_of_a_log_in_a_browser(browser, tmp_path, width):
    path = tmp_path / "log.html"
    path.write_text(write_log_page(msj.log("examples/logs/small_cluster.swf", seed=1)), encoding="utf-8")
    open_page(browser, path, width)
    found = plots(browser)
    shown = ["time", "queue", "arrivals", "needs", "waits", "estimates", "gantt"]
    assert [plot["id"] for plot in found] == shown
    for plot in found:
        assert plot["drawn"] == (0 if plot["id"] in ("needs", "estimates") else plot["given"])
        assert abs(plot["width"] - plot["room"]) <= 2
    heat = browser.execute_script("return document.querySelectorAll('.heatmaplayer image').length")
    assert heat == 2
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    assert browser.get_log("browser") == []
    assert [address for address in requested(browser) if not address.startswith(("file:", "data:", "blob:"))] == []


def test_names_in_a_log_cannot_break_its_page(tmp_path):
    lines = ["JobID|User|Partition|Submit|Start|End|Elapsed|State|AllocCPUS"]
    evil = "</script><img src=x onerror=alert(1)>"
    times = "2024-03-01T08:00:00|2024-03-01T08:05:00|2024-03-01T09:05:00|01:00:00|COMPLETED|1"
    lines += [f"1|{evil}|{evil}|{times}", f"2|b|b|{times}"]
    path = tmp_path / "<b>log.txt"
    path.write_text("\n".join(lines), encoding="utf-8")
    page = write_log_page(msj.log(path, users=True, servers=4))
    assert evil not in page
    assert "&lt;/script&gt;&lt;img" in page
    assert "<h1><b>" not in page
