"""What the server answers is what the command line answers; what it refuses is said in a sentence."""

import asyncio
import json
import time
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

import msj
from msj.effort import Effort
from msj.web.bodies import parsed
from msj.web.errors import Refused
from msj.web.guard import Guard
from msj.web.idle_workers import IdleWorkers, affinity_of
from msj.web.questions import MOST_POLICIES, QUESTIONS, answers_to
from msj.web.recorded import Recording
from msj.web.specs import system_from

SYSTEM = msj.read("examples/two_servers.toml")
SPEC = SYSTEM.to_spec()


def ask(client, question, spec=SPEC, **more):
    return client.post("/api/answer", json={"question": question, "spec": spec, **more})


def lines(client, question, spec=SPEC, **more):
    body = {"question": question, "spec": spec, "stream": True, **more}
    with client.stream("POST", "/api/answer", json=body) as response:
        assert response.headers["content-type"].startswith("application/x-ndjson")
        return [json.loads(line) for line in response.iter_lines()]


def numbers(document):
    keys = ("name", "class", "level", "value", "low", "high", "kind", "at")
    return [tuple(json.dumps(row[key]) for key in keys) for row in document["quantities"]]


def test_analyse_is_that_of_the_command_line(client):
    found = ask(client, "analyse")
    assert found.status_code == 200
    assert numbers(found.json()) == numbers(msj.analyse(SYSTEM).to_dict())
    assert msj.Result.from_dict(found.json())["mean_response_time"] == pytest.approx(7.517772, abs=1e-6)


def test_a_curve_is_that_of_the_command_line(client):
    found = ask(client, "curve", options={"loads": [0, 0.5, 0.95]})
    assert numbers(found.json()) == numbers(msj.curve(SYSTEM, loads=[0, 0.5, 0.95]).to_dict())


def test_simulated_answers_sharpen_and_each_can_be_had_from_the_command_line(client):
    streamed = lines(client, "simulate", options={"jobs": 400_000, "seed": 7})
    found = [line["result"] for line in streamed if "result" in line]
    assert [each["provenance"]["jobs"] for each in found] == [25_000, 100_000, 400_000]
    first, _, last = (msj.Result.from_dict(each).row("mean_response_time") for each in found)
    assert last.high - last.low < first.high - first.low  # of sixteen times as many jobs: a quarter, give or take
    assert numbers(found[1]) == numbers(msj.simulate(SYSTEM, jobs=100_000, seed=7).to_dict())


def test_a_comparison_takes_the_policies_named(client):
    options = {"jobs": 20_000, "policies": ["fcfs", "first-fit"]}
    found = lines(client, "compare", options=options)[-1]["result"]
    assert {row["at"]["policy"] for row in found["quantities"] if "policy" in row["at"]} == {"fcfs", "first-fit"}


def test_a_look_begins_with_what_is_exact_and_ends_with_percentiles(client):
    found = [line["result"] for line in lines(client, "look") if "result" in line]
    assert "0.9 jobs per unit of time" in found[0]["findings"][0]["sentence"]
    exact = msj.analyse(SYSTEM)
    for name in ("stability_threshold", "mean_response_time", "waiting_probability"):
        row = next(
            r for r in found[0]["quantities"] if (r["name"], r["class"], r["at"].get("change")) == (name, None, None)
        )
        assert row["value"] == pytest.approx(exact[name], rel=1e-12)
        assert row["kind"] == "exact"
    changes = {row["at"]["change"] for row in found[-1]["quantities"] if "change" in row["at"]}
    assert {"one more server (3)", "20 % more load", "no job above 1 server"} <= changes
    more = next(
        r
        for r in found[-1]["quantities"]
        if r["at"].get("change") == "20 % more load" and r["name"] == "mean_response_time"
    )
    there = msj.analyse(SYSTEM.replace(arrival_rate=1.2 * exact["arrival_rate"]))
    assert more["value"] == pytest.approx(there["mean_response_time"], rel=1e-9)
    levels = {row["level"] for row in found[-1]["quantities"] if row["name"] == "waiting_time_percentile"}
    assert {50.0, 99.0} <= levels


