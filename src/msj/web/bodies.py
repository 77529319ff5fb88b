"""The body of a request: JSON, not too long, not too slow, each key once."""

from __future__ import annotations

import asyncio
import json
from typing import Any, NoReturn

from starlette.requests import ClientDisconnect, Request

from msj.web.errors import Refused
from msj.web.limits import Limits


async def read_json(request: Request, limits: Limits) -> dict[str, Any]:
    """Return the body of a request as a table."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Refused(415, "not-json", "the body must be JSON; send Content-Type: application/json")
    return parsed(await _bytes(request, limits))


async def _bytes(request: Request, limits: Limits) -> bytes:
    found = bytearray()
    too_long = Refused(413, "too-long", f"the body is longer than {limits.body:,} bytes; send less")
    said = request.headers.get("content-length", "0")
    if not said.isdigit() or int(said) > limits.body:
        raise too_long
    try:
        async with asyncio.timeout(limits.upload):
            async for chunk in request.stream():
                found += chunk
                if len(found) > limits.body:
                    raise too_long
    except TimeoutError:
        raise Refused(408, "too-slow", f"the body was not there within {limits.upload:g} seconds") from None
    except ClientDisconnect:
        raise Refused(400, "gone", "the body was not sent") from None
    return bytes(found)


def parsed(body: bytes) -> dict[str, Any]:
    """Return the table that a body is.

    Examples
    --------
    >>> parsed(b'{"question": "analyse"}')
    {'question': 'analyse'}
    """
    try:
        found = json.loads(body.decode("utf-8"), object_pairs_hook=_each_key_once, parse_constant=_no_number)
        json.dumps(found, ensure_ascii=False).encode()  # half a character could not be told to anybody
    except (ValueError, RecursionError) as error:  # not UTF-8, not JSON, a number of thousands of digits, nested
        why = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)[:200]
        raise Refused(400, "not-json", f"the body is not JSON: {why}") from None
    if not isinstance(found, dict):
        raise Refused(400, "not-json", "the body must be a table: { ... }")
    return found


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        raise ValueError("a key is given twice in one table")
    return table


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number")
