"""Start the server on a free port, and end it: with Ctrl-C, or when nobody has asked for long enough."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import uvicorn

from msj.errors import InvalidInput
from msj.model import System
from msj.registry import POLICIES
from msj.web.app import Explore
from msj.web.connections import patient_for
from msj.web.guard import Guard
from msj.web.limits import Limits
from msj.web.pool import Pool
from msj.web.recorded import Recording


class Server(uvicorn.Server):
    """The server of one page, with a socket that is bound before anybody is told the address."""

    def __init__(
        self,
        system: System,
        *,
        presets: Mapping[str, System] | None = None,
        own_policies: Sequence[str] = (),
        log: Recording | None = None,
        host: str = "127.0.0.1",
        port: int = 0,
        idle: float | None = None,
        limits: Limits | None = None,
    ) -> None:
        limits = Limits() if limits is None else limits
        self.socket = bound(host, port)
        self.idle_limit = idle
        self.explore = Explore(
            guard=Guard(host=host, port=self.socket.getsockname()[1]),
            pool=Pool(limits, own_policies, "" if log is None else log.to_json()),
            limits=limits,
            catalogue=catalogue_of(system, presets or {}, own_policies, log),
        )
        super().__init__(
            uvicorn.Config(
                self.explore.app(),
                http=patient_for(limits.headers),
                ws="none",
                lifespan="on",
                loop="asyncio",
                log_level="critical",
                access_log=False,
                server_header=False,
                date_header=False,
                proxy_headers=False,
                timeout_keep_alive=30,
                timeout_graceful_shutdown=2,
                limit_concurrency=limits.connections,
                h11_max_incomplete_event_size=16_384,
            )
        )

    @property
    def address(self) -> str:
        """What to open in a browser."""
        return self.explore.guard.address

    def serve_until_told(self) -> None:
        """Serve until Ctrl-C, or until nobody has asked for long enough."""
        self.run(sockets=[self.socket])

    async def on_tick(self, counter: int) -> bool:
        """Look at the clock, ten times a second as uvicorn does."""
        if self.idle_limit is not None and self.explore.idle > self.idle_limit:
            self.should_exit = True
        return await super().on_tick(counter)

    @contextmanager
    def in_a_thread(self) -> Iterator[Server]:
        """Serve beside the rest of a program, which the tests are."""
        thread = threading.Thread(target=lambda: asyncio.run(self.serve(sockets=[self.socket])), daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self.should_exit = True
            thread.join(timeout=20)
            self.socket.close()


def bound(host: str, port: int) -> socket.socket:
    """Return a socket that listens at the address; port 0 is any free one."""
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with ExitStack() as unless_bound:
            found = unless_bound.enter_context(socket.socket(family, kind, protocol))
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            found.bind(place)
            unless_bound.pop_all()
    except OSError as error:
        raise InvalidInput(f"'{host}' port {port} cannot be listened at ({error.strerror}); give another") from None
    return found


def catalogue_of(
    system: System, presets: Mapping[str, System], own_policies: Sequence[str], log: Recording | None = None
) -> dict[str, Any]:
    """Return what the page offers: clusters to begin with, and policies with what they do."""
    known = [{"name": name, "summary": policy.summary} for name, policy in POLICIES.items() if _plain(name)]
    own = [{"name": name, "summary": "a function of your own"} for name in own_policies]
    return {
        "start": system.to_spec(),
        "presets": [{"name": name, "spec": preset.to_spec()} for name, preset in presets.items()],
        "policies": [*own, *known],
        "log": None if log is None else log.in_the_catalogue(),
    }


def _plain(name: str) -> bool:
    """Return whether a policy can be chosen by its name alone: its options all have a usual value."""
    make: Callable[[dict[str, Any]], Any] = POLICIES.get(name).from_options
    try:
        make({})
    except InvalidInput:
        return False
    return True
