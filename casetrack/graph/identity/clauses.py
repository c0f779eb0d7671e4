"""The documents to which cited clauses, schedules and exhibits belong."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING

from casetrack.base.words import WordLists
from casetrack.graph.entities.text import fold
from casetrack.graph.identity.facts import Claim, Description

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from casetrack.graph.identity.facts import Joined
    from casetrack.graph.identity.mentions import Mention
    from casetrack.graph.identity.opening import Opening

_LISTS = WordLists(__file__)
_CLAUSE = _LISTS.pattern("clause")
_ANNEX = _LISTS.pattern("annex")
_OF = _LISTS.pattern("of")
_SELF = _LISTS.pattern("self")
_TERM = re.compile(r"[A-ZÄÖÜ][\w&'’-]*(?:\s(?:[A-ZÄÖÜ][\w&'’-]*|and|of)){0,5}")
_LIST = _LISTS.pattern("list")
_BEFORE = _LISTS.pattern("before")
_MOST = 600
_MOST_PARTS = 600
_FULL = frozenset({"agreement", "restatement"})


def clause_numbers(text: str, /) -> tuple[str, ...]:
    """Return the numbers of a text's own clauses and the labels of its schedules, in order.

    >>> clause_numbers("1. Term" + chr(10) + "1.1 Start" + chr(10) + "SCHEDULE 2")
    ('1', '1.1', 'schedule 2')
    """
    numbers = dict.fromkeys(m["number"] for m in _CLAUSE.finditer(text))
    numbers |= dict.fromkeys(
        f"{m['word'].lower()} {m['label'].lower()}" for m in _ANNEX.finditer(text)
    )
    return tuple(numbers)[:_MOST_PARTS]


def part_of(cited: str, /) -> str:
    """Return the number of a cited part as in :func:`clause_numbers`, without subparagraphs.

    >>> part_of("Section 4.2(a)"), part_of("Schedule 2")
    ('4.2', 'schedule 2')
    """
    annex = re.match(
        r"(?i:(exhibit|schedule|annex|appendix|attachment|anlage))\w*\s+[\"“]?(\w+)", cited
    )
    if annex:
        return f"{annex[1].lower()} {annex[2].lower()}"
    number = re.search(r"\d+(?:\.\d+)*", cited)
    return number[0] if number else ""


def read_clauses(
    joined: Joined, itself: Opening, mentions: Sequence[Mention], own_parts: frozenset[str], /
) -> Iterator[Claim]:
    """Yield a claim for each cited part of another document.

    A part belongs to the document named after it ("clause 4 of the Lease", or a defined term for
    one) or directly before it. If none is named, a document that is no full agreement and lacks
    such a part (*own_parts*) cites its base document: the description is then empty.
    """
    text = joined.text
    terms = _terms(itself, mentions)
    starts = {m.start: m for m in mentions}
    ends = sorted(((m.end, m) for m in mentions), key=lambda pair: pair[0])
    places = [
        (at, at + span.end - span.start, number, span)
        for number, chunk in enumerate(joined.chunks)
        for span in chunk.citations
        if span.type in {"section", "exhibit"} and (at := joined.at(number, span.start)) >= 0
    ]
    after: Description | None = None
    claims: list[Claim] = []
    for i in range(len(places) - 1, -1, -1):
        start, end, number, span = places[i]
        is_listed = i + 1 < len(places) and _LIST.fullmatch(text, end, max(end, places[i + 1][0]))
        owner = _behind(text, end, starts, terms)
        if owner is None and is_listed:
            owner = after
        if owner is None:
            owner = _ahead(text, start, ends, terms)
        after = owner
        if owner is None and not _SELF.match(text, end):
            is_own = itself.description.kind in _FULL or part_of(span.text) in own_parts
            owner = None if is_own else Description()
        if owner is not None and owner != _OWN and len(claims) < _MOST:
            confidence = 0.9 if owner.is_specific else 0.7
            claims.append(
                Claim(number, span.start, span.end, "clause", owner, confidence=confidence)
            )
    yield from claims


_OWN = Description("agreement", ("\0",))
"""Placeholder for the document itself."""


def _terms(itself: Opening, mentions: Sequence[Mention]) -> Mapping[str, Description]:
    """Return the documents that the defined terms of the text refer to."""
    descriptions: dict[str, Description] = {}
    for mention in mentions:
        if mention.term:
            of = _OWN if mention.is_this else mention.of
            if of.is_specific:
                descriptions.setdefault(_folded(mention.term), of)
    if itself.description.kind in _FULL:
        descriptions.setdefault("agreement", _OWN)
    return descriptions


def _folded(term: str) -> str:
    return fold(re.sub(r"^(?:the|this|die|der|das)\s+", "", term, flags=re.IGNORECASE))


def _behind(
    text: str, end: int, starts: Mapping[int, Mention], terms: Mapping[str, Description]
) -> Description | None:
    link = _OF.match(text, end)
    if link is None:
        return None
    if _SELF.match(text, end):
        return _OWN
    at = link.end()
    words = _TERM.match(text, at)
    for size in range(len(words[0].split()) if words else 0, 0, -1):
        known = terms.get(_folded(" ".join(words[0].split()[:size]))) if words else None
        if known is not None:
            return known
    mention = starts.get(at)
    if mention is None:
        return None
    if mention.is_this:
        return _OWN
    if mention.of.is_specific:
        return mention.of
    return None


def _ahead(
    text: str, start: int, ends: Sequence[tuple[int, Mention]], terms: Mapping[str, Description]
) -> Description | None:
    at = bisect_right(ends, start, key=lambda pair: pair[0]) - 1
    if at < 0:
        return None
    end, mention = ends[at]
    if start - end > 70 or not _BEFORE.fullmatch(text, end, start):
        return None
    if mention.is_this:
        return _OWN
    if mention.of.is_specific:
        return mention.of
    return terms.get(_folded(text[mention.start : mention.end]))
