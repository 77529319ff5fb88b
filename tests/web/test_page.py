"""The page in a real browser: its numbers are those of msj, every control works, and nothing leaves the machine."""

import json
from pathlib import Path

import pytest

import msj
from browsing import answered, leave, move, number, open_page, state, texts, wait
from msj.model.changes import with_largest_need
from msj.model.spec_file import from_document
from msj.web.recorded import Recording

SYSTEM = msj.read("examples/two_servers.toml")


@pytest.fixture
def page(browser, server):
    """The page as it is opened, with its first answer; whatever was written to the console is an error."""
    open_page(browser, server)
    yield browser
    assert browser.get_log("browser") == []


@pytest.fixture(autouse=True)
def nobody_looks_any_more(browser):
    """The next test has the workers to itself."""
    yield
    leave(browser)


def system_shown(browser):
    """The cluster in the address bar, as msj reads it."""
    found = state(browser)
    system = from_document(found["spec"])
    return with_largest_need(system, found["cap"]) if "cap" in found else system


def check_numbers(browser):
    exact = msj.analyse(system_shown(browser), percentiles=False)
    response = ("mean_response_time", "mean_waiting_time", "waiting_probability")
    for key in (*response, "stability_threshold", "wasted_servers"):
        assert number(browser, key) == pytest.approx(exact[key], rel=1e-9, abs=1e-12), key


def curve(browser):
    """The points of the exact line, and whether plotly has drawn it."""
    script = """const plot = document.getElementById("curve");
        const line = (plot.data ?? []).find((trace) => trace.name === "exact");
        return line && plot.querySelector(".main-svg") ? Array.from(line.y) : null"""
    return wait(lambda: browser.execute_script(script))


def test_it_opens_with_the_numbers_of_analyse_and_asks_nobody_else(page, server, home):
    check_numbers(page)
    assert page.find_element("id", "title").text == "two servers"
    line = curve(page)
    exact = msj.curve(SYSTEM, loads=[0, 0.98]).along("load", "mean_response_time")
    assert line[0] == pytest.approx(exact[0][1].value)
    assert line[-1] == pytest.approx(exact[1][1].value)
    assert set(texts(page, "dd .sure")) == {"exact"}
    assert "90 % of what counting server-time promises" in page.find_element("id", "findings").text
    wait(lambda: page.find_elements("css selector", "#waits tbody tr"))
    wait(lambda: "20 % more load" in page.find_element("id", "changes").text)
    events = [json.loads(entry["message"])["message"] for entry in page.get_log("performance")]
    asked = [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]
    assert asked
    assert [url for url in asked if not url.startswith((home, "data:", "blob:", "about:"))] == []


MOVES = {
    "servers-slide": 3,
    "servers": 4,
    "rate-slide": 0.5,
    "rate": 0.6,
    "cap-slide": 1,
    "need-slide-0": 2,
    "need-1": 1,
    "share-slide-1": 10,
    "share-0": 80,
    "mean-0": 1.1,
}


def test_every_control_changes_the_numbers_to_those_of_msj_and_undo_takes_it_back(page):
    before, line = state(page), curve(page)
    for control, value in MOVES.items():
        move(page, control, value)
        assert state(page) != before, control
        check_numbers(page)
        if control.startswith("rate"):
            assert curve(page) == line  # it does not depend on how much arrives
        else:
            wait(lambda: curve(page) != line)
        page.execute_script("document.getElementById('undo').click()")
        answered(page)
        assert state(page) == before, control
    wait(lambda: curve(page) == line)


LAWS = {"gaps": 2, "batches": 4, "bursts": 9}


def test_jobs_may_arrive_otherwise_and_the_numbers_are_those_of_msj(page):
    for law, usual in LAWS.items():
        move(page, "arrivals", law)
        assert float(page.find_element("id", "arrivals-number").get_attribute("value")) == pytest.approx(usual)
        check_numbers(page)
    move(page, "arrivals-number", 3)
    assert state(page)["spec"]["arrivals"]["rates"] == [1, 3]
    check_numbers(page)
    move(page, "arrivals", "poisson")
    assert "arrivals" not in state(page)["spec"]
    assert not page.find_element("id", "arrivals-row").is_displayed()


