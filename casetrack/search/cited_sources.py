"""Pages of the cited source itself: opinion, paper, transcript or Bates stamp.

The document is resolved by :class:`casetrack.graph.paper_sources.Sources`, the page by the places
printed on it (pages and lines of transcripts, star pages, Bates numbers).
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from casetrack.base.dataclass import dataclass, replace
from casetrack.extract.papers.case_numbers import case_key
from casetrack.extract.papers.places import read_bates
from casetrack.extract.papers.text import LegalCitation
from casetrack.extract.references.matches import slug
from casetrack.graph.cited import distinctive, same_word
from casetrack.graph.paper_sources import Sources
from casetrack.store.index.scope import positions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from casetrack.base.records import Document
    from casetrack.base.records.reading import AskedCitation
    from casetrack.extract.papers.places import BatesRange
    from casetrack.extract.papers.text import AuthorityKind
    from casetrack.store.index.scope import Place, Scope
    from casetrack.store.workspace import State

AT_PLACE, SOURCE = 0, 1
"""Distance of a passage: the cited page or line; the start of the cited source."""
_LINES = re.compile(r"(?<![\d*])(\d{1,4}):(\d{1,2})(?:-(?:(\d{1,4}):)?(\d{1,2}))?(?!\d)")
_STARS = re.compile(r"\*(\d+)(?:-\*(\d+))?")
_PRINTED = re.compile(r"printed pp?\. (\d+)(?:-(\d+))?")
_DECISIONS = frozenset(("opinion", "order"))


def sources_in(state: State, /) -> Sources:
    """Return the documents of a state as citation targets; built once."""
    return Sources(state.snapshot.documents.values())


def loaded_ranges(state: State, /) -> tuple[tuple[BatesRange, Document], ...]:
    """Return the Bates ranges from load files, with their documents."""
    ranges = []
    for document in state.snapshot.documents.values():
        if document.parent_id is not None or '"bates_begin"' not in (document.metadata or ""):
            continue
        metadata = json.loads(document.metadata or "{}")
        first = read_bates(metadata.get("bates_begin") or "")
        last = read_bates(metadata.get("bates_end") or metadata.get("bates_begin") or "")
        if first is None or last is None or first.key != last.key:
            continue
        if first.first <= last.last:
            ranges.append((replace(first, last=last.last), document))
    return tuple(ranges)


@dataclass(frozen=True, slots=True)
class SourcePlaces:
    """Finds the pages of cited sources in one scope."""

    state: State
    scope: Scope

    def of(self, citation: AskedCitation, keys: Sequence[str], /) -> dict[Place, int]:
        """Return the places of a citation's sources, by distance; *keys* are its references."""
        if citation.kind == "bates":
            asked = read_bates(citation.part.text) or read_bates(citation.number)
            return {} if asked is None else self._numbered(asked)
        if citation.kind == "transcript":
            return dict.fromkeys(self._spoken(citation), AT_PLACE)
        places: dict[Place, int] = {}
        for document in self._documents(citation, keys):
            at = list(self._pages(document, citation)) if citation.pin else []
            if at:
                places |= dict.fromkeys(at, AT_PLACE)
            elif (first := next(self.scope.places_of(document.document_id), None)) is not None:
                places[first] = SOURCE
        return places

    def _documents(self, citation: AskedCitation, keys: Sequence[str]) -> list[Document]:
        sources = self.state.once(sources_in)
        if citation.kind == "docket number":
            wanted = case_key(citation.number)
            return [
                d for d in sources.documents if d.case_number and case_key(d.case_number) == wanted
            ]
        by_id = {
            d.document_id: d
            for key in dict.fromkeys((*keys, *citation.keys))
            for d in sources.sources_of(_as_cited(citation, key))
        }
        if not by_id and citation.kind in {"case", "name"}:
            by_id = {d.document_id: d for d in sources.documents if _is_called(d, citation)}
        return list(by_id.values())

    def _pages(self, document: Document, citation: AskedCitation) -> Iterator[Place]:
        """Yield the passages on the cited page: by printed number, for papers also by file page."""
        rows = list(self.scope.places_of(document.document_id))
        if citation.pin[0].startswith("¶"):
            numbered = re.compile(rf"(?m)^\s*{citation.pin[0][1:]}\.\s")
            texts = self.scope.index.texts(rows)
            yield from (place for place in rows if numbered.search(texts[place]))
            return
        first, last = (int(p) if p.isdigit() else -1 for p in citation.pin[:2])
        printed = {place: self._printed(place) for place in rows}
        form = re.compile(_STARS.pattern if citation.kind in {"case", "name"} else _PRINTED.pattern)
        for pattern in dict.fromkeys((form, _PRINTED)):
            spans = {
                place: [(int(m[1]), int(m[2] or m[1])) for m in pattern.finditer(text)]
                for place, text in printed.items()
            }
            hits = [
                p for p, ranges in spans.items() if any(a <= last and first <= b for a, b in ranges)
            ]
            if hits:
                yield from hits
                return
        if citation.kind in {"record", "exhibit"}:
            for number, row in rows:
                page = int(self.scope.index.segments[number].data.column("page")[row])
                if first <= page <= last:
                    yield number, row

    def _printed(self, place: Place) -> str:
        return self.scope.index.rows_at([place], ["printed_place"])[0]["printed_place"] or ""

    def _all_printed(self, holding: str) -> Iterator[tuple[Place, str]]:
        """Yield all passages in the scope whose printed places contain a text."""
        import pyarrow.compute as pc

        for number, part in enumerate(self.scope.index.segments):
            column = part.data.places["printed_place"]
            if column.null_count == len(column):
                continue
            fits = pc.fill_null(pc.match_substring(column, holding, ignore_case=True), False)
            wanted = set(positions(self.scope.rows[number], part.data.size).tolist())
            for row in pc.indices_nonzero(fits).to_pylist():
                if row in wanted:
                    yield (number, row), column[row].as_py()

    def _numbered(self, asked: BatesRange) -> dict[Place, int]:
        """Return the pages with Bates numbers, stamped or from a load file.

        A load file has the first and last number of a document. If the document has as many pages
        as numbers, the page is certain; else the start of the document is returned.
        """
        places = dict.fromkeys(self._stamped(asked), AT_PLACE)
        parts = self.scope.index.segments
        stamped = set(map(self.scope.index.document_at, places))
        for borne, document in self.state.once(loaded_ranges):
            if not _overlap(borne, asked) or document.document_id in stamped:
                continue
            rows = list(self.scope.places_of(document.document_id))
            first, last = (n - borne.first + 1 for n in (asked.first, asked.last))
            pages = {p: int(parts[p[0]].data.column("page")[p[1]]) for p in rows}
            has_all = borne.last - borne.first + 1 == document.page_count
            exact = [p for p in rows if has_all and first <= pages[p] <= last]
            if exact:
                places |= dict.fromkeys(exact, AT_PLACE)
            elif rows:
                places[rows[0]] = SOURCE
        return places

    def _stamped(self, asked: BatesRange) -> Iterator[Place]:
        prefix = re.split(r"[\W_\d]", asked.prefix)[0]
        for place, text in self._all_printed(prefix):
            stamps = map(read_bates, text.split("; "))
            if any(borne is not None and _overlap(borne, asked) for borne in stamps):
                yield place

    def _spoken(self, citation: AskedCitation) -> Iterator[Place]:
        first, last = (_line(pin) for pin in citation.pin[:2])
        only = self._of_witness(citation.number)
        for place, text in self._all_printed(":"):
            if only and self.scope.index.document_at(place) not in only:
                continue
            for match in _LINES.finditer(text):
                begin = int(match[1]), int(match[2])
                end = int(match[3] or match[1]), int(match[4] or match[2])
                if begin <= last and first <= end:
                    yield place
                    break

    def _of_witness(self, who: str) -> set[str]:
        """Return the ids of a witness's transcripts; empty if none is known."""
        if not who:
            return set()
        citation = LegalCitation(0, 0, "", "record", "full", f"record:dep-{slug(who)}", who)
        return {d.document_id for d in self.state.once(sources_in).sources_of(citation)}


