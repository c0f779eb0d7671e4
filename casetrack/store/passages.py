"""Cited passages from stored rows, documents and chunks by name or id, and whole texts."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

from casetrack.base import arguments
from casetrack.base.errors import AmbiguousName, ChunkNotFound, DocumentNotFound
from casetrack.base.provenance import PrintedPlace, Provenance, line_numbers
from casetrack.base.records import Chunk, Document
from casetrack.extract.papers.places import printed_words
from casetrack.extract.papers.text import TextPage, WholeText
from casetrack.store.datasets import Snapshot, any_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pyarrow as pa


_OF_DOCUMENT = ("name", "path", "ingested_at", "source", "source_id", "source_url")
_NOT_PROVENANCE = {*_OF_DOCUMENT, "document_name", "document_path"}
COLUMNS = ("text", "embedders", *sorted(Provenance.__dataclass_fields__.keys() - _NOT_PROVENANCE))
"""Columns of ``chunks`` that make a cited passage."""
PLACE_COLUMNS = tuple(sorted(set(COLUMNS) - {"text", "embedders", "line_boxes"}))
"""Columns of a result's source: all except the text and its boxes."""
CITE_COLUMNS = (
    "document_id",
    "chunk_id",
    "page",
    "page_kind",
    "page_is_estimated",
    "printed_place",
    *(f"{part}_{end}" for part in ("paragraph", "line", "char") for end in ("start", "end")),
    "sheet_name",
    *(f"{part}_{end}" for part in ("row", "column") for end in ("start", "end")),
)
"""Columns of a citation."""


def make_provenance(row: Mapping[str, Any], snapshot: Snapshot, /) -> Provenance:
    """Return the provenance of a row with at least ``PLACE_COLUMNS`` and its document."""
    facts = snapshot.documents.cells(row["document_id"], _OF_DOCUMENT)
    names = {"document_name": facts.pop("name"), "document_path": facts.pop("path")}
    return Provenance.from_row({**row, **facts, **names})


def make_chunks(table: pa.Table, snapshot: Snapshot, /) -> list[Chunk]:
    """Turn rows with ``COLUMNS`` into chunks in reading order, with their documents."""
    chunks = []
    for row in table.to_pylist():
        provenance = make_provenance(row, snapshot)
        count = snapshot.documents[row["document_id"]].chunk_count
        chunks.append(Chunk(row["text"], provenance, tuple(row["embedders"]), count))
    chunks.sort(key=lambda c: (c.provenance.document_path, c.provenance.chunk_index))
    return chunks


MARK_COLUMNS = ("paragraphs", "line_boxes", "printed")
"""Columns with which a part of a passage is marked."""
NARROW_COLUMNS = (*PLACE_COLUMNS, "text", *MARK_COLUMNS)
"""Columns that :func:`narrowed` needs."""


def narrowed(row: Mapping[str, Any], snapshot: Snapshot, start: int, end: int, /) -> Provenance:
    """Return the provenance of ``text[start:end]`` of a chunk, with its lines and boxes.

    *row* has the ``NARROW_COLUMNS``; offsets are code points of the chunk's text. The lines stay
    those of the chunk where the lines in between are not numbered consecutively.
    """
    whole = make_provenance(row, snapshot)
    return narrow(whole, row["text"], row["paragraphs"], row["printed"], start, end)


def narrow(
    whole: Provenance,
    text: str,
    paragraphs: Sequence[Mapping[str, Any]] | None,
    printed: Sequence[Mapping[str, Any]] | None,
    start: int,
    end: int,
    /,
) -> Provenance:
    """Return the provenance of ``text[start:end]`` of a chunk; see :func:`narrowed`.

    *whole* is the provenance of the chunk with the rectangles of its lines; *paragraphs* and
    *printed* are the stored columns.
    """
    numbers, first, last = _lines(whole, text, start, end)
    offset = whole.char_start
    touched = [
        p["number"]
        for p in paragraphs or ()
        if p["end"] > offset + start and p["start"] < offset + end
    ]
    return replace(
        whole,
        char_start=offset + start,
        char_end=offset + end,
        paragraph_start=touched[0] if touched else whole.paragraph_start,
        paragraph_end=touched[-1] if touched else whole.paragraph_end,
        line_numbers=numbers,
        line_start=first,
        line_end=last,
        printed_place=printed_words([PrintedPlace(**p) for p in printed], start, end)
        if printed
        else whole.printed_place,
        row_start=first if whole.row_start is not None else None,
        row_end=last if whole.row_end is not None else None,
        hidden=tuple(
            replace(s, start=max(s.start, start) - start, end=min(s.end, end) - start)
            for s in whole.hidden
            if s.start < end and s.end > start
        ),
        line_boxes=tuple(b for b in whole.line_boxes if first <= b.line <= last),
    )


