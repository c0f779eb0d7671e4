"""Retrieval as SQL functions: Python answers are unnested into rows by ``search.sql`` and others.

Within one statement, each distinct question is answered once.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import QueryError, UsageError
from casetrack.base.records.cards import RetrievalCall
from casetrack.base.sql.catalog import catalog, document_filters
from casetrack.search.query.reading import Retrieved
from casetrack.store.sql.connection import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from collections.abc import Set as AbstractSet

    import duckdb

    from casetrack.base.sql.catalog import Column
    from casetrack.base.sql.control import Control
    from casetrack.search.query.reading import Reading

MOST_QUESTIONS = 100
"""Maximum number of distinct questions of ``search`` within a statement."""
MOST_CHUNKS = 1000
"""Maximum number of distinct chunks of ``similar`` and ``context`` within a statement."""
MOST_SIMILAR = 500
MOST_AROUND = 100
FILTERS = document_filters()
"""Filters of the documents that ``search`` and ``bm25`` use, in this order."""
_POSTINGS = "STRUCT(row INTEGER, tf INTEGER, length INTEGER)[]"
_TYPES = {"string": "VARCHAR", "int32": "INTEGER", "double": "DOUBLE"}


@dataclass(slots=True)
class _Answer:
    retrieved: Retrieved
    milliseconds: float
    error: Exception | None = None
    times: int = 1


@dataclass(slots=True)
class Calls:
    """The questions of one statement, with their answers."""

    control: Control  # Stops the statement, and is notified during retrieval
    # The last error of an answer, of edges, or of reading passages. DuckDB only passes on its text.
    error: Exception | None = None
    withheld: dict[str, str] = field(default_factory=dict)
    _answers: dict[tuple[Any, ...], _Answer] = field(default_factory=dict)
    _cited: dict[str | None, tuple[int, float, int]] = field(default_factory=dict)
    # DuckDB calls from several threads; a question from two of them is answered once.
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def ask(
        self, key: tuple[Any, ...], most: int, answer: Callable[[], Retrieved], /
    ) -> Sequence[dict[str, Any]]:
        """Return the rows for a question, cached within the statement.

        *key* has function, collection, question, and the other arguments as pairs; *most* is the
        maximum number of distinct questions of the function.
        """
        with self._lock, self.control.loading():
            known = self._answers.get(key)
            if known is None:
                self.go_on()
                self._bound(key, most)
                known = self._answers[key] = self._timed(answer)
            else:
                known.times += 1
        if known.error is not None:
            self.error = known.error
            raise known.error
        return known.retrieved.rows

    def cite(
        self, collection: str | None, ids: Sequence[str], answer: Callable[[], list[str]], /
    ) -> list[str]:
        """Return citations, which are not cached."""
        with self._lock, self.control.loading():
            self.go_on()
            started = time.perf_counter()
            try:
                cited = answer()
            except Exception as error:
                self.error = error
                raise
            spent = (time.perf_counter() - started) * 1000
            count, milliseconds, times = self._cited.get(collection, (0, 0.0, 0))
            self._cited[collection] = count + len(ids), milliseconds + spent, times + 1
        return cited

    def go_on(self) -> None:
        """Raise ``InterruptedError`` if the statement's time is over."""
        if self.control.stopped.is_set():
            raise InterruptedError

    def failed(self, error: Exception, /) -> None:
        """Keep an error of building edges or reading passages."""
        self.error = error

    def made(self) -> tuple[RetrievalCall, ...]:
        """Return the questions in order, then the citations."""
        asked = [
            RetrievalCall(
                function=function,
                collection=collection,
                question=question,
                arguments=dict(arguments),
                mode=answer.retrieved.mode,
                stages=answer.retrieved.stages,
                rows=len(answer.retrieved.rows),
                milliseconds=answer.milliseconds,
                times=answer.times,
                notes=answer.retrieved.notes,
            )
            for (function, collection, question, arguments), answer in self._answers.items()
        ]
        cited = [
            RetrievalCall("cite", name, f"{n} chunks", {}, None, (), n, milliseconds, times)
            for name, (n, milliseconds, times) in self._cited.items()
        ]
        return (*asked, *cited)

    def _bound(self, key: tuple[Any, ...], most: int) -> None:
        function = key[0]
        # The same question for several documents is one question.
        asked = {known[1:3] for known in (*self._answers, key) if known[0] == function}
        if len(asked) <= most:
            return
        self.error = QueryError(
            f"This statement calls {function}() with more than {most:,} different questions.",
            hint=f"Call {function}() over a subquery with a LIMIT, or with a filter.",
        )
        raise self.error

    @staticmethod
    def _timed(answer: Callable[[], Retrieved]) -> _Answer:
        started = time.perf_counter()
        try:
            retrieved, error = answer(), None
        except Exception as raised:  # noqa: BLE001 - raised to everyone who asks the same
            retrieved, error = Retrieved(()), raised
        return _Answer(retrieved, (time.perf_counter() - started) * 1000, error)


