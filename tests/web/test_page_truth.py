"""The page says what it knows and what it does not: one value per fact, missing parts, wrong input, logs."""

import json
from pathlib import Path
from urllib.parse import quote

import pytest

import msj
from browsing import answered, leave, move, number, open_page, state, texts, wait
from msj.cli.explore import redirect_file
from msj.web.limits import Limits
from msj.web.recorded import Recording
from msj.web.serve import Server

SYSTEM = msj.read("examples/two_servers.toml").replace(load=None, arrival_rate=0.6)
LOG = Path("examples/logs/small_cluster.swf").absolute()
FACTS = """return Array.from(document.querySelectorAll("[data-fact]")).map((one) => ({
    fact: one.dataset.fact, at: JSON.parse(one.dataset.at), value: Number(one.dataset.value), text: one.innerText}))"""


@pytest.fixture(autouse=True)
def left_alone(browser):
    yield
    leave(browser)


@pytest.fixture(scope="module")
def log_server():
    log = Recording(file=LOG)
    with Server(log.as_system(), log=log, limits=Limits(workers=1)).in_a_thread() as running:
        yield running


def done(browser):
    return wait(lambda: browser.execute_script("return document.body.dataset.ready") == "yes")


def table(browser, name):
    """The values of a table by the head of the row; a cell without a number is None."""
    script = """return Array.from(document.querySelectorAll(`#${arguments[0]} tbody tr`)).map((line) =>
        [line.cells[0].innerText, ...Array.from(line.cells).slice(1).map((cell) => Number(cell.dataset.value))])"""
    return {head: values for head, *values in browser.execute_script(script, name)}


#: The page as it is, but its simulations are short.
FEWER_JOBS = """const ask = window.fetch;
window.fetch = (path, how) => {
    const body = how?.body ? JSON.parse(how.body) : null;
    if (["policies", "simulate"].includes(body?.question)) body.options.jobs = 50000;
    return ask(path, body ? {...how, body: JSON.stringify(body)} : how);
}"""


@pytest.mark.parametrize("policy", ["fcfs", "easy-backfilling"])
def test_a_number_that_is_shown_twice_is_the_same_number(browser, server, policy):
    """W4: the headline was exact, 11.71, and the table of policies had FCFS at 10.97 and differences from that."""
    added = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": FEWER_JOBS})
    open_page(browser, server, {"spec": {**SYSTEM.to_spec(), "policy": policy}})
    done(browser)
    browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)
    values = {}
    for found in browser.execute_script(FACTS):
        at = {key: value for key, value in found["at"].items() if value not in (None, policy)}
        values.setdefault((found["fact"], json.dumps(at)), set()).add(found["value"])
    assert len(values) > 20
    assert {key: seen for key, seen in values.items() if len(seen) > 1} == {}
    mean = number(browser, "mean_response_time")
    for rows, column in ((table(browser, "policies"), 0), (table(browser, "changes"), 1)):
        compared = [cells[column : column + 2] for cells in rows.values() if cells[column] and cells[column + 1]]
        assert compared
        for other, difference in compared:
            assert other - mean == pytest.approx(difference, rel=1e-6, abs=1e-9)


def test_a_percentage_has_its_interval_in_per_cent(browser, server):
    """W4: "35.38 % ± 0.32" stood above "interval 0.351 to 0.357"."""
    open_page(browser, server, {"spec": {**SYSTEM.to_spec(), "policy": "easy-backfilling"}})
    wait(lambda: number(browser, "waiting_probability"))
    value, interval = texts(browser, "dd[data-key='waiting_probability']")[0].split("\n")
    ends = interval.partition("interval ")[2].removesuffix(" %").split(" to ")
    assert float(ends[0]) < float(value.split(" %")[0]) < float(ends[1])


BROKEN = """const ask = window.fetch;
window.fetch = (path, how) => (how?.body ?? "").includes('"question":"policies"')
    ? Promise.resolve(new Response('{"error": "no answer within 1 seconds", "failure": "out-of-time"}', {status: 504}))
    : ask(path, how);"""


def test_a_part_that_fails_is_named_and_the_page_does_not_say_done(browser, server):
    """W2: the page said "Done." over an empty table."""
    open_page(browser, server)
    browser.execute_script(BROKEN)
    move(browser, "servers", 3)
    done(browser)
    status = browser.find_element("id", "status").text
    assert status == "Not complete: the comparison of policies (no answer within 1 seconds)."
    assert "Not complete: the comparison of policies" in browser.find_element("id", "policies").text


