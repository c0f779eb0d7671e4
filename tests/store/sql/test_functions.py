"""SQL functions equal the library: search, similar, context, cite, and the view of pages."""

from __future__ import annotations

import re
import threading
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from casetrack.base import errors, schema
from casetrack.base.sql.catalog import Function, View, catalog
from casetrack.search.query.functions import MOST_QUESTIONS
from casetrack.search.query.reading import Reading, Retrieved
from casetrack.search.query.run import run_query

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.api.collection import Collection
    from casetrack.api.library import Library
    from casetrack.store.workspace import State

QUESTION = "notice period for termination"


@pytest.fixture(scope="module")
def collection(library_of: Callable[..., Library]) -> Collection:
    pages = ("The rent is due on Monday.", "The landlord gives notice.")
    texts = {"lease.txt": pages, "offer.txt": ("Delivery is late. The rent was paid.",)}
    return library_of({"Case": texts}).get("Case")


def _chunk(collection: Collection, question: str = "rent") -> str:
    return collection.search(question, limit=1)[0].provenance.chunk_id


# --- each function against the library -------------------------------------------------------


def test_similar_gives_what_the_library_gives(demo: Collection) -> None:
    chunk_id = _chunk(demo, QUESTION)
    for same in (False, True):
        rows = demo.sql(
            "SELECT rank, similarity, chunk_id, citation, text "
            "FROM similar($c, k => 5, min_similarity => 0.4, same_document => $same) ORDER BY rank",
            params={"c": chunk_id, "same": same},
        ).to_pylist()
        result = demo.map.similar_chunks(
            chunk_id, limit=5, min_similarity=0.4, exclude_same_document=not same
        )
        assert [(r["rank"], r["similarity"], r["chunk_id"]) for r in rows] == [
            (n, s.similarity, s.chunk.chunk_id) for n, s in enumerate(result, start=1)
        ]
        assert [(r["citation"], r["text"]) for r in rows] == [
            (s.chunk.citation, s.chunk.text) for s in result
        ]
        assert rows


def test_context_gives_what_the_library_gives(demo: Collection) -> None:
    chunk_id = _chunk(demo, QUESTION)
    around = demo.read.context(chunk_id, window=2)
    expected = [*around.before, around.chunk, *around.after]
    rows = demo.sql(
        "SELECT * FROM context($c, window => 2) ORDER BY position", params={"c": chunk_id}
    ).to_pylist()
    first = -len(around.before)
    assert rows == [
        {
            "position": position,
            "chunk_id": c.chunk_id,
            "document_id": c.provenance.document_id,
            "document_name": c.provenance.document_name,
            "page": c.provenance.page,
            "citation": c.citation,
            "text": c.text,
        }
        for position, c in enumerate(expected, start=first)
    ]
    alone = demo.sql("SELECT position FROM context($c, WINDOW := 0)", params={"c": chunk_id})
    assert alone["position"].to_pylist() == [0]


@pytest.mark.slow
def test_bm25_takes_any_number_of_rows(collection: Collection) -> None:
    ask = "SELECT chunk_id, score FROM bm25('rent landlord delivery', {k})"
    everything = collection.sql(ask.format(k=999_999)).to_pylist()
    assert len(everything) > 1
    assert collection.sql(ask.format(k=3_000_000_000)).to_pylist() == everything
    assert collection.sql(ask.format(k=1)).to_pylist() == everything[:1]


# --- permitted positions ---------------------------------------------------------------------

STATEMENTS = [
    ("SELECT document_name AS n FROM search('rent paid', k => 1)", ["offer.txt"]),
    ("FROM search($q, 1) SELECT document_name AS n", ["offer.txt"]),
    (("SELECT name AS n FROM documents JOIN search($q) s USING (document_id) "
     "WHERE s.rank = 1"), ["offer.txt"]),
    (("SELECT s.document_name AS n FROM (VALUES ('landlord'), ('delivery')) t(q), "
     "search(t.q, k => 1) s ORDER BY t.q DESC"), ["lease.txt", "offer.txt"]),
    (("SELECT s.document_name AS n FROM (VALUES ('delivery'), (NULL)) t(q) "
     "LEFT JOIN LATERAL search(t.q) s ON true ORDER BY n NULLS LAST"), ["offer.txt", None]),
    (("SELECT (SELECT document_name FROM search(d.name || ' landlord', k => 1)) AS n "
     "FROM documents d WHERE name = 'lease.txt'"), ["lease.txt"]),
    (("WITH hits AS (FROM search($q)) SELECT document_name AS n FROM hits h "
     "WHERE EXISTS (FROM hits WHERE rank > h.rank) ORDER BY h.rank LIMIT 1"), ["offer.txt"]),
    ("SELECT document_name AS n FROM search('rent', document => 'lease.txt')", ["lease.txt"]),
    ("SELECT c.citation AS n FROM bm25($q, 1) b, context(b.chunk_id) c",
     ["offer.txt, p. 1, para. 1, l. 1"]),
    ("SELECT rank AS n FROM search(NULL)", []),
    ("SELECT position AS n FROM context(NULL)", []),
    ("SELECT cite(NULL) AS n", [None]),
    ("SELECT count(*) AS n FROM search('nothing of this kind')", [0]),
    ("SELECT count(*) AS n FROM bm25('rent', k => 1e9)", [2]),
    ("SELECT count(*) AS n FROM bm25(NULL)", [0]),
    ("SELECT count(*) AS n FROM bm25(2024)", [0]),
    (("SELECT name AS n FROM documents WHERE document_id NOT IN (SELECT document_id FROM chunks "
     "SEMI JOIN bm25('landlord', k => 1e9) USING (chunk_id))"), ["offer.txt"]),
    ("SELECT column_letters(unnest([NULL, 0, 1, 26, 27, 702, 703, 16384])) AS n",
     [None, None, "A", "Z", "AA", "ZZ", "AAA", "XFD"]),
]  # fmt: skip


