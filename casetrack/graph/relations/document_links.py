"""Which documents of the collection are meant by what a document says of others.

A document is meant where nothing that is said of it is contradicted by what it says of itself,
where enough agrees (numbers, dates, title, parties), and where no other one agrees as well.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from casetrack.graph.identity.clauses import part_of
from casetrack.graph.identity.titles import agreement_of
from casetrack.graph.relations.descriptions import described_by, tell
from casetrack.graph.relations.reports import report_links
from casetrack.graph.relations.targets import Catalogue
from casetrack.graph.relations.titles import read_title

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pyarrow as pa

    from casetrack.base.records import Document
    from casetrack.graph.identity.facts import Description
    from casetrack.graph.relations.descriptions import DescribedDocuments, DocumentDescription
    from casetrack.graph.relations.mails import Mails

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
"""By how much the best must be ahead of the next."""


@dataclass(frozen=True, slots=True)
class DocumentLink:
    """A place that says something of a document of the collection.

    Attributes
    ----------
    source, target
        Positions of documents.
    says
        See :data:`casetrack.graph.identity.facts.Says`.
    chunk_id, chunk_index, start, end, text
        The place.
    confidence
        How sure it is that this one is meant.
    basis
        What agrees: number, date, title, parties, contract.
    """

    source: int
    target: int
    says: str
    chunk_id: str
    chunk_index: int
    start: int
    end: int
    text: str
    confidence: float
    basis: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Fit:
    score: float
    target: int
    basis: tuple[str, ...]


class DocumentLinker:
    """What the documents of a collection say of each other.

    Parameters
    ----------
    told
        What each of them is.
    sayings
        Rows of the segments' table, with ``document`` (position), ``chunk_id`` and
        ``chunk_index``, in the order of the documents and of their text.
    same
        For each document the first one with the same text.
    mails
        The mails of the collection.
    """

    documents: Sequence[Document] = ()

    def __init__(
        self,
        told: DescribedDocuments,
        sayings: Iterable[Mapping[str, Any]],
        same: Sequence[int],
        mails: Mails,
        /,
    ) -> None:
        self._told = told
        self._same = same
        self.mails = mails
        self.reports = tuple(report_links(told))
        self._known: dict[tuple[int, Description], tuple[int, float, tuple[str, ...]] | None] = {}
        self._base: dict[int, int] = {}
        rows = [row for row in sayings if not row["repeated"] and row["says"] != "quotes"]
        self.ties: list[DocumentLink] = []
        for row in rows:
            if row["says"] in _STATED:
                self._add(row)
        self._known = {
            key: found for key, found in self._known.items() if key[1].kind == "agreement" and found
        }
        for row in rows:
            if row["says"] == "names":
                self._add(row)
        self._about = self._abouts()
        for row in rows:
            if row["says"] == "clause":
                self._add(row)

    @classmethod
    def of(
        cls,
        documents: Sequence[Document],
        identities: Sequence[Mapping[str, Any]],
        sayings: Sequence[Mapping[str, Any]],
        parties: tuple[Sequence[frozenset[str]], Sequence[frozenset[str]]],
        mails: Mails,
        /,
    ) -> DocumentLinker:
        """Read them from rows of the segments' tables.

        Parameters
        ----------
        documents
            All documents.
        identities, sayings
            Rows with ``document``, its position; the sayings with ``chunk_id``, ``chunk_index`` and
            ``page`` as well.
        parties
            See :func:`casetrack.graph.relations.descriptions.parties_of`.
        mails
            The mails among them.
        """
        told = tell(identities, parties, Catalogue(documents), len(documents))
        found = cls(told, sayings, _same(documents, identities, mails), mails)
        found.documents = documents
        return found

    def ordinal(self, document: int, /) -> int | None:
        """Return which amendment or supplement a document is, by what it says or is called."""
        return self._told.own[document].ordinal

    def aim(self, citations: pa.Table, /) -> pa.Table:
        """Return the table ``citations`` with the documents that are meant where they stand.

        What a reference means in the whole collection gives way to what it means in its document: a
        clause has the document that it stands in, "Amendment No. 1" is that of this contract, and
        the "Supply Agreement" of other parties is not meant.
        """
        import pyarrow as pa

        position = {d.document_id: i for i, d in enumerate(self.documents)}
        clauses = {
            (tie.chunk_id, tie.start): tie.target for tie in self.ties if tie.says == "clause"
        }
        named: dict[str, list[DocumentLink]] = defaultdict(list)
        for tie in self.ties:
            if tie.says != "clause":
                named[tie.chunk_id].append(tie)
        columns = ("document_id", "chunk_id", "char_start", "char_end", "reference_id", "type")
        rows = citations.select([*columns, "name", "target_document_id"]).to_pylist()
        local: dict[tuple[str, str], int] = {}
        for row in rows:
            if row["type"] not in _OF_DOCUMENTS:
                continue
            for tie in named.get(row["chunk_id"], ()):
                if tie.start < row["char_end"] and row["char_start"] < tie.end:
                    local.setdefault((row["document_id"], row["reference_id"]), tie.target)
        targets: list[str | None] = []
        for row in rows:
            known = row["target_document_id"]
            meant = clauses.get((row["chunk_id"], row["char_start"]))
            if meant is None:
                meant = local.get((row["document_id"], row["reference_id"]))
            if meant is not None:
                known = self.documents[meant].document_id
            elif known is not None and row["type"] in _OF_DOCUMENTS:
                source, target = position[row["document_id"]], position[known]
                known = None if self._are_strangers(source, target, row["name"]) else known
            targets.append(known)
        place = citations.schema.get_field_index("target_document_id")
        return citations.set_column(
            place, citations.schema.field(place), pa.array(targets, pa.string())
        )

    def _are_strangers(self, source: int, target: int, name: str) -> bool:
        """Tell whether a document names nobody of those whose agreement it seems to name."""
        own, other = self._told.own[source], self._told.own[target]
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
        if row["says"] == "clause" and not of.is_telling:
            found = self._by_default(i, row["text"])
        else:
            found = self._meant(i, of, row["says"])
        if found is None:
            return
        target, confidence, basis = found
        if row["says"] in _STATED:
            self._base.setdefault(i, target)
        self.ties.append(
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
        """Return the one agreement that a document is about, if it has the part that is cited."""
        target = self._about.get(i)
        if target is None or part_of(cited) not in self._told.own[target].parts:
            return None
        return target, 0.75, ("contract",)

    def _abouts(self) -> dict[int, int]:
        """Return the one agreement that each document speaks of, where it is one."""
        spoken: dict[int, Counter[int]] = defaultdict(Counter)
        for tie in self.ties:
            if self._told.own[tie.target].description.kind in _AGREEMENTS:
                spoken[tie.source][tie.target] += 1
        found = {i: next(iter(targets)) for i, targets in spoken.items() if len(targets) == 1}
        for i, base in self._base.items():
            if self._told.own[base].description.kind in _AGREEMENTS:
                found[i] = base
            elif base in self._base:
                found[i] = self._base[base]
        for i in range(len(self._told.own)):
            if i not in found and i not in spoken and (only := self._between(i)) is not None:
                found[i] = only
        return found

    def _between(self, i: int) -> int | None:
        """Return the one agreement between two or more of those whom a document names."""
        own = self._told.own[i]
        if own.description.kind in _AGREEMENTS | _REPORTS:
            return None
        counts = Counter(j for who in own.mentioned for j in self._told.by_party.get(who, ()))
        known = [
            j
            for j, count in counts.items()
            if count > 1 and self._told.own[j].description.kind in _AGREEMENTS and j != i
        ]
        return known[0] if len({self._same[j] for j in known}) == 1 else None

    # --- which one is meant -------------------------------------------------------------------

    def _meant(
        self, i: int, of: Description, says: str
    ) -> tuple[int, float, tuple[str, ...]] | None:
        key = (i, of)
        if says != "restates" and key in self._known:
            return self._known[key]
        fits = sorted(
            (
                fit
                for j in self._told.candidates(i, of)
                if (fit := self._fit(i, j, of, says)) is not None
            ),
            key=lambda fit: (-fit.score, fit.target),
        )
        # A title of several words that one document alone has needs no more.
        is_whole = len(of.title) > 1 and fits[:1] and fits[0].score >= _TITLE
        found = self._chosen(fits, least=_TITLE if is_whole and says == "names" else _ALONE)
        if says != "restates":
            self._known[key] = found
        return found

    def _chosen(
        self, fits: list[_Fit], *, least: float
    ) -> tuple[int, float, tuple[str, ...]] | None:
        by_text: dict[int, _Fit] = {}
        for fit in fits:
            by_text.setdefault(self._same[fit.target], fit)
        ranked = sorted(by_text.values(), key=lambda fit: (-fit.score, fit.target))
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
        """Return how well a document agrees with a description; ``None`` where they differ."""
        own, other = self._told.own[i], self._told.own[j]
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
        is_told = date > 0 or says not in _STATED
        if not number and _are_others(own, other, shared, is_told=is_told):
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
        """Return the same for "Amendment No. 1", which says more of its contract than of itself."""
        mine, its = self._base.get(i, i), self._base.get(j)
        if its is not None and mine == its:
            return _Fit(score + _BASE, j, (*basis, "contract"))
        if its is not None and i in self._base:
            return None
        return _Fit(score, j, tuple(basis))

    def _titles(self, of: Description, j: int) -> int:
        other = self._told.own[j]
        if other.description.kind in _CHANGES:
            its = self._base.get(j)
            titles = (*other.titles, *(self._told.own[its].titles if its is not None else ()))
        else:
            titles = other.titles
        if not of.title or not titles:
            return 0
        own = other.description.title
        best = max(agreement_of(of.title, title) for title in titles)
        # What the text calls itself counts for more than the name of its file.
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
    own: DocumentDescription, other: DocumentDescription, shared: int, *, is_told: bool
) -> bool:
    """Tell whether an agreement is of other people than those of a document that describes one."""
    if not shared:
        return bool(other.parties and own.mentioned)
    # One of two is the same: what is to be changed is not told from the other agreements of his.
    return shared == 1 and not is_told and min(len(own.parties), len(other.parties)) > 1


def _numbers(of: Description, other: DocumentDescription) -> int:
    """Return 1 where a number agrees, -1 where both have one of a sort and none agrees, else 0."""
    if not of.numbers:
        return 0
    its = {*other.description.numbers}
    if its & set(of.numbers) or other.name_numbers & {n.partition(":")[2] for n in of.numbers}:
        return 1
    sorts = {n.partition(":")[0] for n in its}
    return -1 if sorts & {n.partition(":")[0] for n in of.numbers} else 0


def _dates(wanted: Sequence[str], other: DocumentDescription) -> int:
    """Return 1 where a date agrees, -1 where the document has others, else 0."""
    if not wanted:
        return 0
    if any(_same_day(a, b) for a in wanted for b in (*other.description.dates, *other.name_dates)):
        return 1
    return -1 if other.description.dates else 0


def _same_day(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)


def _is_later(other: DocumentDescription, own: DocumentDescription) -> bool:
    """Tell whether a document was made after one that speaks of it."""
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
    found = list(range(len(documents)))
    digests = {row["document"]: row["digest"] for row in identities if row["kind"] != "mail"}
    for i, document in enumerate(documents):
        for mark in filter(None, (document.file_hash, digests.get(i))):
            found[i] = min(found[i], first.setdefault(mark, i))
    for copy, original in mails.copies():
        found[copy] = original
    return found
