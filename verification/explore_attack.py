"""msj explore, attacked as a stranger would: ``python -m verification.explore_attack [--requests 10000]``.

Each attack must be refused or answered in words, must not make the server say more than it should (a traceback, a path,
the token, a file), and after each the server must still give the right answer to an honest question. Prints a line for
each attack; the exit code is 1 if any of them got anywhere.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import random
import resource
import socket
import sys
import time
from contextlib import suppress

import httpx

import msj
from msj.web.limits import Limits
from msj.web.serve import Server
from verification import explore_endurance as endurance
from verification.explore_scripts import scripts_in_names

SYSTEM = msj.read("examples/two_servers.toml")
SPEC = SYSTEM.to_spec()
GOOD = {"question": "analyse", "spec": SPEC, "options": {"percentiles": False}}
LIMITS = Limits(headers=2.0, upload=2.0, answer=20.0, grace=2.0)
#: What no answer may contain.
SECRETS = (
    "Traceback",
    'File "',
    "/src/",
    "site-packages",
    os.path.expanduser("~"),
    os.getcwd(),
    "root:x:",
    "PYTHONPATH",
)


class Attack:
    """One kind of attack: what was tried, and what came through."""

    def __init__(self, name, server):
        self.name, self.server, self.tried, self.through = name, server, 0, []
        self.token, self.port = server.explore.guard.token, server.explore.guard.port
        self.home = f"http://127.0.0.1:{self.port}"
        self.right = {"authorization": f"Bearer {self.token}"}

    def judge(self, what, status, text, allowed):
        """Count one request; anything but the statuses allowed, or an answer that tells too much, came through."""
        self.tried += 1
        told = [secret for secret in SECRETS if secret in text]
        if self.token in text:
            told.append("the token")
        if status not in allowed or told:
            self.through.append(f"{what[:90]!r}: {status} {text[:120]!r} {told}")

    def send(self, what, allowed, method="GET", path="/api/catalogue", headers=None, timeout=60.0, **more):
        with suppress(httpx.InvalidURL, httpx.LocalProtocolError, UnicodeError):  # what our own client does not send
            try:
                given = self.right if headers is None else headers
                found = httpx.request(method, self.home + path, headers=given, timeout=timeout, **more)
                self.judge(what, found.status_code, found.text, allowed)
            except (httpx.WriteError, httpx.ReadError, httpx.RemoteProtocolError):
                self.tried += 1  # hung up: as good as refused

    def raw(self, what, data, allowed, wait=10.0):
        """Send bytes as they are; hung up without a word counts as refused."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=wait) as connection:
            with suppress(OSError):
                connection.sendall(data)
            answer = b""
            with suppress(OSError):
                while len(answer) < 100_000 and (chunk := connection.recv(65536)):
                    answer += chunk
                    if b"\r\n\r\n" in answer and b"content-length: 0" in answer.lower():
                        break
        words = answer.split(b" ", 2)
        status = int(words[1]) if len(words) > 1 and words[1].isdigit() else 0
        self.judge(what, status, answer.decode("latin-1"), (*allowed, 0))


def wrong_tokens(attack):
    draw = random.Random(1)
    wrong = [
        "",
        "null",
        "undefined",
        attack.token[:-1],
        attack.token + "A",
        attack.token.swapcase(),
        attack.token[::-1],
    ]
    wrong += ["".join(draw.choices("abcXYZ012_-", k=43)) for _ in range(150)]
    for token in wrong:
        attack.send(f"bearer {token}", (401,), headers={"authorization": f"Bearer {token}"})
        attack.send(f"path {token}", (401, 404), path=f"/{token}/", headers={})
    for kind in ("Basic", "Token", ""):
        attack.send(kind, (401,), headers={"authorization": f"{kind} {attack.token}".strip()})
    attack.send("cookie", (401,), headers={"cookie": f"token={attack.token}"})
    attack.send("query", (401,), path=f"/api/catalogue?token={attack.token}", headers={})
    head = f"GET /api/catalogue HTTP/1.1\r\nHost: 127.0.0.1:{attack.port}\r\nAuthorization: Bearer "
    for token in (b"\xff\xfe", b"\x00", b"A" * 20_000, "ü".encode()):
        attack.raw(repr(token[:9]), head.encode() + token + b"\r\n\r\n", (400, 401, 431))


