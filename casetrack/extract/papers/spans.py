"""What is found in a legal text: citations and quotations, with their places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

AuthorityKind = Literal[
    "case", "statute", "regulation", "rule", "constitution", "journal", "record", "other"
]
CitationForm = Literal["full", "short", "id", "supra", "name"]
PinUnit = Literal["page", "paragraph", "line", "note", "section"]


@dataclass(frozen=True, slots=True)
class Pin:
    """Where in its source a citation points.

    Attributes
    ----------
    text
        As written: ``"593-94"``, ``"¶ 33"``, ``"24:11-20"``, ``"n.3"``.
    unit
        What its numbers count.
    first, last
        The place or the range, whole ("593", "594"); of ``24:11-20`` the pages "24", "24".
    first_line, last_line
        Of a transcript or pleading paper: "11", "20"; else ``None``.
    key
        Of parallel citations the one whose pages it counts ("case:113-s-ct-2786"); ``""`` where
        there is but one.
    """

    text: str
    unit: PinUnit
    first: str
    last: str
    first_line: str | None = None
    last_line: str | None = None
    key: str = ""


@dataclass(frozen=True, slots=True)
class LegalCitation:
    """A place that cites an authority or a document of the record.

    Attributes
    ----------
    start, end
        Of the whole citation in the text: names, reporter, pin cites, year in parentheses.
    text
        What stands there.
    kind, form
        What it cites, and how it is written.
    key
        The same for every way of citing one authority, parallel citations among them; as the keys
        of references (``case:509-us-579``, ``record:dkt-12``).
    name
        The authority in words, whole: ``"Daubert v. Merrell Dow Pharmaceuticals, Inc., 509 U.S.
        579 (1993)"``.
    keys
        Keys of all its parallel citations, *key* first.
    pins
        Where in the source it points; empty for the source as a whole.
    signal
        The word before it in the usual spelling: ``"see"``, ``"but see"``, ``"cf."``, ...; ``""``.
    treatment
        What is said of the authority: ``"overruled by"``, ``"abrogated by"``, ``"distinguished"``,
        ``"followed"``, ``"quoted"``, ...; ``""`` where nothing is.
    parenthetical
        The remark in parentheses after it, without them; ``""``.
    court, year
        As far as the text has them; ``""`` and ``None``.
    resolved
        Whether it is settled what it means; an *Id.* that could be several is not.
    confidence
        How sure it is, 0 to 1; recognised text lowers it.
    note
        What a reader should know of it ("read from a scan: 5O9 was taken for 509"); ``""``.
    """

    start: int
    end: int
    text: str
    kind: AuthorityKind
    form: CitationForm
    key: str
    name: str
    keys: tuple[str, ...] = ()
    pins: tuple[Pin, ...] = ()
    signal: str = ""
    treatment: str = ""
    parenthetical: str = ""
    court: str = ""
    year: int | None = None
    resolved: bool = True
    confidence: float = 1.0
    note: str = ""


@dataclass(frozen=True, slots=True)
class Quotation:
    """Words that a text gives as another's.

    Attributes
    ----------
    start, end
        Between the quotation marks, or of the indented block.
    text
        What stands there.
    is_block
        Whether it is set off as a block without marks.
    citation
        Index of the citation that it is ascribed to among those of the same text; ``None`` where
        none is.
    confidence
        How sure it is that the words are given as a quotation of that citation, 0 to 1; "scare
        quotes" and defined terms are low.
    """

    start: int
    end: int
    text: str
    is_block: bool = False
    citation: int | None = None
    confidence: float = 1.0
