"""Edges between documents, of all types."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from casetrack.base.records.graph import Edge
from casetrack.graph.identity.mails import FORMATS as MAIL_FORMATS
from casetrack.graph.relations.edges import (
    CONCEPT_KINDS,
    EVIDENCE,
    EXTERNAL_TYPES,
    Words,
    cited,
    mentioned,
    table_of,
)
from casetrack.graph.relations.entities import semantic_edges, shared_edges
from casetrack.graph.relations.targets import Catalogue
from casetrack.graph.relations.titles import NUMBERED_KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

    from casetrack.base.records import Document
    from casetrack.graph.relations.titles import Title
    from casetrack.graph.state_tables import StateTables

# What relations between documents are read from, made once for all of them.


class RelationInputs:
    """The documents with their names, first chunks and texts.

    Parameters
    ----------
    source
        The collection.
    """

    def __init__(self, source: StateTables, /) -> None:
        self._source = source
        self.documents: tuple[Document, ...] = source.documents
        self.position = {d.document_id: i for i, d in enumerate(self.documents)}
        self.catalogue = Catalogue(self.documents)

    def id(self, position: int, /) -> str:
        """Return the id of a document."""
        return self.documents[position].document_id

    def chunk_ids(self, position: int, /, limit: int) -> tuple[str, ...]:
        """Return the first chunks of a document."""
        start, end = self._bounds[position : position + 2].tolist()
        return self._source.chunk_vectors().ids[start : min(end, start + limit)]

    def first_chunks(self, *positions: int) -> tuple[str, ...]:
        """Return the first chunk of each of these documents that has one."""
        return tuple(chunk for i in positions for chunk in self.chunk_ids(i, 1))

    def text(self, position: int, /, limit: int) -> str:
        """Return the text of the first *limit* chunks; what overlaps is there twice."""
        chunks = self._source.chunks(self.chunk_ids(position, limit))
        return "\n".join(chunk.text for chunk in chunks)

    def cosine(self, i: int, j: int, /) -> float:
        """Return how near two documents are as a whole; 0 where one has no vector."""
        vectors = self._source.document_vectors()
        a, b = vectors[i].astype(np.float64), vectors[j].astype(np.float64)
        lengths = float(np.sqrt((a @ a) * (b @ b)))
        return float(a @ b) / lengths if lengths else 0.0

    @cached_property
    def _bounds(self) -> np.ndarray:
        of = self._source.chunk_vectors().documents
        return np.searchsorted(of, np.arange(len(self.documents) + 1))


# Documents that are versions of each other, and exact copies.

_CLOSE = 0.9
_SHARE_MARKED, _SHARE_SAME_NAME, _SHARE_OTHER_DATE = 0.3, 0.5, 0.7
"""How much of the words must agree: most where only the date in the names differs, as it does
between the minutes of two meetings."""
_LOOK_BACK = 3
_CHUNKS = 60
_SHINGLE = 5
_FINAL = (1 << 20,)


def version_edges(leads: RelationInputs, /) -> list[Edge]:
    """Return ``version`` edges, from the earlier document to the next one of its chain.

    Two documents are versions of each other where their names (or titles, one of which must say so)
    differ in nothing but marks of a version, dates and the ending, and their content agrees. Of two
    with such a mark, the vectors of the documents have a cosine of at least 0.9 or 30 % of the runs
    of five words are the same; of two without one 50 %, and where the dates in the names differ
    70 %. The weight is the greater of both numbers.

    The earlier one is that with the smaller version number, else the earlier date in the name, else
    the earlier date that the document gives itself, else the older file.

    Exact copies are joined too, with weight 1 and a count of 0; the first of them stands for the
    others in a chain.
    """
    edges, stand_in = _copies(leads)
    texts = _Texts(leads)
    for group in _groups(leads, stand_in):
        chain = _ordered(leads, group)
        for at, (later, title) in enumerate(chain):
            for earlier, other in reversed(chain[max(0, at - _LOOK_BACK) : at]):
                weight = _likeness(leads, texts, (earlier, other), (later, title))
                if weight:
                    key = (leads.id(earlier), leads.id(later))
                    back = (key[1], key[0])
                    if key not in edges and back not in edges:
                        shown = leads.first_chunks(earlier, later)
                        edges[key] = Edge(*key, "version", weight, 1, shown)
                    break
    order = leads.position
    return [edges[key] for key in sorted(edges, key=lambda k: (order[k[0]], order[k[1]]))]


def _copies(leads: RelationInputs) -> tuple[dict[tuple[str, str], Edge], list[int]]:
    """Return edges between copies, and for each document the one that stands for it."""
    same: dict[str, list[int]] = defaultdict(list)
    for i, document in enumerate(leads.documents):
        # Copies of a mail are told by what they say: their files differ in the folder they lie in.
        if document.format not in MAIL_FORMATS:
            same[document.file_hash].append(i)
    edges: dict[tuple[str, str], Edge] = {}
    stand_in = list(range(len(leads.documents)))
    for group in same.values():
        chain = sorted(group, key=lambda i: _age(leads.documents[i]))
        for i in chain:
            stand_in[i] = chain[0]
        for earlier, later in pairwise(chain):
            key = (leads.id(earlier), leads.id(later))
            shown = leads.first_chunks(earlier, later)
            edges[key] = Edge(*key, "version", 1.0, 0, shown)
    return edges, stand_in


def _groups(leads: RelationInputs, stand_in: list[int]) -> Iterator[list[tuple[int, Title]]]:
    by_name: dict[object, dict[int, Title]] = defaultdict(dict)
    by_title: dict[object, dict[int, Title]] = defaultdict(dict)
    for i, document in enumerate(leads.documents):
        if document.format in MAIL_FORMATS:
            continue
        name, *titles = leads.catalogue.titles(i)
        if name.words:
            by_name[name.words, name.identifiers].setdefault(stand_in[i], name)
        for title in titles:
            if title.is_telling and len(title.words) > 1:
                by_title[title.words, title.identifiers].setdefault(stand_in[i], title)
    for group in by_name.values():
        if len(group) > 1:
            yield sorted(group.items(), key=lambda entry: entry[0])
    for group in by_title.values():
        if len(group) > 1 and any(title.marked for title in group.values()):
            yield sorted(group.items(), key=lambda entry: entry[0])


def _ordered(leads: RelationInputs, group: list[tuple[int, Title]]) -> list[tuple[int, Title]]:
    documents = [leads.documents[i] for i, _ in group]
    has_dates = all(title.dates for _, title in group)
    has_written = all(d.content_created_at is not None for d in documents)

    def key(entry: tuple[int, Title]) -> tuple[object, ...]:
        document, title = leads.documents[entry[0]], entry[1]
        written = document.content_created_at
        return (
            title.version or {0: (0,), 1: (1,)}.get(title.stage, _FINAL),
            title.stage,
            min(title.dates) if has_dates else "",
            written.timestamp() if has_written and written is not None else 0.0,
            *_age(document),
        )

    return sorted(group, key=key)


def _likeness(
    leads: RelationInputs, texts: _Texts, one: tuple[int, Title], other: tuple[int, Title]
) -> float:
    """Return how much two possible versions agree; 0 where they are none."""
    is_marked = one[1].marked or other[1].marked
    cosine = leads.cosine(one[0], other[0])
    share = texts.share(one[0], other[0])
    if is_marked:
        agrees = cosine >= _CLOSE or share >= _SHARE_MARKED
    elif one[1].dates != other[1].dates:
        agrees = share >= _SHARE_OTHER_DATE
    else:
        agrees = share >= _SHARE_SAME_NAME
    return min(max(share, cosine), 1.0) if agrees else 0.0


class _Texts:
    """Runs of five words of documents, read when first asked for."""

    def __init__(self, leads: RelationInputs) -> None:
        self._leads = leads
        self._runs: dict[int, frozenset[tuple[str, ...]]] = {}

    def share(self, i: int, j: int) -> float:
        """Return Dice's coefficient of the runs of both."""
        a, b = self._of(i), self._of(j)
        return 2 * len(a & b) / (len(a) + len(b)) if a and b else 0.0

    def _of(self, i: int) -> frozenset[tuple[str, ...]]:
        if i not in self._runs:
            words = re.findall(r"\w+", self._leads.text(i, _CHUNKS).casefold())
            runs = zip(*(words[k:] for k in range(_SHINGLE)), strict=False)
            self._runs[i] = frozenset(runs)
        return self._runs[i]


