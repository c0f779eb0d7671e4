"""Small JSON files that contain a digest of themselves.

They only record a state and may be lost at any time, but a flipped bit must not be believed:
readers ignore a file whose digest differs.
"""

from __future__ import annotations

import json
from typing import Any

DIGEST = "digest"


def sealed(facts: dict[str, Any], /, *, indent: int | None = None) -> bytes:
    """Return *facts* as ASCII JSON with their digest."""
    text = json.dumps({**facts, DIGEST: _digest(facts)}, indent=indent)
    return f"{text}\n".encode("ascii")


def unsealed(data: bytes, /) -> dict[str, Any]:
    """Return the facts given to :func:`sealed`."""
    try:
        facts = json.loads(data)
    except RecursionError as error:
        raise ValueError("brackets without end") from error
    if not isinstance(facts, dict) or facts.pop(DIGEST, None) != _digest(facts):
        raise ValueError("its digest does not match")
    return facts


def _digest(facts: dict[str, Any]) -> str:
    # Imported with the first file: `casetrack --help` needs none.
    import xxhash

    return str(xxhash.xxh3_64(json.dumps(facts, sort_keys=True).encode()).hexdigest())
