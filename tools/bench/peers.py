"""The same texts and vectors in other engines, each as its own documentation sets it up."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import sqlite3
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import numpy as np

    from bench.synthetic import Corpus

_PLACE = ("chunk_id", "document_name", "page", "line_start", "line_end")
_COLUMNS = (*_PLACE, "text")
K = 10
OWN_TERMS = (
    "stems, short stop list, OR, exact; text, full source, neighbours; live documents only, "
    "one state per search"
)
"""Behaviour of CaseTrack in the same rows."""


class KeywordPeer(Protocol):
    """An engine that ranks by words."""

    label: ClassVar[str]
    differs: ClassVar[str]
    """Differences from CaseTrack."""

    def rank(self, query: str, /) -> object:
        """Find the 10 best and nothing else."""
        ...

    def search(self, query: str, /) -> object:
        """Find score, place and text of the 10 best."""
        ...


class Fts5:
    """SQLite FTS5 with tokenizer ``porter unicode61``, ranked by its built-in bm25.

    Query words are joined by OR. The index has no second copy of the text: text and position of the
    best hits come from an ordinary table.
    """

    label: ClassVar[str] = "SQLite FTS5"
    differs: ClassVar[str] = (
        "Porter stems, no stop list, OR, exact; text, page and lines, no neighbours; no offsets, "
        "without revisions"
    )

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        # All of it fits: a peer must not be slow for lack of a cache.
        self._connection.execute("PRAGMA mmap_size = 4294967296")
        self._connection.execute("PRAGMA cache_size = -500000")

    @classmethod
    def open(cls, corpus: Corpus, /) -> Fts5:
        """Open the index of *corpus*, building it if it is not there."""
        path = corpus.home / "fts5.sqlite"
        if not path.is_file():
            building = path.with_suffix(".building")
            building.unlink(missing_ok=True)
            _build_fts5(building, corpus)
            building.rename(path)
        return cls(path)

    def rank(self, query: str, /) -> list[int]:
        """Return the row numbers of the 10 best, best first."""
        rows = self._connection.execute(
            "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?", (_any(query), K)
        )
        return [row for (row,) in rows]

    def search(self, query: str, /) -> list[tuple[Any, ...]]:
        """Return score, place and text of the 10 best."""
        return self._connection.execute(
            "WITH best AS (SELECT rowid AS id, rank AS score FROM words WHERE words MATCH ? "
            "ORDER BY rank LIMIT ?) SELECT best.score, chunks.* FROM best JOIN chunks USING (id) "
            "ORDER BY best.score",
            (_any(query), K),
        ).fetchall()


class LanceIndex:
    """Lance's inverted index as its default makes it; terms of a query are joined by OR."""

    label: ClassVar[str] = "Lance full-text index"
    differs: ClassVar[str] = (
        "stems, stop list, OR, exact; text, page and lines, no neighbours; one dataset version, "
        "without revisions"
    )

    def __init__(self, path: Path) -> None:
        import lance

        self._dataset = lance.dataset(path)

    @classmethod
    def open(cls, corpus: Corpus, /) -> LanceIndex:
        """Open the index of *corpus*, building it if it is not there."""
        import lance

        path = corpus.home / "peer.lance"
        if not path.is_dir():
            building = path.with_suffix(".building")
            shutil.rmtree(building, ignore_errors=True)
            reader = pa.RecordBatchReader.from_batches(*_texts(corpus))
            dataset = lance.write_dataset(reader, building)
            dataset.create_scalar_index("text", "INVERTED", with_position=False)
            building.rename(path)
        return cls(path)

    def rank(self, query: str, /) -> list[int]:
        """Return the row ids of the 10 best, best first."""
        hits = self._find(query, [])
        rows: list[int] = hits["_rowid"].to_pylist()
        return rows

    def search(self, query: str, /) -> list[dict[str, Any]]:
        """Return score, place and text of the 10 best."""
        rows: list[dict[str, Any]] = self._find(query, list(_COLUMNS)).to_pylist()
        return rows

    def _find(self, query: str, columns: list[str]) -> pa.Table:
        return self._dataset.scanner(
            columns=[*columns, "_score"],
            full_text_query={"query": query, "columns": ["text"]},
            limit=K,
            with_row_id=True,
        ).to_table()


