"""Step ``extract``: dates, amounts and references in every chunk, each at its exact place (P5)."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from casetrack.base import schema
from casetrack.extract.spans import AmountSpan, DateSpan, NameSpan, ReferenceSpan
from casetrack.ingest.steps.base import Contract, attempt

if TYPE_CHECKING:
    from collections.abc import Iterable

    from casetrack.extract.references import References
    from casetrack.ingest.steps.base import Batches

NEEDS = ("text", "page", "char_start")
"""Columns of ``chunks`` that the finders see."""
ADDS = ("dates", "amounts", "citations")
"""Columns of ``chunks`` that they fill."""


Span = AmountSpan | DateSpan | NameSpan | ReferenceSpan


@dataclass(frozen=True, slots=True)
class ExtractStep:
    """Finds dates, amounts and references, by the words alone.

    The batches of one call are those of one document in reading order: short forms of a citation
    look back over all of it.
    """

    contract = Contract("extract", 1, "chunks", "chunks", NEEDS, ADDS)

    @property
    def fingerprint(self) -> str:
        """The versions of the finders, and whether citations of case law are looked for."""
        from casetrack.extract import amounts, dates, references

        cases = "cases" if references.reads_case_law() else "-"
        return f"{dates.VERSION} {amounts.VERSION} {references.VERSION} {cases}"

    def __call__(self, batches: Batches, /) -> Batches:
        """Add the columns to every batch."""
        from casetrack.extract.references import References

        declared = schema.table("chunks").arrow(ADDS)
        references = References()
        for batch in batches:
            rows = [_found(row, references) for row in batch.select(NEEDS).to_pylist()]
            for place, name in enumerate(ADDS):
                column = pa.array([row[place] for row in rows], declared.field(name).type)
                batch = batch.append_column(declared.field(name), column)  # noqa: PLW2901
            yield batch


def _found(row: dict[str, Any], references: References) -> list[list[dict[str, Any]] | None]:
    from casetrack.extract.amounts import find_amounts
    from casetrack.extract.dates import find_dates

    text = row["text"]
    cite = partial(references.find, page=row["page"], offset=row["char_start"])
    return [
        attempt("dates", lambda: as_rows(find_dates(text), DateSpan), None, stage="extract"),
        attempt("amounts", lambda: as_rows(find_amounts(text), AmountSpan), None, stage="extract"),
        attempt("citations", lambda: as_rows(cite(text), ReferenceSpan), None, stage="extract"),
    ]


def as_rows(spans: Iterable[Any], kind: type[Span], /) -> list[dict[str, Any]]:
    """Return spans of one kind as values of their column."""
    names = tuple(field.name for field in fields(kind))
    return [{name: getattr(span, name) for name in names} for span in spans]
