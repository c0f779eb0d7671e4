"""A document: its row of the ledger, its pages and its table of contents."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from textwrap import shorten
from typing import Annotated, Any, Literal, get_args

from casetrack.base.dataclass import asdict, dataclass, replace
from casetrack.base.errors import See
from casetrack.base.provenance import Provenance
from casetrack.base.records.cards import Card, Fact, Part, size_text
from casetrack.base.records.shape import HIDDEN, NO_JSON, SOURCE, FieldFormat, Record, View
from casetrack.base.records.table import TEXT_ROWS
from casetrack.base.years import recorded

# Facts that a legal document states about itself.

LegalType = Literal[
    "complaint",
    "answer",
    "motion",
    "brief",
    "order",
    "opinion",
    "deposition",
    "contract",
    "statute",
    "correspondence",
    "exhibit",
    "other",
]
"""Type of a legal document; ``other`` is also legal, such as a notice or a docket."""
LEGAL_TYPES: tuple[LegalType, ...] = get_args(LegalType)


@dataclass(frozen=True, slots=True)
class Party(Record):
    """A party in a caption."""

    name: str  # as written, on one line
    # In lower case and singular: `plaintiff`, `appellant`, `debtor`, ...; `None` if the caption
    # does not state it.
    role: str | None
    # page, start, end: position of the name: code points into the text of that page.
    page: int
    start: int
    end: int


CardField = Literal[
    "title", "issuer", "addressee", "date", "period", "number", "total", "base", "party"
]
"""Field of the identity card; ``base`` is the document that this one amends or belongs to."""


@dataclass(frozen=True, slots=True)
class CardFact(Record):
    """A value of a document's identity card, with its place.

    The place is in the text of a page, in code points; a property of the file has none.
    """

    JSON = ("field", "value", "role?", "side?", "page?", "start?", "end?", "confidence", "evidence")

    field: CardField
    value: str  # empty for a party that the document leaves blank
    role: str | None  # of a party, in lower case
    side: int | None  # of a party, from 1; parties of one side share it
    page: int | None
    start: int | None
    end: int | None
    confidence: float
    evidence: str  # where it was found: party clause, letterhead, label, ...

    @property
    def shown(self) -> str:
        """The value with the role; "unnamed" for a blank party."""
        name = self.value or "unnamed"
        return f"{name} ({self.role})" if self.role else name


DocumentType = Literal[
    "contract",
    "annual report",
    "quarterly report",
    "current report",
    "results release",
    "press release",
    "filing",
    "form",
    "minutes",
    "paper",
    "specification",
    "regulation",
    "court paper",
    "order",
    "calendar",
    "report",
    "spreadsheet",
    "presentation",
    "correspondence",
    "memo",
    "proposal",
    "invoice",
    "policy",
    "other",
]
"""Type of a document."""
DOCUMENT_TYPES: tuple[DocumentType, ...] = get_args(DocumentType)
STATED_DATE = "stated_date"
"""Property with the date that a document's text states for itself, ``YYYY-MM-DD``."""
_PARTIES, _TITLE = 3, 120
"""Parties, and characters of the title, of a document in a list."""
FILES = "filesystem"
"""Source of a document that the user added by the path of its file."""


def _by_name(properties: tuple[tuple[str, str], ...]) -> dict[str, str]:
    return dict(properties)


def _parsed(metadata: str) -> dict[str, Any]:
    values: dict[str, Any] = json.loads(metadata)
    return values


def own_moment(
    at_source: datetime | None,
    properties: Mapping[str, str],
    created: datetime | None,
    modified: datetime | None,
    /,
) -> datetime | None:
    """Return a document's date from its source, else from its text, else from its file."""
    if (moment := recorded(at_source)) is not None:
        return moment
    if day := properties.get(STATED_DATE):
        return datetime.fromisoformat(day).replace(tzinfo=UTC)
    return created or modified


@dataclass(frozen=True, slots=True)
class ExtractorFailure:
    """A failure of an extractor with a document; the schema describes its fields."""

    extractor: str
    stage: str
    error: str
    count: int

    @property
    def sentence(self) -> str:
        """The failure as a sentence, with the next step."""
        times = "once" if self.count == 1 else f"{self.count:,} times"
        return (
            f'The extractor "{self.extractor}" failed {times} ({self.error or "see the log"}); its '
            f"values are missing there. {See('reindex', reparse=True)} tries again."
        )


