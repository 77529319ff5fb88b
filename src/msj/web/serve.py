"""The server of one page: it starts on a free port and ends with Ctrl-C, or after an idle time."""

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
from msj.web.connections import connection_class
from msj.web.guard import Guard, host_and_port
from msj.web.limits import Limits
from msj.web.pool import Pool
from msj.web.recorded import Recording

BACKLOG = 256  # connections that wait to be accepted


class Server(uvicorn.Server):
    """The server of one page. Its socket listens from the beginning, so that the address can be used at once.

    Parameters
    ----------
    system, presets, own_policies, log
        The cluster it opens with, others to choose from, policy functions (``FILE.py:FUNCTION``), and a log.
    host, port
        Address to listen at; port 0 is a free one.
    allowed_hosts
        Further ``HOST:PORT`` that requests may be addressed to: the near ends of tunnels and forwarded ports.
    idle
        Seconds without a request after which it ends; None: never.
    limits
        Limits on time, memory and sizes.
    """

    def __init__(
        self,
        system: System,
        *,
        presets: Mapping[str, System] | None = None,
        own_policies: Sequence[str] = (),
        log: Recording | None = None,
        host: str = "127.0.0.1",
        port: int = 0,
        allowed_hosts: Sequence[str] = (),
        idle: float | None = None,
        limits: Limits | None = None,
    ) -> None:
        limits = Limits() if limits is None else limits
        allowed = tuple(host_and_port(each) for each in allowed_hosts)
        self.socket = bound(host, port)
        self.idle_limit = idle
        self.explore = Explore(
            guard=Guard(host=host, port=self.socket.getsockname()[1], allowed=allowed),
            pool=Pool(limits, own_policies, "" if log is None else log.to_json()),
            limits=limits,
            catalogue=catalogue_of(system, presets or {}, own_policies, log),
        )
        super().__init__(
            uvicorn.Config(
                self.explore.app(),
                http=connection_class(limits),
                ws="none",
                lifespan="on",
                loop="asyncio",
                log_level="critical",
                access_log=False,
                server_header=False,
                date_header=False,
                proxy_headers=False,
                timeout_keep_alive=limits.idle_connection,  # type: ignore[arg-type]  # any number of seconds will do
                timeout_graceful_shutdown=2,
                h11_max_incomplete_event_size=16_384,
            )
        )

    @property
    def address(self) -> str:
        """What to open in a browser."""
        return self.explore.guard.address

    @property
    def token(self) -> str:
        """The token of this run."""
        return self.explore.guard.token

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
            found.listen(BACKLOG)
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
        "log": None
        if log is None
        else {**log.in_the_catalogue(), "policies": usual_names(log.as_system(), own_policies)},
    }


def usual_names(system: System, own_policies: Sequence[str]) -> list[str]:
    """Return the names of the policies that a log is replayed under: the user's own and the usual ones that apply."""
    from msj.reports.policies import USUAL

    names = [*own_policies, *(name for name in USUAL if name in POLICIES.names() and _plain(name))]
    chosen: dict[str, Any] = {name: system.replace(policy=name).policy for name in names}
    return [name for name, policy in chosen.items() if policy.supports(system) is None]


def _plain(name: str) -> bool:
    """Return whether a policy can be chosen by its name alone: its options all have a usual value."""
    make: Callable[[dict[str, Any]], Any] = POLICIES.get(name).from_options
    try:
        make({})
    except InvalidInput:
        return False
    return True
