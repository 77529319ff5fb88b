"""What ``--json`` printed, checked and read back."""

import json

from msj.results import Result

KEYS = ["system", "outcome", "message", "time_unit", "notes", "quantities", "missing", "provenance"]
ROW = {"name", "value", "kind", "method", "citation", "class", "level", "low", "high", "unit", "at"}


def sentences(out):
    """Return what was printed without its line breaks."""
    return " ".join(out.split())


def result_in(out):
    """Return the result that a command printed; its document must have the keys of every answer."""
    document = json.loads(out)
    assert list(document) == KEYS
    assert all(ROW <= set(row) <= ROW | {"formula"} for row in document["quantities"])
    assert document["provenance"]["question"]["verb"]
    result = Result.from_dict(document)
    assert result.to_dict() == document
    return result
