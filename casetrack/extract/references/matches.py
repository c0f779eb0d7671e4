"""Matches of all finders, and the form of keys.

**Keys.** ``type:parts-joined-by-hyphens``, lower case, from general to special; omitted parts (a
year, a part, a paragraph) are missing at the end. Two keys mean the same thing if they are equal or
if one extends the other after a hyphen: ``standard:iso-9001`` and ``standard:iso-9001-2015``,
``section:8-2`` and ``section:8-2-a``.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING

from casetrack.base.dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable

    from casetrack.extract.spans import ReferenceType

_NOT_IN_SLUG = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class ReferenceMatch:
    """One reference without its relationship; see `casetrack.extract.spans.ReferenceSpan`."""

    start: int
    end: int
    type: ReferenceType
    key: str
    name: str
    confidence: float
    resolved: bool = True


def slug(*parts: str) -> str:
    """Return lower-case letters and digits of *parts*, joined by hyphens."""
    return _NOT_IN_SLUG.sub("-", " ".join(parts).casefold()).strip("-")


def one_line(text: str) -> str:
    """Return *text* with every run of white space as one space."""
    return " ".join(text.split())


def without_overlaps(groups: Iterable[Iterable[ReferenceMatch]]) -> list[ReferenceMatch]:
    """Return the matches without overlap: important groups first, within a group the longer one."""
    starts: list[int] = []
    kept: list[ReferenceMatch] = []
    for group in groups:
        for match in sorted(group, key=lambda f: (f.start - f.end, f.start)):
            at = bisect_left(starts, match.start)
            clear_left = at == 0 or kept[at - 1].end <= match.start
            if clear_left and (at == len(kept) or match.end <= kept[at].start):
                starts.insert(at, match.start)
                kept.insert(at, match)
    return kept
