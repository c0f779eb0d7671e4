"""Facts of one document from its pages and chunks: counts, captions, unread rows."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field, fields
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from casetrack.base import schema
from casetrack.base.errors import See
from casetrack.extract.card.cover import Cover, visible
from casetrack.extract.card.read import NO_CARD, card_columns
from casetrack.extract.papers.caption import read_caption
from casetrack.extract.papers.facts import CAPTION_READER, UNREAD, LegalFacts
from casetrack.extract.papers.text import TextPage, WholeText
from casetrack.ingest.steps.base import attempt, collect_failures
from casetrack.store.passages import ROWS, text_of_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from casetrack.base.records import Document
    from casetrack.ingest.steps.base import Batches
    from casetrack.store.datasets import Snapshot

# Numbers of distinct names and references in the text of a document.

_SPANS = ("mentions", "dates", "amounts", "citations")


@dataclass(slots=True)
class SpanCounts:
    """Counts of spans in the chunks of one document; a span in overlapping chunks counts once."""

    _found: dict[str, set[str]] = field(default_factory=lambda: {n: set() for n in _SPANS})
    _looked: dict[str, bool] = field(default_factory=lambda: dict.fromkeys(_SPANS, True))

    def add(self, chunks: pa.Table, /) -> None:
        """Count the spans of rows of ``chunks``."""
        for batch in chunks.select(_SPANS).to_batches():
            for name in _SPANS:
                spans = batch[name]
                self._looked[name] &= spans.null_count == 0
                self._found[name].update(_KEYS[name](spans.flatten()).unique().to_pylist())

    @property
    def entity_count(self) -> int | None:
        """Distinct names, dates and amounts; ``None`` if not all were extracted."""
        return self._count("mentions", "dates", "amounts")

    @property
    def reference_count(self) -> int | None:
        """Distinct references; ``None`` if they were not extracted."""
        return self._count("citations")

    def _count(self, *names: str) -> int | None:
        if not all(self._looked[name] for name in names):
            return None
        return sum(len(self._found[name]) for name in names)


def _keys(spans: pa.StructArray, *names: str) -> pa.StringArray:
    # An ambiguous span, such as 3/4/2024, has no value: it is identified by its text.
    text = pc.struct_field(spans, "text")
    parts = [pc.coalesce(pc.struct_field(spans, n).cast(pa.string()), text) for n in names]
    return pc.binary_join_element_wise(*parts, "\x1f")


def _name_keys(spans: pa.StructArray) -> pa.StringArray:
    names = spans.filter(pc.invert(pc.struct_field(spans, "is_role")))
    return pc.utf8_lower(_keys(names, "kind", "text"))


_KEYS: dict[str, Callable[[pa.StructArray], pa.StringArray]] = {
    "mentions": _name_keys,
    "dates": lambda spans: _keys(spans, "kind", "value"),
    "amounts": lambda spans: _keys(spans, "kind", "value", "unit"),
    "citations": lambda spans: _keys(spans, "type", "key"),
}
"""Key that identifies equal spans, by column."""


# Warnings about rows of a large table that models did not read during the ingest.

_NEXT = f"{See('reindex')} adds both."


def unread(passages: int, total: int, /) -> str:
    """Return the warning for *passages* of *total* that no model has read yet."""
    return (
        f"{passages:,} of {total:,} passages with table rows can be found by words, dates and "
        "amounts, but not yet by meaning, and their names are not extracted: for such a large "
        f"table that takes long. {_NEXT}"
    )


def without_unread(warnings: Iterable[str], /) -> tuple[str, ...]:
    """Return *warnings* without the one for unread passages."""
    return tuple(text for text in warnings if not text.endswith(_NEXT))


_WATCHED = ["text", "extraction_method", "ocr_engine", "ocr_confidence"]
OPENING_CHARS = 8000
"""Characters of a document's beginning that determine its type."""
_HEADINGS = 40
FIRST_PAGES, PAGE_CHARS, PLACED_LINES = 3, 20_000, 100
"""Parts of a document that are kept for the caption reader."""


