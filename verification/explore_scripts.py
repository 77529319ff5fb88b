"""Script in the names of clusters and classes, opened in Chromium: a part of ``verification.explore_attack``."""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from urllib.parse import quote

from verification.explore_page import opened, rests

OWNED = "document.documentElement.dataset.owned = 'yes'"
NAMES = [
    f"<script>{OWNED}</script>",
    f"</script><script>{OWNED}</script>",
    f'<img src=x onerror="{OWNED}">',
    f'<svg onload="{OWNED}">',
    f'<a href="javascript:{OWNED}">click</a>',  # plotly's labels know links
    f'"><iframe srcdoc="<script>parent.{OWNED}</script>">',
    f"'); {OWNED}; ('",
    f"${{{OWNED}}}",
    f"%{{x}}<extra>{OWNED}</extra>",  # plotly's templates
    "<b style='position:fixed;inset:0;background:red'>",
    "\u202eevitcepsrep\u2066",
    "__proto__",
    "constructor",
    "x" * 5_000,
]


def scripts_in_names(attack, spec):
    """No name may run, become markup, ask another server or break the page."""
    if shutil.which("chromium") is None or shutil.which("chromedriver") is None:
        print("    left out: chromium and chromedriver are not installed")
        return
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = opened(profile)
        try:
            for name in NAMES:
                named = json.loads(json.dumps({**spec, "name": name}))
                named["classes"][1]["name"] = name
                browser.get("about:blank")
                browser.get(f"{attack.server.address}#{quote(json.dumps({'spec': named}))}")
                rests(browser, ("first", "yes", "error"))
                time.sleep(1.0)  # pictures
                found = browser.execute_script(
                    """const kinds = "img, iframe, object, embed, a[href^='javascript'], main b";
                    const strange = document.querySelectorAll(kinds);
                    return {owned: document.documentElement.dataset.owned ?? "no", strange: strange.length,
                      scripts: document.querySelectorAll("script").length, ready: document.body.dataset.ready}"""
                )
                logged = browser.get_log("browser")
                good = found["owned"] == "no" and not found["strange"] and found["scripts"] == 2 and not logged
                attack.judge(name, 200 if good and found["ready"] != "no" else -1, f"{found} {logged}", (200,))
        finally:
            browser.quit()
