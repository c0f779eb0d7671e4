"""Names in the caption of a court paper, and in the identity card of a document.

Their readers have stored the names in the ledger with their places. Here each becomes a name with
evidence at its place; names that no chunk contains as a whole are left out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from casetrack.extract.card.patterns import BILLS, ISSUED
from casetrack.extract.papers.caption_lines import caption_cells
from casetrack.extract.papers.courts import find_court
from casetrack.graph.document.anchored_names.companies import is_body
from casetrack.graph.document.anchored_names.facts import Anchor, Term, Where
from casetrack.graph.document.anchored_names.signatures import is_given
from casetrack.graph.entities.organizations import is_company
from casetrack.graph.entities.persons import read_person
from casetrack.graph.entities.text import fold

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from casetrack.base.records.documents import CardFact, Party
    from casetrack.extract.spans import NameKind
    from casetrack.graph.document.facts import ChunkFacts, DocumentFacts

_FRONT, _TO_ROLE = 2, 160
"""Pages that may name the court; code points from a party to the word for its role."""
_UNNAMED = re.compile(
    r"(?:(?:john|jane|fictitious|unknown|unnamed)\s+)?(?:does?|roes?)\b(?=$|s?\s*\d|\s*\(|\s+(?:one"
    r"|i+|defendants?|corporations?|entities|companies)\b)|(?:unknown|unnamed|all|certain|various"
    r"|other|et\s+al)\b|\d[\w.-]*$",
    re.IGNORECASE,
)
"""Unnamed parties: "DOES 1 through 10", "John Doe", "All persons unknown"."""
_PUBLIC = frozenset(
    "states people commonwealth government district schools village township parish authority "
    "department dept comm'n commissioner secretary attorney director warden administrator "
    "bancorp ass'n assn dist co branch".split()
)
"""Words of parties that are no persons, in addition to those of bodies."""
_OF = re.compile(r"\s(?:of|for|the|&|and)\s", re.IGNORECASE)


def paper_names(
    document: DocumentFacts, chunks: Sequence[ChunkFacts], /
) -> Iterator[Anchor | Term]:
    """Yield the names in the caption of a paper with their roles, and the words for these roles."""
    if document.court:
        where = _court(document.court, chunks)
        if where is not None:
            text = chunks[where.chunk].text[where.start : where.end]
            called = document.court
            yield Anchor(where, text, "organization", "caption", called=called, role="court")
    for name, role in ((document.judge, "judge"), (document.witness, "witness")):
        where = _first(name, chunks) if name else None
        if name and where is not None:
            text = chunks[where.chunk].text[where.start : where.end]
            yield Anchor(where, text, "person", "caption", role=role)
    for party in document.parties or ():
        is_cut = party.name.count("(") != party.name.count(")")
        is_other = is_cut or _UNNAMED.match(party.name)
        where = None if is_other else _place(party.name, party, chunks)
        if where is not None:
            text = chunks[where.chunk].text[where.start : where.end]
            kind = _kind(party.name)
            yield Anchor(where, text, kind, "caption", role=party.role or "party")
            only = sum(other.role == party.role for other in document.parties or ()) == 1
            behind = chunks[where.chunk].text[where.end : where.end + _TO_ROLE]
            word = re.search(rf"(?<!\w){re.escape(party.role or '')}(?!\w)", behind, re.IGNORECASE)
            if party.role and only and word:
                at = Where(where.chunk, where.end + word.start(), where.end + word.end())
                yield Term(at, word[0], where, party.role, is_name=False)


def card_names(document: DocumentFacts, chunks: Sequence[ChunkFacts], /) -> Iterator[Anchor]:
    """Yield the parties of the card with their roles, the issuer, and the letterhead's firm."""
    for fact in document.card or ():
        is_own = fact.value and fact.field in {"issuer", "addressee", "party"}
        where = _place(fact.value, fact, chunks) if is_own else None
        if where is None:
            continue
        text = chunks[where.chunk].text[where.start : where.end]
        kind, words = _kind(fact.value), fact.value.split()
        if (
            kind == "person"
            and len(words) > 2
            and "." not in fact.value
            and not is_given(fact.value)
        ):
            kind = None  # "North Media Enterprises"
        if fact.field == "party":
            yield Anchor(where, text, kind, "party clause", role=fact.role or "")
        elif document.document_type in BILLS:
            yield Anchor(where, text, kind, "invoice head")
        elif fact.evidence == "letterhead":
            yield Anchor(where, text, "organization", "letterhead")
        elif fact.field == "issuer" and document.document_type in ISSUED and kind == "organization":
            yield Anchor(where, text, kind, "title block", role="issuer")


def _court(name: str, chunks: Sequence[ChunkFacts]) -> Where | None:
    """Return the place of the court in the caption, or else of the first such name."""
    for number, chunk in enumerate(chunks):
        if chunk.page > _FRONT:
            break
        cells = caption_cells(chunk.text)
        for side in (False, True):
            column = [c for c in cells if (c.side == "right") is side]
            court = find_court([c.text for c in column])
            if court is not None and court.name == name:
                line = column[court.first]
                whole = _pattern(court.text).match(chunk.text, line.start)
                return Where(number, line.start, whole.end() if whole else line.end)
    return _first(name, chunks)


def _first(name: str, chunks: Sequence[ChunkFacts]) -> Where | None:
    """Return the first place of a name, ignoring white space."""
    pattern = _pattern(name)
    for number, chunk in enumerate(chunks):
        match = pattern.search(chunk.text)
        if match:
            return Where(number, match.start(), match.end())
    return None


def _place(name: str, at: Party | CardFact, chunks: Sequence[ChunkFacts]) -> Where | None:
    """Return the place of a name that a reader has found, on any number of lines."""
    if at.page is None or at.start is None or at.end is None:
        return None
    pattern = _pattern(name)
    for number, chunk in enumerate(chunks):
        start, end = at.start - chunk.char_start, at.end - chunk.char_start
        if chunk.page == at.page and start >= 0 and end <= len(chunk.text):
            whole = pattern.match(chunk.text, start)
            return Where(number, start, whole.end() if whole else end)
    return None


def _pattern(name: str) -> re.Pattern[str]:
    words = r"\s+".join(map(re.escape, name.split()))
    return re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE)


def _kind(name: str) -> NameKind | None:
    """Return whether a party is a person or a body; ``None`` for a single ambiguous word."""
    words = [fold(word).strip(".,'’()") for word in name.split()]
    if is_company(name) or any(is_body(word) or word in _PUBLIC for word in words):
        return "organization"
    if is_given(name):
        return "person"
    if _OF.search(name) or len(words) > 5:
        return "organization"
    if len(words) == 1:
        return None
    return "person" if read_person(name) is not None else "organization"
