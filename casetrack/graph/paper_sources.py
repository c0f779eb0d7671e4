"""The documents of a case as citation targets: authorities and items of the record."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

from casetrack.base.records.documents import LEGAL_TYPES
from casetrack.base.words import WordLists
from casetrack.extract.papers.case_numbers import case_key
from casetrack.extract.references.matches import slug

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from casetrack.base.records import Document
    from casetrack.extract.papers.text import LegalCitation

_LISTS = WordLists(__file__)
_SIDES = re.compile(r"\sv(?:s)?\.?\s", re.IGNORECASE)
_CITED_NAME = re.compile(r"^(.*?)(?:,\s(?=\d|No\.|\[\d{4}\])|$)")
_NUMBER_IN_NAME = _LISTS.pattern("number_in_name")
_NUMBER_FIRST = re.compile(r"0*(?P<number>\d{1,4}(?:[-.]\d{1,3})?)(?=[\s._-]+[^\W\d]{3})")
_DOCKET_FOLDER = _LISTS.pattern("docket_folder")
_EXHIBIT_IN_NAME = _LISTS.pattern("exhibit_in_name")
_EXHIBIT_NAME = _LISTS.pattern("exhibit_name")
_ORDER_OF_AMENDMENT = (
    ("second-am-compl", re.compile(r"\bsecond\s+amended\b|\b2d\s+am", re.IGNORECASE)),
    ("third-am-compl", re.compile(r"\bthird\s+amended\b|\b3d\s+am", re.IGNORECASE)),
    ("am-compl", re.compile(r"\bamended\b", re.IGNORECASE)),
)
_PAPERS: dict[str, tuple[tuple[str, ...], str]] = {
    "answer": (("answer",), ""),
    "countercl": (("answer",), r"counterclaim"),
    "indictment": (("complaint", "other"), r"indictment"),
    "order": (("order",), ""),
    "op": (("opinion", "order"), r"opinion|memorandum"),
    "r-r": (("order", "opinion", "other"), r"report\s+and\s+recommendation"),
    "judgment": (("order", "other"), r"judgment"),
    "mot": (("motion",), ""),
    "br": (("brief", "motion"), r"brief|memorandum"),
    "opp": (("brief", "motion", "other"), r"opposition|response"),
    "reply": (("brief", "motion", "other"), r"\breply"),
    "facts": (("brief", "other", "motion"), r"statement\s+of\s+(?:\w+\s+)*facts"),
    "stip": (("other", "order", "motion"), r"stipulation"),
    "obj": (("brief", "other", "motion"), r"objection"),
    "psr": (("other",), r"presentence"),
    "app": (("other", "exhibit"), r"appendix"),
    "supp-app": (("other", "exhibit"), r"supplemental\s+appendix"),
    "ja": (("other", "exhibit"), r"joint\s+appendix"),
    "er": (("other", "exhibit"), r"excerpts?\s+of\s+record"),
    "ser": (("other", "exhibit"), r"supplemental\s+excerpts"),
    "ar": (("other", "exhibit"), r"administrative\s+record"),
    "ct": (("other", "exhibit"), r"clerk'?s\s+transcript"),
    "cr": (("other", "exhibit"), r"clerk'?s\s+record"),
    "roa": (("other", "exhibit"), r"record\s+on\s+appeal"),
    "r": (("other", "exhibit"), r"\b(?:certified|court|trial|appellate)\s+record|^\W*record\b"),
}
"""Document types of each item of the record, and the words that its title or name must contain."""
_OF_KIND = frozenset(("br", "facts", "mot", "obj", "op", "opp", "order", "reply"))
"""Papers of which a lawsuit has several."""
_SIDE = re.compile(
    r"\b(?:(?P<pl>plaintiff|petitioner|appellant)|(?P<def>defendant|respondent|appellee))",
    re.IGNORECASE,
)
_SUPPLEMENT = re.compile(
    r"(?<![^\W_])(?:suppl?(?:emental)?|second|further|reply)(?![^\W_])", re.IGNORECASE
)
_SESSIONS = re.compile(r"transcript|hearing|trial|argument|proceeding|conference|sentencing")
"""Types that users give to transcripts of a court's sessions."""
_SESSION_WORDS = {
    "hearing": r"hearing|hr.?g|argument|conference|sentencing|plea|motion",
    "argument": r"argument|hearing",
    "trial": r"\btrial",
}
_REPORTED = _LISTS.pattern("reported")


