"""One ranking of what a question finds in several collections.

Scores of two collections say nothing of one another: each is standardised over its own candidates.
The relevance of a result is on one scale for all collections and questions, so it decides whose
turn it is, while each collection keeps the order of its own results.
"""

from __future__ import annotations

import heapq
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from casetrack.base.records import SearchResults

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.base.records import SearchResult

_SURE = ("none", "weak", "strong")


def across(found: Sequence[SearchResults], limit: int, began: float, /) -> SearchResults:
    """Join the answers of several collections, of which there is at least one.

    Parameters
    ----------
    found
        The answers, at least the best *limit* results of each.
    limit
        At most so many results.
    began
        When the search began, by :func:`time.perf_counter`.

    Returns
    -------
    SearchResults
        Its ``collection`` names all of them, and so does that of each result its own. A note that
        not all of them have says whose it is. The time is that of all searches.
    """
    queue = [(_turn(each, 0), number, 0) for number, each in enumerate(found) if each.results]
    heapq.heapify(queue)
    joined: list[SearchResult] = []
    while queue and len(joined) < limit:
        _, number, at = heapq.heappop(queue)
        answer = found[number]
        joined.append(replace(answer[at], rank=len(joined) + 1, collection=answer.collection))
        if at + 1 < len(answer.results):
            heapq.heappush(queue, (_turn(answer, at + 1), number, at + 1))
    first = found[0]
    return SearchResults(
        query=first.query,
        collection=", ".join(each.collection for each in found),
        mode=first.mode,
        results=tuple(joined),
        stages_used=tuple(dict.fromkeys(s for each in found for s in each.stages_used)),
        stage_ms={
            stage: sum(each.stage_ms.get(stage, 0.0) for each in found)
            for stage in dict.fromkeys(s for each in found for s in each.stage_ms)
        },
        search_time_ms=(time.perf_counter() - began) * 1000,
        searched_documents=sum(each.searched_documents for each in found),
        searched_chunks=sum(each.searched_chunks for each in found),
        notes=_notes(found),
        tier=first.tier,
        relevance=max(each.relevance for each in found),
        evidence=max((each.evidence for each in found), key=_SURE.index),
        reading=first.reading,
    )


def _turn(answer: SearchResults, at: int) -> float:
    """Return what puts the most relevant result first."""
    return -answer.results[at].relevance


def _notes(found: Sequence[SearchResults]) -> tuple[str, ...]:
    """Return all notes; those that not every answer has, with the collection they are of."""
    told: dict[str, None] = {}
    for each in found:
        for note in each.notes:
            of_all = all(note in other.notes for other in found)
            told[note if of_all else f"{each.collection}: {note}"] = None
    return tuple(told)
