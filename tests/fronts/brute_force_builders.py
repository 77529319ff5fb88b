"""The plain values that models of parts are told, written shortly."""

from msj import Exponential


def segment(need, law, *after, **resources):
    return {"need": need, "law": law, "after": list(after), "resources": resources}


def kind(*segments, groups=(0,), span=False, at_most=None, preemptible=True, pays=True):
    return {
        "segments": list(segments),
        "groups": list(groups),
        "span": span,
        "at_most": at_most,
        "preemptible": preemptible,
        "pays": pays,
    }


def plain(need, law, **keys):
    return kind(segment(need, law), **keys)


def parts(servers, *classes, capacity=None, environment=(), set_up=None, overhead=None, rule=None):
    """``servers``: a number, or a list of groups (servers, speed, resources)."""
    return {
        "groups": [(servers, 1.0, {})] if isinstance(servers, int) else servers,
        "capacity": capacity or {},
        "classes": list(classes),
        "environment": list(environment),
        "set_up": set_up,
        "overhead": overhead,
        "rule": rule,
    }


def set_up(law, *, staggered=False, delay=None):
    return {"law": law, "staggered": staggered, "delay": delay}


def overhead(snapshot=None, transfer=None):
    return {"snapshot": snapshot, "transfer": transfer}


def one_by_one(servers, rate, repair, *, group=0, groups=1, repairers=None):
    """Breakdowns of the servers of one group, each at the rate; exponential repair at rate ``repair`` each."""
    sojourn, jump, taken = [], [], []
    for broken in range(servers + 1):
        down, up = (servers - broken) * rate, min(broken, repairers or servers) * repair
        sojourn.append(Exponential(mean=1 / (down + up)))
        to = [0.0] * (servers + 1)
        if broken < servers:
            to[broken + 1] = down / (down + up)
        if broken:
            to[broken - 1] = up / (down + up)
        jump.append(to)
        taken.append([broken if g == group else 0 for g in range(groups)])
    return {"sojourn": sojourn, "jump": jump, "taken": taken, "speed": [1.0] * (servers + 1), "hits": "any"}


def windows(between, lasts, taken, hits="idle first", speed=1.0):
    """All is well for ``between``, then ``taken`` (by group) servers are gone for ``lasts``."""
    return {
        "sojourn": [between, lasts],
        "jump": [[0.0, 1.0], [1.0, 0.0]],
        "taken": [[0] * len(taken), list(taken)],
        "speed": [1.0, speed],
        "hits": hits,
    }


def modulated(generator, *, speed, taken=None, groups=1):
    rates = [-row[i] for i, row in enumerate(generator)]
    return {
        "sojourn": [Exponential(mean=1 / rate) for rate in rates],
        "jump": [[max(0, value) / rates[i] for value in row] for i, row in enumerate(generator)],
        "taken": taken or [[0] * groups for _ in generator],
        "speed": speed,
        "hits": "idle first",
    }


def higher_priority(rate, service, taken):
    """Higher-priority jobs; ``taken`` says, for each number of them, the servers by group."""
    most = len(taken) - 1
    sojourn, jump = [], []
    for n in range(most + 1):
        up, down = rate * (n < most), n * service
        sojourn.append(Exponential(mean=1 / (up + down)))
        jump.append([{n + 1: up, n - 1: down}.get(to, 0.0) / (up + down) for to in range(most + 1)])
    return {"sojourn": sojourn, "jump": jump, "taken": taken, "speed": [1.0] * (most + 1), "hits": "idle first"}
