"""A user's function as plain Python: what the compiler does not take runs all the same, only more slowly.

The loop is the generic one, cut at the decisions: compiled code goes from one event to the next, Python asks the
function, compiled code starts and stops jobs as it wants. So the function may use whatever Python has.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Sequence
from typing import Any

from msj.decision_functions.compiled import AGES, ARRIVALS, CHOSEN, CLASSES, ESTIMATES, NEEDS, REMAINING, RUNNING
from msj.engines.show import come_or_go, obey, show
from msj.errors import BadFunction

PLACE = re.compile(r'File "([^"]*)", line (\d+)')
COLOURS = re.compile(r"\x1b\[[0-9;]*m")  # which the compiler uses where it finds a library for them


def run_plainly(
    rule: Any, options: Any, arriving: Any, estimates: Any, present: Any, shown: Any, finished: Any, rng: Any
) -> int:
    """Handle events up to the last arrival, or all of them; return what stopped it, 0 for nothing."""
    while come_or_go(arriving, estimates, present, finished):
        for _ in range(int(present.state[0]["present"]) + 1):
            count = show(present, options, shown)
            ask_function(rule, options.servers, present, shown, count, rng)
            status, changes = obey(present, options.preemptive, shown, count)
            if status:
                return int(status)
            if options.front < 0 or changes == 0:
                break
    return 0


def why_not_compiled(error: Exception, name: str) -> str:
    """Say that a function runs as plain Python, and which line keeps it from being compiled."""
    lines = COLOURS.sub("", str(error)).splitlines()
    places = [found for line in lines if (found := PLACE.search(line))]
    where = f" line {places[-1][2]}" if places else " it"
    mark = next((i for i, line in enumerate(lines) if line.strip() and set(line.strip()) == {"^"}), 0)
    text = f" ({lines[mark - 1].strip()})" if mark else ""
    return (
        f"Policy function '{name}' runs as plain Python, which is slower: the compiler does not take{where}{text}. "
        "Loops over the arrays are compiled."
    )


def ask_function(rule: Any, servers: int, present: Any, shown: Any, count: int, rng: Any) -> None:
    """Call a rule's function for the jobs that are shown; its answer is in the table."""
    state = present.state[0]
    needs = shown.whole[NEEDS, :count]
    values = {
        "needs": needs,
        "classes": shown.whole[CLASSES, :count],
        "running": shown.flags[RUNNING, :count],
        "chosen": shown.flags[CHOSEN, :count],
        "remaining": shown.reals[REMAINING, :count],
        "estimates": shown.reals[ESTIMATES, :count],
        "ages": shown.reals[AGES, :count],
        "arrivals": shown.reals[ARRIVALS, :count],
        "now": float(state["now"]),
        "servers": servers,
        "free": int(state["idle"]),
        "rng": rng,
    }
    try:
        rule.decide_on(values)
    except Exception as error:
        raise failed(rule.name, error, needs.tolist()) from None


def failed(name: str, error: Exception, needs: Sequence[int] = ()) -> BadFunction:
    """Return the error for a decision function that raised another one in a run."""
    steps = traceback.extract_tb(error.__traceback__)
    line = f" at line {steps[-1].lineno}" if needs and steps else ""
    jobs = f" for needs {list(needs)[:12]}" if needs else ""
    return BadFunction(f"policy function '{name}' fails with {type(error).__name__} ({error}){line}{jobs}; correct it")
