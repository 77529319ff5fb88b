"""One question of a sweep, and its id: a hash of all that the answer depends on but the effort.

The id is made of the canonical system (``System.identity``: every field, durations, policy and model with their
options; of a user's function its source and the values it uses), the policy that serves, the seed, what is asked, and
the code that computes (``store.code``). It is the same on every machine and under every version of Python.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from msj.errors import InvalidInput
from msj.model import System
from msj.registry import files_behind
from msj.results.coordinates import Place
from msj.simulation import LEVELS
from msj.store import computing_code, digest

FORMAT = 2


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What is asked about every cell.

    Parameters
    ----------
    levels
        Percentiles to give where a cell is simulated.
    simulate
        Simulate even what has an exact answer.
    controls
        Whether exactly solved single servers take noise off simulated means.
    """

    levels: tuple[float, ...] = LEVELS
    simulate: bool = False
    controls: bool = True

    def to_plain(self) -> list[Any]:
        """Return it as part of an id."""
        return [list(self.levels), self.simulate, self.controls]


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One cluster at one load under one policy with one seed.

    Parameters
    ----------
    own
        The cluster with its own policy: a load is a share of the threshold under that.
    policy
        The policy that serves.
    seed
        For what has to be simulated.
    asked
        What is asked.
    at
        Where its rows stand.
    """

    own: System
    policy: Any
    seed: int
    asked: Asked = field(default_factory=Asked)
    at: dict[str, Place] = field(default_factory=dict, hash=False)

    @cached_property
    def served(self) -> System:
        """The cluster under the policy that serves."""
        return self.own if self.policy is self.own.policy else self.own.replace(policy=self.policy)

    @cached_property
    def document(self) -> dict[str, Any]:
        """What describes the cluster under the policy that serves."""
        return self.served.to_spec()

    @cached_property
    def id(self) -> str:
        """What the answer is filed under."""
        own = self.own.identity()
        found = (own, own if self.served is self.own else self.served.identity())
        if None in found:
            reason = self.own.why_no_identity() or self.served.why_no_identity()
            raise InvalidInput(
                f"a sweep files answers under what they depend on: {reason}; put the function in a file with plain "
                "values only"
            )
        # A load is a share of the threshold under the own policy; else only the policy that serves matters.
        parts = found if self.own.load is not None else found[1:]
        own_document = self.document if self.served is self.own else self.own.to_spec()
        files = files_behind({"system": [own_document, self.document]})
        return digest("cell", FORMAT, list(parts), self.seed, self.asked.to_plain(), files, computing_code())