def test_a_first_look_waits_for_nothing_else(client):
    found = [
        line for line in lines(client, "look", options={"changes": False, "percentiles": False}) if "result" in line
    ]
    assert len(found) == 1
    assert not any("change" in row["at"] for row in found[0]["result"]["quantities"])


def test_a_replay_is_that_of_the_command_line(client):
    options = {"policies": ["fcfs", "first-fit"], "largest_need": 8, "scale_load": 0.5, "seed": 3}
    found = ask(client, "replay", {**SPEC, "servers": 24}, options=options)
    assert found.status_code == 200
    jobs = {"servers": 24, "shakes": 0, **options}
    assert numbers(found.json()) == numbers(msj.replay("examples/logs/small_cluster.swf", **jobs).to_dict())
    in_hours = ask(client, "replay", {**SPEC, "servers": 24, "time_unit": "hours"}, options=options).json()
    first = numbers(msj.replay("examples/logs/small_cluster.swf", **jobs).in_unit("hours").to_dict())
    assert numbers(in_hours) == first


def test_without_a_log_there_is_no_replay():
    with pytest.raises(msj.InvalidInput, match="msj explore LOG"):
        next(answers_to("replay", SYSTEM, {}, Effort()))


def test_a_log_is_replayed_under_one_policy_or_several_but_not_under_none_or_very_many():
    log = Recording(file=Path("examples/logs/small_cluster.swf"))
    usual = ["fcfs", "first-fit", "best-fit", "easy-backfilling", "most-servers-first", "least-servers-first"]

    def replayed(policies):
        [found] = answers_to("replay", log.as_system(), {"policies": policies}, Effort(), log=log)
        return {row.at["policy"] for row in found if "policy" in row.at}

    for policies in (["fcfs"], ["fcfs", "first-fit"]):
        assert replayed(policies) == set(policies)
    for policies in ([], usual * 2 + ["fcfs"], "fcfs"):
        with pytest.raises(msj.InvalidInput, match=f"policies must be a list of 1 to {MOST_POLICIES} names"):
            replayed(policies)
    with pytest.raises(msj.InvalidInput, match="named twice"):  # not too many: so many would be replayed
        replayed(usual * 2)


def test_the_classes_of_a_log_have_its_jobs_and_its_work():
    log = Recording(file=Path("examples/logs/small_cluster.swf"))
    system, trace = log.as_system(), log.trace
    need, run = trace.column("need"), trace.column("run")
    assert system.servers == 32
    assert system.mean_work == pytest.approx((need * run).mean() / 3600, rel=1e-9)
    hours = (trace.column("submit")[-1] - trace.column("submit")[0]) / 3600
    assert float(system.arrival_rate) == pytest.approx(len(trace) / hours)
    alone = {c.need: float(c.share) for c in system.classes}
    assert alone[8] == pytest.approx((need == 8).mean())
    assert Recording.from_json(log.to_json()) == log


def test_a_question_goes_to_the_worker_that_knows_its_cluster():
    class Worker:
        affinity = ""

    async def asked():
        free, first, second = IdleWorkers(), Worker(), Worker()
        free.put(first)
        free.put(second)
        assert await free.get("a") is first
        free.put(first)
        assert await free.get("b") is second
        free.put(second)
        assert await free.get("b") is second
        assert len(free) == 1
        return await free.get("c") is first

    assert asyncio.run(asked())
    same = affinity_of({"spec": {**SPEC, "load": 0.1}})
    assert affinity_of({"spec": {**SPEC, "load": 0.9}}) == same
    assert affinity_of({"spec": {**SPEC, "servers": 3}}) != same
    assert affinity_of({"spec": SPEC, "largest_need": 1}) != same


