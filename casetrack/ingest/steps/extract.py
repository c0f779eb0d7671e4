"""Steps ``extract`` and ``names``: facts and names in every chunk with exact offsets."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from casetrack.base import schema
from casetrack.base.dataclass import dataclass, fields
from casetrack.base.errors import PipelineError
from casetrack.base.records import DEFAULT_DIMENSION
from casetrack.extract.spans import AmountSpan, DateSpan, NameSpan, ReferenceSpan
from casetrack.ingest.steps.base import Contract, attempt, parameter
from casetrack.ingest.steps.encoding import CONTEXT_COLUMNS, CONTEXT_VERSION, SharedPass

if TYPE_CHECKING:
    from collections.abc import Iterable

    from casetrack.extract.finder import NameFinder
    from casetrack.extract.references.finder import References
    from casetrack.ingest.steps.base import Batches
    from casetrack.ingest.steps.encoding import ContextText
    from casetrack.models.base import Encoding, ProfileEncoder

NEEDS = ("text", "page", "char_start")
"""Columns of ``chunks`` that the extractors read."""
ADDS = ("dates", "amounts", "citations")
"""Columns of ``chunks`` that they fill."""


Span = AmountSpan | DateSpan | NameSpan | ReferenceSpan


@dataclass(frozen=True, slots=True)
class ExtractStep:
    """Finds dates, amounts and references without models.

    The batches of one call are those of one document in reading order: short citation forms refer
    back to any earlier part.
    """

    contract = Contract("extract", 1, "chunks", "chunks", NEEDS, ADDS)

    @property
    def fingerprint(self) -> str:
        """The versions of the extractors, and whether case citations are extracted."""
        from casetrack.extract import amounts, dates, references
        from casetrack.extract.references.citations import reads_case_law

        cases = "cases" if reads_case_law() else "-"
        return f"{dates.VERSION} {amounts.VERSION} {references.VERSION} {cases}"

    def __call__(self, batches: Batches, /) -> Batches:
        """Add the columns to every batch."""
        from casetrack.extract.references.finder import References

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


# Step ``names``: persons, organisations and places in chunks, with exact offsets (P5).

KINDS = ("person", "organization", "location")


@dataclass(frozen=True, slots=True)
class NameRules:
    """Filter for the names that are kept."""

    kinds: tuple[str, ...] = parameter(
        KINDS, "Kinds of names to keep: person, organization, location."
    )
    min_confidence: float = parameter(0.0, "Minimum confidence of names (0 to 1).")

    def __post_init__(self) -> None:
        """Refuse unknown kinds, and a confidence outside 0 to 1."""
        unknown = [kind for kind in self.kinds if kind not in KINDS]
        if unknown:
            raise PipelineError(
                f"Unknown kind of name {unknown[0]!r}.", hint=f"Use of: {', '.join(KINDS)}."
            )
        if not 0 <= self.min_confidence <= 1:
            raise PipelineError(
                f"min_confidence = {self.min_confidence} is not a probability.",
                hint="Use a number from 0 to 1.",
            )


@dataclass(frozen=True, slots=True)
class NamesStep:
    """Finds the names of persons, organisations and places, each with its confidence.

    The built-in tagger reads the hidden states of the pass of ``embed``, if that step is in the
    same stage; a custom model (``[names]`` in ``config.toml``) needs no pass.
    """

    finder: NameFinder | None
    encoder: ProfileEncoder | None
    rules: NameRules = NameRules()
    contract = Contract("names", 2, "chunks", "chunks", CONTEXT_COLUMNS, ("mentions",))

    @property
    def fingerprint(self) -> str:
        """The tagger, its input, and the filter; ``none`` without a tagger."""
        if self.finder is None:
            return "none"
        kinds = ",".join(sorted(self.rules.kinds))
        sees = "-" if self.layers is None or self.encoder is None else self.encoder.fingerprint
        parts = (self.finder.fingerprint, sees, CONTEXT_VERSION, kinds, self.rules.min_confidence)
        return " ".join(map(str, parts))

    @property
    def is_idle(self) -> bool:
        """Whether there is no tagger."""
        return self.finder is None

    @property
    def layers(self) -> tuple[int, ...] | None:
        """The layers that the tagger needs."""
        return self.finder.layers if self.finder is not None else None

    @property
    def nothing(self) -> dict[str, Any]:
        """Null for chunks without a tagger; an empty list means no names."""
        return {"mentions": None}

    def __call__(self, batches: Batches, /) -> Batches:
        """Add the column to every batch."""
        return SharedPass((self,), DEFAULT_DIMENSION)(batches)

    def read(self, text: ContextText, encoding: Encoding | None, /) -> dict[str, Any]:
        """Return the value of the column for one chunk."""
        if self.finder is None:
            return self.nothing
        names = self.finder.tag(text.whole, encoding, start=len(text.context))
        kinds, least = self.rules.kinds, self.rules.min_confidence
        kept = [name for name in names if name.kind in kinds and name.confidence >= least]
        return {"mentions": as_rows(kept, NameSpan)}
