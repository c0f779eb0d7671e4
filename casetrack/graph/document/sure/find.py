"""All the places where a document makes names sure."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from casetrack.graph.document.sure.boundaries import settled
from casetrack.graph.document.sure.captions import captions
from casetrack.graph.document.sure.companies import find_companies, walk_left
from casetrack.graph.document.sure.edges import len_of_title
from casetrack.graph.document.sure.facts import Sure, SureName, Term, Where
from casetrack.graph.document.sure.letterheads import letterheads, mail_signatures
from casetrack.graph.document.sure.mail import mail_heads
from casetrack.graph.document.sure.papers import paper_names
from casetrack.graph.document.sure.signatures import invoice_heads, signatures, title_block
from casetrack.graph.document.sure.terms import Candidate, terms_of
from casetrack.graph.entities.lexicon import GIVEN_NAMES
from casetrack.graph.entities.text import fold

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from casetrack.extract.spans import NameSpan
    from casetrack.graph.document.facts import ChunkFacts, DocumentFacts

# Names of investment funds and trusts, read backward from the word that they end in.

_FUND: Final = re.compile(
    r"(?<=[a-z)] )(?:Fund|Master Trust|Issuance Trust|Income Trust|Growth Trust|Equity Trust|"
    r"Municipal Trust|Receivables Trust|Mortgage Trust)"
    r"(?: (?:\d{1,2}|[IVX]{1,4}))?(?![\w’'-]|[ ][A-Z][a-z]|, (?:Inc|L))"
)
"""What names of investment funds end in; they have two words more before it, or three."""
_PAIR: Final = re.compile(r"([A-Z][\w-]+) (?:and|&) \Z")
_WORDS_OF_FUND = 3
_REACH = 140


def find_funds(text: str, /) -> Iterator[tuple[int, int]]:
    """Yield the place of each investment fund that has a name of its own, in order.

    Examples
    --------
    >>> text = "the Oakham Global Income and Growth Fund 2 (Global Income), and the Fund"
    >>> [text[a:b] for a, b in find_funds(text)]
    ['Oakham Global Income and Growth Fund 2']
    """
    last = 0
    for match in _FUND.finditer(text):
        low = max(last, match.start() - _REACH)
        start = walk_left(text, low, match.start())
        joined = _PAIR.search(text, low, start) if start is not None else None
        if joined:
            start = walk_left(text, low, joined.end(1))
        if start is None or len(text[start : match.start()].split()) < _WORDS_OF_FUND:
            continue
        last = match.end()
        yield start, match.end()


_SPEAKER = 3
"""Most words of a person's name right before that of a company."""
_FRONT = 4
"""Chunks of a document that may hold its title page and its head."""


def find_sure(
    document: DocumentFacts, chunks: Sequence[ChunkFacts], /
) -> tuple[Sure, list[list[NameSpan]]]:
    """Return what a document makes sure, and its tagged names with their right ends.

    Parameters
    ----------
    document
        What the ledger knows of it.
    chunks
        Its chunks, in order.
    """
    sure = Sure([], [])
    _add(sure, paper_names(document, chunks))
    tagged: list[list[NameSpan]] = []
    found = [list(find_companies(c.text)) for c in chunks]
    whole = {c.text[a:b] for c, places in zip(chunks, found, strict=True) for a, b, _ in places}
    for number, chunk in enumerate(chunks):
        companies = [
            (_behind_person(chunk.text, a, b, whole), b, weak) for a, b, weak in found[number]
        ]
        for start, end in find_funds(chunk.text):
            if all(end <= a or b <= start for a, b, _ in companies):
                companies.append((start, end, False))
        companies.sort()
        names = settled(chunk.text, chunk.names, [(a, b) for a, b, _ in companies])
        companies = [_widened(c, names) for c in companies]
        strong = [(a, b) for a, b, weak in companies if not weak]
        tagged.append(names)
        for start, end in strong:
            where = Where(number, start, end)
            sure.names.append(SureName(where, chunk.text[start:end], "organization", "legal form"))
        candidates = _candidates(companies, names)
        _add(sure, _without_places(terms_of(number, chunk.text, candidates), chunk))
        _add(sure, signatures(number, chunk.text, candidates))
        _add(sure, mail_heads(number, chunk.text))
        _add(sure, mail_signatures(number, chunk.text, names))
        if number == 0:
            _add(sure, letterheads(number, chunk.text, names))
        if number < _FRONT:
            _add(sure, title_block(number, chunk.text, candidates))
            _add(sure, captions(number, chunk.text, candidates))
            _add(sure, invoice_heads(number, chunk.text, candidates))
    return sure, tagged


def _add(sure: Sure, found: Iterable[SureName | Term]) -> None:
    """Keep what was found; titles before names are none of them, here as with the tagger."""
    cuts: dict[Where, Where] = {}
    for each in found:
        if isinstance(each, Term):
            sure.terms.append(replace(each, owner=cuts.get(each.owner, each.owner)))
            continue
        cut = 0 if each.kind == "organization" else len_of_title(each.text)
        if not cut:
            sure.names.append(each)
            continue
        where = replace(each.where, start=each.where.start + cut)
        cuts[each.where] = where
        sure.names.append(replace(each, where=where, text=each.text[cut:], kind="person"))


def _without_places(
    found: Iterable[SureName | Term], chunk: ChunkFacts
) -> Iterator[SureName | Term]:
    """Leave out what only says where: "Oakham Maine Dairy, Inc. (Maine)"."""
    places = {(s.start, s.end) for s in chunk.names if s.kind == "location"}
    for each in found:
        at = (each.where.start, each.where.end)
        if isinstance(each, SureName) or at not in places or chunk.text[at[0] - 1] != "(":
            yield each


def _behind_person(text: str, start: int, end: int, whole: Collection[str]) -> int:
    """Return where a company begins: behind who speaks for it, in "Jo Roe Oakham Dairy, Inc."."""
    words = list(re.finditer(r"\S+", text[start:end]))
    if len(words) > _SPEAKER and fold(words[0][0]) in GIVEN_NAMES:
        for word in words[2 : _SPEAKER + 1]:
            if text[start + word.start() : end] in whole:
                return start + word.start()
    return start


def _widened(company: tuple[int, int, bool], names: Sequence[NameSpan]) -> tuple[int, int, bool]:
    """Return the place of a name with a legal form, as far as the tagged name around it goes."""
    start, end, weak = company
    for span in names:
        if span.kind == "organization" and span.start <= start and end <= span.end:
            return span.start, span.end, weak
    return company


def _candidates(
    companies: Sequence[tuple[int, int, bool]], names: Sequence[NameSpan]
) -> list[Candidate]:
    found = [Candidate(a, b, "organization", sure=not weak) for a, b, weak in companies]
    for span in names:
        if span.kind == "location" or any(c.start < span.end and span.start < c.end for c in found):
            continue
        # What the tagger thinks of one place says little of the kind.
        found.append(Candidate(span.start, span.end, None, sure=False))
    return sorted(found, key=lambda c: c.start)