def test_arrivals_that_the_page_has_no_control_for_stay(browser, server):
    day = {"law": "map", "D0": [[-3, 1], [1, -2]], "D1": [[2, 0], [0, 1]]}
    open_page(browser, server, {"spec": {**SYSTEM.replace(arrival_rate=0.5).to_spec(), "arrivals": day}})
    assert browser.find_element("id", "arrivals").get_attribute("value") == "other"
    move(browser, "rate", 0.6)
    assert state(browser)["spec"]["arrivals"] == day
    check_numbers(browser)


def test_times_have_their_unit(browser, server):
    open_page(browser, server, {"spec": {**SYSTEM.replace(arrival_rate=0.5).to_spec(), "time_unit": "hours"}})
    curve(browser)
    assert " hours" in texts(browser, "dd[data-key='mean_response_time']")[0]
    assert browser.find_element("id", "rate-label").text == "Arrival rate, jobs per hour"
    assert "Stability threshold, jobs per hour" in browser.find_element("id", "numbers").text
    assert "hours" in browser.execute_script("return document.getElementById('curve').layout.yaxis.title.text")
    assert "Mean duration, hours" in browser.find_element("id", "classes").text


def test_a_slider_that_moves_on_ends_at_the_last_value(page):
    for servers in (3, 4, 5, 6):
        page.execute_script(
            """const control = document.getElementById("servers-slide");
               control.value = arguments[0];
               control.dispatchEvent(new Event("input", {bubbles: true}))""",
            servers,
        )
    wait(lambda: page.execute_script("return document.body.dataset.ready") in ("first", "yes"))
    assert state(page)["spec"]["servers"] == 6
    check_numbers(page)


def test_the_page_is_painted_within_a_second_of_being_opened(page):
    """As the browser's clock has it; of several times the best, since what else the machine does is not the page's."""
    script = "return performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
    for _ in range(5):
        page.refresh()
        if wait(lambda: page.execute_script(script)) < 1000:
            return
    raise AssertionError("the first paint took more than a second, five times")


def test_the_log_it_was_started_with_is_replayed(browser, server):
    job = {"name": "all", "need": 1, "share": 1, "duration": {"law": "exponential", "mean": 0.1}}
    rate = Recording(file=Path("examples/logs/small_cluster.swf")).arrival_rate
    spec = {"servers": 32, "policy": "easy-backfilling", "arrival_rate": 0.5 * rate, "classes": [job]}
    spec["time_unit"] = "hours"
    open_page(browser, server, {"spec": spec})
    wait(lambda: browser.find_elements("css selector", "#recorded tbody tr"))
    script = """return Object.fromEntries(Array.from(document.querySelectorAll("#recorded tbody tr")).map(
        (line) => [line.cells[0].innerText, Number(line.cells[1].dataset.value)]))"""
    found = browser.execute_script(script)
    exact = msj.replay("examples/logs/small_cluster.swf", policy="easy-backfilling", scale_load=0.5, shakes=0)
    seconds = exact.at(policy="easy-backfilling")["mean_waiting_time"]
    assert found["easy-backfilling"] == pytest.approx(seconds / 3600, rel=1e-9)
    assert "as recorded" in found
    assert browser.get_log("browser") == []


def test_another_policy_has_another_limit(page):
    move(page, "policy", "server-filling")
    exact = msj.analyse(system_shown(page))
    assert number(page, "stability_threshold") == pytest.approx(exact["stability_threshold"], rel=1e-9)


def test_a_preset_replaces_the_cluster(page):
    move(page, "preset", "HPC partition")
    assert state(page)["spec"]["servers"] == 32
    exact = msj.analyse("examples/hpc_partition.toml", exact=False)
    assert number(page, "stability_threshold") == pytest.approx(exact["stability_threshold"])
    assert page.find_element("id", "title").text == "HPC partition"
    page.find_element("id", "undo").click()
    answered(page)
    assert state(page)["spec"]["servers"] == 2
    assert page.find_element("id", "preset").get_attribute("value") == ""


def test_too_much_load_is_said_in_a_plain_sentence(page):
    move(page, "rate", 0.95)
    said = page.find_element("id", "alert").text
    assert said.startswith("The queue would grow without bound.")
    assert "takes at most 0.9" in said
    assert number(page, "mean_response_time") is None
    move(page, "rate", 0.5)
    assert not page.find_element("id", "alert").is_displayed()


