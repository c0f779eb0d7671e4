"""Edges of all types between documents."""

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
from casetrack.graph.relations.titles import NUMBERED_KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

    from casetrack.base.records import Document
    from casetrack.graph.relations.titles import Title
    from casetrack.graph.state_tables import StateTables

# Input of all relations between documents, prepared once.


class RelationInputs:
    """The documents of a collection with their names, first chunks and texts."""

    def __init__(self, source: StateTables, /) -> None:
        self._source = source
        self.documents: tuple[Document, ...] = source.documents
        self.position = {d.document_id: i for i, d in enumerate(self.documents)}
        self.catalogue = source.catalogue

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
        """Return the text of the first *limit* chunks; overlapping text is repeated."""
        chunks = self._source.chunks(self.chunk_ids(position, limit))
        return "\n".join(chunk.text for chunk in chunks)

    def cosine(self, i: int, j: int, /) -> float:
        """Return the cosine of two documents; 0 if one has no vector."""
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
"""Minimum shares of common words: highest if only the dates in the names differ."""
_LOOK_BACK = 3
_CHUNKS = 60
_SHINGLE = 5
_FINAL = (1 << 20,)


def version_edges(inputs: RelationInputs, /) -> list[Edge]:
    """Return ``version`` edges from each document to the next version.

    Two documents are versions if their names (or titles, one with a version mark) differ only in
    version marks, dates and extension, and their content agrees: with a mark, a cosine of at least
    0.9 or 30 % common runs of five words; without a mark 50 % common runs, or 70 % if the dates in
    the names differ. The weight is the larger of both numbers.

    The order is given by version number, else the date in the name, else the date in the document,
    else the age of the file. Exact copies are joined with weight 1 and count 0; the first copy
    represents the others in a chain.
    """
    edges, stand_in = _copies(inputs)
    texts = _Texts(inputs)
    for group in _groups(inputs, stand_in):
        chain = _ordered(inputs, group)
        for at, (later, title) in enumerate(chain):
            for earlier, other in reversed(chain[max(0, at - _LOOK_BACK) : at]):
                weight = _likeness(inputs, texts, (earlier, other), (later, title))
                if weight:
                    key = (inputs.id(earlier), inputs.id(later))
                    back = (key[1], key[0])
                    if key not in edges and back not in edges:
                        shown = inputs.first_chunks(earlier, later)
                        edges[key] = Edge(*key, "version", weight, 1, shown)
                    break
    order = inputs.position
    return [edges[key] for key in sorted(edges, key=lambda k: (order[k[0]], order[k[1]]))]


def _copies(inputs: RelationInputs) -> tuple[dict[tuple[str, str], Edge], list[int]]:
    """Return edges between copies, and the representative of each document."""
    same: dict[str, list[int]] = defaultdict(list)
    for i, document in enumerate(inputs.documents):
        # Copies of a mail are recognised by content: their files differ by folder.
        if document.format not in MAIL_FORMATS:
            same[document.file_hash].append(i)
    edges: dict[tuple[str, str], Edge] = {}
    stand_in = list(range(len(inputs.documents)))
    for group in same.values():
        chain = sorted(group, key=lambda i: _age(inputs.documents[i]))
        for i in chain:
            stand_in[i] = chain[0]
        for earlier, later in pairwise(chain):
            key = (inputs.id(earlier), inputs.id(later))
            shown = inputs.first_chunks(earlier, later)
            edges[key] = Edge(*key, "version", 1.0, 0, shown)
    return edges, stand_in


def _groups(inputs: RelationInputs, stand_in: list[int]) -> Iterator[list[tuple[int, Title]]]:
    by_name: dict[object, dict[int, Title]] = defaultdict(dict)
    by_title: dict[object, dict[int, Title]] = defaultdict(dict)
    for i, document in enumerate(inputs.documents):
        if document.format in MAIL_FORMATS:
            continue
        name, *titles = inputs.catalogue.titles(i)
        if name.words:
            by_name[name.words, name.identifiers].setdefault(stand_in[i], name)
        for title in titles:
            if title.is_specific and len(title.words) > 1:
                by_title[title.words, title.identifiers].setdefault(stand_in[i], title)
    for group in by_name.values():
        if len(group) > 1:
            yield sorted(group.items(), key=lambda entry: entry[0])
    for group in by_title.values():
        if len(group) > 1 and any(title.marked for title in group.values()):
            yield sorted(group.items(), key=lambda entry: entry[0])