def offset_of(whole: Provenance, text: str, line: int, /) -> int | None:
    """Return the offset in a chunk of a line of its page, or of the next line with text."""
    rows = text.split("\n")
    numbers = whole.line_numbers or line_numbers(text, whole.line_start, whole.line_end)
    filled = [row for row, own in enumerate(rows) if own.strip()]
    if len(numbers) != len(filled):
        return None
    row = next((r for r, n in zip(filled, numbers, strict=True) if n >= line), None)
    return None if row is None else sum(len(own) + 1 for own in rows[:row])


def _lines(whole: Provenance, text: str, start: int, end: int) -> tuple[tuple[int, ...], int, int]:
    """Return the line numbers of a part of a chunk, and its first and last line number."""
    numbers = whole.line_numbers or line_numbers(text, whole.line_start, whole.line_end)
    filled = [n for n, line in enumerate(text.split("\n")) if line.strip()]
    top, bottom = text.count("\n", 0, start), text.count("\n", 0, max(start, end - 1))
    if len(numbers) != len(filled) or top not in filled or bottom not in filled:
        return whole.line_numbers, whole.line_start, whole.line_end
    part = numbers[filled.index(top) : filled.index(bottom) + 1]
    return tuple(part if whole.line_numbers else ()), part[0], part[-1]


# Lookup of documents and chunks in one state of a collection.

_ENDING = re.compile(r"(?<=.)\.[A-Za-z][A-Za-z0-9]{0,7}$", re.DOTALL)
_PART_OF_ID = re.compile(r"[0-9a-f-]{8,35}")
"""Pattern of an abbreviated id: long enough to be an id, and shorter than a whole one."""
_SHORTEST_LIKE = 3
"""Minimum length for a substring match of names; shorter strings occur in nearly every name."""


def find_document(snapshot: Snapshot, name_or_id: str, /, *, whole: bool = False) -> Document:
    """Return the document with a name, a path, or an id (its first 8 characters are enough).

    A name also matches without its file extension, as in citations, unless another document has
    exactly this name; and, unless *whole*, by words that only its name contains.
    """
    # A whole id, as in every link, is a direct lookup.
    if (own := name_or_id.strip()) in snapshot.documents:
        return snapshot.documents[own]
    documents = list(snapshot.documents.values())
    entries = [arguments.Entry(d.document_id, d.name, (d.path,)) for d in documents]
    position = arguments.find(name_or_id, entries, kind="document")
    if position is None:
        position = _without_ending(name_or_id, documents)
    if position is None and not whole:
        position = arguments.find_part(name_or_id, entries)
    if position is None:
        raise DocumentNotFound(name_or_id, _near(name_or_id, documents))
    return documents[position]


def _without_ending(asked: str, documents: Sequence[Document]) -> int | None:
    """Return the position of the document whose name without file extension is *asked*."""
    text = asked.strip()
    folded = text.casefold()
    shortened = [(_stem(d.name), _stem(d.path)) for d in documents]
    for fits in (
        [i for i, pair in enumerate(shortened) if text in pair],
        [i for i, (name, _) in enumerate(shortened) if name.casefold() == folded],
    ):
        if len(fits) > 1:
            matches = [(documents[i].name, documents[i].document_id) for i in fits]
            raise AmbiguousName("document", asked, matches)
        if fits:
            return fits[0]
    return None


def _near(asked: str, documents: Sequence[Document]) -> list[tuple[str, str]]:
    """Return ``(name, id)`` of documents with a similar name; file extensions are ignored."""
    stem = _stem(asked.strip())
    full = {d.document_id: d.name for d in documents}
    entries = [arguments.Entry(d.document_id, _stem(d.name)) for d in documents]
    if len(stem) < _SHORTEST_LIKE:
        entries = [entry for entry in entries if entry.name.casefold() == stem.casefold()]
    return [(full[document_id], document_id) for _, document_id in arguments.near(stem, entries)]


def _stem(name: str) -> str:
    return _ENDING.sub("", name)


def attached_to(snapshot: Snapshot, document: Document, /) -> list[Document]:
    """Return the attachments of a document, of all levels."""
    attachments = []
    for other in snapshot.documents.values():
        if other.parent_id == document.document_id:
            attachments += [other, *attached_to(snapshot, other)]
    return attachments


def find_chunk(snapshot: Snapshot, chunk_id: str, /) -> Chunk:
    """Return a live chunk by its id; the first 8 characters are enough."""
    chunks = make_chunks(snapshot.where("chunk_id", chunk_id, COLUMNS), snapshot)
    chunks = chunks or _beginning(snapshot, chunk_id)
    if not chunks:
        raise ChunkNotFound(chunk_id)
    if len(chunks) > 1:
        matches = [(chunk.citation, chunk.chunk_id) for chunk in chunks]
        raise AmbiguousName("chunk", chunk_id, matches)
    return chunks[0]


