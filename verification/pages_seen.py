"""Five pages in Chromium, to be looked at: ``python -m verification.pages_seen DIR [--axe axe.min.js]``.

The page of a spec, of a log, of an unstable cluster and of thirty classes, the reports of these, and a plan: each at
1200 and 390 px, light and dark, and on paper (PDF). With --axe, the accessibility rules of axe-core are checked on each
in both schemes; the exit code is 1 if one is violated.
"""

from __future__ import annotations

import argparse
import base64
import itertools
import json
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import quote

import msj
from msj.reports import write_page
from msj.reports.log_page import write_log_page
from msj.reports.plan_page import plan_page
from msj.web.recorded import Recording
from msj.web.serve import Server
from verification.explore_page import opened, rests

LOG = Path("examples/logs/small_cluster.swf")


def thirty_classes():
    """A cluster with thirty classes, some with long names."""
    classes = [
        {"name": f"class {n}" + " of a rather long name" * (n % 3 == 0), "need": 1 + n % 8, "share": "1/30",
         "duration": {"law": "exponential", "mean": 1 + n / 10}} for n in range(30)
    ]  # fmt: skip
    return msj.model.spec_file.from_document({"name": "Thirty classes", "servers": 16, "load": 0.7, "classes": classes})


def written(folder):
    """Write the reports, the log's page and the plan; return their addresses by name."""
    spec = msj.read("examples/hpc_partition.toml")
    unstable = spec.replace(load=None, arrival_rate=2.5)
    texts = {
        "report": write_page(msj.report(spec, seconds=25, seed=1)),
        "report_unstable": write_page(msj.report(unstable, seconds=10, seed=1)),
        "report_30": write_page(msj.report(thirty_classes(), seconds=15, seed=1)),
        "log_page": write_log_page(msj.log(LOG, seed=1)),
        "plan": plan_page(msj.plan("examples/two_servers.toml", targets="p95 wait <= 12", seed=1)),
    }
    for name, text in texts.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return {name: (folder / f"{name}.html").absolute().as_uri() for name in texts}


def look_at(browser, folder, name, address, axe, *, live):
    """Take the pictures of one page; return the accessibility rules it violates."""
    violated = []
    for width, scheme in itertools.product((1200, 390), ("light", "dark")):
        media = {"media": "", "features": [{"name": "prefers-color-scheme", "value": scheme}]}
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        if scheme == "light":
            browser.get("about:blank")
            browser.get(address)
            if live:
                rests(browser, ("yes", "error"), 300)
        time.sleep(2.0)
        height = browser.execute_script("return document.documentElement.scrollHeight")
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {**metrics, "height": height})
        time.sleep(0.7)
        browser.save_screenshot(str(folder / f"{name}_{width}_{scheme}.png"))
        if axe:
            browser.execute_cdp_cmd("Runtime.evaluate", {"expression": axe})  # past the page's own policy for scripts
            found = browser.execute_async_script("axe.run().then(arguments[0])")
            violated += [(name, width, scheme, each["id"], [n["html"][:120] for n in each["nodes"]][:3])
                         for each in found["violations"]]  # fmt: skip
    print(f"{name}: {len(violated)} violations", *violated, flush=True)
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    paper = browser.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True, "printBackground": True})
    (folder / f"{name}.pdf").write_bytes(base64.b64decode(paper["data"]))
    return violated


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--axe", type=Path, metavar="FILE", help="axe.min.js of axe-core (npm install axe-core)")
    parser.add_argument("--only", default="", metavar="WORD", help="those pages whose name has it")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    axe = given.axe.read_text(encoding="utf-8") if given.axe else ""
    spec = msj.read("examples/hpc_partition.toml")
    log = Recording(file=LOG)
    too_much = quote(json.dumps({"spec": spec.replace(load=None, arrival_rate=2.5).to_spec()}))
    many = quote(json.dumps({"spec": thirty_classes().to_spec()}))
    violated = []
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile,
        Server(spec).in_a_thread() as server,
        Server(log.as_system(), log=log).in_a_thread() as other,
    ):
        browser = opened(profile)
        try:
            live = {"spec": server.address, "unstable": f"{server.address}#{too_much}", "log": other.address,
                    "many": f"{server.address}#{many}"}  # fmt: skip
            for name, address in live.items():
                if given.only in name:
                    violated += look_at(browser, given.folder, name, address, axe, live=True)
            for name, address in written(given.folder).items() if not given.only else ():
                violated += look_at(browser, given.folder, name, address, axe, live=False)
        finally:
            browser.quit()
    print(f"{len(violated)} violations" if axe else "not checked by axe")
    sys.exit(1 if violated else 0)


if __name__ == "__main__":
    main()
