"""How far the index of a collection is what its files and its models would make it now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, TypedDict

from casetrack.base.records.files import UntakenFile, untaken_text
from casetrack.base.records.shape import HIDDEN, Record, Seconds
from casetrack.base.records.table import Tabular

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
class DocumentIndex(Record):
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

    JSON = (
        *("document_id", "name", "path", "chunks", "coverage", "source", "problems"),
        *("reason", "action"),
    )
    COLUMNS = (
        *("document_id", "name", "path", "chunks", "source", "problems", "reason", "action"),
        *(f"{output}=coverage.{output}" for output in OUTPUTS),
    )
    SHOWN = ("name", "chunks", "source", "reason", "action")

    document_id: str
    name: str
    path: str
    chunks: int
    coverage: dict[str, int]
    source: SourceState
    problems: tuple[IndexProblem, ...] = ()
    missing: Annotated[tuple[str, ...], HIDDEN] = ()

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


class Coverage(TypedDict):
    """How many chunks have an output, and their share (0 to 1)."""

    chunks: int
    share: float


@dataclass(frozen=True, slots=True, repr=False)
class IndexStatus(Tabular[DocumentIndex], Record):
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
    untaken
        Files that are not in the collection as they are now, failed ones first.
    """

    JSON = (
        *("collection", "profile", "models", "ok", "chunks", "coverage=shares", "problems"),
        *("action", "seconds", "documents", "untaken"),
    )

    collection: str
    profile: str
    models: bool
    outputs: Annotated[tuple[str, ...], HIDDEN]
    documents: tuple[DocumentIndex, ...]
    seconds: Seconds
    untaken: tuple[UntakenFile, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether there is nothing to say of any document, and no file has failed."""
        return all(d.ok for d in self.documents) and not any(f.failed for f in self.untaken)

    @property
    def chunks(self) -> int:
        """Number of chunks."""
        return sum(d.chunks for d in self.documents)

    @property
    def coverage(self) -> dict[str, int]:
        """For each output, the number of chunks that have it."""
        return {name: sum(d.coverage[name] for d in self.documents) for name in self.outputs}

    @property
    def shares(self) -> dict[str, Coverage]:
        """The same with the share of all chunks; empty where there is none."""
        counts = self.coverage.items() if self.chunks else ()
        return {n: {"chunks": count, "share": round(count / self.chunks, 4)} for n, count in counts}

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
        said += [untaken_text(self.untaken)] if self.untaken else []
        count = f"{len(self.documents):,} {'document' if len(self.documents) == 1 else 'documents'}"
        return f"{count}: {'; '.join(said) or 'all as they would be made now'}"


def first_action(problems: tuple[IndexProblem, ...], /) -> Action:
    """Return what to do about *problems*; reading a file again puts most others right as well."""
    return next((action for p, action in _ACTIONS.items() if p in problems), "none")
