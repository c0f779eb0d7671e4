"""The analysis of a question before the search, and the pinpoints of its results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Generic, Literal, NamedTuple, TypeAlias, TypeVar

from casetrack.base.dataclass import dataclass, field
from casetrack.base.provenance import Provenance
from casetrack.base.records.shape import HIDDEN, FieldFormat, Record, Share

Want = Literal["figure", "head", "person", "date", "amount", "count", "place", "definition"]
"""Expected answer: a figure of a table, the header of a document (title, parties, date), a person,
a date, an amount of money, a number of things, a place, a definition.
"""

QuestionForm = Literal[
    "value",
    "role",
    "yes-no",
    "list",
    "count",
    "extreme",
    "sum",
    "comparison",
    "computation",
    "explanation",
    "statement",
    "follow-up",
    "words",
]
"""What a question asks for, by its grammar: one value; a person or organisation; yes or no; all
things of a kind; their number; the largest, latest, ... of them; a sum; a comparison; another
computation; how or why. A statement asks nothing, a follow-up refers to an earlier question, and
`words` are keywords, or a question in a language without word lists."""

CitedKind = Literal[
    "case",
    "name",
    "statute",
    "regulation",
    "rule",
    "constitution",
    "docket number",
    "record",
    "exhibit",
    "transcript",
    "bates",
    "id",
]
"""Types of citations in a question."""


@dataclass(frozen=True, slots=True)
class Part(Record):
    """A part of the question; 0-based, half-open."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Period(Record):
    """A year or quarter (1 to 4) in a question."""

    part: Part
    year: int
    quarter: int | None = None

    @property
    def label(self) -> str:
        """``2018``, or ``Q2 2023``."""
        return str(self.year) if self.quarter is None else f"Q{self.quarter} {self.year}"


@dataclass(frozen=True, slots=True)
class Expansion(Record):
    """Synonyms added to a part of the question.

    *vocabulary* is their origin, *weight* that of each synonym; the words of the question have 1.
    The part is empty if the question means the term without naming it.
    """

    part: Part
    also: tuple[str, ...]
    vocabulary: str
    weight: Annotated[float, FieldFormat(digits=4)]


@dataclass(frozen=True, slots=True)
class NamedDocument(Record):
    """A document of the collection that a part of the question names; *weight* is 0 to 1."""

    document_id: str
    document: str
    part: Part
    weight: Annotated[float, FieldFormat(digits=4)]
    # By its card, its beginning or its month, which other documents may name as well.
    by_card: Annotated[bool, HIDDEN] = False


@dataclass(frozen=True, slots=True)
class AskedCitation(Record):
    """An authority, or a position in the record, that a question cites."""

    part: Part
    kind: CitedKind  # `name`: short name of a case alone; `id`: an *Id.* without an antecedent
    # Keys of references: the cited one equals one of them, or extends it.
    keys: Annotated[tuple[str, ...], HIDDEN] = ()
    # Words of the parties' names, those next to the "v." first; the second is empty for one party.
    parties: Annotated[tuple[tuple[str, ...], tuple[str, ...]], HIDDEN] = ((), ())
    # Number of other citations: docket entry, case number, Bates number; page of a short form.
    number: Annotated[str, HIDDEN] = ""
    # First and last page, paragraph, or line with its page ("24:11"); empty for the whole.
    pin: tuple[str, ...] = ()
    spellings: Annotated[tuple[tuple[str, ...], ...], HIDDEN] = ()  # index terms of each spelling
    # Regular expression of its spellings; empty if there are too many.
    pattern: Annotated[str, HIDDEN] = ""


def _listed(wants: frozenset[Want]) -> list[Want]:
    return sorted(wants)


@dataclass(frozen=True, slots=True)
class Reading(Record):
    """The analysis of a question."""

    query: Annotated[str, HIDDEN]
    text: str  # the question without instructions, input of the models
    # Index terms with weights: the frequency in the question; synonyms have less, see `expansions`.
    terms: Annotated[dict[str, float], HIDDEN] = field(repr=False)
    # Removed instructions, which describe the answer rather than its content.
    dropped: tuple[Part, ...] = ()
    phrases: tuple[Part, ...] = ()  # parts in quotation marks
    numbers: tuple[Part, ...] = ()  # numbers except years
    periods: tuple[Period, ...] = ()
    wants: Annotated[frozenset[Want], FieldFormat(via=_listed)] = frozenset()
    form: QuestionForm = "words"
    language: str | None = None  # ISO 639-1, or `None`
    script: str | None = None  # script of most letters, such as `Latin`; `None` without letters
    named: tuple[NamedDocument, ...] = ()  # documents in the question
    expansions: tuple[Expansion, ...] = ()
    other_names: Annotated[str, HIDDEN] = ""  # the first of them, second input of the models
    # Titles that a page with the answer may have.
    titles: Annotated[tuple[str, ...], HIDDEN] = field(default=(), repr=False)
    citations: tuple[AskedCitation, ...] = ()

    def describe(self) -> list[str]:
        """Return sentences about changes to the question; empty without any."""
        lines = []
        if self.dropped:
            lines.append(f"Left out, as an instruction: {_quoted(self.dropped)}")
        lines += [
            (f'"{e.part.text}" is also called' if e.part.text else "Also searched for")
            + f" (vocabulary {e.vocabulary}, weight {e.weight:.2g}): "
            + "; ".join(e.also)
            for e in self.expansions
        ]
        if self.periods:
            labels = ", ".join(dict.fromkeys(p.label for p in self.periods))
            lines.append(f"Periods: {labels}, in any spelling")
        if self.phrases:
            lines.append(f"Looked for word by word: {_quoted(self.phrases)}")
        if self.named:
            lines.append(
                "Documents that it names come first: "
                + "; ".join(f'{n.document} (by "{n.part.text}")' for n in self.named)
            )
        if self.citations:
            labels = "; ".join(f'"{c.part.text}" ({c.kind})' for c in self.citations)
            lines.append(f"Looked up as citations: {labels}")
        if self.wants:
            lines.append(f"Asks for: {', '.join(sorted(self.wants))}")
        return lines


