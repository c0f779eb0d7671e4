"""Clause retrieval: fifty contracts, and for each kind of clause the question that asks for it."""

from __future__ import annotations

import csv
import json
import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from casetrack.config import load_settings
from casetrack.evaluate import measure, open_golden, save_run
from casetrack.library import Library

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from casetrack.collection import Collection

MODES = tuple(os.environ.get("CASETRACK_EVAL_MODES", "keyword,hybrid").split(","))
# A passage of the right contract holds a labelled clause among the best ten; words alone.
LEAST = {"within": 0.75, "among all": 0.1}


def questions_of(folder: Path, documents: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return one question per contract and kind of clause it has, with its labelled clauses.

    Parameters
    ----------
    folder
        Holds ``category_descriptions.csv`` and ``clauses.jsonl``.
    documents
        Name of the text file to name of the document.
    """
    with (folder / "category_descriptions.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = [[cell.partition(":")[2].strip() for cell in row] for row in csv.reader(file)]
    ask = {row[0].casefold(): row[1] for row in rows[1:]}
    labelled: dict[tuple[str, str], list[str]] = {}
    for line in (folder / "clauses.jsonl").read_text(encoding="utf-8").splitlines():
        clause = json.loads(line)
        if clause["file"] in documents and clause["text"].strip():
            labelled.setdefault((clause["file"], clause["category"]), []).append(clause["text"])
    return [
        {
            "id": f"{documents[file]}: {category}",
            "question": ask[category.casefold()],
            "match": "most",
            "answers": [{"document": documents[file], "text": t} for t in dict.fromkeys(texts)],
            "search_in": documents[file],
        }
        for (file, category), texts in labelled.items()
    ]


@pytest.fixture(scope="module")
def contracts(
    corpus: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory, models_dir: Path
) -> Collection:
    """A collection of all contracts, as PDF."""
    # A folder that is named is kept, so that runs can be compared with those before.
    home = os.environ.get("CASETRACK_EVAL_HOME") or tmp_path_factory.mktemp("contracts")
    library = Library(replace(load_settings(home), models_dir=models_dir))
    names = {info.name for info in library.collections()}
    collection = library.get("Contracts") if "Contracts" in names else library.create("Contracts")
    collection.ingest([corpus("cuad") / "pdf"], ocr="off")
    return collection


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_clauses_are_found(
    contracts: Collection,
    corpus: Callable[[str], Path],
    lines_file: Callable[[Path, Iterable[Mapping[str, Any]]], Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    documents = {d.name.removesuffix(".pdf") + ".txt": d.name for d in contracts.documents()}
    within = questions_of(corpus("cuad"), documents)
    everywhere = [{k: v for k, v in row.items() if k != "search_in"} for row in within]
    found = {}
    for name, rows in (("within", within), ("among all", everywhere)):
        asked = open_golden(lines_file(tmp_path / f"clauses {name}.jsonl", rows), contracts)
        for mode in MODES:
            run = measure(asked, mode=mode)  # type: ignore[arg-type]
            save_run(run, contracts.workspace.settings)
            found[name, mode] = run.means
            figures = ", ".join(f"{n} {value:.4f}" for n, value in run.means.items())
            with capsys.disabled():
                print(f"\nclauses {name}, {mode}, {len(rows)} questions: {figures}")
    assert len(documents) == 50
    assert len(within) > 500
    for name, least in LEAST.items():
        assert found[name, "keyword"]["hit@10"] >= least
