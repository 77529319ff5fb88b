"""Endurance of msj explore: kept-alive sessions, idle connections, long use; a part of ``explore_attack``."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import httpx

TRAP = "with open('TRAPPED', 'a') as file: file.write(__name__ + ' ')\nraise ImportError('trapped')\n"


def kept_alive(attack, requests):
    """Thousands of requests over sessions that pause for longer than a head may take: none is hung up on."""
    hung_up, statuses, sessions = [], {}, 20
    pause = attack.server.explore.limits.headers

    async def session(client, index):
        for number in range(requests // sessions):
            if number % 100 == index:  # some pauses just as long as the limit, some longer
                await asyncio.sleep(pause * (0.99 + 0.002 * index))
            try:
                found = await client.get("/api/catalogue", headers=attack.right)
                statuses[found.status_code] = statuses.get(found.status_code, 0) + 1
                attack.judge(f"request {number}", found.status_code, found.text, (200,))
            except httpx.TransportError as error:
                attack.tried += 1
                hung_up.append(f"{type(error).__name__} in session {index}, request {number}")

    async def all_of_them():
        limits = httpx.Limits(max_connections=1, keepalive_expiry=3600.0)
        clients = [httpx.AsyncClient(base_url=attack.home, timeout=60.0, limits=limits) for _ in range(sessions)]
        await asyncio.gather(*(session(client, index) for index, client in enumerate(clients)))
        for client in clients:
            await client.aclose()

    began = time.monotonic()
    asyncio.run(all_of_them())
    print(f"    {time.monotonic() - began:.0f} s, statuses {statuses}, {len(hung_up)} hung up")
    attack.through += hung_up


def work_nobody_waits_for(attack, spec):
    """Long computations that are asked for and left; the workers are free again soon."""
    pool, workers = attack.server.explore.pool, attack.server.explore.limits.workers
    body = json.dumps({"question": "simulate", "spec": spec, "stream": True, "options": {"jobs": 20_000_000}}).encode()
    head = f"POST /api/answer HTTP/1.1\r\nHost: 127.0.0.1:{attack.port}\r\nAuthorization: Bearer {attack.token}\r\n"
    head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    for _ in range(3):
        held = [socket.create_connection(("127.0.0.1", attack.port), timeout=10) for _ in range(60)]
        for connection in held:
            connection.sendall(head.encode() + body)
            attack.tried += 1
        time.sleep(1.0)
        for connection in held:
            connection.close()
    until = time.monotonic() + 60
    while (pool.under_way or len(pool.free) < workers) and time.monotonic() < until:
        time.sleep(0.1)
    print(f"    all workers free {60 - (until - time.monotonic()):.1f} s after the last left")
    if pool.under_way or pool.waiting or len(pool.free) != workers:
        attack.through.append(f"{pool.under_way} under way, {pool.waiting} waiting, {len(pool.free)} free")


def idle_connections(attack):
    """More idle connections than are allowed do not lock anybody out."""
    held = []
    for _ in range(attack.server.explore.limits.connections + 50):
        with suppress(OSError):
            held.append(socket.create_connection(("127.0.0.1", attack.port), timeout=5))
        attack.tried += 1
    began = time.monotonic()
    attack.send("honest, meanwhile", (200,), timeout=10.0)
    print(f"    answered after {time.monotonic() - began:.2f} s with {len(held)} idle connections")
    for each in held:
        each.close()


def oversized(attack, good):
    """Sizes as text, as fractions, with exponents: refused after parsing, in words."""
    for servers in ("1000000000000", "1e12", "3000000000000/2", 10**15, 1e300, "9" * 300):
        body = {**good, "spec": {**good["spec"], "servers": servers}}
        attack.send(f"servers {servers!r:.20}", (400,), "POST", "/api/answer", json=body)


def memory_of(pids):
    """Resident memory in megabytes."""
    found = 0.0
    for pid in pids:
        with suppress(OSError, IndexError):
            found += int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    return found


def children():
    """Processes started by this one, and how many of them are zombies."""
    found = subprocess.run(
        ["ps", "--ppid", str(os.getpid()), "-o", "pid=,stat="], capture_output=True, text=True
    ).stdout
    lines = [line.split() for line in found.splitlines()]
    return [int(pid) for pid, _ in lines], sum(stat.startswith("Z") for _, stat in lines)


def long_use(attack, good, requests):
    """Memory of the server and its workers stays flat over thousands of answers, and no process is left behind."""
    pool = attack.server.explore.pool
    sizes = []
    with httpx.Client(base_url=attack.home, headers=attack.right, timeout=60.0) as client:
        for number in range(requests):
            servers = 2 + number % 5
            spec = {**good["spec"], "servers": servers, "load": 0.3 + 0.1 * (number % 7) / 7}
            found = client.post("/api/answer", json={**good, "spec": spec})
            attack.judge(f"question {number}", found.status_code, found.text, (200,))
            if number % (requests // 4) == requests // 4 - 1:
                sizes.append(memory_of([os.getpid(), *(each.process.pid for each in pool.all)]))
    pids, zombies = children()
    words = ", ".join(f"{size:.0f}" for size in sizes)
    print(f"    memory after each quarter: {words} MB; {len(pids)} processes, {zombies} zombies")
    if sizes[-1] > 1.1 * sizes[0] + 20 or zombies:
        attack.through.append(f"memory {words} MB, {zombies} zombies")


def trap_in_the_folder(attack):
    """Files beside the user that are called like modules are not run by workers that start there."""
    from msj.web.process import Process

    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        for name in ("pydoc", "json", "numpy", "scipy", "numba", "typing", "dataclasses", "sitecustomize", "msj"):
            (Path(folder) / f"{name}.py").write_text(TRAP)
            attack.tried += 1
        os.chdir(folder)
        try:

            async def started():
                process = await Process.create(attack.server.explore.pool.settings)
                await process.ready(60.0)
                await process.end()

            asyncio.run(started())
        finally:
            os.chdir(before)
        if (Path(folder) / "TRAPPED").exists():
            attack.through.append((Path(folder) / "TRAPPED").read_text())