def _ordered(inputs: RelationInputs, group: list[tuple[int, Title]]) -> list[tuple[int, Title]]:
    documents = [inputs.documents[i] for i, _ in group]
    has_dates = all(title.dates for _, title in group)
    has_written = all(d.content_created_at is not None for d in documents)

    def key(entry: tuple[int, Title]) -> tuple[object, ...]:
        document, title = inputs.documents[entry[0]], entry[1]
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
    inputs: RelationInputs, texts: _Texts, one: tuple[int, Title], other: tuple[int, Title]
) -> float:
    """Return the similarity of two possible versions; 0 if they are none."""
    is_marked = one[1].marked or other[1].marked
    if _are_distinct(inputs.documents[one[0]], inputs.documents[other[0]], is_marked=is_marked):
        return 0.0
    cosine = inputs.cosine(one[0], other[0])
    share = texts.share(one[0], other[0])
    if is_marked:
        agrees = cosine >= _CLOSE or share >= _SHARE_MARKED
    elif one[1].dates != other[1].dates:
        agrees = share >= _SHARE_OTHER_DATE
    else:
        agrees = share >= _SHARE_SAME_NAME
    return min(max(share, cosine), 1.0) if agrees else 0.0


def _are_distinct(one: Document, other: Document, *, is_marked: bool) -> bool:
    """Return whether two documents state different numbers or are attached to different ones."""
    pairs = [(one.own_number, other.own_number)]
    pairs += [] if is_marked else [(one.parent_id, other.parent_id)]
    return any(a and b and a != b for a, b in pairs)


class _Texts:
    """Runs of five words of documents, read on first use."""

    def __init__(self, inputs: RelationInputs) -> None:
        self._inputs = inputs
        self._runs: dict[int, frozenset[tuple[str, ...]]] = {}

    def share(self, i: int, j: int) -> float:
        """Return Dice's coefficient of the runs of both documents."""
        a, b = self._of(i), self._of(j)
        return 2 * len(a & b) / (len(a) + len(b)) if a and b else 0.0

    def _of(self, i: int) -> frozenset[tuple[str, ...]]:
        if i not in self._runs:
            words = re.findall(r"\w+", self._inputs.text(i, _CHUNKS).casefold())
            runs = zip(*(words[k:] for k in range(_SHINGLE)), strict=False)
            self._runs[i] = frozenset(runs)
        return self._runs[i]


def _age(document: Document) -> tuple[object, ...]:
    return (document.file_modified_at, document.name, document.path)


# Replies that are recognised by the document's name.

_ANSWERS = frozenset("reply response answer rejoinder rebuttal antwort".split())


def replies(inputs: RelationInputs, /) -> Iterator[tuple[int, int]]:
    """Yield (answer, answered document) for names such as "Reply to ..." with one match."""
    for i in range(len(inputs.documents)):
        answered = _replied_to(inputs, i)
        if answered is not None and answered != i:
            yield i, answered


def _replied_to(inputs: RelationInputs, i: int) -> int | None:
    """Return the document that a document called "Reply to ..." answers."""
    matches = set()
    for title in inputs.catalogue.titles(i):
        if (
            title.words[:1]
            and title.words[0] in _ANSWERS
            and title.words[1:2] in {("to",), ("auf",)}
        ):
            rest = " ".join((*title.words[2:], *sorted(title.identifiers)))
            matches.add(inputs.catalogue.by_title(rest))
    matches -= {None, i}
    if len(matches) != 1:
        return None
    answered = matches.pop()
    return answered if answered is not None and not _is_later(inputs, answered, i) else None


def _is_later(inputs: RelationInputs, one: int, other: int) -> bool:
    """Return whether the dates in the names show that *one* is later than *other*."""
    ends = [inputs.catalogue.titles(i)[0].dates for i in (one, other)]
    return bool(ends[0] and ends[1]) and min(ends[0]) > max(ends[1])


