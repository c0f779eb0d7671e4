"""The check of a draft, as findings in its order."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from casetrack.editions.legal.check import pins
from casetrack.editions.legal.check.compare import (
    Match,
    compare,
    compared,
    elsewhere,
    is_verbatim_in,
    nearest,
    not_found,
)
from casetrack.editions.legal.check.existence import (
    contradictions,
    decisions_at,
    impossible,
    of_index,
)
from casetrack.editions.legal.check.resolve import CaseFile, Resolved, Resolver
from casetrack.editions.legal.extract.citations import citations_notes, read_citations
from casetrack.editions.legal.extract.cited_text import NAMED
from casetrack.editions.legal.extract.quotations import read_quotations
from casetrack.editions.legal.records.check import CiteCheck, DraftPlace, Finding
from casetrack.extract.papers.places import printed_words
from casetrack.graph.opened import graph_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.api.collection import Collection
    from casetrack.base.records import Chunk, Document
    from casetrack.base.records.graph import Quote
    from casetrack.editions.legal.drafts import Draft
    from casetrack.editions.legal.records.check import Edit, Verdict
    from casetrack.extract.papers.text import LegalCitation, Quotation, WholeText

# Places of findings in the draft and in the sources.


def draft_place(whole: WholeText, start: int, end: int, /) -> DraftPlace:
    """Return the place of ``whole.text[start:end]``: page, characters, line, printed page."""
    page, first = whole.place(start)
    last_page, last = whole.place(end)
    lines = [line for line in page.text[:first].split("\n")[:-1] if line.strip()]
    printed = [p for p in page.printed if p.kind in ("page", "line")]
    stop = last if last_page is page else len(page.text)
    return DraftPlace(
        start=start,
        end=end,
        page=page.number,
        char_start=first,
        char_end=stop,
        line=len(lines) + 1,
        printed=(printed_words(printed, first, stop) or "").removeprefix("printed p. "),
    )


def source_quotes(
    collection: Collection, chunks: Sequence[Chunk], whole: WholeText, start: int, end: int, /
) -> tuple[Quote, ...]:
    """Return one quote per chunk for ``whole.text[start:end]`` of a document."""
    places = [
        place
        for page, first, last in whole.parts(start, end)
        for place in _in_chunks(
            [c for c in chunks if c.provenance.page == page.number], first, last
        )
    ]
    return tuple(collection.workspace.ask(lambda state: graph_of(state).quotes(places)))


def _in_chunks(chunks: list[Chunk], start: int, end: int) -> list[tuple[str, int, int]]:
    """Return the fewest chunks that cover a span of their page, in order."""
    places = []
    while start < end:
        holding = [c for c in chunks if c.provenance.char_start <= start < c.provenance.char_end]
        if not holding:
            later = [c.provenance.char_start for c in chunks if c.provenance.char_start > start]
            start = min(later, default=end)
            continue
        best = max(holding, key=lambda c: c.provenance.char_end)
        offset = best.provenance.char_start
        stop = min(end, best.provenance.char_end)
        places.append((best.chunk_id, start - offset, stop - offset))
        start = stop
    return places


_LONG, _SURE_ELSEWHERE, _HITS = 5, 0.9, 6
_HEAD = 300
_ON_THE_HEAD = ("name_differs", "year_differs", "court_differs", "reporter_differs")
_WITHOUT_SOURCE = ("source_not_in_case", "antecedent_not_found")
_QUOTES_OTHER = re.compile(r"[\s,;.)]*\((?:internally\s)?(?:quoting|citing)\s+$", re.IGNORECASE)


def check_draft(collection: Collection, draft: Draft, /) -> CiteCheck:
    """Check every citation and quotation of a draft; return the findings in the order of the draft.

    A draft that is a document of the case is not a source of itself.
    """
    return _Check(collection, draft).run()


@dataclass(frozen=True, slots=True)
class _Fit:
    """A quotation compared with one source."""

    document: Document
    match: Match
    placed: pins.PinFit | None


@dataclass
class _Check:
    """One check with its cached data."""

    collection: Collection
    draft: Draft
    citations: tuple[LegalCitation, ...] = ()
    resolved: dict[int, Resolved] = field(default_factory=dict)
    chunks: dict[str, Sequence[Chunk]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        case = CaseFile(self.collection)
        path = str(self.draft.path)
        own = {d.document_id for d in case.documents if d.path == path}
        if self.draft.document is not None:
            own.add(self.draft.document.document_id)
        self.resolver = Resolver(case, frozenset(own))
        self.citations = read_citations(self.draft.words)

    def run(self) -> CiteCheck:
        whole = self.draft.words
        quotations = [q for q in read_quotations(whole, self.citations) if q.confidence > NAMED]
        unsorted: list[Finding] = []
        doubts = contradictions(self.citations)
        keys = {c.key for c in self.citations if c.kind == "case"}
        index = decisions_at(self.collection.workspace.settings.data_dir, keys) or {}
        for number, citation in enumerate(self.citations):
            resolved = self.resolver.resolve(citation)
            if resolved.verdict in _WITHOUT_SOURCE:
                doubt = (
                    impossible(citation, whole.text[citation.start :])
                    or of_index(citation, index.get(citation.key))
                    or doubts.get(number)
                )
                if doubt is not None:
                    resolved = Resolved((), doubt.verdict, doubt.said)
            self.resolved[number] = resolved
            unsorted.append(self._of_citation(number, citation))
        unsorted += [f for q in quotations if (f := self._of_quotation(q)) is not None]
        unsorted.sort(key=lambda f: (f.place.start, f.what))
        findings = tuple(replace(f, number=n) for n, f in enumerate(unsorted, 1))
        judged = sum(f.what == "quotation" for f in findings)
        return CiteCheck(
            draft_name=self.draft.name,
            draft_path=str(self.draft.path),
            case=self.collection.name,
            pages=len(whole.pages),
            citations=len(self.citations),
            quotations=judged,
            findings=findings,
            notes=self._notes(judged),
        )

    def _notes(self, quotations: int) -> tuple[str, ...]:
        notes = [*self.draft.notes, *citations_notes()]
        if not self.citations:
            notes.append("No citation was found in this draft.")
        if not quotations:
            notes.append("No quotation was found in this draft.")
        missing = {
            c.key
            for n, c in enumerate(self.citations)
            if self.resolved[n].verdict == "source_not_in_case"
        }
        if missing and len(missing) == len({c.key for c in self.citations}):
            notes.append(
                "CaseTrack found none of the cited sources in the case, so nothing was compared. "
                "Add them: casetrack ingest PATH."
            )
        return tuple(notes)

    # --- citations ------------------------------------------------------------------------------

    def _of_citation(self, number: int, citation: LegalCitation) -> Finding:
        resolved = self.resolved[number]
        sources: tuple[Quote, ...] = ()
        if resolved.verdict in _ON_THE_HEAD and resolved.documents:
            sources = self._head(resolved.documents[0])
        notes = (*resolved.notes, *([citation.note] if citation.note else []))
        return self._found(
            citation, citation, resolved.verdict, resolved.said, sources, (), notes,
            found_pin=resolved.found,
        )  # fmt: skip

    def _head(self, document: Document) -> tuple[Quote, ...]:
        """Return the head of a document, which contains its name."""
        text = self.resolver.text(document).text
        return self._quotes(document, 0, min(_HEAD, len(text)))

    def _quotes(self, document: Document, start: int, end: int) -> tuple[Quote, ...]:
        whole = self.resolver.text(document).whole
        chunks = self.chunks.get(document.document_id)
        if chunks is None:
            chunks = self.collection.read.chunks(document)
            self.chunks[document.document_id] = chunks
        return source_quotes(self.collection, chunks, whole, start, end)

    # --- quotations -----------------------------------------------------------------------------

    def _of_quotation(self, quotation: Quotation) -> Finding | None:
        if quotation.citation is None:
            return self._uncited(quotation)
        citation = self.citations[quotation.citation]
        resolved = self.resolved[quotation.citation]
        held = self._best_match(quotation, citation, resolved.documents)
        notes: list[str] = []
        if held is None and not resolved.documents:
            held = self._in_quoted(quotation, quotation.citation, notes)
            if held is None:
                return self._without_source(quotation, citation, resolved)
        if held is None or not held.match.is_alike:
            return self._not_in_source(quotation, citation, resolved, held)
        if resolved.verdict == "unclear":
            notes.append(resolved.said)
        if quotation.confidence < 0.5:
            notes.append("Attributed to the preceding citation; none follows.")
        return self._finding(quotation, citation, held, notes)

    def _best_match(
        self, quotation: Quotation, citation: LegalCitation, documents: Sequence[Document]
    ) -> _Fit | None:
        """Return the best match of a quotation in the documents, or ``None``."""
        # "(cleaned up)" may also follow the quotation itself.
        behind = self.draft.whole.text[quotation.end : quotation.end + 300]
        remark = f"{citation.parenthetical} {behind}".lower()
        sources = ((document, self.resolver.text(document)) for document in documents)
        fits = (
            _Fit(document, m, pins.check_pin(source.whole, citation, m.start, m.end))
            for document, source in sources
            for m in compare(quotation.text, source, cleaned_up="cleaned up" in remark)
        )
        return min(fits, key=_rank, default=None)

    def _in_quoted(self, quotation: Quotation, number: int, notes: list[str]) -> _Fit | None:
        """Search the source that the missing one quotes, if the draft cites it."""
        text = self.draft.whole.text
        following = number + 1
        if following >= len(self.citations):
            return None
        gap = text[self.citations[number].end : self.citations[following].start]
        inside = self.citations[following].start < self.citations[number].end
        if not inside and not _QUOTES_OTHER.search(gap[-40:]):
            return None
        other = self.citations[following]
        held = self._best_match(quotation, other, self.resolved[following].documents)
        if held is None or not held.match.is_alike:
            return None
        notes.append(f"Compared with {other.text}, which it quotes; the citing source is missing.")
        return replace(held, placed=None)

    def _finding(
        self, quotation: Quotation, citation: LegalCitation, held: _Fit, notes: list[str]
    ) -> Finding:
        match, placed = held.match, held.placed
        verdict: Verdict = "verbatim" if match.is_verbatim else "altered"
        if verdict == "verbatim" and placed is not None and placed.fits == "wrong":
            verdict = "wrong_page"
        elif placed is not None and placed.fits == "wrong":
            notes.append(f"Not found by CaseTrack at {_pin(citation)}; found at {placed.found}.")
        if placed is not None and placed.note:
            notes.append(placed.note)
        sources = self._quotes(held.document, match.start, match.end)
        doubt = next((s.provenance.ocr_note() for s in sources if s.provenance.is_doubtful), None)
        if doubt:
            notes.append(f"Source: {doubt}.")
        return self._found(
            quotation,
            citation,
            verdict,
            compared(verdict, match, held.document, sources, _pin(citation), placed),
            sources,
            match.edits,
            (*match.notes, *notes),
            found_pin=placed.found if placed else "",
        )

    def _not_in_source(
        self, quotation: Quotation, citation: LegalCitation, resolved: Resolved, held: _Fit | None
    ) -> Finding:
        where, sources, edits = self._found_elsewhere(
            quotation, {d.document_id for d in resolved.documents}
        )
        message = not_found(resolved.documents) + where
        notes = nearest(held.match) if held is not None else ()
        return self._found(quotation, citation, "not_in_source", message, sources, edits, notes)

    def _without_source(
        self, quotation: Quotation, citation: LegalCitation, resolved: Resolved
    ) -> Finding:
        is_open = resolved.verdict == "antecedent_not_found"
        verdict: Verdict = resolved.verdict if is_open else "source_not_in_case"
        where, sources, edits = self._found_elsewhere(quotation, set())
        notes = (*resolved.notes, *([where.strip()] if where else []))
        return self._found(quotation, citation, verdict, resolved.said, sources, edits, notes)

    def _uncited(self, quotation: Quotation) -> Finding | None:
        if len(quotation.text.split()) < _LONG:
            return None
        where, sources, edits = self._found_elsewhere(quotation, set())
        rest = f".{where}" if where else ", so they were not compared."
        message = f"CaseTrack found no citation for these words{rest}"
        return self._found(quotation, None, "no_citation", message, sources, edits)

    def _found(
        self,
        words: Quotation | LegalCitation,
        citation: LegalCitation | None,
        verdict: Verdict,
        message: str,
        sources: tuple[Quote, ...],
        edits: tuple[Edit, ...],
        notes: tuple[str, ...] = (),
        *,
        found_pin: str = "",
    ) -> Finding:
        """Return the finding for a citation, or for a quotation and its citation."""
        sure = min(words.confidence, citation.confidence if citation else 1.0)
        return Finding(
            number=0,
            what="citation" if words is citation else "quotation",
            verdict=verdict,
            text=words.text,
            place=draft_place(self.draft.whole, words.start, words.end),
            cited=citation.text if citation else "",
            authority=citation.name if citation else "",
            said=message,
            pin=_pin(citation) if citation else "",
            found_pin=found_pin,
            sources=sources,
            edits=edits,
            notes=notes,
            confidence=sure * (self.draft.ocr_confidence or 1.0),
        )

    def _found_elsewhere(
        self, quotation: Quotation, without: set[str]
    ) -> tuple[str, tuple[Quote, ...], tuple[Edit, ...]]:
        """Return a sentence on another document with the words, its quotes and the differences."""
        other = self._elsewhere(quotation, without)
        if other is None:
            return "", (), ()
        sources = self._quotes(other.document, other.match.start, other.match.end)
        where = elsewhere(other.match, other.document, sources)
        return where, sources, other.match.edits

    def _elsewhere(self, quotation: Quotation, without: set[str]) -> _Fit | None:
        """Search the words in the other documents of the case."""
        if len(quotation.text.split()) < _LONG:
            return None
        hits = self.collection.search(
            " ".join(quotation.text.split())[:1000], mode="keyword", limit=_HITS, fold=False,
            vocabulary=False,
        )  # fmt: skip
        ids = dict.fromkeys(hit.provenance.document_id for hit in hits)
        by_id = {d.document_id: d for d in self.resolver.case.documents}
        skipped = without | self.resolver.without
        candidates = [by_id[each] for each in ids if each in by_id and each not in skipped]
        same = [d for d in candidates if is_verbatim_in(quotation.text, self.resolver.text(d))]
        fits = (
            _Fit(document, match, None)
            for document in same or candidates[:1]
            for match in compare(quotation.text, self.resolver.text(document))[:1]
            if match.likeness >= _SURE_ELSEWHERE or match.is_verbatim
        )
        return min(fits, key=_rank, default=None)


def _pin(citation: LegalCitation) -> str:
    return ", ".join(pin.text for pin in citation.pins)


def _rank(held: _Fit) -> tuple[bool, bool, float, int]:
    """Return the sort key: verbatim first, then the right page, then the lowest cost."""
    wrong = held.placed is not None and held.placed.fits == "wrong"
    return not held.match.is_verbatim, wrong, held.match.cost, held.match.start