def _as_cited(citation: AskedCitation, key: str) -> LegalCitation:
    kinds: dict[str, AuthorityKind] = {
        "name": "case",
        "case": "case",
        "record": "record",
        "exhibit": "record",
        "rule": "rule",
        "constitution": "constitution",
        "regulation": "regulation",
    }
    kind = kinds.get(citation.kind, "statute")
    return LegalCitation(0, 0, "", kind, "full", key, citation.part.text, keys=(key,))


def _is_called(document: Document, citation: AskedCitation) -> bool:
    """Return whether a document is the decision with the parties of the citation."""
    if not document.case_name or not (document.own_citations or document.legal_type in _DECISIONS):
        return False
    asked = distinctive(" v. ".join(" ".join(side) for side in citation.parties if side))
    own = distinctive(document.case_name)
    return bool(asked[0]) and all(
        not names or any(same_word(word, names[0]) for word in mine)
        for names, mine in zip(asked, own, strict=True)
    )


def _overlap(one: BatesRange, other: BatesRange) -> bool:
    return one.key == other.key and one.first <= other.last and other.first <= one.last


def _line(pin: str) -> tuple[int, int]:
    page, _, line = pin.partition(":")
    return int(page), int(line or 1)


def opinion_called(ledger: pa.Table, word: str, /) -> bool:
    """Return whether exactly one decision in the table of documents has this short name."""
    columns = (ledger[name].to_pylist() for name in ("case_name", "own_citations"))
    fits = {
        name
        for name, own in zip(*columns, strict=True)
        if name and own and distinctive(name)[0][:1] == (word,)
    }
    return len(fits) == 1
