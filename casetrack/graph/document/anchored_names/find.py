"""Finds the places with evidence for names in a document."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from casetrack.base.addresses import correspondents
from casetrack.base.words import WordLists
from casetrack.graph.document.anchored_names.boundaries import len_of_title, with_boundaries
from casetrack.graph.document.anchored_names.companies import find_companies, walk_left
from casetrack.graph.document.anchored_names.facts import Anchor, Anchors, Term, Where
from casetrack.graph.document.anchored_names.papers import card_names, paper_names
from casetrack.graph.document.anchored_names.signatures import signatures
from casetrack.graph.document.anchored_names.terms import Candidate, terms_of
from casetrack.graph.document.titles import MODIFIERS, PARTIES, is_job, job_title
from casetrack.graph.entities.lexicon import GIVEN_NAMES
from casetrack.graph.entities.organizations import is_company
from casetrack.graph.entities.text import fold

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from casetrack.extract.spans import NameKind, NameSpan
    from casetrack.graph.document.facts import ChunkFacts, DocumentFacts

_LISTS = WordLists(__file__)

# Senders and recipients: the heads of mails, including forwarded and quoted ones.

_FIELD = _LISTS.pattern("field")
_LOTUS = _LISTS.pattern("lotus")
_FUNCTIONS = frozenset(_LISTS.words("functions"))
_SHORTEST_MC = 4
_PART: Final = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_LETTERS: Final = re.compile(r"[^\W\d_]")


def mail_heads(chunk: int, text: str, /) -> Iterator[Anchor]:
    r"""Yield the correspondents in mail heads of a chunk, with their addresses.

    >>> text = 'From: "Roe, Jo" <jo.roe@acme.com>\nTo: ann.lee@acme.com\n'
    >>> [(n.called or n.text, n.address) for n in mail_heads(0, text)]
    [('Roe, Jo', 'jo.roe@acme.com'), ('Ann Lee', 'ann.lee@acme.com')]
    """
    for field in _FIELD.finditer(text):
        start, end = field.end(), _end_of(text, field.end())
        yield from _correspondents(chunk, text, start, end)
    if "/" in text:
        for match in _LOTUS.finditer(text):
            where = Where(chunk, match.start(1), match.end(1))
            yield Anchor(where, match[1], "person", "mail head")


def _end_of(text: str, start: int) -> int:
    """Return the end of a field; a line that ends in a comma is continued."""
    at = start
    while True:
        end = text.find("\n", at)
        if end < 0:
            return len(text)
        if not text[:end].rstrip(" \t").endswith((",", ";")):
            return end
        at = end + 1


def _correspondents(chunk: int, text: str, start: int, end: int) -> Iterator[Anchor]:
    for each in correspondents(text[start:end]):
        mail = each.address.lower()
        low, high = start + each.start, start + each.end
        if not each.name:
            if called := _called(each.address):
                where = Where(chunk, low, low + each.address.index("@"))
                written = text[where.start : where.end]
                yield Anchor(where, written, "person", "mail head", mail, called)
            continue
        if kind := _kind(each.name, mail):
            is_turned = kind == "person" and "," not in each.name
            called = each.person if is_turned and each.person != each.name else ""
            yield Anchor(Where(chunk, low, high), text[low:high], kind, "mail head", mail, called)


def _called(address: str) -> str:
    """Return the name in an address, such as ``Jo Roe``; empty for a function's address."""
    local, _, host = address.partition("@")
    parts = [p for p in re.split(r"[._]+", local) if p]
    if not 2 <= len(parts) <= 4 or not all(_PART.fullmatch(p) for p in parts):
        return ""
    low = [fold(p) for p in parts]
    owner = fold(host).split(".")
    if (
        any(p in _FUNCTIONS or p in owner for p in low)
        or not _FUNCTIONS.isdisjoint("-".join(low).split("-"))
        or max(map(len, low)) < 2
        or len(low[-1]) < 2
    ):
        return ""
    return " ".join(p if any(c.isupper() for c in p[1:]) else _capital(p) for p in parts)


def _capital(part: str) -> str:
    word = "-".join(p[:1].upper() + p[1:].lower() for p in part.split("-"))
    if word.startswith("Mc") and len(word) > _SHORTEST_MC:
        word = f"Mc{word[2:].capitalize()}"
    return f"{word}." if len(word) == 1 else word


def _kind(name: str, address: str) -> NameKind | None:
    words = name.replace(",", " ").split()
    if is_company(name) or "".join(words).lower() in address.partition("@")[2].split("."):
        return "organization"
    if not 2 <= len(words) <= 5 or not all(_LETTERS.match(w) and w[0].isupper() for w in words):
        return None
    if any(fold(w.strip(".")) in _FUNCTIONS for w in words) or any(c.isdigit() for c in name):
        return None
    if is_job(words[-1]) or job_title(name) or fold(words[-1]) in MODIFIERS | PARTIES:
        return None
    if len(words[0]) > 1 and name.isupper() and "," not in name and not address:
        return None
    return "person"


# Names of investment funds and trusts, read backward from their last word.

_FUND = _LISTS.pattern("fund")
_PAIR: Final = re.compile(r"([A-Z][\w-]+) (?:and|&) \Z")
_WORDS_OF_FUND = 3
_REACH = 140


def find_funds(text: str, /) -> Iterator[tuple[int, int]]:
    """Yield the span of each investment fund with a distinctive name, in order.

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


_LEAD = re.compile(r"(?:(?:19|20)\d\d|Total|TOTAL)\s+")
_SPEAKER = 3
"""Maximum number of words of a person's name directly before a company."""


