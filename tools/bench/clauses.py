"""Measures clause retrieval: fifty contracts, and for each kind of clause the question for it.

``python -m bench.clauses``; the modes are those of CASETRACK_EVAL_MODES, and a collection that is
to be kept lies in CASETRACK_EVAL_HOME.
"""

from __future__ import annotations

import csv
import json
import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from casetrack.api.evaluate import measure, open_golden, save_run
from casetrack.api.library import Library
from casetrack.base.config import load_settings
from needs import corpora

if TYPE_CHECKING:
    from collections.abc import Mapping

CHECKOUT = Path(__file__).parents[2]
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


def main() -> int:
    """Ask all questions, print the figures, and fail where words alone find too little."""
    data = corpora()
    if data is None or not (data / "cuad").is_dir():
        print("The contracts are not here: export CASETRACK_TEST_DATA=FOLDER", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        return _measured(data / "cuad", Path(folder))


def _measured(cuad: Path, folder: Path) -> int:
    home = os.environ.get("CASETRACK_EVAL_HOME") or folder / "home"
    models = Path(os.environ.get("CASETRACK_MODELS", CHECKOUT / ".cache" / "models"))
    library = Library(replace(load_settings(home), models_dir=models))
    names = {info.name for info in library.collections()}
    contracts = library.get("Contracts") if "Contracts" in names else library.create("Contracts")
    contracts.ingest([cuad / "pdf"], ocr="off")
    documents = {d.name.removesuffix(".pdf") + ".txt": d.name for d in contracts.documents()}
    within = questions_of(cuad, documents)
    everywhere = [{k: v for k, v in row.items() if k != "search_in"} for row in within]
    worst = 0
    for name, rows in (("within", within), ("among all", everywhere)):
        golden = folder / f"clauses {name}.jsonl"
        golden.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        asked = open_golden(golden, contracts)
        for mode in os.environ.get("CASETRACK_EVAL_MODES", "keyword,hybrid").split(","):
            run = measure(asked, mode=mode)  # type: ignore[arg-type]
            save_run(run, contracts.workspace.settings)
            figures = ", ".join(f"{n} {value:.4f}" for n, value in run.means.items())
            print(f"clauses {name}, {mode}, {len(rows)} questions: {figures}")
            worst |= mode == "keyword" and run.means["hit@10"] < LEAST[name]
    return int(worst)


if __name__ == "__main__":
    sys.exit(main())
