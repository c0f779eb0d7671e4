"""Question sets in the layout of BEIR (Thakur et al. 2021).

``corpus.jsonl`` (``_id``, ``title``, ``text``), ``queries.jsonl`` (``_id``, ``text``, and the
extension ``language``) and ``qrels/test.tsv`` (query id, corpus id, relevance). A document has
the rank of its best passage.
"""

from __future__ import annotations

import csv
import functools
import hashlib
import uuid
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from casetrack.api.evaluate.answers import reports_absence
from casetrack.api.evaluate.questions import (
    Question,
    QuestionSet,
    broken,
    json_lines,
    language_of,
    text_lines,
)
from casetrack.api.holdings import DEFAULT_PIPELINE
from casetrack.api.library import Library
from casetrack.base.errors import CollectionNotFound, FileNotFound, UsageError
from casetrack.base.license import UNLIMITED
from casetrack.base.records import DEFAULT_DIMENSION, DEFAULT_PROFILE, Document, SearchResults
from casetrack.ingest.assemble import seal
from casetrack.ingest.pipeline import Pipeline, Tools, load_pipeline
from casetrack.ingest.run import PARALLEL_FILES
from casetrack.parse.workers.messages import page_schema
from casetrack.search.search import MAX_QUERY_CHARS
from casetrack.store.session import write_session

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from casetrack.api.collection import Collection

# Indexes the corpus of a BEIR folder with the default pipeline, without a file per document.

_AHEAD = 256
_NAME_CHARS = 120


def index_corpus(
    folder: Path,
    rows: list[dict[str, str]],
    library: Library,
    profile: str,
    progress: Callable[[int, int], None],
    /,
) -> Collection:
    """Return this corpus (*rows* of ``_id``, ``title``, ``text``) as a collection of this pipeline.

    The collection is in ``<data dir>/eval``, with the folder's name as a prefix; an incomplete one
    is completed. Without the default profile's models, it has no vectors. *progress* receives the
    number of indexed documents and the total.
    """
    ours = eval_library(library)
    if profile == DEFAULT_PROFILE:
        encoder = library.encoders.get_installed(profile)
    else:
        encoder = library.encoders.get(profile)
    dimension = DEFAULT_DIMENSION if encoder is None else encoder.dimension
    pipeline = load_pipeline(DEFAULT_PIPELINE, Tools(None, encoder, dimension))
    digest = hashlib.sha256((folder / "corpus.jsonl").read_bytes()).hexdigest()[:16]
    title = "".join(c for c in folder.resolve().name if c.isprintable())[:_NAME_CHARS]
    name = f"{title} {digest} {pipeline.fingerprint}"
    try:
        collection = ours.get(name)
    except CollectionNotFound:
        collection = ours.create(name, description="retrieval test set", profile=profile)
    have = {d.name for d in collection.documents()}
    missing = [row for row in rows if row["_id"] not in have]
    if missing:
        _add(collection, pipeline, missing, lambda done: progress(done, len(missing)))
    return collection


def eval_library(library: Library, /) -> Library:
    """Return the library below ``<data dir>/eval``, with the models of *library*."""
    home = replace(library.settings, data_dir=library.settings.data_dir / "eval")
    ours = Library(home, tier=UNLIMITED)
    ours.encoders = library.encoders
    return ours


def in_profile(
    collection: Collection,
    profile: str,
    library: Library,
    progress: Callable[[str, int, int], None] | None = None,
    /,
) -> Collection:
    """Return the same documents with the vectors of a profile.

    This is the collection itself if it has this profile, otherwise a copy below ``<data
    dir>/eval``, which is reused while the documents stay the same. Raises ``UsageError`` if there
    is no such profile; ``ModelNotFound`` if its models are not installed.
    """
    if collection.info.profile == profile:
        return collection
    library.encoders.get(profile)  # before anything is copied
    ours = eval_library(library)
    revisions = sorted(f"{d.document_id} {d.revision}" for d in collection.documents())
    digest = hashlib.sha256("\n".join(revisions).encode()).hexdigest()[:16]
    name = f"{collection.name[:_NAME_CHARS]} {digest} {profile}"
    try:
        copy = ours.get(name)
    except CollectionNotFound:
        with TemporaryDirectory() as folder:
            report = collection.admin.export(Path(folder) / "copy.ctcollection")
            copy = ours.get(ours.import_archive(report.path, name=name).collection_id)
    copy.admin.reindex(profile, progress=progress)
    return copy


def _add(
    collection: Collection,
    pipeline: Pipeline,
    rows: list[dict[str, str]],
    report: Callable[[int], None],
) -> None:
    done = 0
    with write_session(collection.folder) as session, ThreadPoolExecutor(PARALLEL_FILES) as threads:
        for start in range(0, len(rows), _AHEAD):
            some = rows[start : start + _AHEAD]
            revisions = [session.new_revision() for _ in some]
            prepare = functools.partial(_prepare, pipeline)
            for document, tables in threads.map(prepare, some, revisions):
                for table in tables:
                    session.append(table)
                session.finish(document)
                done += 1
                report(done)
    _ = collection.workspace.state().index


