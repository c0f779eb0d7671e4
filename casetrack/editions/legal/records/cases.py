"""The record of a case for commands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from casetrack.base.records import CollectionInfo, CollectionStats
from casetrack.base.records.shape import HIDDEN, INLINE, Record
from casetrack.editions.legal.cases import CASE


@dataclass(frozen=True, slots=True)
class Case(Record):
    """A case, with its counts if known, and whether it is the default case."""

    JSON = (
        *("info", "is_used", "document_count=stats.document_count", "page_count=stats.page_count"),
        *("chunk_count=stats.chunk_count", "storage_bytes=stats.storage_bytes"),
    )

    info: Annotated[CollectionInfo, CASE, INLINE]
    is_used: bool
    stats: Annotated[CollectionStats | None, HIDDEN] = None
    problem: Annotated[str, HIDDEN] = ""
