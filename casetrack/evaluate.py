"""Measures retrieval on any folder in BEIR layout (Thakur et al. 2021), with what ships.

``corpus.jsonl`` (``_id``, ``title``, ``text``), ``queries.jsonl`` (``_id``, ``text``) and
``qrels/test.tsv`` (query id, corpus id, relevance). The corpus goes through the default pipeline
into a collection of its own below ``<data dir>/eval``, which the next run uses again. A document's
score is that of its best chunk.
"""

from __future__ import annotations

import csv
import hashlib
import json
import math
import time
import uuid
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from casetrack import schema
from casetrack.errors import CollectionNotFound, FileNotFound, UsageError
from casetrack.ingest.assemble import seal
from casetrack.ingest.run import PARALLEL_FILES
from casetrack.library import Library
from casetrack.pipeline import Tools, load_pipeline
from casetrack.records import Document
from casetrack.store.session import write_session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from casetrack.collection import Collection
    from casetrack.config import Settings
    from casetrack.pipeline import Pipeline
    from casetrack.records import SearchMode

CUTOFF = 10
DEPTH = 100
_AHEAD = 256


@dataclass(frozen=True, slots=True)
class EvalReport:
    """Means over all queries that have a judgement.

    Attributes
    ----------
    ndcg_10, recall_10, recall_100, mrr_10
        In 0..1.
    p50_ms, p95_ms
        Milliseconds per search.
    """

    dataset: str
    mode: str
    documents: int
    chunks: int
    queries: int
    ndcg_10: float
    recall_10: float
    recall_100: float
    mrr_10: float
    p50_ms: float
    p95_ms: float

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form, with the field's usual names such as ``ndcg@10``."""
        named = {"ndcg_10": "ndcg@10", "recall_10": "recall@10", "recall_100": "recall@100"}
        named |= {"mrr_10": "mrr@10"}
        raw = {named.get(k, k): v for k, v in asdict(self).items()}
        return {k: round(v, 4) if isinstance(v, float) else v for k, v in raw.items()}


