"""The tables ``authorities``, ``authority_cites``, ``record_cites`` and ``quotations``.

They are built from segments in the order of documents and text, so they do not depend on the order
of the segments.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from casetrack.base import schema
from casetrack.editions.legal.extract.cited_text import text_outside_citations
from casetrack.extract.language import sentence_ends
from casetrack.extract.papers.text import LegalCitation
from casetrack.graph.paper_sources import Sources, one_of
from casetrack.graph.segment import TableSegment, rows_between, save, table_of
from casetrack.store.index.segment_files import SegmentFolder, read_groups
from casetrack.store.passages import ROWS, text_of_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from casetrack.base.records import Document
    from casetrack.extract.papers.text import WholeText
    from casetrack.graph.graph import ContextGraph
    from casetrack.store.datasets import Snapshot

# A segment with citations and quotations of some revisions, immutable and memory-mapped. Files of a
# segment folder, each an Arrow table: ``revisions`` (``revision``, ascending, and ``start``, its
# first row in ``cites``), ``cites`` (one row per citation) and ``quotes`` (one per quotation;
# ``cite`` is the row of its citation in ``cites``, -1 for none). No row depends on other documents,
# so segments are merged by concatenation.

FORMAT = 7
"""Increased when the layout or the reading of documents changes."""
PIN = pa.struct(
    [(n, pa.string()) for n in ("text", "unit", "first", "last", "first_line", "last_line")]
)
_PLACE: dict[str, pa.DataType] = {
    "revision": pa.int32(),
    "chunk_id": pa.string(),
    "chunk_index": pa.int32(),
    "page": pa.int32(),
    "char_start": pa.int32(),
    "char_end": pa.int32(),
    "text": pa.string(),
}
LAYOUT: dict[str, dict[str, pa.DataType]] = {
    "revisions": {"revision": pa.string(), "start": pa.int64()},
    "cites": {
        **_PLACE,
        "kind": pa.string(),
        "form": pa.string(),
        "key": pa.string(),
        "keys": pa.list_(pa.string()),
        "name": pa.string(),
        "pins": pa.list_(PIN),
        "signal": pa.string(),
        "treatment": pa.string(),
        "parenthetical": pa.string(),
        "court": pa.string(),
        "year": pa.int32(),
        "sentence": pa.string(),
        "resolved": pa.bool_(),
        "confidence": pa.float32(),
        "note": pa.string(),
    },
    "quotes": {
        **_PLACE,
        "words": pa.string(),
        "is_block": pa.bool_(),
        "cite": pa.int32(),
        "confidence": pa.float32(),
    },
}
"""Columns of each table of a segment."""
PLACES = ("cites", "quotes")


class LegalSegment(TableSegment):
    """Citations and quotations of some revisions; its size is the number of citations."""

    __slots__ = ()


def segment_of(read: Mapping[str, Mapping[str, Sequence[Mapping[str, Any]]]], /) -> LegalSegment:
    """Return the segment of some rows, by revision and table."""
    rows: dict[str, list[Mapping[str, Any]]] = {name: [] for name in LAYOUT}
    for code, revision in enumerate(sorted(read)):
        first = len(rows["cites"])
        rows["revisions"].append({"revision": revision, "start": first})
        own = {"revision": code}
        rows["cites"] += [{**row, **own} for row in read[revision]["cites"]]
        rows["quotes"] += [
            {**row, **own, "cite": row["cite"] if row["cite"] < 0 else row["cite"] + first}
            for row in read[revision]["quotes"]
        ]
    tables = {name: table_of(LAYOUT[name], entries) for name, entries in rows.items()}
    return LegalSegment.of(tables, "cites")


def merge(parts: Sequence[LegalSegment], live: Iterable[str], /) -> Iterator[LegalSegment]:
    """Yield one segment with the live revisions of some segments, without repetition."""
    wanted, kept = set(live), dict[str, dict[str, list[dict[str, Any]]]]()
    for part in parts:
        tables = dict(part.tables)
        for code, revision in enumerate(part.revisions):
            if revision in wanted and revision not in kept:
                kept[revision] = _rows_of(tables, int(part.starts[code]), code)
    yield segment_of(kept)


def _rows_of(
    whole: Mapping[str, pa.Table], first: int, code: int
) -> dict[str, list[dict[str, Any]]]:
    tables = {}
    for name in PLACES:
        table = whole[name]
        low, high = rows_between(table, "revision", code, code + 1)
        tables[name] = table.slice(low, high - low).to_pylist()
    for row in tables["quotes"]:
        row["cite"] -= first if row["cite"] >= 0 else 0
    return tables


def load(folder: Path, /) -> LegalSegment:
    """Map a saved segment; see :meth:`casetrack.graph.segment.TableSegment.load`."""
    return LegalSegment.load(folder, LAYOUT, "cites")


# Reading of stored documents, cached by revision.

LARGEST = 65_536
"""Segments with half this number of citations are not merged further."""
_READ_TOGETHER = 4096
_COLUMNS = ("revision", "chunk_id", "char_end", *ROWS)
_SENTENCE_REACH = 1200
"""Maximum characters from a citation to the start and the end of its sentence."""
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_WORD = re.compile(r"[^\W\d_]{2,}")
_MOST_SENTENCES = 4
_CITING_WORDS = frozenset(
    "see also but cf accord contra compare with generally and or in at of the by citing quoting "
    "cited quoted overruled overruling abrogated abrogating superseded statute reversed vacated "
    "affirmed aff rev cert denied granted sub nom other grounds on part grounds id ibid supra "
    "hereinafter both".split()
)
"""For a sentence without other words outside of its citations, the previous one is used."""


def legal_folder(home: Path, snapshot: Snapshot, /) -> SegmentFolder[LegalSegment]:
    """Return the folder of segments at *home*."""

    def build(revisions: Iterable[str]) -> Iterator[LegalSegment]:
        for rows in read_groups(snapshot, revisions, _COLUMNS, _READ_TOGETHER, blank=True):
            columns = rows.select([c for c in _COLUMNS if c in rows.column_names]).to_pylist()
            yield read_rows(columns)

    return SegmentFolder(home, FORMAT, LARGEST, load, save, build, merge)


def read_rows(rows: list[dict[str, Any]], /) -> LegalSegment:
    """Return the segment of documents from all of their stored rows."""
    rows.sort(key=lambda row: (row["revision"], row["chunk_index"]))
    return segment_of(
        {
            revision: _read(list(group))
            for revision, group in groupby(rows, lambda row: row["revision"])
        }
    )


def _read(rows: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    from casetrack.editions.legal.extract.citations import read_citations
    from casetrack.editions.legal.extract.quotations import read_quotations

    whole = text_of_rows(rows)
    citations = read_citations(whole)
    placed = _Chunks(rows, whole)
    cites = []
    for number, one in enumerate(citations):
        own = asdict(one)
        kept = {n: own[n] for n in LAYOUT["cites"] if n in own and n != "text"}
        kept["pins"] = [{field.name: pin[field.name] for field in PIN} for pin in own["pins"]]
        sentence = _sentence(whole.text, citations, number)
        cites.append(kept | placed.at(one.start, one.end) | {"sentence": sentence})
    quotes = [
        placed.at(one.start, one.end)
        | {"words": one.text, "cite": -1 if one.citation is None else one.citation}
        | {"is_block": one.is_block, "confidence": one.confidence}
        for one in read_quotations(whole, citations)
    ]
    return {"cites": cites, "quotes": quotes}


class _Chunks:
    """Maps places of the whole text to chunks."""

    def __init__(self, rows: Sequence[Mapping[str, Any]], whole: WholeText) -> None:
        self._whole = whole
        self._by_page: dict[int, list[Mapping[str, Any]]] = {}
        for row in rows:
            self._by_page.setdefault(row["page"], []).append(row)

    def at(self, start: int, end: int) -> dict[str, Any]:
        """Return the chunk with the start of a span, and the span in it, cut at its end."""
        page, first, last = self._whole.parts(start, end)[0]
        chunks = self._by_page[page.number]
        holding = [c for c in chunks if c["char_start"] <= first < c["char_end"]]
        row = next((c for c in holding if last <= c["char_end"]), holding[-1])
        offset = row["char_start"]
        low, high = first - offset, min(last, row["char_end"]) - offset
        own = {n: row[n] for n in ("chunk_id", "chunk_index", "page")}
        return own | {"char_start": low, "char_end": high, "text": row["text"][low:high]}


def _sentence(text: str, citations: Sequence[LegalCitation], number: int) -> str:
    """Return the sentence of a citation on one line; the previous one too if it only cites.

    A period within a citation or after a signal does not end a sentence.
    """
    cited = citations[number]
    low, high = max(0, cited.start - _SENTENCE_REACH), min(len(text), cited.end + _SENTENCE_REACH)
    for match in _PARAGRAPH.finditer(text, low, high):
        if match.end() <= cited.start:
            low = match.end()
        elif match.start() >= cited.end:
            high = match.start()
            break
    ends = [e for e in sentence_ends(text, low, high) if not _inside(citations, e)]
    ends = [e for e in ends if not _SIGNAL_BEFORE.search(text, max(low, e - 12), e)]
    ends = sorted({*ends, *_ends_of_citations(text, citations, low, high)})
    before = [low, *(e for e in ends if e <= cited.start)]
    after = next((e for e in ends if e >= cited.end), high)
    at = len(before) - 1
    while at > max(0, len(before) - _MOST_SENTENCES) and _only_cites(
        text, citations, before[at], before[at + 1] if at + 1 < len(before) else after
    ):
        at -= 1
    first = before[at]
    return " ".join(text[first:after].split())


_SIGNAL_BEFORE = re.compile(r"(?:\b(?:e\.g|[Cc]f|[Ii]d|i\.e|v|No|Inc|Corp|Co|Ltd)\.)\s*$")


def _ends_of_citations(
    text: str, citations: Sequence[LegalCitation], low: int, high: int
) -> Iterator[int]:
    """Yield ends of sentences after citations, such as after "Id." and "Compl. ¶ 4."."""
    for one in citations[bisect_left(citations, low, key=lambda c: c.start) :]:
        if one.start >= high:
            return
        point = one.end if text[one.end - 1 : one.end] == "." else one.end + 1
        if text[point - 1 : point] == "." and _SENTENCE_AFTER.match(text, point):
            yield point


_SENTENCE_AFTER = re.compile(r"\s+[\[(\"\u201c\u2018]*[A-Z\u00a7]|\s*$")


def _inside(citations: Sequence[LegalCitation], offset: int) -> bool:
    at = bisect_left(citations, offset, key=lambda c: c.start) - 1
    # A period directly after a citation ends its sentence.
    return at >= 0 and citations[at].start < offset < citations[at].end


def _only_cites(text: str, citations: Sequence[LegalCitation], start: int, end: int) -> bool:
    first, last = (bisect_left(citations, at, key=lambda c: c.start) for at in (start, end))
    rest = text_outside_citations(text, citations[first:last], start, end)
    words = _WORD.findall(_PARENTHESES.sub(" ", rest).lower())
    return first < last and _CITING_WORDS.issuperset(words)


_PARENTHESES = re.compile(r"\([^()]*\)")


_ORDER = ("chunk_index", "char_start", "char_end")
_PLACE_COLUMNS = ("chunk_id", "chunk_index", "page", "char_start", "char_end", "text")
_SAID = (
    *("name", "form", "pins", "signal", "treatment", "parenthetical", "sentence"),
    *("resolved", "confidence", "note"),
)


def legal_tables(graph: ContextGraph, /) -> LegalTables:
    """Return the citations and quotations of all documents; only new revisions are read."""
    return graph.once(_of_all)


def _of_all(graph: ContextGraph) -> LegalTables:
    return tables_of(graph, graph.documents)


def tables_of(graph: ContextGraph, chosen: Sequence[Document], /) -> LegalTables:
    """Return the citations and quotations of some documents."""
    folder = legal_folder(graph.home / "legal", graph.snapshot)
    segments = folder.segments(graph.snapshot, only={d.revision for d in chosen})
    return LegalTables(graph.documents, tuple(chosen), tuple(segments))


@dataclass(frozen=True)
class LegalTables:
    """Citations and quotations of the documents of one state."""

    every: tuple[Document, ...]  # All documents, in order; they may be cited
    documents: tuple[Document, ...]  # The documents with citations to return, in order
    segments: tuple[LegalSegment, ...]  # Contain their revisions, and possibly others
    _known: dict[tuple[Any, ...], Document | None] = field(default_factory=dict, repr=False)

    @cached_property
    def cites(self) -> list[dict[str, Any]]:
        """All citations in order, with their documents.

        An opinion's own citation at its head is excluded.
        """
        return [row for row in self._rows("cites") if not self._is_own(row)]

    def _is_own(self, row: dict[str, Any]) -> bool:
        if row["kind"] != "case" or row["form"] != "full":
            return False
        source = self.source(row)
        return source is not None and source.document_id == row["document_id"]

    def _rows(self, name: str) -> list[dict[str, Any]]:
        ranks = {d.revision: rank for rank, d in enumerate(self.documents)}
        taken: dict[str, int] = {}
        rows: list[tuple[tuple[int, ...], dict[str, Any]]] = []
        for number, part in enumerate(self.segments):
            # Two programs may read a revision at the same time; only one result is used.
            for revision in part.revisions:
                taken.setdefault(revision, number)
            for at, row in enumerate(part.tables[name].to_pylist()):
                revision = part.revisions[row["revision"]]
                rank = ranks.get(revision)
                if rank is None or taken[revision] != number:
                    continue
                document = self.documents[rank]
                row |= {
                    "document_id": document.document_id,
                    "document_name": document.name,
                    "at": (number, at),
                }
                rows.append(((rank, *(row[n] for n in _ORDER)), row))
        rows.sort(key=lambda pair: pair[0])
        return [row for _, row in rows]

    @cached_property
    def sources(self) -> Sources:
        """The documents as sources of citations."""
        return Sources(self.every)

    def source(self, row: dict[str, Any], /) -> Document | None:
        """Return the source of a citation, if exactly one document matches."""
        cited = (row["key"], row["name"], row["year"])
        if cited not in self._known:
            citation = LegalCitation(
                *(0, 0, "", row["kind"], "full", row["key"], row["name"]),
                keys=tuple(row["keys"] or ()),
                year=row["year"],
                resolved=row["resolved"],
            )
            self._known[cited] = one_of(self.sources.sources_of(citation))
        return self._known[cited]

    def authorities(self) -> pa.Table:
        """Return the table ``authorities``: resolved citations by authority, most cited first."""
        groups: dict[str, list[dict[str, Any]]] = {}
        for row in self.cites:
            if row["resolved"] and row["kind"] != "record":
                groups.setdefault(row["key"], []).append(row)
        rows: list[dict[str, Any]] = []
        for key, places in groups.items():
            name, kind = usual_name(places)
            sources = (self.source(row) for row in places)
            source = next((document for document in sources if document is not None), None)
            rows.append(
                {
                    "authority_id": key,
                    "kind": kind,
                    "name": name,
                    "parallel_ids": sorted({k for r in places for k in r["keys"] or ()} - {key}),
                    "year": next((r["year"] for r in places if r["year"] is not None), None),
                    "court": next((r["court"] for r in places if r["court"]), None),
                    "citation_count": len(places),
                    "document_count": len({r["document_id"] for r in places}),
                    "treatments": sorted({r["treatment"] for r in places} - {""}),
                    **_source(source),
                }
            )
        rows.sort(key=lambda row: (-row["citation_count"], row["authority_id"]))
        return _declared("authorities", rows)

    def authority_cites(self) -> pa.Table:
        """Return the table ``authority_cites``."""
        rows = (r for r in self.cites if r["kind"] != "record")
        return _declared("authority_cites", [self._cite(r) for r in rows])

    def record_cites(self) -> pa.Table:
        """Return the table ``record_cites``."""
        rows = (r for r in self.cites if r["kind"] == "record")
        return _declared("record_cites", [self._cite(r) for r in rows])

    def _cite(self, row: dict[str, Any]) -> dict[str, Any]:
        source = self.source(row)
        return {
            "authority_id": row["key"] or None,
            "record_id": row["key"] or None,
            "kind": row["kind"],
            "pin": pin_of(row),
            **_source(source),
            **_placed(row),
            **{n: row[n] for n in _SAID},
        }

    def quotations(self) -> pa.Table:
        """Return the table ``quotations``."""
        cited = {row["at"]: row for row in self.cites}
        rows = []
        for row in self._rows("quotes"):
            cite = cited.get((row["at"][0], row["cite"]))
            rows.append(
                {
                    **_placed(row),
                    "quotation": row["words"],
                    "is_block": row["is_block"],
                    "authority_id": cite["key"] or None if cite else None,
                    "authority_name": cite["name"] if cite and cite["key"] else None,
                    "pin": cite and pin_of(cite),
                    "confidence": row["confidence"],
                }
            )
        return _declared("quotations", rows)


def usual_name(rows: Sequence[Mapping[str, Any]], /) -> tuple[str, str]:
    """Return the most frequent name (longest of equal ones) and kind in some citations."""
    names = Counter((row["name"], row["kind"]) for row in rows)
    return min(names, key=lambda n: (-names[n], -len(n[0]), n))


def pin_of(row: dict[str, Any], /) -> str | None:
    """Return the pin cites of a citation as written, or ``None``."""
    return ", ".join(pin["text"] for pin in row["pins"] or ()) or None


def _source(document: Document | None) -> dict[str, str | None]:
    return {
        "source_document_id": document.document_id if document else None,
        "source_document_name": document.name if document else None,
    }


def _placed(row: dict[str, Any]) -> dict[str, Any]:
    return {n: row[n] for n in ("document_id", "document_name", *_PLACE_COLUMNS)}


def _declared(name: str, rows: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist(rows, schema.table(name).arrow())


TABLES: dict[str, Callable[[ContextGraph], pa.Table]] = {
    "authorities": lambda graph: legal_tables(graph).authorities(),
    "authority_cites": lambda graph: legal_tables(graph).authority_cites(),
    "record_cites": lambda graph: legal_tables(graph).record_cites(),
    "quotations": lambda graph: legal_tables(graph).quotations(),
}
"""Tables that this edition adds to the map."""