@dataclass(frozen=True, slots=True, repr=False)
class Document(Card):
    """One row of the ledger; the columns are described in ``schemas/v1/documents.toml``."""

    JSON = (
        *("...", "legal_type?", "legal_detail?", "legal_evidence?", "legal_title?", "case_name?"),
        *("case_number?", "court?", "court_id?", "judge?", "filed_on?", "docket_entry?"),
        *("parties?", "witness?", "exhibit?", "own_citations?"),
        *("issuer?", "addressee?", "own_title?", "stated_on?", "period?", "own_number?", "base?"),
        "card?",
        *("source?", "source_id?", "source_url?", "source_author?", "source_updated_at?"),
        "metadata?",
    )
    SHOWN = (
        *("name", "format", "document_type", "page_count", "chunk_count"),
        *("extraction_method", "ingested_at"),
    )

    document_id: str
    revision: str
    name: str
    path: str
    format: str
    document_type: str | None
    title: str | None
    author: str | None
    language: str | None
    page_count: int
    pages_without_text: int
    chunk_count: int
    char_count: int
    extraction_method: str
    file_hash: str
    file_size: int
    file_modified_at: datetime
    original_copy: str | None
    pipeline: str
    pipeline_fingerprint: str
    warnings: tuple[str, ...]
    ingested_at: datetime
    updated_at: datetime
    document_type_evidence: str | None = None
    parent_id: str | None = None
    content_created_at: datetime | None = None
    content_modified_at: datetime | None = None
    properties: Annotated[tuple[tuple[str, str], ...], FieldFormat(via=_by_name)] = ()
    ocr_pages: int = 0
    ocr_engine: str | None = None
    ocr_confidence: float | None = None
    missing: tuple[str, ...] = ()
    """Missing parts of the file, then failures of extractors as text."""
    failures: Annotated[tuple[ExtractorFailure, ...], NO_JSON] = ()
    read_with: str | None = None
    entity_count: Annotated[int | None, NO_JSON] = None
    reference_count: Annotated[int | None, NO_JSON] = None
    source: str | None = None
    source_id: str | None = None
    source_url: str | None = None
    source_author: str | None = None
    source_updated_at: datetime | None = None
    metadata: Annotated[str | None, FieldFormat(via=_parsed)] = None
    legal_type: LegalType | None = None
    legal_detail: str | None = None
    legal_evidence: str | None = None
    legal_title: str | None = None
    case_name: str | None = None
    case_number: str | None = None
    court: str | None = None
    court_id: str | None = None
    judge: str | None = None
    filed_on: str | None = None
    docket_entry: str | None = None
    parties: tuple[Party, ...] | None = None
    witness: str | None = None
    exhibit: str | None = None
    own_citations: tuple[str, ...] | None = None
    caption_reader: Annotated[int | None, NO_JSON] = None
    issuer: str | None = None
    addressee: str | None = None
    own_title: str | None = None
    stated_on: str | None = None
    period: str | None = None
    own_number: str | None = None
    base: str | None = None
    card: tuple[CardFact, ...] | None = None

    @classmethod
    def from_row(cls, row: Mapping[str, Any], /) -> Document:
        """Return the document of a row of ``documents``."""
        values = {name: row[name] for name in cls.__dataclass_fields__}
        properties = values["properties"] or ()
        failures = tuple(ExtractorFailure(**f) for f in values["failures"] or ())
        made = cls(
            **values
            | {
                "warnings": tuple(values["warnings"] or ()),
                "missing": tuple(values["missing"] or ()),
                "failures": (),
                "properties": tuple((p["name"], p["value"]) for p in properties),
                "ocr_pages": values["ocr_pages"] or 0,
                "parties": tuple(Party(**p) for p in values["parties"] or ()) or None,
                "own_citations": tuple(values["own_citations"] or ()) or None,
                "card": tuple(CardFact(**f) for f in values["card"] or ()) or None,
            }
        )
        return made.with_failures(failures) if failures else made

    @property
    def unread(self) -> tuple[str, ...]:
        """Missing parts of the file, without failures of extractors."""
        failures = {failure.sentence for failure in self.failures}
        return tuple(line for line in self.missing if line not in failures)

    def with_failures(self, failures: Iterable[ExtractorFailure], /) -> Document:
        """Return a copy with other failures of extractors."""
        ordered = tuple(sorted(set(failures), key=lambda f: f.extractor))
        missing = (*self.unread, *(failure.sentence for failure in ordered))
        return replace(self, missing=missing, failures=ordered)

    @property
    def dated_at(self) -> datetime:
        """Date of the last change at its source, else its own date, else that of its file."""
        created, modified = self.content_created_at, self.content_modified_at
        own = own_moment(self.source_updated_at, dict(self.properties), created, modified)
        return own or recorded(self.file_modified_at) or self.ingested_at

    @property
    def own_date(self) -> datetime | None:
        """Date that its text states, or date of its creation; never that of a later change."""
        return own_moment(None, dict(self.properties), self.content_created_at, None)

    @property
    def legal_kind(self) -> str | None:
        """Legal type with its detail, such as ``order (proposed order)``."""
        if self.legal_type is None or self.legal_detail is None:
            return self.legal_type
        return f"{self.legal_type} ({self.legal_detail})"

    @property
    def shown_type(self) -> str | None:
        """Type for lists: the user's choice, else the legal type, else the general type."""
        if self.legal_type is None or (self.document_type and not self.document_type_evidence):
            return self.document_type
        return (self.legal_type == "other" and self.legal_detail) or self.legal_type

    @property
    def card_facts(self) -> list[tuple[str, str]]:
        """Its identity card for people: labels with values, without empty ones."""
        facts = (
            *(("issuer", self.issuer), ("addressee", self.addressee)),
            *(("stated title", self.own_title), ("dated", self.stated_on)),
            ("period", self._period_shown),
            *(("number", self.own_number), ("total", self.total)),
            ("amends or belongs to", self.base),
            ("parties", "; ".join(self.named_parties)),
        )
        return [(label, value) for label, value in facts if value]

    @property
    def total(self) -> str | None:
        """Total to pay of an invoice or a receipt, as written."""
        return next((fact.value for fact in self.card or () if fact.field == "total"), None)

    @property
    def stated(self) -> str | None:
        """The statements of the document about itself on one line, for lists."""
        parties = self.named_parties
        more = (f"{len(parties) - _PARTIES} more",) if len(parties) > _PARTIES else ()
        who = "; ".join((*parties[:_PARTIES], *more))
        who = who or " \u2192 ".join(filter(None, (self.issuer, self.addressee)))
        day = self.stated_on or self.filed_on or self._period_shown
        title = self.shown_title and shorten(self.shown_title, _TITLE, placeholder="…")
        facts = [fact for fact in (who, day, self.total) if fact and fact not in (title or "")]
        return ", ".join([*filter(None, [title]), *facts]) or None

    @property
    def shown_title(self) -> str | None:
        """Title for lists: that of a court's paper or its case, else that of the card."""
        captioned = self.case_name and len(self.legal_title or "") <= _TITLE and self.legal_title
        return captioned or self.case_name or self.own_title or self.legal_title

    @property
    def known_as(self) -> str:
        """Subject and sender of a mail, else the name, for lists without other facts."""
        if self.format in {"eml", "msg"} and self.own_title:
            return f"{self.own_title} ({self.issuer})" if self.issuer else self.own_title
        return self.name

    @property
    def _period_shown(self) -> str | None:
        if self.period and "/" not in self.period:
            return f"ended {self.period}"
        return self.period and self.period.replace("/", " \u2013 ")

    @property
    def named_parties(self) -> tuple[str, ...]:
        """Its parties with their roles: those of the card, else those of the caption."""
        stated = [f.shown for f in self.card or () if f.field == "party"]
        caption = [f"{p.name} ({p.role})" if p.role else p.name for p in self.parties or ()]
        return tuple(dict.fromkeys(stated or caption))

    @property
    def is_remote(self) -> bool:
        """Whether only the collection's copy of its file is on this machine.

        Its path is then the source's name and the id there.
        """
        return self.source is not None and self.path.startswith(f"{self.source}/")

    def __repr__(self) -> str:
        """Return name, kind, size and id on one line."""
        facts = filter(None, (self.format, self.document_type, _pages(self.page_count)))
        return f"<Document {self.name!r}: {', '.join(facts)}; {self.document_id}>"

    def _title(self) -> str:
        return self.name

    def _facts(self) -> list[Fact]:
        names = ("document_type", "title", "author", "language")
        bare, recognised = self.pages_without_text, self.ocr_pages
        return [
            ("format", self.format),
            *((n, getattr(self, n)) for n in names),
            *self.card_facts,
            ("legal kind", self.legal_kind),
            ("case", ", ".join(filter(None, (self.case_name, self.case_number, self.court)))),
            ("filed", self.filed_on),
            ("docket entry", self.docket_entry),
            ("pages", self.page_count),
            ("pages without text", bare or None),
            ("recognised from pictures", _pages(recognised) if recognised else None),
            ("recognition is sure", _share(self.ocr_confidence)),
            ("chunks", self.chunk_count),
            ("text from", self.extraction_method),
            ("not read", " ".join(self.missing)),
            ("warnings", " ".join(self.warnings)),
            ("ingested", self.ingested_at),
            ("source", self.source),
            ("at its source", self.source_url or self.source_id),
            ("last changed there", self.source_updated_at),
            ("by", self.source_author),
            ("file", f"{self.path} ({size_text(self.file_size)})"),
            ("id", self.document_id),
        ]

    def as_row(self) -> dict[str, Any]:
        """Return it as a row of ``documents``."""
        return asdict(self) | {
            "warnings": list(self.warnings),
            "missing": list(self.unread),
            "failures": [asdict(failure) for failure in self.failures],
            "properties": [{"name": name, "value": value} for name, value in self.properties],
        }