class Sources:
    """The documents of a case as targets of citations; a citation that fits two has two sources."""

    def __init__(self, documents: Iterable[Document], /) -> None:
        self.documents = tuple(documents)

    @cached_property
    def authorities(self) -> tuple[Document, ...]:
        """The documents that are authorities: opinions and statutes."""
        return tuple(
            d for d in self.documents if d.own_citations or _is_type(d, "opinion", "statute")
        )

    def keys_of(self, document: Document, /) -> tuple[str, ...]:
        """Return the citation keys of *document*, the most certain first."""
        return tuple(dict.fromkeys((*_sure_keys(document), *_keys_of_its_name(document))))

    def sources_of(self, citation: LegalCitation, /) -> tuple[Document, ...]:
        """Return the documents that a citation refers to: none if unresolved, all that fit."""
        if not citation.resolved or not citation.key:
            return ()
        for sources in self._steps(citation):
            if sources:
                return sources
        return ()

    def _steps(self, citation: LegalCitation) -> Iterator[tuple[Document, ...]]:
        keys = citation.keys or (citation.key,)
        yield self._with(self._by_sure_key, keys)
        if citation.kind == "case":
            yield self._of_name(citation)
            return
        if citation.kind != "record":
            yield self._with(self._by_sure_key, tuple(_wider(citation.key)))
            return
        yield self._of_the_record(citation.key.split(":", 1)[1])
        yield self._with(self._by_name, keys)

    def _with(
        self, index: dict[str, tuple[Document, ...]], keys: tuple[str, ...]
    ) -> tuple[Document, ...]:
        matches = {d.document_id: d for key in keys for d in index.get(key, ())}
        return tuple(matches.values())

    @cached_property
    def _by_sure_key(self) -> dict[str, tuple[Document, ...]]:
        return _index(self.documents, _sure_keys)

    @cached_property
    def _by_name(self) -> dict[str, tuple[Document, ...]]:
        return _index(self.documents, _keys_of_its_name)

    def _of_name(self, citation: LegalCitation) -> tuple[Document, ...]:
        """Return decisions with the cited name that state no reporter citation."""
        match = _CITED_NAME.match(citation.name)
        cited = _sides(match[1]) if match else ()
        if not cited:
            return ()
        return tuple(
            d
            for d in self.documents
            if d.case_name
            and not d.own_citations
            and _is_type(d, "opinion", "order")
            and _same_case(cited, _sides(d.case_name))
            and _year_fits(citation, d)
        )

    def _of_the_record(self, item: str) -> tuple[Document, ...]:
        kind, _, who = item.partition("-")
        if kind in {"dep", "decl", "aff", "report"}:
            return tuple(d for d in self.documents if _is_of_witness(d, kind, who))
        if item.endswith("compl"):
            return self._complaints(item)
        if re.match(r"(?:hearing-|trial-|argument-)?tr\b", item):
            return self._transcripts(item)
        side, name = _sided(item)
        if name not in _PAPERS:
            return ()
        types, words = _PAPERS[name]
        pattern = re.compile(words, re.IGNORECASE)
        return tuple(
            d
            for d in self.documents
            if _is_type(d, *types)
            and pattern.search(_title(d))
            and not (d.witness and name in _OF_KIND)
            and {side, _side_of(d)} != {"pl", "def"}
        )

    def _complaints(self, item: str) -> tuple[Document, ...]:
        complaints = [d for d in self.documents if _is_type(d, "complaint")]
        return tuple(d for d in complaints if _amendment(d) == item)

    def _transcripts(self, item: str) -> tuple[Document, ...]:
        depositions = [d for d in self.documents if _is_type(d, "deposition")]
        held = [d for d in self.documents if _is_session(d)]
        cited = re.fullmatch(
            r"(?P<kind>\w+(?=-tr\b))?-?tr(?:-vol-(?P<volume>\w+)|-(?P<who>.+))?", item
        )
        if cited is None:
            return ()
        if cited["who"]:
            witnesses = (d for d in depositions if cited["who"] in slug(d.witness or "").split("-"))
            return tuple(witnesses) or tuple(held)
        kind = cited["kind"] or ""
        fitting = [d for d in held if kind in f"{_detail(d)} {_title(d)}".lower()]
        fitting = fitting or [d for d in held if _fits_session(d, kind)]
        if cited["volume"] and len(fitting) > 1:
            volume = re.compile(rf"\b(?:vol(?:ume)?|day)[.\s_-]*{cited['volume']}\b", re.IGNORECASE)
            fitting = [d for d in fitting if volume.search(_title(d))] or fitting
        return tuple(fitting or (() if kind else depositions))


