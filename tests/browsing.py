"""A page in Chromium: open it, wait for its answers, move its controls, read it."""

import json
import shutil
import time
from contextlib import contextmanager
from urllib.parse import quote, unquote

import pytest

FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)


def open_page(browser, server, state=None, width=1200):
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    leave(browser)
    for log in ("performance", "browser"):
        browser.get_log(log)
    browser.get(server.address + ("" if state is None else "#" + quote(json.dumps(state))))
    answered(browser)


def leave(browser):
    browser.get("about:blank")


def wait(condition, seconds=120):
    until = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < until, "the page did not get there"
        time.sleep(0.05)
    return found


def answered(browser, states=("first", "yes")):
    return wait(lambda: browser.execute_script("return document.body.dataset.ready") in states)


def move(browser, control, value):
    """Set a control as a hand would, and wait for the answer."""
    event = "change" if control == "preset" else "input"
    script = """const control = document.getElementById(arguments[0]);
        control.value = arguments[1];
        control.dispatchEvent(new Event(arguments[2], {bubbles: true}))"""
    browser.execute_script(script, control, str(value), event)
    answered(browser)


def state(browser):
    return json.loads(unquote(browser.execute_script("return location.hash")[1:]))


def number(browser, key):
    script = "return document.querySelector(`dd[data-key='${arguments[0]}']`)?.dataset.value"
    found = browser.execute_script(script, key)
    return None if found is None else float(found)


def texts(browser, selector):
    """What stands there, read at one moment: an element may be replaced by the next answer while it is asked."""
    script = "return Array.from(document.querySelectorAll(arguments[0])).map((one) => one.innerText)"
    return browser.execute_script(script, selector)


@contextmanager
def chromium(folder):
    """Provide a browser without a window, with its profile in a folder."""
    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if program is None or driver is None:
        pytest.skip("chromium and chromedriver are not installed: no page is opened")
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = program
    for flag in (*FLAGS.split(), f"--user-data-dir={folder}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    found = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    found.get("about:blank")  # what the browser itself asks for when it starts is not the page's doing
    try:
        yield found
    finally:
        found.quit()