def test_too_much_load_is_an_answer(client):
    found = ask(client, "look", {**{k: v for k, v in SPEC.items() if k != "load"}, "arrival_rate": 0.95})
    assert found.status_code == 200
    assert found.json()["outcome"] == "unstable"
    assert "the queue grows without bound" in found.json()["findings"][0]["sentence"]


def test_a_cap_is_applied_by_the_server(client):
    found = ask(client, "analyse", largest_need=1)
    assert [c["need"] for c in found.json()["system"]["classes"]] == [1, 1]


@pytest.mark.parametrize("form", ["toml", "json", "python"])
def test_documents_give_the_same_cluster_again(client, tmp_path, form):
    found = client.post("/api/document", json={"spec": SPEC, "form": form}).json()
    path = tmp_path / found["name"]
    path.write_text(found["text"], encoding="utf-8")
    if form != "python":
        assert msj.read(path) == SYSTEM
        return
    script = found["text"].partition("print(")[0]
    names = {}
    exec(compile(script, found["name"], "exec"), names)
    assert names["system"] == SYSTEM


def test_the_python_document_survives_any_name():
    from msj.web.documents import document

    evil = SYSTEM.replace(name='"""\n\\\\ end """ \\u0041')
    names = {}
    exec(document(evil, "python")["text"].partition("print(")[0], names)
    assert names["system"].name == evil.name


def test_the_catalogue_has_what_the_page_offers(client):
    found = client.get("/api/catalogue").json()
    assert found["start"]["servers"] == 2
    assert [preset["name"] for preset in found["presets"]] == ["HPC partition", "bursts"]
    assert (found["log"]["name"], found["log"]["jobs"]) == ("small_cluster.swf", 2000)
    assert {"fcfs", "first-fit", "server-filling"} <= {policy["name"] for policy in found["policies"]}


# Refusals.


def check(response, status, failure):
    assert response.status_code == status, response.text
    assert response.json()["failure"] == failure
    assert response.json()["error"]
    assert "Traceback" not in response.text
    assert "/src/" not in response.text


def test_no_token_no_answer(server, home):
    right = {"authorization": f"Bearer {server.explore.guard.token}"}
    for path in ("", "api/catalogue", "api/answer", "wrong/", "wrong/main.js", "api/../api/catalogue", "docs", "api"):
        for token in ("-", "wrong", server.explore.guard.token[:-1]):
            check(httpx.get(home + path, headers={"authorization": f"Bearer {token}"}), 401, "wrong-token")
    check(httpx.get(f"{home}api/catalogue?token={server.explore.guard.token}"), 401, "wrong-token")
    check(httpx.get(home, headers=right), 401, "wrong-token")  # the page wants it in its path


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1:1", "127.0.0.1@evil.example:{port}", ""]
)
def test_a_foreign_host_is_refused(client, server, host):
    """DNS rebinding: the browser believes it speaks to evil.example."""
    port = server.explore.guard.port
    check(client.get("/api/catalogue", headers={"host": host.format(port=port)}), 421, "wrong-host")


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1:{port}", "file://"]
)
def test_a_foreign_page_is_refused(client, server, origin):
    origin = origin.format(port=server.explore.guard.port)
    check(client.post("/api/answer", json={}, headers={"origin": origin}), 403, "wrong-origin")


def test_our_own_page_is_not_refused(client, home):
    assert client.get("/api/catalogue", headers={"origin": home.rstrip("/")}).status_code == 200


def test_preflights_are_not_answered(client, home):
    found = httpx.options(f"{home}api/answer", headers={"origin": "https://evil.example"})
    assert found.status_code == 403
    assert not [name for name in found.headers if name.startswith("access-control")]