def fits_by_kind(citation: LegalCitation, document: Document, /) -> bool:
    """Return whether only its kind makes a paper the cited one, and the case may lack that one."""
    side, name = _sided(citation.key.removeprefix("record:"))
    return name in _OF_KIND and side != (_side_of(document) or "?")


def _sided(item: str) -> tuple[str, str]:
    """Return the side of a cited paper, ``pl`` or ``def``, and its kind."""
    side, _, paper = item.partition("-")
    return (side, paper) if side in {"pl", "def"} and paper in _PAPERS else ("", item)


def _side_of(document: Document) -> str:
    """Return the side that the title of a paper names first."""
    match = _SIDE.search(document.legal_title or "")
    return (match and match.lastgroup) or ""


def _index(
    documents: tuple[Document, ...], keys_of: Callable[[Document], Iterator[str]]
) -> dict[str, tuple[Document, ...]]:
    index: dict[str, list[Document]] = defaultdict(list)
    for document in documents:
        for key in dict.fromkeys(keys_of(document)):
            index[key].append(document)
    return {key: tuple(members) for key, members in index.items()}


def _sure_keys(document: Document) -> Iterator[str]:
    """Yield the keys that the document states: reporter citation, docket and exhibit numbers."""
    for own in document.own_citations or ():
        yield from keys_in(own)
    if _is_type(document, "statute"):
        for words in (document.legal_title or "", _stem(document)):
            yield from list(keys_in(words))[:1]
    if document.docket_entry:
        yield f"record:{slug('dkt', document.docket_entry)}"
    if document.exhibit:
        yield _exhibit_key(document.exhibit)


def _keys_of_its_name(document: Document) -> Iterator[str]:
    """Yield the less certain keys that the file name gives."""
    stem = _stem(document)
    if _EXHIBIT_NAME.match(stem) and (exhibit := _EXHIBIT_IN_NAME.search(stem)):
        yield _exhibit_key(f"{exhibit['side'] or ''}{exhibit['mark']}")
    elif entry := _NUMBER_IN_NAME.match(stem):
        yield f"record:{slug('dkt', entry['said'])}"
    elif first := _NUMBER_FIRST.match(stem):
        folder = document.path.replace("\\", "/").rsplit("/", 2)[-2:][0]
        if _DOCKET_FOLDER.search(folder):
            yield f"record:{slug('dkt', first['number'])}"
    for kind, word in (("dep", r"dep(?:o(?:sition)?)?"), ("decl", r"decl(?:aration)?")):
        witness = re.match(rf"(?:\d+\s)?(?P<who>[^\W\d][\w'’-]+)\s{word}\b", stem, re.IGNORECASE)
        if witness:
            yield f"record:{slug(kind, witness['who'])}"


def keys_in(words: str, /) -> Iterator[str]:
    """Yield the keys of the citations in *words*."""
    if _REPORTED.fullmatch(words):
        # The caption reader writes citations in this form: without dots it is the key.
        yield f"case:{slug(words.replace('.', ''))}"
        return
    from casetrack.extract.references.finder import References

    for span in References().find(words):
        if span.resolved and span.type in {"case", "regulation", "rule", "constitution"}:
            yield span.key


def _exhibit_key(label: str) -> str:
    sided = re.fullmatch(r"(?P<side>PX|DX|JX|GX|CX|RX)[\s-]?(?P<mark>\w+)", label, re.IGNORECASE)
    if sided:
        return f"record:{slug(sided['side'], 'ex', sided['mark'])}"
    return f"record:{slug('ex', label)}"


def _stem(document: Document) -> str:
    return document.name.rsplit(".", 1)[0]


