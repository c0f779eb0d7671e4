"""Retrieval measures: by hand, and over a small data set in BEIR layout."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import pytest

from casetrack.errors import FileNotFound, UsageError
from casetrack.evaluate import evaluate_beir, score

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.library import Library

CORPUS = {
    "d1": ("Rent", "The tenant pays the rent each month."),
    "d2": ("", "The supplier delivers goods late."),
    "d3": ("Cats", "Cats sleep most of the day. " * 120),
    "d4": ("Empty", ""),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    home = tmp_path / "tiny"
    (home / "qrels").mkdir(parents=True)
    corpus = [{"_id": i, "title": t, "text": x} for i, (t, x) in CORPUS.items()]
    queries = [("q1", "tenant rent"), ("q2", "sleeping cats"), ("q3", "nobody judged this")]
    (home / "corpus.jsonl").write_text("\n".join(map(json.dumps, corpus)))
    lines = [json.dumps({"_id": i, "text": t}) for i, t in queries]
    (home / "queries.jsonl").write_text("\n".join(lines))
    (home / "qrels" / "test.tsv").write_text(
        "query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td3\t1\nq2\td1\t0\n"
    )
    return home


def test_a_small_set(library: Library, folder: Path) -> None:
    seen: list[tuple[str, int, int]] = []
    report = evaluate_beir(
        folder,
        settings=library.settings,
        mode="keyword",
        progress=lambda *moment: seen.append(moment),
    )
    raw = report.as_dict()
    assert (raw["ndcg@10"], raw["recall@10"], raw["mrr@10"]) == (1.0, 1.0, 1.0)
    assert (raw["documents"], raw["queries"], raw["mode"]) == (4, 2, "keyword")
    assert raw["chunks"] > 4
    assert {what for what, _, _ in seen} == {"indexing", "searching"}
    seen.clear()
    again = evaluate_beir(
        folder, settings=library.settings, progress=lambda *moment: seen.append(moment)
    )
    assert {what for what, _, _ in seen} == {"searching"}
    assert again.mode == "keyword"


@pytest.mark.parametrize(
    ("ranking", "relevant", "ndcg", "recall", "mrr"),
    [
        (["a", "b"], {"a": 1}, 1.0, 1.0, 1.0),
        (["b", "a"], {"a": 1}, 1 / math.log2(3), 1.0, 0.5),
        (["b"], {"a": 1}, 0.0, 0.0, 0.0),
        ([], {"a": 1}, 0.0, 0.0, 0.0),
        (["a"], {"a": 0}, 0.0, 0.0, 0.0),
        (
            ["b", "a"],
            {"a": 2, "b": 1},
            (1 + 2 / math.log2(3)) / (2 + 1 / math.log2(3)),
            1.0,
            1.0,
        ),
        ([*map(str, range(10)), "a"], {"a": 1}, 0.0, 0.0, 0.0),
    ],
)
def test_measures_by_hand(
    ranking: list[str], relevant: dict[str, int], ndcg: float, recall: float, mrr: float
) -> None:
    found = score(ranking, relevant)
    assert found["ndcg_10"] == pytest.approx(ndcg)
    assert found["recall_10"] == pytest.approx(recall)
    assert found["mrr_10"] == pytest.approx(mrr)


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("corpus.jsonl", None, "File not found: .*corpus.jsonl"),
        ("queries.jsonl", None, "File not found: .*queries.jsonl"),
        ("qrels/test.tsv", None, "File not found: .*test.tsv"),
        ("corpus.jsonl", "not json", "corpus.jsonl, line 1: not a JSON object"),
        ("corpus.jsonl", '{"text": "x"}', "line 1: not a JSON object with _id and text"),
        ("qrels/test.tsv", "q1\td1\n", "line 1: expected query id, corpus id and relevance"),
        ("qrels/test.tsv", "q9\td1\t1\n", "No query of .* has a judgement"),
    ],
)
def test_bad_folders(
    library: Library, folder: Path, file: str, content: str | None, message: str
) -> None:
    path = folder / file
    if content is None:
        path.unlink()
    else:
        path.write_text(content)
    with pytest.raises((FileNotFound, UsageError), match=message):
        evaluate_beir(folder, settings=library.settings, mode="keyword")
