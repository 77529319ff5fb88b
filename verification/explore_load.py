"""How msj explore bears load: ``python -m verification.explore_load``.

Small exact answers to distinct systems are asked for at a steady rate, whether or not earlier ones are there. The same
answers are computed in this process first, without a server: the ratio says what serving costs, on whatever machine and
whatever else runs there.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import time

import httpx

import msj
from msj.model.spec_file import from_document
from msj.web.serve import Server

START = msj.read("examples/two_servers.toml")


def distinct_specs(count, seed=1):
    """Two servers and two classes, no two alike."""
    draw = random.Random(seed)
    for _ in range(count):
        spec = {key: value for key, value in START.to_spec().items() if key != "load"}
        small = draw.uniform(0.3, 0.9)
        classes = [{**c, "share": share} for c, share in zip(spec["classes"], (small, 1 - small), strict=True)]
        yield {**spec, "classes": classes, "utilisation": draw.uniform(0.2, 0.6)}


def bare(count, options):
    """Seconds of one answer without a server: wall clock and processor, medians."""
    times = []
    for spec in distinct_specs(count + 5, seed=2):
        began, worked = time.perf_counter(), time.process_time()
        json.dumps(msj.analyse(from_document(spec), **options).to_dict())
        times.append((time.perf_counter() - began, time.process_time() - worked))
    return tuple(sorted(each[i] for each in times[5:])[count // 2] for i in (0, 1))


async def under_load(address, token, rate, seconds, options):
    """Ask at a steady rate; return how long each answer took, and the statuses."""
    url = f"{address.removesuffix(token + '/')}api/answer"
    headers = {"authorization": f"Bearer {token}"}
    limits = httpx.Limits(max_connections=200)
    taken, statuses = [], {}
    async with httpx.AsyncClient(headers=headers, timeout=60.0, limits=limits) as client:

        async def one(spec):
            began = time.perf_counter()
            body = {"question": "analyse", "spec": spec, "options": options}
            status = (await client.post(url, json=body)).status_code
            statuses[status] = statuses.get(status, 0) + 1
            taken.append(time.perf_counter() - began)

        for spec in distinct_specs(24, seed=3):  # each worker has answered before it is measured
            await one(spec)
        taken.clear()
        statuses.clear()
        began, tasks = time.perf_counter(), []
        for index, spec in enumerate(distinct_specs(round(rate * seconds))):
            await asyncio.sleep(max(began + index / rate - time.perf_counter(), 0))
            tasks.append(asyncio.ensure_future(one(spec)))
        await asyncio.gather(*tasks)
    return sorted(taken), statuses


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--rate", type=float, default=50.0)
    parser.add_argument("--response-times", action="store_true", help="the open system too, not only what it takes")
    given = parser.parse_args()
    options = {"percentiles": False} if given.response_times else {"exact": False}
    wall, worked = bare(100, options)
    print(f"bare: {1000 * wall:.1f} ms by the clock, {1000 * worked:.1f} ms of a processor (medians of 100)")
    with Server(START).in_a_thread() as server:
        while len(server.explore.pool.free) < server.explore.limits.workers:  # all are there
            time.sleep(0.1)
        token = server.explore.guard.token
        taken, statuses = asyncio.run(under_load(server.address, token, given.rate, given.seconds, options))
    middle, late = taken[len(taken) // 2], taken[int(0.99 * len(taken))]
    print(f"{len(taken)} answers at {given.rate:g} a second, statuses {statuses}")
    times = f"{middle / wall:.1f} and {late / wall:.1f} times bare"
    print(f"median {1000 * middle:.0f} ms, p99 {1000 * late:.0f} ms: {times}")


if __name__ == "__main__":
    main()
