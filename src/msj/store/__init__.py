"""What an answer depends on, as one short text; files that are whole or not there at all.

``digest`` and the identities say what an answer depends on, ``files`` writes.
"""

from msj.store.code import code_identity, computing_code, file_digests, known_packages, worker_identity
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
    "computing_code",
    "digest",
    "file_digests",
    "function_identity",
    "function_parts",
    "known_packages",
    "lock",
    "not_written",
    "why_no_identity",
    "worker_identity",
    "write_atomically",
    "write_bytes",
    "write_text",
]