def _quoted(parts: tuple[Part, ...]) -> str:
    return ", ".join(f'"{part.text}"' for part in parts)


# Positions of answers within passages.

PinpointKind = Literal["sentence", "row", "header", "item", "heading"]
"""A sentence of running text, a row of a table, the header above such a row, an item or clause, or
a heading.
"""
AnswerKind = Literal["date", "amount", "count", "person", "organization", "location", "phrase"]


@dataclass(frozen=True, slots=True)
class Pinpoint(Record):
    r"""The most relevant sentence, row, item or clause of a passage, or the header of the row."""

    JSON = ("text", "citation", "char_start", "char_end", "score")

    text: str  # `page_text[char_start:char_end] == text` (P1)
    # Its share of the relevance of all parts of the passage, 0..1; says nothing about the passage.
    score: Share
    kind: Annotated[PinpointKind, HIDDEN]
    # Provenance of the passage, narrowed to its characters, lines and line rectangles.
    place: Annotated[Provenance, HIDDEN]
    # The numbered part of the document around it ("§ 14.4", "Article IV"), if certain.
    clause: Annotated[str | None, HIDDEN] = None

    @property
    def citation(self) -> str:
        r"""Its citation, such as ``MSA.pdf, p. 6, \u00a7 14.4, ll. 21-23``."""
        return self.place.cite_lines(self.clause)

    @property
    def where(self) -> str:
        r"""The additional part of its citation: ``\u00a7 14.4, ll. 21-23``."""
        whole = self.citation.removeprefix(f"{self.place.document_name}, ")
        if self.place.sheet_name is not None:
            return whole
        printed = (self.place.printed_place or "").partition("; ")[0]
        return (f"{printed}, " if printed else "") + whole.partition(", ")[2]

    @property
    def char_start(self) -> int:
        """Its start in the page text."""
        return self.place.char_start

    @property
    def char_end(self) -> int:
        """Its end in the page text."""
        return self.place.char_end

    @property
    def line_start(self) -> int:
        """Its first line on the page, 1-based."""
        return self.place.line_start

    @property
    def line_end(self) -> int:
        """Its last line."""
        return self.place.line_end

    @property
    def boxes(self) -> tuple[tuple[float, float, float, float], ...]:
        """Rectangles of its lines, in page points; empty without layout."""
        boxes = (line.box for line in self.place.line_boxes)
        return tuple((b.x0, b.y0, b.x1, b.y1) for b in boxes)


@dataclass(frozen=True, slots=True)
class Answer(Record):
    """The value that answers who, when, where, how much or how many; offsets into the page text."""

    text: str
    kind: AnswerKind
    char_start: int
    char_end: int


class AnswerLocation(NamedTuple):
    """The pinpoints and the answer of a result.

    *paragraphs* and *printed* are stored positions within its passage, see
    :func:`casetrack.store.passages.narrow`.
    """

    pinpoint: tuple[Pinpoint, ...] = ()
    answer: Answer | None = None
    paragraphs: Sequence[Mapping[str, Any]] | None = None
    printed: Sequence[Mapping[str, Any]] | None = None


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class OnDemand(Generic[T]):
    """A value that is computed at each call; a pickle contains the value."""

    compute: Callable[[], T]

    def __call__(self) -> T:
        """Return the value."""
        return self.compute()

    def __reduce__(self) -> tuple[type[partial[T]], tuple[Callable[[T], T], T]]:
        return partial, (known, self())


def known(value: T, /) -> T:
    """Return a value that is already computed."""
    return value


LocateAnswer: TypeAlias = Callable[[], AnswerLocation]
"""Computes the pinpoints of a result on demand."""
NO_LOCATION = AnswerLocation()
