"""A worker process: questions in, answers out, line by line.

In: ``{"id": 7, "task": "answer", "seconds": 30, "request": {...}}``, and ``{"cancel": 7}`` at any time. Out:
``7 KIND STATUS PAYLOAD``. KIND is ``progress``, ``result``, ``memory`` (bytes in use), ``error`` or ``done``; one of
the last two ends each answer. PAYLOAD is the JSON that goes to the client: the server passes it on unread. The first
line is ``0 done 200 {}`` when the worker is ready, or ``0 failed 500 REASON``.

A process and not a thread: the solution of a chain can be stopped from outside, and a computation that takes all
memory ends only this process. When the server ends, the input ends and so does the process.
"""

from __future__ import annotations

import json
import math
import os
import queue
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TextIO

from msj.effort import Effort, Progress
from msj.errors import Failure, MsjError, OutOfTime
from msj.web.errors import Refused, defect, out_of_time
from msj.web.memory import limit_memory, memory_in_use

if TYPE_CHECKING:
    from msj.web.recorded import Recording

STATUS = {Failure.OUT_OF_TIME: 504}
SELDOM = 0.2  # seconds between two words on how far it is
READY = "0 done 200 {}"


class Worker:
    """Answers questions one after the other; a second thread listens for those that are called off."""

    def __init__(
        self,
        incoming: TextIO,
        outgoing: TextIO,
        own_policies: Sequence[str] = (),
        log: Recording | None = None,
        memory: float = math.inf,
    ) -> None:
        self.incoming, self.outgoing = incoming, outgoing
        self.own_policies, self.log = tuple(own_policies), log
        self.memory = memory  # bytes it may use
        self.asked: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self.cancelled = 0  # the last question that was called off; they are numbered in order

    def run(self) -> None:
        """Answer until the input ends."""
        threading.Thread(target=self._listen, daemon=True).start()
        print(READY, file=self.outgoing, flush=True)
        while True:
            self._answer(self.asked.get())

    def _listen(self) -> None:
        for line in self.incoming:
            message = json.loads(line)
            if "cancel" in message:
                self.cancelled = max(self.cancelled, message["cancel"])
            else:
                self.asked.put(message)
        os._exit(0)  # whoever asked is gone: nobody waits for what is under way

    def _answer(self, message: dict[str, Any]) -> None:
        number = message["id"]

        def say(kind: str, payload: str, status: int = 200) -> None:
            print(f"{number} {kind} {status} {payload}", file=self.outgoing, flush=True)

        try:
            complete = 0
            for complete, payload in enumerate(self._payloads(message, say), 1):  # noqa: B007
                say("result", payload)
            if not complete:
                raise OutOfTime("no part of the answer was complete in time; ask about a smaller system, or use msj")
            refused = None
        except Exception as error:
            refused = _refusal(error)
        except KeyboardInterrupt:
            called_off = self.cancelled >= number
            refused = Refused(499, "interrupted", "called off") if called_off else out_of_time(message["seconds"])
        say("memory", str(memory_in_use()))
        if refused is None:
            say("done", "{}")
        else:
            say("error", refused.to_json().decode(), refused.status)

    def _payloads(self, message: dict[str, Any], say: Callable[..., None]) -> Iterator[str]:
        from msj.web.documents import document
        from msj.web.questions import answers_to
        from msj.web.specs import system_from

        number, request = message["id"], message["request"]
        effort = Effort.lasting(message["seconds"], cancel=lambda: self.cancelled >= number)
        effort = effort.replace(bytes=min(effort.bytes, 0.7 * self.memory))

        told = [0.0]

        def watch(now: Progress) -> None:
            if effort.over:  # as Ctrl-C does it: whoever works leaves what there is in order
                raise KeyboardInterrupt
            if not now.notice and time.monotonic() < told[0] + SELDOM:
                return
            told[0] = time.monotonic()
            say("progress", json.dumps({"done": round(now.done, 4), "words": now.words[:300]}))

        effort = effort.replace(progress=watch)
        system = system_from(request, self.own_policies)
        if message["task"] == "document":
            yield json.dumps(document(system, request.get("form"), effort), ensure_ascii=False)
            return
        name, options = request.get("question"), request.get("options")
        for result in answers_to(name, system, options, effort, own_policies=self.own_policies, log=self.log):
            yield json.dumps(result.to_dict(), ensure_ascii=False, allow_nan=False)


def _refusal(error: Exception) -> Refused:
    """Return what is said about an error: our own sentence for what users cause, no details about defects."""
    if isinstance(error, MsjError):
        return Refused(STATUS.get(error.failure, 400), error.failure.label, str(error)[:2000])
    if isinstance(error, (MemoryError, RecursionError)):
        return Refused(400, "too-large", "that is too large to compute here; ask about a smaller system")
    traceback.print_exception(error, file=sys.stderr)
    return defect(type(error).__name__)


def warm_up() -> None:
    """Solve a small system once, so that the first question does not wait for what has to be loaded."""
    from msj import answers
    from msj.model.spec_file import from_document
    from msj.web import documents, questions  # noqa: F401

    job = {"name": "all", "need": 1, "share": 1, "duration": {"law": "exponential", "mean": 1}}
    answers.analyse(from_document({"servers": 2, "load": 0.5, "classes": [job]}))


def main(settings: str) -> None:
    """Answer on standard output; anything else that is printed goes to the terminal.

    ``settings`` is JSON: ``log`` (see :class:`Recording`, or empty), ``policies`` and ``memory`` in bytes.
    """
    from msj.web.recorded import Recording

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server; the worker ends with it
    outgoing = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    incoming = os.fdopen(os.dup(0), "r", encoding="utf-8")
    given = json.loads(settings)
    try:
        log = Recording.from_json(given["log"]) if given["log"] else None
        limit_memory(given["memory"])
        warm_up()
    except Exception as error:
        print("0 failed 500", type(error).__name__, *str(error).split(), file=outgoing, flush=True)
        raise
    Worker(incoming, outgoing, given["policies"], log, given["memory"]).run()
