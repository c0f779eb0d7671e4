"""Resolution of a citation to a document of the case, and errors in the citation."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Literal, NamedTuple

from casetrack.base.words.lists import LEGAL_FORMS, any_month
from casetrack.editions.legal.check.pins import has_pages, outside
from casetrack.editions.legal.check.source import SourceText
from casetrack.editions.legal.own_table import natural_key
from casetrack.extract.papers.courts import cited_court_id, federal_courts_in
from casetrack.graph.paper_sources import Sources, fits_by_kind, keys_in
from casetrack.store.passages import whole_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.api.collection import Collection
    from casetrack.base.records import Document
    from casetrack.editions.legal.records.check import Verdict
    from casetrack.extract.papers.text import LegalCitation, WholeText

# Comparison of names and years of a citation with those of the decision in the case.

_NO_WORDS = frozenset(
    "v vs in re ex parte matter of the and an et al no nos on a for "
    "by de la united states america us usa state people "
    "commonwealth city county town dept department board commission dist district rel estate "
    "petitioner respondent appellant appellee plaintiff defendant".split()
).union(LEGAL_FORMS.words("usual"))
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*\.?")
_VERSUS = re.compile(r"\s+(?:v|vs)\.?\s+")
_DECIDED = re.compile(
    r"(?:Decided|Filed|Opinion [Ff]iled|Released|Entered|Date [Ff]iled)[:,.]?\s+(?:on\s+)?"
    r"[^\n]{0,20}?\b((?:17|18|19|20)\d\d)\b"
    rf"|^\W*(?:{any_month('en_short')})[a-z]*\.?\s\d{{1,2}},\s((?:17|18|19|20)\d\d)\.?\s*$",
    re.MULTILINE,
)
_HEAD = 4000
_ALIKE = 0.8


class NameFit(NamedTuple):
    """Comparison of a cited name with the head of a decision."""

    fits: Literal["same", "swapped", "misspelt", "other", "unknown"]
    cited: str = ""
    found: str = ""  # The spelling in the document


def cited_name(name: str, /) -> str:
    """Return the parties of a citation without reporter, court and year.

    Examples
    --------
    >>> cited_name("Daubert v. Merrell Dow Pharmaceuticals, Inc., 509 U.S. 579 (1993)")
    'Daubert v. Merrell Dow Pharmaceuticals, Inc.'
    """
    match = re.search(r",?\s+(?:No\.\s|\d+\s+[A-Z]|\d{4}\s|--|__|\(|slip op)", name)
    return (name[: match.start()] if match else name).strip(" ,")


def own_name(citation: LegalCitation, /) -> str:
    """Return the parties as this citation writes them; its `name` may be of an earlier one."""
    written = cited_name(" ".join(citation.text.split()))
    return written if _VERSUS.search(written) else cited_name(citation.name)


def name_fit(name: str, head: str, /, *, spelling: bool = True) -> NameFit:
    """Compare the parties of a citation with the head of a decision.

    The first line of *head* is the name of the case, or empty. *spelling* means that similarly
    spelled names count as misspelt, not as other names.
    """
    sides = [side for side in _VERSUS.split(name) if side.strip()]
    if not sides or not head.strip():
        return NameFit("unknown")
    if _are_swapped(sides, _VERSUS.split(head.partition("\n")[0])):
        return NameFit("swapped", name)
    known = _words_of(head[:_HEAD])
    misspelt: NameFit | None = None
    for side in sides:
        words = _distinctive_words(side)
        if not words or any(_contains(word, known) for word in words):
            continue
        near = _nearest(words, known) if spelling else None
        if near is None:
            return NameFit("other", side.strip(" ,."))
        misspelt = NameFit("misspelt", *near)
    return misspelt or NameFit("same")


def _are_swapped(sides: list[str], called: list[str]) -> bool:
    """Return whether each cited side matches the other side of the name, and not both their own."""
    if len(sides) != 2 or len(called) != 2:
        return False
    own, other = (
        [
            any(_contains(word, _words_of(party)) for word in _distinctive_words(side))
            or _letters(side) == _letters(party)
            for side, party in zip(sides, order, strict=True)
        ]
        for order in (called, called[::-1])
    )
    return all(other) and not all(own)


def _letters(side: str) -> str:
    return re.sub(r"\W", "", side).casefold()


@functools.lru_cache(maxsize=1024)
def _words_of(head: str) -> frozenset[str]:
    """Return the words of a head; cached, because many citations use it."""
    words = _WORD.findall(head)
    return frozenset(word.rstrip(".").lower().replace("’", "'") for word in words)


def _distinctive_words(side: str) -> list[str]:
    """Return the words of a party that distinguish it from others."""
    words = [w.replace("’", "'") for w in _WORD.findall(side)]
    return [w for w in words if w.rstrip(".").lower() not in _NO_WORDS and len(w.rstrip(".")) > 1]


def _contains(word: str, known: frozenset[str]) -> bool:
    """Return whether the head contains a word or the unabbreviated form of it."""
    bare = word.rstrip(".").lower()
    if bare in known or bare.removesuffix("'s") in known or f"{bare}s" in known:
        return True
    if word.endswith(".") and len(bare) >= 2 and any(t.startswith(bare) for t in known):
        return True
    if "'" in bare:
        head, _, tail = bare.partition("'")
        return any(t.startswith(head[:2]) and t.endswith(tail) for t in known if len(t) > len(bare))
    return False


def _nearest(words: list[str], known: frozenset[str]) -> tuple[str, str] | None:
    """Return the first word that is similar to a word of the head, and that word."""
    for word in words:
        bare = word.rstrip(".").lower()
        for other in known:
            if abs(len(other) - len(bare)) <= 2 and len(bare) > 3:
                likeness = SequenceMatcher(None, bare, other, autojunk=False)
                if likeness.quick_ratio() >= _ALIKE and likeness.ratio() >= _ALIKE:
                    return word, other
    return None


def decided_in(head: str, /) -> int | None:
    """Return the year of a decision from its head; ``None`` if it has none."""
    match = _DECIDED.search(head[:_HEAD])
    return int(match[1] or match[2]) if match else None


_HEAD_CHARS = 3000
REPORTED = re.compile(r"case:(?P<volume>\d+)-(?P<series>[a-z].*?)-(?P<page>\d+)")
"""Matches the key of a place in a reporter."""
_ITEM = re.compile(r"record:(dkt|ex)-(.+)")


class CaseFile(Sources):
    """The documents of a case as sources of citations, with their texts."""

    def __init__(self, collection: Collection, /) -> None:
        super().__init__(collection.documents(sort_by="name"))
        self.collection = collection

    def whole_text(self, document: Document, /) -> WholeText:
        """Return the text of a document with the places printed on its pages."""
        return self.collection.workspace.ask(
            lambda state: whole_text(state.snapshot, document.document_id)
        )


@dataclass(frozen=True, slots=True)
class Resolved:
    """The result of resolving a citation."""

    documents: tuple[Document, ...]  # The source; several candidates if unclear
    verdict: Verdict
    said: str  # The finding in one sentence
    notes: tuple[str, ...] = ()
    found: str = ""  # The correct value, if the citation has an error


@dataclass
class Resolver:
    """Resolves the citations of one draft; caches texts and sources."""

    case: CaseFile
    without: frozenset[str] = frozenset()  # Ids of documents that are the draft itself
    _texts: dict[str, SourceText] = field(default_factory=dict)
    _by_key: dict[str, tuple[Document, ...]] = field(default_factory=dict)

    def text(self, document: Document, /) -> SourceText:
        """Return the indexed text of a document."""
        known = self._texts.get(document.document_id)
        if known is None:
            known = SourceText(self.case.whole_text(document))
            self._texts[document.document_id] = known
        return known

    def resolve(self, citation: LegalCitation, /) -> Resolved:
        """Return the source of a citation and the errors in the citation."""
        if not citation.resolved and citation.form != "full":
            return Resolved(
                (),
                "antecedent_not_found",
                f"CaseTrack did not find what \u201c{citation.text}\u201d refers to.",
            )
        fitting = self._by_key.get(citation.key)
        if fitting is None:
            fitting = self._fitting(citation)
            self._by_key[citation.key] = fitting
        if not fitting:
            return self._missing(citation)
        if len(fitting) > 1 and citation.kind == "record":
            # Volumes of one trial have consecutive page numbers.
            of_page = [d for d in fitting if has_pages(self.text(d).whole, citation)]
            fitting = tuple(of_page) or fitting
        if len(fitting) > 1:
            names = ", ".join(d.name for d in fitting)
            return Resolved(
                fitting,
                "unclear",
                f"{len(fitting)} documents of the case fit \u201c{citation.text}\u201d: {names}.",
            )
        return self._present(citation, fitting[0])

    def _fitting(self, citation: LegalCitation) -> tuple[Document, ...]:
        documents = self.case.sources_of(citation)
        return tuple(
            d
            for d in documents
            if d.document_id not in self.without
            and not (citation.kind == "record" and fits_by_kind(citation, d))
        )

    # --- found sources ----------------------------------------------------------------------------

    def _present(self, citation: LegalCitation, document: Document) -> Resolved:
        message = f"\u201c{citation.text}\u201d is {document.name}."
        if citation.kind not in {"case", "record"}:
            return Resolved((document,), "in_case", message)
        text = self.text(document)
        head = f"{document.case_name or ''}\n{text.text[:_HEAD_CHARS]}"
        if citation.kind == "case" and citation.form == "full":
            wrong = (
                self._wrong_name(citation, document, head)
                or _wrong_year(citation, document, head)
                or _wrong_court(citation, document, head)
            )
            if wrong is not None:
                return wrong
        beyond = outside(text.whole, citation)
        if beyond is not None and not self._has_parts(citation, document):
            read = f"{'' if '¶' in beyond.found else 'the pages '}{beyond.found}"
            pins = ", ".join(pin.text for pin in citation.pins)
            said = f"CaseTrack reads {read} in {document.name}; the draft cites {pins}."
            return Resolved((document,), "wrong_page", said, found=beyond.found)
        return Resolved((document,), "in_case", message)

    def _has_parts(self, citation: LegalCitation, document: Document) -> bool:
        """Return whether a cited docket entry has more papers, whose pages may be counted on."""
        entries = (d.docket_entry or "" for d in self.case.documents)
        is_entry = citation.kind == "record" and document.docket_entry is not None
        return is_entry and any(e.startswith(f"{document.docket_entry}-") for e in entries)

    def _wrong_name(
        self, citation: LegalCitation, document: Document, head: str
    ) -> Resolved | None:
        name = own_name(citation)
        fit = name_fit(name, head)
        called = document.case_name or document.name
        said = {
            "misspelt": f"writes \u201c{fit.cited}\u201d; CaseTrack reads "
            f"\u201c{fit.found}\u201d in {document.name}",
            "swapped": f"writes \u201c{name}\u201d; CaseTrack reads {called}",
            "other": f"names \u201c{fit.cited}\u201d; CaseTrack reads {called} at this place",
        }.get(fit.fits)
        if said is None:
            return None
        namesake = [d for d in self._namesakes(citation) if d.document_id != document.document_id]
        if fit.fits == "other" and len(namesake) == 1:
            reported = ", ".join(namesake[0].own_citations or ()) or namesake[0].name
            return Resolved(
                (namesake[0], document),
                "reporter_differs",
                f"The draft cites {name} at the place of {called}; CaseTrack reads {reported} in "
                "the case.",
                found=reported,
            )
        return Resolved((document,), "name_differs", f"The draft {said}.", found=called)

    # --- missing sources --------------------------------------------------------------------------

    def _missing(self, citation: LegalCitation) -> Resolved:
        if citation.kind == "case" and (near := self._other_place(citation)) is not None:
            return near
        item = _ITEM.fullmatch(citation.key)
        if item is not None and (known := self._items(item[1])):
            what = "docket entries" if item[1] == "dkt" else "exhibits"
            return Resolved(
                (),
                "item_not_found",
                f"CaseTrack did not find {citation.name} in the case; of {what} it found "
                f"{_listed(known)}.",
                found=_listed(known),
            )
        return _absent(citation)

    def _other_place(self, citation: LegalCitation) -> Resolved | None:
        """Return the decision with this name and another reporter citation, if there is one."""
        namesakes = self._namesakes(citation) or self._neighbours(citation)
        if len(namesakes) != 1:
            return None
        document = namesakes[0]
        own = document.own_citations or ()
        name = cited_name(citation.name)
        head = f"{document.case_name or ''}\n{self.text(document).text[:_HEAD_CHARS]}"
        same_year = citation.year is not None and citation.year == _year(document, head)
        if _is_slip(citation, document) or (own and same_year):
            reported = ", ".join(own)
            return Resolved(
                (document,),
                "reporter_differs",
                f"CaseTrack reads {name} as {reported} in the case, not at the place that the "
                "draft cites.",
                found=reported,
            )
        return _absent(citation, f"The case has a decision of the same name, {document.name}.")

    def _namesakes(self, citation: LegalCitation) -> list[Document]:
        """Return the decisions of the case with the cited name."""
        name = cited_name(citation.name)
        if not re.search(r"\sv\.?\s|\bin re\b|\bex parte\b|\bmatter of\b", name, re.IGNORECASE):
            return []
        return [
            document
            for document in self.case.documents
            if document.case_name
            and document.document_id not in self.without
            and (document.own_citations or document.legal_type == "opinion")
            and name_fit(name, document.case_name, spelling=False).fits == "same"
        ]

    def _neighbours(self, citation: LegalCitation) -> list[Document]:
        """Return decisions whose citation differs in one number and whose head has the names."""
        name = cited_name(citation.name)
        return [
            document
            for document in self.case.documents
            if document.document_id not in self.without
            and _is_slip(citation, document)
            and name_fit(name, self.text(document).text[:_HEAD_CHARS], spelling=False).fits
            == "same"
        ]

    def _items(self, kind: str) -> list[str]:
        """Return the numbers of docket entries, or the labels of exhibits, of the case."""
        labels = {d.exhibit for d in self.case.documents if d.exhibit}
        if kind == "ex" and labels:
            return sorted(labels, key=natural_key)  # as printed: the key 10-4 means 10.4
        keys = {key for d in self.case.documents for key in self.case.keys_of(d)}
        start = f"record:{kind}-"
        return sorted((k.removeprefix(start) for k in keys if k.startswith(start)), key=natural_key)


def _absent(citation: LegalCitation, *notes: str) -> Resolved:
    name = citation.name or citation.text
    said = f"CaseTrack did not find {name} in the case, so nothing was compared."
    return Resolved((), "source_not_in_case", said, notes)


def _wrong_year(citation: LegalCitation, document: Document, head: str) -> Resolved | None:
    year, stated = _year(document, head), decided_in(head)
    if citation.year is None or year is None or citation.year in (year, stated):
        return None
    if year != stated and str(citation.year) in head:
        # The head has several dates; the date of the decision is uncertain.
        return None
    return Resolved(
        (document,),
        "year_differs",
        f"CaseTrack reads that {document.name} was decided in {year}; the draft has "
        f"{citation.year}.",
        found=str(year),
    )


def _wrong_court(citation: LegalCitation, document: Document, head: str) -> Resolved | None:
    """Return a finding if both courts are federal and the head does not mention the cited one."""
    cited, own = cited_court_id(citation.court), document.court_id
    if not cited or not own or not document.court or cited == own:
        return None
    of_trials = [each.endswith(("d", "b")) for each in (cited, own)]
    if of_trials[0] == of_trials[1]:
        is_open = cited in federal_courts_in(head)
    else:  # the head of a decision on appeal names the court below
        is_open = of_trials[1] and "appeal" in head.lower()
    if is_open:
        return None
    return Resolved(
        (document,),
        "court_differs",
        f"CaseTrack reads {document.court} in {document.name}; the draft has {citation.court}.",
        found=document.court,
    )


def _year(document: Document, head: str) -> int | None:
    if document.filed_on and document.legal_type == "opinion":
        return int(document.filed_on[:4])
    return decided_in(head)


def _is_slip(citation: LegalCitation, document: Document) -> bool:
    keys = (key for own in document.own_citations or () for key in keys_in(own))
    return any(differ_in_one(citation.key, key) for key in keys)


def differ_in_one(key: str, other: str, /) -> bool:
    """Return whether two places differ in the volume, the series or the page alone."""
    places = [match.groups() for each in (key, other) if (match := REPORTED.fullmatch(each))]
    return len(places) == 2 and [a == b for a, b in zip(*places, strict=True)].count(False) == 1


def _listed(items: Sequence[str]) -> str:
    if len(items) <= 8:
        return ", ".join(items)
    return f"{', '.join(items[:4])}, \u2026 {items[-1]} ({len(items)})"