@pytest.mark.parametrize("behind", ['{"spec":{"classes":[null]}}', '{"spec":{"classes":[]}}', "[1", '{"cap":2}'])
def test_an_address_that_is_no_cluster_is_explained(browser, server, behind):
    """W8: it showed an error of JavaScript."""
    leave(browser)
    browser.get_log("browser")
    browser.get(f"{server.address}#{quote(behind)}")
    answered(browser)
    assert "is not a cluster" in browser.find_element("id", "address-problem").text
    assert number(browser, "mean_response_time") > 0
    assert browser.get_log("browser") == []


def test_input_that_breaks_a_rule_is_marked_and_explained(browser, server):
    """W8: it was ignored silently."""
    open_page(browser, server)
    before = state(browser)
    for control, value, rule in (
        ("servers", "0", "0 is not allowed here: give a whole number, at least 1."),
        ("servers", "2.5", "2.5 is not allowed here: give a whole number, at least 1."),
        ("servers", "", "Give a whole number, at least 1."),
        ("rate", "-1", "-1 is not allowed here: give a number, above 0."),
        ("mean-0", "0", "0 is not allowed here: give a number, above 0."),
        ("share-0", "101", "101 is not allowed here: give a number, at least 0 and at most 100."),
    ):
        move(browser, control, value)
        field = browser.find_element("id", control)
        assert field.get_attribute("aria-invalid") == "true"
        described = browser.find_element("id", field.get_attribute("aria-describedby"))
        assert described.text.startswith(rule)
        assert state(browser) == before
    move(browser, "servers", "3")
    assert browser.find_element("id", "servers").get_attribute("aria-invalid") is None
    assert texts(browser, "#servers-invalid") == []


def test_the_page_of_a_log_begins_with_the_record_and_the_nearest_replay(browser, log_server):
    """W3: it opened with "the queue would grow for ever" under FCFS, while EASY reproduced the record."""
    open_page(browser, log_server)
    done(browser)
    exact = msj.replay(LOG, policy="easy-backfilling", shakes=0).in_unit("hours")
    recorded = next(row for row in exact if row.name == "mean_waiting_time" and "policy" not in row.at)
    assert number(browser, "recorded_wait") == pytest.approx(recorded.value)
    replayed = exact.at(policy="easy-backfilling")["mean_waiting_time"]
    assert number(browser, "replayed_wait") == pytest.approx(replayed)
    assert browser.find_element("id", "policy").get_attribute("value") == "easy-backfilling"
    assert "easy-backfilling (nearest to the record)" in table(browser, "recorded")
    assert not browser.find_element("id", "alert").is_displayed()
    assert not browser.find_element("id", "model-warning").is_displayed()
    assert not browser.find_element("id", "classes-box").is_displayed()
    assert browser.find_element("id", "status").text.startswith("Done.")
    assert browser.get_log("browser") == []
    move(browser, "servers", 40)
    more = msj.replay(LOG, policy="easy-backfilling", servers=40, shakes=0).in_unit("hours")
    assert number(browser, "replayed_wait") == pytest.approx(more.at(policy="easy-backfilling")["mean_waiting_time"])


def test_the_model_of_independent_jobs_is_an_option_with_a_warning(browser, log_server):
    open_page(browser, log_server)
    browser.find_element("id", "model").click()
    wait(lambda: browser.find_element("id", "model-warning").is_displayed())
    assert "can be far from the record" in browser.find_element("id", "model-warning").text
    wait(lambda: number(browser, "stability_threshold"))
    assert browser.find_element("id", "classes-box").is_displayed()
    browser.find_element("id", "model").click()
    wait(lambda: number(browser, "recorded_wait"))
    assert number(browser, "stability_threshold") is None


def test_on_a_telephone_the_numbers_come_before_the_controls(browser, server):
    """W9: the result was 1,500 to 2,300 px below the top of the page."""
    open_page(browser, server, width=390)
    script = "return document.querySelector(arguments[0]).getBoundingClientRect().bottom"
    assert browser.execute_script(script, "dd[data-key='mean_response_time']") < 500
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 390


def test_paper_is_light_whatever_the_screen_is(browser, server):
    open_page(browser, server)
    dark = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", dark)
    ink = "return document.getElementById('curve').layout?.font.color"
    wait(lambda: browser.execute_script(ink) == "#e6ebf0")
    browser.execute_script("window.dispatchEvent(new Event('beforeprint'))")
    assert browser.execute_script(ink) == "#1b2733"
    assert browser.execute_script("return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    browser.execute_script("window.dispatchEvent(new Event('afterprint'))")
    assert browser.execute_script(ink) == "#e6ebf0"
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_a_browser_follows_the_private_file_to_the_page(browser, server):
    with redirect_file(server.address) as file:
        browser.get(file.as_uri())
        wait(lambda: browser.title.startswith("two servers"))
        assert browser.current_url.startswith(server.address)