SHARED_ENTITIES = 3
_OF_PLACES = {
    "amends": "amends",
    "supersedes": "amends",
    "responds_to": "response_to",
    "attaches": "attachment",
}
"""Relations that the relationship of a citation shows."""
_STATED = frozenset(
    {"amends", "restates", "supplements", "schedule_of", "exhibit_of", "made_under", "bills"}
)


def document_edges(source: StateTables, /) -> pa.Table:
    """Return all edges between documents, in the columns of the table ``edges``.

    ``shared_entities``
        At least three common persons, organisations, places or concepts.
    ``shared_references``
        At least one common reference to a standard, law, case, report or other document.
    ``semantic``
        Cosine of the documents' vectors of at least 0.75, the 20 nearest of each.
    ``explicit``
        One refers to the other; the weight is the highest confidence of a place.
    ``version``
        From a version to the next, see :func:`~casetrack.graph.relations.documents.version_edges`.
    ``response_to``, ``forward_of``
        From an answer or forwarded mail to the original: mails, names such as "Reply to Notice of
        Claim", and statements in the text.
    ``copy``, ``same_thread``, ``same_file``
        From a copy of a mail to the original; between a mail and the earliest one of its thread.
    ``amends``, ``restates``, ``supplements``
        From the change to its base: statements, and titles such as "Amendment No. 1 to the Lease".
    ``schedule_of``, ``exhibit_of``, ``attachment``
        From the part to the whole.
    ``made_under``, ``bills``
        From an order, notice or statement of work to its contract; from an invoice to the order or
        contract that it charges for.
    ``interim_of``
        From a quarterly report to the annual report of its fiscal year.

    There is one row per source, target and type, and none if the target is ambiguous.
    """
    import pyarrow as pa

    inputs = RelationInputs(source)
    documents = inputs.documents
    names, cites = mentioned(source, CONCEPT_KINDS), cited(source, EXTERNAL_TYPES)
    stated = _Stated(source, inputs)
    made = pa.concat_tables(
        [
            shared_edges(documents, names, "shared_entities", least=SHARED_ENTITIES),
            shared_edges(documents, cites, "shared_references", least=1),
            semantic_edges(documents, source.document_vectors()),
            table_of("document", [*version_edges(inputs), *stated.edges()], stated.words),
        ]
    )
    return made.sort_by("type")


