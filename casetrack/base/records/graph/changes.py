"""Two documents side by side, and what changed between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypedDict

from casetrack.base.records.documents import NAMED, NAMED_WITH_TYPE, Document
from casetrack.base.records.graph.entities import Entity, Quote, RelationType
from casetrack.base.records.passages import Chunk
from casetrack.base.records.shape import HIDDEN, INLINE, FieldFormat, Record, Share, View
from casetrack.base.records.table import Tabular

# Documents and passages that belong together.

# What documents refer to, and where.

REFERENCE_TYPES = (
    "document",
    "report",
    "standard",
    "regulation",
    "rule",
    "constitution",
    "case",
    "record",
    "exhibit",
    "section",
    "link",
)
REFERENCE_SORTS = ("citations", "documents", "name")


@dataclass(frozen=True, slots=True)
class Reference(Record):
    """Something that documents refer to.

    Attributes
    ----------
    reference_id
        The same for every way of writing it, such as ``standard:iso-9001-2015``.
    type
        document, report, standard, regulation, rule, constitution, case, record, section, exhibit
        or link.
    citation_count, document_count
        Places that refer to it, and documents that hold them.
    target_document_id, target_document
        The document of the collection that is meant, where exactly one fits.
    """

    SHOWN = ("type", "name", "citation_count", "document_count", "target_document")

    reference_id: str
    type: str
    name: str
    citation_count: int
    document_count: int
    target_document_id: str | None
    target_document: str | None


@dataclass(frozen=True, slots=True)
class Citation(Record):
    """A place that refers to something; *relationship* is what the text says of the two."""

    JSON = ("quote",)
    SHOWN = ("relationship", "snippet", "citation")

    reference: Annotated[
        Reference, FieldFormat(json=False, columns=View("reference_id", "type", "name"))
    ]
    relationship: str
    quote: Annotated[Quote, INLINE]
    confidence: Share

    @property
    def citation(self) -> str:
        """The full citation."""
        return self.quote.citation


@dataclass(frozen=True, slots=True, repr=False)
class ReferenceCitations(Tabular[Citation], Record):
    """What a name refers to, and where it is cited; *matches* as in :class:`EntityMentions`."""

    JSON = ("query", "reference", "score", "other_matches", "total", "citations")

    query: str
    matches: Annotated[tuple[Reference, ...], HIDDEN]
    score: Share
    total: int
    citations: tuple[Citation, ...]

    @property
    def reference(self) -> Reference:
        """The best match."""
        return self.matches[0]

    @property
    def other_matches(self) -> tuple[Reference, ...]:
        """What else the name may stand for."""
        return self.matches[1:]

    def _table(self) -> tuple[type[Citation], Sequence[Citation]]:
        return Citation, self.citations

    def _heading(self) -> str:
        found = self.reference
        return f"{found.name} ({found.type}): {len(self.citations):,} of {self.total:,} citations"


@dataclass(frozen=True, slots=True)
class Relation(Record):
    """Why two documents belong together.

    Attributes
    ----------
    description
        In words ("both mention Tidewell Systems, Halyard and 3 more").
    outgoing
        Whether it goes from the document asked for to the other one; ``None`` without a direction.
    quotes
        Places that show it; empty for what no single place shows (semantic).
    """

    type: RelationType
    weight: Share
    count: int
    description: str
    outgoing: bool | None
    quotes: Annotated[tuple[Quote, ...], FieldFormat(name="evidence")]


@dataclass(frozen=True, slots=True)
class RelatedDocument(Record):
    """A document related to another one, with all that relates them, the strongest first."""

    COLUMNS = (
        *("document", "weight", "relations=relations.type", "reasons=relations.description"),
        "citation",
    )
    SHOWN = ("document", "weight", "reasons", "citation")

    document: Annotated[Document, View(*NAMED_WITH_TYPE.names, "path"), INLINE]
    weight: Share
    relations: tuple[Relation, ...]

    @property
    def citation(self) -> str | None:
        """Where the first place stands that shows a relation, if there is one."""
        return next((q.citation for found in self.relations for q in found.quotes), None)


@dataclass(frozen=True, slots=True)
class SimilarChunk(Record):
    """A passage that means nearly the same as another one; *similarity* is their cosine."""

    SHOWN = ("similarity", "citation", "text")

    chunk: Annotated[Chunk, INLINE]
    similarity: Share

    @property
    def citation(self) -> str:
        """The full citation."""
        return self.chunk.citation


@dataclass(frozen=True, slots=True)
class Topic(Record):
    """What many passages are about.

    Attributes
    ----------
    topic_id
        Such as ``topic-1``; the largest first.
    label
        Two to four terms that set it apart, for people.
    terms
        Its terms, most telling first.
    chunk_count, document_count
        Its passages, and the documents that hold them.
    document_ids
        Those documents, the ones with most passages of it first.
    quotes
        A few passages that are most typical of it, cited.
    """

    SHOWN = ("label", "terms", "chunk_count", "document_count")

    topic_id: str
    label: str
    terms: tuple[str, ...]
    chunk_count: int
    document_count: int
    document_ids: tuple[str, ...]
    quotes: tuple[Quote, ...]


@dataclass(frozen=True, slots=True)
class Cluster(Record):
    """Documents that belong together.

    Attributes
    ----------
    label
        What they share, in words.
    shared
        What they share, piece by piece: terms, names, references or the kind of document.
    documents
        The documents, the most typical first.
    quotes
        Places that show it.
    """

    JSON = ("cluster_id", "label", "shared", "document_count")

    cluster_id: str
    label: str
    shared: tuple[str, ...]
    documents: tuple[Annotated[Document, NAMED_WITH_TYPE], ...]
    quotes: tuple[Quote, ...]

    @property
    def document_count(self) -> int:
        """Number of its documents."""
        return len(self.documents)


@dataclass(frozen=True, slots=True)
class ClusterMember(Record):
    """A document in a group; *cluster* is ``None`` for those that stand alone."""

    SHOWN = ("cluster", "document", "document_type", "shared")

    cluster_id: str | None
    cluster: str | None
    document_id: str
    document: str
    document_type: str | None
    shared: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Clusters(Tabular[ClusterMember], Record):
    """All documents of a collection by what they share; *rest* share it with no other."""

    collection: str
    strategy: str
    clusters: tuple[Cluster, ...]
    rest: tuple[Annotated[Document, NAMED], ...]

    def _table(self) -> tuple[type[ClusterMember], Sequence[ClusterMember]]:
        grouped = [
            ClusterMember(c.cluster_id, c.label, d.document_id, d.name, d.document_type, c.shared)
            for c in self.clusters
            for d in c.documents
        ]
        alone = [
            ClusterMember(None, None, d.document_id, d.name, d.document_type) for d in self.rest
        ]
        return ClusterMember, [*grouped, *alone]

    def _heading(self) -> str:
        return (
            f"{len(self.clusters):,} groups ({self.strategy}); "
            f"{len(self.rest):,} documents stand alone"
        )


_VERSIONS_KEEP = 0.25


class Word(TypedDict):
    """Words that are the same, removed or added."""

    op: str
    text: str


def _words(words: tuple[tuple[str, str], ...]) -> list[Word]:
    return [{"op": op, "text": text} for op, text in words]


@dataclass(frozen=True, slots=True)
class Change(Record):
    """One difference between two versions of a document.

    Attributes
    ----------
    kind
        ``added``, ``removed`` or ``changed``.
    before, after
        The paragraph in each version; ``None`` where it is not there.
    words
        For a changed one its words in order: (``same`` | ``removed`` | ``added``, text).
    """

    COLUMNS = (
        *("kind", "before=before.text", "before_citation=before.citation"),
        *("after=after.text", "after_citation=after.citation"),
    )
    SHOWN = ("kind", "before", "before_citation", "after", "after_citation")

    kind: Literal["added", "removed", "changed"]
    before: Quote | None
    after: Quote | None
    words: Annotated[
        tuple[tuple[Literal["same", "removed", "added"], str], ...], FieldFormat(via=_words)
    ] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Changes(Tabular[Change], Record):
    """What changed from one document to another, in reading order.

    Attributes
    ----------
    unchanged
        Number of paragraphs that are as they were.
    """

    JSON = ("before", "after", "unchanged", "kept", "total", "changes")

    before: Annotated[Document, NAMED]
    after: Annotated[Document, NAMED]
    unchanged: Annotated[int, FieldFormat(name="unchanged_paragraphs")]
    changes: tuple[Change, ...]

    def _table(self) -> tuple[type[Change], Sequence[Change]]:
        return Change, self.changes

    @property
    def total(self) -> int:
        """Number of paragraphs that are not."""
        return len(self.changes)

    @property
    def kept(self) -> Share:
        """How much of the text is in both, 0..1: paragraphs as before, and words of changed ones.

        Documents that are no versions of each other have next to nothing in common.
        """
        count = self.unchanged + len(self.changes)
        same = self.unchanged + sum(_same_words(change) for change in self.changes)
        return same / count if count else 1.0

    @property
    def summary(self) -> str:
        """Both names, how much changed, and whether these are versions of each other at all."""
        hardly = "; most of the text differs, so these are hardly versions of each other"
        return (
            f"{self.before.name} \u2192 {self.after.name}: {len(self.changes):,} paragraphs "
            f"changed, {self.unchanged:,} as before{hardly if self.kept < _VERSIONS_KEEP else ''}"
        )

    def _heading(self) -> str:
        return self.summary


def _same_words(change: Change) -> float:
    """Return the share of a paragraph's words, by their length, that it had before."""
    whole = sum(len(text) for _, text in change.words)
    return sum(len(text) for op, text in change.words if op == "same") / whole if whole else 0.0