def _age(document: Document) -> tuple[object, ...]:
    return (document.file_modified_at, document.name, document.path)


# Which document answers which, as far as their names say so.

_ANSWERS = frozenset("reply response answer rejoinder rebuttal antwort".split())


def replies(leads: RelationInputs, /) -> Iterator[tuple[int, int]]:
    """Yield pairs of documents: the answer, and the one document that it answers.

    A document called "Reply to ..." (or response, answer, rejoinder) answers the one that is called
    so.
    """
    for i in range(len(leads.documents)):
        answered = _named(leads, i)
        if answered is not None and answered != i:
            yield i, answered


def _named(leads: RelationInputs, i: int) -> int | None:
    """Return what a document called "Reply to ..." answers."""
    found = set()
    for title in leads.catalogue.titles(i):
        if (
            title.words[:1]
            and title.words[0] in _ANSWERS
            and title.words[1:2] in {("to",), ("auf",)}
        ):
            rest = " ".join((*title.words[2:], *sorted(title.identifiers)))
            found.add(leads.catalogue.by_title(rest))
    found -= {None, i}
    if len(found) != 1:
        return None
    answered = found.pop()
    return answered if answered is not None and not _is_later(leads, answered, i) else None


def _is_later(leads: RelationInputs, one: int, other: int) -> bool:
    """Tell whether the names say that *one* was written after *other*."""
    ends = [leads.catalogue.titles(i)[0].dates for i in (one, other)]
    return bool(ends[0] and ends[1]) and min(ends[0]) > max(ends[1])