def foreign_hosts_and_pages(attack):
    port = attack.port
    for host in ("localhost:9000", "tunnel.example", f"tunnel.example:{port}", "localhost:443"):  # none was allowed
        attack.send(f"Host {host}", (421,), headers={**attack.right, "host": host})
        attack.send(f"Origin {host}", (403,), headers={**attack.right, "origin": f"https://{host}"})
    hosts = ["evil.example", f"evil.example:{port}", "127.0.0.1", "127.0.0.1:1", f"127.0.0.1.evil.example:{port}", "",
             f"127.0.0.1:{port}@evil.example", f"evil.example#127.0.0.1:{port}", f"127.0.0.1:{port}/../evil", "[::]:1",
             f"0x7f000001:{port}", f"2130706433:{port}", f"localhost.evil.example:{port}", f"0.0.0.0:{port}",
             "a" * 5000, f"localhost.:{port}", f"127.1:{port}", f"[::ffff:127.0.0.1]:{port}"]  # fmt: skip
    for host in hosts:
        attack.send(f"Host {host}", (400, 421), headers={**attack.right, "host": host})
    origins = ["https://evil.example", "null", "file://", f"https://127.0.0.1:{port}", "http://127.0.0.1:1", "http://localhost",
               f"http://127.0.0.1:{port}.evil.example", f"http://evil.example?127.0.0.1:{port}", "about:blank", "",
               f"http://evil.example/http://127.0.0.1:{port}", f"ws://127.0.0.1:{port}"]  # fmt: skip
    for origin, method in itertools.product(origins, ("POST", "OPTIONS")):
        attack.send(f"Origin {origin}", (403,), method, "/api/answer", {**attack.right, "origin": origin}, json=GOOD)
    token = f"Authorization: Bearer {attack.token}\r\n"
    for what, text in {
        "two hosts": f"GET /api/catalogue HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nHost: evil.example\r\n{token}\r\n",
        "no host": f"GET /api/catalogue HTTP/1.1\r\n{token}\r\n",
        "HTTP/1.0 without host": f"GET /api/catalogue HTTP/1.0\r\n{token}\r\n",
        "absolute form": f"GET http://evil.example/api/catalogue HTTP/1.1\r\nHost: evil.example\r\n{token}\r\n",
        "connect": f"CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n{token}\r\n",
        "upgrade": "GET /api/answer HTTP/1.1\r\nHost: evil.example\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"{token}\r\n",
        "trace": f"TRACE /api/catalogue HTTP/1.1\r\nHost: evil.example\r\n{token}\r\n",
    }.items():
        attack.raw(what, text.encode(), (400, 403, 404, 405, 421))


def paths(attack):
    tricks = [
        *(
            "../pyproject.toml",
            "..%2f..%2fapp.py",
            "%2e%2e/app.py",
            "%252e%252e/app.py",
            "%c0%ae%c0%ae/app.py",
            "app.py",
        ),
        *(
            "static/main.js",
            "main.js%00",
            "main.js%00.css",
            "....//main.js",
            "..\\..\\app.py",
            "main.js/",
            "MAIN.JS",
            "..",
        ),
        *("/etc/passwd", "//etc/passwd", "file:///etc/passwd", "main.js?file=/etc/passwd", "main.js;a=b", "index.html"),
        *("~root", ".", "..", "app.py", "%0d%0aX: y"),
    ]
    for prefix, trick in itertools.product((attack.token, "api", "wrong", "."), tricks):
        head = f"Host: 127.0.0.1:{attack.port}\r\nConnection: close\r\n"
        allowed = (200, 307, 400, 401, 404) if trick.startswith(("main.js?", ".", "..")) else (307, 400, 401, 404)
        request = f"GET /{prefix}/{trick} HTTP/1.1\r\n{head}\r\n"
        with socket.create_connection(("127.0.0.1", attack.port), timeout=10) as connection:
            connection.sendall(request.encode())
            answer = b""
            while chunk := connection.recv(65536):
                answer += chunk
        status = int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP") else 0
        text = answer.decode("latin-1")
        leaked = "from __future__" in text or "root:" in text
        # the page itself may name the token's path; a redirect repeats the path it was asked for
        text = text.replace(attack.token, "") if prefix == attack.token else text
        attack.judge(f"{prefix[:6]}/{trick}", -1 if leaked else status, text, (*allowed, 0))


