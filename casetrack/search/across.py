"""One ranking for the results of several collections.

Scores of two collections are not comparable: each is standardised over its own candidates. The
relevance of a result is on one scale, so it decides the order between collections, while each
collection keeps the order of its results.
"""

from __future__ import annotations

import heapq
import time
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from casetrack.base.records import SearchResults

if TYPE_CHECKING:
    from collections.abc import Sequence

_SURE = ("none", "weak", "strong")


def across(answers: Sequence[SearchResults], limit: int, began: float, /) -> SearchResults:
    """Join the answers of at least one collection, each with its best *limit* results.

    ``collection`` lists all collections, and each result has its own. Notes that not all answers
    share are prefixed with the collection. The time runs from *began* (:func:`time.perf_counter`).
    """
    turns = [[(-r.relevance, n, at) for at, r in enumerate(a)] for n, a in enumerate(answers)]
    joined = [
        replace(answers[number][at], rank=rank, collection=answers[number].collection)
        for rank, (_, number, at) in enumerate(islice(heapq.merge(*turns), limit), start=1)
    ]
    first = answers[0]
    return SearchResults(
        query=first.query,
        collection=", ".join(each.collection for each in answers),
        mode=first.mode,
        results=tuple(joined),
        stages_used=tuple(dict.fromkeys(s for each in answers for s in each.stages_used)),
        stage_ms={
            stage: sum(each.stage_ms.get(stage, 0.0) for each in answers)
            for stage in dict.fromkeys(s for each in answers for s in each.stage_ms)
        },
        search_time_ms=(time.perf_counter() - began) * 1000,
        searched_documents=sum(each.searched_documents for each in answers),
        searched_chunks=sum(each.searched_chunks for each in answers),
        notes=_notes(answers),
        tier=first.tier,
        relevance=max(each.relevance for each in answers),
        evidence=max((each.evidence for each in answers), key=_SURE.index),
        reading=first.reading,
    )


def _notes(answers: Sequence[SearchResults]) -> tuple[str, ...]:
    """Return all notes; notes that not all answers share are prefixed with their collection."""
    notes: dict[str, None] = {}
    for each in answers:
        for note in each.notes:
            of_all = all(note in other.notes for other in answers)
            notes[note if of_all else f"{each.collection}: {note}"] = None
    return tuple(notes)
