"""A property of one document that a question names: from the document's card, or from a label."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import groupby, islice, pairwise
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple

from casetrack.base.words import WordLists
from casetrack.search.computed.asked import AMENDED, DOCUMENTS, PAPERS, TYPES
from casetrack.search.computed.parts import called, columns_of, joined, of_card
from casetrack.search.pinpoint.cells import cells_of
from casetrack.search.question.wanted import query_terms as stems

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from casetrack.base.records import Document
    from casetrack.base.records.search import ComputedAnswer
    from casetrack.extract.spans import DateSpan
    from casetrack.search.computed.parts import Source, Spot
    from casetrack.search.pinpoint.cells import Cell
    from casetrack.store.workspace import State

_LISTS = WordLists(__file__)
_ASKS = [
    (field.strip(), re.compile(pattern))
    for field, _, pattern in (each.partition(": ") for each in _LISTS.phrases("asks"))
]
_LABELS = {
    field: [label.strip() for label in labels.split(",")]
    for field, labels in _LISTS.pairs("labels").items()
}
_TYPES = {
    word.strip(): kind for kind, words in _LISTS.pairs("types").items() for word in words.split(",")
}
_EVERY_TYPE = _TYPES | TYPES
_AROUND = frozenset(_LISTS.words("around"))
_OF = _LISTS.pattern("of")
_NUMBER = _LISTS.pattern("number")
_DEFINED = _LISTS.pattern("defined")
_BEFORE_DAY = {name: _LISTS.pattern(name) for name in ("effective", "expires", "signed", "due")}
_SENTENCE = 240
"""Characters before a day in which its sentence relates it to the contract."""
_WORD = re.compile(r"[^\W_]+")
_CODE = re.compile(r"(?<![\w/-])(?=[\w./-]*\d)\w[\w./-]*\w")
_COLONS = re.compile(r"[^:]+:")
_LETTERS = re.compile(r"[\W_]+")
_MONEY = re.compile(r"[^\w\s]?(?:[A-Z]{2,3}\b)?[^\w\s]?\s?\d[\d.,' ]*(?:\s?(?:[€$£]|[A-Z]{3}))?")
_MOST_DOCUMENTS, _MOST_CHUNKS, _LEAST_CODE = 3, 20, 3
_DESCRIPTIVE = ("name", "title", "own_title", "own_number", "stated_on", "issuer", "addressee")
_MOST_FITTING = 100
"""More documents are not distinguished by their names."""
_KEPT = 16384
"""Number of documents whose names are cached."""
_SUM = frozenset({"amount"})
"""Words of a label that add nothing: "net amount"."""
_LONGEST_LABEL, _LONGEST_VALUE, _WORDS_OF_LABEL = 40, 120, 4
_DAYS = frozenset({"effective", "expiry", "signed"})
"""Properties that are a day of a contract."""
_OF_CONTRACT = 8
"""Number of chunks that may state them."""
_ORDERED = frozenset({"due"})
"""Properties of which the first label that occurs counts; else only the asked one precedes."""
_FROM_CARD = frozenset({"title", "parties", "period", "total", "issuer", "addressee"})
"""Properties that the card reads by more than their labels."""
_OF_BILL = {"supplier": "issuer", "customer": "addressee"}
"""Properties of an invoice that are another one of its card."""


class _Labelled(NamedTuple):
    """A value with its label; *is_loose* if only a blank separates them."""

    name: str
    value: str
    spot: Spot
    is_loose: bool = False

    @property
    def label(self) -> frozenset[str]:
        """The words of the label."""
        return _canonical(self.name)


def property_answer(source: Source, text: str, /) -> ComputedAnswer | None:
    """Return the property of the one document that a question names, with its place."""
    plain = " ".join(text.replace("\u2019", "'").split()).strip(" ?.!").casefold()
    for field, label, name, also in _asked(plain):
        documents = named_documents(source, name)
        if also:
            with_also = source.beginning_with(also.split())
            documents = [document for document in documents if document in with_also]
        parts = [_value(source, document, field, label) for document in documents]
        sure = [part for part in parts if part is not None]
        if sure and len(sure) == len(parts) and len({v.casefold() for _, v, _ in sure}) == 1:
            how = f"{sure[0][0]} {joined([document.name for document in documents])}"
            named = [(d.name, v, s) for d, (_, v, s) in zip(documents, sure, strict=True)]
            return source.answer(sure[0][1], how, named)
    return None


def _asked(plain: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield the possible readings of a question: a property, its label, and a document's name.

    The last text has words that the document has as well: "Ash" for "when must Ash pay it".
    """
    for field, pattern in _ASKS:
        if (match := pattern.match(plain)) is None:
            continue
        groups = match.groupdict()
        if rest := groups.get("rest"):
            for of in reversed(list(_OF.finditer(rest))):
                yield field, rest[: of.start()], rest[of.end() :], ""
        else:
            yield field, groups.get("label", ""), groups["doc"], groups.get("also", "")


