"""References, relations, groups, changes and comparisons of documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypedDict, get_args

from casetrack.base.dataclass import dataclass
from casetrack.base.records.documents import NAMED, NAMED_WITH_TYPE, Document
from casetrack.base.records.graph.entities import Entity, RelationType
from casetrack.base.records.passages import Chunk, Quote
from casetrack.base.records.shape import HIDDEN, INLINE, FieldFormat, Record, Share, View
from casetrack.base.records.table import Tabular

# Documents and passages that belong together.


ReferenceType = Literal[
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
]
REFERENCE_TYPES: tuple[ReferenceType, ...] = get_args(ReferenceType)
REFERENCE_SORTS = ("citations", "documents", "name")


@dataclass(frozen=True, slots=True)
class Reference(Record):
    """A work or document that documents refer to."""

    SHOWN = ("type", "name", "citation_count", "document_count", "target_document")

    reference_id: str  # equal for all spellings, such as `standard:iso-9001-2015`
    # document, report, standard, regulation, rule, constitution, case, record, section, exhibit or
    # link.
    type: str
    name: str
    # citation_count, document_count: number of citing positions and documents.
    citation_count: int
    document_count: int
    # target_document_id, target_document: the referenced document of the collection, if exactly one
    # matches.
    target_document_id: str | None
    target_document: str | None


@dataclass(frozen=True, slots=True)
class Citation(Record):
    """A position that cites a reference; *relationship* is the relation that the text states."""

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
    """The references that match a name, and the citations of the best match."""

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
        """Other references that match the name."""
        return self.matches[1:]

    def _table(self) -> tuple[type[Citation], Sequence[Citation]]:
        return Citation, self.citations

    def _heading(self) -> str:
        best = self.reference
        return f"{best.name} ({best.type}): {len(self.citations):,} of {self.total:,} citations"


@dataclass(frozen=True, slots=True)
class Relation(Record):
    """A relation between two documents."""

    type: RelationType
    weight: Share
    count: int
    description: str  # for display ("both mention Tidewell Systems, Halyard and 3 more")
    # Whether it leads from the requested document to the other; `None` without a direction.
    outgoing: bool | None
    # Evidence; empty for relations of whole documents (semantic).
    quotes: Annotated[tuple[Quote, ...], FieldFormat(name="evidence")]


@dataclass(frozen=True, slots=True)
class RelatedDocument(Record):
    """A related document with its relations, strongest first."""

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
        """Citation of the first quote of its relations, or ``None``."""
        return next((q.citation for relation in self.relations for q in relation.quotes), None)


@dataclass(frozen=True, slots=True)
class SimilarChunk(Record):
    """A passage with nearly the same meaning; *similarity* is the cosine."""

    SHOWN = ("similarity", "citation", "text")

    chunk: Annotated[Chunk, INLINE]
    similarity: Share

    @property
    def citation(self) -> str:
        """The full citation."""
        return self.chunk.citation


@dataclass(frozen=True, slots=True)
class Topic(Record):
    """A topic of many passages."""

    SHOWN = ("label", "terms", "chunk_count", "document_count")

    topic_id: str  # such as `topic-1`; the largest first
    label: str  # two to four distinctive terms
    terms: tuple[str, ...]  # most distinctive first
    # chunk_count, document_count: number of its passages, and of their documents.
    chunk_count: int
    document_count: int
    document_ids: tuple[str, ...]  # documents with most of its passages first
    quotes: tuple[Quote, ...]  # its most typical passages


@dataclass(frozen=True, slots=True)
class Cluster(Record):
    """A group of similar documents."""

    JSON = ("cluster_id", "label", "shared", "document_count")

    cluster_id: str
    label: str  # the shared properties as text
    shared: tuple[str, ...]  # the shared terms, names, references or document type
    documents: tuple[Annotated[Document, NAMED_WITH_TYPE], ...]  # most typical first
    quotes: tuple[Quote, ...]  # evidence

    @property
    def document_count(self) -> int:
        """Number of its documents."""
        return len(self.documents)


@dataclass(frozen=True, slots=True)
class ClusterMember(Record):
    """A document in a group; *cluster* is ``None`` for a document outside all groups."""

    SHOWN = ("cluster", "document", "document_type", "shared")

    cluster_id: str | None
    cluster: str | None
    document_id: str
    document: str
    document_type: str | None
    shared: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Clusters(Tabular[ClusterMember], Record):
    """Groups of documents in a collection; *rest* are outside all groups."""

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
    """A run of equal, removed or added words."""

    op: str
    text: str


def _words(words: tuple[tuple[str, str], ...]) -> list[Word]:
    return [{"op": op, "text": text} for op, text in words]


@dataclass(frozen=True, slots=True)
class Change(Record):
    """One difference between two versions of a document."""

    COLUMNS = (
        *("kind", "before=before.text", "before_citation=before.citation"),
        *("after=after.text", "after_citation=after.citation"),
    )
    SHOWN = ("kind", "before", "before_citation", "after", "after_citation")

    kind: Literal["added", "removed", "changed"]
    # before, after: the paragraph in each version; `None` if the version lacks it.
    before: Quote | None
    after: Quote | None
    # Words of a changed paragraph in order: (`same` | `removed` | `added`, text).
    words: Annotated[
        tuple[tuple[Literal["same", "removed", "added"], str], ...], FieldFormat(via=_words)
    ] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Changes(Tabular[Change], Record):
    """Changes from one document to another, in reading order; *unchanged* counts paragraphs."""

    JSON = ("before", "after", "unchanged", "kept", "total", "changes")

    before: Annotated[Document, NAMED]
    after: Annotated[Document, NAMED]
    unchanged: Annotated[int, FieldFormat(name="unchanged_paragraphs")]
    changes: tuple[Change, ...]

    def _table(self) -> tuple[type[Change], Sequence[Change]]:
        return Change, self.changes

    @property
    def total(self) -> int:
        """Number of changed paragraphs."""
        return len(self.changes)

    @property
    def kept(self) -> Share:
        """Share of common text, 0..1: unchanged paragraphs, and unchanged words of changed ones.

        It is close to 0 for documents that are not versions of each other.
        """
        count = self.unchanged + len(self.changes)
        same = self.unchanged + sum(_same_words(change) for change in self.changes)
        return same / count if count else 1.0

    @property
    def summary(self) -> str:
        """Names, number of changes, and a note if the documents have little in common."""
        hardly = "; most of the text differs, so these are hardly versions of each other"
        return (
            f"{self.before.name} \u2192 {self.after.name}: {len(self.changes):,} paragraphs "
            f"changed, {self.unchanged:,} as before{hardly if self.kept < _VERSIONS_KEEP else ''}"
        )

    def _heading(self) -> str:
        return self.summary


def _same_words(change: Change) -> float:
    """Return the unchanged share of a paragraph's words, by their length."""
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
    """A comparison of two documents on a topic."""

    document_a: Annotated[Document, HIDDEN]
    document_b: Annotated[Document, HIDDEN]
    topic: Annotated[str, HIDDEN]
    # passages_a, passages_b: passages of each on the topic, best first, with their scores.
    passages_a: Annotated[tuple[tuple[Chunk, float], ...], HIDDEN]
    passages_b: Annotated[tuple[tuple[Chunk, float], ...], HIDDEN]
    # shared_entities, only_a, only_b: entities of both and of only one, in these passages and the
    # whole documents.
    shared_entities: tuple[Entity, ...]
    only_a: tuple[Entity, ...]
    only_b: tuple[Entity, ...]
    shared_references: tuple[Reference, ...]
    similarity: Share | None  # cosine of the whole documents, or `None` without vectors
    changes: Changes | None  # changes on the topic, if one is a version of the other; else `None`
    notes: tuple[str, ...] = ()

    def _table(self) -> tuple[type[ComparedPassage], Sequence[ComparedPassage]]:
        first = [ComparedPassage("a", chunk, score) for chunk, score in self.passages_a]
        return ComparedPassage, [
            *first,
            *(ComparedPassage("b", chunk, score) for chunk, score in self.passages_b),
        ]

    def _heading(self) -> str:
        alike = "" if self.similarity is None else f"; similarity {self.similarity:.2f}"
        head = f'"{self.topic}" in {self.document_a.name} (a) and {self.document_b.name} (b){alike}'
        return "; ".join([head, *self.notes])

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form, with passages and scores below their documents."""

        def side(document: Document, passages: tuple[tuple[Chunk, float], ...]) -> dict[str, Any]:
            shown = [c.as_dict() | {"score": round(score, 6)} for c, score in passages]
            return NAMED.of(document) | {"passages": shown}

        return {
            "topic": self.topic,
            "document_a": side(self.document_a, self.passages_a),
            "document_b": side(self.document_b, self.passages_b),
        } | Record.as_dict(self)
