"""The blended ranking equals an oracle written apart from it, on lists of all kinds."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from casetrack.base.arguments import Filter
from casetrack.base.errors import EmbeddingsDisabled, UsageError
from casetrack.search.blend import BlendSettings, blend, blended_search
from sourced import WORDS, sourced_collection

if TYPE_CHECKING:
    from casetrack.api.collection import Collection
    from casetrack.api.library import Library

QUERIES = ["token refresh", "rollback", "schema migrate lock shard", "nothing of it", "the of"]


def oracle(
    keyword: dict[str, float],
    vector: dict[str, float],
    alpha: float,
    document: dict[str, str],
    updated: dict[str, float],
    limit: int,
) -> list[tuple[str, float]]:
    """Rank documents by the letter of the definition, as slowly as it takes."""

    def scaled(scores: dict[str, float], chunk: str) -> float:
        if chunk not in scores:
            return 0.0
        low, high = min(scores.values()), max(scores.values())
        return 1.0 if low == high else (scores[chunk] - low) / (high - low)

    best: dict[str, float] = {}
    for chunk in set(keyword) | set(vector):
        score = (1.0 - alpha) * scaled(keyword, chunk) + alpha * scaled(vector, chunk)
        best[document[chunk]] = max(score, best.get(document[chunk], -1.0))
    rows = [(d, best[d], updated[d]) for d in best]
    for i in range(len(rows)):
        for j in range(i + 1, len(rows)):
            (di, si, ui), (dj, sj, uj) = rows[i], rows[j]
            behind = si < sj or (si == sj and (ui < uj or (ui == uj and di > dj)))
            if behind:
                rows[i], rows[j] = rows[j], rows[i]
    return [(d, s) for d, s, _ in rows[:limit]]


def random_lists(seed: int) -> tuple[dict[str, float], dict[str, float], dict[str, str]]:
    """Return two lists over shared passages: continuous, with many ties, equal, empty."""
    chance = random.Random(seed)
    chunks = [f"c{n:03d}" for n in range(chance.randint(1, 160))]
    documents = {
        chunk: f"d{chance.randint(0, chance.choice([3, 40, 200])):03d}" for chunk in chunks
    }

    def one(low: float, high: float) -> dict[str, float]:
        taken = chance.sample(chunks, chance.randint(0, min(80, len(chunks))))
        kind = chance.choice(["smooth", "ties", "equal"])
        if kind == "equal":
            return dict.fromkeys(taken, chance.uniform(low, high))
        if kind == "ties":
            return {c: low + (high - low) * chance.randint(0, 4) / 4 for c in taken}
        return {c: chance.uniform(low, high) for c in taken}

    return one(0.0, 30.0), one(-1.0, 1.0), documents


@pytest.mark.parametrize("block", range(5))
def test_it_equals_the_oracle(block: int) -> None:
    for seed in range(100 * block, 100 * block + 100):
        keyword, vector, documents = random_lists(seed)
        chance = random.Random(-seed)
        alpha = chance.choice([0.0, 0.6, 1.0, chance.random()])
        updated = {d: float(chance.randint(0, 3)) for d in documents.values()}
        limit, per_document = chance.choice([1, 12, 1000]), chance.choice([1, 3, 50])
        result = blend(
            keyword,
            vector,
            alpha,
            document_of=documents.__getitem__,
            newness=updated.__getitem__,
            name=str,
            limit=limit,
            per_document=per_document,
        )
        expected = oracle(keyword, vector, alpha, documents, updated, limit)
        assert [(d.document_id, d.score) for d in result] == expected
        for each in result:
            assert len(each.chunks) <= per_document
            scores = [c.score for c in each.chunks]
            assert scores == sorted(scores, reverse=True)
            assert all(documents[c.chunk] == each.document_id for c in each.chunks)
            assert all(0.0 <= score <= 1.0 for score in scores)


def ranked(collection: Collection, query: str, mode: str, **settings: float) -> list[str]:
    result = blended_search(
        collection.workspace.state(),
        query,
        mode=mode,  # type: ignore[arg-type]
        where=Filter(),
        settings=BlendSettings(**settings),  # type: ignore[arg-type]
    )
    return [document.document_id for document in result.documents]


@pytest.mark.parametrize("query", QUERIES)
def test_either_end_of_alpha_is_the_list_itself(
    sourced: Collection, passages: dict[str, list[str]], query: str
) -> None:
    documents = {chunk: document for document, chunks in passages.items() for chunk in chunks}
    words = sourced.sql("SELECT * FROM bm25($q, k := 80)", params={"q": query}).to_pylist()
    near = sourced.search(query, mode="semantic", limit=80, fold=False)
    lists = {
        ("keyword", 0.0): [(documents[row["chunk_id"]], row["score"]) for row in words],
        ("semantic", 1.0): [(hit.provenance.document_id, hit.score) for hit in near],
    }
    for (mode, alpha), listed in lists.items():
        best: dict[str, float] = {}
        for document, score in listed:
            best[document] = max(score, best.get(document, -1.0))
        expected = pytest.approx(sorted(best.values(), reverse=True)[:12], rel=1e-5)
        alone = ranked(sourced, query, mode)
        assert [best[document] for document in alone] == expected
        assert ranked(sourced, query, "hybrid", hybrid_alpha=alpha)[: len(alone)] == alone


def test_what_cannot_be_is_refused(library: Library) -> None:
    for name, value, allowed in [
        ("hybrid_alpha", 1.2, "0 and 1"),
        ("candidate_k_keyword", 0, "1 .* 1,000"),
        ("final_limit", 1001, "1 .* 1,000"),
        ("max_chunks_per_doc", 0, "1 "),
    ]:
        with pytest.raises(UsageError, match=f"{name}.* .*{allowed}"):
            BlendSettings(**{name: value})
    bare = sourced_collection(library, 3, vectors=False)
    for mode in ("hybrid", "semantic"):
        with pytest.raises(EmbeddingsDisabled, match=mode):
            ranked(bare, WORDS[0], mode)
    assert ranked(bare, WORDS[0], None) == ranked(bare, WORDS[0], "keyword")  # type: ignore[arg-type]
