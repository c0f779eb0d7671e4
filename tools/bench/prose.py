"""Text of the sample contracts and reports, as sentences in a random order."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

_TEXTS = Path(__file__).parents[2] / "data-samples" / "_make" / "text"
_FILES = ("msa.txt", "expert.txt", "progress.txt", "proposal.txt", "statement.txt")


@functools.cache
def _sentences() -> list[str]:
    text = " ".join((_TEXTS / name).read_text("utf-8") for name in _FILES)
    return re.findall(r"\b[A-Z][^.\n]{30,300}\.(?=\s)", text)


def passage(rng: random.Random, characters: int, /) -> str:
    """Return whole sentences of about *characters* in all."""
    parts: list[str] = []
    length = 0
    while length < characters:
        parts.append(rng.choice(_sentences()))
        length += len(parts[-1]) + 1
    return " ".join(parts)