@dataclass(frozen=True, slots=True)
class _Asked:
    reading: Reading
    calls: Calls


class Functions:
    """The functions of one collection that ``search.sql``, ``bm25.sql`` and others use.

    DuckDB references registered functions outside the view of Python's garbage collector, so this
    object holds no state between two statements. *number* is that of the collection among those
    that a statement may query, *collection* its schema, if there are several.
    """

    _asked: _Asked

    def __init__(self, number: int, collection: str | None, /) -> None:
        self._number = number
        self._collection = collection
        self._defined: set[str] = set()

    def define(self, connection: duckdb.DuckDBPyConnection, needed: AbstractSet[str], /) -> None:
        """Register functions in *needed* that are not registered yet, each in under 1 ms."""
        from duckdb.func import FunctionNullHandling, PythonUDFType

        tables: dict[str, tuple[Callable[..., Any], list[Any]]] = {
            "search": (self._search, ["VARCHAR", "BIGINT", "VARCHAR", *["VARCHAR"] * len(FILTERS)]),
            "similar": (self._similar, ["VARCHAR", "BIGINT", "DOUBLE", "BOOLEAN"]),
            "context": (self._context, ["VARCHAR", "BIGINT"]),
        }
        arrays: dict[str, tuple[Callable[..., Any], list[Any], str]] = {
            "cite": (self._cite, ["VARCHAR"], "VARCHAR"),
            "chosen": (self._chosen, ["VARCHAR"] * len(FILTERS), "VARCHAR[]"),
            "postings_of": (self._postings_of, ["VARCHAR", "VARCHAR[]"], _POSTINGS),
        }
        special = FunctionNullHandling.SPECIAL
        for name in needed - self._defined:
            registered = f"_{name}_{self._number}"
            if name in tables:
                function, arguments = tables[name]
                connection.create_function(
                    registered, function, arguments, _row_type(name), null_handling=special
                )
            elif name in arrays:
                function, given, result = arrays[name]
                connection.create_function(
                    registered,
                    function,
                    given,
                    result,
                    type=PythonUDFType.ARROW,
                    null_handling=special,
                )
        self._defined |= needed

    @contextmanager
    def answering(self, reading: Reading, calls: Calls, /) -> Iterator[None]:
        """Answer the questions of one statement from *reading*, cached in *calls*."""
        self._asked = _Asked(reading, calls)
        try:
            yield
        finally:
            del self._asked

    def _search(
        self,
        question: str | None,
        k: int | None,
        mode: str | None,
        document: str | None,
        kind: str | None,
        source: str | None,
        path: str | None,
        language: str | None,
        since: str | None,
        until: str | None,
    ) -> Sequence[dict[str, Any]] | None:
        if question is None:
            return None
        # DuckDB requires explicit arguments.
        given = (document, kind, source, path, language, since, until)
        where = dict(zip(FILTERS, given, strict=True))
        others = {name: value for name, value in where.items() if value is not None}
        arguments = {"k": k, "mode": mode, "document": document, **others}
        return self._ask(
            "search",
            question,
            arguments,
            MOST_QUESTIONS,
            lambda: self._asked.reading.search(
                question, k=_whole("k", k, 1, 1000), mode=mode, where=where
            ),
        )

    def _similar(
        self,
        chunk_id: str | None,
        k: int | None,
        min_similarity: float | None,
        same_document: bool | None,
    ) -> Sequence[dict[str, Any]] | None:
        if chunk_id is None:
            return None
        least = 0.6 if min_similarity is None else min_similarity
        arguments = {"k": k, "min_similarity": least, "same_document": bool(same_document)}
        return self._ask(
            "similar",
            chunk_id,
            arguments,
            MOST_CHUNKS,
            lambda: self._asked.reading.similar(
                chunk_id,
                k=_whole("k", k, 1, MOST_SIMILAR),
                min_similarity=least,
                same_document=bool(same_document),
            ),
        )

    def _context(self, chunk_id: str | None, window: int | None) -> Sequence[dict[str, Any]] | None:
        if chunk_id is None:
            return None
        return self._ask(
            "context",
            chunk_id,
            {"window": window},
            MOST_CHUNKS,
            lambda: self._asked.reading.context(
                chunk_id, window=_whole("window", window, 0, MOST_AROUND)
            ),
        )

    def _cite(self, chunk_ids: Any, /) -> Any:
        import pyarrow as pa

        given = chunk_ids.to_pylist()
        wanted = list(dict.fromkeys(chunk_id for chunk_id in given if chunk_id is not None))
        if not wanted:
            return pa.nulls(len(given), pa.string())
        cited = self._asked.calls.cite(
            self._collection, wanted, lambda: self._asked.reading.cite(wanted)
        )
        citations = dict(zip(wanted, cited, strict=True))
        return pa.array([citations.get(chunk_id) for chunk_id in given], pa.string())

    def _chosen(
        self,
        document: Any,
        kind: Any,
        source: Any,
        path: Any,
        language: Any,
        since: Any,
        until: Any,
        /,
    ) -> Any:
        import pyarrow as pa

        columns = (document, kind, source, path, language, since, until)
        rows = zip(*(column.to_pylist() for column in columns), strict=True)
        try:
            ids_of_rows = [
                self._asked.reading.chosen(dict(zip(FILTERS, row, strict=True))) for row in rows
            ]
        except Exception as error:
            self._asked.calls.failed(error)
            raise
        return pa.array(ids_of_rows, pa.list_(pa.string()))

    def _postings_of(self, terms: Any, documents: Any, /) -> Any:
        wanted = terms.to_pylist(), documents.to_pylist()
        return self._asked.reading.keywords.postings(*wanted)

    def _ask(
        self,
        function: str,
        question: str,
        arguments: dict[str, Any],
        most: int,
        answer: Callable[[], Retrieved],
    ) -> Sequence[dict[str, Any]]:
        def answered() -> Retrieved:
            retrieved, names = answer(), [c.name for c in _columns(function)]
            rows = [{name: row[name] for name in names} for row in retrieved.rows]
            return replace(retrieved, rows=rows)

        key = (function, self._collection, question, tuple(arguments.items()))
        return self._asked.calls.ask(key, most, answered)


def _columns(name: str) -> tuple[Column, ...]:
    function = catalog().function(name)
    return function.columns if function is not None else ()


def _row_type(name: str) -> str:
    fields = ", ".join(f"{quoted(c.name)} {_TYPES[c.type]}" for c in _columns(name))
    return f"STRUCT({fields})[]"


def _whole(name: str, given: int | None, least: int, most: int) -> int:
    if given is None or not least <= given <= most:
        shown = "NULL" if given is None else f"{given:,}"
        raise UsageError(
            f"{name} must be {least} to {most:,}, not {shown}.",
            hint=f"Name the argument, such as {name} => {min(5, most)}.",
        )
    return given
