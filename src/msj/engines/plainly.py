"""A user's function as plain Python: what the compiler does not take runs all the same, only more slowly.

The loop is the generic one, cut at the decisions: compiled code goes from one event to the next, Python asks the
function, compiled code starts and stops jobs as it wants. So the function may use whatever Python has, and may ask for
more than the compiled loop shows, by naming it among its arguments.
"""

from __future__ import annotations

import re
import traceback
from typing import Any

from msj.engines.show import come_or_go, obey, show
from msj.errors import BadFunction

PLACE = re.compile(r'File "([^"]*)", line (\d+)')
COLOURS = re.compile(r"\x1b\[[0-9;]*m")  # which the compiler uses where it finds a library for them


def run_plainly(rule: Any, options: Any, arriving: Any, estimates: Any, present: Any, shown: Any, finished: Any) -> int:
    """Handle events up to the last arrival, or all of them; return what stopped it, 0 for nothing."""
    while come_or_go(arriving, estimates, present, finished):
        for _ in range(int(present.state[0]["present"]) + 1):
            count = show(present, options.front, shown)
            _ask(rule, options.servers, present, shown, count)
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


def asks_for_more(asks: tuple[str, ...], usual: tuple[str, ...], name: str) -> str:
    """Say that a function runs as plain Python because of what it asks for."""
    more = " and ".join(argument for argument in asks if argument not in usual)
    return f"Policy function '{name}' runs as plain Python, which is slower: it asks for {more}."


def _ask(rule: Any, servers: int, present: Any, shown: Any, count: int) -> None:
    rows = present.jobs[shown.slots[:count]]
    values = {
        "needs": shown.needs[:count],
        "running": shown.running[:count],
        "remaining": shown.remaining[:count],
        "servers": servers,
        "chosen": shown.chosen[:count],
        "classes": rows["job_class"],
        "arrivals": rows["arrival"],
        "estimates": rows["estimate"],
        "now": float(present.state[0]["now"]),
    }
    try:
        rule.serve(*(values[name] for name in rule.asks))
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        raise BadFunction(
            f"policy function '{rule.name}' fails with {type(error).__name__} ({error}) at line {place.lineno}, for "
            f"needs {shown.needs[:count].tolist()[:12]}; correct it"
        ) from None