def whole_chunk_id(snapshot: Snapshot, chunk_id: str, /) -> str:
    """Return the whole id for an abbreviated *chunk_id*; return any other *chunk_id* unchanged."""
    if not _PART_OF_ID.fullmatch(chunk_id.strip().lower()):
        return chunk_id
    return find_chunk(snapshot, chunk_id).chunk_id


def short_chunk_ids(snapshot: Snapshot, /) -> arguments.ShortIds:
    """Return the abbreviations of the ids of all live chunks."""
    import pyarrow.compute as pc

    ids = snapshot.scan(("chunk_id",))["chunk_id"]
    starts = pc.utf8_slice_codeunits(ids, 0, arguments.ID_PREFIX)
    counted = pc.value_counts(starts)
    several = counted.filter(pc.greater(counted.field("counts"), 1)).field("values")
    return arguments.ShortIds.among(ids.filter(pc.is_in(starts, value_set=several)).to_pylist())


def _beginning(snapshot: Snapshot, start: str) -> list[Chunk]:
    """Return the live chunks whose ids begin with *start*; the search reads the ids only."""
    start = start.strip().lower()
    if not _PART_OF_ID.fullmatch(start):
        return []
    table = snapshot.rows_where(f"starts_with(chunk_id, '{start}')", COLUMNS)
    return make_chunks(table, snapshot)


def chunks_of(snapshot: Snapshot, document: Document, /) -> list[Chunk]:
    """Return the chunks of a document in reading order."""
    return make_chunks(snapshot.scan(COLUMNS, revisions=[document.revision]), snapshot)


def chunks_near(snapshot: Snapshot, chunk: Chunk, window: int, /) -> list[Chunk]:
    """Return a chunk with up to *window* chunks before and after it, reading only their rows."""
    place = chunk.provenance
    first, last = place.chunk_index - window, place.chunk_index + window
    revision = snapshot.documents[place.document_id].revision
    condition = f"{any_of('revision', [revision])} AND chunk_index BETWEEN {first} AND {last}"
    return make_chunks(snapshot.rows_where(condition, COLUMNS), snapshot)


def page_rows(
    snapshot: Snapshot, document: Document, page: int, columns: Sequence[str], /
) -> list[dict[str, Any]]:
    """Return the stored rows of one page; reads only these."""
    condition = f"{any_of('revision', [document.revision])} AND page = {int(page)}"
    rows: list[dict[str, Any]] = snapshot.rows_where(condition, columns).to_pylist()
    return rows


# Texts of whole documents, with the page and line numbers printed in them.

ROWS = (
    *("chunk_index", "page", "page_is_estimated", "text", "char_start", "printed", "paragraphs"),
)
"""Columns of ``chunks`` that a whole text needs."""


def whole_text(snapshot: Snapshot, document_id: str, /) -> WholeText:
    """Return the pages of a document that contain text, assembled from its chunks."""
    revision = snapshot.documents[document_id].revision
    rows = snapshot.scan(ROWS, revisions=[revision]).to_pylist()
    rows.sort(key=lambda row: row["chunk_index"])
    return text_of_rows(rows)


def text_of_rows(rows: Iterable[dict[str, Any]], /) -> WholeText:
    """Return a document as one text, from its ordered chunks with the columns ``ROWS``."""
    return WholeText(
        tuple(_page(number, chunks) for number, chunks in groupby(rows, lambda row: row["page"]))
    )


def _page(number: int, rows: Iterable[dict[str, Any]]) -> TextPage:
    """Join the overlapping chunks of a page and their printed places."""
    text = ""
    spans: dict[tuple[str, str, int], int] = {}
    marked = {kind: dict[tuple[int, int], None]() for kind in ("quote", "footnote")}
    is_estimated = False
    for row in rows:
        is_estimated = bool(row.get("page_is_estimated"))
        offset = row["char_start"]
        for paragraph in row.get("paragraphs") or ():
            if paragraph["kind"] in marked:
                marked[paragraph["kind"]][paragraph["start"], paragraph["end"]] = None
        for place in row.get("printed") or ():
            start, end = offset + place["start"], offset + place["end"]
            # A place that began in an earlier chunk continues in this one.
            known = next(
                (
                    key
                    for key, until in spans.items()
                    if key[:2] == (place["kind"], place["label"]) and key[2] <= start <= until
                ),
                (place["kind"], place["label"], start),
            )
            spans[known] = max(spans.get(known, 0), end)
        text += row["text"][max(0, len(text) - offset) :]
    printed = (PrintedPlace(*key, end) for key, end in spans.items())
    ordered = tuple(sorted(printed, key=lambda p: (p.start, -p.end)))
    blocks, notes = (tuple(sorted(places)) for places in marked.values())
    return TextPage(number, text, ordered, blocks, is_estimated, notes)