def test_only_json_of_a_decent_size(client):
    check(client.post("/api/answer", content=b"{}", headers={"content-type": "text/plain"}), 415, "not-json")
    check(client.post("/api/answer", data={"question": "analyse"}), 415, "not-json")
    check(client.post("/api/answer", json={"spec": "x" * 300_000}), 413, "too-long")

    def endless():
        for _ in range(50):
            yield b" " * 10_000

    headers = {"content-type": "application/json"}
    with suppress(httpx.WriteError, httpx.ReadError, httpx.RemoteProtocolError):  # hung up before the end: as good
        check(client.post("/api/answer", content=endless(), headers=headers), 413, "too-long")


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"null", b'"x"', b"\xff\xfe", b'{"a": NaN}', b'{"a": 1, "a": 2}', b'{"a": ' + b"9" * 5000 + b"}",
     b"[" * 100_000, b'{"spec": "\\ud800"}'],
)  # fmt: skip
def test_what_is_not_json_gets_a_sentence(client, body):
    headers = {"content-type": "application/json"}
    check(client.post("/api/answer", content=body, headers=headers), 400, "not-json")


@pytest.mark.parametrize(
    "change",
    [
        {"policy": "/etc/passwd"},
        {"policy": "policy.py:serve"},
        {"policy": {"function": "serve", "file": "policy.py"}},
        {"policy": {"name": "../x.py:serve"}},
        {"policy": {"name": "fcfs", "file": "x"}},
        {"policy": ["fcfs"]},
        {"model": "os"},
        {"classes": [{"name": "a", "need": 1, "share": 1, "duration": {"law": "empirical", "file": "/etc/passwd"}}]},
        {
            "classes": [
                {"name": "a", "need": 1, "share": 1, "duration": {"law": "empirical", "values": [{"file": "x"}]}}
            ]
        },
        {"arrivals": {"law": "recorded", "file": "/etc/passwd"}},
        {"servers": 10**12},
        {"servers": -1},
        {"classes": []},
        {"classes": SPEC["classes"] * 100},
        {"unknown": 1},
    ],
)
def test_no_file_no_code_no_nonsense_in_a_spec(client, change):
    found = ask(client, "analyse", {**SPEC, **change})
    check(found, 400, "invalid-input")
    assert "root:" not in found.text


def test_files_are_not_even_looked_for(tmp_path):
    """The refusal comes before the file would be read: one that exists is treated as one that does not."""
    path = tmp_path / "durations.csv"
    path.write_text("1\n2\n", encoding="utf-8")
    duration = {"law": "empirical", "file": str(path)}
    for file in (duration, {**duration, "file": "missing.csv"}):
        with pytest.raises(msj.InvalidInput, match="names a file or code"):
            system_from({"spec": {"servers": 1, "classes": [{"name": "a", "need": 1, "share": 1, "duration": file}]}})


def test_functions_of_ones_own_only_if_named_at_the_start(tmp_path):
    path = tmp_path / "mine.py"
    text = "def pick(needs, running, remaining, servers, chosen):\n    if len(needs): chosen[0] = True\n"
    path.write_text(text, encoding="utf-8")
    spec = {**SPEC, "policy": f"{path}:pick"}
    with pytest.raises(msj.InvalidInput, match="unknown policy"):
        system_from({"spec": spec})
    assert system_from({"spec": spec}, own_policies=[f"{path}:pick"]).policy.name == f"{path}:pick"


@pytest.mark.parametrize(
    ("question", "options"),
    [
        ("analyze", {}),
        ("__init__", {}),
        (None, {}),
        ("analyse", {"system": "/etc/passwd"}),
        ("analyse", {"exact": "yes"}),
        ("simulate", {"jobs": 10**12}),
        ("simulate", {"jobs_file": "/tmp/x"}),
        ("simulate", {"checkpoint": "/tmp/x"}),
        ("simulate", {"seed": -1}),
        ("compare", {"policies": ["x.py:serve"]}),
        ("compare", {"own": ["x.py:serve"]}),
        ("curve", {"loads": [2]}),
        ("curve", {"loads": "x"}),
        ("look", {"effort": 1}),
        ("look", []),
        ("look", {"changes": 1}),
        ("replay", {"jobs": "/etc/passwd"}),
        ("replay", {"log": "/etc/passwd"}),
        ("replay", {"jobs_file": "/tmp/x"}),
        ("replay", {"scale_load": -1}),
    ],
)
def test_unknown_questions_and_options_get_a_sentence(client, question, options):
    check(ask(client, question, options=options), 400, "invalid-input")


