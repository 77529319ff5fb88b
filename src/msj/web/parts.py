"""The parts of the page: scripts, the style sheet and plotly, compressed once and kept by the browser.

The address of a part has the token in it, and a part does not change while the server runs. So a browser may keep it
for as long as it likes; a new server has new addresses.
"""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from starlette.responses import Response

CACHED = "private, max-age=86400, immutable"
PLOTLY = "plotly.js"
PARTS = (
    "explore.css", "icon.svg", PLOTLY,
    "main.js", "state.js", "controls.js", "arrivals.js", "invalid.js", "ask.js", "paint.js", "show.js", "draw.js",
    "log.js", "log_paint.js",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Part:
    """A file of the page, plain and compressed."""

    media_type: str
    plain: bytes
    zipped: bytes
    tag: str

    def response(self, headers: Mapping[str, str]) -> Response:
        """Return the answer to a request with these headers: compressed, or 304 if the browser has it already."""
        own = {"etag": self.tag, "vary": "accept-encoding"}
        if self.tag in [tag.strip() for tag in headers.get("if-none-match", "").split(",")]:
            return Response(status_code=304, headers=own)
        codings = headers.get("accept-encoding", "").lower().split(",")
        if "gzip" in [coding.partition(";")[0].strip() for coding in codings]:
            return Response(self.zipped, media_type=self.media_type, headers={**own, "content-encoding": "gzip"})
        return Response(self.plain, media_type=self.media_type, headers=own)


@cache
def part_of(name: str) -> Part:
    """Return the part of that name."""
    plain = _plotly() if name == PLOTLY else _static(name)
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    tag = f'"{hashlib.sha256(plain).hexdigest()[:24]}"'
    return Part(media_type=f"{kind}; charset=utf-8", plain=plain, zipped=gzip.compress(plain, 6, mtime=0), tag=tag)


@cache
def page() -> bytes:
    """Return the page itself."""
    return _static("index.html")


def _static(name: str) -> bytes:
    return files("msj.web").joinpath("static", name).read_bytes()


def _plotly() -> bytes:
    from plotly.offline import get_plotlyjs

    return str(get_plotlyjs()).encode()
