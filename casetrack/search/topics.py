"""Search of several topics in each of several documents."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from casetrack.base.arguments import Filter
from casetrack.base.records.passages import Quote
from casetrack.base.records.reading import NO_LOCATION
from casetrack.base.records.topics import DocumentTopics, TopicFinding, TopicMatrix
from casetrack.search.filters import choose
from casetrack.search.question.words import stems_of
from casetrack.search.search import check, search
from casetrack.store.passages import narrow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.base.records import SearchResult
    from casetrack.store.workspace import State

_NAMED, _SURE, _SUPPORT, _ABSENT = 0.58, 0.75, 0.54, 0.42
"""Least relevance with a heading; without; of the second passage; most of an absent topic."""
_RESULTS, _QUOTED = 5, 240
_HEADING = re.compile(
    r"^\W{0,3}(?:(?:\d[\d.]*|[Aa]rticle|[Ss]ection|ARTICLE|SECTION|\w)[\W\d]+)?"
    r"(?P<title>[^\W\d_][^.:\n]{2,70})(?:[.:]|$)",
    re.MULTILINE,
)
"""Start of a line that may be the heading of a clause, with its number."""


def topic_matrix(
    state: State, topics: Sequence[str], where: Filter, /, *, limit: int
) -> TopicMatrix:
    """Return the findings of the topics in the first *limit* documents by name."""
    for topic in topics:
        check(topic, limit)
    chosen = choose(state, where).documents
    documents = [d for d in state.documents() if chosen is None or d.document_id in chosen]
    documents.sort(key=lambda d: (d.name.casefold(), d.document_id))
    rows = (
        DocumentTopics(
            d.document_id, d.name, tuple(_found(state, t, d.document_id) for t in topics)
        )
        for d in documents[:limit]
    )
    return TopicMatrix(tuple(topics), len(documents), tuple(rows))


def _found(state: State, topic: str, document_id: str) -> TopicFinding:
    results = search(state, topic, limit=_RESULTS, where=Filter(document_id)).results
    ranked = sorted(results, key=lambda result: -result.relevance)
    best = ranked[0].relevance if ranked else 0.0
    if best <= _ABSENT:
        return TopicFinding(topic, "absent", best)
    headings = ((result, _heading(result.text, topic)) for result in ranked)
    named = next(((result, at) for result, at in headings if at is not None), None)
    if named is not None and best >= _NAMED:
        return TopicFinding(topic, "present", best, _quote(*named))
    first = ranked[0]
    pinned = first.pinpoint[0].char_start - first.provenance.char_start if first.pinpoint else 0
    sure = best >= _SURE and len(ranked) > 1 and ranked[1].relevance >= _SUPPORT
    return TopicFinding(topic, "present" if sure else "unsure", best, _quote(first, pinned))


def _heading(text: str, topic: str) -> int | None:
    """Return the position of a heading with all words of a topic."""
    wanted = set(stems_of(topic))
    for match in _HEADING.finditer(text) if wanted else ():
        title = match["title"]
        if title[0].isupper() and wanted <= set(stems_of(title)):
            return match.start()
    return None


def _quote(result: SearchResult, start: int) -> Quote:
    """Return the first words of a passage from a position, with their place."""
    whole = result.text
    end = min(len(whole), start + _QUOTED)
    while start < end < len(whole) and not whole[end].isspace():
        end -= 1
    start += len(whole[start:end]) - len(whole[start:end].lstrip())
    text = whole[start:end].rstrip()
    at = result.locate() if result.locate else NO_LOCATION
    end = start + len(text)
    place = narrow(result.provenance, whole, at.paragraphs, at.printed, start, end)
    return Quote(text, text, 0, start, end, place)
