"""How a question was read before it was asked: what it says beside its words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

from casetrack.base.provenance import Provenance
from casetrack.base.records.shape import HIDDEN, FieldFormat, Record, Share

Want = Literal["figure", "head", "person", "date", "amount", "count", "place", "definition"]
"""What a question asks for: a figure of a table, what stands at the head of a document (its title,
parties, date), a person, a date, an amount of money, a number of things, a place, the meaning of a
word."""


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
"""What a question cites."""


@dataclass(frozen=True, slots=True)
class Part(Record):
    """A part of the question: its words, and where they stand in it (0-based, half-open)."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Period(Record):
    """A year or a part of one that a question names.

    Attributes
    ----------
    part
        Its words in the question.
    year, quarter
        What they mean; a quarter is 1 to 4, or ``None`` for the year.
    """

    part: Part
    year: int
    quarter: int | None = None

    @property
    def label(self) -> str:
        """``2018``, or ``Q2 2023``."""
        return str(self.year) if self.quarter is None else f"Q{self.quarter} {self.year}"


@dataclass(frozen=True, slots=True)
class Expansion(Record):
    """Other names that were looked for beside words of the question.

    Attributes
    ----------
    part
        The words of the question.
    also
        The other names.
    vocabulary
        Where they come from.
    weight
        How much each of them counts beside the words themselves, which count 1.
    """

    part: Part
    also: tuple[str, ...]
    vocabulary: str
    weight: Annotated[float, FieldFormat(digits=4)]


@dataclass(frozen=True, slots=True)
class NamedDocument(Record):
    """A document of the collection that a question names.

    Attributes
    ----------
    document_id, document
        It, by id and by name.
    part
        The words that name it.
    weight
        How surely they mean this document and no other, 0 to 1.
    """

    document_id: str
    document: str
    part: Part
    weight: Annotated[float, FieldFormat(digits=4)]


@dataclass(frozen=True, slots=True)
class AskedCitation(Record):
    """An authority, or a place of the record, that a question cites.

    Attributes
    ----------
    part
        Its words in the question.
    kind
        What is cited; ``name`` is the short name of a case alone, ``id`` an *Id.* that has nothing
        before it.
    keys
        Keys of references: what is cited has one of them, or one that goes on after it.
    parties
        Words of the names of the parties, those next to the "v." first; the second is empty where
        one party is named.
    number
        What it is called by where that is no reference: a docket entry, a case number, a Bates
        number; of a short form the page.
    pin
        First and last page, paragraph, or line with its page ("24:11"); empty for the whole.
    spellings
        Index terms that a text which writes it so holds; each of them is one way of writing.
    pattern
        A regular expression of how it is written; empty where there are too many ways.
    """

    part: Part
    kind: CitedKind
    keys: Annotated[tuple[str, ...], HIDDEN] = ()
    parties: Annotated[tuple[tuple[str, ...], tuple[str, ...]], HIDDEN] = ((), ())
    number: Annotated[str, HIDDEN] = ""
    pin: tuple[str, ...] = ()
    spellings: Annotated[tuple[tuple[str, ...], ...], HIDDEN] = ()
    pattern: Annotated[str, HIDDEN] = ""


def _listed(wants: frozenset[Want]) -> list[Want]:
    return sorted(wants)


@dataclass(frozen=True, slots=True)
class Reading(Record):
    """A question as it is asked of the index.

    Attributes
    ----------
    query
        The question as it was given.
    text
        What the models read of it.
    terms
        What its words are looked up by: index terms with weights. A word of the question counts
        as often as it stands there; other names count less, see ``expansions``.
    dropped
        Instructions that were left out: they say how to answer, not what to look for.
    phrases
        What stands in quotation marks.
    numbers
        Numbers that are no years.
    periods
        Years and quarters.
    wants
        What it asks for.
    language
        ISO 639-1, where its words tell it.
    script
        Of most of its letters, such as ``Latin``; ``None`` where it has no letters.
    named
        Documents that it names.
    expansions
        Other names that were added.
    titles
        Names of what one reads of that in: a page may have them as its title.
    citations
        Authorities and places of the record that it cites.
    """

    query: Annotated[str, HIDDEN]
    text: str
    terms: Annotated[dict[str, float], HIDDEN] = field(repr=False)
    dropped: tuple[Part, ...] = ()
    phrases: tuple[Part, ...] = ()
    numbers: tuple[Part, ...] = ()
    periods: tuple[Period, ...] = ()
    wants: Annotated[frozenset[Want], FieldFormat(via=_listed)] = frozenset()
    language: str | None = None
    script: str | None = None
    named: tuple[NamedDocument, ...] = ()
    expansions: tuple[Expansion, ...] = ()
    titles: Annotated[tuple[str, ...], HIDDEN] = field(default=(), repr=False)
    citations: tuple[AskedCitation, ...] = ()

    def describe(self) -> list[str]:
        """Return in words what was made of the question; empty where it was asked as it stands."""
        lines = []
        if self.dropped:
            lines.append(f"Left out, as an instruction: {_quoted(self.dropped)}")
        lines += [
            f'"{e.part.text}" is also called (vocabulary {e.vocabulary}, weight {e.weight:.2g}): '
            + "; ".join(e.also)
            for e in self.expansions
        ]
        if self.periods:
            said = ", ".join(dict.fromkeys(p.label for p in self.periods))
            lines.append(f"Periods: {said}, in any spelling")
        if self.phrases:
            lines.append(f"Looked for word by word: {_quoted(self.phrases)}")
        if self.named:
            lines.append(
                "Documents that it names come first: "
                + "; ".join(f'{n.document} (by "{n.part.text}")' for n in self.named)
            )
        if self.citations:
            said = "; ".join(f'"{c.part.text}" ({c.kind})' for c in self.citations)
            lines.append(f"Looked up as citations: {said}")
        if self.wants:
            lines.append(f"Asks for: {', '.join(sorted(self.wants))}")
        return lines


