"""Refusals: a status, a name for programs and a sentence for people. Never a traceback."""

from __future__ import annotations

import json


class Refused(Exception):
    """A request that gets a sentence instead of an answer; ``result`` is the part of the answer that is complete."""

    def __init__(self, status: int, failure: str, sentence: str, result: bytes | None = None) -> None:
        super().__init__(sentence)
        self.status, self.failure, self.sentence, self.result = status, failure, sentence, result

    def to_json(self) -> bytes:
        """Return the body of the answer."""
        words = json.dumps({"error": self.sentence, "failure": self.failure}, ensure_ascii=False).encode(
            "utf-8", "replace"
        )
        return words if self.result is None else words[:-1] + b', "result": ' + self.result + b"}"


def busy() -> Refused:
    """Return the refusal of a request when too many wait."""
    return Refused(503, "busy", "too many questions are waiting; ask again in a moment")


def out_of_time(seconds: float) -> Refused:
    """Return the refusal of an answer that takes too long."""
    return Refused(504, "out-of-time", f"no answer within {seconds:g} seconds; ask about a smaller system, or use msj")


def no_worker(reason: str) -> Refused:
    """Return the refusal while no worker process can be started."""
    return Refused(
        503, "no-worker", f"no worker process starts ({reason}); the terminal shows more, and the server keeps trying"
    )


def worker_lost(reason: str) -> Refused:
    """Return the refusal of a question whose worker ended, twice."""
    return Refused(
        500,
        "worker-lost",
        f"the computation was started twice and ended both times without an answer ({reason}), perhaps for want of "
        "memory; ask about a smaller system",
    )


def defect(kind: str) -> Refused:
    """Return the refusal for an error of ours; details go to the terminal of the server, not to the page."""
    return Refused(500, "defect", f"this is a defect of msj, please report it: {kind}; the terminal shows more")