def bodies(attack):
    kind = {**attack.right, "content-type": "application/json"}
    good = json.dumps(GOOD).encode()
    cases = [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff",
        b"\x00" * 1000,
        b'{"spec": NaN}',
        b'{"a": 1, "a": 2}',
        b"9" * 100_000,
        b'"' * 99_999,
    ]
    cases += [b'{"spec": ' * depth + b"1" + b"}" * depth for depth in (10, 100, 400, 900, 1200, 5_000, 50_000)]
    cases += [b'{"spec": ' + b"[" * depth + b"]" * depth + b"}" for depth in (400, 900, 50_000)]
    cases += [good[:cut] for cut in range(1, len(good), 23)]
    draw = random.Random(2)
    for _ in range(200):
        broken = bytearray(good)
        for _ in range(draw.randint(1, 6)):
            broken[draw.randrange(len(broken))] = draw.randrange(256)
        cases.append(bytes(broken))
    for body in cases:
        attack.send(f"body {body[:40]!r}", (200, 400, 413), "POST", "/api/answer", kind, content=body)
    attack.send("2 MB", (413,), "POST", "/api/answer", kind, content=b" " * 2_000_000)
    attack.send("form", (415,), "POST", "/api/answer", data={"question": "analyse"})
    attack.send("no kind", (415,), "POST", "/api/answer", content=good)
    head = f"POST /api/answer HTTP/1.1\r\nHost: 127.0.0.1:{attack.port}\r\nAuthorization: Bearer {attack.token}\r\n"
    head += "Content-Type: application/json\r\n"
    smuggled = b"GET /api/catalogue HTTP/1.1\r\nHost: evil\r\n\r\n"
    for what, text, body in (
        ("10 GB announced", "Content-Length: 10000000000\r\n\r\n", b"{}"),
        ("negative length", "Content-Length: -1\r\n\r\n", b"{}"),
        ("two lengths", "Content-Length: 2\r\nContent-Length: 44\r\n\r\n", b"{}" + smuggled),
        ("length and chunks", "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n", b"0\r\n\r\n" + smuggled),
        ("bad chunk", "Transfer-Encoding: chunked\r\n\r\n", b"zz\r\n{}\r\n0\r\n\r\n"),
        ("huge chunk", "Transfer-Encoding: chunked\r\n\r\n", b"ffffffffffffffff\r\n{}"),
        ("odd coding", "Transfer-Encoding: gzip\r\n\r\n", b"\x1f\x8b\x08"),
        ("zipped", "Content-Encoding: gzip\r\nContent-Length: 3\r\n\r\n", b"\x1f\x8b\x08"),
    ):
        attack.raw(what, (head + text).encode() + body, (400, 401, 408, 413, 421, 501))
    attack.raw("long header", head.encode() + b"X: " + b"a" * 200_000 + b"\r\n\r\n", (400, 431))
    attack.raw("many headers", head.encode() + b"X: a\r\n" * 20_000 + b"\r\n", (400, 431))


NASTY = [
    *(None, True, -1, 0, 1e308, -1e308, 1e-320, 2**63, 10**30, "", "x", "1/0", "1e999", "NaN", "9" * 400, [], {}, [[]]),
    *("\x00", "\ud800", "/etc/passwd", "x.py:f", {"file": "/etc/passwd"}, {"function": "os.system"}, ["a"] * 1000),
    {"law": "empirical", "file": "/etc/passwd"},
    {"law": "scipy", "name": "os.system"},
    {"law": "erlang", "stages": 10**9, "mean": 1},
    {"law": "phase-type", "initial": [1] * 300, "generator": [[-1] * 300] * 300},
]


def places(value, path=()):
    """Every place inside a document."""
    if path:
        yield path
    for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(item, (*path, key))


def specs(attack):
    """Nonsense, files and code at every place of a spec, and in the questions and their options."""
    for place in places(GOOD):
        for nasty in random.Random(str(place)).sample(NASTY, 9):
            body = json.loads(json.dumps(GOOD))
            inside = body
            for key in place[:-1]:
                inside = inside[key]
            inside[place[-1]] = nasty
            content = json.dumps(body).encode("utf-8", "surrogatepass")
            kind = {**attack.right, "content-type": "application/json"}
            attack.send(f"{place}: {nasty!r}", (200, 400, 413, 503, 504), "POST", "/api/answer", kind, content=content)
    script = {**GOOD, "question": "</script><script>alert(1)</script>"}
    found = httpx.post(f"{attack.home}/api/answer", headers=attack.right, json=script, timeout=60.0)
    kind = found.headers["content-type"]  # the words may come back, but as data that no browser runs
    attack.judge("script", found.status_code if kind == "application/json" else -1, found.text, (400,))


