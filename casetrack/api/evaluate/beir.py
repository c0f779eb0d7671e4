"""Question sets in the layout of BEIR (Thakur et al. 2021).

``corpus.jsonl`` (``_id``, ``title``, ``text``), ``queries.jsonl`` (``_id``, ``text``, and of our
own ``language``) and ``qrels/test.tsv`` (query id, corpus id, relevance). A document stands where
its best passage does.
"""

from __future__ import annotations

import csv
import hashlib
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from casetrack.api.evaluate.answers import told_absent
from casetrack.api.evaluate.corpus import index_corpus
from casetrack.api.evaluate.questions import (
    Question,
    QuestionSet,
    broken,
    json_lines,
    language_of,
    text_lines,
)
from casetrack.base.errors import FileNotFound, UsageError
from casetrack.base.records import DEFAULT_PROFILE
from casetrack.search.search import MAX_QUERY_CHARS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from casetrack.api.library import Library
    from casetrack.base.records import SearchResults

_PARTS = ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv")


def open_beir(
    folder: Path,
    library: Library,
    /,
    *,
    profile: str = DEFAULT_PROFILE,
    progress: Callable[[int, int], None] | None = None,
) -> QuestionSet:
    """Read a folder in BEIR layout and take its corpus into a collection of its own.

    The collection lies below ``<data dir>/eval`` and is used again while the corpus, the profile
    and the pipeline stay the same.

    Parameters
    ----------
    folder
        The data set.
    library
        Names the data folder and holds the models.
    profile
        Which models make the vectors.
    progress
        Called with how many documents are indexed, and of how many.

    Raises
    ------
    FileNotFound, UsageError
        The folder is not in BEIR layout, its corpus is empty, or nothing in it is judged; there is
        no such profile.
    ModelNotFound
        The models of a profile other than the default are not installed.
    """
    judged = read_judgements(folder)
    texts = _read_queries(folder / "queries.jsonl")
    rows = _read_corpus(folder / "corpus.jsonl")
    questions = tuple(
        Question(query_id, text, judged[query_id], language=language)
        for query_id, (text, language) in texts.items()
        if query_id in judged
    )
    if not any(grade > 0 for q in questions for grade in q.relevant.values()):
        raise UsageError(
            f"No query of {folder} has a judgement that names a relevant document.",
            hint="Check qrels/test.tsv: its first column holds ids of queries.jsonl, its third a "
            "relevance of 1 or more.",
        )
    notes = _gaps(judged, texts, {row["_id"] for row in rows})
    collection = index_corpus(folder, rows, library, profile, progress or (lambda _d, _t: None))
    return QuestionSet(
        name=folder.resolve().name,
        kind="beir",
        digest=_digest(folder),
        collection=collection,
        questions=questions,
        judge=_Documents({d.document_id: d.name for d in collection.documents()}),
        available=len(questions),
        notes=notes,
    )


def read_judgements(folder: Path, /) -> dict[str, dict[str, int]]:
    """Read ``qrels/test.tsv``: query id to corpus id to relevance.

    Raises
    ------
    FileNotFound
        There is no such file.
    UsageError
        A line does not have three columns, or its relevance is no number.
    """
    path = folder / "qrels" / "test.tsv"
    judged: dict[str, dict[str, int]] = defaultdict(dict)
    lines = text_lines(path)
    for number, line in enumerate(csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE), 1):
        if not line or (number == 1 and line[-1].strip() == "score"):
            continue
        try:
            query_id, document_id, relevance = line
            judged[query_id][document_id] = int(relevance)
        except ValueError as error:
            reason = "expected query id, corpus id and relevance"
            raise broken(path, number, reason, "Separate the three columns by tabs.") from error
    return dict(judged)


@dataclass(frozen=True, slots=True)
class _Documents:
    """Judges documents by their names, which are the ids of the corpus."""

    names: Mapping[str, str]

    def ranks(self, _question: Question, results: SearchResults, /) -> dict[str, int]:
        found: dict[str, int] = {}
        rank = 1
        for result in results:
            # What is folded into a result stands where the result does.
            ids = (result.provenance.document_id, *(same.document_id for same in result.also))
            fresh = {self.names[i] for i in ids} - found.keys()
            found |= dict.fromkeys(fresh, rank)
            rank += bool(fresh)
        return found

    def details(self, question: Question, results: SearchResults, /) -> dict[str, float]:
        judged = any(grade > 0 for grade in question.relevant.values())
        return {"present_told": told_absent(results)} if judged else {}


def _read_queries(path: Path) -> dict[str, tuple[str, str]]:
    texts: dict[str, tuple[str, str]] = {}
    for number, row in json_lines(path, "a JSON object with _id and text"):
        query_id, text = _id_and_text(path, number, row)
        if not text.strip():
            raise broken(path, number, f"query {query_id!r} has no text")
        if len(text) > MAX_QUERY_CHARS:
            raise broken(path, number, f"query {query_id!r} is over {MAX_QUERY_CHARS:,} characters")
        if query_id in texts:
            raise broken(path, number, f"query {query_id!r} was there before")
        texts[query_id] = text, language_of(path, number, row)
    return texts


def _read_corpus(path: Path) -> list[dict[str, str]]:
    rows: dict[str, dict[str, str]] = {}
    for number, row in json_lines(path, "a JSON object with _id and text"):
        document_id, text = _id_and_text(path, number, row)
        if document_id in rows:
            raise broken(path, number, f"document {document_id!r} was there before")
        title = str(row.get("title") or "")
        rows[document_id] = {"_id": document_id, "title": title, "text": text}
    if not any(row["text"].strip() or row["title"].strip() for row in rows.values()):
        raise UsageError(f"{path} holds no text to search.", hint="Put one document on each line.")
    return list(rows.values())


def _id_and_text(path: Path, number: int, row: Mapping[str, Any]) -> tuple[str, str]:
    if row.get("_id") is None or row.get("text") is None:
        raise broken(path, number, "not a JSON object with _id and text")
    return str(row["_id"]), str(row["text"])


def _gaps(
    judged: Mapping[str, Mapping[str, int]], texts: Mapping[str, object], corpus: set[str]
) -> tuple[str, ...]:
    notes = []
    unasked = len(judged.keys() - texts.keys())
    if unasked:
        notes.append(f"{unasked:,} judged queries are not in queries.jsonl and were left out.")
    missing = {d for q in judged.keys() & texts.keys() for d in judged[q]} - corpus
    if missing:
        notes.append(f"{len(missing):,} judged documents are not in corpus.jsonl; none finds them.")
    return tuple(notes)


def _digest(folder: Path) -> str:
    total = hashlib.sha256()
    for part in _PARTS:
        path = folder / part
        if not path.is_file():
            raise FileNotFound(path)
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()[:16]
