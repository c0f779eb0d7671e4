"""What a document is by its own account, and what it says of others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "agreement",
    "restatement",
    "amendment",
    "supplement",
    "schedule",
    "exhibit",
    "notice",
    "letter",
    "order",
    "invoice",
    "annual report",
    "interim report",
    "current report",
    "mail",
    "",
]
"""What a document is; empty where nothing says so."""
Says = Literal[
    "amends",
    "restates",
    "supplements",
    "schedule_of",
    "exhibit_of",
    "made_under",
    "bills",
    "names",
    "clause",
    "quotes",
]
"""What a document says of another one. ``names`` says no more than that it speaks of it, ``clause``
that a part cited there stands in it, ``quotes`` that a mail holds the head of an earlier one."""


@dataclass(frozen=True, slots=True)
class Description:
    """Words that tell a document from others: "Amendment No. 2 to the Lease dated 3 May 2019".

    Attributes
    ----------
    kind
        What kind of document is meant.
    title
        Its words in small letters, without those that say only that it is an agreement; of a mail
        its subject.
    restated
        Whether it is called amended and restated.
    ordinal
        Which amendment or supplement it is, from 1; ``None`` where nothing says so, or it is none.
    dates
        Dates of it, ``YYYY-MM-DD`` or ``YYYY-MM``; of a mail when it was sent.
    numbers
        Numbers that name it, with what they number: ``contract:4711-b``, ``invoice:2024-17``.
    """

    kind: Kind = ""
    title: tuple[str, ...] = ()
    restated: bool = False
    ordinal: int | None = None
    dates: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()

    @property
    def is_telling(self) -> bool:
        """Whether it says which document is meant, and not only what kind."""
        return bool(self.title or self.dates or self.numbers or self.ordinal)


@dataclass(frozen=True, slots=True)
class Identity:
    """What a document, or a message of a mailbox, says that it is.

    Attributes
    ----------
    page
        The page that it begins on: 1, but for the later messages of a mailbox.
    description
        Its own title, dates and numbers.
    label
        Of a schedule or exhibit, such as ``b`` or ``99.1``.
    parts
        Numbers of its clauses, and labels of the exhibits that it lists.
    digest
        The same for two texts that differ in nothing but white space, case and marks; empty where
        there is hardly a text.
    """

    page: int
    description: Description
    label: str = ""
    parts: tuple[str, ...] = ()
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Saying:
    """A place that says something of another document.

    Attributes
    ----------
    chunk, start, end
        The place: position among the document's chunks, and code points into that one's text.
    says
        What.
    of
        The other document. Says nothing for a part whose document is the one that the whole
        document is about.
    repeated
        Whether the chunk before holds the very same place.
    confidence
        How sure it is that the place says so.
    """

    chunk: int
    start: int
    end: int
    says: Says
    of: Description
    repeated: bool = False
    confidence: float = 0.9
