"""The routes without a server: requests are made by hand, and so are those who compute."""

import asyncio
import gzip
import json
import time

import pytest

pytest.importorskip("uvicorn", reason="msj[web] is not installed")

from starlette.requests import Request

from msj.web import app as routes
from msj.web.app import Explore, _until_gone, _Whole
from msj.web.errors import Refused, busy, out_of_time
from msj.web.guard import HEADERS, Guard
from msj.web.limits import Limits
from msj.web.process import Message

LIMITS = Limits(workers=1, body=200, answer=60.0, document=24.0, upload=3.0)
BEARER = {"authorization": "Bearer secret"}
RESULTS = [
    Message(kind="progress", status=200, payload=b'{"done": 0.5}'),
    Message(kind="result", status=200, payload=b'{"first": 1}'),
    Message(kind="result", status=200, payload=b'{"second": 2}'),
    Message(kind="done", status=200, payload=b"{}"),
]


class Computers:
    """In place of the pool: gives messages, or waits for ever."""

    def __init__(self, *messages, error=None):
        self.messages, self.error = messages, error
        self.asked, self.closed, self.life, self.under_way = [], 0, [], 0

    async def ask(self, task, request, seconds):
        self.asked.append((task, request, seconds))
        try:
            for message in self.messages:
                yield message
            if self.error is not None:
                raise self.error
            if not self.messages:
                await asyncio.sleep(60)
        finally:
            self.closed += 1

    async def open(self):
        self.life.append("open")

    async def close(self):
        self.life.append("close")


def explore(*messages, error=None, limits=LIMITS):
    guard = Guard(port=8000, token="secret")
    return Explore(guard=guard, pool=Computers(*messages, error=error), limits=limits, catalogue={"name": "ä"})


async def asked(app, path, *, method="GET", headers=BEARER, body=b"", leaves=False, kind="http"):
    """Return status, headers and body of one request; whoever does not leave stays."""
    told, left = [{"type": "http.request", "body": body, "more_body": False}], []

    async def receive():
        if told:
            return told.pop(0)
        if not leaves:
            await asyncio.sleep(60)
        return {"type": "http.disconnect"}

    async def send(message):
        left.append(message)

    given = {"host": "127.0.0.1:8000", "content-type": "application/json", **headers}
    raw = [(name.encode(), value.encode()) for name, value in given.items()]
    scope = {"type": kind, "path": path, "method": method, "headers": raw, "query_string": b"", "http_version": "1.1"}
    async with asyncio.timeout(20):
        await app(scope, receive, send)
    if kind != "http":
        return left
    start, *rest = left
    return start["status"], start["headers"], b"".join(message.get("body", b"") for message in rest)


def ask(one, path, **how):
    app = one.app() if isinstance(one, Explore) else one
    status, headers, body = asyncio.run(asked(app, path, **how))
    return status, {name.decode(): value.decode() for name, value in headers}, body


def post(one, path, document, **how):
    return ask(one, path, method="POST", body=json.dumps(document).encode(), **how)


def test_nobody_is_idle_who_works():
    one = explore()
    one.last = time.monotonic() - 500
    assert one.idle == pytest.approx(500, abs=60)
    one.pool.under_way = 1
    assert one.idle == 0.0


def test_the_catalogue_is_for_those_who_know_the_token():
    one = explore()
    one.last = 0.0
    status, headers, body = ask(one, "/api/catalogue")
    assert (status, body.decode(), headers["content-type"]) == (200, '{"name": "ä"}', "application/json")
    assert one.idle < 60  # somebody has asked just now
    for path, headers in (
        ("/api/catalogue", {}),
        ("/api/catalogue", {"authorization": "Bearer other"}),
        ("/api/missing", {}),  # nothing tells what exists
        ("/other/", BEARER),  # for a page the token is in its address
        ("/", BEARER),
        ("*", {}),
    ):
        one.last = 0.0
        status, _, body = ask(one, path, headers=headers)
        assert (status, json.loads(body)["failure"]) == (401, "wrong-token")
        assert one.last == 0.0
    assert ask(one, "/secret/no/such/part")[0] == 404


