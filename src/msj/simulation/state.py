"""The state of a simulation as bytes, for a file or another process.

A user's own policy is left out: its function may be unknown elsewhere, or another one by the same name. Whoever reads
the state puts the policy in its place, and sees to it that it is the same.
"""

from __future__ import annotations

import io
import pickle
from typing import Any

from msj.disciplines.own_function import OwnFunction
from msj.errors import InvalidInput

POLICY = "the policy"


class _Writer(pickle.Pickler):
    policy: OwnFunction | None = None

    def persistent_id(self, value: Any) -> str | None:
        if not isinstance(value, OwnFunction):
            return None
        self.policy = value
        return POLICY


class _Reader(pickle.Unpickler):
    policy: Any = None

    def persistent_load(self, name: str) -> Any:
        if name != POLICY or self.policy is None:
            raise pickle.UnpicklingError(f"nothing stands for {name}")
        return self.policy


def dump_state(value: Any) -> tuple[bytes, OwnFunction | None]:
    """Return a value as bytes without the user's own policy in it, and that policy if there is one."""
    file = io.BytesIO()
    writer = _Writer(file, protocol=pickle.HIGHEST_PROTOCOL)
    writer.dump(value)
    return file.getvalue(), writer.policy


def load_state(content: bytes, policy: Any) -> Any:
    """Return the value again, with ``policy`` where one was left out."""
    reader = _Reader(io.BytesIO(content))
    reader.policy = policy
    return reader.load()


def send_policy(policy: OwnFunction | None) -> bytes | None:
    """Return a user's own policy as bytes for another process; say in words why it cannot go there."""
    if policy is None:
        return None
    try:
        return pickle.dumps(policy)
    except InvalidInput:
        raise
    except Exception as error:  # whatever pickle has against a function made inside another one
        raise _stays_here(policy.name, error) from None


def receive_policy(content: bytes | None) -> OwnFunction | None:
    """Return the policy in another process, the same one or none."""
    if content is None:
        return None
    try:
        policy: OwnFunction = pickle.loads(content)
    except (AttributeError, ImportError) as error:
        raise _stays_here("", error) from None
    return policy


def _stays_here(name: str, error: Exception) -> InvalidInput:
    called = f" '{name}'" if name else ""
    return InvalidInput(
        f"the policy function{called} cannot go to another process ({error}); put it in a file and give "
        "FILE.py:FUNCTION, or use processes = 1"
    )
