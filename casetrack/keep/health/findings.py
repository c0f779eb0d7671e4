"""What a check has found, and how it is said."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.base.records import Check

if TYPE_CHECKING:
    from collections.abc import Sequence

_NAMED = 3


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is wrong, in words, and the document that it is wrong with, if it is one."""

    text: str
    document_id: str | None = None


def verdict(name: str, problems: Sequence[Problem | str], good: str, remedy: str, /) -> Check:
    """Return the check *name*: well, as *good* says, or what is wrong and what to do about it."""
    if not problems:
        return Check(name, ok=True, detail=good)
    texts = [p if isinstance(p, str) else p.text for p in problems]
    shown = "; ".join(texts[:_NAMED])
    more = f"; and {len(texts) - _NAMED} more" if len(texts) > _NAMED else ""
    return Check(name, ok=False, detail=shown + more, remedy=remedy)
