"""Search modes with their stages, and vector searches compared with LanceDB on the same vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.peers import K, LanceDb
from bench.recall import exact_nearest, recall
from bench.report import Row, compete, judge, number, spread

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bench.report import Effort
    from bench.synthetic import Corpus
    from casetrack.api.collection import Collection

_REQUIRED_MS = {"keyword": 10.0, "full": 200.0}
_AIM_MS = {"keyword": 1.5, "hybrid": 5.0, "full": 7.0}
_MANY = 1_000_000
_AIM_MS_OF_MANY = {"keyword": 12.0, "hybrid": 40.0, "full": 60.0}
_NEIGHBOURS = 100
_MOST_QUERIES = 50
_KINDS = ("middling", "very frequent")
_SEMANTIC = (
    "same vectors, given; text, full source, neighbours; live documents only, one state per search"
)
_HYBRID = f"{_SEMANTIC}; stems, stop list; exact scores of both signals for every candidate"


def mode_rows(corpus: Corpus, effort: Effort, /, *, group: str = "modes") -> Iterator[Row]:
    """Yield p50 and p95 of every mode and of its stages, with questions encoded by the real model.

    The goals are those for 50,000 chunks, or from a million chunks those for a million.
    """
    for mode in corpus.modes:
        for kind in _KINDS:
            # Meaning alone does not depend on how frequent the words are.
            if mode != "semantic" or kind == _KINDS[0]:
                yield _mode_row(corpus, effort, mode, kind, group)
    if not corpus.has_tokens:
        yield Row(group, f"{_size(corpus)}: full", "not measured: made without token matrices")


def _mode_row(corpus: Corpus, effort: Effort, mode: str, kind: str, group: str) -> Row:
    queries = corpus.queries(kind, count=effort.queries)
    stages: dict[str, list[float]] = {}

    def ask(query: str) -> object:
        results = corpus.collection.search(query, limit=K, mode=mode)  # type: ignore[arg-type]
        for stage, taken in results.stage_ms.items():
            stages.setdefault(stage, []).append(taken)
        return results

    times = spread(compete({mode: ask}, queries, passes=effort.passes)[mode])
    # The first round is for warming up and counts in no stage either.
    parts = {name: spread(taken[len(queries) :]) for name, taken in stages.items()}
    aims = _AIM_MS_OF_MANY if corpus.chunk_count >= _MANY else _AIM_MS
    required, aim = _REQUIRED_MS.get(mode), aims.get(mode)
    per_stage = {
        f"{name}_{key}": value
        for name, part in parts.items()
        for key, value in part.figures.items()
    }
    shown = ", ".join(
        f"{name} {number(part.p50)}/{number(part.p95)}" for name, part in parts.items()
    )
    return Row(
        group,
        f"{_size(corpus)}: {mode}, {kind} terms, top {K} with text",
        f"{times}; stages p50/p95: {shown}",
        required=f"p95 < {required:.0f} ms" if required else "",
        aim=f"p95 <= {aim:.0f} ms" if aim else "",
        verdict=judge(times.p95, required=required, aim=aim),
        figures=times.figures | per_stage,
    )


def recall_rows(corpus: Corpus, effort: Effort, /, *, group: str = "modes") -> Iterator[Row]:
    """Yield how many of the truly nearest 100 the semantic search finds."""
    queries = corpus.queries("middling", count=min(effort.queries, _MOST_QUERIES))
    depth = min(_NEIGHBOURS, corpus.chunk_count)
    truth = exact_nearest(corpus, [corpus.space.query(q) for q in queries], depth)
    ids = [_semantic_ids(corpus.given, query, depth) for query in queries]
    mean, worst = recall(ids, truth)
    yield Row(
        group,
        f"{_size(corpus)}: semantic recall@{depth} against exact, {len(queries)} queries",
        f"mean {mean:.4f}, least {worst:.3f}",
        figures={"mean_recall": mean, "least_recall": worst},
    )


def vector_peer_rows(corpus: Corpus, effort: Effort, /) -> Iterator[Row]:
    """Yield semantic and hybrid search compared with LanceDB; each engine receives the vectors."""
    peer, given = LanceDb.open(corpus), corpus.given
    queries = corpus.queries("middling", count=effort.queries)
    asked = [q for kind in _KINDS for q in corpus.queries(kind, count=effort.queries)]
    vectors = {query: corpus.space.query(query) for query in asked}
    semantic = compete(
        {
            "CaseTrack": lambda query: given.search(query, limit=K, mode="semantic"),
            peer.semantic_label: lambda query: peer.semantic(vectors[query]),
            peer.exact_label: lambda query: peer.semantic(vectors[query], exact=True),
        },
        queries,
        passes=effort.passes,
    )
    labels = {
        "CaseTrack": _SEMANTIC,
        peer.semantic_label: peer.semantic_differs,
        peer.exact_label: peer.exact_differs,
    }
    yield from _beside("semantic", semantic, labels)
    yield from _peer_recall(corpus, peer, queries[:_MOST_QUERIES])
    for kind in _KINDS:
        queries = corpus.queries(kind, count=effort.queries)
        hybrid = compete(
            {
                "CaseTrack": lambda query: given.search(query, limit=K, mode="hybrid"),
                peer.hybrid_label: lambda query: peer.hybrid(query, vectors[query]),
            },
            queries,
            passes=effort.passes,
        )
        labels = {"CaseTrack": _HYBRID, peer.hybrid_label: peer.hybrid_differs}
        yield from _beside(f"hybrid, {kind} terms", hybrid, labels)


def _beside(what: str, times: dict[str, list[float]], labels: dict[str, str], /) -> Iterator[Row]:
    spreads = {name: spread(taken) for name, taken in times.items()}
    own = spreads.pop("CaseTrack")
    behind = [name for name, other in spreads.items() if other.p95 < own.p95]
    yield Row(
        "vectors",
        f"{what}, vectors given, top {K} with text and place",
        str(own),
        verdict=f"BEHIND {' and '.join(behind)}" if behind else "ahead of all",
        equal=labels["CaseTrack"],
        figures=own.figures,
    )
    for name, other in spreads.items():
        yield Row(
            "vectors",
            f"  {name}: {what}",
            str(other),
            ratio=other.ratio(own),
            equal=labels[name],
            figures=other.figures,
        )


def _peer_recall(corpus: Corpus, peer: LanceDb, queries: list[str]) -> Iterator[Row]:
    depth = min(_NEIGHBOURS, corpus.chunk_count)
    vectors = [corpus.space.query(query) for query in queries]
    truth = exact_nearest(corpus, vectors, depth)
    engines = {
        "CaseTrack": [_semantic_ids(corpus.given, query, depth) for query in queries],
        peer.semantic_label: [
            [row["chunk_id"] for row in peer.semantic(vector, k=depth)] for vector in vectors
        ],
    }
    for name, engine in engines.items():
        mean, worst = recall(engine, truth)
        yield Row(
            "vectors",
            f"  {name}: recall@{depth} against exact, {len(queries)} queries",
            f"mean {mean:.4f}, least {worst:.3f}",
            figures={"mean_recall": mean, "least_recall": worst},
        )


def _semantic_ids(collection: Collection, query: str, k: int) -> list[str]:
    answer = collection.search(query, limit=k, mode="semantic")
    return [result.provenance.chunk_id for result in answer]


def _size(corpus: Corpus) -> str:
    return f"{corpus.chunk_count:,} chunks"
