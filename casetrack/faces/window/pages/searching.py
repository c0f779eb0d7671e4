"""Search: results with the sentence that answers, and what to narrow them by."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from casetrack.faces.window.pages.asked import MOST, ORDERS, Asked
from casetrack.faces.window.pages.base import Page
from casetrack.faces.window.visit import address
from casetrack.faces.window.work import begin_map

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from starlette.responses import Response

    from casetrack.base.records import SearchResult
    from casetrack.faces.window.visit import Visit

_EXCERPT = 420
"""Characters of a passage in the list of results."""
_LINE_BREAK = re.compile(r"(?<=[^\n])\n(?=[^\n])")
_CHOICES = 8
_ALL_CHOICES = 200
"""How many values of a facet are offered, at first and when more are wanted."""


@dataclass(frozen=True, slots=True)
class Found:
    """A result as it is listed: its excerpt in pieces, each marked as answering or not."""

    result: SearchResult
    pieces: Sequence[tuple[str, bool]]


def search(visit: Visit, /) -> Response:
    """Ask a collection, and list what it says."""
    collection, asked = visit.collection, Asked.of(visit)
    values: dict[str, Any] = {
        "collection": collection,
        "asked": asked,
        "orders": ORDERS,
        "most": MOST,
    }
    if not asked.question:
        return visit.page("search.html", **values, answer=None, found=(), facets=None, wider=False)
    answer, results = asked.search(collection)
    wider = visit.asked("choices") == "all"
    facets = collection.facets(
        asked.question,
        asked.where,
        shown=[r.chunk_id for r in results],
        most=_ALL_CHOICES if wider else _CHOICES,
        waits=False,
    )
    making = begin_map(visit.library, collection) if facets.unread else ""
    found = [Found(r, _pieces(*_excerpt(r))) for r in results]
    return visit.page(
        "search.html",
        **values,
        answer=answer,
        found=found,
        facets=facets,
        wider=wider,
        making=making,
    )


def hit(visit: Visit, /) -> Response:
    """Go to one of the results by its number, as the one before or after another is asked for."""
    collection, asked = visit.collection, Asked.of(visit)
    number = visit.request.path_params["number"]
    where = ("c", collection.name, "search")
    if not asked.question:
        return visit.see(address(*where))
    _, results = asked.search(collection)
    if not results:
        return visit.see(address(*where, **asked.address()))
    number = min(max(number, 1), len(results))
    chosen = results[number - 1].chunk_id
    place = ("c", collection.name, "passage", chosen)
    return visit.see(address(*place, **asked.but(hit=number, beside=visit.asked("beside"))))


def _excerpt(result: SearchResult) -> tuple[str, list[tuple[int, int]]]:
    """Return what is shown of a passage, in lines as they flow, with what answers in it.

    Each line break of the page becomes a space, so that no place moves.
    """
    text, marked = result.excerpt(_EXCERPT)
    if result.provenance.sheet_name is None:
        text = _LINE_BREAK.sub(" ", text)
    return text, marked


def _pieces(text: str, marked: Iterable[tuple[int, int]]) -> list[tuple[str, bool]]:
    """Part a text into what is marked and what is not."""
    pieces, at = [], 0
    for start, end in sorted(marked):
        if start < at:
            continue
        pieces += [(text[at:start], False), (text[start:end], True)]
        at = end
    return [piece for piece in [*pieces, (text[at:], False)] if piece[0]]


PAGES = (
    Page("search", "/c/{collection}/search", search),
    Page("hit", "/c/{collection}/search/{number:int}", hit),
)