def _pages(count: int) -> str:
    return f"{count:,} {'page' if count == 1 else 'pages'}"


def _share(part: float | None) -> str | None:
    return None if part is None else f"{part:.0%}"


NAMED = View("document_id", "document=name")
"""Fields that identify a document in a list."""
NAMED_WITH_TYPE = View(*NAMED.names, "document_type")


@dataclass(frozen=True, slots=True)
class Section(Record):
    """A heading of a document with its level (1 is the highest) and position.

    ``char_start`` and ``char_end`` are code points into the page text.
    """

    level: int
    title: str
    page: int
    paragraph: int
    char_start: int
    char_end: int
    chunk_id: str
    citation: str


@dataclass(frozen=True, slots=True, repr=False)
class DocumentStructure(Card):
    """The table of contents of a document.

    *paragraph_kinds* has the number of paragraphs per kind: body, heading, list, quote, table,
    footnote, code.
    """

    document: Document
    sections: tuple[Section, ...]
    paragraph_kinds: dict[str, int]
    attachments: tuple[Document, ...] = ()

    def _title(self) -> str:
        return f"{self.document.name}: {len(self.sections):,} headings"

    def _facts(self) -> list[Fact]:
        return [
            ("pages", self.document.page_count),
            ("paragraphs", self.paragraph_kinds),
            ("attachments", tuple(a.name for a in self.attachments)),
        ]

    def _parts(self) -> list[Part]:
        # A blank would be lost at the start of a cell.
        rows = [
            {"heading": "\u2014 " * (s.level - 1) + s.title, "page": s.page, "citation": s.citation}
            for s in self.sections
        ]
        return [("Headings", rows)]

    def __repr__(self) -> str:
        """Return counts and the headings as readable text."""
        shown = [f"  {'  ' * s.level}{s.title}  p. {s.page}" for s in self.sections[:TEXT_ROWS]]
        more = len(self.sections) - TEXT_ROWS
        rest = [f"    and {more:,} more in .sections"] if more > 0 else []
        return "\n".join([Card.__repr__(self), *shown, *rest])


@dataclass(frozen=True, slots=True)
class Page(Record):
    """A page (1-based) with its complete text and the number of its chunks.

    *provenance* covers the page from the first chunk to the last.
    """

    JSON = ("page", "text", "citation", "chunk_count", "char_count", "source")
    COLUMNS = (
        "document_id=provenance.document_id",
        "document_name=provenance.document_name",
        "page",
        "page_kind=provenance.counted_as",
        *("citation", "text", "chunk_count", "char_count"),
        "extraction_method=provenance.extraction_method",
        "ocr_confidence=provenance.ocr_confidence",
    )
    SHOWN = ("page", "citation", "text", "extraction_method", "ocr_confidence")

    page: int
    text: str
    chunk_count: int
    provenance: Annotated[Provenance, HIDDEN]

    @property
    def char_count(self) -> int:
        """Number of characters of the text."""
        return len(self.text)

    @property
    def citation(self) -> str:
        """The full citation."""
        return self.provenance.cite()

    @property
    def source(self) -> Annotated[Provenance, SOURCE]:
        """The source in its JSON form."""
        return self.provenance
