"""Golden files: questions on the user's collection, with their answers.

One JSON object per line, see ``docs/evaluation.md``::

    {"question": "Who pays for repairs?",
     "answers": [{"document": "lease.pdf", "page": 3, "text": "The landlord bears the repairs"}]}
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from casetrack.api.evaluate.answers import MATCHES, Answer, AnswerJudge, Match, Pages
from casetrack.api.evaluate.questions import Question, QuestionSet, broken, json_lines, language_of
from casetrack.base import arguments
from casetrack.base.errors import AmbiguousName, CaseTrackError, DocumentNotFound, See, UsageError
from casetrack.search.search import MAX_QUERY_CHARS

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.api.collection import Collection
    from casetrack.base.records import Document

# Finds the document that a golden file names: by id, name, path, or the end of its path.


class DocumentNames:
    """The documents of a collection by the names that a user can write.

    A golden file should work on every machine, so the end of a path (``Contracts/lease.pdf``) is
    accepted, with both kinds of slash and in any letter case.
    """

    def __init__(self, documents: Iterable[Document], /) -> None:
        self._documents = {d.document_id: d for d in documents}
        self._by_last_part: dict[str, list[tuple[str, Document]]] = {}
        for document in self._documents.values():
            for known in {document.name, document.path}:
                path = _plain(known)
                last = path.rpartition("/")[2]
                self._by_last_part.setdefault(last, []).append((path, document))

    @property
    def count(self) -> int:
        """Number of documents."""
        return len(self._documents)

    def pages(self, document_id: str, /) -> int:
        """Return the number of pages of a document."""
        return self._documents[document_id].page_count

    def find(self, asked: str, /) -> Document:
        """Return the document with this name.

        Raises ``DocumentNotFound`` or ``AmbiguousName`` if no document has this name (similar names
        are suggested), or several do.
        """
        if asked in self._documents:
            return self._documents[asked]
        path = _plain(asked)
        same = self._by_last_part.get(path.rpartition("/")[2], [])
        fits = {d.document_id: d for known, d in same if f"/{known}".endswith(f"/{path}")}
        if len(fits) > 1:
            exact = {i: d for i, d in fits.items() if asked in {d.name, d.path}}
            fits = exact if len(exact) == 1 else fits
        if not fits:
            entries = [arguments.Entry(d.document_id, d.name) for d in self._documents.values()]
            raise DocumentNotFound(asked, arguments.near(asked, entries))
        if len(fits) > 1:
            raise AmbiguousName("document", asked, [(d.path, i) for i, d in fits.items()])
        return next(iter(fits.values()))


def _plain(path: str) -> str:
    return path.strip().replace("\\", "/").strip("/").casefold()


_WHAT = "a JSON object with question and answers"
_KEYS = ("question", "answers", "value", "id", "search_in", "match", "kind", "language", "comment")
_ANSWER_KEYS = ("document", "page", "text", "sentence")
_SHOWN_LINES = 10


def open_golden(file: Path, collection: Collection, /) -> QuestionSet:
    """Read a golden file, and check it against the collection.

    Raises ``FileNotFound`` or ``FileUnreadable`` if the file does not exist or cannot be read;
    ``UsageError`` if the collection is empty, the file has no question, or a line does not fit the
    format or names an unknown document or page.
    """
    names = DocumentNames(collection.documents())
    if not names.count:
        raise UsageError(
            f'The collection "{collection.name}" is empty.',
            hint=f"Ingest documents first with {See('ingest', 'PATH', c=repr(collection.name))}.",
        )
    lines = [_Line(file, number, row, names) for number, row in json_lines(file, _WHAT)]
    if not lines:
        raise UsageError(
            f"{file} has no question.", hint="docs/evaluation.md describes the format."
        )
    questions: dict[str, Question] = {}
    answers: dict[str, tuple[Answer, ...]] = {}
    for line in lines:
        question, wanted = line.read()
        if question.id in questions:
            raise line.error(f"the id {question.id!r} is a duplicate")
        questions[question.id], answers[question.id] = question, wanted
    pages = Pages(collection)
    return QuestionSet(
        name=f"{collection.name}: {file.name}",
        kind="golden",
        digest=hashlib.sha256(file.read_bytes()).hexdigest()[:16],
        collection=collection,
        questions=tuple(questions.values()),
        judge=AnswerJudge(answers, pages),
        available=len(questions),
        notes=_missing_answers([(line.number, answers[line.id]) for line in lines], pages),
    )


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a golden file, with the names of documents."""

    file: Path
    number: int
    row: Mapping[str, Any]
    names: DocumentNames

    @property
    def id(self) -> str:
        return str(self.row.get("id", self.number))

    def error(self, reason: str, hint: str = "") -> UsageError:
        return broken(self.file, self.number, reason, hint)

    def read(self) -> tuple[Question, tuple[Answer, ...]]:
        self._check_keys(self.row, _KEYS, "")
        text = self._text("question", self.row.get("question"))
        if len(text) > MAX_QUERY_CHARS:
            raise self.error(f"the question has over {MAX_QUERY_CHARS:,} characters")
        match = self.row.get("match", "exact")
        if match not in MATCHES:
            raise self.error(f"match must be one of {', '.join(MATCHES)}, not {match!r}")
        raw = self.row.get("answers")
        if not isinstance(raw, list):
            raise self.error(
                "answers must be a list",
                "List the places that answer it, or [] if nothing in the collection does.",
            )
        answers = tuple(self._answer(entry, match) for entry in raw)
        if not answers and "value" in self.row:
            raise self.error(
                "a value without an answer that contains it",
                "Add the place to answers, or remove the value.",
            )
        within = self.row.get("search_in")
        question = Question(
            id=self.id,
            text=text,
            relevant={str(number): 1 for number in range(len(answers))},
            document_id=None if within is None else self._find("search_in", within),
            kind=str(self.row.get("kind") or ""),
            by_page=any(a.page is not None or a.text for a in answers),
            language=language_of(self.file, self.number, self.row),
            values=self._values(),
            absent=not answers,
        )
        return question, answers

    def _answer(self, raw: Any, match: Match) -> Answer:
        if not isinstance(raw, Mapping):
            raise self.error("an answer must be an object with document, page and text")
        self._check_keys(raw, _ANSWER_KEYS, " of an answer")
        text = raw.get("text")
        if raw.get("sentence") is not None and text is None:
            raise self.error(
                "a sentence without a text", "Put the required words of the passage in text."
            )
        document_id = self._find("document", raw.get("document"))
        page, last = raw.get("page"), self.names.pages(document_id)
        if page is not None and (not isinstance(page, int) or isinstance(page, bool)):
            raise self.error(f"page must be a whole number, not {page!r}")
        if page is not None and not 1 <= page <= last:
            raise self.error(f"{raw['document']!r} has no page {page}", f"Its pages: 1 to {last}.")
        return Answer(
            document_id,
            page,
            "" if text is None else self._text("text", text),
            match,
            "" if raw.get("sentence") is None else self._text("sentence", raw["sentence"]),
        )

    def _values(self) -> tuple[str, ...]:
        raw = self.row.get("value")
        if raw is None:
            return ()
        given = raw if isinstance(raw, list) else [raw]
        if not given:
            raise self.error("value must be a text, or a list of spellings")
        return tuple(self._text("value", one) for one in given)

    def _check_keys(self, row: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
        unknown = [key for key in row if key not in known]
        if unknown:
            raise self.error(
                f"unknown key {unknown[0]!r}{where}", f"Known keys: {', '.join(known)}."
            )

    def _text(self, key: str, value: Any) -> str:
        if not isinstance(value, str) or not value.strip():
            raise self.error(f"{key} must be a non-empty text")
        return value

    def _find(self, key: str, value: Any) -> str:
        name = self._text(key, value)
        try:
            return self.names.find(name).document_id
        except CaseTrackError as error:
            reason = error.message.removesuffix(".")
            raise self.error(reason, error.hint) from error


def _missing_answers(lines: list[tuple[int, tuple[Answer, ...]]], pages: Pages) -> tuple[str, ...]:
    """Return a note on answers that no passage contains, since search cannot find them."""
    lost = [n for n, answers in lines for a in answers if not pages.has_passage(a)]
    if not lost:
        return ()
    numbers = sorted(set(lost))
    shown = ", ".join(map(str, numbers[:_SHOWN_LINES]))
    more = ", ..." if len(numbers) > _SHOWN_LINES else ""
    single = len(lost) == 1
    note = (
        f"{len(lost):,} {'answer is' if single else 'answers are'} not contained in any passage "
        f"(line {shown}{more}): the text or the page differs, or the text continues in the next "
        f"passage. Search cannot find {'it' if single else 'them'}; the page scores can."
    )
    return (note,)