def _value(
    source: Source, document: Document, field: str, label: str
) -> tuple[str, str, Spot] | None:
    """Return a property of a document: how it was read, its value and its place."""
    asked = _canonical(label)
    field = field or next(
        (name for name in _LABELS if asked in _labels(name, document.document_type)), ""
    )
    if document.document_type == "invoice":
        field = _OF_BILL.get(field, field)
    # A contract has a "Date:" next to each signature.
    is_of_card = field in _FROM_CARD or (field, document.document_type) == ("date", "contract")
    if is_of_card and (read := of_card(source, document, field)):
        return read
    kind = field or ("date" if label.endswith(("date", "datum")) else "")
    wanted = (asked, *_labels(field, document.document_type)) if field else (asked, asked - _SUM)
    values = [
        (wanted.index(each.label), each, fitting)
        for each in (*_labelled(source, document), *_days_of_contract(source, document, field))
        if each.label in wanted and (fitting := _fitting(kind, each)) is not None
    ]
    first = min((rank for rank, _, _ in values), default=0)
    if field in _ORDERED or not first:
        values = [each for each in values if each[0] == first]
    if len({value.casefold() for _, _, value in values}) == 1:
        _, labelled, value = values[0]
        chunk_id, start, _ = labelled.spot
        start += labelled.value.index(value)
        named = labelled.name.strip(" :")
        how = "sentence of" if named in _BEFORE_DAY else f'"{named}" in'
        return how, value, (chunk_id, start, start + len(value))
    return None if values else of_card(source, document, field)


def _fitting(field: str, labelled: _Labelled) -> str | None:
    """Return the value of a label if it is one of a property, without what follows it."""
    value = labelled.value
    day = next(iter(_dates(value)), None)
    if field in {*_DAYS, "date", "due"} and day and day.start == 0 and day.precision == "day":
        return value[: day.end]
    is_code, is_money = _CODE.fullmatch(value), _MONEY.fullmatch(value)
    if field in {*_DAYS, "date", "total", "number"} or labelled.is_loose:
        fits = {"total": is_money, "number": is_code}.get(field, None if field else is_code)
        return value if fits else None
    return value if len(value) <= _LONGEST_VALUE and not value.endswith(":") else None


def _dates(text: str) -> Sequence[DateSpan]:
    """Return the dates in a text; their finder is imported only if needed."""
    if not any(map(str.isdigit, text)):
        return ()
    from casetrack.extract.dates import find_dates

    return find_dates(text)


def _labelled(source: Source, document: Document) -> Iterator[_Labelled]:
    """Yield the labelled values in the first chunks of a document."""
    for chunk_id, text in source.texts(source.places(document.document_id)[:2]):
        start, rows = 0, []
        for line in text.split("\n"):
            rows.append(cells_of(line, start))
            start += len(line) + 1
        for count, group in groupby(rows, len):
            block = list(group)
            for cells in block:
                yield from _of_cells(chunk_id, cells)
            for above, below in pairwise(block):
                yield from _of_line(chunk_id, above, below)
            is_header = len(block) == 2 and not any(
                c.isdigit() for cell in block[0] for c in cell.text
            )
            for name, cell in zip(*block, strict=True) if count > 1 and is_header else ():
                yield _Labelled(name.text, cell.text, (chunk_id, cell.start, cell.end))


