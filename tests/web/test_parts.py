"""The parts of the server one by one, each on both sides of its rules: bodies, hosts, tokens, limits, sockets, logs."""

import asyncio
import json
import os
import runpy
import socket
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("uvicorn", reason="msj[web] is not installed")

from starlette.requests import Request
from uvicorn.protocols.http.h11_impl import H11Protocol

import msj
from msj.effort import USUAL, Effort
from msj.web import documents, limits
from msj.web.bodies import parsed, read_json
from msj.web.documents import _report, _stem, document
from msj.web.errors import Refused, busy, defect, out_of_time
from msj.web.guard import Guard, _is_number, bearer
from msj.web.idle_workers import IdleWorkers, affinity_of
from msj.web.limits import Limits
from msj.web.recorded import Recording, _law
from msj.web.serve import Server, bound, catalogue_of
from msj.web.specs import MAX_CLASSES, MAX_SERVERS, _known_choice, system_from

SYSTEM = msj.read("examples/two_servers.toml")
SPEC = SYSTEM.to_spec()


def body(*chunks, headers=None, gone=False, most=12, upload=20.0):
    """Return what a request's body is read as: chunk by chunk, or the refusal's status and name."""
    left = list(chunks)

    async def receive():
        if left:
            return {"type": "http.request", "body": left.pop(0), "more_body": bool(left) or gone}
        if gone:
            return {"type": "http.disconnect"}
        return await asyncio.sleep(60)

    given = {"content-type": "application/json"} if headers is None else headers
    raw = [(name.encode(), value.encode()) for name, value in given.items()]
    try:
        request = Request({"type": "http", "headers": raw}, receive)
        return asyncio.run(read_json(request, Limits(body=most, upload=upload)))
    except Refused as refused:
        return refused.status, refused.failure


def test_a_body_is_json_of_a_decent_length_that_comes_in_time():
    kind = {"content-type": "application/json"}
    assert body(b'{"a": [', b"12]}") == {"a": [12]}  # eleven bytes of twelve
    assert body(b'{"a": [', b"123]}") == {"a": [123]}
    assert body(b'{"a": [', b"1234]}") == (413, "too-long")
    for said, found in (
        ("12", {"a": 1}),
        ("13", (413, "too-long")),
        ("x", (413, "too-long")),
        ("-1", (413, "too-long")),
    ):
        assert body(b'{"a": 1}', headers={**kind, "content-length": said}) == found
    for text in ("application/json; charset=utf-8", " Application/JSON "):
        assert body(b"{}", headers={"content-type": text}) == {}
    for headers in ({}, {"content-type": "text/plain"}, {"content-type": "text/json; application/json"}):
        assert body(b"{}", headers=headers) == (415, "not-json")
    assert body(b'{"a"', gone=True) == (400, "gone")
    assert body(upload=0.01) == (408, "too-slow")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (b"[1]", "the body must be a table: { ... }"),
        (b'{"a": 1, "a": 2}', "the body is not JSON: a key is given twice in one table"),
        (b'{"a": NaN}', "the body is not JSON: NaN is no number"),
        (b"[" * 100_000, "the body is not JSON: it is nested too deeply"),
        (b'{"a": "\\ud800"}', "the body is not JSON: 'utf-8' codec can't encode character"),
        (b"\xff", "the body is not JSON: 'utf-8' codec can't decode byte"),
        (b"{", "the body is not JSON: Expecting property name"),
    ],
)
def test_what_is_no_table_is_refused_with_the_reason(text, sentence):
    with pytest.raises(Refused) as refused:
        parsed(text)
    assert (refused.value.status, refused.value.failure) == (400, "not-json")
    assert refused.value.sentence.startswith(sentence)
    assert parsed(b'{"a": {"a": 1}, "b": "\xc3\xa4"}') == {"a": {"a": 1}, "b": "ä"}


def test_refusals_have_a_status_and_a_sentence():
    assert Refused(400, "name", "ä").to_json() == '{"error": "ä", "failure": "name"}'.encode()
    assert Refused(400, "name", "\ud800").to_json() == b'{"error": "?", "failure": "name"}'
    found = [(each.status, each.failure) for each in (busy(), out_of_time(2.5), defect("KeyError"))]
    assert found == [(503, "busy"), (504, "out-of-time"), (500, "defect")]
    assert "no answer within 2.5 seconds" in str(out_of_time(2.5))
    assert "KeyError" in defect("KeyError").sentence