@dataclass(slots=True)
class Tally:
    """Facts collected from the pages of one document, with its unread table passages."""

    outputs: tuple[str, ...] = ()
    chunks: int = 0
    table_passages: int = 0
    unread: int = 0
    pages: int = 0
    without_text: int = 0
    chars: int = 0
    ocr_pages: int = 0
    opening: str = ""
    first_pages: list[TextPage] = field(default_factory=list)
    boxes: list[dict[int, tuple[float, float]]] = field(default_factory=list)
    ending: str = ""  # Text of the last page
    spans: SpanCounts = field(default_factory=SpanCounts)
    headings: list[str] = field(default_factory=list)
    _methods: Counter[str] = field(default_factory=Counter)
    _languages: Counter[str] = field(default_factory=Counter)
    _engines: Counter[str] = field(default_factory=Counter)
    _confidence: float = 0.0
    _recognised: int = 0

    def watch(self, batches: Batches, on_pages: Callable[[int], None], /) -> Batches:
        """Yield batches of ``pages`` unchanged, and collect their facts."""
        for batch in batches:
            for row in batch.select(_WATCHED).to_pylist():
                self._count(row)
            self._look_at_opening(batch)
            on_pages(batch.num_rows)
            yield batch

    def _count(self, row: dict[str, Any]) -> None:
        text = row["text"]
        self.pages += 1
        self.chars += len(text)
        self.without_text += not text
        if not text:
            return
        self.ending = text
        self._methods[row["extraction_method"]] += len(text)
        if row["ocr_engine"] is not None:
            self.ocr_pages += 1
            self._engines[row["ocr_engine"]] += 1
        if row["ocr_confidence"] is not None:
            self._confidence += row["ocr_confidence"] * len(text)
            self._recognised += len(text)

    def _look_at_opening(self, batch: pa.RecordBatch) -> None:
        if len(self.first_pages) < FIRST_PAGES:
            self._keep_first(batch.slice(0, FIRST_PAGES - len(self.first_pages)))
        if len(self.opening) >= OPENING_CHARS:
            return
        for row in batch.select(["text", "paragraphs"]).to_pylist():
            room = OPENING_CHARS - len(self.opening)
            if room <= 0:
                return
            self.opening += visible(row["text"], room).lstrip() + "\n\n"
            for p in row["paragraphs"]:
                if p["kind"] == "heading" and len(self.headings) < _HEADINGS:
                    self.headings.append(" ".join(row["text"][p["start"] : p["end"]].split()))

    def _keep_first(self, batch: pa.RecordBatch) -> None:
        columns = (batch[name].to_pylist() for name in ("page", "text", "lines"))
        for number, text, lines in zip(*columns, strict=True):
            self.first_pages.append(TextPage(number, visible(text, PAGE_CHARS)))
            placed = [line for line in lines[:PLACED_LINES] if line["x0"] is not None]
            self.boxes.append({line["start"]: (line["x0"], line["x1"]) for line in placed})

    def add(self, chunks: pa.Table, /) -> None:
        """Collect languages (by characters), names and references of rows of ``chunks``."""
        self.chunks += chunks.num_rows
        self.spans.add(chunks)
        rows = chunks.filter(chunks["row_start"].is_valid())
        self.table_passages += rows.num_rows
        self.unread += max((rows[name].null_count for name in self.outputs), default=0)
        pairs = zip(chunks["language"].to_pylist(), chunks["char_count"].to_pylist(), strict=True)
        for language, chars in pairs:
            if language:
                self._languages[language] += chars

    def language(self) -> str | None:
        """Return the language of most of the text."""
        return next((name for name, _ in self._languages.most_common(1)), None)

    def method(self) -> str:
        """Return the extraction method; ``Hybrid`` if pages differ."""
        if {"Ocr", "Native"} <= set(self._methods):
            return "Hybrid"
        return self._methods.most_common(1)[0][0]

    def ocr_engine(self) -> str | None:
        """Return the OCR engine of most pages, if any."""
        return next((name for name, _ in self._engines.most_common(1)), None)

    def ocr_confidence(self) -> float | None:
        """Return the mean OCR confidence, 0 to 1."""
        return self._confidence / self._recognised if self._recognised else None


def no_text_reason(tally: Tally, missing: Sequence[str], /) -> str:
    """Describe why a document has no text."""
    if missing:
        return " ".join(missing)
    if not tally.pages:
        return "it has no pages."
    pages = "its only page has" if tally.pages == 1 else f"all of its {tally.pages} pages have"
    return f"{pages} no readable text."


