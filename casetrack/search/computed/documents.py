"""Sets of documents: by type, format or title, narrowed by time, by names and by correspondents."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import EntityNotFound, ReferenceNotFound, UsageError
from casetrack.base.records.documents import DOCUMENT_TYPES, STATED_DATE
from casetrack.search.computed.asked import AMENDED, DOCUMENTS, LISTS, PAPERS, TYPES
from casetrack.search.computed.invoices import invoice_totals
from casetrack.search.computed.parts import called, counted, joined
from casetrack.search.pinpoint.mail_heads import without_head
from casetrack.search.question.wanted import query_terms as stems
from casetrack.search.question.words import terms_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from casetrack.base.records import Document
    from casetrack.base.records.search import ComputedAnswer
    from casetrack.base.sql.catalog import GraphView
    from casetrack.search.computed.asked import AskedSet
    from casetrack.search.computed.parts import Source, Spot

_TYPES = TYPES | {
    f"{name}{end}": name for name in DOCUMENT_TYPES if " " in name for end in ("", "s")
}
_FORMATS = {
    word: tuple(key.split()) for key, words in LISTS.groups("formats").items() for word in words
}
_MAILS = ("eml", "msg")
_MENTIONS = re.compile(
    r"^(?:(?:that|which|die|in denen) )?(?:mention(?:s|ing)?|nam(?:e|es|ing)|cit(?:e|es|ing)|"
    r"refer(?:s|ring)? to|contain(?:s|ing)?|erwähnen|nennen|zitieren|enthalten) (?P<name>.+)$"
    r"|^(?:is|are|was|were|wird|ist) (?P<named>.+) (?:mentioned|named|cited|erwähnt|genannt)$",
    re.IGNORECASE,
)
_MAIL = re.compile(
    r"^(?:(?:that|which) )?(?:(?:are|is|were|was) )?(?:(?:sent|written|received) )?"
    r"(?P<side>from|by|to|von|an) (?P<name>[^,]+)$",
    re.IGNORECASE,
)
_YEAR = re.compile(
    r"^(?:(?:that|which) )?(?:(?:were|was|are) )?(?:signed|dated|made|written|issued|sent)? ?"
    r"(?:in|from|of|for|during|aus|von|im jahr|aus dem jahr) (?P<year>(?:19|20)\d\d)$",
    re.IGNORECASE,
)
_ISO_DATE = re.compile(r"(?<!\d)(?:19|20)\d\d-[01]\d-[0-3]\d(?!\d)")
_TITLE_WORDS = 6
_SALUTATION = re.compile(
    r"^[ \t]*(?:dear|sehr geehrte[rs]?|liebe[rs]?|to whom)\b[^\n]*", re.IGNORECASE | re.MULTILINE
)
_LINE = re.compile(r"[^\s\n][^\n]*")
_LETTERHEAD = 2
"""Number of lines of a letter in which only its sender is named."""
_CERTAIN = 0.96
"""Minimum score of a name: the same name, or without its legal form or title."""


def documents_answer(source: Source, asked: AskedSet, /) -> ComputedAnswer | None:
    """Return the list, number or extreme of a set of documents, or ``None``."""
    matched = None if asked.measure else _matching(source, asked)
    if matched is None:
        return None
    documents, how, others = matched
    if others and asked.form != "list":
        return None
    narrowed = _narrowed(source, asked.rest, documents)
    if narrowed is None or not narrowed[0]:
        return None
    documents, filtered, places = narrowed
    how = f"{how}{filtered}"
    if asked.form == "sum" or (asked.form == "extreme" and asked.by == "value"):
        return invoice_totals(source, asked, documents, how)
    if asked.form == "extreme":
        return _extreme(source, asked, documents, how, places)
    ordered = sorted(documents, key=lambda d: (d.name.casefold(), d.path))
    parts = [
        (d.name, _day(source, d), place)
        for d in ordered
        if (place := places.get(d.document_id) or source.opening(d)) is not None
    ]
    if len(parts) < len(ordered):
        return None
    if others:
        how += f"; not certain and not listed: {joined([d.name for d in others])}"
    text = counted(len(ordered), "document")
    return source.answer(f"at least {text}" if others else text, how, parts)


def _day(source: Source, document: Document) -> str | None:
    """Return the own date of a document if it is certain."""
    days = _days(source, document)
    return next(iter(days))[:10] if len(days) == 1 else None


def _days(source: Source, document: Document) -> frozenset[str]:
    """Return the possible own dates of a document; none if its text states none.

    The date is certain if it is also one of those by which the document describes itself, in its
    text, title or file name.
    """
    own, properties = document.own_date, dict(document.properties)
    if own is None or not (STATED_DATE in properties or document.format in _MAILS):
        return frozenset()
    day = own.date().isoformat()
    if document.format in _MAILS:
        return frozenset({own.isoformat(sep=" ", timespec="minutes")[:16]})
    described = source.graph.described_dates.get(document.document_id, ())
    named = _ISO_DATE.findall(called(document))
    is_described = not described or any(day.startswith(each) for each in described)
    is_certain = is_described and day in (named or [day])
    return frozenset({day} if is_certain else {day, *described, *named})


def _matching(source: Source, asked: AskedSet) -> tuple[list[Document], str, list[Document]] | None:
    """Return the documents of a set, its description, and documents that may belong to it."""
    others: list[Document] = []
    size = 2 if " ".join(asked.words[-2:]) in _TYPES else 1  # "annual reports"
    last, modifiers = " ".join(asked.words[-size:]), asked.words[:-size]
    every = source.documents
    if last in DOCUMENTS:
        chosen, how = every, "all documents of the collection"
    elif last in _FORMATS:
        formats = _FORMATS[last]
        chosen, how = [d for d in every if d.format in formats], f"format {' or '.join(formats)}"
    elif last in _TYPES:
        kind = _TYPES[last]
        how = f"document type {kind}, as detected or set"
        chosen, others = _of_type(source, kind)
        if kind == "correspondence" and last != kind:
            chosen = [d for d in chosen if d.format not in _MAILS and not _is_mail(source, d)]
            how += ", without mails"
    elif last in PAPERS:
        chosen, modifiers, how = every, asked.words, ""
    else:
        return None
    if modifiers and last in _TYPES and not AMENDED.search(asked.name):
        # An amendment to a lease is a contract, but not a lease.
        others += [d for d in chosen if AMENDED.search(called(d))]
        chosen = [d for d in chosen if not AMENDED.search(called(d))]
    if modifiers:
        wanted = stems(" ".join(modifiers))
        chosen = [d for d in chosen if wanted.issubset(terms_of(called(d)))]
        others = [d for d in others if wanted.issubset(terms_of(called(d)))]
        titled = f'"{" ".join(modifiers)}" in the title or file name'
        how = f"{how}, {titled}" if how else titled
    return chosen, how, others


def _of_type(source: Source, kind: str) -> tuple[list[Document], list[Document]]:
    """Return the documents of a type, and those that may be of it.

    The type is certain if more than one word shows it, or the form of the document: its name has
    then two words. An attachment belongs to a document of the same type.
    """
    pattern = re.compile(
        "|".join(re.escape(word) for word, name in _TYPES.items() if name == kind), re.IGNORECASE
    )
    types = {d.document_id: d.document_type for d in source.state.snapshot.documents.values()}
    certain: list[Document] = []
    others: list[Document] = []
    for each in source.documents:
        if each.document_type == kind:
            cues = (each.document_type_evidence or "").count(" in the ")
            if kind == "correspondence" or types.get(each.parent_id or "") != kind:
                (certain if cues != 1 or " " in kind else others).append(each)
        elif each.format not in _MAILS and kind != "correspondence":
            others += [each] if pattern.search(called(each)) else []
    return certain, others


def _is_mail(source: Source, document: Document) -> bool:
    """Return whether a text file begins like a mail."""
    texts = source.texts(source.places(document.document_id)[:1])
    return any(without_head(text) != text for _, text in texts)


def _narrowed(
    source: Source, rest: str, documents: list[Document]
) -> tuple[list[Document], str, dict[str, Spot]] | None:
    """Return the documents that fit the narrowing words, the filter as text, and places."""
    if not rest:
        return documents, "", {}
    if year := _YEAR.match(rest):
        years = [{day[:4] for day in _days(source, d)} for d in documents]
        if any(len(possible) != 1 for possible in years):
            return None
        chosen = [d for d, own in zip(documents, years, strict=True) if own == {year["year"]}]
        return chosen, f", own date in {year['year']}", {}
    if mention := _MENTIONS.match(rest):
        name = (mention["name"] or mention["named"]).strip(" '\"“”")
        places = _mentioning(source, name)
        if places is None:
            return None
        chosen = [d for d in documents if d.document_id in places]
        return chosen, f', that mention "{name}"', places
    mail = _MAIL.match(rest)
    if mail and documents and all(d.format in ("eml", "msg") for d in documents):
        side = "from" if mail["side"].lower() in {"from", "by", "von"} else "to"
        whose = stems(mail["name"])
        chosen = [
            d
            for d in documents
            if whose and whose <= stems(" ".join(v for n, v in d.properties if n == side))
        ]
        return chosen, f', "{mail["name"]}" in the field {side.capitalize()}', {}
    if mail and mail["side"].lower() in {"to", "an"} and documents:
        return _addressed(source, mail["name"], documents)
    return None


def _addressed(
    source: Source, name: str, documents: list[Document]
) -> tuple[list[Document], str, dict[str, Spot]] | None:
    """Return the letters to a name: in the salutation, or in a line of the address before it.

    ``None`` if one of the documents has no salutation.
    """
    whose = stems(re.sub(r"^(?:the|den|die|das) ", "", name, flags=re.IGNORECASE))
    places: dict[str, Spot] = {}
    for each in documents:
        opening = source.texts(source.places(each.document_id)[:1])
        salutation = _SALUTATION.search(opening[0][1]) if opening else None
        if salutation is None or not whose:
            return None
        chunk_id, text = opening[0]
        # The first lines are the sender's.
        lines = list(_LINE.finditer(text, 0, salutation.start()))[_LETTERHEAD:]
        for line in (salutation, *lines):
            words = line.group().split()
            if whose <= stems(line.group()) and len(words) <= _TITLE_WORDS:
                places.setdefault(each.document_id, (chunk_id, line.start(), line.end()))
    chosen = [d for d in documents if d.document_id in places]
    return chosen, f', "{name}" in the salutation or in the address before it', places


def _mentioning(source: Source, name: str) -> dict[str, Spot] | None:
    """Return the first place in each document that mentions a name; ``None`` if uncertain."""
    from casetrack.graph.answers.lookup import match_entities, match_references

    lookups: tuple[tuple[Callable[..., Any], GraphView, str], ...] = (
        (match_entities, "mentions", "entity_id"),
        (match_references, "citations", "reference_id"),
    )
    for match, table, column in lookups:
        try:
            found = match(source.graph, name, limit=2)
        except (EntityNotFound, ReferenceNotFound, UsageError):
            continue
        sure = [each for each, score in found if score >= _CERTAIN]
        if len(sure) == 1 or (not sure and len(found) == 1):
            first = sure[0] if sure else found[0][0]
            return source.first_places(table, column, [getattr(first, column)], "document_id")
    return None


def _extreme(
    source: Source,
    asked: AskedSet,
    documents: Iterable[Document],
    how: str,
    places: Mapping[str, Spot],
) -> ComputedAnswer | None:
    """Return the documents with the latest or earliest own date, or the most or fewest pages."""
    compared = list(documents)
    if asked.by == "time":
        days = [_days(source, each) for each in compared]
        best = _first_or_last(days, lowest=asked.lowest)
        chosen = [d for d, own in zip(compared, days, strict=True) if own == {best}]
        value = best
    else:
        pages = (min if asked.lowest else max)(d.page_count for d in compared)
        chosen = [d for d in compared if d.page_count == pages and d.format not in _MAILS]
        value = counted(pages, "page")
    if not chosen:
        return None
    parts = [
        (d.name, value, place)
        for d in chosen
        if (place := places.get(d.document_id) or source.opening(d)) is not None
    ]
    what = "own dates" if asked.by == "time" else "page counts"
    names = joined([d.name for d in chosen])
    how = f"{what} of {counted(len(compared), 'document')} compared: {how}"
    return source.answer(f"{names} ({value})", how, parts) if parts else None


def _first_or_last(days: Sequence[frozenset[str]], *, lowest: bool) -> str:
    """Return the first or last of the certain days; empty if another possible day may be it."""
    sure = [next(iter(possible)) for possible in days if len(possible) == 1]
    if not sure or not all(days):
        return ""
    best = (min if lowest else max)(sure)
    others = [day[:7] for possible in days if len(possible) > 1 for day in possible]
    month = best[:7]
    return "" if any(day <= month if lowest else day >= month for day in others) else best
