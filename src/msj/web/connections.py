"""A connection that sends the head of its request too slowly is closed: uvicorn waits for one for ever."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol


def patient_for(seconds: float) -> type[H11Protocol]:
    """Return the protocol of connections that have so long to say what they want."""

    class Connection(H11Protocol):
        """HTTP/1.1 with an end to patience."""

        _patience: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._wait()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._wait()

        def on_response_complete(self) -> None:
            super().on_response_complete()
            self._wait()

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            self._no_longer()

        def _wait(self) -> None:
            """Count from the moment a request is awaited; once it is here, its own limits hold."""
            if self.cycle is not None and not self.cycle.response_complete:
                self._no_longer()
            elif self._patience is None:
                self._patience = self.loop.call_later(seconds, self._give_up)

        def _no_longer(self) -> None:
            if self._patience is not None:
                self._patience.cancel()
                self._patience = None

        def _give_up(self) -> None:
            self._patience = None
            if not self.transport.is_closing():
                self.transport.close()

    return Connection