@pytest.mark.parametrize(
    ("host", "asked", "ours"),
    [
        ("127.0.0.1", "127.0.0.1:8000", True),
        ("127.0.0.1", "localhost:8000", True),
        ("127.0.0.1", "LOCALHOST:8000", True),
        ("127.0.0.1", "[::1]:8000", True),
        ("127.0.0.1", "127.0.0.1:8001", False),
        ("127.0.0.1", "127.0.0.1", False),  # that is port 80
        ("127.0.0.1", "127.0.0.1:no", False),
        ("127.0.0.1", "127.0.0.1:99999", False),
        ("127.0.0.1", "me@127.0.0.1:8000", False),
        ("127.0.0.1", "@127.0.0.1:8000", False),
        ("127.0.0.1", "127.0.0.1:8000/path", False),
        ("127.0.0.1", "127.0.0.1:8000?@", False),
        ("127.0.0.1", "box:8000", False),
        ("127.0.0.1", "192.168.1.5:8000", False),
        ("127.0.0.1", "", False),
        ("Cluster.Example", "cluster.example:8000", True),
        ("Cluster.Example", "box:8000", False),
        ("0.0.0.0", "192.168.1.5:8000", True),
        ("", "192.168.1.5:8000", True),
        ("::", "[fe80::5]:8000", True),
        ("::", "box:8000", True),
        ("::", "evil.example:8000", False),
    ],
)
def test_hosts_that_are_ours(host, asked, ours, monkeypatch):
    monkeypatch.setattr(socket, "gethostname", lambda: "BOX")
    guard = Guard(host=host, port=8000, token="t")
    assert guard.is_ours(asked) is ours
    assert guard._is_our_page(f"http://{asked}") is ours
    assert guard._is_our_page(f"https://{asked}") is False


def test_port_80_need_not_be_named():
    assert Guard(port=80).is_ours("127.0.0.1")
    assert Guard(port=80).is_ours("127.0.0.1:80")
    assert not Guard(port=81).is_ours("127.0.0.1")


@pytest.mark.parametrize(
    ("host", "shown"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("0.0.0.0", "127.0.0.1"),
        ("", "127.0.0.1"),
        ("::", "[::1]"),
        ("fe80::5", "[fe80::5]"),
        ("box", "box"),
    ],
)
def test_the_address_can_be_opened(host, shown):
    assert Guard(host=host, port=8000, token="t").address == f"http://{shown}:8000/t/"


def test_host_page_and_token_are_checked_in_this_order():
    guard = Guard(port=8000, token="t")

    def status(token="t", host="127.0.0.1:8000", **headers):
        try:
            guard.check({"host": host, **headers}, token=token)
        except Refused as refused:
            return refused.status
        return 200

    assert status() == status(origin="http://localhost:8000") == 200
    assert status(host="evil:8000", origin="null", token="") == 421
    assert status(origin="null", token="") == status(origin="http://evil:8000") == 403
    assert status(token="") == status(token="T") == status(token="ä") == 401
    assert len(Guard(port=1).token) == 43  # 32 bytes, six bits a letter
    assert "token" not in repr(guard)


def test_a_bearer_says_so():
    for text, token in (("Bearer  a b ", "a b"), ("bearer x", "x"), ("Basic x", ""), ("Bearer", ""), ("", "")):
        assert bearer({"authorization": text}) == token
    assert bearer({}) == ""
    assert [_is_number(name) for name in ("1.2.3.4", "::1", "1.2.3", "box")] == [True, True, False, False]


@pytest.mark.parametrize(("cores", "workers"), [(None, 3), (2, 3), (5, 5), (8, 8), (64, 8)])
def test_how_many_compute_depends_on_the_machine(cores, workers, monkeypatch):
    """Three at least: one that is at work, one that is called off, one for who comes next."""
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    assert runpy.run_path(limits.__file__)["Limits"]().workers == workers


def test_what_a_stranger_can_take_is_what_it_was():
    usual = Limits(workers=3)
    assert (usual.body, usual.waiting, usual.connections) == (10**6, 64, 256)
    assert (usual.headers, usual.upload, usual.answer, usual.document, usual.grace) == (10, 10, 60, 120, 5)