def test_what_is_simulated_says_so_and_is_what_simulate_says(browser, server):
    spec = {**SYSTEM.replace(arrival_rate=0.6).to_spec(), "policy": "easy-backfilling"}
    open_page(browser, server, {"spec": spec})
    wait(lambda: number(browser, "mean_response_time"))
    shown = number(browser, "mean_response_time")
    runs = (msj.simulate(from_document(spec), jobs=jobs, seed=1) for jobs in (25_000, 100_000, 400_000, 1_600_000))
    assert any(run["mean_response_time"] == pytest.approx(shown, rel=1e-12) for run in runs)
    box = texts(browser, "dd[data-key='mean_response_time']")[0]
    assert "±" in box
    assert "simulated, 95 % interval" in box
    assert browser.get_log("browser") == []


def test_a_download_reads_back_as_the_cluster_shown(page, downloads):
    move(page, "servers", 3)
    move(page, "cap", 1)
    page.find_element("css selector", "[data-form='toml']").click()
    path = downloads / "two_servers.toml"
    wait(path.exists)
    assert msj.read(path) == system_shown(page)


def test_a_download_may_be_python_and_may_be_a_report(page, downloads):
    """The report is the page's cluster, whole: a file that opens by itself."""
    page.find_element("css selector", "[data-form='python']").click()
    wait((downloads / "two_servers.py").exists)
    page.find_element("css selector", "[data-form='report']").click()
    path = downloads / "two_servers_report.html"
    wait(path.exists, seconds=100)
    assert "two_servers_report.html is written" in page.find_element("id", "download-words").text
    page.get(path.as_uri())
    assert "two servers" in page.find_element("tag name", "h1").text
    assert "0.9" in page.find_element("tag name", "body").text


def test_names_are_text_and_never_script(browser, server):
    evil = "</script><img src=x onerror=\"document.title='owned'\"><b>"
    spec = SYSTEM.to_spec()
    spec["name"] = spec["classes"][1]["name"] = evil
    open_page(browser, server, {"spec": spec})
    curve(browser)
    assert browser.find_element("id", "title").text == evil
    assert evil in [legend.text for legend in browser.find_elements("tag name", "legend")]
    assert browser.execute_script("return document.querySelectorAll('img, main b').length") == 0
    assert browser.title != "owned"
    assert browser.get_log("browser") == []


def test_it_fits_a_telephone_and_the_dark(browser, server):
    open_page(browser, server, width=390)
    curve(browser)
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 390
    dark = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    light = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", dark)
    assert browser.execute_script("return getComputedStyle(document.body).backgroundColor") != light
    wait(lambda: browser.execute_script("return document.getElementById('curve').layout.font.color") == "#e6ebf0")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert browser.get_log("browser") == []


def test_the_keyboard_is_enough_and_everything_has_a_name(page):
    from selenium.webdriver.common.keys import Keys

    def press(key):
        page.switch_to.active_element.send_keys(key)

    reached = []
    for _ in range(40):  # as far as the tab key leads
        press(Keys.TAB)
        reached.append(page.execute_script("return document.activeElement.id || document.activeElement.dataset.form"))
        if reached[-1] == "servers-slide":
            press(Keys.ARROW_RIGHT)
            answered(page)
            assert state(page)["spec"]["servers"] == 3
            check_numbers(page)
        if reached[-1] == "undo":
            press(Keys.ENTER)
            answered(page)
            assert state(page)["spec"]["servers"] == 2
            page.execute_script("document.getElementById('reset').focus()")  # a disabled button loses the focus
        if reached[-1] == "python":
            break
    every = page.execute_script(
        """return Array.from(document.querySelectorAll("#controls input, #controls select, #controls button"))
           .filter((control) => control.offsetParent && !control.disabled)
           .map((control) => control.id || control.dataset.form)"""
    )
    assert set(every) - {"reset"} <= set(reached)
    nameless = page.execute_script(
        """const all = document.querySelectorAll("input, select, button, [role=img], section, form");
           const named = (one) => one.labels?.length || one.getAttribute("aria-label") || one.textContent.trim()
             || document.getElementById(one.getAttribute("aria-labelledby"))?.textContent;
           return Array.from(all).filter((one) => !named(one)).length"""
    )
    assert nameless == 0


def test_two_tabs_do_not_disturb_each_other(page, server):
    first = page.current_window_handle
    page.switch_to.new_window("tab")
    open_page(page, server)
    move(page, "servers", 4)
    check_numbers(page)
    second = page.current_window_handle
    page.switch_to.window(first)
    assert state(page)["spec"]["servers"] == 2
    check_numbers(page)
    page.switch_to.window(second)
    page.close()
    page.switch_to.window(first)
