"""One server for all tests, with its workers, which take seconds to start; asked over HTTP as anybody would.

It is started with a log, as a page of a spec file differs from that of a log by what it leaves out.
"""

from pathlib import Path

import httpx
import pytest

import msj
from browsing import chromium
from msj.web.limits import Limits
from msj.web.recorded import Recording
from msj.web.serve import Server


@pytest.fixture(scope="session")
def server():
    pytest.importorskip("uvicorn", reason="msj[web] is not installed: the page is not served")
    log = Recording(file=Path("examples/logs/small_cluster.swf").absolute())
    limits = Limits(
        workers=2, body=200_000, headers=1.0, upload=1.0, answer=60.0, document=24.0, waiting=8, connections=40
    )
    system = msj.read("examples/two_servers.toml")
    presets = {
        "HPC partition": msj.read("examples/hpc_partition.toml"),
        "bursts": msj.read("examples/arrivals/bursts.toml"),
    }
    with Server(system, presets=presets, log=log, limits=limits).in_a_thread() as running:
        yield running


@pytest.fixture(scope="session")
def home(server):
    """The address without the token."""
    return server.address.removesuffix(f"{server.explore.guard.token}/")


@pytest.fixture(scope="session")
def client(server, home):
    headers = {"authorization": f"Bearer {server.explore.guard.token}"}
    with httpx.Client(base_url=home, headers=headers, timeout=60.0) as found:
        yield found


@pytest.fixture(scope="session")
def downloads(tmp_path_factory):
    return tmp_path_factory.mktemp("downloads")


@pytest.fixture(scope="session")
def browser(tmp_path_factory, downloads):
    with chromium(tmp_path_factory.mktemp("browser")) as found:
        where = {"behavior": "allow", "downloadPath": str(downloads)}
        found.execute_cdp_cmd("Browser.setDownloadBehavior", where)
        yield found
