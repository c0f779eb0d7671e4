"""Question sets in BEIR layout: measures, and errors of broken ones."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from casetrack.api.evaluate import measure, open_beir
from casetrack.base.errors import FileNotFound, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from casetrack.api.library import Library


@pytest.mark.slow
def test_a_small_set(library: Library, folder: Path) -> None:
    indexed: list[tuple[int, int]] = []
    asked: list[tuple[int, int]] = []
    questions = open_beir(folder, library, progress=lambda *moment: indexed.append(moment))
    run = measure(questions, mode="keyword", progress=lambda *moment: asked.append(moment))
    assert (run.means["ndcg@10"], run.means["recall@10"], run.means["mrr@10"]) == (1.0, 1.0, 1.0)
    assert (run.documents, len(run.scores), run.mode, run.stages) == (4, 2, "keyword", ("bm25",))
    assert run.chunks > 4
    assert (indexed[-1], asked) == ((4, 4), [(1, 2), (2, 2)])
    assert 0 < run.percentile(0.5) <= run.percentile(0.95)
    assert set(run.stage_milliseconds) >= {"bm25", "fetch"}


def test_languages_of_queries(library: Library, folder: Path) -> None:
    path = folder / "queries.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    rows[0]["language"], rows[1]["language"] = "en", "de"
    path.write_text("\n".join(map(json.dumps, rows)))
    run = measure(open_beir(folder, library), mode="keyword")
    assert {one: n for one, (n, _means) in run.means_by_language().items()} == {"de": 1, "en": 1}
    rows[1]["language"] = 7
    path.write_text("\n".join(map(json.dumps, rows)))
    with pytest.raises(UsageError, match=r"queries\.jsonl, \w+ 2\b.*language"):
        open_beir(folder, library)


def test_without_a_model_search_chooses_words(library: Library, folder: Path) -> None:
    run = measure(open_beir(folder, library))
    assert run.mode == "keyword"
    assert run.notes


def test_the_first_questions_by_their_numbers(
    library: Library, tmp_path: Path, beir: Callable[..., Path]
) -> None:
    queries = {str(n): f"word{n}" for n in (10, 9, 2, 1, 30)}
    qrels = [(q, "d", 1) for q in queries]
    questions = open_beir(beir(tmp_path / "b", {"d": ("", "word9")}, queries, qrels), library)
    limited = questions.limited(3)
    assert [q.id for q in limited.questions] == ["1", "2", "9"]
    (note,) = limited.notes
    assert re.findall(r"\d+", note) == ["3", "5"]
    assert questions.limited(5) is questions
    assert questions.limited(None) is questions


def test_gaps_between_the_files_are_told(
    library: Library, tmp_path: Path, beir: Callable[..., Path], messages: Callable[..., None]
) -> None:
    qrels = [("q", "d", 1), ("q", "gone", 1), ("unasked", "d", 1)]
    questions = open_beir(beir(tmp_path / "b", {"d": ("", "rent")}, {"q": "rent"}, qrels), library)
    messages("\n".join(questions.notes))
    assert measure(questions, mode="keyword").means["recall@10"] == 0.5


@pytest.mark.slow
def test_pages_need_pages(library: Library, folder: Path) -> None:
    with pytest.raises(UsageError, match="tiny"):
        measure(open_beir(folder, library), mode="keyword", pages=True)


@pytest.mark.parametrize(
    ("file", "content", "error", "named"),
    [
        ("corpus.jsonl", None, FileNotFound, ""),
        ("qrels/test.tsv", None, FileNotFound, ""),
        ("corpus.jsonl", b"not json", UsageError, ", .* 1:"),
        ("corpus.jsonl", b"\n[1]", UsageError, ", .* 2:.*_id"),
        ("corpus.jsonl", b'{"text": "x"}', UsageError, ", .* 1:.*_id"),
        (
            "corpus.jsonl",
            b'{"_id": 1, "text": "x"}\n{"_id": "1", "text": "y"}',
            UsageError,
            ", .* 2:.*'1'",
        ),
        ("corpus.jsonl", b"", UsageError, ""),
        ("corpus.jsonl", b'{"_id": 1, "text": " "}', UsageError, ""),
        ("corpus.jsonl", b'{"_id": 1, "text": "x"}\n"\xff"', UsageError, ", .* 2: .*UTF-8"),
        ("queries.jsonl", b'{"_id": 7, "text": ""}', UsageError, ", .* 1:.*'7'"),
        ("qrels/test.tsv", b"q1\td1\n", UsageError, ", .* 1:"),
        ("qrels/test.tsv", b"q1\td1\t1\nq1\td2\tx\n", UsageError, ", .* 2:"),
        ("qrels/test.tsv", b"q9\td1\t1\n", UsageError, ""),
        ("qrels/test.tsv", b"", UsageError, ""),
    ],
)
def test_bad_folders(
    library: Library,
    folder: Path,
    file: str,
    content: bytes | None,
    error: type[Exception],
    named: str,
) -> None:
    path = folder / file
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)
    with pytest.raises(error, match=f"(?s){re.escape(path.name)}.*{named}"):
        open_beir(folder, library)
