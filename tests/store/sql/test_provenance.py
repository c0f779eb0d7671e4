"""Sources in SQL equal those of the library, for any question and any row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from casetrack.base.errors import ChunkNotFound
from casetrack.search.query.reading import Reading
from casetrack.store.session import write_session

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.api.collection import Collection
    from casetrack.api.library import Library

WORDS = (
    *("agreement", "payment", "invoice", "termination", "notice", "delay", "damages", "price"),
    *("crane", "software", "alarm", "frost", "insurance", "warranty", "Zahlung", "Lieferung"),
    *("2024", "£", "14.2", "the", "zzz", "siren's", "(a)", "%", "_", "days", "Whitlock"),
)
QUESTIONS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)
quick = settings(
    max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture(scope="module")
def sources(demo: Collection) -> dict[str, tuple[str, str, str, int, str]]:
    """Return citation, document, page and text of every chunk from the library."""
    return {
        c.chunk_id: (
            c.provenance.cite(),
            c.provenance.document_id,
            c.provenance.document_name,
            c.provenance.page,
            c.text,
        )
        for document in demo.documents()
        for c in demo.read.chunks(document.document_id)
    }


# --- every source, however it is reached -----------------------------------------------------

ROWS = [
    "SELECT chunk_id, citation, document_id, document_name, page, text FROM chunks",
    "SELECT chunk_id, cite(chunk_id) AS citation, document_id, document_name, page FROM chunks",
    ("SELECT chunk_id, cite(document_name, page_kind, page, paragraph_start, paragraph_end, "
     "line_start, line_end, page_is_estimated, sheet_name, row_start, row_end, column_start, "
     "column_end) AS citation FROM chunks"),
    *(f"SELECT chunk_id, cite(chunk_id) AS citation, document_id, document_name, page FROM {view}"
      for view in ("mentions", "dates", "amounts", "citations")),
    ("SELECT m.chunk_id, c.citation, m.document_id, m.document_name, m.page, c.text "
     "FROM mentions m JOIN chunks c USING (chunk_id)"),
    "SELECT unnest(evidence) AS chunk_id, cite(chunk_id) AS citation FROM edges",
    "SELECT chunk_id, citation FROM bm25('agreement payment notice', k => 1e6)",
    "SELECT s.* FROM (VALUES ('delay'), ('price of cranes')) t(q), search(t.q, k => 1000) s",
    ("SELECT s.* FROM chunks c, similar(c.chunk_id, k => 500, min_similarity => 0.5, "
     "same_document => true) s WHERE c.chunk_index = 0"),
    "SELECT s.* FROM chunks c, context(c.chunk_id, 100) s WHERE c.chunk_index = 0",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("statement", ROWS)
def test_every_source_is_what_the_library_says(
    demo: Collection, sources: dict[str, Any], statement: str
) -> None:
    rows = demo.sql(statement).to_pylist()
    assert len(rows) > 20
    columns = ("citation", "document_id", "document_name", "page", "text")
    for row in rows:
        known = dict(zip(columns, sources[row["chunk_id"]], strict=True))
        assert {name: row[name] for name in columns if name in row} == {
            name: known[name] for name in columns if name in row
        }


def test_every_citation_of_a_chunk_by_itself_is_the_same(
    demo: Collection, sources: dict[str, Any]
) -> None:
    for chunk_id, (citation, *_) in [*sources.items()][::4]:
        assert demo.read.chunk(chunk_id).provenance.cite() == citation


def test_a_page_is_made_of_the_chunks_that_are_cited_there(
    demo: Collection, sources: dict[str, Any]
) -> None:
    pages = demo.sql("SELECT * FROM pages").to_pylist()
    by_name = {(p["document_id"], p["page"]): p for p in pages}
    assert len(by_name) == len(pages)
    assert set(by_name) == {(source[1], source[3]) for source in sources.values()}
    for _, document_id, name, page, text in sources.values():
        assert by_name[document_id, page]["document_name"] == name
        assert " ".join(text.split()) in " ".join(by_name[document_id, page]["text"].split())


# --- every answer ----------------------------------------------------------------------------

ARGUMENTS = st.tuples(
    QUESTIONS,
    st.integers(1, 120),
    st.sampled_from([None, "keyword", "semantic", "hybrid", "full"]),
    st.sampled_from([None, "Master Services Agreement.pdf", "Amendment No 1.docx"]),
)
SIGNALS = ("bm25", "semantic", "maxsim")


@quick
@given(st.lists(ARGUMENTS, min_size=1, max_size=4, unique=True))
def test_search_finds_what_the_library_finds(
    demo: Collection, asked: list[tuple[str, int, Any, Any]]
) -> None:
    params = {
        f"{name}{n}": a
        for n, four in enumerate(asked)
        for name, a in zip("qkmd", four, strict=True)
    }
    parts = [
        f"SELECT {n} AS n, * FROM search($q{n}, k => $k{n}, mode => $m{n}, document => $d{n})"
        for n in range(len(asked))
    ]
    rows = demo.sql(" UNION ALL ".join(parts) + " ORDER BY n, rank", params=params).to_pylist()
    expected = [
        (
            *(n, hit.rank, hit.score, hit.provenance.chunk_id, hit.citation, hit.text),
            *(hit.signals[s].score if s in hit.signals else None for s in SIGNALS),
        )
        for n, (question, k, mode, document) in enumerate(asked)
        for hit in demo.search(question, limit=k, mode=mode, document=document, fold=False)
    ]
    columns = ("n", "rank", "score", "chunk_id", "citation", "text", "bm25", "cosine", "maxsim")
    assert [tuple(row[c] for c in columns) for row in rows] == expected


@quick
@given(question=QUESTIONS, number=st.none() | st.integers(0, 100))
def test_bm25_scores_as_keyword_search_does(
    demo: Collection, question: str, number: int | None
) -> None:
    names = sorted(d.name for d in demo.documents())
    document = None if number is None else names[number % len(names)]
    rows = demo.sql(
        "SELECT chunk_id, score FROM bm25($q, k => 1000, document => $d)"
        " ORDER BY score DESC, chunk_id",
        params={"q": question, "d": document},
    ).to_pylist()
    answer = demo.search(
        question, limit=1000, mode="keyword", document=document, fold=False, vocabulary=False
    )
    assert {r["chunk_id"]: r["score"] for r in rows} == pytest.approx(
        {hit.provenance.chunk_id: hit.score for hit in answer}, rel=1e-6
    )
    # SQL computes with doubles, search with floats: only equal scores may change places.
    scores = {r["chunk_id"]: r["score"] for r in rows}
    for row, hit in zip(rows, answer, strict=True):
        assert row["score"] == pytest.approx(scores[hit.provenance.chunk_id], rel=1e-6)


# --- deleted data ----------------------------------------------------------------------------

EVERYWHERE = {
    "documents": "SELECT document_id FROM documents",
    "chunks": "SELECT document_id FROM chunks",
    "pages": "SELECT document_id FROM pages",
    "mentions": "SELECT document_id FROM mentions",
    "dates": "SELECT document_id FROM dates",
    "amounts": "SELECT document_id FROM amounts",
    "postings": "SELECT document_id FROM postings JOIN chunks USING (chunk_id)",
    "search": "SELECT document_id FROM search('rent Monday', k => 1000)",
    "bm25": "SELECT document_id FROM bm25('rent Monday', 99) JOIN chunks USING (chunk_id)",
    "context": (
        "SELECT n.document_id FROM search('rent') s, context(s.chunk_id) n "
        "WHERE n.document_name = s.document_name"
    ),
}
"""Statements that reach document ids of a collection."""


def _lease(number: int) -> str:
    return f"Lease {number}: rent of £{number},500 is due on Monday, {number} May 2024."


@pytest.mark.slow
def test_what_was_deleted_or_replaced_is_nowhere(
    library: Library, store_text: Callable[..., Any]
) -> None:
    collection = library.create("Case")
    with write_session(collection.folder) as session:
        kept, gone, old = (store_text(session, f"{n}.txt", _lease(n)) for n in (1, 2, 3))
    ids = {kept.document_id, gone.document_id, old.document_id}
    for name, statement in EVERYWHERE.items():
        assert set(collection.sql(statement)["document_id"].to_pylist()) == ids, name
    with write_session(collection.folder) as session:
        store_text(session, "3.txt", "The rent was waived on 4 May 2024; £12 remain.",
                   document_id=old.document_id)  # fmt: skip
    old_chunk = collection.sql("SELECT chunk_id FROM chunks WHERE document_name = '2.txt'")
    collection.delete_document(gone.document_id)
    ids = {kept.document_id, old.document_id}
    for name, statement in EVERYWHERE.items():
        assert set(collection.sql(statement)["document_id"].to_pylist()) == ids, name
    assert collection.sql("SELECT count(*) AS n FROM chunks WHERE text LIKE '%Lease 3%'")[
        "n"
    ].to_pylist() == [0]
    assert collection.sql("SELECT citation AS n FROM search('Lease')").num_rows == 1
    assert "3,500" not in str(collection.sql("SELECT list(text) FROM amounts").to_pylist())
    for call in ("cite($c)", "(SELECT any_value(text) FROM context($c))"):
        with pytest.raises(ChunkNotFound):
            collection.sql(f"SELECT {call}", params={"c": old_chunk["chunk_id"][0].as_py()})


# --- one state -------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_statement_sees_one_state_while_another_is_written(
    library: Library, store_text: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    collection = library.create("Case")
    with write_session(collection.folder) as session:
        first = store_text(session, "1.txt", _lease(1))

    def meanwhile(reading: Any, question: str, /, **given: Any) -> Any:
        if question == "rent":
            with write_session(collection.folder) as session:
                store_text(session, "2.txt", _lease(2))
            collection.delete_document(first.document_id)
        return search(reading, question, **given)

    search = Reading.search
    monkeypatch.setattr(Reading, "search", meanwhile)
    rows = collection.sql(
        "SELECT s.document_name, cite(s.chunk_id) AS cited, p.text, a.value, n.position, "
        "(SELECT list(name) FROM documents) AS names, (SELECT max(rank) FROM search('lease')) AS r "
        "FROM search('rent') s, context(s.chunk_id) n, pages p, amounts a "
        "WHERE p.document_id = s.document_id AND a.chunk_id = s.chunk_id"
    ).to_pylist()
    assert rows == [
        {
            "document_name": "1.txt",
            "cited": "1.txt, p. 1, para. 1, l. 1",
            "text": _lease(1),
            "value": 1500.0,
            "position": 0,
            "names": ["1.txt"],
            "r": 1,
        }
    ]
    assert collection.sql("SELECT name FROM documents")["name"].to_pylist() == ["2.txt"]
