"""How a question was read before it was asked: what it says beside its words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal

from casetrack.records.shape import HIDDEN, Record, Told

Want = Literal["figure", "head", "person", "date", "amount", "count", "place", "definition"]
"""What a question asks for: a figure of a table, what stands at the head of a document (its title,
parties, date), a person, a date, an amount of money, a number of things, a place, the meaning of a
word."""


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
    weight: Annotated[float, Told(digits=4)]


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
    weight: Annotated[float, Told(digits=4)]


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
    """

    query: Annotated[str, HIDDEN]
    text: str
    terms: Annotated[dict[str, float], HIDDEN] = field(repr=False)
    dropped: tuple[Part, ...] = ()
    phrases: tuple[Part, ...] = ()
    numbers: tuple[Part, ...] = ()
    periods: tuple[Period, ...] = ()
    wants: Annotated[frozenset[Want], Told(via=_listed)] = frozenset()
    language: str | None = None
    script: str | None = None
    named: tuple[NamedDocument, ...] = ()
    expansions: tuple[Expansion, ...] = ()
    titles: Annotated[tuple[str, ...], HIDDEN] = field(default=(), repr=False)

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
        if self.wants:
            lines.append(f"Asks for: {', '.join(sorted(self.wants))}")
        return lines


def _quoted(parts: tuple[Part, ...]) -> str:
    return ", ".join(f'"{part.text}"' for part in parts)