def seal(
    batch: pa.RecordBatch, revision: str, first: int, path: Path | str, now: datetime, /
) -> pa.Table:
    """Add document and time columns to a batch of chunks whose first ``chunk_index`` is *first*."""
    rows = batch.num_rows
    declared = schema.table("chunks")
    stamp = declared.column("created_at").type
    added = {
        "revision": pa.array([revision] * rows, pa.string()),
        "chunk_index": pa.array(range(first, first + rows), pa.int32()),
        "document_path": pa.array([os.fspath(path)] * rows, pa.string()),
        "created_at": pa.array([now] * rows, stamp),
    }
    columns = {n: batch[n] for n in batch.schema.names} | added
    layout = declared.arrow(dimension=batch["dense"].type.list_size)
    return pa.table({n: columns[n] for n in declared.names}, schema=layout)


# Legal columns of stored documents, read from the stored first pages as during the ingest.

_COLUMNS = (*ROWS, "revision", "line_boxes")
_NAMES = (*(field.name for field in fields(LegalFacts)), *NO_CARD)


def is_unread(document: Document, /) -> bool:
    """Return whether the caption was never read, or by an earlier reader version."""
    return document.caption_reader != CAPTION_READER


def captions_of(snapshot: Snapshot, documents: Iterable[Document], /) -> dict[str, dict[str, Any]]:
    """Return the legal columns of documents by revision, from stored lines and pages."""
    captions: dict[str, dict[str, Any]] = {}
    for document in documents:
        rows = snapshot.scan(_COLUMNS, revisions=[document.revision]).to_pylist()
        rows.sort(key=lambda row: row["chunk_index"])
        with collect_failures(document.path):  # a failure leaves ``caption_reader`` null
            captions[document.revision] = _columns(document, rows)
    return captions


def caption_columns(whole: WholeText, /, **known: Any) -> dict[str, Any]:
    """Return the legal columns of a document; for the parameters see ``read_caption``."""
    return attempt(
        "caption", lambda: read_caption(whole, **known).columns(), UNREAD, stage="document"
    )


def _columns(document: Document, rows: list[dict[str, Any]]) -> dict[str, Any]:
    first = [row for row in rows if row["page"] <= FIRST_PAGES]
    pages = [TextPage(p.number, visible(p.text, PAGE_CHARS)) for p in text_of_rows(first).pages]
    boxes = [
        _placed(page.text, list(own))
        for page, (_, own) in zip(pages, groupby(first, lambda row: row["page"]), strict=True)
    ]
    cover = Cover(
        pages,
        format=document.format,
        name=document.name,
        title=document.title,
        author=document.author,
        properties=dict(document.properties),
        headings=_headings(first),
    )
    captioned = caption_columns(
        WholeText(tuple(pages)),
        format=document.format,
        name=document.name,
        title=document.title,
        document_type=document.document_type,
        boxes=boxes,
        ending=text_of_rows(rows).pages[-1].text if rows else "",
    )
    return captioned | read_card_columns(cover, document.document_type)


def read_card_columns(cover: Cover, kind: str | None, /) -> dict[str, Any]:
    """Return the columns of the identity card of a document."""
    read = partial(card_columns, cover, kind or "other")
    return attempt("card", read, NO_CARD, stage="document")


def _headings(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the first headings of stored rows that hold them whole."""
    headings: dict[str, None] = {}
    for row in rows:
        for p in row["paragraphs"] or ():
            start, end = p["start"] - row["char_start"], p["end"] - row["char_start"]
            if p["kind"] == "heading" and start >= 0 and len(headings) < _HEADINGS:
                headings[" ".join(row["text"][start:end].split())] = None
    return list(headings)


def _placed(text: str, rows: Iterable[Mapping[str, Any]]) -> dict[int, tuple[float, float]]:
    """Return left and right edge of the first lines of a page, by their start in its text."""
    starts, at = list[int](), 0
    for line in text.split("\n"):
        if line.strip():
            starts.append(at)
        at += len(line) + 1
    edges = {b["line"]: (b["x0"], b["x1"]) for row in rows for b in row["line_boxes"] or ()}
    return {
        start: edges[number]
        for number, start in enumerate(starts[:PLACED_LINES], 1)
        if number in edges
    }


def has_columns(document: Document, columns: Mapping[str, Any], /) -> bool:
    """Return whether a document already has these legal columns."""
    return all(getattr(document, name) == columns[name] for name in _NAMES)