@pytest.mark.parametrize(("statement", "expected"), STATEMENTS)
def test_they_stand_wherever_sql_lets_them(
    collection: Collection, statement: str, expected: list[Any]
) -> None:
    params = {"q": "rent paid"} if "$q" in statement else None
    assert collection.sql(statement, params=params)["n"].to_pylist() == expected


MISTAKES = [
    ("search('')", errors.UsageError, "query"),
    ("search('a', k => 0)", errors.UsageError, r"\bk\b.*1,000.*\b0\b"),
    ("search('a', k => 1001)", errors.UsageError, "1,001"),
    ("search('a', k => NULL)", errors.UsageError, "NULL"),
    ("search('a', mode => 'fast')", errors.UsageError, r"\"fast\"(.|\n)*keyword, semantic"),
    ("search('a', mode => 'semantic')", errors.ModelNotFound, "casetrack models pull"),
    ("search('a', document => 'leese.txt')", errors.DocumentNotFound, "lease.txt"),
    ("similar('x')", errors.ChunkNotFound, "x"),
    ("similar(NULL, k => 900) UNION ALL FROM similar('x', k => 900)", errors.UsageError, "500"),
    ("context('x')", errors.ChunkNotFound, "x"),
    ("context('x', window => -1)", errors.UsageError, "window.*100"),
    ("documents WHERE cite('x') = ''", errors.ChunkNotFound, "x"),
    ("documents WHERE cite(name) = ''", errors.ChunkNotFound, "lease.txt|offer.txt"),
]


@pytest.mark.parametrize(("statement", "kind", "message"), MISTAKES)
def test_an_error_of_retrieval_keeps_its_own_kind_and_words(
    collection: Collection, statement: str, kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=message) as caught:
        collection.sql(f"FROM {statement}")
    assert caught.type is kind
    assert "UDF" not in str(caught.value)


def test_a_mode_that_the_tier_lacks_is_refused_in_its_own_words(
    demo: Collection, free_tier: None
) -> None:
    with pytest.raises(errors.FreeTierLimit) as caught:
        demo.search("rent", mode="full")
    with pytest.raises(errors.FreeTierLimit) as in_sql:
        demo.sql("SELECT * FROM search('rent', mode => 'full')")
    assert str(in_sql.value) == str(caught.value)
    assert demo.sql("SELECT maxsim FROM search('rent')")["maxsim"].null_count > 0


# --- how often, and how long -----------------------------------------------------------------


def test_the_same_question_is_searched_once_in_a_statement(collection: Collection) -> None:
    report = collection.sql(
        "SELECT q, rank FROM (VALUES ('rent'), ('late'), ('rent')) t(q), search(t.q, k => 3) "
        "UNION ALL SELECT 'again', rank FROM search('rent', k => 3)",
        explain=True,
    )
    asked = [(c.function, c.question, c.mode, c.rows) for c in report.calls]
    assert sorted(asked) == [("search", "late", "keyword", 1), ("search", "rent", "keyword", 2)]
    assert all(c.stages == ("bm25",) and c.milliseconds > 0 for c in report.calls)
    assert all(c.notes for c in report.calls)
    assert "Unnest" in report.plan
    assert report.table.num_rows == 2 + 1 + 2 + 2
    assert report.seconds * 1000 >= max(c.milliseconds for c in report.calls)
    assert report.as_dict()["calls"][0]["arguments"] == {"k": 3, "mode": None, "document": None}


def test_a_search_that_falls_short_says_so(
    collection: Collection, caplog: pytest.LogCaptureFixture
) -> None:
    collection.sql("FROM search('rent') UNION ALL FROM search('late')")
    notes = [r.message for r in caplog.records if r.name == "casetrack.sql"]
    assert len(notes) == 1
    caplog.clear()
    collection.sql("FROM search('rent', mode => 'keyword')")
    assert not caplog.records


