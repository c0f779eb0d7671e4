"""A set of questions with known answers."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol

from casetrack.base.errors import FileNotFound, FileUnreadable, UsageError
from casetrack.base.records.cards import Card, Fact

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from casetrack.api.collection import Collection
    from casetrack.base.records import SearchResults

# Reads files with one JSON object per line; errors contain the line number.


def json_lines(path: Path, what: str, /) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the line number (from 1) and the object of every non-blank line of a UTF-8 file.

    *what* describes a line in the error: ``"a JSON object with _id and text"``. Raises
    ``FileNotFound`` or ``FileUnreadable`` if the file does not exist or cannot be read;
    ``UsageError`` if a line is not a JSON object.
    """
    for number, line in enumerate(text_lines(path), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise broken(path, number, f"not {what} ({error})") from error
        if not isinstance(row, dict):
            raise broken(path, number, f"not {what}")
        yield number, row


def text_lines(path: Path, /) -> list[str]:
    """Return the lines of a file in UTF-8, with or without a byte order mark.

    Raises ``FileNotFound`` or ``FileUnreadable`` if the file does not exist or cannot be read;
    ``UsageError`` if it is not UTF-8.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise FileNotFound(path) from error
    except OSError as error:
        raise FileUnreadable(path, error.strerror or str(error)) from error
    try:
        # Only these end a line: a text can contain other characters at which splitlines() splits.
        return data.decode("utf-8-sig").replace("\r\n", "\n").split("\n")
    except UnicodeDecodeError as error:
        number = data.count(b"\n", 0, error.start) + 1
        raise broken(path, number, "not UTF-8", "Save the file again as UTF-8.") from error


def language_of(path: Path, number: int, row: Mapping[str, Any], /) -> str:
    """Return the language code of a question's line, or an empty text.

    Raises ``UsageError`` if it is not a code of two or three letters.
    """
    language = row.get("language")
    if language is None:
        return ""
    if not isinstance(language, str) or not re.fullmatch(r"[A-Za-z]{2,3}", language):
        reason = f"language must be a code of two or three letters, not {language!r}"
        raise broken(path, number, reason, 'Write "en", "de", "ru" and the like.')
    return language.lower()


def broken(path: Path, number: int, reason: str, hint: str = "", /) -> UsageError:
    """Return the error for an invalid line."""
    return UsageError(f"{path}, line {number}: {reason}.", hint=hint)


@dataclass(frozen=True, slots=True)
class Question:
    """One question.

    Attributes
    ----------
    relevant
        Relevance of each answer: by document id in a BEIR set, by number in a golden file.
    document_id
        Search in this document only; ``None``: in all.
    kind
        The author's group, such as ``"table"``; can be empty.
    by_page
        Whether the pages with the answer can be determined.
    language
        ISO 639-1 code of the question's language, if the author gave it.
    values
        Spellings of the date, name, number or amount that answers it.
    absent
        Nothing in the collection answers it; *relevant* is empty.
    """

    id: str
    text: str
    relevant: Mapping[str, int]
    document_id: str | None = None
    kind: str = ""
    by_page: bool = False
    language: str = ""
    values: tuple[str, ...] = ()
    absent: bool = False


class Judge(Protocol):
    """Decides which results answer a question."""

    def ranks(self, question: Question, results: SearchResults, /) -> dict[str, int]:
        """Return the rank (from 1) of the best result with each answer."""

    def details(self, question: Question, results: SearchResults, /) -> dict[str, float]:
        """Return further scores: of pages, marks, values, absence."""


@dataclass(frozen=True, slots=True, repr=False)
class QuestionSet(Card):
    """Questions, the collection to ask, and the judge of the results.

    Attributes
    ----------
    name
        Name of the folder or of the file.
    digest
        First 16 hexadecimal digits of the SHA-256 of the files that define it.
    available
        Number of questions; *questions* can have fewer, see :meth:`limited`.
    notes
        Information on the set for readers of the figures.
    """

    name: str
    kind: Literal["beir", "golden"]
    digest: str
    collection: Collection
    questions: tuple[Question, ...]
    judge: Judge
    available: int
    notes: tuple[str, ...] = ()

    def _title(self) -> str:
        return f"{self.name}: {len(self.questions):,} of {self.available:,} questions"

    def _facts(self) -> list[Fact]:
        kinds = Counter(q.kind for q in self.questions if q.kind)
        languages = Counter(q.language for q in self.questions if q.language)
        return [
            ("layout", self.kind),
            ("asked of", repr(self.collection)),
            ("kinds", dict(kinds.most_common())),
            ("languages", dict(languages.most_common()) or None),
            ("absent", sum(q.absent for q in self.questions) or None),
            ("for example", tuple(q.text for q in self.questions[:3])),
            ("digest", self.digest),
            *(("note", note) for note in self.notes),
        ]

    def limited(self, count: int | None, /) -> QuestionSet:
        """Return the set with its first *count* questions by id, in numeric order."""
        if count is None or count >= len(self.questions):
            return self
        chosen = tuple(sorted(self.questions, key=lambda q: _order(q.id))[:count])
        total = f"{self.available:,} questions, by their ids"
        note = f"Only the first {count:,} of {total}, were asked."
        return replace(self, questions=chosen, notes=(note, *self.notes))


def _order(question_id: str) -> tuple[bool, int, str]:
    number = question_id.isdecimal()
    return (not number, int(question_id) if number else 0, question_id)
