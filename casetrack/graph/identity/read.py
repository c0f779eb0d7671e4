"""Reads the self-descriptions of a document, and its claims about others."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from casetrack.base.words import WordLists
from casetrack.graph.document.read import Places
from casetrack.graph.entities.organizations import read_organization
from casetrack.graph.identity.clauses import clause_numbers, read_clauses
from casetrack.graph.identity.facts import Claim, Description, Identity, Joined
from casetrack.graph.identity.mails import FORMATS, read_message, read_quoted_heads, text_digest
from casetrack.graph.identity.mentions import find_mentions
from casetrack.graph.identity.opening import OPENING, Opening, read_opening
from casetrack.graph.identity.titles import agreement_of, numbers_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from casetrack.graph.document.facts import ChunkFacts, DocumentFacts
    from casetrack.graph.identity.facts import Kind, Says
    from casetrack.graph.identity.mentions import Mention

# Reports to the Securities and Exchange Commission: form, period, registrant, exhibits listed.

_LISTS = WordLists(__file__)
_OPENING = 5000
_FILE_NUMBER = re.compile(r"(?<![\d-])(?P<number>\d{1,3}-\d{4,6}(?:-\d{2})?)(?![\d-])")
_FILE_LABEL = re.compile(r"Commission\s+File\s+(?:Number|No)", re.IGNORECASE)
_LISTED = re.compile(r"(?:^|\n)[ \t|*]*(?:Exhibit\s+)?(?P<label>\d{1,3}\.\d{1,3})(?=[\s|*])")
_FORM = re.compile(r"(?i:(?:sec\s+)?form\s+)?(?P<form>\d{1,2}-?[A-Z]+)(?P<changed>/A)?")
_KINDS: dict[str, Kind] = {
    "annual report": "annual report",
    "quarterly report": "interim report",
    "current report": "current report",
}


def read_filing(document: DocumentFacts, joined: Joined, digest: str, /) -> Identity | None:
    """Return the self-description of an SEC report from its card; ``None`` for other documents.

    The title is the form ("10-k", and "amended" for an amendment), the dates are the end of the
    period or the day of the report, the numbers are the file number and the registrant.
    """
    card = {fact.field: fact.value for fact in document.card or ()}
    kind, form = _KINDS.get(document.document_type or ""), _FORM.fullmatch(card.get("title", ""))
    if kind is None or form is None:
        return None
    numbers = [f"file:{n}" for n in _file_numbers(joined.text[:_OPENING])]
    issuer = read_organization(card.get("issuer", ""))
    numbers += [f"registrant:{'-'.join(issuer.base)}"] if issuer else []
    title = (form["form"].lower(), *(("amended",) if form["changed"] else ()))
    day = card.get("period", "").rpartition("/")[2] or card.get("date", "")
    listed = tuple(dict.fromkeys(m["label"] for m in _LISTED.finditer(joined.text)))[:400]
    described = Description(kind, title, dates=(day,) if day else (), numbers=tuple(numbers))
    return Identity(1, described, parts=listed, digest=digest)


def _file_numbers(text: str) -> list[str]:
    numbers = dict[str, None]()
    for label in _FILE_LABEL.finditer(text):
        near = text[max(0, label.start() - 60) : label.end() + 80]
        for match in _FILE_NUMBER.finditer(near):
            numbers["-".join(str(int(part)) for part in match["number"].split("-"))] = None
    return list(numbers)[:4]


_READ = 60_000
"""Code points searched for mentions of documents; later ones are defined or generic terms."""
_RECITALS = 9000
_BASE_CUE = _LISTS.pattern("base_cue")
_IS_CHANGED = _LISTS.pattern("is_changed")
_RESTATES = _LISTS.pattern("restates")
_UNDER = _LISTS.pattern("under")
_OF_CHANGE: dict[str, Says] = {"amendment": "amends", "supplement": "supplements"}
_OF_PART: dict[str, Says] = {"schedule": "schedule_of", "exhibit": "exhibit_of"}
_OF_NUMBER: dict[tuple[str, str], Says] = {
    ("invoice", "order"): "bills",
    ("invoice", "contract"): "bills",
    ("order", "contract"): "made_under",
}
_FOLLOWS = frozenset(
    "confirmation acknowledgement acknowledgment auftragsbestatigung delivery lieferschein".split()
)
_MOST_NAMED = 200


def read_identities(
    document: DocumentFacts, chunks: Sequence[ChunkFacts], /
) -> tuple[tuple[Identity, ...], tuple[Claim, ...]]:
    """Return the self-descriptions of a document (one per mail), and its claims about others."""
    joined = Joined(chunks)
    if document.format in FORMATS:
        identities = (read_message(document, joined),)
        claims = list(read_quoted_heads(joined))
        mentions = find_mentions(joined, 0, min(len(joined.text), _READ))
        claims += _mentioned(joined, Description("mail"), mentions)
        claims += read_clauses(joined, Opening(Description("mail")), mentions, frozenset())
        return identities, _ordered(chunks, claims)
    digest = text_digest(joined.text)
    filing = read_filing(document, joined, digest)
    mentions = find_mentions(joined, 0, min(len(joined.text), _READ))
    if filing is not None:
        named = _mentioned(joined, filing.description, mentions)
        return (filing,), _ordered(chunks, list(named))
    opening = [m for m in mentions if m.start < OPENING]
    itself = read_opening(joined, opening)
    identity = Identity(1, itself.description, itself.label, clause_numbers(joined.text), digest)
    claims = [*_stated(joined, itself, mentions)]
    claims += _mentioned(joined, itself.description, mentions)
    claims += read_clauses(joined, itself, mentions, frozenset(identity.parts))
    return (identity,), _ordered(chunks, claims)


def _ordered(chunks: Sequence[ChunkFacts], claims: list[Claim]) -> tuple[Claim, ...]:
    claims.sort(key=lambda s: (s.chunk, s.start, s.end, s.says))
    places = Places(chunks)
    return tuple(
        replace(s, repeated=places.repeated(s.chunk, s.start, s.end, (s.says, s.of)))
        for s in claims
    )


def _stated(joined: Joined, itself: Opening, mentions: Sequence[Mention]) -> Iterator[Claim]:
    """Yield the claims of the document as a whole about another one."""
    own = itself.description
    if own.kind in _OF_CHANGE:
        yield from _base(joined, itself, mentions, _OF_CHANGE[own.kind])
    elif own.kind in _OF_PART and itself.base >= 0:
        yield from _base(joined, itself, mentions, _OF_PART[own.kind])
    elif own.kind == "restatement":
        yield from _restated(joined, itself, mentions)
    elif own.kind in {"order", "invoice", "notice"}:
        says: Says = "bills" if own.kind == "invoice" else "made_under"
        for m in mentions:
            if (
                m.start < OPENING
                and _is_outside(m)
                and m.of.is_specific
                and _UNDER.search(joined.text, max(0, m.start - 60), m.start)
            ):
                yield _claim(joined, m, says, m.of)
                break
    if own.kind in {"order", "invoice"}:
        yield from _by_number(joined, own)


def _base(
    joined: Joined, itself: Opening, mentions: Sequence[Mention], says: Says
) -> Iterator[Claim]:
    """Yield the claim of an amendment or schedule about its base."""
    text = joined.text
    titled = next((m for m in mentions if m.start == itself.base), None)
    outside = [m for m in mentions if _is_outside(m) and itself.start <= m.start < _RECITALS]
    bases = [m for m in outside if m is not titled and (m.of.dates or m.of.numbers)]
    if titled is not None and titled.of.title:
        bases = [
            m for m in bases if agreement_of(titled.of.title, m.of.title) >= (0 if m.term else 1)
        ]
        bases.sort(key=lambda m: (-agreement_of(titled.of.title, m.of.title), m.start))
    else:
        bases = [
            m
            for m in bases
            if m.of.numbers or _BASE_CUE.search(text, max(0, m.start - 250), m.end + 120)
        ]
        changed = {m.of.title for m in outside if _IS_CHANGED.match(text, m.end)}
        bases.sort(key=lambda m: (m.of.title not in changed, m.start))
    best = bases[0] if bases else None
    if titled is None and best is None:
        cued = (
            m
            for m in outside
            if m.of.title and _BASE_CUE.search(text, max(0, m.start - 120), m.start)
        )
        best = next(cued, None)
    shown = titled or best
    if shown is None:
        yield Claim(
            *joined.place(itself.start, itself.end), says, Description("agreement"), confidence=0.7
        )
        return
    yield _claim(joined, best or shown, says, _combined(itself, titled, best))


def _combined(itself: Opening, titled: Mention | None, recited: Mention | None) -> Description:
    """Combine the descriptions of one agreement from the title and the recitals."""
    if titled is None or recited is None:
        if recited is not None or titled is None:
            return recited.of if recited is not None else Description("agreement")
        of = titled.of
        # "Amendment No. 1 to the Lease dated 3 May": the date is ambiguous if it is the only one.
        is_own = not set(itself.description.dates) - set(of.dates)
        return replace(of, dates=()) if is_own else of
    return replace(
        titled.of,
        title=titled.of.title or recited.of.title,
        restated=titled.of.restated or recited.of.restated,
        dates=recited.of.dates or titled.of.dates,
        numbers=tuple(dict.fromkeys((*titled.of.numbers, *recited.of.numbers))),
    )


def _restated(joined: Joined, itself: Opening, mentions: Sequence[Mention]) -> Iterator[Claim]:
    text, own = joined.text, itself.description
    outside = [
        m
        for m in mentions
        if _is_outside(m)
        and m.start < _RECITALS
        and m.start > itself.start
        and not set(m.of.dates) & set(own.dates)
    ]
    bases = [
        m
        for m in outside
        if agreement_of(own.title, m.of.title) >= 0
        and (m.of.dates or _RESTATES.search(text, max(0, m.start - 90), m.start))
    ]
    of = bases[0].of if bases else Description("agreement")
    of = replace(of, title=of.title or own.title)
    if bases:
        yield _claim(joined, bases[0], "restates", of)
    else:
        yield Claim(*joined.place(itself.start, itself.end), "restates", of, confidence=0.8)


def _by_number(joined: Joined, own: Description) -> Iterator[Claim]:
    follows = bool(_FOLLOWS.intersection(own.title))
    seen = set(own.numbers)
    for at, number in numbers_in(joined.text, 0, OPENING * 2):
        kind = number.partition(":")[0]
        says = _OF_NUMBER.get((own.kind, kind))
        if own.kind == "order" and kind == "order" and follows:
            says = "made_under"
        if says is None or number in seen:
            continue
        seen.add(number)
        end = joined.text.find("\n", at)
        end = min(at + 60, end if end > at else len(joined.text))
        described = Description("order" if kind == "order" else "agreement", numbers=(number,))
        yield Claim(*joined.place(at, end), says, described, confidence=0.95)


def _mentioned(joined: Joined, own: Description, mentions: Sequence[Mention]) -> Iterator[Claim]:
    """Yield the first mention of every other document that has more than its kind."""
    seen = {replace(own, kind=""), Description()}
    by_start = {m.start: m for m in mentions}
    for mention in mentions:
        of = mention.of
        if mention.is_this or not of.is_specific:
            continue
        if of.kind in _OF_CHANGE and mention.base >= 0 and mention.base in by_start:
            base = by_start[mention.base].of
            of = replace(of, title=base.title, dates=of.dates)
        key = replace(of, kind="" if of.kind == "agreement" else of.kind)
        if key in seen or len(seen) > _MOST_NAMED:
            continue
        seen.add(key)
        yield _claim(joined, mention, "names", of)


def _is_outside(mention: Mention) -> bool:
    return not mention.is_this and mention.of.kind == "agreement"


def _claim(joined: Joined, mention: Mention, says: Says, of: Description) -> Claim:
    return Claim(*joined.place(mention.start, mention.end), says, of)
