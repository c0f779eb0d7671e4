"""Two documents side by side, and what changed between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from casetrack.records.table import Tabular

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.records.documents import Document
    from casetrack.records.graph.entities import Entity
    from casetrack.records.graph.quote import Quote
    from casetrack.records.graph.references import Reference
    from casetrack.records.passages import Chunk

_VERSIONS_KEEP = 0.25


@dataclass(frozen=True, slots=True)
class Change:
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

    kind: Literal["added", "removed", "changed"]
    before: Quote | None
    after: Quote | None
    words: tuple[tuple[Literal["same", "removed", "added"], str], ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "kind": self.kind,
            "before": self.before.as_dict() if self.before else None,
            "after": self.after.as_dict() if self.after else None,
            "words": [{"op": op, "text": text} for op, text in self.words],
        }


@dataclass(frozen=True, slots=True, repr=False)
class Changes(Tabular[Change]):
    """What changed from one document to another, in reading order.

    Attributes
    ----------
    unchanged
        Number of paragraphs that are as they were.
    """

    before: Document
    after: Document
    unchanged: int
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

    def _heading(self) -> str:
        hardly = "; most of the text differs, so these are hardly versions of each other"
        return (
            f"{self.before.name} \u2192 {self.after.name}: {len(self.changes):,} paragraphs "
            f"changed, {self.unchanged:,} as before{hardly if self.kept < _VERSIONS_KEEP else ''}"
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "before": {"document_id": self.before.document_id, "document": self.before.name},
            "after": {"document_id": self.after.document_id, "document": self.after.name},
            "unchanged_paragraphs": self.unchanged,
            "changes": [c.as_dict() for c in self.changes],
        }


def _same_words(change: Change) -> float:
    """Return the share of a paragraph's words, by their length, that it had before."""
    whole = sum(len(text) for _, text in change.words)
    return sum(len(text) for op, text in change.words if op == "same") / whole if whole else 0.0


@dataclass(frozen=True, slots=True)
class ComparedPassage:
    """A passage of one side of a comparison; *side* is ``a`` or ``b``."""

    side: Literal["a", "b"]
    chunk: Chunk
    score: float

    @property
    def citation(self) -> str:
        """The full citation."""
        return self.chunk.citation


@dataclass(frozen=True, slots=True, repr=False)
class Comparison(Tabular[ComparedPassage]):
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

    document_a: Document
    document_b: Document
    topic: str
    passages_a: tuple[tuple[Chunk, float], ...]
    passages_b: tuple[tuple[Chunk, float], ...]
    shared_entities: tuple[Entity, ...]
    only_a: tuple[Entity, ...]
    only_b: tuple[Entity, ...]
    shared_references: tuple[Reference, ...]
    similarity: float | None
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
        """Return the JSON form."""

        def side(document: Document, passages: tuple[tuple[Chunk, float], ...]) -> dict[str, Any]:
            return {
                "document_id": document.document_id,
                "document": document.name,
                "passages": [c.as_dict() | {"score": round(score, 6)} for c, score in passages],
            }

        return {
            "topic": self.topic,
            "document_a": side(self.document_a, self.passages_a),
            "document_b": side(self.document_b, self.passages_b),
            "shared_entities": [e.as_dict() for e in self.shared_entities],
            "only_a": [e.as_dict() for e in self.only_a],
            "only_b": [e.as_dict() for e in self.only_b],
            "shared_references": [r.as_dict() for r in self.shared_references],
            "similarity": None if self.similarity is None else round(self.similarity, 4),
            "changes": self.changes.as_dict() if self.changes else None,
            "notes": list(self.notes),
        }
