"""Who and what documents mention, where, and together with whom."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypedDict, get_args

from casetrack.base.provenance import Provenance
from casetrack.base.records.passages import Chunk, passage_html
from casetrack.base.records.shape import HIDDEN, INLINE, FieldFormat, Record, Share, View
from casetrack.base.records.table import Tabular

# Words for the kinds of things in the graph.

EntityKind = Literal["person", "organization", "location", "date", "amount", "concept"]
ENTITY_KINDS: tuple[EntityKind, ...] = get_args(EntityKind)
COURT = "court"
"""Asks for the organisations whose part is that of a court; their kind is ``organization``."""
NAME_KINDS: tuple[EntityKind, ...] = ("person", "organization", "location")
FoundBy = Literal["tagged", "defined", "spread"]
"""How a name was found at a place: by the tagger, where the text defines it or makes it sure, or as
a later occurrence of a name that the document makes sure elsewhere."""
RelationType = Literal[
    "shared_entities",
    "shared_references",
    "semantic",
    "explicit",
    "version",
    "response_to",
    "amends",
    "attachment",
    "restates",
    "supplements",
    "schedule_of",
    "exhibit_of",
    "made_under",
    "bills",
    "interim_of",
    "forward_of",
    "same_thread",
    "copy",
]
RELATION_TYPES: tuple[RelationType, ...] = get_args(RelationType)


# Words of a document at their exact place.

SNIPPET_CHARS = 200
"""About so long is a quote with what stands around it."""
_SENTENCE_END = re.compile(r"""[.!?\u3002\uff01\uff1f][\s)\]"'\u2019\u201d\u00bb]*$""")


@dataclass(frozen=True, slots=True)
class Quote(Record):
    """Words of a document at their exact place.

    Attributes
    ----------
    text
        The words themselves.
    snippet
        The words with some of what stands around them, about 200 characters, on whole words.
    snippet_start
        Where *text* begins in *snippet*.
    char_start, char_end
        Place of *text* in the text of its chunk, code points, half-open.
    provenance
        Where the words stand: that of the chunk, narrowed to their paragraphs, lines, boxes and
        characters.
    """

    text: str
    snippet: str
    snippet_start: Annotated[int, HIDDEN]
    char_start: Annotated[int, FieldFormat(name="chunk_char_start", row=False)]
    char_end: Annotated[int, FieldFormat(name="chunk_char_end", row=False)]
    provenance: Provenance

    @property
    def chunk_id(self) -> str:
        """Id of the chunk that holds the words."""
        return self.provenance.chunk_id

    @property
    def citation(self) -> str:
        """The full citation."""
        return self.provenance.cite()

    @property
    def cut_ends(self) -> tuple[bool, bool]:
        """Whether the snippet begins, and ends, where its passage goes on.

        How long the passage is a quote does not tell: a snippet that has little behind its words
        has come to the end of the passage, and one that ends with a sentence reads as whole.
        """
        after = self.snippet[self.snippet_start + len(self.text) :]
        room = max(0, SNIPPET_CHARS - len(self.text)) // 2
        is_whole = len(after) < room // 2 or _SENTENCE_END.search(self.snippet) is not None
        return self.char_start > self.snippet_start, not is_whole

    def _repr_html_(self) -> str:
        return passage_html(self.provenance, self.snippet, None)


_IN_MAILS = frozenset({"author", "copied in", "recipient", "sender"})
"""What the heads of mails make of people; it changes from one mail to the next."""
_SAYS_NOTHING = frozenset({"company", "corporation", "firm", "party", "parties", "person"})
"""What contracts call a side without saying which."""


@dataclass(frozen=True, slots=True)
class Entity(Record):
    """Somebody or something that documents mention.

    Attributes
    ----------
    entity_id
        The same for every spelling, such as ``person:adaeze-okafor``.
    name
        The fullest of its names.
    aliases
        Its other spellings, most frequent first.
    mention_count, chunk_count, document_count
        Places, passages and documents that mention it; a place counts once, and in
        answers copies of a mail do.
    role
        What the words around it say that it is ("chief executive", "buyer"), or ``None``.
    first_document_id, first_chunk_id
        Where it is mentioned first, by the order of the documents.
    edited_by_user
        Whether the user has a word in who or what it is.
    """

    SHOWN = ("kind", "name", "role", "mention_count", "document_count", "aliases")

    entity_id: str
    kind: EntityKind
    name: str
    aliases: tuple[str, ...]
    mention_count: int
    chunk_count: int
    document_count: int
    role: str | None
    first_document_id: str
    first_chunk_id: str
    edited_by_user: bool = False

    @property
    def office(self) -> str:
        """What it is, in words; empty where the heads of mails say it, or it is just "company"."""
        role = self.role or ""
        return "" if role.casefold() in _IN_MAILS | _SAYS_NOTHING else role


@dataclass(frozen=True, slots=True)
class Mention(Record):
    """A place where an entity is mentioned.

    Attributes
    ----------
    found_by
        How a name was found there: ``tagged`` by the model, ``defined`` by the text at this place,
        or ``spread`` from where the document makes it sure; ``None`` for dates, amounts, concepts.
    """

    SHOWN = ("text", "snippet", "citation")

    entity: Annotated[Entity, FieldFormat(json=False, columns=View("entity_id", "kind", "name"))]
    quote: Annotated[Quote, INLINE]
    confidence: Share
    found_by: FoundBy | None = None

    @property
    def citation(self) -> str:
        """The full citation."""
        return self.quote.citation