@pytest.mark.parametrize(
    ("path", "kind", "begins"),
    [
        ("/secret/", "text/html; charset=utf-8", b"<!doctype html>"),
        ("/secret/main.js", "text/javascript; charset=utf-8", None),
        ("/secret/explore.css", "text/css; charset=utf-8", None),
        ("/secret/icon.svg", "image/svg+xml; charset=utf-8", b"<svg"),
    ],
)
def test_the_page_and_its_parts_are_under_the_token(path, kind, begins):
    status, headers, body = ask(explore(), path, headers={})
    assert (status, headers["content-type"]) == (200, kind)
    assert body.lower().startswith(begins or b"")
    assert len(body) > 100


def test_plotly_is_the_one_that_is_installed_and_nothing_else_is_here():
    status, headers, body = ask(explore(), "/secret/plotly.js", headers={})
    assert (status, headers["content-type"], len(body) > 10**6) == (200, "text/javascript; charset=utf-8", True)
    status, _, body = ask(explore(), "/secret/app.py", headers={})
    assert (status, json.loads(body)["failure"]) == (404, "not-found")


def test_parts_are_compressed_and_kept_by_the_browser_and_answers_are_not():
    """W5: plotly.js was sent whole, 4.8 MB, at each visit."""
    _, plain, body = ask(explore(), "/secret/plotly.js", headers={})
    _, headers, zipped = ask(explore(), "/secret/plotly.js", headers={"accept-encoding": "br, gzip;q=1.0"})
    assert (headers["content-encoding"], headers["vary"]) == ("gzip", "accept-encoding")
    assert gzip.decompress(zipped) == body
    assert len(zipped) < 0.4 * len(body)
    assert plain["cache-control"] == headers["cache-control"] == "private, max-age=86400, immutable"
    known = {"if-none-match": headers["etag"]}
    status, again, body = ask(explore(), "/secret/plotly.js", headers=known)
    assert (status, body, again["etag"]) == (304, b"", headers["etag"])
    for path in ("/secret/", "/api/catalogue", "/secret/missing.js"):
        assert ask(explore(), path)[1]["cache-control"] == "no-store"


def test_an_answer_is_the_last_result():
    one = explore(*RESULTS)
    status, headers, body = post(one, "/api/answer", {"question": "analyse", "stream": 1})
    assert (status, headers["content-type"], body) == (200, "application/json", b'{"second": 2}')
    assert one.pool.asked == [("answer", {"question": "analyse", "stream": 1}, 60.0)]
    assert one.pool.closed == 1
    status, _, body = post(one, "/api/document", {"form": "toml"})
    assert (status, body, one.pool.asked[1]) == (200, b'{"second": 2}', ("document", {"form": "toml"}, 24.0))
    assert post(explore(error=busy()), "/api/answer", {})[0] == 503


def test_an_answer_that_is_cut_short_has_what_there_is_and_none_is_empty():
    """W2: nothing complete in time used to be an empty answer with status 200."""
    error = Message(kind="error", status=504, payload=b'{"error": "late", "failure": "out-of-time"}')
    for one in (explore(RESULTS[1], error), explore(RESULTS[1], error=out_of_time(2.0))):
        status, _, body = post(one, "/api/answer", {})
        found = json.loads(body)
        assert (status, found["failure"], found["result"]) == (504, "out-of-time", {"first": 1})
    status, _, body = post(explore(RESULTS[-1]), "/api/answer", {})
    assert (status, json.loads(body)["failure"]) == (504, "out-of-time")


def test_a_stream_has_a_line_for_each_message():
    one = explore(*RESULTS)
    status, headers, body = post(one, "/api/answer", {"stream": True})
    assert (status, headers["content-type"]) == (200, "application/x-ndjson")
    assert body == b'{"progress": {"done": 0.5}}\n{"result": {"first": 1}}\n{"result": {"second": 2}}\n'
    assert one.pool.asked == [("answer", {"stream": True}, 60.0)]
    late = explore(RESULTS[1], Message(kind="error", status=504, payload=b'{"failure": "late"}'))
    assert post(late, "/api/answer", {"stream": True})[2] == b'{"result": {"first": 1}}\n{"failure": "late"}\n'
    full = post(explore(error=busy()), "/api/answer", {"stream": True})
    assert json.loads(full[2])["failure"] == "busy"


