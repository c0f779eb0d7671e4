"""A page of search results for AI programs: in full, and in the concise form."""

from functools import partial
from typing import TYPE_CHECKING, Any

from mcp.types import CallToolResult

from casetrack.api.quoting import Words, opening, part_of
from casetrack.api.text import lines_of
from casetrack.api.text.passages import (
    quoted_part,
    result_lines,
    search_head,
    search_tail,
    shown_query,
)
from casetrack.base.dataclass import dataclass, field, replace
from casetrack.base.records import Chunk, SearchResult, SearchResults
from casetrack.base.records.shape import SOURCE
from casetrack.faces.mcp import outputs
from casetrack.faces.mcp.concise import ResponseFormatter
from casetrack.faces.mcp.operation_tools import plain
from casetrack.faces.mcp.results import (
    ANSWERS,
    BUDGET,
    Portion,
    addresses,
    answer,
    bounded_chunk,
    bounded_source,
    onward,
    passage,
    portion,
    source_links,
)
from casetrack.faces.mcp.steps import See, if_offered, name_tools_in, tool_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from casetrack.api.text import Lines
    from casetrack.base.provenance import Provenance
    from casetrack.base.records import RelatedChunk

MOST_RESULTS = 100
"""Results up to this rank have the same order for every *limit*."""
_RELATED_BUDGET = 4_000
_NEAR_CHARS = 200
_MOST_ALSO = 5
"""Listed places of equal text; there may be hundreds."""
_NOTHING = f"No results. Try other words. {See('documents')} lists the documents."
_FIRST, _FIRST_CHARS, _LATER_CHARS = 2, 600, 340
"""Characters of the quotation of the first results, and of later ones."""
_SHORT = frozenset(
    {"collection", "evidence", "relevance", "notes", "computed", "reading", "stage_ms"}
)
_PART = ("name", "value", "citation", "source")
"""Keys of a part of a computed answer in the concise form."""
_MOST_PARTS = 10