def evaluate_beir(
    folder: Path,
    /,
    *,
    settings: Settings,
    mode: SearchMode | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> EvalReport:
    """Run every judged query of a BEIR folder and compare with the judgements.

    Parameters
    ----------
    folder
        The data set.
    settings
        Names the data folder and the models.
    mode
        As for :meth:`casetrack.collection.Collection.search`.
    progress
        Called with what is being done, how many are done, and of how many.

    Raises
    ------
    FileNotFound, UsageError
        The folder is not in BEIR layout.
    ModelNotFound
        The mode needs vectors and no model is installed.
    """
    report = progress or (lambda _what, _done, _total: None)
    qrels = read_qrels(folder)
    queries = {q["_id"]: q["text"] for q in _jsonl(folder / "queries.jsonl") if q["_id"] in qrels}
    if not queries:
        raise UsageError(f"No query of {folder} has a judgement.", hint="Check qrels/test.tsv.")
    collection = _index_corpus(folder, settings, report)
    names = {d.document_id: d.name for d in collection.documents()}
    scores, times, chosen = [], [], ""
    for number, (query_id, text) in enumerate(queries.items(), start=1):
        started = time.perf_counter()
        results = collection.search(text, k=DEPTH, mode=mode)
        times.append((time.perf_counter() - started) * 1000)
        ranking = list(dict.fromkeys(names[r.provenance.document_id] for r in results))
        scores.append(score(ranking, qrels[query_id]))
        chosen = results.mode
        report("searching", number, len(queries))
    stats = collection.stats()
    means = {name: sum(s[name] for s in scores) / len(scores) for name in scores[0]}
    times.sort()
    return EvalReport(
        dataset=folder.resolve().name,
        mode=chosen,
        documents=stats.document_count,
        chunks=stats.chunk_count,
        queries=len(queries),
        p50_ms=times[len(times) // 2],
        p95_ms=times[min(len(times) - 1, int(len(times) * 0.95))],
        **means,
    )


def score(ranking: list[str], relevant: Mapping[str, int], /) -> dict[str, float]:
    """Return nDCG, recall and reciprocal rank of one ranking.

    Parameters
    ----------
    ranking
        Document ids, best first, each once.
    relevant
        Judged documents with their relevance; 0 means judged and not relevant.

    Notes
    -----
    Gains are linear and discounted by ``log2(rank + 1)``, as trec_eval does.
    """
    good = {d: g for d, g in relevant.items() if g > 0}
    gains = [good.get(d, 0) for d in ranking[:CUTOFF]]
    ideal = sorted(good.values(), reverse=True)[:CUTOFF]
    first = next((i for i, g in enumerate(gains, start=1) if g), None)
    return {
        "ndcg_10": _dcg(gains) / _dcg(ideal) if ideal else 0.0,
        "recall_10": len(good.keys() & set(ranking[:CUTOFF])) / len(good) if good else 0.0,
        "recall_100": len(good.keys() & set(ranking[:DEPTH])) / len(good) if good else 0.0,
        "mrr_10": 1.0 / first if first else 0.0,
    }


def _dcg(gains: Iterable[int]) -> float:
    return sum(g / math.log2(i + 1) for i, g in enumerate(gains, start=1))


def read_qrels(folder: Path, /) -> dict[str, dict[str, int]]:
    """Read the judgements: query id to corpus id to relevance.

    Raises
    ------
    FileNotFound
        There is no ``qrels/test.tsv``.
    UsageError
        A line does not have three columns, or its relevance is no number.
    """
    path = folder / "qrels" / "test.tsv"
    if not path.is_file():
        raise FileNotFound(path)
    judged: dict[str, dict[str, int]] = defaultdict(dict)
    with path.open(encoding="utf-8", newline="") as file:
        for number, line in enumerate(csv.reader(file, delimiter="\t"), start=1):
            if number == 1 and line and line[-1].strip() == "score":
                continue
            try:
                query_id, document_id, relevance = line
                judged[query_id][document_id] = int(relevance)
            except ValueError as error:
                raise UsageError(
                    f"{path}, line {number}: expected query id, corpus id and relevance.",
                    hint="Separate the three columns by tabs.",
                ) from error
    return dict(judged)


def _jsonl(path: Path) -> Iterable[dict[str, Any]]:
    if not path.is_file():
        raise FileNotFound(path)
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            try:
                row = json.loads(line)
                yield {"title": "", **row, "_id": str(row["_id"]), "text": str(row["text"])}
            except (ValueError, KeyError, TypeError) as error:
                raise UsageError(
                    f"{path}, line {number}: not a JSON object with _id and text."
                ) from error


def _index_corpus(
    folder: Path, settings: Settings, report: Callable[[str, int, int], None]
) -> Collection:
    """Return the collection of this corpus, made by this pipeline; complete it."""
    library = Library(replace(settings, data_dir=settings.data_dir / "eval"))
    pipeline = load_pipeline("standard", Tools(None, library.encoders.get_installed))
    corpus = folder / "corpus.jsonl"
    if not corpus.is_file():
        raise FileNotFound(corpus)
    digest = hashlib.sha256(corpus.read_bytes()).hexdigest()[:16]
    name = f"{folder.resolve().name} {digest} {pipeline.fingerprint}"
    rows = list(_jsonl(corpus))
    try:
        collection = library.get(name)
    except CollectionNotFound:
        collection = library.create(name, description="retrieval test set")
    have = {d.name for d in collection.documents()}
    missing = [r for r in rows if r["_id"] not in have]
    if missing:
        _add(collection, pipeline, missing, lambda n: report("indexing", n, len(missing)))
    return collection


def _add(
    collection: Collection,
    pipeline: Pipeline,
    rows: list[dict[str, Any]],
    report: Callable[[int], None],
) -> None:
    done = 0
    with (
        write_session(collection.folder) as session,
        ThreadPoolExecutor(PARALLEL_FILES) as threads,
    ):
        for start in range(0, len(rows), _AHEAD):
            some = rows[start : start + _AHEAD]
            for document, tables in threads.map(lambda row: _prepare(pipeline, row), some):
                revision = session.new_revision()
                for table in tables:
                    session.append(_with_revision(table, revision))
                session.finish(replace(document, revision=revision))
                done += 1
                report(done)
    collection.index()


def _prepare(pipeline: Pipeline, row: Mapping[str, Any]) -> tuple[Document, list[pa.Table]]:
    """Take one corpus entry through the pipeline as a document of one page."""
    columns = [n for n in schema.table("pages").names if n not in {"language", "document_id"}]
    layout = schema.table("pages").arrow(columns)
    text = "\n\n".join(t for t in (row["title"].strip(), row["text"].strip()) if t)
    document_id, now, count = str(uuid.uuid4()), datetime.now(UTC), 0
    pages = [pa.RecordBatch.from_pylist([_page(text)], schema=layout)] if text else []
    tables = []
    for batch in pipeline.run(document_id, iter(pages)):
        tables.append(seal(batch, "", count, row["_id"], corpus_path(row), now))
        count += batch.num_rows
    return _document(row, document_id, text, count, pipeline, now), tables


def _with_revision(table: pa.Table, revision: str) -> pa.Table:
    place = table.schema.get_field_index("revision")
    column = pa.array([revision] * table.num_rows, pa.string())
    return table.set_column(place, table.schema.field("revision"), column)


def corpus_path(row: Mapping[str, Any], /) -> str:
    """Return the path that a corpus entry is known by."""
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


def _document(
    row: Mapping[str, Any],
    document_id: str,
    text: str,
    chunks: int,
    pipeline: Pipeline,
    now: datetime,
) -> Document:
    data = text.encode("utf-8")
    return Document(
        document_id=document_id,
        revision="",
        name=row["_id"],
        path=corpus_path(row),
        format="jsonl",
        document_type=None,
        title=row["title"] or None,
        author=None,
        language=None,
        page_count=1,
        pages_without_text=0,
        chunk_count=chunks,
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
