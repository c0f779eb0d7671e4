"""Input and output of reading one document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

ReadBy = Literal["document_date", "document_year", "day_order", "fiscal_year"]
"""The evidence that resolved a date, in addition to its words."""

if TYPE_CHECKING:
    from datetime import date, datetime

    from casetrack.base.records.documents import Party
    from casetrack.base.records.graph import EntityKind
    from casetrack.base.records.graph.entities import FoundBy
    from casetrack.extract.spans import AmountSpan, DateSpan, NameSpan, ReferenceSpan


@dataclass(frozen=True, slots=True)
class ChunkFacts:
    """A stored chunk with the results of the extraction steps.

    Attributes
    ----------
    char_start, char_end
        Code points in the page's text. Neighbours on a page may overlap.
    tables
        Start and end of each table paragraph in the page's text.
    table_header, page_header
        Header of a table that continues in the text, and the running header of the page.
    mail_headers
        For a message in a mailbox: header fields that place it in its thread, by name.
    """

    chunk_id: str
    chunk_index: int
    page: int
    char_start: int
    char_end: int
    text: str
    heading_path: tuple[str, ...]
    names: tuple[NameSpan, ...]
    dates: tuple[DateSpan, ...]
    amounts: tuple[AmountSpan, ...]
    citations: tuple[ReferenceSpan, ...]
    tables: tuple[tuple[int, int], ...] = ()
    table_header: str | None = None
    page_header: str | None = None
    mail_headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class DocumentFacts:
    """A document's ledger row; the last fields are for court papers only."""

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


@dataclass(frozen=True, slots=True)
class LocalEntity:
    """An entity of one document.

    Attributes
    ----------
    key
        Normal form within its kind: ``adaeze-okafor``, ``2024-03-12``, ``GBP:318400``.
    name
        The fullest name in the document.
    spellings
        Every spelling with its number of places, most frequent first.
    mention_count, chunk_count
        Places (without repeated ones) and chunks.
    roles
        Roles stated by the context, with their number of places. ``PLACED`` counts places of a
        one-word name (no organisation) in the position of a town: after *in* or *at*, or in an
        address.
    evidence
        Kinds of evidence for the name with their number of places, such as ``party clause``,
        ``signature`` or ``mail head``.
    addresses
        Mail addresses in lower case, sorted.
    defined
        Other names that the text defines for it, as written, sorted: a short name, a trade name, a
        former name. Not words for a role ("the Company").
    """

    kind: EntityKind
    key: str
    name: str
    spellings: tuple[tuple[str, int], ...]
    mention_count: int
    chunk_count: int
    roles: tuple[tuple[str, int], ...]
    first_chunk: int
    evidence: tuple[tuple[str, int], ...] = ()
    addresses: tuple[str, ...] = ()
    defined: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LocalMention:
    """A place that mentions an entity of the document.

    Attributes
    ----------
    entity, chunk
        Positions among the document's entities and chunks.
    start, end
        Code points in the chunk's text.
    repeated
        Whether the previous chunk contains the same place.
    found_by
        How a name was found; ``None`` for dates, amounts and concepts.
    """

    entity: int
    chunk: int
    start: int
    end: int
    repeated: bool
    role: str | None
    confidence: float
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
    """An amount of money in a cell of a table.

    Attributes
    ----------
    start, end
        Span of its number, code points.
    printed
        The printed number with its sign.
    factor
        Scale; 1 if none is stated.
    unit
        Currency of the cell or its column.
    row_label, period
        Label of its row and period of its column; ``None`` if unknown.
    first, last
        Days of that period, if known.
    signed
        Whether its cell has a currency sign.
    doubtful
        Whether it has no sign and is larger than plausible in its document.
    """

    start: int
    end: int
    printed: float
    factor: float
    unit: str
    row_label: str | None
    period: str | None
    first: date | None
    last: date | None
    signed: bool = True
    doubtful: bool = False


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
