"""What the pages and chunks of one document add up to before they are stored."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from casetrack.base import schema
from casetrack.extract.papers.text import TextPage
from casetrack.ingest.counts import SpanCounts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from pathlib import Path

    from casetrack.ingest.steps.base import Batches


_WATCHED = ["text", "extraction_method", "ocr_engine", "ocr_confidence"]
OPENING_CHARS = 8000
"""How much of a document's beginning is looked at to tell what kind of document it is."""
_HEADINGS = 40
FIRST_PAGES, PAGE_CHARS, PLACED_LINES = 3, 20_000, 100
"""How much is kept for whoever reads what a paper of a case says of itself."""


@dataclass(slots=True)
class Tally:
    """What the pages of one document add up to.

    Attributes
    ----------
    outputs
        Columns of ``chunks`` that models fill.
    chunks
        Number of chunks.
    table_passages, unread
        Passages with rows of tables, and those of them that no model has read.
    """

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
    spans: SpanCounts = field(default_factory=SpanCounts)
    headings: list[str] = field(default_factory=list)
    _methods: Counter[str] = field(default_factory=Counter)
    _languages: Counter[str] = field(default_factory=Counter)
    _engines: Counter[str] = field(default_factory=Counter)
    _confidence: float = 0.0
    _recognised: int = 0

    def watch(self, batches: Batches, on_pages: Callable[[int], None], /) -> Batches:
        """Pass batches of ``pages`` on, and count what is in them."""
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
            self.opening += row["text"][:room] + "\n\n"
            for p in row["paragraphs"]:
                if p["kind"] == "heading" and len(self.headings) < _HEADINGS:
                    self.headings.append(" ".join(row["text"][p["start"] : p["end"]].split()))

    def _keep_first(self, batch: pa.RecordBatch) -> None:
        columns = (batch[name].to_pylist() for name in ("page", "text", "lines"))
        for number, text, lines in zip(*columns, strict=True):
            self.first_pages.append(TextPage(number, text[:PAGE_CHARS]))
            placed = [line for line in lines[:PLACED_LINES] if line["x0"] is not None]
            self.boxes.append({line["start"]: (line["x0"], line["x1"]) for line in placed})

    def add(self, chunks: pa.Table, /) -> None:
        """Count what rows of ``chunks`` hold: languages by characters, names, references."""
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
        """Return how most of the text was obtained; ``Hybrid`` where pages differ."""
        if {"Ocr", "Native"} <= set(self._methods):
            return "Hybrid"
        return self._methods.most_common(1)[0][0]

    def ocr_engine(self) -> str | None:
        """Return what recognised most pages, where something did."""
        return next((name for name, _ in self._engines.most_common(1)), None)

    def ocr_confidence(self) -> float | None:
        """Return the mean confidence of the recognised text, 0 to 1."""
        return self._confidence / self._recognised if self._recognised else None


def why_no_text(tally: Tally, missing: Sequence[str], /) -> str:
    """Say in words why a document has no text."""
    if missing:
        return " ".join(missing)
    if not tally.pages:
        return "it has no pages."
    pages = "its only page has" if tally.pages == 1 else f"all of its {tally.pages} pages have"
    return f"{pages} no readable text."


def seal(
    batch: pa.RecordBatch, revision: str, first: int, path: Path | str, now: datetime, /
) -> pa.Table:
    """Complete a batch of chunks with what belongs to its document and its moment.

    Parameters
    ----------
    batch
        Chunks as a pipeline gives them.
    revision, path
        The document's.
    first
        ``chunk_index`` of the first row.
    now
        When the chunks were made.
    """
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
