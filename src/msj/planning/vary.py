"""What a plan varies."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum

from msj.errors import InvalidInput
from msj.registry import nearest


class Along(Enum):
    """What may be varied. Value: its name."""

    SERVERS = "servers"
    LOAD = "load"
    CAP = "cap"
    POLICY = "policy"
    SHARE = "share"
    PARTITION = "partition"


@dataclass(frozen=True, kw_only=True)
class Vary:
    """What is varied; ``job_class`` is that of a share."""

    along: Along
    job_class: str | None = None


def read_vary(text: str, classes: Collection[str]) -> Vary:
    """Read what is to be varied.

    Examples
    --------
    >>> read_vary("share:large", ["small", "large"]).job_class
    'large'
    """
    if "=" in text:
        raise InvalidInput(
            f"vary = '{text}' gives values, and a plan finds the value itself; write vary = '{text.partition('=')[0]}'"
        )
    word, _, name = text.partition(":")
    known = {each.value: each for each in Along}
    if word not in known:
        raise InvalidInput(f"vary = '{text}' cannot be planned; {nearest(word, list(known))}")
    if known[word] is not Along.SHARE:
        if name:
            raise InvalidInput(f"vary = '{text}': only a share is one of a class; write vary = '{word}'")
        return Vary(along=known[word])
    if name not in classes:
        if not classes:
            raise InvalidInput(
                f"vary = '{text}': a log has no classes, so no share can be varied; vary servers or load"
            )
        raise InvalidInput(f"vary = '{text}' names no class; write share:CLASS: {nearest(name, sorted(classes))}")
    return Vary(along=Along.SHARE, job_class=name)