def test_a_socket_is_bound_at_once_and_belongs_to_nobody_else():
    with bound("127.0.0.1", 0) as first:
        host, port = first.getsockname()
        assert (host, port > 1023) == ("127.0.0.1", True)
        assert first.getsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR) == 1
        assert first.get_inheritable() is False
        socket.create_connection(first.getsockname(), timeout=5).close()  # it listens at once
        with pytest.raises(msj.InvalidInput, match=f"'127.0.0.1' port {port} cannot be listened at"):
            bound("127.0.0.1", port)  # whose own socket is closed, or there would be a warning


@pytest.fixture
def server():
    found = Server(SYSTEM, limits=Limits(workers=1, headers=2.5, connections=7), idle=100.0)
    yield found
    found.socket.close()


def test_a_server_has_its_socket_and_tells_nothing_of_itself(server):
    port = server.socket.getsockname()[1]
    assert port > 1023
    assert server.address == f"http://127.0.0.1:{port}/{server.explore.guard.token}/"
    config = server.config
    assert (config.access_log, config.server_header, config.date_header, config.proxy_headers) == (False,) * 4
    assert (config.limit_concurrency, config.ws, config.lifespan) == (None, "none", "on")
    assert (config.timeout_keep_alive, config.timeout_graceful_shutdown) == (600, 2)
    assert config.h11_max_incomplete_event_size == 2**14
    assert issubclass(config.http, H11Protocol)
    assert json.loads(server.explore.pool.settings) == {"log": "", "policies": [], "memory": Limits().memory}
    usual = Server(SYSTEM, presets={"a": SYSTEM}, log=recording(submit=[0, 7200], need=[2, 2], run=[1, 1]))
    usual.socket.close()
    assert usual.explore.limits == Limits()
    assert [preset["name"] for preset in usual.explore.catalogue["presets"]] == ["a"]
    assert Recording.from_json(json.loads(usual.explore.pool.settings)["log"]).file.name == "by_hand.swf"
    assert usual.explore.catalogue["log"]["jobs"] == 2


def test_it_ends_when_nobody_has_asked_for_long_enough(server):
    async def ticked(since, limit):
        server.should_exit, server.idle_limit = False, limit
        server.explore.last = time.monotonic() - since
        return await server.on_tick(1), server.should_exit

    assert asyncio.run(ticked(0.0, 100.0)) == (False, False)
    assert asyncio.run(ticked(200.0, 100.0)) == (True, True)
    assert asyncio.run(ticked(200.0, None)) == (False, False)


def test_it_serves_on_its_own_socket_here_or_in_a_thread(server, monkeypatch):
    seen = []
    monkeypatch.setattr(server, "run", lambda sockets: seen.append(sockets))
    server.serve_until_told()

    async def serve(sockets):
        seen.append((sockets, threading.current_thread().daemon))
        while not server.should_exit:
            await asyncio.sleep(0.005)
        await asyncio.sleep(0.05)
        seen.append("ended")

    monkeypatch.setattr(server, "serve", serve)
    with server.in_a_thread() as running:
        assert running is server
    assert seen == [[server.socket], ([server.socket], True), "ended"]
    assert server.socket.fileno() == -1


def test_the_page_offers_policies_that_need_no_options(monkeypatch):
    found = catalogue_of(SYSTEM, {"one": SYSTEM}, ["mine.py:pick"])
    assert found["start"] == SPEC
    assert found["presets"] == [{"name": "one", "spec": SPEC}]
    assert found["policies"][0] == {"name": "mine.py:pick", "summary": "a function of your own"}
    names = [policy["name"] for policy in found["policies"]]
    assert "fcfs" in names
    assert found["log"] is None

    def needy(_):
        raise msj.InvalidInput("give a limit")

    policy = msj.registry.POLICIES.get("fcfs")
    monkeypatch.setattr(policy, "from_options", needy)
    without = [policy["name"] for policy in catalogue_of(SYSTEM, {}, [])["policies"]]
    assert "fcfs" not in without
    assert "first-fit" in without