class Bm25s:
    """bm25s: precomputed weights in a sparse matrix, NumPy only; query words are joined by OR.

    Texts and positions are a list in memory, which is its best case.
    """

    label: ClassVar[str] = "bm25s"
    package = "bm25s"
    differs: ClassVar[str] = (
        "stems, stop list, OR, exact; weights finished when built, so one more text means "
        "a rebuild; all in memory"
    )

    def __init__(self, index: Any, rows: list[dict[str, Any]]) -> None:
        self._index, self._rows, self._stemmer = index, rows, _stemmer()

    @classmethod
    def is_installed(cls) -> bool:
        """Whether the library is there; it is not among CaseTrack's own."""
        return importlib.util.find_spec(cls.package) is not None

    @classmethod
    def open(cls, corpus: Corpus, /) -> Bm25s:
        """Open the index of *corpus*, building it if it is not there."""
        import bm25s

        path = corpus.home / "bm25s"
        batches = _texts(corpus)[1]
        rows = [row for batch in batches for row in batch.to_pylist()]
        if not (path / "finished.json").is_file():
            shutil.rmtree(path, ignore_errors=True)
            options = {"stopwords": "en", "stemmer": _stemmer(), "show_progress": False}
            tokens = bm25s.tokenize([row["text"] for row in rows], **options)
            index = bm25s.BM25(k1=1.2, b=0.75)
            index.index(tokens, show_progress=False)
            index.save(path, show_progress=False)
            (path / "finished.json").write_text(json.dumps({"rows": len(rows)}), "utf-8")
        return cls(bm25s.BM25.load(path, mmap=True), rows)

    def rank(self, query: str, /) -> list[int]:
        """Return the row numbers of the 10 best, best first."""
        rows, _ = self._find(query)
        return rows

    def search(self, query: str, /) -> list[tuple[float, dict[str, Any]]]:
        """Return score, place and text of the 10 best."""
        rows, scores = self._find(query)
        return [(score, self._rows[row]) for row, score in zip(rows, scores, strict=True)]

    def _find(self, query: str) -> tuple[list[int], list[float]]:
        import bm25s

        tokens = bm25s.tokenize(
            [query], stopwords="en", stemmer=self._stemmer, return_ids=False, show_progress=False
        )
        hits = self._index.retrieve(tokens, k=K, show_progress=False)
        return hits.documents[0].tolist(), hits.scores[0].tolist()


class LanceDb:
    """A LanceDB table with the vectors: IVF-PQ and full-text index, and hybrid search with RRF.

    Partitions and probes are the defaults, without refinement by the exact vectors.
    """

    semantic_label = "LanceDB vector search (IVF-PQ)"
    exact_label = "LanceDB vector search (no index)"
    hybrid_label = "LanceDB hybrid search (IVF-PQ, full text, RRF)"
    semantic_differs = (
        "same vectors; approximate; text, page and lines, no neighbours; one table version"
    )
    exact_differs = "same vectors; exact, from disk; text, page and lines, no neighbours"
    hybrid_differs = (
        "same vectors; stems, stop list; approximate; ranks of two lists joined, no exact score "
        "of both signals; text, page and lines, no neighbours"
    )

    def __init__(self, table: Any) -> None:
        from lancedb.rerankers import RRFReranker

        self._table, self._reranker = table, RRFReranker()

    @classmethod
    def open(cls, corpus: Corpus, /) -> LanceDb:
        """Open the table of *corpus*, building it if it is not there."""
        import lancedb
        from lancedb.index import FTS, IvfPq

        path = corpus.home / "peer-lancedb"
        if not path.is_dir():
            building = path.with_suffix(".building")
            shutil.rmtree(building, ignore_errors=True)
            layout, batches = _texts(corpus, "dense")
            reader = pa.RecordBatchReader.from_batches(layout, batches)
            table = lancedb.connect(building).create_table("chunks", reader)
            table.create_index("text", config=FTS())
            table.create_index("dense", config=IvfPq(distance_type="cosine"))
            building.rename(path)
        return cls(lancedb.connect(path).open_table("chunks"))

    def semantic(self, vector: np.ndarray, /, *, k: int = K, exact: bool = False) -> list[Any]:
        """Return distance, place and text of the nearest *k*."""
        query = self._table.search(vector, vector_column_name="dense", query_type="vector")
        if exact:
            query = query.bypass_vector_index()
        rows: list[Any] = (
            query.distance_type("cosine").limit(k).select([*_COLUMNS, "_distance"]).to_list()
        )
        return rows

    def hybrid(self, query: str, vector: np.ndarray, /) -> list[Any]:
        """Return score, place and text of the 10 best by both signals."""
        request = self._table.search(query_type="hybrid", vector_column_name="dense")
        request = request.vector(vector).text(query).distance_type("cosine")
        rows: list[Any] = request.rerank(self._reranker).limit(K).select(list(_COLUMNS)).to_list()
        return rows


def _texts(corpus: Corpus, *more: str) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
    scanner = corpus.collection.workspace.state().snapshot.chunks.scanner(
        columns=[*_COLUMNS, *more]
    )
    return scanner.projected_schema, scanner.to_batches()


def _build_fts5(path: Path, corpus: Corpus) -> None:
    names = ", ".join(_COLUMNS)
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(f"CREATE TABLE chunks (id INTEGER PRIMARY KEY, {names})")
        connection.execute(
            "CREATE VIRTUAL TABLE words USING fts5(text, content='chunks', content_rowid='id', "
            "tokenize='porter unicode61')"
        )
        for batch in _texts(corpus)[1]:
            connection.executemany(
                f"INSERT INTO chunks ({names}) VALUES (?, ?, ?, ?, ?, ?)",
                zip(*(batch[name].to_pylist() for name in _COLUMNS), strict=True),
            )
        connection.execute("INSERT INTO words (words) VALUES ('rebuild')")
        # One b-tree instead of several: the best state that this peer can be in.
        connection.execute("INSERT INTO words (words) VALUES ('optimize')")
    connection.close()


def _any(query: str) -> str:
    return " OR ".join(f'"{word}"' for word in re.findall(r"\w+", query))


def _stemmer() -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer("english")
