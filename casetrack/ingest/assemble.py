"""What the pages and chunks of one document add up to before they are stored."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pyarrow as pa

from casetrack import schema

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path

    from casetrack.steps.base import Batches


@dataclass(slots=True)
class Tally:
    """What the pages of one document add up to."""

    pages: int = 0
    without_text: int = 0
    chars: int = 0
    methods: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)

    def watch(self, batches: Batches, on_pages: Callable[[int], None], /) -> Batches:
        """Pass batches of ``pages`` on, and count what is in them."""
        for batch in batches:
            for row in batch.select(["text", "extraction_method"]).to_pylist():
                self.pages += 1
                self.chars += len(row["text"])
                self.without_text += not row["text"]
                if row["text"]:
                    self.methods[row["extraction_method"]] += len(row["text"])
            on_pages(batch.num_rows)
            yield batch

    def method(self) -> str:
        """Return how most of the text was obtained; ``Hybrid`` where pages differ."""
        if {"Ocr", "Native"} <= set(self.methods):
            return "Hybrid"
        return self.methods.most_common(1)[0][0]


def why_no_text(tally: Tally, /) -> str:
    """Say in words why a document has no text."""
    if not tally.pages:
        return "it has no pages"
    pages = "its only page has" if tally.pages == 1 else f"all of its {tally.pages} pages have"
    return f"{pages} no readable text"


def seal(
    batch: pa.RecordBatch, revision: str, first: int, name: str, path: Path | str, now: datetime, /
) -> pa.Table:
    """Complete a batch of chunks with what belongs to its document and its moment.

    Parameters
    ----------
    batch
        Chunks as a pipeline gives them.
    revision, name, path
        The document's.
    first
        ``chunk_index`` of the first row.
    now
        When the chunks were made, and embedded where they have a vector.
    """
    rows = batch.num_rows
    declared = schema.table("chunks")
    stamp = declared.column("created_at").type
    embedded = [now if found else None for found in batch["dense"].is_valid().to_pylist()]
    added = {
        "revision": pa.array([revision] * rows, pa.string()),
        "chunk_index": pa.array(range(first, first + rows), pa.int32()),
        "document_name": pa.array([name] * rows, pa.string()),
        "document_path": pa.array([os.fspath(path)] * rows, pa.string()),
        "created_at": pa.array([now] * rows, stamp),
        "embedded_at": pa.array(embedded, stamp),
    }
    columns = {n: batch[n] for n in batch.schema.names} | added
    return pa.table({n: columns[n] for n in declared.names}, schema=declared.arrow())
