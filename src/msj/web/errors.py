"""What a request can be refused with: a status, a name for programs and a sentence for people. Never a traceback."""

from __future__ import annotations

import json


class Refused(Exception):
    """A request that gets a sentence instead of an answer."""

    def __init__(self, status: int, failure: str, sentence: str) -> None:
        super().__init__(sentence)
        self.status, self.failure, self.sentence = status, failure, sentence

    def to_json(self) -> bytes:
        """Return it as the body of an answer."""
        return json.dumps({"error": self.sentence, "failure": self.failure}, ensure_ascii=False).encode(
            "utf-8", "replace"
        )


def busy() -> Refused:
    """Return what those are told who come when too many wait."""
    return Refused(503, "busy", "too many questions are waiting; ask again in a moment")


def out_of_time(seconds: float) -> Refused:
    """Return what is said when an answer takes too long."""
    return Refused(504, "out-of-time", f"no answer within {seconds:g} seconds; ask about a smaller system, or use msj")


def defect(kind: str) -> Refused:
    """Return what is said about an error of ours; details go to the terminal of the server, not to the page."""
    return Refused(500, "defect", f"this is a defect of msj, please report it: {kind}; the terminal shows more")
