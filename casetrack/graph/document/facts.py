"""Input and output of reading one document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

ReadBy = Literal["document_date", "document_year", "day_order", "fiscal_year"]
"""The evidence that resolved a date, in addition to its words."""

if TYPE_CHECKING:
    from datetime import date, datetime

    from casetrack.base.records.documents import CardFact, Party
    from casetrack.base.records.graph import EntityKind
    from casetrack.base.records.graph.entities import FoundBy
    from casetrack.extract.spans import AmountSpan, DateSpan, NameSpan, ReferenceSpan


@dataclass(frozen=True, slots=True)
class ChunkFacts:
    """A stored chunk with the results of the extraction steps."""

    chunk_id: str
    chunk_index: int
    page: int
    # Code points in the page's text. Neighbours on a page may overlap.
    char_start: int
    char_end: int
    text: str
    heading_path: tuple[str, ...]
    names: tuple[NameSpan, ...]
    dates: tuple[DateSpan, ...]
    amounts: tuple[AmountSpan, ...]
    citations: tuple[ReferenceSpan, ...]
    # Start and end of each table paragraph in the page's text.
    tables: tuple[tuple[int, int], ...] = ()
    # Header of a table that continues in the text, and the running header of the page.
    table_header: str | None = None
    page_header: str | None = None


@dataclass(frozen=True, slots=True)
class DocumentFacts:
    """A document's ledger row; the last fields are for court papers only, except the card."""

    document_id: str
    revision: str
    name: str
    title: str | None
    author: str | None
    format: str
    document_type: str | None
    language: str | None
    content_created_at: datetime | None
    properties: tuple[tuple[str, str], ...]
    court: str | None = None
    judge: str | None = None
    witness: str | None = None
    parties: tuple[Party, ...] | None = None
    card: tuple[CardFact, ...] | None = None


@dataclass(frozen=True, slots=True)
class LocalEntity:
    """An entity of one document."""

    kind: EntityKind
    key: str  # Normal form within its kind: ``adaeze-okafor``, ``2024-03-12``, ``GBP:318400``
    name: str  # The fullest name in the document
    # Every spelling with its number of places, most frequent first.
    spellings: tuple[tuple[str, int], ...]
    # Places (without repeated ones) and chunks.
    mention_count: int
    chunk_count: int
    # Roles stated by the context, with their number of places. ``PLACED`` counts places of a
    # one-word name (no organisation) in the position of a town: after *in* or *at*, or in an
    # address.
    roles: tuple[tuple[str, int], ...]
    first_chunk: int
    # Kinds of evidence for the name with their number of places, such as ``party clause``,
    # ``signature`` or ``mail head``.
    evidence: tuple[tuple[str, int], ...] = ()
    addresses: tuple[str, ...] = ()  # Mail addresses in lower case, sorted
    # Other names that the text defines for it, as written, sorted: a short name, a trade name, a
    # former name. Not words for a role ("the Company").
    defined: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LocalMention:
    """A place that mentions an entity of the document."""

    # Positions among the document's entities and chunks.
    entity: int
    chunk: int
    # Code points in the chunk's text.
    start: int
    end: int
    repeated: bool  # Whether the previous chunk contains the same place
    role: str | None
    confidence: float
    # How a name was found; ``None`` for dates, amounts and concepts.
    found_by: FoundBy | None = None


@dataclass(frozen=True, slots=True)
class LocalDate:
    """A date as resolved in its document; *entity* is ``None`` without a year."""

    chunk: int
    span: DateSpan
    repeated: bool
    entity: int | None
    read_by: ReadBy | None


class TableSum(NamedTuple):
    """An amount of money in a cell of a table."""

    # Span of its number, code points.
    start: int
    end: int
    printed: float  # The printed number with its sign
    factor: float  # Scale; 1 if none is stated
    unit: str  # Currency of the cell or its column
    # Label of its row and period of its column; ``None`` if unknown.
    row_label: str | None
    period: str | None
    # Days of that period, if known.
    first: date | None
    last: date | None
    signed: bool = True  # Whether its cell has a currency sign
    doubtful: bool = (
        False  # Whether it has no sign and is larger than plausible in its table or document
    )


@dataclass(frozen=True, slots=True)
class LocalAmount:
    """An amount; *span* has the scaled value, *cell* is ``None`` outside of tables."""

    chunk: int
    span: AmountSpan
    repeated: bool
    entity: int
    cell: TableSum | None = None


@dataclass(frozen=True, slots=True)
class LocalCitation:
    """A place that refers to something."""

    chunk: int
    span: ReferenceSpan
    repeated: bool


@dataclass(frozen=True, slots=True)
class DocumentGraph:
    """The entities, mentions, dates, amounts and references of one document."""

    entities: tuple[LocalEntity, ...]
    mentions: tuple[LocalMention, ...]
    dates: tuple[LocalDate, ...]
    amounts: tuple[LocalAmount, ...]
    citations: tuple[LocalCitation, ...]
