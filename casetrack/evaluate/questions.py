"""A set of questions whose answers are known, ready to be asked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from casetrack.collection import Collection
    from casetrack.records import SearchResults


@dataclass(frozen=True, slots=True)
class Question:
    """One question.

    Attributes
    ----------
    relevant
        What answers it, with its relevance: document ids of a BEIR set, numbers of the answers of
        a golden file.
    document_id
        Search in this document alone; ``None`` means in all.
    kind
        A group of the author's own, such as ``"table"``; may be empty.
    by_page
        Whether it can be told which pages hold the answer.
    """

    id: str
    text: str
    relevant: Mapping[str, int]
    document_id: str | None = None
    kind: str = ""
    by_page: bool = False


class Judge(Protocol):
    """Tells which results answer a question."""

    def ranks(self, question: Question, results: SearchResults, /) -> dict[str, int]:
        """Return what was found, with the place (from 1) of the best result that has it."""
        ...

    def page_rank(self, question: Question, results: SearchResults, /) -> int | None:
        """Return the place of the first result whose cited page holds an answer."""
        ...


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Questions, the collection they are asked of, and who judges the results.

    Attributes
    ----------
    name
        Name of the folder or of the file.
    digest
        16 hexadecimal digits of the SHA-256 of the files that define it.
    available
        How many questions there are; *questions* may be fewer, see :meth:`limited`.
    notes
        What the reader of the figures should know of the set.
    """

    name: str
    kind: Literal["beir", "golden"]
    digest: str
    collection: Collection
    questions: tuple[Question, ...]
    judge: Judge
    available: int
    notes: tuple[str, ...] = ()

    def limited(self, count: int | None, /) -> QuestionSet:
        """Return the set with its first *count* questions by id, numbers in their order."""
        if count is None or count >= len(self.questions):
            return self
        chosen = tuple(sorted(self.questions, key=lambda q: _order(q.id))[:count])
        total = f"{self.available:,} questions, by their ids"
        note = f"Only the first {count:,} of {total}, were asked."
        return replace(self, questions=chosen, notes=(note, *self.notes))


def _order(question_id: str) -> tuple[bool, int, str]:
    number = question_id.isdecimal()
    return (not number, int(question_id) if number else 0, question_id)