class DocumentMentions(TypedDict):
    """How often a document mentions an entity."""

    document_id: str
    document: str
    mentions: int


def _counted(documents: tuple[tuple[str, str, int], ...]) -> list[DocumentMentions]:
    return [{"document_id": i, "document": name, "mentions": n} for i, name, n in documents]


@dataclass(frozen=True, slots=True, repr=False)
class EntityMentions(Tabular[Mention], Record):
    """What a name stands for, and where it is mentioned.

    Attributes
    ----------
    query
        The name as it was asked for.
    matches
        Entities that it may stand for, best first; *mentions* are those of the first one.
    score
        How well the first one fits, 0..1; 1 is the name itself or an alias.
    total
        Places where it is mentioned.
    mentions
        Those shown: spread over documents first, then in reading order.
    documents
        Number of mentions by document, most first: (document id, name, count).
    edits
        The user's own word on the first one, in sentences, with the ids of the marks.
    """

    JSON = ("query", "entity", "score", "other_matches", "total", "documents", "mentions")

    query: str
    matches: Annotated[tuple[Entity, ...], HIDDEN]
    score: Share
    total: int
    mentions: tuple[Mention, ...]
    documents: Annotated[tuple[tuple[str, str, int], ...], FieldFormat(via=_counted)]
    edits: tuple[str, ...] = ()

    @property
    def entity(self) -> Entity:
        """The best match."""
        return self.matches[0]

    @property
    def other_matches(self) -> tuple[Entity, ...]:
        """What else the name may stand for."""
        return self.matches[1:]

    def _table(self) -> tuple[type[Mention], Sequence[Mention]]:
        return Mention, self.mentions

    def _heading(self) -> str:
        found = self.entity
        role = f", {found.role}" if found.role else ""
        return (
            f"{found.name} ({found.kind}{role}): {len(self.mentions):,} of {self.total:,} mentions "
            f"in {len(self.documents):,} {'document' if len(self.documents) == 1 else 'documents'}"
        )


@dataclass(frozen=True, slots=True)
class Encounter(Record):
    """A passage that mentions several of the entities asked for.

    Attributes
    ----------
    entities
        Ids of those that it mentions.
    quotes
        One place for each of them, those that stand closest together, in reading order. That of
        somebody in the head of a mail may stand in the first passage of the mail.
    mention_count
        All places of them in the passage, and in the head of its mail.
    """

    COLUMNS = ("score", "entities")
    SHOWN = ("score", "entities", "citation", "text")

    chunk: Annotated[Chunk, INLINE]
    entities: tuple[str, ...]
    quotes: tuple[Quote, ...]
    score: Share
    mention_count: int = 0

    @property
    def citation(self) -> str:
        """The full citation."""
        return self.chunk.citation


@dataclass(frozen=True, slots=True, repr=False)
class Encounters(Tabular[Encounter], Record):
    """Passages in which entities are mentioned together, those with all of them first."""

    entities: tuple[Entity, ...]
    total: int
    encounters: Annotated[tuple[Encounter, ...], FieldFormat(name="chunks")]

    def _table(self) -> tuple[type[Encounter], Sequence[Encounter]]:
        return Encounter, self.encounters

    def _heading(self) -> str:
        names = ", ".join(e.name for e in self.entities)
        return (
            f"{len(self.encounters):,} of {self.total:,} passages that mention several of {names}"
        )


@dataclass(frozen=True, slots=True)
class Edge(Record):
    """A connection of the graph.

    Attributes
    ----------
    source, target
        Ids of entities, documents or chunks.
    type
        ``co_occurrence``, ``similar``, ``coreference`` or one of ``RELATION_TYPES``.
    weight
        Strength, 0..1.
    count
        How many things speak for it: passages, shared entities, references.
    evidence
        Ids of chunks that show it, the best first.
    quote
        Words of the first of these that mention both ends, where it was asked for.
    """

    SHOWN = ("source", "target", "type", "weight", "count", "citation")

    source: str
    target: str
    type: str
    weight: Share
    count: int
    evidence: tuple[str, ...]
    quote: Annotated[Quote | None, FieldFormat(columns=View("text", "snippet", "citation"))] = None


@dataclass(frozen=True, slots=True, repr=False)
class EntityGraph(Tabular[Edge], Record):
    """Entities and what connects them.

    Attributes
    ----------
    center
        The entity in the middle, or ``None``.
    nodes
        Entities, nearest to the centre first, else the best connected ones first.
    distances
        Steps from the centre, in the order of *nodes*; empty without a centre.
    edges
        Connections between the nodes, strongest first, each with its quote.
    draw
        Draws it as HTML, for notebooks.
    """

    collection: str
    center: Entity | None
    nodes: tuple[Entity, ...]
    distances: tuple[int, ...]
    edges: tuple[Edge, ...]
    draw: Annotated[Callable[[Any], str] | None, HIDDEN] = field(
        default=None, repr=False, compare=False
    )

    def _table(self) -> tuple[type[Edge], Sequence[Edge]]:
        return Edge, self.edges

    def _heading(self) -> str:
        return f"{len(self.nodes):,} entities and {len(self.edges):,} connections"

    def _repr_html_(self) -> str | None:
        return self.draw(self) if self.draw is not None else Tabular._repr_html_(self)