SHARED_ENTITIES = 3
_OF_PLACES = {
    "amends": "amends",
    "supersedes": "amends",
    "responds_to": "response_to",
    "attaches": "attachment",
}
"""What a place that refers to a document says, and the relation that it shows."""
_STATED = frozenset(
    {"amends", "restates", "supplements", "schedule_of", "exhibit_of", "made_under", "bills"}
)


def document_edges(source: StateTables, /) -> pa.Table:
    """Return all edges between documents, in the columns of the table ``edges``.

    ``shared_entities``
        At least three persons, organisations, places or concepts of both.
    ``shared_references``
        At least one standard, law, case, report or other document that both refer to.
    ``semantic``
        Cosine of the documents' vectors of at least 0.75, the 20 nearest of each.
    ``explicit``
        One refers to the other. The weight is the confidence of the surest place.
    ``version``
        From the earlier version to the next one, see
        :func:`~casetrack.graph.relations.documents.version_edges`.
    ``response_to``, ``forward_of``
        From the answer to what it answers: mails, names such as "Reply to Notice of Claim", and
        places that say so; from a mail to the one that it passes on.
    ``copy``, ``same_thread``
        From a mail to the one that counts of several copies; between a mail and the earliest one
        of its thread.
    ``amends``, ``restates``, ``supplements``
        From what amends, supersedes, restates or supplements to what it changes: places that say
        so, and titles such as "Amendment No. 1 to the Lease".
    ``schedule_of``, ``exhibit_of``, ``attachment``
        From the part to the whole; from what is attached to what it is attached to.
    ``made_under``, ``bills``
        From an order, a notice or a statement of work to its contract; from an invoice to the
        order or contract that it charges for.
    ``interim_of``
        From a quarterly report to the annual report of its fiscal year.

    There is one row per source, target and type; none is made where several documents might be
    meant.
    """
    leads = RelationInputs(source)
    documents = leads.documents
    edges = [
        *shared_edges(
            documents, mentioned(source, CONCEPT_KINDS), "shared_entities", least=SHARED_ENTITIES
        ),
        *shared_edges(documents, cited(source, EXTERNAL_TYPES), "shared_references", least=1),
        *semantic_edges(documents, source.document_vectors()),
        *version_edges(leads),
    ]
    stated = _Stated(source, leads)
    return table_of("document", [*edges, *stated.edges()], stated.words)


@dataclass(frozen=True, slots=True)
class _Place:
    """A place that shows a relation; without words where it is the document as a whole."""

    confidence: float
    chunk_index: int
    chunk_id: str
    start: int
    words: Words | None

    @property
    def order(self) -> tuple[float, int, str, int]:
        return -self.confidence, self.chunk_index, self.chunk_id, self.start


_Key = tuple[int, int, str]


