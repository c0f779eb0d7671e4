"""Clauses that several contracts share in nearly the same words."""

from __future__ import annotations

import re
from pathlib import Path
from string import Template

_SOURCE = Path(__file__).parent.parent / "text" / "boilerplate.txt"
_INCLUDE = re.compile(r"@include (\w+) (.+)")


def with_clauses(text: str) -> str:
    """Put shared clauses in the place of ``@include name n=12; word=…`` lines."""
    parts = re.split(r"=== (\w+)\n", _SOURCE.read_text(encoding="utf-8"))[1:]
    known = dict(zip(parts[::2], parts[1::2], strict=True))

    def put(found: re.Match[str]) -> str:
        values = dict(pair.split("=", 1) for pair in found.group(2).split("; "))
        return Template(known[found.group(1)].strip()).substitute(values)

    return _INCLUDE.sub(put, text)
