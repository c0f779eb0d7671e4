"""Two documents side by side, and what changed between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypedDict

from casetrack.base.records.documents import NAMED, Document
from casetrack.base.records.graph.entities import Entity
from casetrack.base.records.graph.quote import Quote
from casetrack.base.records.graph.references import Reference
from casetrack.base.records.passages import Chunk
from casetrack.base.records.shape import HIDDEN, INLINE, Record, Share, Told
from casetrack.base.records.table import Tabular

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
        tuple[tuple[Literal["same", "removed", "added"], str], ...], Told(via=_words)
    ] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Changes(Tabular[Change], Record):
    """What changed from one document to another, in reading order.

    Attributes
    ----------
    unchanged
        Number of paragraphs that are as they were.
    """

    before: Annotated[Document, NAMED]
    after: Annotated[Document, NAMED]
    unchanged: Annotated[int, Told(name="unchanged_paragraphs")]
    changes: tuple[Change, ...]

    def _table(self) -> tuple[type[Change], Sequence[Change]]:
        return Change, self.changes

    @property
    def kept(self) -> float:
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