def find_anchors(
    document: DocumentFacts, chunks: Sequence[ChunkFacts], /
) -> tuple[Anchors, list[list[NameSpan]]]:
    """Return the names with evidence, and the tagged names with corrected boundaries."""
    anchors = Anchors([], [])
    _add(anchors, paper_names(document, chunks))
    _add(anchors, card_names(document, chunks))
    tagged: list[list[NameSpan]] = []
    firms = [list(find_companies(c.text)) for c in chunks]
    whole = {c.text[a:b] for c, places in zip(chunks, firms, strict=True) for a, b, _ in places}
    firms = [
        [(_behind_lead(c.text, a, b, whole), b, weak) for a, b, weak in places]
        for c, places in zip(chunks, firms, strict=True)
    ]
    for number, chunk in enumerate(chunks):
        places, rests = _in_columns(chunk.text, firms[number], whole)
        companies = [(_behind_person(chunk.text, a, b, whole), b, weak) for a, b, weak in places]
        for start, end in find_funds(chunk.text):
            if all(end <= a or b <= start for a, b, _ in companies):
                companies.append((start, end, False))
        companies.sort()
        spans = [s for s in chunk.names if all(s.end <= a or b <= s.start for a, b in rests)]
        names = with_boundaries(chunk.text, spans, [(a, b) for a, b, _ in companies])
        strong = [(a, b) for a, b, weak in companies if not weak]
        tagged.append(names)
        for start, end in strong:
            where = Where(number, start, end)
            anchors.names.append(Anchor(where, chunk.text[start:end], "organization", "legal form"))
        candidates = _candidates(companies, names)
        _add(anchors, _without_places(terms_of(number, chunk.text, candidates), chunk))
        signers = signatures(number, chunk.text, candidates)
        _add(anchors, (s for s in signers if (s.where.start, s.where.end) not in rests))
        _add(anchors, mail_heads(number, chunk.text))
    return anchors, tagged


def _add(anchors: Anchors, additions: Iterable[Anchor | Term]) -> None:
    """Add names and terms, without titles before names."""
    cuts: dict[Where, Where] = {}
    for each in additions:
        if isinstance(each, Term):
            anchors.terms.append(replace(each, owner=cuts.get(each.owner, each.owner)))
            continue
        cut = 0 if each.kind == "organization" else len_of_title(each.text)
        if not cut:
            anchors.names.append(each)
            continue
        where = replace(each.where, start=each.where.start + cut)
        cuts[each.where] = where
        anchors.names.append(replace(each, where=where, text=each.text[cut:], kind="person"))


def _without_places(
    evidence: Iterable[Anchor | Term], chunk: ChunkFacts
) -> Iterator[Anchor | Term]:
    """Remove terms that only state a place: "Oakham Maine Dairy, Inc. (Maine)"."""
    places = {(s.start, s.end) for s in chunk.names if s.kind == "location"}
    for each in evidence:
        at = (each.where.start, each.where.end)
        if isinstance(each, Anchor) or at not in places or chunk.text[at[0] - 1] != "(":
            yield each


def _in_columns(
    text: str, places: Sequence[tuple[int, int, bool]], whole: Collection[str]
) -> tuple[list[tuple[int, int, bool]], list[tuple[int, int]]]:
    """Join names that continue on the next line of their column.

    "Oakham Medical Marsh Dairy Inc." above "Systems B.V." contains Oakham Medical Systems B.V. and
    Marsh Dairy Inc. if the document has the first name elsewhere. Return the spans of names, and
    those of second lines, which are no names.
    """
    kept, rests = list(places), list[tuple[int, int]]()
    for start, end, weak in places:
        line = text.rfind("\n", 0, start) + 1
        above = text[:line].rstrip()
        low = above.rfind("\n") + 1
        if text[line:start].strip() or not above:
            continue
        rest = f" {text[start:end]}".lower()
        heads = {name[: -len(rest)] for name in whole if name.lower().endswith(rest)}
        for head in sorted(heads, key=len, reverse=True):
            match = re.search(rf"(?<!\w){re.escape(head)}(?!\w)", above[low:], re.IGNORECASE)
            if match is None:
                continue
            first, last = low + match.start(), low + match.end()
            kept.remove((start, end, weak))
            if last == len(above):
                kept.append((first, end, weak))
                break
            behind = last + len(text[last:]) - len(text[last:].lstrip())
            kept = [(behind if a == first and b > last else a, b, w) for a, b, w in kept]
            kept.append((first, last, weak))
            rests.append((start, end))
            break
    return sorted(kept), rests


def _behind_person(text: str, start: int, end: int, whole: Collection[str]) -> int:
    """Return the start of a company after the speaker's name in "Jo Roe Oakham Dairy, Inc."."""
    words = list(re.finditer(r"\S+", text[start:end]))
    if len(words) > _SPEAKER and fold(words[0][0]) in GIVEN_NAMES:
        for word in words[2 : _SPEAKER + 1]:
            if text[start + word.start() : end] in whole:
                return start + word.start()
    return start


def _behind_lead(text: str, start: int, end: int, whole: Collection[str]) -> int:
    """Return the start of a company after a year or the label of a sum before its name."""
    lead = _LEAD.match(text, start)
    known = {name.lower() for name in whole} if lead else ()
    return lead.end() if lead and text[lead.end() : end].lower() in known else start


def _candidates(
    companies: Sequence[tuple[int, int, bool]], names: Sequence[NameSpan]
) -> list[Candidate]:
    known = [Candidate(a, b, "organization", has_form=not weak) for a, b, weak in companies]
    for span in names:
        if span.kind == "location" or any(c.start < span.end and span.start < c.end for c in known):
            continue
        # The tagger's result at one place is weak evidence of the kind.
        known.append(Candidate(span.start, span.end, None, has_form=False))
    return sorted(known, key=lambda c: c.start)
