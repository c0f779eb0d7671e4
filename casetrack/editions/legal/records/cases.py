"""A case as commands show it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from casetrack.base.records import CollectionInfo, CollectionStats
from casetrack.base.records.shape import HIDDEN, INLINE, Record
from casetrack.editions.legal.cases import CASE


@dataclass(frozen=True, slots=True)
class Case(Record):
    """A case: whether commands use it, and how much it holds, where that was counted."""

    JSON = (
        *("info", "is_used", "document_count=stats.document_count", "page_count=stats.page_count"),
        *("chunk_count=stats.chunk_count", "storage_bytes=stats.storage_bytes"),
    )

    info: Annotated[CollectionInfo, CASE, INLINE]
    is_used: bool
    stats: Annotated[CollectionStats | None, HIDDEN] = None
    problem: Annotated[str, HIDDEN] = ""
