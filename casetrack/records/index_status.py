"""How far the index of a collection is what its files and its models would make it now."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from casetrack.records.table import Tabular

if TYPE_CHECKING:
    from collections.abc import Sequence

SourceState = Literal["unchanged", "changed", "missing", "unreadable", "untested"]
"""What became of a source file; ``untested`` is one whose time alone has changed, and is large."""
IndexProblem = Literal[
    "stale",
    "incomplete",
    "no_models",
    "earlier_reading",
    "source_changed",
    "source_untested",
    "source_missing",
    "source_unreadable",
    "partial",
]
PROBLEMS: dict[IndexProblem, str] = {
    "stale": "made by other models or an earlier version",
    "incomplete": "something of its index is missing",
    "no_models": "without vectors, since no model is installed",
    "earlier_reading": "read from its file by an earlier version",
    "source_changed": "the file has changed since",
    "source_untested": "the file may have changed since",
    "source_missing": "the file is not there any more",
    "source_unreadable": "the file cannot be read",
    "partial": "read in part",
}
"""What can be said of a document, in words; what matters most comes first."""
Action = Literal["none", "pull_models", "reindex", "reparse", "verify", "settings", "file"]
"""What puts it right: fetch the models; make anew from the stored text, or from the file; compare
the file; change settings or limits; put the file back."""
_ACTIONS: dict[IndexProblem, Action] = {
    "source_changed": "reparse",
    "earlier_reading": "reparse",
    "no_models": "pull_models",
    "stale": "reindex",
    "incomplete": "reindex",
    "source_untested": "verify",
    "source_unreadable": "file",
    "source_missing": "file",
    "partial": "settings",
}
OUTPUTS = ("dense", "sparse", "tokens", "terms", "names")
"""What a chunk may have: the dense vector (E1), learned word weights (E6), the token matrix (E12),
the terms of keyword search (E13), and the names that are mentioned in it."""


@dataclass(frozen=True, slots=True)
class DocumentIndex:
    """How far one document is as it would be made now.

    Attributes
    ----------
    chunks
        Number of its stored chunks.
    coverage
        For each output of the collection's profile, the number of chunks that have it, made by
        the present models.
    source
        What became of its file; for an attachment, of the file that it is in.
    problems
        What is not as it should be, the weightiest first.
    missing
        What of the file could not be read, in words.
    """

    document_id: str
    name: str
    path: str
    chunks: int
    coverage: dict[str, int]
    source: SourceState
    problems: tuple[IndexProblem, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether there is nothing to say."""
        return not self.problems

    @property
    def action(self) -> Action:
        """What to do first."""
        return first_action(self.problems)

    @property
    def reason(self) -> str:
        """What is not as it should be, in words; empty where all is."""
        lacking = [
            f"{self.chunks - count:,} of {self.chunks:,} chunks without {name}"
            for name, count in self.coverage.items()
            if count < self.chunks
        ]
        words = [PROBLEMS[p] for p in self.problems if p not in {"incomplete", "partial"}]
        if "incomplete" in self.problems:
            words += lacking or [PROBLEMS["incomplete"]]
        if "partial" in self.problems:
            words.append(f"read in part: {' '.join(self.missing)}")
        return "; ".join(words)

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "document_id": self.document_id,
            "name": self.name,
            "path": self.path,
            "chunks": self.chunks,
            "coverage": dict(self.coverage),
            "source": self.source,
            "problems": list(self.problems),
            "reason": self.reason,
            "action": self.action,
        }


@dataclass(frozen=True, slots=True, repr=False)
class IndexStatus(Tabular[DocumentIndex]):
    """How far a collection, or one document of it, is as it would be made now.

    Attributes
    ----------
    profile
        Whose models make its vectors.
    models
        Whether these are at hand, so that it can be told what they have made.
    outputs
        What this profile makes of a chunk, see :data:`OUTPUTS`.
    documents
        By name.
    seconds
        How long it took to find out.
    """

    collection: str
    profile: str
    models: bool
    outputs: tuple[str, ...]
    documents: tuple[DocumentIndex, ...]
    seconds: float

    @property
    def ok(self) -> bool:
        """Whether there is nothing to say of any document."""
        return all(d.ok for d in self.documents)

    @property
    def chunks(self) -> int:
        """Number of chunks."""
        return sum(d.chunks for d in self.documents)

    @property
    def coverage(self) -> dict[str, int]:
        """For each output, the number of chunks that have it."""
        return {name: sum(d.coverage[name] for d in self.documents) for name in self.outputs}

    @property
    def problems(self) -> dict[IndexProblem, int]:
        """Number of documents with each problem, the weightiest first."""
        counts = Counter(p for d in self.documents for p in d.problems)
        return {p: counts[p] for p in PROBLEMS if counts[p]}

    @property
    def action(self) -> Action:
        """What to do first for all of them."""
        return first_action(tuple(self.problems))

    def _table(self) -> tuple[type[DocumentIndex], Sequence[DocumentIndex]]:
        return DocumentIndex, self.documents

    def _heading(self) -> str:
        said = [f"{count:,} {PROBLEMS[p]}" for p, count in self.problems.items()]
        count = f"{len(self.documents):,} {'document' if len(self.documents) == 1 else 'documents'}"
        return f"{count}: {'; '.join(said) or 'all as they would be made now'}"

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "collection": self.collection,
            "profile": self.profile,
            "models": self.models,
            "ok": self.ok,
            "chunks": self.chunks,
            "coverage": {
                name: {"chunks": count, "share": round(count / self.chunks, 4)}
                for name, count in self.coverage.items()
                if self.chunks
            },
            "problems": dict(self.problems),
            "action": self.action,
            "seconds": round(self.seconds, 3),
            "documents": [d.as_dict() for d in self.documents],
        }


def first_action(problems: tuple[IndexProblem, ...], /) -> Action:
    """Return what to do about *problems*; reading a file again puts most others right as well."""
    return next((action for p, action in _ACTIONS.items() if p in problems), "none")
