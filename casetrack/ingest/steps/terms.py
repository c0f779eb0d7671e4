"""Step ``terms``: the index terms of every chunk, for keyword search.

A chunk is indexed with its own words and those of its document's title. Headings, columns and
running heads apply to many chunks: their words count once, and only if the chunk lacks them. The
same holds for parts of identifiers. The names that source code defines are separate terms.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from casetrack.base.dataclass import dataclass
from casetrack.ingest.steps.base import Contract, attempt
from casetrack.ingest.steps.encoding import (
    CONTEXT_COLUMNS,
    CONTEXT_VERSION,
    context_parts_of,
    title_of,
)
from casetrack.ingest.steps.words import (
    WORDS_VERSION,
    defined,
    identifier_terms,
    index_terms,
    is_source_code,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from casetrack.ingest.steps.base import Batches

_NEEDS = (*CONTEXT_COLUMNS, "symbols")
_ADDS = ("terms", "term_counts", "term_total")


@dataclass(frozen=True, slots=True)
class TermsStep:
    """Indexes the words of every chunk for keyword search."""

    contract = Contract("terms", 3, "chunks", "chunks", _NEEDS, _ADDS)

    @property
    def fingerprint(self) -> str:
        """The versions of the words and of the context."""
        return f"{WORDS_VERSION} {CONTEXT_VERSION}"

    def __call__(self, batches: Batches, /) -> Batches:
        """Add the columns to every batch."""
        for batch in batches:
            rows = batch.select(_NEEDS).to_pylist()
            pairs = [attempt("terms", partial(searchable_terms, row), ([], [])) for row in rows]
            columns = (
                pa.array([terms for terms, _ in pairs], pa.list_(pa.string())),
                pa.array([counts for _, counts in pairs], pa.list_(pa.int32())),
                pa.array([sum(counts) for _, counts in pairs], pa.int32()),
            )
            for name, column in zip(_ADDS, columns, strict=True):
                batch = batch.append_column(name, column)  # noqa: PLW2901 - columns are added
            yield batch


def searchable_terms(row: Mapping[str, Any], /) -> tuple[list[str], list[int]]:
    """Return the distinct index terms of a row of ``chunks``, sorted, and their counts."""
    counts = Counter(index_terms(row["text"]))
    counts.update(index_terms(title_of(row)))
    above = "\n".join(context_parts_of(row))
    code = is_source_code(row["document_name"])
    for term in (
        *index_terms(above),
        *identifier_terms(above, code=code),
        *identifier_terms(row["text"], code=code),
    ):
        counts.setdefault(term, 1)
    for symbol in row.get("symbols") or ():
        counts.update(dict.fromkeys(defined(symbol), 1))
    terms = sorted(counts)
    return terms, [counts[term] for term in terms]
