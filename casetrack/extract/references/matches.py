"""What the finders of one kind hand to the one that puts them together, and how keys are made.

**Keys.** ``type:parts-joined-by-hyphens``, small letters, from the general to the special: what a
text leaves out (a year, a part, a paragraph) is missing at the end. So two keys speak of the same
thing where they are equal or where one goes on after the other with a hyphen:
``standard:iso-9001`` and ``standard:iso-9001-2015``, ``section:8-2`` and ``section:8-2-a``
(:func:`keys_relate`).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from casetrack.extract.spans import ReferenceType

_NOT_IN_SLUG = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class ReferenceMatch:
    """One reference at ``text[start:end]``, before its relationship is known.

    Attributes
    ----------
    start, end
        Code points into the text, half-open.
    type, key, name, confidence, resolved
        As in :class:`casetrack.extract.spans.ReferenceSpan`.
    """

    start: int
    end: int
    type: ReferenceType
    key: str
    name: str
    confidence: float
    resolved: bool = True


def slug(*parts: str) -> str:
    """Small letters and digits of *parts*, joined by hyphens."""
    return _NOT_IN_SLUG.sub("-", " ".join(parts).casefold()).strip("-")


def one_line(text: str) -> str:
    """*text* with every run of white space as one space."""
    return " ".join(text.split())


def keys_relate(one: str, other: str, /) -> bool:
    """Whether one key is the other, or the other with more said (a year, a part, a paragraph)."""
    short, long = sorted((one, other), key=len)
    return long == short or long.startswith(short + "-")


def without_overlaps(groups: Iterable[Iterable[ReferenceMatch]]) -> list[ReferenceMatch]:
    """Of *groups*, the important first, what does not overlap with something more important.

    Within a group the longer one wins.
    """
    starts: list[int] = []
    kept: list[ReferenceMatch] = []
    for group in groups:
        for found in sorted(group, key=lambda f: (f.start - f.end, f.start)):
            at = bisect_left(starts, found.start)
            clear_left = at == 0 or kept[at - 1].end <= found.start
            if clear_left and (at == len(kept) or found.end <= kept[at].start):
                starts.insert(at, found.start)
                kept.insert(at, found)
    return kept
