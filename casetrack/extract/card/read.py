"""Reads the identity card of a document from its first pages, its file and its kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from casetrack.base.records.documents import CardFact
from casetrack.extract.card.dates import read_date, read_number, read_period
from casetrack.extract.card.issuers import read_addressee, read_issuer
from casetrack.extract.card.parties import read_parties
from casetrack.extract.card.titles import read_base, read_title
from casetrack.extract.card.totals import read_total

if TYPE_CHECKING:
    from casetrack.extract.card.cover import Cover
    from casetrack.extract.card.facts import Found


_COLUMN: Final = {"title": "own_title", "date": "stated_on", "number": "own_number"}
"""Column of a field of another name."""
NO_CARD: Final[dict[str, Any]] = dict.fromkeys(
    ("issuer", "addressee", "own_title", "stated_on", "period", "own_number", "base", "card")
)
"""The columns of a document without a card."""


def card_columns(cover: Cover, kind: str, /) -> dict[str, Any]:
    """Return the columns of the card."""
    facts = tuple(_fact(cover, found) for found in read_card(cover, kind))
    values = {_COLUMN.get(f.field, f.field): f.value for f in facts}
    return {name: values.get(name) for name in NO_CARD} | {"card": facts or None}


def _fact(cover: Cover, found: Found) -> CardFact:
    has_place = found.start >= 0
    page, start, end = cover.place(found.start, found.end) if has_place else (None, None, None)
    own = {n: getattr(found, n) for n in ("field", "value", "role", "side", "evidence")}
    sure = round(found.confidence, 2)
    return CardFact(page=page, start=start, end=end, confidence=sure, **own)


def read_card(cover: Cover, kind: str, /) -> tuple[Found, ...]:
    """Return the values of the card in the order of their fields, parties last."""
    readers = (
        *(read_title, read_issuer, read_addressee),
        *(read_date, read_period, read_number, read_total, read_base),
    )
    values = [value for read in readers if (value := read(cover, kind)) is not None]
    addressee = next((value for value in values if value.field == "addressee"), None)
    return (*values, *(read_parties(cover, addressee) if kind == "contract" else ()))