def test_no_question_takes_a_path():
    import inspect

    allowed = {"system", "effort", "own", "seed", "jobs", "policies", "loads", "exact", "percentiles"}
    allowed |= {
        "log",
        "largest_need",
        "scale_load",
        "changes",
        "reference",
        "percentile_95",
    }  # the log is the one the server was started with
    for question in QUESTIONS.values():
        assert set(inspect.signature(question).parameters) <= allowed


@pytest.mark.parametrize(
    "path",
    [
        "../pyproject.toml",
        "..%2f..%2fapp.py",
        "%2e%2e/app.py",
        "static/main.js",
        "app.py",
        "main.js%00",
        "//etc/passwd",
    ],
)
def test_paths_lead_nowhere(server, home, path):
    found = httpx.get(f"{home}{server.explore.guard.token}/{path}")
    assert found.status_code in (400, 401, 404)
    assert "import" not in found.text


def test_every_answer_has_the_headers_that_keep_others_out(server, home, client):
    part = httpx.get(server.address + "main.js")
    answers = [
        part,
        httpx.get(server.address),
        httpx.get(home),
        client.get("/api/catalogue"),
        client.post("/api/answer", json={}),
    ]
    for found in answers:
        policy = found.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self';" in policy
        assert found.headers["referrer-policy"] == "no-referrer"
        assert found.headers["x-content-type-options"] == "nosniff"
        assert found.headers["cache-control"] == ("private, max-age=86400, immutable" if found is part else "no-store")
        assert "server" not in found.headers
        assert "set-cookie" not in found.headers
    page = answers[0].text
    assert "http://" not in page
    assert "https://" not in page
    assert "<script>" not in page


def becomes(condition, seconds=10.0):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.02)
    return False


def test_a_computation_nobody_waits_for_is_cancelled(server, client):
    pool = server.explore.pool
    assert becomes(lambda: pool.under_way == 0 and len(pool.free) == 2)
    with client.stream("POST", "/api/answer", json={"question": "simulate", "spec": SPEC, "stream": True,
                                                    "options": {"jobs": 20_000_000}}) as response:  # fmt: skip
        answer = response.iter_lines()  # held: a generator that is collected hangs up
        next(answer)
        assert pool.under_way == 1
    assert becomes(lambda: pool.under_way == 0 and len(pool.free) == 2)
    assert (pool.under_way, len(pool.free), len(pool.all)) == (0, 2, 2)


def test_a_slow_client_is_left_and_others_are_answered(server, client):
    import socket

    port = server.explore.guard.port
    slow = [socket.create_connection(("127.0.0.1", port)) for _ in range(10)]
    for each in slow:
        each.sendall(b"POST /api/answer HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
    assert client.get("/api/catalogue").status_code == 200
    for each in slow:
        each.settimeout(10)
        assert each.recv(100) == b""  # hung up
        each.close()
    body = b'{"question": '
    head = (
        f"POST /api/answer HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {server.explore.guard.token}\r\n"
    )
    with socket.create_connection(("127.0.0.1", port)) as each:
        each.settimeout(10)
        each.sendall((head + "Content-Type: application/json\r\nContent-Length: 500\r\n\r\n").encode() + body)
        assert b"408" in each.recv(200)


def test_bodies_are_tables():
    with pytest.raises(Refused):
        parsed(b"[1]")


def test_names_that_are_ours():
    everywhere = Guard(host="0.0.0.0", port=8000)
    assert everywhere.is_ours("192.168.1.5:8000")
    assert not everywhere.is_ours("rebound.example:8000")
    assert not everywhere.is_ours("192.168.1.5:8001")
    assert not Guard(port=8000).is_ours("192.168.1.5:8000")
    assert Guard(host="::1", port=8000).address.startswith("http://[::1]:8000/")
    assert Guard(port=1).token != Guard(port=1).token
