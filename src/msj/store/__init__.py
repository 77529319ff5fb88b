"""What an answer depends on, as one short text; files that are whole or not there at all.

``digest`` and the identities say what an answer depends on, ``files`` writes.
"""

from msj.store.code import code_identity, file_digests, known_rooms
from msj.store.digest import canonical, digest
from msj.store.files import Locked, lock, not_written, write_atomically, write_bytes, write_text
from msj.store.functions import (
    class_identity,
    compiled_helpers,
    function_identity,
    function_parts,
    why_no_identity,
)
from msj.store.walk import NoIdentity

__all__ = [
    "Locked",
    "NoIdentity",
    "canonical",
    "class_identity",
    "code_identity",
    "compiled_helpers",
    "digest",
    "file_digests",
    "function_identity",
    "function_parts",
    "known_rooms",
    "lock",
    "not_written",
    "why_no_identity",
    "write_atomically",
    "write_bytes",
    "write_text",
]
