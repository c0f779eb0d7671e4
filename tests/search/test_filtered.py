"""A filtered search equals a search over the remaining documents, in every mode and in SQL."""

from __future__ import annotations

import fnmatch
import math
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from casetrack.base.errors import UsageError
from casetrack.editions.context import api
from casetrack.ingest.steps.words import index_terms
from sourced import SOURCES, WORDS

if TYPE_CHECKING:
    from casetrack.api.collection import Collection
    from casetrack.base.records import Document

DEPTH = 30
PATTERNS = {
    # A pattern as typed, and a part of a path that it matches.
    "*.md": lambda p: p.endswith(".md"),
    "docs/**": lambda p: p.startswith("docs/") or "/docs/" in p,
    "docs/*.md": lambda p: fnmatch.fnmatch("/" + p, "*/docs/*.md") and "/deep/" not in p,
    "checks/": lambda p: p.startswith("checks/") or "/checks/" in p,
    "/src/**": lambda p: p.startswith("src/"),
    "file1*": lambda p: p.rsplit("/", 1)[-1].startswith("file1"),
    "!*.py": lambda p: not p.endswith(".py"),
}


class Terms(defaultdict[str, Counter[str]]):
    """The terms of each passage."""

    def __repr__(self) -> str:
        return "<terms>"


@pytest.fixture(scope="module")
def postings(sourced: Collection) -> Terms:
    by_name = Terms(Counter)
    for row in sourced.sql("SELECT term, chunk_id, tf FROM postings").to_pylist():
        by_name[row["chunk_id"]][row["term"]] = row["tf"]
    return by_name


def passes(document: Document, where: dict[str, Any]) -> bool:
    """Return whether a document passes a filter, by its definition."""
    own = document.source_updated_at or document.content_created_at
    day = (own or document.file_modified_at).date().isoformat()
    source = document.source or "filesystem"
    called = (document.source_id or document.path).lstrip("/")
    kinds = where.get("kinds")
    languages = where.get("languages")
    code = "Python" if document.format == "code" else None
    return (
        (kinds is None or bool({document.format, document.document_type or "other"} & {*kinds}))
        # A source by its name, or all of a kind; a file without one is of the kind "filesystem".
        and (
            "sources" not in where or bool({source, source.partition(":")[0]} & {*where["sources"]})
        )
        and ("paths" not in where or PATTERNS[where["paths"]](called))
        and (languages is None or bool({document.language, code} & {*languages}))
        and where.get("since", "") <= day <= where.get("until", "9999")
    )


def by_definition(postings: Terms, chunks: list[str], query: str) -> dict[str, float]:
    """Return BM25 of passages among themselves."""
    lengths = {chunk: postings[chunk].total() for chunk in chunks}
    mean = sum(lengths.values()) / len(chunks) if chunks else 0.0
    scores: dict[str, float] = {}
    for term, times in Counter(index_terms(query)).items():
        holders = [chunk for chunk in chunks if postings[chunk][term]]
        weight = math.log(1 + (len(chunks) - len(holders) + 0.5) / (len(holders) + 0.5))
        for chunk in holders:
            tf = postings[chunk][term]
            norm = 1.2 * (0.25 + 0.75 * lengths[chunk] / mean)
            scores[chunk] = scores.get(chunk, 0.0) + times * weight * 2.2 * tf / (tf + norm)
    return scores


FILTERS = st.fixed_dictionaries(
    {},
    optional={
        "sources": st.lists(st.sampled_from([s or "filesystem" for s in SOURCES]), min_size=1),
        "paths": st.sampled_from(sorted(PATTERNS)),
        "kinds": st.lists(
            st.sampled_from(["markdown", "code", "txt", "report", "other"]), min_size=1
        ),
        "languages": st.lists(st.sampled_from(["en", "de", "Python"]), min_size=1),
        "since": st.sampled_from(["2023-01-01", "2023-09-15", "2024-06-30"]),
        "until": st.sampled_from(["2024-08-01", "2025-01-01"]),
    },
)


@pytest.mark.slow
@settings(
    max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(where=FILTERS, query=st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join))
