"""How soon the page of msj explore answers, in Chromium: ``python -m verification.explore_page [--shots DIR]``.

First paint: from opening the address to the first contentful paint, as the browser's own clock has it. A slider's
answer: from the input event of a control of a 32-server system to the moment another mean response time stands on the
page and the browser has had a chance to draw it. Beside them the bare computation of the same answers in this process,
so that the ratio says what the page costs. With --shots, pictures of everything at 1200 and 390 px, light and dark.
"""

from __future__ import annotations

import argparse
import itertools
import json
import shutil
import statistics
import tempfile
import time
from pathlib import Path
from urllib.parse import quote

import msj
from msj.effort import Effort
from msj.web.look import look
from msj.web.recorded import Recording
from msj.web.serve import Server

FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)
#: When a control is moved: in the midst of what follows the last answer (the curve, changes), or when all is done.
HOW = {"at work": (("first", "yes"), 0.5), "at rest": (("yes",), 0.0)}
#: Put a value into a control, and say when another number is there and a frame has passed: milliseconds.
MOVE = """
const [id, value, done] = arguments;
const control = document.getElementById(id);
const key = "dd[data-key='mean_response_time']";
const before = document.querySelector(key)?.dataset.value;
const begun = performance.now();
const watch = new MutationObserver(() => {
  const now = document.querySelector(key)?.dataset.value;
  if (now === undefined || now === before) return;
  watch.disconnect();
  requestAnimationFrame(() => setTimeout(() => done(performance.now() - begun)));
});
watch.observe(document.getElementById("numbers"), { childList: true, subtree: true });
control.value = value;
control.dispatchEvent(new Event("input", { bubbles: true }));
"""


def opened(folder):
    """A browser without a window."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for flag in (*FLAGS.split(), f"--user-data-dir={folder}"):
        options.add_argument(flag)
    found = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    found.set_script_timeout(60)
    return found


def rests(browser, states=("yes",), seconds=120):
    until = time.monotonic() + seconds
    while browser.execute_script("return document.body.dataset.ready") not in states:
        if time.monotonic() > until:
            raise SystemExit("the page did not come to rest")
        time.sleep(0.05)


def first_paint(browser, address):
    browser.get("about:blank")
    browser.get(address)
    rests(browser, ("first", "yes"))
    asked = "return performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
    return browser.execute_script(asked)


def moved(browser, control, values, states, pause):
    """Milliseconds until each value is answered; before each, the page gets so far and has a pause."""
    found = []
    for value in values:
        rests(browser, states)
        time.sleep(pause)
        found.append(browser.execute_async_script(MOVE, control, str(value)))
    return found


def bare(systems):
    """Milliseconds of the same first answers, computed here."""
    found = []
    for system in systems:
        began = time.perf_counter()
        json.dumps(next(look(system, Effort.lasting(60.0), changes=False, percentiles=False)).to_dict())
        found.append(1000 * (time.perf_counter() - began))
    return found


def report(name, measured, alone):
    middle, most = statistics.median(measured), max(measured)
    ratio = middle / statistics.median(alone)
    print(
        f"{name}: median {middle:.0f} ms, most {most:.0f} ms, {ratio:.1f} times bare ({len(measured)} moves)",
        flush=True,
    )


def shoot(browser, folder, name, address):
    """Pictures at both widths, light and dark, once the page has come to rest."""
    browser.get("about:blank")
    browser.get(address)
    rests(browser, ("yes", "error"), 300)
    for width, scheme in itertools.product((1200, 390), ("light", "dark")):
        media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        time.sleep(1.5)
        height = browser.execute_script("return document.documentElement.scrollHeight")
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {**metrics, "height": height})
        time.sleep(0.5)
        browser.save_screenshot(str(folder / f"{name}_{width}_{scheme}.png"))
    for reset in ("Emulation.clearDeviceMetricsOverride", "Emulation.setEmulatedMedia"):
        browser.execute_cdp_cmd(reset, {"features": []} if reset.endswith("Media") else {})


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--moves", type=int, default=8)
    parser.add_argument("--at-work", action="store_true", help="do not wait for the page to come to rest")
    parser.add_argument("--shots", type=Path, metavar="DIR")
    given = parser.parse_args()
    system = msj.read("examples/hpc_partition.toml")
    most = msj.analyse(system, exact=False)["stability_threshold"]
    system = system.replace(load=None, arrival_rate=0.7 * most)
    servers = [33 + n for n in range(given.moves)]
    rates = [round((0.5 + 0.03 * n) * most, 6) for n in range(given.moves)]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile, Server(system).in_a_thread() as server:
        browser = opened(profile)
        try:
            paints = [first_paint(browser, server.address) for _ in range(5)]
            print(f"first paint: median {statistics.median(paints):.0f} ms, most {max(paints):.0f} ms", flush=True)
            for how, (states, pause) in HOW.items():
                if given.at_work and how != "at work":
                    continue
                found = moved(browser, "rate", rates, states, pause)
                report(f"load, 32 servers, {how}", found, bare(system.replace(arrival_rate=rate) for rate in rates))
                found = moved(browser, "servers", servers, states, pause)
                report(f"servers, 32 and more, {how}", found, bare(system.replace(servers=n) for n in servers))
                browser.get("about:blank")
                browser.get(server.address)
            if given.shots:
                given.shots.mkdir(parents=True, exist_ok=True)
                too_much = quote(json.dumps({"spec": system.replace(arrival_rate=1.1 * most).to_spec()}))
                shoot(browser, given.shots, "cluster", server.address)
                shoot(browser, given.shots, "unstable", f"{server.address}#{too_much}")
                log = Recording(file=Path("examples/logs/small_cluster.swf"))
                with Server(log.as_system(), log=log).in_a_thread() as other:
                    shoot(browser, given.shots, "log", other.address)
        finally:
            browser.quit()


if __name__ == "__main__":
    main()
