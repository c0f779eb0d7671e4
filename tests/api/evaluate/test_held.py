"""The held questions: their truth, and floors for search."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from casetrack.api.evaluate import measure, open_golden
from casetrack.api.evaluate.answers import contains_answer
from casetrack.api.library import Library
from casetrack.base.config import load_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from casetrack.api.collection import Collection

HELD = Path(__file__).parents[3] / "tools" / "held"
SHARE = (
    "Vantmere Precision 2023 annual report.pdf",
    "Contracts/Tannery House lease.pdf",
    "Statutes/Moorings and Anchorages Regulations 2019.pdf",
    "Expert report GB-2022-118.docx",
)
"""One document of each kind, for CI."""
FLOORS: dict[str, dict[str, float]] = {
    "keyword": {"ndcg@10": 0.62, "page_hit@5": 0.83, "pinpoint": 0.53},
    "full": {"ndcg@10": 0.71, "page_hit@5": 0.83, "pinpoint": 0.58},
}
"""About two questions below the measured values."""


def rows(documents: Iterable[str] = ()) -> list[dict[str, Any]]:
    """The questions, or those to some of the documents."""
    names = {Path(document).name for document in documents}
    lines = (HELD / "held.jsonl").read_text(encoding="utf-8").splitlines()
    every = [json.loads(line) for line in lines]
    if not names:
        return every
    return [
        r for r in every if {r.get("search_in"), *(a["document"] for a in r["answers"])} & names
    ]


def take_in(home: Path, models: Path, files: Iterable[Path]) -> Collection:
    collection = Library(replace(load_settings(home), models_dir=models)).create("Held")
    collection.ingest(list(files))
    return collection


@pytest.fixture(scope="module")
def share(tmp_path_factory: pytest.TempPathFactory, models_dir: Path) -> Collection:
    """Four of the documents, with vectors."""
    home = tmp_path_factory.mktemp("held")
    return take_in(home, models_dir, [HELD / "files" / name for name in SHARE])


def faults(collection: Collection, asked: Iterable[dict[str, Any]]) -> list[str]:
    """Return the false statements of a golden file about its documents."""
    pages: dict[tuple[str, int], str] = {}
    for document in collection.documents():
        for chunk in collection.read.chunks(document.document_id):
            key = (document.name, chunk.provenance.page)
            pages[key] = pages.get(key, "")[: chunk.provenance.char_start] + chunk.text
    collected = []
    for row in asked:
        match, values = row.get("match", "exact"), row.get("value", [])
        values = [values] if isinstance(values, str) else values
        texts = [pages[answer["document"], answer["page"]] for answer in row["answers"]]
        for answer, text in zip(row["answers"], texts, strict=True):
            collected += [
                f"{row['id']}: {words!r} is not on p. {answer['page']}"
                for words in (answer.get("text", ""), answer.get("sentence", ""))
                if not contains_answer(text, words, match)
            ]
        if values and not any(
            contains_answer(text, value, "exact") for text in texts for value in values
        ):
            collected.append(f"{row['id']}: no page holds the value {values}")
    return collected


@pytest.mark.slow
def test_there_are_150_questions() -> None:
    every = rows()
    assert len({row["id"] for row in every}) == len({row["question"] for row in every}) == 150
    assert sum(not row["answers"] for row in every) == 25
    assert len({a["document"] for row in every for a in row["answers"]}) == 10
    assert len({row["kind"] for row in every}) > 10
    assert sum(p.stat().st_size for p in (HELD / "files").rglob("*")) < 3_000_000


@pytest.mark.slow
def test_every_answer_is_on_its_page(share: Collection) -> None:
    assert faults(share, rows(SHARE)) == []


def test_every_answer_of_all_ten_is_on_its_page(tmp_path: Path) -> None:
    collection = take_in(tmp_path, tmp_path / "no-models", [HELD / "files"])
    assert faults(collection, rows()) == []


@pytest.mark.parametrize("mode", ["keyword", "full"])
@pytest.mark.slow
def test_search_does_not_fall_behind(
    share: Collection,
    tmp_path: Path,
    lines_file: Callable[..., Path],
    mode: Any,
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = open_golden(lines_file(tmp_path / "share.jsonl", rows(SHARE)), share)
    assert asked.notes == ()  # a passage contains the whole answer
    run = measure(asked, mode=mode)
    with capsys.disabled():
        shown = ", ".join(f"{name} {run.means[name]:.3f}" for name in FLOORS[mode])
        print(f"\n{len(run.scores)} held questions ({mode}): {shown}")
    assert {n: run.means[n] >= least for n, least in FLOORS[mode].items()} == dict.fromkeys(
        FLOORS[mode], True
    )
