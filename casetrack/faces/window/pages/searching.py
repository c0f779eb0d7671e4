"""Search: results with the answering sentence, and filters."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from casetrack.base.arguments import Filter
from casetrack.faces.window.pages.base import Page
from casetrack.faces.window.visit import address
from casetrack.faces.window.work import map_job

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.responses import Response

    from casetrack.api.collection import Collection
    from casetrack.base.records import Facet, SearchResult, SearchResults
    from casetrack.faces.window.visit import Visit

# The question and the filters in the address of a page.

ORDERS = ("best", "newest", "oldest", "document")
"""Orders of results; all but the first reorder the best results."""
_SHOWN = 10
MOST = 100
_MOST_ORDERED = 50
"""Number of best results that another order than relevance uses."""
_PLURALS = ("documents", "kinds", "languages", "sources")
_NAMES = {"question": "q", **{name: name.removesuffix("s") for name in _PLURALS}}
"""Names of the fields of :class:`Asked` in an address."""
_PARAMETER = {"person": "mentions", "organization": "mentions"}


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and its filters in an address.

    Attributes
    ----------
    question
        May be empty.
    documents, kinds, languages, sources, mentions
        See :class:`casetrack.base.arguments.Filter`.
    year
        Four digits, or empty; covers all its days.
    since, until
        Days, months or years, or empty.
    order
        One of :data:`ORDERS`.
    """

    question: str
    documents: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()
    year: str = ""
    since: str = ""
    until: str = ""
    order: str = "best"
    limit: int = _SHOWN

    @classmethod
    def of(cls, visit: Visit, /) -> Asked:
        """Return the question in the address of a page."""
        given: dict[str, Any] = {}
        for each in fields(cls):
            name = _NAMES.get(each.name, each.name)
            several = each.default == ()
            given[each.name] = tuple(visit.asked_all(name)) if several else visit.asked(name)
        given["order"] = visit.asked("order") if visit.asked("order") in ORDERS else "best"
        given["limit"] = visit.asked_number("limit", _SHOWN, high=MOST)
        return cls(**given)

    def address(self) -> dict[str, object]:
        """Return the parameters of an address, without default values."""
        values = ((each, getattr(self, each.name)) for each in fields(self))
        return {_NAMES.get(e.name, e.name): "" if v == e.default else v for e, v in values}

    def but(self, **changes: object) -> dict[str, object]:
        """Return the same parts of an address, some of them otherwise."""
        return self.address() | changes

    def without(self, facet: str, value: str, /) -> dict[str, object]:
        """Return the same parts of an address without a value of a facet."""
        name = _PARAMETER.get(facet, facet)
        now = self.address()[name]
        left = tuple(v for v in now if v != value) if isinstance(now, tuple) else ""
        return self.but(**{name: left})

    def chosen(self, facet: Facet, /) -> frozenset[str]:
        """Return the selected values of a facet."""
        now = self.address()[_PARAMETER.get(facet.name, facet.name)]
        return frozenset(now if isinstance(now, tuple) else [str(now)])

    @property
    def is_narrowed(self) -> bool:
        """Whether anything narrows the question."""
        return self.where != Filter()

    @property
    def where(self) -> Filter:
        """The same as a filter."""
        return Filter(
            documents=self.documents or None,
            kinds=self.kinds or None,
            since=self.year or self.since or None,
            until=self.year or self.until or None,
            languages=self.languages or None,
            sources=self.sources or None,
            mentions=self.mentions or None,
        )

    def search(self, collection: Collection, /) -> tuple[SearchResults, list[SearchResult]]:
        """Search a collection; return its answer, and the results in the requested order."""
        limit = self.limit if self.order == "best" else max(self.limit, _MOST_ORDERED)
        answer = collection.search(self.question, limit=limit, **self.where.asked())
        results = list(answer.results)
        if self.order == "document":
            read = attrgetter("document_id", "chunk_index")
            results.sort(key=lambda r: (r.provenance.document_name.casefold(), read(r.provenance)))
        elif self.order != "best":
            documents = collection.workspace.state().snapshot.documents
            results.sort(
                key=lambda r: documents[r.provenance.document_id].dated_at,
                reverse=self.order == "newest",
            )
        return answer, results


_EXCERPT = 420
_EMPTY_LINES = re.compile(r"\n\s{0,200}\n")
_LINE_BREAK = re.compile(r"(?<=[^\n])\n(?=[^\n])")
_HEAD = re.compile(
    r"From: ([^\n]*)\n"
    r"(?:(?:To|Cc|Bcc|Reply-To|Subject|Attachments): [^\n]*\n|Date: (\S{10})[^\n]*\n)*\s*"
)
_CHOICES = 8
_ALL_CHOICES = 200
"""Number of values of a facet, initially and on request."""


def search(visit: Visit, /) -> Response:
    """Search a collection, and list the results."""
    collection, asked = visit.collection, Asked.of(visit)
    values: dict[str, Any] = {"asked": asked, "orders": ORDERS, "most": MOST}
    if not asked.question:
        return visit.page(
            "search.html", **values, answer=None, results=(), facets=None, wider=False
        )
    answer, results = asked.search(collection)
    wider = visit.asked("choices") == "all"
    facets = collection.facets(
        asked.question,
        **asked.where.asked(),
        shown=[r.chunk_id for r in results],
        most=_ALL_CHOICES if wider else _CHOICES,
        waits=False,
    )
    making = map_job(visit, 0) if facets.unread else ""
    return visit.page(
        "search.html",
        **values,
        answer=answer,
        results=[_shown(r) for r in results],
        facets=facets,
        wider=wider,
        making=making,
    )


def hit(visit: Visit, /) -> Response:
    """Redirect to a result by its number, for the links to the previous and next one."""
    collection, asked = visit.collection, Asked.of(visit)
    number = visit.request.path_params["number"]
    where = ("c", collection.name, "search")
    results = asked.search(collection)[1] if asked.question else []
    if not results:
        return visit.see(address(*where, **asked.address()))
    number = min(max(number, 1), len(results))
    chosen = results[number - 1].chunk_id
    place = ("c", collection.name, "passage", chosen)
    return visit.see(address(*place, **asked.but(hit=number, beside=visit.asked("beside"))))


def _shown(result: SearchResult) -> dict[str, object]:
    """Return a result with its excerpt in pieces, each with a flag for the answer.

    It has no line breaks, and no head of a mail unless that is marked, but who wrote the mail.
    """
    text, marked = result.excerpt(_EXCERPT)
    head = _HEAD.match(text)
    cut = head.end() if head and head.end() <= min(marked, default=(0, 0))[0] else 0
    if result.provenance.sheet_name is None:
        text = _LINE_BREAK.sub(" ", text)
    pieces = _pieces(text[cut:], [(start - cut, end - cut) for start, end in marked])
    wrote = ", ".join(filter(None, head.groups())) if head and cut else ""
    return {"result": result, "pieces": pieces, "head": wrote}


def _pieces(text: str, marked: Iterable[tuple[int, int]]) -> list[tuple[str, bool]]:
    """Split a text into marked and unmarked pieces."""
    pieces, at = [], 0
    for start, end in sorted(marked):
        if start < at:
            continue
        pieces += [(text[at:start], False), (text[start:end], True)]
        at = end
    whole = [*pieces, (text[at:], False)]
    return [(_EMPTY_LINES.sub("\n", piece), on) for piece, on in whole if piece]


PAGES = (
    Page("search", "search", search, of=("search", "facets")),
    Page("hit", "search/{number:int}", hit),
)