def _prepare(
    pipeline: Pipeline, row: Mapping[str, str], revision: str
) -> tuple[Document, list[pa.Table]]:
    """Process one corpus entry as a document of one page."""
    title, body = row["title"].strip(), row["text"].strip()
    text = "\n\n".join(part for part in (title, body) if part)
    document_id, now, count = str(uuid.uuid4()), datetime.now(UTC), 0
    pages = [pa.RecordBatch.from_pylist([_page(text)], schema=page_schema())] if text else []
    tables = []
    # An id of the corpus is not a name that helps a reader or a model.
    for batch in pipeline.run(document_id, iter(pages), name="", title=title or None):
        tables.append(seal(batch, revision, count, corpus_path(row), now))
        count += batch.num_rows
    data = text.encode("utf-8")
    document = Document(
        document_id=document_id,
        revision=revision,
        name=row["_id"],
        path=corpus_path(row),
        format="jsonl",
        document_type=None,
        title=row["title"] or None,
        author=None,
        language=None,
        page_count=1,
        pages_without_text=0,
        chunk_count=count,
        char_count=len(text),
        extraction_method="Native",
        file_hash=hashlib.sha256(data).hexdigest(),
        file_size=len(data),
        file_modified_at=now,
        original_copy=None,
        pipeline=pipeline.name,
        pipeline_fingerprint=pipeline.fingerprint,
        warnings=(),
        ingested_at=now,
        updated_at=now,
    )
    return document, tables


def corpus_path(row: Mapping[str, str], /) -> str:
    """Return the path of a corpus entry."""
    return f"corpus.jsonl#{row['_id']}"


def _page(text: str) -> dict[str, Any]:
    whole = {"start": 0, "end": len(text), "number": 1}
    line = whole | dict.fromkeys(
        ("x0", "y0", "x1", "y1", "row", "column_start", "column_end", "confidence")
    )
    return {
        "page": 1,
        "page_is_estimated": True,
        "text": text,
        "lines": [line],
        "paragraphs": [whole | {"kind": "body", "level": None, "header": None}],
        "heading_path": [],
        "extraction_method": "Native",
        "page_kind": "page",
    }


_PARTS = ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv")


def open_beir(
    folder: Path,
    library: Library,
    /,
    *,
    profile: str = DEFAULT_PROFILE,
    progress: Callable[[int, int], None] | None = None,
) -> QuestionSet:
    """Read a folder in BEIR layout and index its corpus as a separate collection.

    The collection is below ``<data dir>/eval`` and is reused while the corpus, the profile and the
    pipeline stay the same. *progress* receives the number of indexed documents and the total.
    Raises ``FileNotFound`` or ``UsageError`` if the folder is not in BEIR layout, its corpus is
    empty, it has no judgements, or there is no such profile; ``ModelNotFound`` if the models of a
    profile other than the default are not installed.
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
            f"No query of {folder} has a relevant document.",
            hint="Check qrels/test.tsv: its first column has ids of queries.jsonl, its third a "
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

    Raises ``FileNotFound`` if there is no such file; ``UsageError`` if a line does not have three
    columns, or its relevance is not a number.
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
        ranks: dict[str, int] = {}
        rank = 1
        for result in results:
            # Passages that are folded into a result have its rank.
            ids = (result.provenance.document_id, *(same.document_id for same in result.also))
            fresh = {self.names[i] for i in ids} - ranks.keys()
            ranks |= dict.fromkeys(fresh, rank)
            rank += bool(fresh)
        return ranks

    def details(self, question: Question, results: SearchResults, /) -> dict[str, float]:
        judged = any(grade > 0 for grade in question.relevant.values())
        return {"present_told": reports_absence(results)} if judged else {}


def _read_queries(path: Path) -> dict[str, tuple[str, str]]:
    texts: dict[str, tuple[str, str]] = {}
    for number, row in json_lines(path, "a JSON object with _id and text"):
        query_id, text = _id_and_text(path, number, row)
        if not text.strip():
            raise broken(path, number, f"query {query_id!r} has no text")
        if len(text) > MAX_QUERY_CHARS:
            raise broken(path, number, f"query {query_id!r} is over {MAX_QUERY_CHARS:,} characters")
        if query_id in texts:
            raise broken(path, number, f"query {query_id!r} is a duplicate")
        texts[query_id] = text, language_of(path, number, row)
    return texts


def _read_corpus(path: Path) -> list[dict[str, str]]:
    rows: dict[str, dict[str, str]] = {}
    for number, row in json_lines(path, "a JSON object with _id and text"):
        document_id, text = _id_and_text(path, number, row)
        if document_id in rows:
            raise broken(path, number, f"document {document_id!r} is a duplicate")
        title = str(row.get("title") or "")
        rows[document_id] = {"_id": document_id, "title": title, "text": text}
    if not any(row["text"].strip() or row["title"].strip() for row in rows.values()):
        raise UsageError(f"{path} has no text to search.", hint="Put one document on each line.")
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
        notes.append(
            f"{len(missing):,} judged documents are not in corpus.jsonl and cannot be found."
        )
    return tuple(notes)


def _digest(folder: Path) -> str:
    total = hashlib.sha256()
    for part in _PARTS:
        path = folder / part
        if not path.is_file():
            raise FileNotFound(path)
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()[:16]
