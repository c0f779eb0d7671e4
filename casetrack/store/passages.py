"""Stored rows as cited passages: a chunk's text with its full provenance."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from casetrack.base.provenance import PrintedPlace, Provenance, line_numbers
from casetrack.base.records import Chunk
from casetrack.extract.papers.places import printed_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

    from casetrack.store.datasets import Snapshot

_OF_DOCUMENT = ("ingested_at", "source", "source_id", "source_url")
_NOT_PROVENANCE = {*_OF_DOCUMENT, "document_name", "document_path"}
COLUMNS = ("text", "embedders", *sorted(Provenance.__dataclass_fields__.keys() - _NOT_PROVENANCE))
"""Columns of ``chunks`` that make a cited passage."""
PLACE_COLUMNS = tuple(sorted(set(COLUMNS) - {"text", "embedders", "line_boxes"}))
"""Those that make the source of a result: all but the text, and the boxes that highlight it."""
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
"""Those that a citation alone needs."""


def make_provenance(row: Mapping[str, Any], snapshot: Snapshot, /) -> Provenance:
    """Complete a row that holds at least ``PLACE_COLUMNS`` with its document's facts."""
    document = snapshot.documents[row["document_id"]]
    facts = {"document_name": document.name, "document_path": document.path}
    facts |= {name: getattr(document, name) for name in _OF_DOCUMENT}
    return Provenance.from_row({**row, **facts})


def make_chunks(table: pa.Table, snapshot: Snapshot, /) -> list[Chunk]:
    """Turn rows with ``COLUMNS`` into chunks in reading order, with their documents."""
    chunks = []
    for row in table.to_pylist():
        provenance = make_provenance(row, snapshot)
        count = snapshot.documents[row["document_id"]].chunk_count
        chunks.append(Chunk(row["text"], provenance, tuple(row["embedders"]), count))
    chunks.sort(key=lambda c: (c.provenance.document_path, c.provenance.chunk_index))
    return chunks


NARROW_COLUMNS = (*PLACE_COLUMNS, "text", "paragraphs", "line_boxes", "printed")
"""Columns that :func:`narrowed` needs."""


def narrowed(row: Mapping[str, Any], snapshot: Snapshot, start: int, end: int, /) -> Provenance:
    """Return where a part of a chunk stands: its own characters, paragraphs, lines and boxes.

    Parameters
    ----------
    row
        ``NARROW_COLUMNS`` of the chunk.
    snapshot
        Its collection.
    start, end
        The part, code points into the chunk's text.

    Returns
    -------
    Provenance
        That of the chunk, narrowed as far as can be told with certainty: where the lines between
        are not numbered one by one, the lines stay those of the chunk.
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
    """Return where ``text[start:end]`` of a chunk stands; see :func:`narrowed`.

    Parameters
    ----------
    whole, text, paragraphs, printed
        The chunk: its place with the rectangles of its lines, its text, its paragraphs and the
        places printed on it as stored.
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


def _lines(whole: Provenance, text: str, start: int, end: int) -> tuple[tuple[int, ...], int, int]:
    """Return the numbers of the lines of a part of a chunk: all, the first and the last."""
    numbers = whole.line_numbers or line_numbers(text, whole.line_start, whole.line_end)
    filled = [n for n, line in enumerate(text.split("\n")) if line.strip()]
    top, bottom = text.count("\n", 0, start), text.count("\n", 0, max(start, end - 1))
    if len(numbers) != len(filled) or top not in filled or bottom not in filled:
        return whole.line_numbers, whole.line_start, whole.line_end
    part = numbers[filled.index(top) : filled.index(bottom) + 1]
    return tuple(part if whole.line_numbers else ()), part[0], part[-1]
