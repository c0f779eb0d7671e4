"""The same texts in other engines: SQLite FTS5 and Lance's own full-text index."""

from __future__ import annotations

import re
import shutil
import sqlite3
from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bench.synthetic import Corpus

_PLACE = ("chunk_id", "document_name", "page", "line_start", "line_end")
_COLUMNS = (*_PLACE, "text")
K = 10


class Fts5:
    """SQLite FTS5, tokenizer ``porter unicode61``, ranked by its built-in bm25.

    The words of a query are joined by OR. The index holds no second copy of the text; text and
    place of the winners come from an ordinary table.
    """

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
        found = self._connection.execute(
            "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?", (_any(query), K)
        )
        return [row for (row,) in found]

    def search(self, query: str, /) -> list[tuple[Any, ...]]:
        """Return score, place and text of the 10 best."""
        return self._connection.execute(
            "WITH best AS (SELECT rowid AS id, rank AS score FROM words WHERE words MATCH ? "
            "ORDER BY rank LIMIT ?) SELECT best.score, chunks.* FROM best JOIN chunks USING (id) "
            "ORDER BY best.score",
            (_any(query), K),
        ).fetchall()


class LanceIndex:
    """Lance's inverted index (English stems, no positions); terms of a query are joined by OR."""

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
            table = pa.Table.from_batches(_texts(corpus))
            dataset = lance.write_dataset(table, building)
            dataset.create_scalar_index("text", "INVERTED", with_position=False)
            building.rename(path)
        return cls(path)

    def rank(self, query: str, /) -> list[int]:
        """Return the row ids of the 10 best, best first."""
        found = self._find(query, [])
        rows: list[int] = found["_rowid"].to_pylist()
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


def _texts(corpus: Corpus) -> Iterator[pa.RecordBatch]:
    batches: Iterator[pa.RecordBatch] = (
        corpus.collection.snapshot().chunks.scanner(columns=list(_COLUMNS)).to_batches()
    )
    yield from batches


def _build_fts5(path: Path, corpus: Corpus) -> None:
    names = ", ".join(_COLUMNS)
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(f"CREATE TABLE chunks (id INTEGER PRIMARY KEY, {names})")
        connection.execute(
            "CREATE VIRTUAL TABLE words USING fts5(text, content='chunks', content_rowid='id', "
            "tokenize='porter unicode61')"
        )
        for batch in _texts(corpus):
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