@dataclass(eq=False)
class ResultPage:
    """Some results of a search, in both forms.

    Parameters
    ----------
    formatter
        Formatter of the answer; a concise one quotes only the answering part of each result.
    explain
        Whether to include the scores of each stage.
    noun
        Name of a collection in this edition.
    ids
        Ids of several collections, by name.
    """

    results: "SearchResults"
    collection_id: str
    formatter: ResponseFormatter
    explain: bool = False
    noun: str = "Collection"
    ids: "Mapping[str, str]" = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Prepare the texts and the state of a page."""
        self.results = name_tools_in(self.results)
        self._near = False
        self._parts: dict[int, SearchResult] = {}
        self._spans: dict[int, list[int] | None] = {}
        self._words = Words(self.results.query if self.formatter.concise else "")

    def answer(self, offset: int, k: int, /) -> CallToolResult:
        """Return the results from *offset*, out of *k* requested ones."""
        results, related, concise = self.results, self.results.related, self.formatter.concise
        budget = BUDGET - _RELATED_BUDGET if related else BUDGET
        show = partial(
            portion,
            results.results,
            self._entry,
            self._block,
            offset=offset,
            budget=budget,
            source_tokens=self.formatter.source_tokens,
        )
        shown = show()
        if shown.next_offset is not None and not concise:
            # One more result is more useful than the ends of the context.
            self._near = True
            shown = show()
        after = shown.next_offset
        if after is None and len(results.results) == k < MOST_RESULTS:
            after = k
        step = _next_step(offset, k, len(shown.items), after)
        facts = replace(
            results,
            results=shown.items,
            query=shown_query(results.query),
            computed=None if offset else results.computed,
        )
        structured = self._head(facts) | {"results": shown.entries}
        structured |= {"next_offset": after, "next_step": step}
        if not concise:
            structured["offset"] = offset
        blocks, more = list(shown.blocks), [s for s in (onward(after), step) if s]
        if related:
            chunks = self._related(BUDGET - shown.cost)
            further = [
                self.formatter.entry(outputs.POINTER.of(each.chunk))
                for each in related[len(chunks.items) :]
            ]
            structured |= {"related": chunks.entries, "related_further": further}
            blocks += [*chunks.blocks, *_pointers(further)]
        head = self._plain(search_head(facts, self.noun, explain=self.explain))
        more += [self._plain(search_tail(results))] if self.explain and blocks else []
        text = "\n\n".join([head, *blocks, *more, *([outputs.QUOTED] if blocks else [])])
        links = [] if concise or self.ids else [result.provenance for result in shown.items]
        structured = self.formatter.whole(structured)
        result_page = answer(text, structured, source_links(self.collection_id, links))
        result_page.meta = {ANSWERS: [self._spans.get(result.rank) for result in shown.items]}
        return result_page

    def _head(self, facts: "SearchResults") -> dict[str, Any]:
        """Return the properties of the search."""
        head = facts.as_dict(explain=self.explain)
        head = {k: v for k, v in head.items() if k not in ("results", "related")}
        if self.formatter.concise:
            head = {k: v for k, v in head.items() if k in _SHORT}
            if computed := head.get("computed"):
                parts = ({k: p[k] for k in _PART} for p in computed["parts"][:_MOST_PARTS])
                head["computed"] = computed | {"parts": list(parts)}
            if not head["notes"]:
                del head["notes"]
        return head | {"notice": outputs.QUOTED}

    def _entry(self, result: "SearchResult") -> dict[str, Any]:
        also = result.also[:_MOST_ALSO]
        result = replace(result, provenance=bounded_source(result.provenance), also=also)
        if self.formatter.concise:
            return self._short(result)
        raw = {"rank": result.rank, **result.as_dict(explain=self.explain)}
        # The whole text is included, so the best part is sufficient.
        raw["pinpoint"] = raw["pinpoint"][:1]
        if self._near:
            raw["context"] = _nearest(raw["context"])
        key = self.ids.get(result.collection or "", self.collection_id)
        return raw | addresses(result.provenance, key)

    def _short(self, result: "SearchResult") -> dict[str, Any]:
        """Return the answering part of a result, with the place of that part."""
        size = _FIRST_CHARS if result.rank <= _FIRST else _LATER_CHARS
        part = self._parts[result.rank] = quoted_part(result, self._words, size)
        text, place = part.text, part.provenance
        self._spans[result.rank] = _answer_in(result, place, len(text))
        entry: dict[str, Any] = {"rank": result.rank, "relevance": round(result.relevance, 2)}
        if result.answer is not None:
            entry["answer"] = {"text": result.answer.text}
        entry |= {"text": text, "citation": place.cite()}
        if result.pinpoint and (at := result.pinpoint[0].where) not in entry["citation"]:
            entry["at"] = at
        entry |= self.formatter.place(SOURCE.of(place))
        if result.also:
            entry["also"] = [str(same) for same in result.also]
        if result.collection:
            entry["collection"] = result.collection
        if self.explain:
            entry["explain"] = {name: s.as_dict() for name, s in result.signals.items()}
        return entry

    def _plain(self, lines: "Lines") -> str:
        return plain(lines, self.formatter)

    def _block(self, result: "SearchResult", _entry: dict[str, Any]) -> str:
        shown = self._parts.get(result.rank, result)
        text = self._plain(result_lines(shown, explain=self.explain))
        # The line above has the name.
        name = f"At: {' '.join(result.provenance.document_name.splitlines())}, "
        return text.replace(f"\n{name}", "\nAt: ", 1) if self.formatter.concise else text

    def _related(self, budget: int) -> "Portion[RelatedChunk]":
        def entry(each: "RelatedChunk") -> dict[str, Any]:
            raw: dict[str, Any] = dict(passage(each.chunk, self.collection_id))
            raw |= {"weight": round(each.weight, 6), "reason": each.reason}
            return self.formatter.entry(raw)

        def block(each: "RelatedChunk", _entry: dict[str, Any]) -> str:
            return self._plain(lines_of(each))

        everything = [replace(r, chunk=self._quoted(r.chunk)) for r in self.results.related]
        return portion(
            everything, entry, block, budget=budget, source_tokens=self.formatter.source_tokens
        )

    def _quoted(self, chunk: Chunk) -> Chunk:
        """Return a passage with a bounded source; the concise form has only its best part."""
        chunk = bounded_chunk(chunk)
        if not self.formatter.concise:
            return chunk
        rows = chunk.provenance.sheet_name is not None
        return part_of(chunk, self._words.best_part(chunk.text, size=_LATER_CHARS, rows=rows))


def _answer_in(result: "SearchResult", place: "Provenance", length: int) -> list[int] | None:
    """Return the span of the best part in the quoted part of a result, in code points."""
    if not result.pinpoint:
        return None
    best = result.pinpoint[0]
    start, end = best.char_start - place.char_start, best.char_end - place.char_start
    return [start, end] if 0 <= start < end <= length else None


def _nearest(context: dict[str, Any]) -> dict[str, Any]:
    """Return the context of a result, shortened to the nearest words."""
    before, after = context["before"], context["after"]
    if before and len(before) > _NEAR_CHARS:
        # The first of these words may have lost its beginning; the last ones never do.
        before = f"\u2026 {before[-_NEAR_CHARS:].partition(' ')[2] or before[-_NEAR_CHARS:]}"
    if after and len(after) > _NEAR_CHARS:
        start, end = opening(after, size=_NEAR_CHARS)
        after = f"{after[start:end]} \u2026"
    return context | {"before": before, "after": after}


def _next_step(offset: int, k: int, shown: int, after: int | None) -> str | None:
    """Return advice if a search has no results, or no more results."""
    if not shown:
        return "There are no more results." if offset else if_offered(_NOTHING)
    if after is None and k == MOST_RESULTS and offset + shown == k:
        return (
            f"A search returns at most {MOST_RESULTS} results: use a more specific query or "
            "document_filter."
        )
    return None


def _pointers(further: list[dict[str, str]]) -> list[str]:
    lines = [f"  - {' '.join(p['citation'].split())} | chunk {p['chunk_id']}" for p in further]
    tool = tool_of("chunk")
    head = f"Also related (see {tool}):" if tool else "Also related:"
    return ["\n".join([head, *lines])] if lines else []
