"""Where in a passage its answer stands, and the value that answers, each at its exact place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

from casetrack.base.provenance import Provenance
from casetrack.base.records.shape import HIDDEN, Record, Share

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
