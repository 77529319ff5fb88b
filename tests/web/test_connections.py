"""Connections of a running server: kept alive while idle, closed when slow, never so many that others are refused."""

import http.client
import socket
import time
from contextlib import ExitStack, closing

import pytest


@pytest.fixture
def connect(server):
    with ExitStack() as opened:
        yield lambda: opened.enter_context(
            closing(socket.create_connection(("127.0.0.1", server.explore.guard.port), timeout=10))
        )


def test_a_kept_alive_connection_may_be_idle_longer_than_a_head_may_take(server):
    """W7: the time limit for heads also closed idle connections, and a client that reused one was hung up on."""
    headers = {"authorization": f"Bearer {server.token}"}
    with closing(http.client.HTTPConnection("127.0.0.1", server.explore.guard.port, timeout=20)) as connection:
        for pause in (server.explore.limits.headers + 0.4, 0.0):
            connection.request("GET", "/api/catalogue", headers=headers)
            first = connection.sock
            answer = connection.getresponse()
            assert (answer.status, len(answer.read()) > 100) == (200, True)
            time.sleep(pause)
            assert connection.sock is first  # not opened again


def test_a_slow_head_is_closed_whether_it_is_the_first_or_a_further_one(server, connect):
    request = f"GET /api/catalogue HTTP/1.1\r\nHost: 127.0.0.1:{server.explore.guard.port}\r\n"
    begun, silent, further = connect(), connect(), connect()
    begun.sendall(request.encode())
    further.sendall(f"{request}Authorization: Bearer {server.token}\r\n\r\n".encode())
    answer = http.client.HTTPResponse(further)
    answer.begin()
    assert (answer.status, len(answer.read()) > 100) == (200, True)
    further.sendall(request.encode())
    for each in (begun, silent, further):
        began = time.monotonic()
        assert each.recv(65536) == b""
        assert time.monotonic() - began < server.explore.limits.headers + 2


def test_idle_connections_do_not_lock_others_out(server, connect, client):
    """W8: as many idle connections as are allowed made the server refuse everybody."""
    most = server.explore.limits.connections
    held = [connect() for _ in range(most + 5)]
    assert client.get("/api/catalogue").status_code == 200
    held[0].settimeout(5)
    assert held[0].recv(10) == b""  # the oldest had to go
    held[-1].settimeout(0.1)
    with pytest.raises(TimeoutError):
        held[-1].recv(10)