@dataclass(frozen=True, slots=True)
class _Place:
    """A place that shows a relation; *words* is ``None`` for the whole document."""

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
    """Relations stated by places, names, mails and files: explicit, response_to and so on."""

    def __init__(self, source: StateTables, inputs: RelationInputs) -> None:
        self._inputs = inputs
        self._places: dict[_Key, list[_Place]] = defaultdict(list)
        self._weights: dict[_Key, tuple[float, tuple[str, ...]]] = {}
        self.words: dict[tuple[str, str, str], Words] = {}
        self._ordinals = source.linker.ordinal
        self._add_citations(source)
        self._add_claims(source)
        self._add_mails(source)
        for link in source.linker.reports:
            self._record((link.source, link.target, link.type), link.confidence, link.basis)
        for a, b in replies(inputs):
            self._record((a, b, "response_to"), 1.0, ("title",))
        for a, b in _amending(inputs):
            self._record((a, b, "amends"), 1.0, ("title",))
        first: dict[str, int] = {}
        attached: list[tuple[str, int]] = []
        for i, document in enumerate(inputs.documents):
            # An attachment may also be in the collection by itself, or be attached to another mail.
            same = first.setdefault(document.file_hash or document.document_id, i)
            self._record((same, i, "same_file"), 1.0, ("file",))
            hashes = dict(document.properties).get("attached_files", "").split()
            attached += ((file_hash, i) for file_hash in hashes)
            if document.parent_id in inputs.position:
                parent = inputs.position[document.parent_id]
                self._record((i, parent, "attachment"), 1.0, ("file",))
        for file_hash, mail in attached:
            if file_hash in first:
                # Equal files of one run are stored once, as the first of them.
                self._record((first[file_hash], mail, "attachment"), 1.0, ("same file",))

    def edges(self) -> list[Edge]:
        """Return an edge for each pair and type, with the text of its best place."""
        keys = self._weights.keys() | self._places.keys()
        # A restatement implies an amendment: only the specific edge stays.
        more = {(a, b, "amends") for a, b, type_ in keys if type_ in {"restates", "supplements"}}
        return [self._edge(key) for key in sorted(keys - more)]

    def _edge(self, key: _Key) -> Edge:
        a, b, type_ = key
        inputs = self._inputs
        places = sorted(self._places.get(key, ()), key=lambda p: p.order)
        shown = dict.fromkeys(p.chunk_id for p in places)
        # A thread is visible in both mails, independent of their order.
        ends = sorted((a, b)) if type_.startswith("same_") else [a]
        evidence = tuple(shown)[:EVIDENCE] or inputs.first_chunks(*ends)
        weight, basis = self._weights.get(key, (0.0, ()))
        weight = max([weight, *(p.confidence for p in places)])
        words = next((p.words for p in places if p.words), None)
        if words is not None and places[0].words is words:
            basis = tuple(dict.fromkeys((*basis, *words.basis)))
        else:
            words = None
        if basis or words:
            quote = words or Words()
            end = (inputs.id(a), inputs.id(b), type_)
            position = self._ordinals(a) if type_ in {"amends", "supplements"} else None
            self.words[end] = Words(quote.text, quote.start, quote.end, basis, position)
        return Edge(inputs.id(a), inputs.id(b), type_, weight, max(len(places), 1), evidence)

    def _record(self, key: _Key, confidence: float, basis: tuple[str, ...]) -> None:
        if key[0] != key[1] and confidence > self._weights.get(key, (0.0, ()))[0]:
            self._weights[key] = confidence, basis

    def _add_citations(self, source: StateTables) -> None:
        import pyarrow.compute as pc

        table = source.table("citations")
        # A sentence that many letters repeat relates each of them to its document.
        new = pc.or_(pc.invert(table["repeated"]), table["boilerplate"])
        kept = pc.and_(table["target_document_id"].is_valid(), new)
        names = ["document_id", "target_document_id", "chunk_id", "chunk_index", "relationship"]
        names += ["confidence", "text", "char_start", "char_end", "type"]
        position = self._inputs.position
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

    def _add_claims(self, source: StateTables) -> None:
        for claim in source.linker.links:
            if claim.source == claim.target or claim.says == "clause":
                continue
            words = Words(claim.text, claim.start, claim.end, claim.basis)
            place = _Place(claim.confidence, claim.chunk_index, claim.chunk_id, claim.start, words)
            known = self._places[claim.source, claim.target, "explicit"]
            if not any(p.chunk_id == claim.chunk_id and _meet(p.words, words) for p in known):
                known.append(place)
            if claim.says in _STATED:
                self._places[claim.source, claim.target, claim.says].append(place)

    def _add_mails(self, source: StateTables) -> None:
        mails = source.mails
        for link in mails.links():
            key = (link.source, link.target, link.type)
            self._record(key, link.confidence, link.basis)
            if link.place is not None:
                row = link.place
                words = Words(row["text"], row["char_start"], row["char_end"], link.basis)
                place = _Place(
                    link.confidence, row["chunk_index"], row["chunk_id"], row["char_start"], words
                )
                self._places[key].append(place)
        for copy, first in mails.copies():
            self._record((copy, first, "copy"), 1.0, ("same mail",))
        for mail, first in mails.threads():
            ends = sorted((mail, first), key=self._inputs.id)
            self._record((ends[0], ends[1], "same_thread"), 0.9, ("thread",))


def _meet(one: Words | None, other: Words) -> bool:
    if one is None or one.start is None or one.end is None:
        return False
    return (
        other.start is not None
        and other.end is not None
        and one.start < other.end
        and other.start < one.end
    )


def _amending(inputs: RelationInputs) -> Iterable[tuple[int, int]]:
    """Yield amendments whose name contains their base, with the one document of that name."""
    for i in range(len(inputs.documents)):
        bases = set()
        for title in inputs.catalogue.titles(i):
            if NUMBERED_KINDS.intersection(title.words[:3]) and "to" in title.words[:4]:
                rest = title.words[title.words.index("to") + 1 :]
                bases.add(inputs.catalogue.by_title(" ".join((*rest, *sorted(title.identifiers)))))
        bases -= {None, i}
        if len(bases) == 1 and (amended := bases.pop()) is not None:
            yield i, amended
