"""Keyword search in English, German and Chinese, on paragraphs with the questions to them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from casetrack.api.evaluate import measure, open_beir
from casetrack.api.library import Library
from casetrack.base.config import load_settings

# Slightly below the measured 0.965, 0.930 and 0.963; the docs promise 0.8 for Chinese.
LEAST = {"en": 0.95, "de": 0.91, "zh": 0.94}


def paragraphs_and_questions(
    path: Path,
) -> tuple[dict[str, tuple[str, str]], dict[str, str], list[tuple[str, str, int]]]:
    """Read a file in the layout of SQuAD: each paragraph answers the questions below it."""
    corpus: dict[str, tuple[str, str]] = {}
    queries: dict[str, str] = {}
    qrels = []
    for article in json.loads(path.read_text(encoding="utf-8"))["data"]:
        for paragraph in article["paragraphs"]:
            document = f"p{len(corpus) + 1}"
            corpus[document] = ("", paragraph["context"])
            for asked in paragraph["qas"]:
                queries[asked["id"]] = asked["question"]
                qrels.append((asked["id"], document, 1))
    return corpus, queries, qrels


@pytest.mark.slow
@pytest.mark.parametrize("language", LEAST)
def test_keyword_search_by_language(
    language: str,
    corpus: Callable[[str], Path],
    beir: Callable[..., Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    parts = paragraphs_and_questions(corpus("xquad") / f"xquad.{language}.json")
    folder = beir(tmp_path / f"xquad-{language}", *parts)
    settings = replace(load_settings(tmp_path / "data"), models_dir=tmp_path / "no-models")
    run = measure(open_beir(folder, Library(settings)), mode="keyword")
    with capsys.disabled():
        figures = ", ".join(f"{name} {value:.4f}" for name, value in run.means.items())
        print(f"\nxquad {language}, {len(run.scores)} questions: {figures}")
    assert (run.documents, len(run.scores)) == (240, 1190)
    assert run.means["ndcg@10"] >= LEAST[language]