def flood(attack, requests):
    """Thousands of requests at once, right and wrong ones: each gets an answer, be it that it should come again."""
    statuses = {}

    async def all_of_them():
        limits = httpx.Limits(max_connections=100)
        async with httpx.AsyncClient(base_url=attack.home, timeout=120.0, limits=limits) as client:
            room = asyncio.Semaphore(100)

            async def one(index):
                async with room:
                    try:
                        if index % 4 == 0:
                            found = await client.get("/api/catalogue", headers={"authorization": "Bearer wrong"})
                        elif index % 4 == 1:
                            found = await client.get(f"/{index}/../api/answer")
                        elif index % 40 == 2:
                            options = {"exact": False}
                            found = await client.post(
                                "/api/answer", headers=attack.right, json={**GOOD, "options": options}
                            )
                        else:
                            found = await client.get("/api/catalogue", headers=attack.right)
                    except (httpx.ReadError, httpx.RemoteProtocolError, httpx.ConnectError):
                        attack.tried += 1
                        statuses["hung up"] = statuses.get("hung up", 0) + 1
                        return
                    statuses[found.status_code] = statuses.get(found.status_code, 0) + 1
                    attack.judge(f"request {index}", found.status_code, found.text, (200, 401, 503))

            await asyncio.gather(*(one(index) for index in range(requests)))

    files, memory = len(os.listdir("/proc/self/fd")), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.monotonic()
    asyncio.run(all_of_them())
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory) / 1024
    left = len(os.listdir("/proc/self/fd")) - files
    print(f"    {time.monotonic() - began:.0f} s, statuses {statuses}, {grown:.0f} MB more, {left} more open files")
    if grown > 200 or left > 150:
        attack.through.append(f"{grown:.0f} MB and {left} files are not given back")


def slow_clients(attack):
    """Hundreds that say nothing, speak slowly or do not listen; meanwhile others are answered, and these are left."""
    head = f"POST /api/answer HTTP/1.1\r\nHost: 127.0.0.1:{attack.port}\r\nAuthorization: Bearer {attack.token}\r\n"
    body = head + "Content-Type: application/json\r\nContent-Length: 500\r\n\r\n{"
    deaf = f"GET /{attack.token}/plotly.js HTTP/1.1\r\nHost: 127.0.0.1:{attack.port}\r\n\r\n"
    held = []
    for text in ["", head, body, deaf] * 50:
        with suppress(OSError):
            connection = socket.create_connection(("127.0.0.1", attack.port), timeout=5)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.sendall(text.encode())
            held.append((text, connection))
    began = time.monotonic()
    attack.send("honest, meanwhile", (200, 503), timeout=10.0)
    print(f"    answered after {time.monotonic() - began:.2f} s with {len(held)} slow ones")
    time.sleep(LIMITS.headers + LIMITS.upload + 1.0)
    for text, connection in held:
        attack.tried += 1
        connection.settimeout(5)
        try:
            while text != deaf and connection.recv(65536):
                pass
        except TimeoutError:
            attack.through.append(f"still held: {text[:30]!r}")
        except OSError:
            pass  # hung up
        connection.close()


def still_right(server):
    """Whether an honest question gets the right answer."""
    headers = {"authorization": f"Bearer {server.explore.guard.token}"}
    url = server.address.replace(f"{server.explore.guard.token}/", "api/answer")
    for _ in range(100):
        found = httpx.post(url, json=GOOD, headers=headers, timeout=60.0)
        if found.status_code != 503:
            break
        time.sleep(0.2)
    return found.status_code == 200 and abs(msj.Result.from_dict(found.json())["mean_response_time"] - 7.517772) < 1e-6


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--only", metavar="WORD", default="", help="those attacks whose name has it")
    given = parser.parse_args()
    attacks = {
        "wrong tokens": wrong_tokens, "foreign hosts and pages": foreign_hosts_and_pages, "path tricks": paths,
        "malformed and huge bodies": bodies, "nonsense, files and code in specs": specs,
        f"{given.requests:,} requests": lambda attack: flood(attack, given.requests),
        "script in names": lambda attack: scripts_in_names(attack, SPEC),
        "slow clients": slow_clients,
        "work nobody waits for": lambda attack: endurance.work_nobody_waits_for(attack, SPEC),
        "oversized systems": lambda attack: endurance.oversized(attack, GOOD),
        "idle connections": endurance.idle_connections,
        "trap in the current folder": endurance.trap_in_the_folder,
        f"{given.requests:,} over kept-alive sessions": lambda attack: endurance.kept_alive(attack, given.requests),
        "2,000 answers": lambda attack: endurance.long_use(attack, GOOD, 2_000),
    }  # fmt: skip
    failed = False
    with Server(SYSTEM, limits=LIMITS).in_a_thread() as server:
        if not still_right(server):
            raise SystemExit("the server does not answer before the first attack")
        for name, run in ((name, run) for name, run in attacks.items() if given.only in name):
            attack = Attack(name, server)
            run(attack)
            right = still_right(server)
            failed |= bool(attack.through) or not right
            verdict = "nothing came through" if not attack.through else f"{len(attack.through)} CAME THROUGH"
            print(
                f"{name}: {attack.tried:,} tried, {verdict}; {'still answers' if right else 'ANSWERS NO LONGER'}",
                flush=True,
            )
            for each in attack.through[:20]:
                print(f"    {each}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