def test_whoever_leaves_has_no_use_for_an_answer():
    one = explore()
    status, _, body = post(one, "/api/answer", {}, leaves=True)
    assert (status, json.loads(body)["failure"], one.pool.closed) == (499, "gone", 1)


def test_somebody_is_gone_when_that_is_said_and_not_before():
    told = [{"type": "http.request"}, {"type": "http.request"}, {"type": "http.disconnect"}, {"type": "http.request"}]

    async def receive():
        return told.pop(0)

    asyncio.run(_until_gone(Request({"type": "http"}, receive)))
    assert len(told) == 1


def test_every_route_checks_by_itself_who_asks():
    one = explore()
    raw = [(b"host", b"127.0.0.1:8000"), (b"authorization", b"Bearer secret")]

    async def answer(_):
        return "answered"

    async def checked(token, *, bearer_only, headers=raw):
        scope = {"type": "http", "headers": headers, "path_params": {"token": token}}
        found = await one._safely(answer, bearer_only=bearer_only)(Request(scope))
        return found if isinstance(found, str) else found.status_code

    assert asyncio.run(checked("other", bearer_only=True)) == "answered"
    assert asyncio.run(checked("secret", bearer_only=False, headers=raw[:1])) == "answered"
    assert asyncio.run(checked("other", bearer_only=False)) == 401
    assert asyncio.run(checked("secret", bearer_only=True, headers=raw[:1])) == 401


def test_our_headers_stand_on_every_answer_once():
    async def inner(scope, receive, send):
        await send(
            {"type": "http.response.start", "status": 200, "headers": [(b"Cache-Control", b"x"), (b"own", b"y")]}
        )
        await send({"type": "http.response.body", "body": b"whole"})

    status, headers, body = asyncio.run(asked(_Whole(inner, explore()), "/secret/"))
    assert (status, body) == (200, b"whole")
    ours = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
    assert headers == [(b"own", b"y"), *ours]


@pytest.mark.parametrize("begun", [False, True])
def test_a_defect_is_told_if_nothing_was_said_yet(begun):
    async def inner(scope, receive, send):
        if begun:
            await send({"type": "http.response.start", "status": 200})
        raise KeyError("secret thing")

    status, _, body = asyncio.run(asked(_Whole(inner, explore()), "/secret/"))
    if begun:
        assert (status, body) == (200, b"")
    else:
        assert (status, json.loads(body)["failure"]) == (500, "defect")
        assert b"secret thing" not in body


def test_a_request_may_last_as_long_as_the_longest_answer_and_its_body(monkeypatch):
    seen, timeout = [], asyncio.timeout

    def noted(seconds):
        seen.append(seconds)
        return timeout(seconds)

    async def inner(scope, receive, send):
        await send({"type": "http.response.start", "status": 200})

    async def one(limits):
        with monkeypatch.context() as patched:
            patched.setattr(routes.asyncio, "timeout", noted)
            await asked(_Whole(inner, explore(limits=limits)), "/secret/")

    asyncio.run(one(Limits(answer=60.0, document=24.0, upload=3.0)))
    asyncio.run(one(Limits(answer=60.0, document=100.0, upload=3.0)))
    assert [seconds for seconds in seen if seconds != 20] == [63.0, 103.0]


def test_there_are_no_sockets_that_stay_open():
    assert asyncio.run(asked(explore().app(), "/secret/", kind="websocket")) == [
        {"type": "websocket.close", "code": 1008}  # against the rules of the server
    ]


def test_workers_live_as_long_as_the_server():
    one, said = explore(), []

    async def life():
        told = [{"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}]

        async def receive():
            return told.pop(0)

        async def send(message):
            said.append((message["type"], *one.pool.life))

        await one.app()({"type": "lifespan"}, receive, send)

    asyncio.run(life())
    assert said == [("lifespan.startup.complete", "open"), ("lifespan.shutdown.complete", "open", "close")]


def test_a_refusal_closes_the_connection():
    answer = routes.refusal(Refused(418, "teapot", "no"))
    assert (answer.status_code, answer.headers["connection"], json.loads(answer.body)) == (
        418,
        "close",
        {"error": "no", "failure": "teapot"},
    )
