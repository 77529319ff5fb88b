"""The routes: the page and its parts under the token, the API under ``/api`` with the token in a header."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from msj.web.bodies import read_json
from msj.web.errors import Refused, defect, out_of_time
from msj.web.guard import HEADERS, Guard, bearer
from msj.web.limits import Limits
from msj.web.parts import CACHED, PARTS, page, part_of
from msj.web.pool import Pool
from msj.web.process import Message

Answer = Callable[[Request], Awaitable[Response]]


@dataclass(kw_only=True)
class Explore:
    """One server: who may ask, who computes, and what the page begins with."""

    guard: Guard
    pool: Pool
    limits: Limits
    catalogue: dict[str, Any]
    last: float = field(default_factory=time.monotonic)  # when somebody last asked

    @property
    def idle(self) -> float:
        """Seconds since anybody wanted something."""
        return 0.0 if self.pool.under_way else time.monotonic() - self.last

    def app(self) -> ASGIApp:
        """Return what uvicorn serves."""
        routes = [
            Route("/api/catalogue", self._safely(self._catalogue, bearer_only=True), methods=["GET"]),
            Route("/api/answer", self._safely(self._answer, bearer_only=True), methods=["POST"]),
            Route("/api/document", self._safely(self._document, bearer_only=True), methods=["POST"]),
            Route("/{token}/", self._safely(self._page), methods=["GET"]),
            Route("/{token}/{part}", self._safely(self._part), methods=["GET"]),
        ]
        return _Whole(Starlette(routes=routes, lifespan=self._lifespan), self)

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        await self.pool.open()
        try:
            yield
        finally:
            await self.pool.close()

    def _safely(self, answer: Answer, *, bearer_only: bool = False) -> Answer:
        """Check who asks before anything else, and turn what goes wrong into a sentence."""

        async def checked(request: Request) -> Response:
            try:
                token = bearer(request.headers) if bearer_only else str(request.path_params["token"])
                self.guard.check(request.headers, token=token)
                self.last = time.monotonic()
                return await answer(request)
            except Refused as refused:
                return refusal(refused)

        return checked

    async def _page(self, _: Request) -> Response:
        return Response(page(), media_type="text/html; charset=utf-8")

    async def _part(self, request: Request) -> Response:
        name = str(request.path_params["part"])
        if name not in PARTS:
            raise Refused(404, "not-found", "there is nothing of that name here")
        part = await asyncio.to_thread(part_of, name)
        request.scope["msj.part"] = True
        return part.response(request.headers)

    async def _catalogue(self, _: Request) -> Response:
        return Response(json.dumps(self.catalogue, ensure_ascii=False), media_type="application/json")

    async def _document(self, request: Request) -> Response:
        asked = await read_json(request, self.limits)
        return await self._only(request, "document", asked, self.limits.document)

    async def _answer(self, request: Request) -> Response:
        asked = await read_json(request, self.limits)
        if asked.get("stream") is True:
            lines = self._lines(asked)
            return StreamingResponse(lines, media_type="application/x-ndjson")
        return await self._only(request, "answer", asked, self.limits.answer)

    async def _only(self, request: Request, task: str, asked: dict[str, Any], seconds: float) -> Response:
        """Return the last result; a client that has left has no use for it, so the computation ends."""
        found = asyncio.ensure_future(self._last(task, asked, seconds))
        left = asyncio.ensure_future(_until_gone(request))
        try:
            await asyncio.wait({found, left}, return_when=asyncio.FIRST_COMPLETED)
            if not found.done():
                raise Refused(499, "gone", "nobody waits for the answer")
            return found.result()
        finally:
            for task_ in (found, left):
                task_.cancel()
                with suppress(asyncio.CancelledError, Refused):
                    await task_

    async def _last(self, task: str, asked: dict[str, Any], seconds: float) -> Response:
        """Return the last result; if a later part failed, the failure's status with the result inside."""
        result: bytes | None = None
        messages = self.pool.ask(task, asked, seconds)
        try:
            async with _closing(messages):
                async for message in messages:
                    if message.kind == "result":
                        result = message.payload
                    elif message.kind == "error":
                        said = json.loads(message.payload)
                        raise Refused(message.status, said["failure"], said["error"])
            if result is None:
                raise out_of_time(seconds)
        except Refused as refused:
            return Response(
                Refused(refused.status, refused.failure, refused.sentence, result).to_json(),
                refused.status,
                media_type="application/json",
            )
        return Response(result, media_type="application/json")

    async def _lines(self, asked: dict[str, Any]) -> AsyncIterator[bytes]:
        """Give one line per message: {"progress": ...}, {"result": ...}, {"error": ..., "failure": ...}."""
        messages = self.pool.ask("answer", asked, self.limits.answer)
        try:
            async with _closing(messages):
                async for message in messages:
                    if message.kind == "error":
                        yield message.payload + b"\n"
                    elif message.kind != "done":
                        yield b'{"%s": %s}\n' % (message.kind.encode(), message.payload)
        except Refused as refused:
            yield refused.to_json() + b"\n"


class _Whole:
    """Around everything: our headers on every answer, an end to every request, and no traceback for anybody."""

    def __init__(self, app: ASGIApp, explore: Explore) -> None:
        self.app, self.explore = app, explore

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await receive()
            return await send({"type": "websocket.close", "code": 1008})
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        begun = False

        async def send_safely(message: Any) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                kept = [pair for pair in message.get("headers", ()) if pair[0].lower() not in _NAMES]
                ours = _RAW_OF_PARTS if scope.get("msj.part") else _RAW
                message = {**message, "headers": [*kept, *ours]}
            await send(message)

        longest = max(self.explore.limits.document, self.explore.limits.answer) + self.explore.limits.upload
        try:
            async with asyncio.timeout(longest):  # a client that does not read holds nothing for ever
                await self._routed(scope, receive, send_safely)
        except Exception as error:
            if not begun:
                await refusal(defect(type(error).__name__))(scope, receive, send_safely)

    async def _routed(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse what is not addressed to us before any route is looked for, so that nothing tells what exists."""
        try:
            request = Request(scope)
            path = scope["path"]
            first = path.split("/")[1] if path.startswith("/") else ""
            token = bearer(request.headers) if first == "api" else first
            self.explore.guard.check(request.headers, token=token)
        except Refused as refused:
            await refusal(refused)(scope, receive, send)
        else:
            await self.app(scope, receive, send)


_RAW = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
_RAW_OF_PARTS = [(name.encode(), value.encode()) for name, value in {**HEADERS, "cache-control": CACHED}.items()]
_NAMES = {name for name, _ in _RAW}


def refusal(refused: Refused) -> Response:
    """Return a refusal as an answer; the connection ends, so that a body nobody reads is not waited for."""
    return Response(refused.to_json(), refused.status, media_type="application/json", headers={"connection": "close"})


@asynccontextmanager
async def _closing(messages: AsyncIterator[Message]) -> AsyncIterator[None]:
    """End a generator whatever happens, now and not when it is collected: it holds a worker."""
    try:
        yield
    finally:
        await messages.aclose()  # type: ignore[attr-defined]


async def _until_gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
