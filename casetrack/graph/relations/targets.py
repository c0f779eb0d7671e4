"""Resolves references to documents of the collection."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from casetrack.graph.relations.titles import NUMBERED_KINDS, Title, read_title, slug

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from casetrack.base.records import Document

# Finds the one document that a text refers to; returns nothing if it is ambiguous.

_LETTERS = frozenset("letter email mail fax memo memorandum notice brief schreiben".split())
_TYPE_OF = {
    "agreement": "contract",
    "contract": "contract",
    "report": "report",
    "invoice": "invoice",
    "proposal": "proposal",
    "offer": "proposal",
    "memo": "memo",
    "memorandum": "memo",
    "policy": "policy",
    "presentation": "presentation",
}
_MAIL = frozenset({"eml", "msg"})
_OTHER_DOCUMENT_WORDS = frozenset(
    "reply response answer rejoinder rebuttal amendment addendum supplement re fw fwd aw exhibit "
    "annex appendix schedule attachment cover summary comments termination to on regarding".split()
)
"""A name with one of these words and a number refers to another document with that number."""
_LABELS = frozenset("exhibit annex appendix attachment schedule anlage".split())
_DAY = len("2024-10-21")


class Catalogue:
    """The names and titles of a collection's documents, indexed."""

    def __init__(self, documents: Sequence[Document], /) -> None:
        self.documents = documents
        self._titles: list[tuple[Title, ...]] = []
        self._by_words: dict[tuple[str, ...], list[int]] = defaultdict(list)
        self._by_identifier: dict[str, list[int]] = defaultdict(list)
        self._by_date: dict[str, list[int]] = defaultdict(list)
        self._by_name: dict[str, list[int]] = defaultdict(list)
        self._by_label: dict[tuple[str, ...], list[int]] = defaultdict(list)
        self._by_slug: dict[str, list[int]] = defaultdict(list)
        for i, document in enumerate(documents):
            self._add(i, document)

    def titles(self, position: int, /) -> tuple[Title, ...]:
        """Return the parsed name of a document, then its title if it has one."""
        return self._titles[position]

    def by_name(self, text: str, /) -> int | None:
        """Return the document whose file name is the text or the end of it."""
        text = text.strip().casefold()
        candidates = {text, text.replace("\\", "/").rpartition("/")[2]}
        words = text.split()
        candidates.update(" ".join(words[-n:]) for n in range(1, min(len(words), 12)))
        return self._one(i for name in sorted(candidates) for i in self._by_name.get(name, ()))

    def by_title(self, text: str, /) -> int | None:
        """Return the document with this title."""
        wanted = read_title(text)
        if wanted.identifiers:
            fits = self._numbered(wanted)
            if fits:
                return self._one(fits)
        if wanted.is_specific:
            fits = {i for i in self._by_words.get(wanted.words, ()) if self._is_called(i, wanted)}
            if not fits and len(wanted.words) == 2 and wanted.words[0] in NUMBERED_KINDS:
                fits = {i for i in self._by_label.get(wanted.words, ()) if self._is_to(i, wanted)}
            if fits:
                return self._one(fits, wanted.words)
        return self._one(self._dated(wanted))

    def by_slug(self, text: str, /) -> int | None:
        """Return the document whose whole name or title has these letters and digits."""
        return self._one(self._by_slug.get(slug(text), ()))

    def by_label(self, text: str, owner: int | None, /) -> int | None:
        """Return the file that is an exhibit with this label; *owner* has it, if known."""
        label = read_title(text).words[:2]
        if len(label) < 2 or label[0] not in _LABELS:
            return None
        fits = [i for i in self._by_label.get(label, ()) if self._may_belong(i, label, owner)]
        return self._one(fits)

    # --- matching -----------------------------------------------------------------------------

    def _add(self, i: int, document: Document) -> None:
        texts = [(document.name, True)] + ([(document.title, False)] if document.title else [])
        titles = tuple(read_title(text, is_file=is_file) for text, is_file in texts)
        self._titles.append(titles)
        self._by_name[document.name.strip().casefold()].append(i)
        for (text, is_file), title in zip(texts, titles, strict=True):
            self._by_words[title.words].append(i)
            self._by_label[title.words[:2]].append(i)
            self._by_slug[slug(text, is_file=is_file)].append(i)
            for identifier in title.identifiers:
                self._by_identifier[identifier].append(i)
            for date in title.dates:
                self._by_date[date].append(i)
        if document.format in _MAIL and document.stated_on:
            self._by_date[document.stated_on].append(i)

    def _numbered(self, wanted: Title) -> set[int]:
        holding = [set(self._by_identifier.get(n, ())) for n in sorted(wanted.identifiers)]
        return {
            i
            for i in set.intersection(*holding)
            if any(self._is_numbered(title, wanted) for title in self._titles[i])
        }

    def _is_numbered(self, title: Title, wanted: Title) -> bool:
        if not wanted.identifiers <= title.identifiers:
            return False
        if _OTHER_DOCUMENT_WORDS.intersection(title.words) - set(wanted.words):
            return False
        return not (wanted.kinds and title.kinds) or bool(wanted.kinds & title.kinds)

    def _is_called(self, i: int, wanted: Title) -> bool:
        if self.documents[i].format in _MAIL and wanted.kinds and wanted.kinds.isdisjoint(_LETTERS):
            return False  # the subject of a mail about an agreement
        return any(
            title.words == wanted.words
            and wanted.identifiers <= title.identifiers
            and wanted.version in {None, title.version}
            and _dates_agree(title.dates, wanted.dates)
            for title in self._titles[i]
        ) and _dates_agree(frozenset().union(*(t.dates for t in self._titles[i])), wanted.dates)

    def _is_to(self, i: int, wanted: Title) -> bool:
        """Return whether "Amendment No. 1" abbreviates a name ("Amendment No. 1 to the Lease")."""
        return any(
            title.words[:2] == wanted.words and title.words[2:3] == ("to",)
            for title in self._titles[i]
        )

    def _dated(self, wanted: Title) -> set[int]:
        """Return documents of a date and a kind: the letter of 21 October 2024."""
        days = [d for d in wanted.dates if len(d) == _DAY]
        if wanted.is_specific or wanted.identifiers or not wanted.kinds or len(days) != 1:
            return set()
        return {i for i in self._by_date.get(days[0], ()) if self._is_kind(i, wanted)}

    def _is_kind(self, i: int, wanted: Title) -> bool:
        document = self.documents[i]
        if any(wanted.kinds & title.kinds for title in self._titles[i]):
            return True
        if wanted.kinds & {"email", "mail"} and document.format in _MAIL:
            return True
        if wanted.kinds & _LETTERS and document.document_type == "correspondence":
            return True
        return document.document_type in {_TYPE_OF.get(kind) for kind in wanted.kinds} - {None}

    def _may_belong(self, i: int, label: tuple[str, ...], owner: int | None) -> bool:
        """Return whether a file's name does not contradict the owner."""
        for title in self._titles[i]:
            if title.words[:2] == label and title.words[2:3] == ("to",):
                whose = title.words[3:]
                if owner is None or whose not in {t.words for t in self._titles[owner]}:
                    return False
        return True

    def _one(self, positions: Iterable[int], words: tuple[str, ...] = ()) -> int | None:
        """Return the only match; among copies the one with a matching name, if unique."""
        fits = sorted(set(positions))
        if len(fits) > 1 and len({self.documents[i].file_hash for i in fits}) == 1:
            fits = [i for i in fits if words and self._titles[i][0].words == words]
        return fits[0] if len(fits) == 1 else None