@pytest.mark.parametrize("statement", ["SHOW TABLES", "EXPLAIN SELECT 1", "DESCRIBE documents"])
def test_whatever_may_be_read_may_be_explained(collection: Collection, statement: str) -> None:
    report = collection.sql(statement, explain=True)
    assert report.plan
    assert report.calls == ()
    assert report.table.num_rows


@pytest.mark.slow
def test_a_column_of_too_many_questions_is_refused(collection: Collection) -> None:
    asked = "SELECT count(*) AS n FROM range({n}) r(i), search('rent ' || r.i, k => 1)"
    fits = collection.sql(asked.format(n=MOST_QUESTIONS))["n"].to_pylist()
    assert fits == [MOST_QUESTIONS]
    with pytest.raises(errors.QueryError, match=r"search\(\).*\b100\b") as caught:
        collection.sql(asked.format(n=MOST_QUESTIONS + 1))
    assert "LIMIT" in caught.value.hint


class _Slow(Reading):
    """Retrieval that is stopped while it answers its first question."""

    def __init__(self, state: State) -> None:
        super().__init__(state)
        self.asked: list[str] = []

    def search(self, question: str, /, **_: object) -> Retrieved:
        self.asked.append(question)
        threading.Event().wait(0.05)
        return Retrieved(())


def test_the_time_limit_holds_while_a_question_is_answered(collection: Collection) -> None:
    slow = _Slow(collection.workspace.state())
    with pytest.raises(errors.QueryError, match=r"0\.1"):
        run_query("FROM range(50) r(i), search('q' || r.i)", slow, timeout=0.1)
    assert 1 <= len(slow.asked) <= 3


# --- pages -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_page_is_its_text_without_the_overlaps(library_of: Callable[..., Library]) -> None:
    long = "\n\n".join(f"{n}. " + f"Zur Prüfung der 🚢 Clause {n}. " * 12 for n in range(40))
    collection = library_of({"Long": {"long.txt": (long, "Short page.")}}).get("Long")
    pages = collection.sql("SELECT * FROM pages ORDER BY page").to_pylist()
    assert pages[0]["chunk_count"] > 3
    assert [p["text"].split() for p in pages] == [long.split(), ["Short", "page."]]
    assert [p["char_count"] for p in pages] == [len(p["text"]) for p in pages]
    assert pages[1] == {
        "document_id": pages[0]["document_id"],
        "document_name": "long.txt",
        "page": 2,
        "page_kind": "page",
        "text": "Short page.",
        "chunk_count": 1,
        "char_count": 11,
        "extraction_method": "Native",
        "ocr_confidence": None,
    }


# --- the catalog -----------------------------------------------------------------------------


@pytest.mark.sampled(2)
@pytest.mark.parametrize("view", catalog().views, ids=lambda view: view.name)
def test_the_catalog_lists_every_column_of_every_view(demo: Collection, view: View) -> None:
    rows = demo.sql(f'SELECT * FROM "{view.name}" LIMIT 0').schema
    assert set(rows.names) == {c.name for c in view.columns}
    assert all(c.about for c in view.columns)
    assert view.about


@pytest.mark.parametrize("function", catalog().functions, ids=lambda function: function.name)
def test_every_function_gives_its_declared_columns(demo: Collection, function: Function) -> None:
    edge = demo.sql("SELECT source_id, target_id FROM edges LIMIT 1").to_pylist()[0]
    values = {
        "question": QUESTION,
        "chunk": _chunk(demo, QUESTION),
        "entity": edge["source_id"],
        "other": edge["target_id"],
    }
    given = [_GIVEN[p.name] for p in function.parameters if p.default is None]
    named = [f"{p.name} => {p.default}" for p in function.parameters if p.default is not None]
    call = f"{function.name}({', '.join(given + named)})"
    statement = f"SELECT * FROM {call}" if function.kind == "table" else f"SELECT {call} AS x"
    params = {name: values[name] for name in re.findall(r"\$(\w+)", statement)}
    rows = demo.sql(statement, params=params or None)
    if function.kind == "table":
        assert rows.column_names == [c.name for c in function.columns]
    declared = [schema.parse_type(c.type) for c in function.columns]
    for kind, field in zip(declared, rows.schema, strict=True):
        own, theirs = (t.value_type if pa.types.is_list(t) else t for t in (kind, field.type))
        assert (own, pa.types.is_list(kind)) == (theirs, pa.types.is_list(field.type))


_GIVEN = {
    "name": "'Court of Appeal'",
    "question": "$question",
    "chunk_id": "$chunk",
    "start_id": "$entity",
    "from_id": "$entity",
    "to_id": "$other",
    "number": "28",
}
"""Values of the required arguments."""