def _days_of_contract(source: Source, document: Document, field: str) -> Iterator[_Labelled]:
    """Yield the days that a term defines, or that a sentence relates to the document."""
    places = source.places(document.document_id) if field in _DAYS | _ORDERED else []
    for chunk_id, text in source.texts(places[:_OF_CONTRACT]):
        for day in _dates(text):
            value, spot = text[day.start : day.end], (chunk_id, day.start, day.end)
            if term := _DEFINED.match(text, day.end):
                yield _Labelled(term["term"], value, spot)
            before = text[max(0, day.start - _SENTENCE) : day.start]
            for name, words in _BEFORE_DAY.items():
                if words.search(before):
                    yield _Labelled(name, value, spot)


def _of_line(chunk_id: str, above: Sequence[Cell], below: Sequence[Cell]) -> Iterator[_Labelled]:
    """Yield the values of a line, as many as there are labels with colons on the line above."""
    names = _COLONS.findall(above[0].text) if len(above) == 1 and above[0].text[-1] == ":" else []
    values = list(re.finditer(r"\S+", below[0].text)) if len(names) > 1 else []
    for name, value in zip(names, values, strict=True) if len(names) == len(values) else ():
        start, end = value.span()
        yield _Labelled(name, value[0], (chunk_id, below[0].start + start, below[0].start + end))


def _of_cells(chunk_id: str, cells: Sequence[Cell]) -> Iterator[_Labelled]:
    """Yield the labelled values of a line."""
    for cell in cells:
        label, sign, value = cell.text.partition(":")
        value = value.strip()
        if sign and value and len(label) <= _LONGEST_LABEL:
            # Another column may be before it: "Ely, MI 89330 Due Date: 12/17/18".
            names = [label, *(" ".join(label.split()[-n:]) for n in (2, 3))]
            for name in dict.fromkeys(names):
                yield _Labelled(name, value, (chunk_id, cell.end - len(value), cell.end))
        for word in list(re.finditer(r"\S+", cell.text))[1 : _WORDS_OF_LABEL + 1]:
            at = word.start()
            spot = chunk_id, cell.start + at, cell.end
            yield _Labelled(cell.text[:at], cell.text[at:], spot, is_loose=True)
    if len(cells) == 2 and (cells[0].text[-1] == ":" or any(map(str.isdigit, cells[1].text))):
        # A row of a Word file names the columns: "Description: Total | Amount: 790.00".
        name, value = (cell.text.rpartition(": ")[2] for cell in cells)
        yield _Labelled(name, value, (chunk_id, cells[1].end - len(value), cells[1].end))


def _canonical(label: str) -> frozenset[str]:
    """Return the words of a label; every spelling of "number" is one word."""
    return frozenset(_WORD.findall(_NUMBER.sub(" number ", label).casefold())) - {"the"}


@cache
def _labels(field: str, kind: str | None) -> tuple[frozenset[str], ...]:
    """Return the labels of a property in documents of a type."""
    words = [word for word, each in _TYPES.items() if each == kind]
    labels = [
        label.replace("TYPE", word) for label in _LABELS[field] for word in words or ["document"]
    ]
    return tuple(dict.fromkeys(map(_canonical, labels)))


def named_documents(source: Source, phrase: str, /) -> list[Document]:
    """Return the documents that a phrase in lower case names; none if uncertain.

    A number, a date or a title names a document, and the type of the only one of this type.
    """
    days = [d for d in _dates(phrase) if d.precision == "day" and d.value]
    rest = phrase
    for day in days:
        rest = rest[: day.start] + " " * (day.end - day.start) + rest[day.end :]
    written = [m[0] for m in _CODE.finditer(rest) if len(_LETTERS.sub("", m[0])) >= _LEAST_CODE]
    codes = {_LETTERS.sub("", code) for code in written}
    words = frozenset(_WORD.findall(_CODE.sub(" ", rest) if codes else rest)) - _AROUND
    kinds = {kind for word, kind in _EVERY_TYPE.items() if f" {word} " in f" {rest} "}
    is_open = codes or days or kinds or not words.isdisjoint(PAPERS | DOCUMENTS)
    values = {day.value for day in days if day.value}
    descriptions, ids = source.state.once(_descriptions), source.ids
    for each in (*values, *words.difference(DOCUMENTS, _words_of("other"))):
        ids = [i for i in ids if each in descriptions[i]]
    every = (
        document
        for document in map(source.state.snapshot.documents.__getitem__, ids)
        if (own := _names_of(document)).codes >= codes
        and (own.days | {document.stated_on}) >= values
        and _accounts(words, own, document, kinds, by_name=bool(codes or kinds))
        and (is_open or (words and words in own.titles))
    )
    fitting = list(islice(every, _MOST_FITTING + 1))
    if codes and not fitting:
        fitting = [
            document
            for document in _numbered(source, written, kinds)
            if _accounts(words, _names_of(document), document, kinds, by_name=True)
        ]
    if not fitting and kinds and not (codes or days):
        # The parties of a paper whose card lacks them are named where it begins.
        parties = words - DOCUMENTS - frozenset().union(*map(_words_of, kinds))
        fitting = [d for d in source.beginning_with(parties) if d.document_type in kinds]
    if len(fitting) > _MOST_FITTING:
        return []
    if len(fitting) > 1 and not AMENDED.search(phrase):
        fitting = [d for d in fitting if not AMENDED.search(called(d))] or fitting
    if len(fitting) > 1 and not codes:
        # "Reply to Notice of Claim" is not the notice of claim.
        name = r"\W+".join(re.escape(word) for word in _WORD.findall(phrase) if word != "the")
        about = re.compile(rf"\b(?:to|of|on|re|zum?|zur)\W+(?:the\W+)?{name}\b", re.IGNORECASE)
        fitting = [d for d in fitting if not about.search(called(d))]
    return fitting if len(fitting) <= (_MOST_DOCUMENTS if codes else 1) else []


