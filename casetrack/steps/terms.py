"""Step ``terms``: the index terms of every chunk, for keyword search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from casetrack.steps.base import Contract
from casetrack.steps.words import WORDS_VERSION, term_counts

if TYPE_CHECKING:
    from casetrack.steps.base import Batches

_ADDS = ("terms", "term_counts", "term_total")


@dataclass(frozen=True, slots=True)
class TermsStep:
    """Adds the distinct terms, their counts, and the number of terms in all."""

    contract = Contract("terms", WORDS_VERSION, "chunks", "chunks", ("text",), _ADDS)

    @property
    def fingerprint(self) -> str:
        """Nothing beyond the version."""
        return ""

    def __call__(self, batches: Batches, /) -> Batches:
        """Add the columns to every batch."""
        for batch in batches:
            pairs = [term_counts(text) for text in batch["text"].to_pylist()]
            columns = (
                pa.array([terms for terms, _ in pairs], pa.list_(pa.string())),
                pa.array([counts for _, counts in pairs], pa.list_(pa.int32())),
                pa.array([sum(counts) for _, counts in pairs], pa.int32()),
            )
            for name, column in zip(_ADDS, columns, strict=True):
                batch = batch.append_column(name, column)  # noqa: PLW2901 - columns pile up
            yield batch
