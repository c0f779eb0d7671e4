"""Resolves claims about other documents to documents of the collection.

A document matches if its self-description contradicts nothing in the claim, if enough agrees
(numbers, dates, title, parties), and if no other document matches as well.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from casetrack.graph.identity.clauses import part_of
from casetrack.graph.identity.titles import agreement_of
from casetrack.graph.relations.descriptions import describe_documents, described_by
from casetrack.graph.relations.reports import report_links
from casetrack.graph.relations.titles import read_title

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pyarrow as pa

    from casetrack.base.records import Document
    from casetrack.graph.identity.facts import Description
    from casetrack.graph.relations.descriptions import DescribedDocuments, DocumentDescription
    from casetrack.graph.relations.mails import Mails
    from casetrack.graph.relations.targets import Catalogue

_AGREEMENTS = frozenset({"agreement", "restatement"})
_CHANGES = frozenset({"amendment", "supplement"})
_REPORTS = frozenset({"annual report", "interim report", "current report"})
_OF_DOCUMENTS = frozenset({"document", "report"})
_STATED = frozenset(
    {"amends", "restates", "supplements", "schedule_of", "exhibit_of", "made_under", "bills"}
)
_NUMBER, _DATE, _TITLE, _TITLE_PART, _BOTH, _ONE, _BASE = 5.0, 3.0, 2.0, 1.0, 3.0, 1.5, 3.0
_ENOUGH, _ALONE = 4.0, 3.0
_AHEAD = 0.9
"""Minimum lead of the best match over the next."""


@dataclass(frozen=True, slots=True)
class DocumentLink:
    """A claim about a document of the collection, at its place."""

    # Positions of documents.
    source: int
    target: int
    says: str  # See :data:`casetrack.graph.identity.facts.Says`
    chunk_id: str
    chunk_index: int
    start: int
    end: int
    text: str
    confidence: float  # Of the target
    basis: tuple[str, ...]  # The matching properties: number, date, title, parties, contract


class _Fit(NamedTuple):
    score: float
    target: int
    basis: tuple[str, ...]


class DocumentLinker:
    """The resolved claims of the documents about each other.

    *described* has the descriptions of all documents, *same* for each document the first one with
    the same text. *claims* are rows of the segments' table with ``document`` (position),
    ``chunk_id`` and ``chunk_index``, in text order.
    """

    documents: Sequence[Document] = ()

    def __init__(
        self,
        described: DescribedDocuments,
        claims: Iterable[Mapping[str, Any]],
        same: Sequence[int],
        mails: Mails,
        /,
    ) -> None:
        self._described = described
        self._same = same
        self.mails = mails
        self.reports = tuple(report_links(described))
        self._known: dict[tuple[int, Description], tuple[int, float, tuple[str, ...]] | None] = {}
        self._base: dict[int, int] = {}
        rows = [row for row in claims if not row["repeated"] and row["says"] != "quotes"]
        self.links: list[DocumentLink] = []
        for row in rows:
            if row["says"] in _STATED:
                self._add(row)
        self._known = {
            key: match for key, match in self._known.items() if key[1].kind == "agreement" and match
        }
        for row in rows:
            if row["says"] == "names":
                self._add(row)
        self._subjects = self._subject_agreements()
        for row in rows:
            if row["says"] == "clause":
                self._add(row)

    @classmethod
    def of(
        cls,
        catalogue: Catalogue,
        identities: Sequence[Mapping[str, Any]],
        claims: Sequence[Mapping[str, Any]],
        parties: tuple[Sequence[frozenset[str]], Sequence[frozenset[str]]],
        mails: Mails,
        /,
    ) -> DocumentLinker:
        """Build the linker from rows of the segments' tables.

        *identities* and *claims* have ``document``, its position; *parties* is the result of
        :func:`casetrack.graph.relations.descriptions.parties_of`.
        """
        described = describe_documents(identities, parties, catalogue)
        linker = cls(described, claims, _same(catalogue.documents, identities, mails), mails)
        linker.documents = catalogue.documents
        return linker

    def ordinal(self, document: int, /) -> int | None:
        """Return the number of an amendment or supplement, from its text or name."""
        return self._described.own[document].ordinal

    def resolve_citations(self, citations: pa.Table, /) -> pa.Table:
        """Return the table ``citations`` with the documents that its rows refer to.

        The meaning of a reference in its document overrides its meaning in the collection: a clause
        belongs to its own document, "Amendment No. 1" to the contract at hand, and "Supply
        Agreement" is never that of other parties.
        """
        from casetrack.store.index.arrays import with_column

        position = {d.document_id: i for i, d in enumerate(self.documents)}
        clauses = {
            (link.chunk_id, link.start): link.target for link in self.links if link.says == "clause"
        }
        named: dict[str, list[DocumentLink]] = defaultdict(list)
        for link in self.links:
            if link.says != "clause":
                named[link.chunk_id].append(link)
        columns = ("document_id", "chunk_id", "char_start", "char_end", "reference_id", "type")
        rows = citations.select([*columns, "name", "target_document_id"]).to_pylist()
        local: dict[tuple[str, str], int] = {}
        for row in rows:
            if row["type"] not in _OF_DOCUMENTS:
                continue
            for link in named.get(row["chunk_id"], ()):
                if link.start < row["char_end"] and row["char_start"] < link.end:
                    local.setdefault((row["document_id"], row["reference_id"]), link.target)
        targets: list[str | None] = []
        for row in rows:
            known = row["target_document_id"]
            resolved = clauses.get((row["chunk_id"], row["char_start"]))
            if resolved is None:
                resolved = local.get((row["document_id"], row["reference_id"]))
            if resolved is not None:
                known = self.documents[resolved].document_id
            elif known is not None and row["type"] in _OF_DOCUMENTS:
                source, target = position[row["document_id"]], position[known]
                known = None if self._shares_no_party(source, target, row["name"]) else known
            targets.append(known)
        return with_column(citations, "target_document_id", targets)

    def _shares_no_party(self, source: int, target: int, name: str) -> bool:
        """Return whether a document mentions no party of the agreement that it seems to name."""
        own, other = self._described.own[source], self._described.own[target]
        if other.description.kind not in _AGREEMENTS | _CHANGES or source == target:
            return False
        if (
            read_title(name).identifiers
            or self.documents[target].name.casefold() in name.casefold()
        ):
            return False
        return bool(other.parties and own.mentioned and not other.parties & own.mentioned)

    def _add(self, row: Mapping[str, Any]) -> None:
        i, of = row["document"], described_by(row)
        if row["says"] == "clause" and not of.is_specific:
            match = self._by_default(i, row["text"])
        else:
            match = self._resolve(i, of, row["says"])
        if match is None:
            return
        target, confidence, basis = match
        if row["says"] in _STATED:
            self._base.setdefault(i, target)
        self.links.append(
            DocumentLink(
                i,
                target,
                row["says"],
                row["chunk_id"],
                row["chunk_index"],
                row["char_start"],
                row["char_end"],
                row["text"],
                round(min(confidence, row["confidence"] + 0.08), 4),
                basis,
            )
        )

    def _by_default(self, i: int, cited: str) -> tuple[int, float, tuple[str, ...]] | None:
        """Return the agreement that a document is about, if it has the cited part."""
        target = self._subjects.get(i)
        if target is None or part_of(cited) not in self._described.own[target].parts:
            return None
        return target, 0.75, ("contract",)

    def _subject_agreements(self) -> dict[int, int]:
        """Return the only agreement that each document refers to."""
        spoken: dict[int, Counter[int]] = defaultdict(Counter)
        for link in self.links:
            if self._described.own[link.target].description.kind in _AGREEMENTS:
                spoken[link.source][link.target] += 1
        subjects = {i: next(iter(targets)) for i, targets in spoken.items() if len(targets) == 1}
        for i, base in self._base.items():
            if self._described.own[base].description.kind in _AGREEMENTS:
                subjects[i] = base
            elif base in self._base:
                subjects[i] = self._base[base]
        for i in range(len(self._described.own)):
            if i not in subjects and i not in spoken and (only := self._between(i)) is not None:
                subjects[i] = only
        return subjects

    def _between(self, i: int) -> int | None:
        """Return the only agreement between two or more of the names in a document."""
        own = self._described.own[i]
        if own.description.kind in _AGREEMENTS | _REPORTS:
            return None
        counts = Counter(j for who in own.mentioned for j in self._described.by_party.get(who, ()))
        known = [
            j
            for j, count in counts.items()
            if count > 1 and self._described.own[j].description.kind in _AGREEMENTS and j != i
        ]
        return known[0] if len({self._same[j] for j in known}) == 1 else None

    # --- matching -----------------------------------------------------------------------------

    def _resolve(
        self, i: int, of: Description, says: str
    ) -> tuple[int, float, tuple[str, ...]] | None:
        key = (i, of)
        if says != "restates" and key in self._known:
            return self._known[key]
        fits = sorted(
            (
                fit
                for j in self._described.candidates(i, of)
                if (fit := self._fit(i, j, of, says)) is not None
            ),
            key=lambda fit: (-fit.score, fit.target),
        )
        # A title of several words that only one document has is sufficient.
        is_whole = len(of.title) > 1 and fits[:1] and fits[0].score >= _TITLE
        match = self._chosen(fits, least=_TITLE if is_whole and says == "names" else _ALONE)
        if says != "restates":
            self._known[key] = match
        return match

    def _chosen(
        self, fits: list[_Fit], *, least: float
    ) -> tuple[int, float, tuple[str, ...]] | None:
        by_text: dict[int, _Fit] = {}
        for fit in fits:
            by_text.setdefault(self._same[fit.target], fit)
        ranked = list(by_text.values())
        if not ranked:
            return None
        best = ranked[0]
        if len(ranked) > 1 and best.score - ranked[1].score < _AHEAD:
            return None
        if best.score < (_ENOUGH if len(ranked) > 1 else least):
            return None
        confidence = min(0.99, 0.55 + 0.06 * best.score)
        return best.target, confidence, best.basis

    def _fit(self, i: int, j: int, of: Description, says: str) -> _Fit | None:
        """Return how well a document matches a description; ``None`` if they contradict."""
        own, other = self._described.own[i], self._described.own[j]
        if self._same[i] == self._same[j] or not _is_kind(of, other, says):
            return None
        basis: list[str] = []
        score = 0.0
        number = _numbers(of, other)
        if number < 0:
            return None
        if number:
            score += _NUMBER
            basis.append("number")
        date = _dates(of.dates, other)
        if date < 0 or _is_later(other, own):
            return None
        if date:
            score += _DATE
            basis.append("date")
        shared = len(other.parties & (own.parties | own.mentioned))
        is_dated = date > 0 or says not in _STATED
        if not number and _are_others(own, other, shared, is_dated=is_dated):
            return None
        if shared:
            score += (
                _BOTH
                if shared > 1 or (len(other.parties) == 1 and own.parties == other.parties)
                else _ONE
            )
            basis.append("parties")
        title = self._titles(of, j)
        if title < 0 and not number and not (date and shared > 1 and _overlap(of, other)):
            return None
        if title > 0:
            score += _TITLE if title > 1 else _TITLE_PART
            basis.append("title")
        if of.restated != other.description.restated and other.description.kind in _AGREEMENTS:
            if of.restated and not date:
                return None
            score -= 0.5
        if of.kind in _CHANGES:
            return self._of_change(i, j, score, basis)
        return _Fit(score, j, tuple(basis))

    def _of_change(self, i: int, j: int, score: float, basis: list[str]) -> _Fit | None:
        """Return the match of an amendment, which depends on its contract more than on itself."""
        mine, its = self._base.get(i, i), self._base.get(j)
        if its is not None and mine == its:
            return _Fit(score + _BASE, j, (*basis, "contract"))
        if its is not None and i in self._base:
            return None
        return _Fit(score, j, tuple(basis))

    def _titles(self, of: Description, j: int) -> int:
        other = self._described.own[j]
        if other.description.kind in _CHANGES:
            its = self._base.get(j)
            titles = (*other.titles, *(self._described.own[its].titles if its is not None else ()))
        else:
            titles = other.titles
        if not of.title or not titles:
            return 0
        own = other.description.title
        best = max(agreement_of(of.title, title) for title in titles)
        # A title in the text outweighs the name of the file.
        if (
            own
            and best == 1
            and agreement_of(of.title, own) < 0
            and other.description.kind in _AGREEMENTS
        ):
            return -1
        return best


def _is_kind(of: Description, other: DocumentDescription, says: str) -> bool:
    kind = other.description.kind
    if of.kind in _CHANGES:
        if kind not in _CHANGES:
            return False
        return of.ordinal is None or other.ordinal == of.ordinal
    if of.kind == "order":
        return kind == "order"
    if says in {"amends", "restates", "supplements"}:
        return kind in {*_AGREEMENTS, "order", ""}
    return kind in {*_AGREEMENTS, "order", "notice", "letter", "schedule", ""}


def _are_others(
    own: DocumentDescription, other: DocumentDescription, shared: int, *, is_dated: bool
) -> bool:
    """Return whether an agreement has other parties than the document that describes one."""
    if not shared:
        return bool(other.parties and own.mentioned)
    # With one of two parties in common, it may be another agreement of the same party.
    return shared == 1 and not is_dated and min(len(own.parties), len(other.parties)) > 1


def _numbers(of: Description, other: DocumentDescription) -> int:
    """Return 1 if a number agrees, -1 if numbers of one type all differ, else 0."""
    if not of.numbers:
        return 0
    its = {*other.description.numbers}
    if its & set(of.numbers) or other.name_numbers & {n.partition(":")[2] for n in of.numbers}:
        return 1
    sorts = {n.partition(":")[0] for n in its}
    return -1 if sorts & {n.partition(":")[0] for n in of.numbers} else 0


def _dates(wanted: Sequence[str], other: DocumentDescription) -> int:
    """Return 1 if a date agrees, -1 if the document has only other dates, else 0."""
    if not wanted:
        return 0
    dates = (*other.description.dates, *other.name_dates)
    if any(a.startswith(b) or b.startswith(a) for a in wanted for b in dates):
        return 1
    return -1 if other.description.dates else 0


def _is_later(other: DocumentDescription, own: DocumentDescription) -> bool:
    """Return whether a document is later than one that refers to it."""
    its, mine = other.description.dates, own.description.dates
    return bool(its and mine) and min(its) > max(mine)


def _overlap(of: Description, other: DocumentDescription) -> bool:
    return any(
        agreement_of((word,), (known,)) > 0
        for word in of.title
        for title in other.titles
        for known in title
    )


def _same(
    documents: Sequence[Document], identities: Sequence[Mapping[str, Any]], mails: Mails
) -> list[int]:
    """Return for each document the first one that is a copy of it, or has the same text."""
    first: dict[str, int] = {}
    firsts = list(range(len(documents)))
    digests = {row["document"]: row["digest"] for row in identities if row["kind"] != "mail"}
    for i, document in enumerate(documents):
        for mark in filter(None, (document.file_hash, digests.get(i))):
            firsts[i] = min(firsts[i], first.setdefault(mark, i))
    for copy, original in mails.copies():
        firsts[copy] = original
    return firsts