def _given_type(document: Document) -> str:
    """Return the document type that the user set; empty if it was detected."""
    is_given = document.document_type and not document.document_type_evidence
    return (document.document_type or "").lower() if is_given else ""


def _is_type(document: Document, *types: str) -> bool:
    """Return whether a document has one of the legal types; a type set by the user counts first."""
    if given := _given_type(document):
        named = {t for t in LEGAL_TYPES if t in given}
        return not named.isdisjoint(types) or (not named and "other" in types)
    return document.legal_type in types


def _detail(document: Document) -> str:
    return _given_type(document) or document.legal_detail or ""


def _is_session(document: Document) -> bool:
    """Return whether a document is the transcript of a hearing or trial; the user's type counts."""
    if given := _given_type(document):
        return "deposition" not in given and _SESSIONS.search(given) is not None
    return "transcript" in (document.legal_detail or "") and document.legal_type != "deposition"


def _fits_session(document: Document, wanted: str) -> bool:
    """Return whether a transcript may be of a cited kind of session, such as an argument."""
    text = f"{_detail(document)} {_title(document)}".lower()
    kinds = {kind for kind, words in _SESSION_WORDS.items() if re.search(words, text)}
    return not kinds or wanted in kinds


def _title(document: Document) -> str:
    return f"{document.legal_title or ''} {document.title or ''} {_stem(document)}"


def _wider(key: str) -> Iterator[str]:
    """Yield the keys of the units that contain *key*: for a paragraph its section, and so on."""
    parts = key.split("-")
    for length in range(len(parts) - 1, 2, -1):
        yield "-".join(parts[:length])


def _sides(name: str) -> tuple[str, ...]:
    return tuple(slug(side) for side in _SIDES.split(name.strip(), maxsplit=1))


def _same_case(cited: tuple[str, ...], own: tuple[str, ...]) -> bool:
    return len(cited) == len(own) and all(
        one == other or one.startswith(other + "-") or other.startswith(one + "-")
        for one, other in zip(cited, own, strict=True)
    )


def _year_fits(citation: LegalCitation, document: Document) -> bool:
    if citation.year is None or not document.filed_on:
        return True
    return document.filed_on[:4] == str(citation.year)


def _is_of_witness(document: Document, kind: str, who: str) -> bool:
    if kind != "dep" and _SUPPLEMENT.search(_title(document)):
        return False  # "Decl. ¶ 11" is the first declaration
    if not document.witness or who not in slug(document.witness).split("-"):
        return who in slug(document.witness or "") and "-" in who and _is_kind(document, kind)
    return _is_kind(document, kind)


def _is_kind(document: Document, kind: str) -> bool:
    detail = _detail(document)
    if kind == "dep":
        return _is_type(document, "deposition")
    words = {"decl": "declaration", "aff": "affidavit", "report": "report"}
    sworn = {"decl": "affidavit", "aff": "declaration"}
    return words[kind] in detail or sworn.get(kind, "-") in detail


def _amendment(document: Document) -> str:
    title = _title(document)
    return next((key for key, words in _ORDER_OF_AMENDMENT if words.search(title)), "compl")


def one_of(sources: tuple[Document, ...], /) -> Document | None:
    """Return the only document that fits, else ``None``; copies of one file count once."""
    if len({document.file_hash for document in sources}) == 1:
        return sources[0]
    return None


def by_entry(documents: Sequence[Document], number: str | None, /) -> dict[str, list[Document]]:
    """Return the documents of a case by docket entry."""
    papers: dict[str, list[Document]] = {}
    for document in sorted(documents, key=lambda d: (d.name.casefold(), d.document_id)):
        if document.docket_entry and of_case(document, number):
            papers.setdefault(document.docket_entry, []).append(document)
    return papers


def of_case(document: Document, number: str | None, /) -> bool:
    """Return whether a document has the given case number."""
    one, other = document.case_number, number
    return one is not None and other is not None and case_key(one) == case_key(other)


def same_entry(documents: Sequence[Document], document: Document, /) -> tuple[Document, ...]:
    """Return the other documents with the same entry number of the same docket.

    They are reported and never merged: one may be a copy, or a number may be misread.
    """
    if not document.docket_entry:
        return ()
    alike = by_entry(documents, document.case_number).get(document.docket_entry, [])
    return tuple(d for d in alike if d.document_id != document.document_id)
