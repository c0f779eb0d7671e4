"""What a document makes sure about names: which they are, and what they are called for short."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from casetrack.extract.spans import NameKind

Evidence: TypeAlias = Literal[
    "party clause",
    "definition",
    "title block",
    "letterhead",
    "signature",
    "mail head",
    "caption",
    "invoice head",
    "metadata",
    "legal form",
    "tagger",
]
"""What makes a name sure: where it stands, or how; ``tagger``: many of its places, all alike."""


@dataclass(frozen=True, slots=True, order=True)
class Where:
    """A place: position of the chunk among the document's, code points into its text."""

    chunk: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class SureName:
    """A name that the text itself makes sure at a place.

    Attributes
    ----------
    text
        The name as it stands there.
    kind
        What it names; ``None`` where the place does not say.
    evidence
        What makes it sure.
    address
        Mail address that belongs to it, in lower case; empty without one.
    called
        The name in full, where the place itself is not written like one (``jo.roe@acme.com``).
    again
        Whether the same block prints the name of the same signer further down.
    role
        What the place says that it is in the document ("plaintiff"); empty where it says nothing.
    """

    where: Where
    text: str
    kind: NameKind | None
    evidence: Evidence
    address: str = ""
    called: str = ""
    again: bool = False
    role: str = ""


@dataclass(frozen=True, slots=True)
class Term:
    """A word or name that the text defines for somebody: ``Acme, Inc. (the "Buyer")``.

    Attributes
    ----------
    where, text
        The term, without the marks around it.
    owner
        Place of the name that it stands for.
    role
        The part in a contract or case that it names ("buyer"); empty where it is a name.
    is_name
        Whether it is a name of its own (a short name, a former name), and no common word that the
        document uses as one ("the Company", "the Bank").
    quoted
        Whether it stands in quotation marks, as definitions do, and not in bare parentheses.
    """

    where: Where
    text: str
    owner: Where
    role: str = ""
    is_name: bool = True
    quoted: bool = False


@dataclass(slots=True)
class Sure:
    """All that a document makes sure."""

    names: list[SureName]
    terms: list[Term]
