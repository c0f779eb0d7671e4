"""Keyword search beside other engines on the same texts and queries."""

from __future__ import annotations

import statistics
import time
from typing import TYPE_CHECKING

from bench import synthetic
from bench.peers import OWN_TERMS, Bm25s, Fts5, K, LanceIndex
from bench.report import Row, compete, judge, number, spread
from casetrack.retrieve.ranking import Question, rank
from casetrack.steps.words import index_terms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bench.peers import KeywordPeer
    from bench.report import Effort
    from bench.synthetic import Corpus
    from casetrack.collection import Collection

REQUIRED_MS, AIM_MS = 10.0, 3.0
_SQL_QUERIES = 3
_OWN = "CaseTrack"
_RANKED = f"ranking only, top {K}"
_CITED = f"top {K} with text and place"


def keyword_rows(corpus: Corpus, effort: Effort, /) -> Iterator[Row]:
    """Yield keyword search per class of queries: bare ranking and with text, beside the peers."""
    peers = _peers(corpus)
    collection = corpus.collection
    _, index = collection.index()
    ranking: dict[str, Callable[[str], object]] = {
        _OWN: lambda query: rank(index, K, Question(terms=index_terms(query)))
    }
    citing: dict[str, Callable[[str], object]] = {
        _OWN: lambda query: collection.search(query, k=K, mode="keyword")
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
            yield from _compared(f"keyword, {kind} terms, {what}", times, differs)
        yield _sql_row(collection, kind, queries[:_SQL_QUERIES])
    for what, times in everything.items():
        yield from _compared(f"KEYWORD, all three classes together, {what}", times, differs)
    if not Bm25s.is_installed():
        yield Row(
            "keyword", f"  {Bm25s.label}", f"not measured: `pip install {Bm25s.package}` adds it"
        )


def _peers(corpus: Corpus) -> list[KeywordPeer]:
    found: list[KeywordPeer] = [Fts5.open(corpus), LanceIndex.open(corpus)]
    if Bm25s.is_installed():
        found.append(Bm25s.open(corpus))
    return found


def _compared(
    what: str, times: dict[str, list[float]], differs: dict[str, str], /
) -> Iterator[Row]:
    spreads = {name: spread(taken) for name, taken in times.items()}
    own = spreads.pop(_OWN)
    behind = [name for name, found in spreads.items() if found.p95 < own.p95]
    verdict = judge(own.p95, required=REQUIRED_MS, aim=AIM_MS)
    verdict += f", BEHIND {' and '.join(behind)}" if behind else ", ahead of all"
    yield Row(
        "keyword",
        what,
        str(own),
        required=f"p95 < {REQUIRED_MS:.0f} ms",
        aim=f"p95 <= {AIM_MS:.0f} ms, ahead of FTS5 and Lance",
        verdict=verdict,
        equal=OWN_TERMS,
        figures=own.figures,
    )
    for name, found in spreads.items():
        yield Row(
            "keyword",
            f"  {name}: {what}",
            str(found),
            ratio=found.ratio(own),
            equal=differs[name],
            figures=found.figures,
        )


def _sql_row(collection: Collection, kind: str, queries: list[str]) -> Row:
    """Time the definition in SQL, and count how far both agree on the winners."""
    taken, agreed = [], 0
    statement = f"SELECT chunk_id FROM bm25($question, {K})"
    for query in queries:
        started = time.perf_counter()
        table = collection.sql(statement, params={"question": query})
        taken.append((time.perf_counter() - started) * 1000)
        found = collection.search(query, k=K, mode="keyword").results
        agreed += table["chunk_id"].to_pylist() == [r.provenance.chunk_id for r in found]
    return Row(
        "keyword",
        f"  SQL definition in DuckDB (casetrack query): keyword, {kind} terms",
        f"median {number(statistics.median(taken))} ms; same {K} in {agreed} of {len(queries)}",
        figures={"median_ms": statistics.median(taken), "agreed_share": agreed / len(queries)},
    )