def test_somebody_who_comes_when_nobody_is_free_waits():
    async def work():
        free, worker = IdleWorkers(), SimpleNamespace(affinity="")
        waiting = asyncio.ensure_future(free.get("a"))
        await asyncio.sleep(0.01)
        assert (waiting.done(), len(free)) == (False, 0)
        free.put(worker)
        assert await waiting is worker
        return worker.affinity

    assert asyncio.run(work()) == "a"


def test_the_same_cluster_at_any_load_has_one_affinity():
    one = affinity_of({"spec": {"servers": 2, "classes": [], "load": 0.5, "name": "x"}})
    assert one == affinity_of({"spec": {"classes": [], "servers": 2, "arrival_rate": 1}}) != ""
    assert affinity_of({"spec": [1]}) == affinity_of({}) == ""


def test_what_is_too_large_for_a_page_is_refused():
    job = {**SPEC["classes"][0], "share": "1/64"}
    many = [{**job, "name": f"class {i}"} for i in range(MAX_CLASSES + 1)]
    assert system_from({"spec": {**SPEC, "servers": MAX_SERVERS}}).servers == MAX_SERVERS
    assert len(system_from({"spec": {**SPEC, "classes": many[1:]}}).classes) == MAX_CLASSES
    with pytest.raises(msj.InvalidInput, match="there are 65 classes; this page takes 64 at most"):
        system_from({"spec": {**SPEC, "classes": many}})
    for servers in (1_000_001, "1000001", "1000000000000", 10**15):  # as text, too (W6)
        with pytest.raises(msj.InvalidInput, match="is more than this page takes, 1,000,000; use msj"):
            system_from({"spec": {**SPEC, "servers": servers}})


def test_choices_are_those_of_the_catalogues():
    for given in ("fcfs", {"name": "fcfs", "x": 1}):
        _known_choice(given, "policy", {"fcfs"})
    for given in ("other", {"name": "other"}, {}, 3, None, ["fcfs"]):
        with pytest.raises(msj.InvalidInput, match="unknown policy"):
            _known_choice(given, "policy", {"fcfs"})
    for key, given in (("model", "no"), ("model", [{"name": "no"}]), ("environment", {"name": "no"})):
        with pytest.raises(msj.InvalidInput, match=f"unknown {key} 'no'"):
            system_from({"spec": {**SPEC, key: given}})


def test_a_spec_may_name_no_file_wherever_it_stands_and_the_place_is_told():
    classes = [{"name": "a"}, {"name": "b", "duration": {"law": "empirical", "file": "x.csv"}}]
    with pytest.raises(msj.InvalidInput, match=r"^spec.classes\[1\].duration: 'file' names a file or code"):
        system_from({"spec": {"servers": 2, "classes": classes}})
    with pytest.raises(msj.InvalidInput, match="spec is missing"):
        system_from({"spec": []})
    assert [c.need for c in system_from({"spec": SPEC}).classes] == [c.need for c in SYSTEM.classes]
    assert max(c.need for c in system_from({"spec": SPEC, "largest_need": 1}).classes) == 1