def test_it_is_brute_force_over_what_is_left(
    sourced: Collection,
    passages: dict[str, list[str]],
    postings: Terms,
    where: dict[str, Any],
    query: str,
) -> None:
    left = [d for d in sourced.documents() if passes(d, where)]
    chunks = [chunk for d in left for chunk in passages[d.document_id]]
    scores = by_definition(postings, chunks, query)
    best = pytest.approx(sorted(scores.values(), reverse=True)[:DEPTH], rel=1e-5)

    hits = sourced.search(query, mode="keyword", limit=DEPTH, fold=False, vocabulary=False, **where)
    assert (hits.searched_documents, hits.searched_chunks) == (len(left), len(chunks))
    assert [hit.signals["bm25"].score for hit in hits] == best
    assert [scores[hit.chunk_id] for hit in hits] == best

    everywhere = sourced.search(query, mode="semantic", limit=1000, fold=False)
    near = [hit.chunk_id for hit in everywhere if hit.chunk_id in chunks]
    hits = sourced.search(query, mode="semantic", limit=DEPTH, fold=False, **where)
    assert [hit.chunk_id for hit in hits] == near[:DEPTH]

    for mode in ("keyword", "hybrid", "full"):
        answer = api.search(sourced, query, mode=mode, limit=DEPTH, **where)
        assert {hit.id for hit in answer.results} <= {d.document_id for d in left}
    expected = {hit.provenance.document_id for hit in everywhere} & {d.document_id for d in left}
    answer = api.search(sourced, query, mode="semantic", limit=1000, **where)
    assert len(answer.results) == len(expected) or len(chunks) > 80


@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(where=FILTERS, query=st.sampled_from(WORDS))
def test_sql_is_filtered_the_same(
    sourced: Collection,
    passages: dict[str, list[str]],
    postings: Terms,
    where: dict[str, Any],
    query: str,
) -> None:
    # In SQL there is one value of each.
    where = {k: [v[0]] if isinstance(v, list) else v for k, v in where.items()}
    left = [d for d in sourced.documents() if passes(d, where)]
    chunks = [chunk for d in left for chunk in passages[d.document_id]]
    scores = by_definition(postings, chunks, query)
    given = {
        name.removesuffix("s"): v[0] if isinstance(v, list) else v for name, v in where.items()
    }
    named = "".join(f", {name} => ${name}" for name in given)
    for function, mode in (("bm25", ""), ("search", ", mode => 'keyword'")):
        rows = sourced.sql(
            f"SELECT chunk_id FROM {function}($q, k => 40{mode}{named})",
            params={"q": query, **given},
        ).to_pylist()
        best = pytest.approx(sorted(scores.values(), reverse=True)[:40], rel=1e-5)
        assert [scores[row["chunk_id"]] for row in rows] == best


@pytest.mark.parametrize(
    ("where", "text"),
    [
        ({"sources": "gti"}, '"gti"'),
        ({"sources": "git:platfrom"}, "(?s)git:platfrom.*git:platform"),
        ({"languages": "fr"}, '"fr"'),
        ({"paths": "!"}, '"!"'),
        ({"paths": ["*.md", "/"]}, '"/"'),
        ({"since": "2024-13-45T00:00:00Z"}, "2024-13-45"),
    ],
)
def test_what_is_unknown_is_reported(sourced: Collection, where: Any, text: str) -> None:
    with pytest.raises(UsageError, match=text):
        sourced.search("token", mode="keyword", **where)
    if "sources" in where:
        with pytest.raises(UsageError, match=r"(?:[a-z0-9:]+, )+git:platform"):
            sourced.search("token", mode="keyword", **where)


def test_other_ways_to_say_it(sourced: Collection) -> None:
    def left(**where: Any) -> int:
        return sourced.search("token", mode="keyword", **where).searched_documents

    assert left(languages="German") == left(languages="de") > 0
    assert left(languages="python") == left(kinds="code") > 0
    assert left(sources="GIT") == left(sources=["git:web", "git:platform"]) > 0
    assert left(since="2024-01-01T12:30:00+00:00") == left(since="2024-01-01") > 0
    assert left(paths=iter(["docs/", "!docs/deep/"])) == left(paths="docs/*.md") > 0
