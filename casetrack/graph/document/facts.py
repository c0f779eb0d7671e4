"""What goes into the reading of one document, and what comes out of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

ReadBy = Literal["document_date", "document_year", "day_order", "fiscal_year"]
"""What settled a date beside its own words."""

if TYPE_CHECKING:
    from datetime import date, datetime

    from casetrack.base.records.documents import Party
    from casetrack.base.records.graph import EntityKind
    from casetrack.base.records.graph.entities import FoundBy
    from casetrack.extract.spans import AmountSpan, DateSpan, NameSpan, ReferenceSpan


@dataclass(frozen=True, slots=True)
class ChunkFacts:
    """A stored chunk with what the extraction steps found in it.

    Attributes
    ----------
    char_start, char_end
        Its place in the page's text, code points. Neighbours on a page may overlap.
    tables
        Start and end of each paragraph that is of a table, in the page's text.
    table_header, page_header
        The head of the table that its text goes on with, and the running head of its page.
    mail_headers
        Of a message in a mailbox: header fields that place it in its thread, by name.
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
    """A document as the ledger knows it; the fields are those of ``documents``.

    The last ones are those of a paper of a case; others have none.
    """

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
    """An entity as one document has it.

    Attributes
    ----------
    key
        Its normal form within its kind, without the kind: ``adaeze-okafor``, ``2024-03-12``,
        ``GBP:318400``.
    name
        The fullest name that the document gives it.
    spellings
        Every spelling of it with its number of places, most frequent first.
    mention_count, chunk_count
        Places (a repeated one does not count) and chunks.
    roles
        What the words around it say that it is, with their number of places. ``PLACED`` among them
        counts the places of a name of one word that is no organisation where it stands as towns
        do: behind *in* or *at*, or in an address.
    first_chunk
        Position of its first chunk among the document's.
    evidence
        What makes the name sure, each kind with its number of places, most frequent first, such as
        ``party clause``, ``signature`` or ``mail head``.
    addresses
        Mail addresses that the document gives it, in lower case, ascending.
    defined
        The other names that the text itself states for it, as written, ascending: a short name or
        an abbreviation in its definition, a trade name, a former name. No words for a part in the
        document ("the Company").
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
        Code points into the chunk's text.
    repeated
        Whether the chunk before holds the very same place.
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
    """A date with what the document as a whole says of it; *entity* is ``None`` without a year."""

    chunk: int
    span: DateSpan
    repeated: bool
    entity: int | None
    read_by: ReadBy | None


class TableSum(NamedTuple):
    """A sum in a cell of a table.

    Attributes
    ----------
    start, end
        Of its number, in the text that was asked for: code points.
    printed
        The number as it is printed, with its sign.
    factor
        What it is to be multiplied by; 1 where nothing says so.
    unit
        Its currency: its own, or that of its column.
    row_label, period
        The words of its row and of its column's head; ``None`` where they are not settled.
    first, last
        Days of that period, as far as they are known.
    signed
        Whether its cell has a currency sign.
    doubtful
        Whether it has no sign and is larger than its document allows.
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
    """An amount.

    Attributes
    ----------
    span
        With the value that its table's scale gives it.
    cell
        What its table says of it, the number as printed included; ``None`` outside of tables.
    """

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
    """What one document says of whom, when, how much and what."""

    entities: tuple[LocalEntity, ...]
    mentions: tuple[LocalMention, ...]
    dates: tuple[LocalDate, ...]
    amounts: tuple[LocalAmount, ...]
    citations: tuple[LocalCitation, ...]