def _quoted(parts: tuple[Part, ...]) -> str:
    return ", ".join(f'"{part.text}"' for part in parts)


# Where in a passage its answer stands, and the value that answers, each at its exact place.

PinpointKind = Literal["sentence", "row", "item", "heading"]
"""What is marked: a sentence of running text, a row of a table, an item or clause, a heading."""
AnswerKind = Literal["date", "amount", "count", "person", "organization", "location"]


@dataclass(frozen=True, slots=True)
class Pinpoint(Record):
    """The part of a passage that says most on the question: one sentence, row, item or clause.

    Attributes
    ----------
    text
        What stands there; ``page_text[char_start:char_end] == text`` (P1).
    score
        How much of what speaks for any part of this passage speaks for this one, 0..1. It says
        nothing of how well the passage answers.
    kind
        What it is.
    place
        Its own place: that of the passage, narrowed to its characters, lines and line rectangles.
    clause
        The numbered part of the document that it stands in ("\u00a7 14.4", "Article IV"), where
        that is certain.
    """

    JSON = ("text", "citation", "char_start", "char_end", "score")

    text: str
    score: Share
    kind: Annotated[PinpointKind, HIDDEN]
    place: Annotated[Provenance, HIDDEN]
    clause: Annotated[str | None, HIDDEN] = None

    @property
    def citation(self) -> str:
        """Its own citation, such as ``MSA.pdf, p. 6, \u00a7 14.4, ll. 21-23``."""
        return self.place.cite_lines(self.clause)

    @property
    def where(self) -> str:
        """The part of the citation that the passage's does not have: ``\u00a7 14.4, ll. 21-23``."""
        whole = self.citation.removeprefix(f"{self.place.document_name}, ")
        if self.place.sheet_name is not None:
            return whole
        printed = (self.place.printed_place or "").partition("; ")[0]
        return (f"{printed}, " if printed else "") + whole.partition(", ")[2]

    @property
    def char_start(self) -> int:
        """Where it begins in the page's text."""
        return self.place.char_start

    @property
    def char_end(self) -> int:
        """Where it ends."""
        return self.place.char_end

    @property
    def line_start(self) -> int:
        """Its first line on the page, from 1."""
        return self.place.line_start

    @property
    def line_end(self) -> int:
        """Its last line."""
        return self.place.line_end

    @property
    def boxes(self) -> tuple[tuple[float, float, float, float], ...]:
        """Rectangles of its lines, in points of the page; empty where the format has no layout."""
        boxes = (line.box for line in self.place.line_boxes)
        return tuple((b.x0, b.y0, b.x1, b.y1) for b in boxes)


@dataclass(frozen=True, slots=True)
class Answer(Record):
    """The value that answers a question for who, when, where, how much or how many.

    Attributes
    ----------
    text
        As it stands in the pinpoint.
    kind
        What it is.
    char_start, char_end
        Where it stands in the page's text.
    """

    text: str
    kind: AnswerKind
    char_start: int
    char_end: int


class Pointed(NamedTuple):
    """What is known of where a result answers.

    *paragraphs* and *printed* are stored of its passage, and say where a part of it stands: see
    :func:`casetrack.store.passages.narrow`.
    """

    pinpoint: tuple[Pinpoint, ...] = ()
    answer: Answer | None = None
    paragraphs: Sequence[Mapping[str, Any]] | None = None
    printed: Sequence[Mapping[str, Any]] | None = None


Look: TypeAlias = Callable[[], Pointed]
"""Finds out where a result answers, when somebody wants to know."""
NOWHERE = Pointed()