def _dates_agree(has: frozenset[str], wanted: frozenset[str]) -> bool:
    """Return whether a date fits another; a month contains its days."""
    if not has or not wanted:
        return True
    return any(a.startswith(b) or b.startswith(a) for a in has for b in wanted)


_BY_SLUG = frozenset({"standard", "regulation", "rule", "constitution", "case"})
_SHORTEST = 4
"""Shorter spellings, such as the bare number of a report, are not specific."""


def targets(references: Iterable[Mapping[str, Any]], catalogue: Catalogue, /) -> dict[str, str]:
    """Return the id of the document that each reference means, if exactly one fits.

    A document fits by its file name, by a number in its name or title (``TS-2024-0187``), by all
    words of its name or title, or by kind and date ("letter of 21 October 2024"); numbers and dates
    of both must agree. Among exact copies, the one with a matching name is used. An exhibit is the
    only file with its label. A section is never a document. If two dates fit one undated document,
    its own creation date decides, else neither is used. *references* are rows with
    ``reference_id``, ``type``, ``name`` and ``spellings``; ids of exhibits end with the id of their
    document.
    """
    documents = catalogue.documents
    position = {d.document_id: i for i, d in enumerate(documents)}
    matches: dict[str, int] = {}
    dates: dict[str, frozenset[str]] = {}
    for row in references:
        texts = [row["name"], *sorted(t for t in row["spellings"] if len(t) >= _SHORTEST)]
        fits = _fits(catalogue, row["type"], row["reference_id"], texts, position)
        if len(fits) == 1:
            matches[row["reference_id"]] = fits.pop()
            dates[row["reference_id"]] = read_title(row["name"]).dates
    _settle_dates(matches, dates, catalogue)
    return {reference: documents[i].document_id for reference, i in sorted(matches.items())}


def _fits(
    catalogue: Catalogue,
    type_: str,
    reference_id: str,
    texts: list[str],
    position: Mapping[str, int],
) -> set[int]:
    if type_ == "section":
        return set()
    if type_ == "exhibit":
        owner = position.get(reference_id.rpartition("@")[2])
        positions = {catalogue.by_label(text, owner) for text in texts[:1]}
    elif type_ == "link":
        positions = {catalogue.by_name(text) for text in texts}
    elif type_ in _BY_SLUG:
        positions = {catalogue.by_slug(text) for text in texts}
    else:
        positions = {catalogue.by_name(text) for text in texts} - {None}
        positions = positions or {catalogue.by_title(text) for text in texts}
    return {i for i in positions if i is not None}


def _settle_dates(
    matches: dict[str, int], dates: Mapping[str, frozenset[str]], catalogue: Catalogue
) -> None:
    """Remove references with several dates to one document whose name has no date."""
    dated: dict[int, set[str]] = defaultdict(set)
    for reference, i in matches.items():
        if not any(title.dates for title in catalogue.titles(i)):
            dated[i] |= dates[reference]
    for reference, i in list(matches.items()):
        if not dates[reference] or len(dated[i]) < 2:
            continue
        if catalogue.documents[i].stated_on not in dates[reference]:
            del matches[reference]