@dataclass(frozen=True, slots=True)
class ComparedPassage(Record):
    """A passage of one side of a comparison; *side* is ``a`` or ``b``."""

    SHOWN = ("side", "score", "citation", "text")

    side: Literal["a", "b"]
    chunk: Annotated[Chunk, INLINE]
    score: float

    @property
    def citation(self) -> str:
        """The full citation."""
        return self.chunk.citation


@dataclass(frozen=True, slots=True, repr=False)
class Comparison(Tabular[ComparedPassage], Record):
    """What two documents say of a topic, side by side.

    Attributes
    ----------
    passages_a, passages_b
        Passages of each on the topic, best first, with their scores.
    shared_entities, only_a, only_b
        Names in both, and in one alone, among these passages and the documents as a whole.
    shared_references
        What both refer to.
    similarity
        Cosine of the documents as a whole, or ``None`` without vectors.
    changes
        Where one is a version of the other: what changed on the topic, else ``None``.
    """

    document_a: Annotated[Document, HIDDEN]
    document_b: Annotated[Document, HIDDEN]
    topic: Annotated[str, HIDDEN]
    passages_a: Annotated[tuple[tuple[Chunk, float], ...], HIDDEN]
    passages_b: Annotated[tuple[tuple[Chunk, float], ...], HIDDEN]
    shared_entities: tuple[Entity, ...]
    only_a: tuple[Entity, ...]
    only_b: tuple[Entity, ...]
    shared_references: tuple[Reference, ...]
    similarity: Share | None
    changes: Changes | None
    notes: tuple[str, ...] = ()

    def _table(self) -> tuple[type[ComparedPassage], Sequence[ComparedPassage]]:
        first = [ComparedPassage("a", chunk, score) for chunk, score in self.passages_a]
        return ComparedPassage, [
            *first,
            *(ComparedPassage("b", chunk, score) for chunk, score in self.passages_b),
        ]

    def _heading(self) -> str:
        alike = "" if self.similarity is None else f"; similarity {self.similarity:.2f}"
        said = f'"{self.topic}" in {self.document_a.name} (a) and {self.document_b.name} (b){alike}'
        return "; ".join([said, *self.notes])

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form: passages and scores below their documents."""

        def side(document: Document, passages: tuple[tuple[Chunk, float], ...]) -> dict[str, Any]:
            shown = [c.as_dict() | {"score": round(score, 6)} for c, score in passages]
            return NAMED.of(document) | {"passages": shown}

        return {
            "topic": self.topic,
            "document_a": side(self.document_a, self.passages_a),
            "document_b": side(self.document_b, self.passages_b),
        } | Record.as_dict(self)