class _Stated:
    """What places, names, mails and the files themselves say: explicit, response_to and so on."""

    def __init__(self, source: StateTables, leads: RelationInputs) -> None:
        self._leads = leads
        self._places: dict[_Key, list[_Place]] = defaultdict(list)
        self._sure: dict[_Key, tuple[float, tuple[str, ...]]] = {}
        self.words: dict[tuple[str, str, str], Words] = {}
        self._ordinals = source.bearings.ordinal
        self._take_citations(source)
        self._take_ties(source)
        self._take_mails(source)
        for link in source.bearings.reports:
            self._note((link.source, link.target, link.type), link.confidence, link.basis)
        for a, b in replies(leads):
            self._note((a, b, "response_to"), 1.0, ("title",))
        for a, b in _amending(leads):
            self._note((a, b, "amends"), 1.0, ("title",))
        for i, document in enumerate(leads.documents):
            if document.parent_id in leads.position:
                parent = leads.position[document.parent_id]
                self._note((i, parent, "attachment"), 1.0, ("file",))

    def edges(self) -> list[Edge]:
        """Return an edge for each pair and type, with the words of its best place."""
        keys = self._sure.keys() | self._places.keys()
        # Who restates an agreement says that it amends it, too.
        more = {(a, b, "amends") for a, b, type_ in keys if type_ in {"restates", "supplements"}}
        return [self._edge(key) for key in sorted(keys - more)]

    def _edge(self, key: _Key) -> Edge:
        a, b, type_ = key
        leads = self._leads
        places = sorted(self._places.get(key, ()), key=lambda p: p.order)
        shown = dict.fromkeys(p.chunk_id for p in places)
        # A thread shows in both of its mails, and which of them comes first says nothing.
        ends = sorted((a, b)) if type_ == "same_thread" else [a]
        evidence = tuple(shown)[:EVIDENCE] or leads.first_chunks(*ends)
        weight, basis = self._sure.get(key, (0.0, ()))
        weight = max([weight, *(p.confidence for p in places)])
        words = next((p.words for p in places if p.words), None)
        if words is not None and places[0].words is words:
            basis = tuple(dict.fromkeys((*basis, *words.basis)))
        else:
            words = None
        if basis or words:
            spoken = words or Words()
            end = (leads.id(a), leads.id(b), type_)
            position = self._ordinals(a) if type_ in {"amends", "supplements"} else None
            self.words[end] = Words(spoken.text, spoken.start, spoken.end, basis, position)
        return Edge(leads.id(a), leads.id(b), type_, weight, max(len(places), 1), evidence)

    def _note(self, key: _Key, confidence: float, basis: tuple[str, ...]) -> None:
        if key[0] != key[1] and confidence > self._sure.get(key, (0.0, ()))[0]:
            self._sure[key] = confidence, basis

    def _take_citations(self, source: StateTables) -> None:
        import pyarrow.compute as pc

        table = source.table("citations")
        kept = pc.and_(table["target_document_id"].is_valid(), pc.invert(table["repeated"]))
        names = ["document_id", "target_document_id", "chunk_id", "chunk_index", "relationship"]
        names += ["confidence", "text", "char_start", "char_end", "type"]
        position = self._leads.position
        for row in table.filter(pc.and_(kept, table["resolved"])).select(names).to_pylist():
            a, b = position[row["document_id"]], position[row["target_document_id"]]
            if a == b:
                continue
            words = Words(row["text"], row["char_start"], row["char_end"], ("reference",))
            place = _Place(
                min(row["confidence"], 1.0),
                row["chunk_index"],
                row["chunk_id"],
                row["char_start"],
                words,
            )
            self._places[a, b, "explicit"].append(place)
            type_ = _OF_PLACES.get(row["relationship"])
            if type_ is None or row["type"] == "section":
                continue
            ends = (b, a) if type_ == "attachment" else (a, b)
            self._places[*ends, type_].append(place)

    def _take_ties(self, source: StateTables) -> None:
        for tie in source.bearings.ties:
            if tie.source == tie.target or tie.says == "clause":
                continue
            words = Words(tie.text, tie.start, tie.end, tie.basis)
            place = _Place(tie.confidence, tie.chunk_index, tie.chunk_id, tie.start, words)
            known = self._places[tie.source, tie.target, "explicit"]
            if not any(p.chunk_id == tie.chunk_id and _meet(p.words, words) for p in known):
                known.append(place)
            if tie.says in _STATED:
                self._places[tie.source, tie.target, tie.says].append(place)

    def _take_mails(self, source: StateTables) -> None:
        mails = source.mails
        for link in mails.links():
            key = (link.source, link.target, link.type)
            self._note(key, link.confidence, link.basis)
            if link.place is not None:
                row = link.place
                words = Words(row["text"], row["char_start"], row["char_end"], link.basis)
                place = _Place(
                    link.confidence, row["chunk_index"], row["chunk_id"], row["char_start"], words
                )
                self._places[key].append(place)
        for copy, first in mails.copies():
            self._note((copy, first, "copy"), 1.0, ("same mail",))
        for mail, first in mails.threads():
            ends = sorted((mail, first), key=self._leads.id)
            self._note((ends[0], ends[1], "same_thread"), 0.9, ("thread",))


def _meet(one: Words | None, other: Words) -> bool:
    if one is None or one.start is None or one.end is None:
        return False
    return (
        other.start is not None
        and other.end is not None
        and one.start < other.end
        and other.start < one.end
    )


def _amending(leads: RelationInputs) -> Iterable[tuple[int, int]]:
    """Yield amendments whose name says what they amend, with the one document of that name."""
    for i in range(len(leads.documents)):
        found = set()
        for title in leads.catalogue.titles(i):
            if NUMBERED_KINDS.intersection(title.words[:3]) and "to" in title.words[:4]:
                rest = title.words[title.words.index("to") + 1 :]
                found.add(leads.catalogue.by_title(" ".join((*rest, *sorted(title.identifiers)))))
        found -= {None, i}
        if len(found) == 1 and (amended := found.pop()) is not None:
            yield i, amended
