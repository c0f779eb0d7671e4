"""Edges between documents, of all types."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.base.records.graph import Edge
from casetrack.graph.relations.edges import EVIDENCE, Words, table_of
from casetrack.graph.relations.leads import Leads
from casetrack.graph.relations.overlap import semantic_edges, shared_edges
from casetrack.graph.relations.places import CONCEPT_KINDS, EXTERNAL_TYPES, cited, mentioned
from casetrack.graph.relations.titles import NUMBERED_KINDS
from casetrack.graph.relations.versions import version_edges

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

    from casetrack.graph.graph import ContextGraph

# Which document answers which, as far as their names say so.

_ANSWERS = frozenset("reply response answer rejoinder rebuttal antwort".split())


def replies(leads: Leads, /) -> Iterator[tuple[int, int]]:
    """Yield pairs of documents: the answer, and the one document that it answers.

    A document called "Reply to ..." (or response, answer, rejoinder) answers the one that is called
    so.
    """
    for i in range(len(leads.documents)):
        answered = _named(leads, i)
        if answered is not None and answered != i:
            yield i, answered


def _named(leads: Leads, i: int) -> int | None:
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


def _is_later(leads: Leads, one: int, other: int) -> bool:
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


def document_edges(source: ContextGraph, /) -> pa.Table:
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
        :func:`~casetrack.graph.relations.versions.version_edges`.
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
    leads = Leads(source)
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

    def __init__(self, source: ContextGraph, leads: Leads) -> None:
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

    def _take_citations(self, source: ContextGraph) -> None:
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

    def _take_ties(self, source: ContextGraph) -> None:
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

    def _take_mails(self, source: ContextGraph) -> None:
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


def _amending(leads: Leads) -> Iterable[tuple[int, int]]:
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