def test_no_page_has_code_of_this_machine_run_or_asks_for_too_much(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(f"open({str(tmp_path / 'run')!r}, 'w')\ndef mine(*_): pass\n", encoding="utf-8")
    for key, given in (
        ("policy", f"{file}:mine"),
        ("model", {"name": f"{file}:mine"}),
        ("environment", [f"{file}:mine"]),
    ):
        with pytest.raises(msj.InvalidInput, match=f"unknown {key}"):
            system_from({"spec": {**SPEC, key: given}})
    assert not (tmp_path / "run").exists()
    with pytest.raises(msj.InvalidInput, match="more than this page takes"):
        system_from({"spec": {**SPEC, "servers": 1_000_001}})


@pytest.mark.parametrize(
    ("name", "stem"), [("Two servers!", "two_servers"), ("ä", "cluster"), ("", "cluster"), ("b" * 70, "b" * 60)]
)
def test_documents_are_named_after_the_cluster(name, stem):
    assert _stem(SYSTEM.replace(name=name)) == stem


@pytest.mark.parametrize(("left", "seconds"), [(40.0, 10.0), (100.0, 20.0), (2.0, 0.5), (0.5, 0.25), (-3.0, 0.25)])
def test_a_report_takes_a_quarter_of_the_time_and_no_more_than_twenty_seconds(left, seconds, monkeypatch):
    asked = []
    monkeypatch.setattr(time, "monotonic", lambda: 1000.0)
    monkeypatch.setattr(documents.reports, "report", lambda system, **how: asked.append((system, how)) or "report")
    monkeypatch.setattr(documents.reports, "write_page", lambda report: f"page of a {report}")
    watch = print
    assert _report(SYSTEM, Effort(until=1000.0 + left, progress=watch)) == "page of a report"
    assert asked == [(SYSTEM, {"seconds": seconds, "seed": 1, "progress": watch})]
    assert document(SYSTEM, "report", USUAL) == {
        "name": "two_servers_report.html",
        "type": "text/html",
        "text": "page of a report",
    }
    assert asked[1][1]["seconds"] == 20.0


def test_only_some_forms_are_written():
    for form in ("pdf", None, ["toml"]):
        with pytest.raises(msj.InvalidInput, match="give one of toml, json, python, report"):
            document(SYSTEM, form)


class Jobs:
    """A log made by hand."""

    source, servers = "by hand", 16

    def __init__(self, **columns):
        self.columns = {name: np.array(values) for name, values in columns.items()}

    def column(self, name):
        return self.columns[name]

    def __len__(self):
        return len(self.columns["submit"])


def recording(**columns):
    found = Recording(file=Path("by_hand.swf"))
    vars(found)["trace"] = Jobs(**columns)
    return found


def test_a_log_as_a_cluster_has_its_classes_with_their_work():
    """Jobs of need 2 run 1 and 2 hours, those of need 5 half an hour; four in three hours."""
    log = recording(submit=[600, 2000, 5000, 11_400], need=[2, 5, 2, 5], run=[3600, 1800, 7200, 1800])
    assert log.arrival_rate == pytest.approx(4 / 3)
    assert log.in_the_catalogue() == {
        "name": "by hand",
        "jobs": 4,
        "arrival_rate": log.arrival_rate,
        "time_unit": "hours",
        "servers": 16,
        "jobs_per_server": pytest.approx(1 / 2.75),  # 39,600 server-seconds of work in four jobs
    }
    system = log.as_system()
    small, large = system.classes
    assert (system.servers, system.time_unit, float(system.arrival_rate)) == (16, "hours", log.arrival_rate)
    assert [(c.name, c.need, float(c.share)) for c in system.classes] == [("need 2", 2, 0.5), ("need 5", 5, 0.5)]
    assert (float(small.duration.mean), float(small.duration.cv)) == pytest.approx((1.5, 1 / 3))
    assert (float(large.duration.mean), float(large.duration.cv)) == (0.5, 0.0)


def test_needs_that_are_put_together_keep_their_work():
    """Needs 1 to 13: those of 9 to 13 are one class, need 11; each runs an hour, so its work is 11 server-hours."""
    needs = np.arange(1, 14)
    system = recording(submit=needs * 60, need=needs, run=np.full(13, 3600)).as_system()
    assert [c.need for c in system.classes] == [1, 2, 4, 6, 11]  # the means 3.5 and 6.5 go to the even number
    means = [float(c.duration.mean) for c in system.classes]
    assert means == pytest.approx([1, 1, 3.5 / 4, 6.5 / 6, 1])


def test_a_log_without_a_machine_or_without_time_makes_no_cluster():
    unknown = recording(submit=[0, 1], need=[1, 1], run=[1, 1])
    unknown.trace.servers = None
    with pytest.raises(msj.InvalidInput, match="give --servers N"):
        _ = unknown.servers
    for submitted in ([], [5], [5, 5]):
        with pytest.raises(msj.InvalidInput, match="all submitted at once"):
            _ = recording(submit=submitted).arrival_rate
    assert recording(submit=[5, 5.5]).arrival_rate == 14_400.0


def test_durations_of_a_log_vary_within_what_can_be_fitted():
    assert _law(3.0, 0.19) == {"law": "deterministic", "value": 3.0}
    assert _law(3.0, 0.2) == {"law": "fit", "mean": 3.0, "cv": 0.2}
    assert _law(3.0, 30.0) == {"law": "fit", "mean": 3.0, "cv": 20.0}