class _Names(NamedTuple):
    """The names of a document: all words, its titles without numbers, its numbers and dates."""

    words: frozenset[str]
    titles: tuple[frozenset[str], ...]
    codes: frozenset[str]
    days: frozenset[str | None]


def _descriptions(state: State) -> dict[str, str]:
    """Return the names, number, date, correspondents and type of each document, by id."""
    rows = columns_of(state, "document_type", "document_id", *_DESCRIPTIVE)
    return {
        document_id: " ".join([*filter(None, texts), *_words_of(kind)]).casefold()
        for kind, document_id, *texts in rows
    }


@cache
def _words_of(kind: str | None) -> frozenset[str]:
    """Return all words of the names of a type."""
    return frozenset(w for name, each in _EVERY_TYPE.items() if each == kind for w in name.split())


def _names_of(document: Document) -> _Names:
    titles = document.own_title or "", document.title or ""
    return _names(document.name, *titles, document.own_number or "")


@lru_cache(maxsize=_KEPT)
def _names(name: str, own_title: str, title: str, own_number: str) -> _Names:
    names = [PurePath(name).stem, own_title, title]
    text = " ".join([name, *names]).casefold()
    parts = [part for name in names for part in re.split(r"[\s_,]+", name.casefold())]
    codes = {_LETTERS.sub("", part) for part in (*parts, own_number.casefold())}
    plain = (re.sub(r"[^\s_]*\d[^\s_]*", " ", name.casefold()) for name in names)
    return _Names(
        frozenset(_WORD.findall(text)),
        tuple(frozenset(_WORD.findall(name)) - _AROUND for name in plain),
        frozenset(code for code in codes if any(map(str.isdigit, code))),
        frozenset(re.findall(r"(?:19|20)\d\d-[01]\d-[0-3]\d", text)),
    )


def _accounts(
    words: frozenset[str], own: _Names, document: Document, kinds: set[str], *, by_name: bool
) -> bool:
    """Return whether each word belongs to the names or the type of a document."""
    left = words - own.words
    for kind in kinds & {document.document_type, "other"}:
        left -= _words_of(kind)
    if left and by_name:
        people = f"{document.issuer or ''} {document.addressee or ''}"
        left -= frozenset(_WORD.findall(people.casefold()))
    return not left - DOCUMENTS


def _numbered(source: Source, written: Sequence[str], kinds: set[str]) -> Iterator[Document]:
    """Yield the documents whose text labels one of some numbers as their own."""
    wanted = {label for kind in kinds for label in _labels("number", kind)}
    codes = {_LETTERS.sub("", code) for code in written}
    places = [p for code in written for p in source.places_with(stems(code))][:_MOST_CHUNKS]
    for document_id in dict.fromkeys(map(source.state.index.document_at, places)):
        document = source.state.snapshot.documents[document_id]
        if kinds & {document.document_type, "other"} and any(
            each.label in wanted and _LETTERS.sub("", each.value.casefold()) in codes
            for each in _labelled(source, document)
        ):
            yield document
