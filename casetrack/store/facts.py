"""Small files of facts that prove what they say: JSON with a digest of itself.

What only notes how things stood may be lost at any time, but must not be believed once a bit of it
has flipped: a reader takes such a file for none.
"""

from __future__ import annotations

import json
from typing import Any

DIGEST = "digest"


def sealed(facts: dict[str, Any], /, *, indent: int | None = None) -> bytes:
    """Return *facts* as JSON, in ASCII, with their digest."""
    text = json.dumps({**facts, DIGEST: _digest(facts)}, indent=indent)
    return f"{text}\n".encode("ascii")


def unsealed(data: bytes, /) -> dict[str, Any]:
    """Return what :func:`sealed` was given.

    Raises
    ------
    ValueError
        It is something else, or not what was written.
    """
    try:
        facts = json.loads(data)
    except RecursionError as error:
        raise ValueError("brackets without end") from error
    if not isinstance(facts, dict) or facts.pop(DIGEST, None) != _digest(facts):
        raise ValueError("not what was written")
    return facts


def _digest(facts: dict[str, Any]) -> str:
    # With the first file: `casetrack --help` needs none.
    import xxhash

    return str(xxhash.xxh3_64(json.dumps(facts, sort_keys=True).encode()).hexdigest())
