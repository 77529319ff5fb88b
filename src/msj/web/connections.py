"""Connections with limits: on the time for the head of a request, on idle time, and on their number.

uvicorn waits for the head of a request for ever, and refuses everybody once enough connections are open. Here the time
for a head counts from a new connection, or from the first byte of a further request: a kept-alive connection may be
idle between two requests for much longer, since a client that reuses it just when it is closed would be hung up on.
When there are too many connections, the one that has been idle longest is closed in favour of the new one.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from msj.web.limits import Limits

BUSY = b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


def connection_class(limits: Limits) -> type[H11Protocol]:
    """Return the protocol class of one server's connections."""
    idle: dict[Connection, None] = {}  # in the order in which they became idle
    count = 0

    class Connection(H11Protocol):
        """HTTP/1.1 with limits."""

        _deadline: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            nonlocal count
            super().connection_made(transport)
            count += 1
            if count > limits.connections:
                self._make_room()
            idle[self] = None
            self._start_deadline()

        def data_received(self, data: bytes) -> None:
            if self._waits_for_a_request and self._deadline is None:
                self._start_deadline()  # the first byte of a further request
            super().data_received(data)
            if not self._waits_for_a_request:
                self._stop_deadline()  # the request has limits of its own
                idle.pop(self, None)

        def on_response_complete(self) -> None:
            super().on_response_complete()
            if self._waits_for_a_request and not self.transport.is_closing():
                idle[self] = None
                if self.conn.trailing_data[0]:
                    self._start_deadline()  # part of a further request came with the last one

        def connection_lost(self, exc: Exception | None) -> None:
            nonlocal count
            count -= 1
            super().connection_lost(exc)
            self._stop_deadline()
            idle.pop(self, None)

        @property
        def _waits_for_a_request(self) -> bool:
            return self.cycle is None or self.cycle.response_complete

        def _make_room(self) -> None:
            """Close the connection that has been idle longest; if all are busy, refuse this one."""
            found = next(iter(idle), None)
            if found is None:
                self.transport.write(BUSY)
                self._close()
            else:
                del idle[found]
                found._close()

        def _start_deadline(self) -> None:
            self._deadline = self.loop.call_later(limits.headers, self._close)

        def _stop_deadline(self) -> None:
            if self._deadline is not None:
                self._deadline.cancel()
                self._deadline = None

        def _close(self) -> None:
            self._deadline = None
            if not self.transport.is_closing():
                self.transport.close()

    return Connection
