"""Who may ask: whoever knows the token, at an address that is ours, from a page that is ours.

A web page anywhere may send requests to 127.0.0.1, and a name that an attacker controls may be made to point there (DNS
rebinding). So every request must name a host that this server is (``Host``), come from no other page (``Origin``), and
carry the token made at this start. It stands in the path of the page and in a header of the API, never in a cookie: a
browser adds cookies to requests that a foreign page makes it send, and shows them to servers on other ports.
"""

from __future__ import annotations

import hmac
import ipaddress
import secrets
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from msj.errors import InvalidInput
from msj.web.errors import Refused

#: Sent with every answer. Styles inside the page are plotly's; scripts come from this server only.
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


def new_token() -> str:
    """Return a token nobody can guess."""
    return secrets.token_urlsafe(32)


@dataclass(frozen=True, kw_only=True)
class Guard:
    """The checks of one server: where it listens, and its token."""

    host: str = "127.0.0.1"
    port: int
    allowed: tuple[tuple[str, int], ...] = ()  # further hosts and ports: the near ends of tunnels
    token: str = field(default_factory=new_token, repr=False)

    @property
    def address(self) -> str:
        """What to open in a browser."""
        shown = "127.0.0.1" if self.host in ("0.0.0.0", "") else "::1" if self.host == "::" else self.host
        return f"http://{f'[{shown}]' if ':' in shown else shown}:{self.port}/{self.token}/"

    def check(self, headers: Mapping[str, str], *, token: str) -> None:
        """Refuse a request that is not addressed to us, comes from another page, or does not know the token."""
        if not self.is_ours(headers.get("host", "")):
            raise Refused(421, "wrong-host", "this server does not answer for that host; open the address msj printed")
        origin = headers.get("origin")
        if origin is not None and not self._is_our_page(origin):
            raise Refused(403, "wrong-origin", "another page may not ask this server; open the address msj printed")
        if not hmac.compare_digest(token.encode("utf-8", "replace"), self.token.encode()):
            raise Refused(401, "wrong-token", "the token is missing or wrong; open the address msj printed")

    def is_ours(self, host: str) -> bool:
        """Return whether ``Host`` names this server.

        Where it listens everywhere, any address in numbers will do: names can be made to point here, numbers cannot.

        Examples
        --------
        >>> guard = Guard(port=8000)
        >>> guard.is_ours("127.0.0.1:8000"), guard.is_ours("localhost:8000"), guard.is_ours("evil.example:8000")
        (True, True, False)
        """
        try:
            parts = urlsplit(f"//{host}")
            name, port = parts.hostname or "", parts.port or 80
        except ValueError:
            return False
        if parts.username is not None or parts.path or parts.query or parts.fragment or "@" in host:
            return False
        if (name, port) in self.allowed or (parts.port is None and (name, 443) in self.allowed):
            return True
        if port != self.port:
            return False
        if name in ("127.0.0.1", "localhost", "::1", self.host.lower()):
            return True
        if self.host not in ("0.0.0.0", "::", ""):
            return False
        return _is_number(name) or name == socket.gethostname().lower()

    def _is_our_page(self, origin: str) -> bool:
        scheme, _, host = origin.partition("://")
        if scheme == "https":  # a tunnel may add TLS; this server does not
            return any(host in (f"{name}:{port}", name if port == 443 else "") for name, port in self.allowed)
        return scheme == "http" and self.is_ours(host)


def host_and_port(text: str) -> tuple[str, int]:
    """Return the host and the port of ``HOST:PORT``.

    Examples
    --------
    >>> host_and_port("localhost:9000"), host_and_port("[::1]:9000")
    (('localhost', 9000), ('::1', 9000))
    """
    rule = f"'{text[:80]}' is not HOST:PORT; give the host and port that the browser shows, such as localhost:9000"
    try:
        parts = urlsplit(f"//{text}")
        name, port = parts.hostname, parts.port
    except ValueError:
        raise InvalidInput(rule) from None
    if not name or not port or parts.username is not None or parts.path or parts.query or parts.fragment or "*" in name:
        raise InvalidInput(rule)
    return name, port


def bearer(headers: Mapping[str, str]) -> str:
    """Return the token of an API request: ``Authorization: Bearer TOKEN``."""
    kind, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


def _is_number(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
