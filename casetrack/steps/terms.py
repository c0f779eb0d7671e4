"""Step ``terms``: the index terms of every chunk, for keyword search.

A chunk is found by its own words, and by two things that stand over it on its page without being
part of its text: the running head, and the header row of the table it begins in.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from casetrack.steps.base import Contract
from casetrack.steps.words import WORDS_VERSION, term_counts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from casetrack.steps.base import Batches

_NEEDS = ("text", "page_header", "table_header")
_ADDS = ("terms", "term_counts", "term_total")


@dataclass(frozen=True, slots=True)
class TermsStep:
    """Adds the distinct terms, their counts, and the number of terms in all."""

    contract = Contract("terms", 2, "chunks", "chunks", _NEEDS, _ADDS)

    @property
    def fingerprint(self) -> str:
        """The version of the words."""
        return str(WORDS_VERSION)

    def __call__(self, batches: Batches, /) -> Batches:
        """Add the columns to every batch."""
        for batch in batches:
            rows = batch.select(_NEEDS).to_pylist()
            pairs = [term_counts(searchable_text(row)) for row in rows]
            columns = (
                pa.array([terms for terms, _ in pairs], pa.list_(pa.string())),
                pa.array([counts for _, counts in pairs], pa.list_(pa.int32())),
                pa.array([sum(counts) for _, counts in pairs], pa.int32()),
            )
            for name, column in zip(_ADDS, columns, strict=True):
                batch = batch.append_column(name, column)  # noqa: PLW2901 - columns pile up
            yield batch


def searchable_text(row: Mapping[str, Any], /) -> str:
    """Return what a row of ``chunks`` is found by: its text and what stands over it."""
    parts = (row["page_header"], row["table_header"], row["text"])
    return "\n".join(part for part in parts if part)
