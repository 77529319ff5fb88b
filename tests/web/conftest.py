"""One server for the tests of a file, with its workers; asked over HTTP as anybody would."""

import httpx
import pytest

import msj
from msj.web.limits import Limits
from msj.web.serve import Server


@pytest.fixture(scope="module")
def server():
    pytest.importorskip("uvicorn", reason="msj[web] is not installed: the page is not served")
    limits = Limits(workers=2, body=200_000, headers=1.0, upload=1.0, answer=60.0, waiting=8, connections=40)
    system = msj.read("examples/two_servers.toml")
    presets = {"HPC partition": msj.read("examples/hpc_partition.toml")}
    with Server(system, presets=presets, limits=limits).in_a_thread() as running:
        yield running


@pytest.fixture(scope="module")
def home(server):
    """The address without the token."""
    return server.address.removesuffix(f"{server.explore.guard.token}/")


@pytest.fixture(scope="module")
def client(server, home):
    headers = {"authorization": f"Bearer {server.explore.guard.token}"}
    with httpx.Client(base_url=home, headers=headers, timeout=60.0) as found:
        yield found
