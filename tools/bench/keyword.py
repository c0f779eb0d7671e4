"""Keyword search compared with other engines on the same texts and queries."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from bench import synthetic
from bench.peers import OWN_TERMS, Bm25s, Fts5, K, LanceIndex
from bench.report import Row, compete, judge, number, spread
from casetrack.ingest.steps.words import index_terms
from casetrack.search.ranking import rank
from casetrack.store.index.scope import Question

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bench.peers import KeywordPeer
    from bench.report import Effort
    from bench.synthetic import Corpus
    from casetrack.api.collection import Collection

REQUIRED_MS = 10.0
AIM_MS = {"rare": 0.8, "middling": 1.0, "very frequent": 1.5}
SQL_AIM_MS, SEARCH_AIM_MS = 5.0, 1.0
"""Of bm25(), and of search() in SQL beyond the search itself."""
_SQL_QUERIES = 40
_OWN = "CaseTrack"
_RANKED = f"ranking only, top {K}"
_CITED = f"top {K} with text and place"


def keyword_rows(corpus: Corpus, effort: Effort, /) -> Iterator[Row]:
    """Yield rows of keyword search by class of queries, with and without text, and of other
    engines.
    """
    peers = _peers(corpus)
    collection = corpus.collection
    index = collection.workspace.state().index
    ranking: dict[str, Callable[[str], object]] = {
        _OWN: lambda query: rank(index, K, Question(terms=Counter(index_terms(query))))
    }
    citing: dict[str, Callable[[str], object]] = {
        _OWN: lambda query: collection.search(query, limit=K, mode="keyword")
    }
    for peer in peers:
        ranking[peer.label], citing[peer.label] = peer.rank, peer.search
    differs = {peer.label: peer.differs for peer in peers}
    everything: dict[str, dict[str, list[float]]] = {_RANKED: {}, _CITED: {}}
    for kind in synthetic.CLASSES:
        queries = corpus.queries(kind, count=effort.queries)
        for what, engines in ((_RANKED, ranking), (_CITED, citing)):
            times = compete(engines, queries, passes=effort.passes)
            for name, taken in times.items():
                everything[what].setdefault(name, []).extend(taken)
            yield from _compared(f"keyword, {kind} terms, {what}", AIM_MS[kind], times, differs)
        yield from _sql_rows(collection, kind, queries[:_SQL_QUERIES], effort.passes)
    for what, times in everything.items():
        name = f"KEYWORD, all three classes together, {what}"
        yield from _compared(name, max(AIM_MS.values()), times, differs)
    if not Bm25s.is_installed():
        yield Row(
            "keyword", f"  {Bm25s.label}", f"not measured: `pip install {Bm25s.package}` adds it"
        )


def _peers(corpus: Corpus) -> list[KeywordPeer]:
    peers: list[KeywordPeer] = [Fts5.open(corpus), LanceIndex.open(corpus)]
    if Bm25s.is_installed():
        peers.append(Bm25s.open(corpus))
    return peers


def _compared(
    what: str, aim: float, times: dict[str, list[float]], differs: dict[str, str], /
) -> Iterator[Row]:
    spreads = {name: spread(taken) for name, taken in times.items()}
    own = spreads.pop(_OWN)
    behind = [name for name, other in spreads.items() if other.p95 < own.p95]
    verdict = judge(own.p95, required=REQUIRED_MS, aim=aim)
    verdict += f", BEHIND {' and '.join(behind)}" if behind else ", ahead of all"
    yield Row(
        "keyword",
        what,
        str(own),
        required=f"p95 < {REQUIRED_MS:.0f} ms",
        aim=f"p95 <= {aim} ms, ahead of Lance",
        verdict=verdict,
        equal=OWN_TERMS,
        figures=own.figures,
    )
    for name, other in spreads.items():
        yield Row(
            "keyword",
            f"  {name}: {what}",
            str(other),
            ratio=other.ratio(own),
            equal=differs[name],
            figures=other.figures,
        )


def _sql_rows(collection: Collection, kind: str, queries: list[str], passes: int) -> Iterator[Row]:
    """Time the definition in SQL, and the search as it is and in SQL; count how far all agree."""
    asked: dict[str, Callable[[str], list[str]]] = {
        "bm25": lambda query: _column(
            collection, f"SELECT chunk_id FROM bm25($question, {K})", query
        ),
        "plain": lambda query: [
            result.provenance.chunk_id
            for result in collection.search(query, limit=K, mode="keyword").results
        ],
        "search": lambda query: _column(
            collection, f"FROM search($question, k => {K}, mode => 'keyword') ORDER BY rank", query
        ),
    }
    agreed = sum(len({tuple(ask(query)) for ask in asked.values()}) == 1 for query in queries)
    taken = {name: spread(times) for name, times in compete(asked, queries, passes=passes).items()}
    bm25, plain, search = taken["bm25"], taken["plain"], taken["search"]
    yield Row(
        "keyword",
        f"  SQL definition in DuckDB (casetrack query): keyword, {kind} terms",
        f"{bm25}; same {K} in {agreed} of {len(queries)}",
        aim=f"p95 <= {SQL_AIM_MS:.0f} ms",
        verdict=judge(bm25.p95, aim=SQL_AIM_MS),
        figures=bm25.figures | {"agreed_share": agreed / len(queries)},
    )
    yield Row(
        "keyword",
        f"  search() in SQL: keyword, {kind} terms",
        str(search),
        ratio=f"p50 + {number(search.p50 - plain.p50)} ms",
        aim=f"p50 + {SEARCH_AIM_MS:.0f} ms",
        verdict=judge(search.p50 - plain.p50, aim=SEARCH_AIM_MS),
        figures=search.figures | {"plain_p50_ms": plain.p50},
    )


def _column(collection: Collection, statement: str, question: str) -> list[str]:
    ids: list[str] = collection.sql(statement, params={"question": question})[
        "chunk_id"
    ].to_pylist()
    return ids
