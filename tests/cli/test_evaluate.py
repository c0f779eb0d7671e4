"""``casetrack eval``: what it prints and stores, and what it says when it cannot."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Run

RENT = {"document": "lease.txt", "page": 1, "text": "a rent of 1,250.00"}


@pytest.fixture
def golden(tmp_path: Path) -> Path:
    """Four questions to the collection Mill."""
    rows = [
        {"id": 1, "question": "rent of the tenant", "answers": [RENT], "kind": "money"},
        {
            "id": 2,
            "question": "leaks over the north room",
            "answers": [{"document": "memo.md", "text": "the ROOF of the Mill House leaks"}],
            "kind": "repair",
        },
        {
            "id": 10,
            "question": "interest on late payments",
            "answers": [{**RENT, "text": "interest at 4 per cent"}],
            "kind": "money",
        },
        {"id": 3, "question": "slates", "answers": [{"document": "lease.txt"}], "kind": "repair"},
    ]
    path = tmp_path / "golden.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two documents and two judged queries in BEIR layout."""
    home = tmp_path / "tiny"
    (home / "qrels").mkdir(parents=True)
    rows = [{"_id": "d1", "text": "the tenant pays rent"}, {"_id": "d2", "text": "cats sleep"}]
    (home / "corpus.jsonl").write_text("\n".join(map(json.dumps, rows)))
    queries = [{"_id": "q1", "text": "rent"}, {"_id": "q2", "text": "sleeping cats"}]
    (home / "queries.jsonl").write_text("\n".join(map(json.dumps, queries)))
    (home / "qrels" / "test.tsv").write_text("q1\td1\t1\nq2\td2\t1\n")
    return home


def run_ids(text: str) -> list[str]:
    return re.findall(r"\d{8}-\d{6}-[0-9a-f]{4}", text)


def test_a_golden_file(filled: Run, golden: Path) -> None:
    ended = filled("eval", "--golden", golden, "-c", "Mill", "--modes", "keyword", "--pages")
    assert ended.code == 0, ended.err
    assert "Mill: golden.jsonl: 4 questions; 3 documents, 3 passages" in ended.out
    header, figures = (re.split(r"\s{2,}", ln) for ln in ended.out.splitlines()[3:5])
    shown = dict(zip(header, figures, strict=True))
    assert shown["Search"] == "keyword"
    assert (shown["hit@1"], shown["page hit@1"]) == ("0.7500", "1.0000")
    assert float(shown["p50 ms"]) <= float(shown["p95 ms"])
    assert re.search(r"keyword +money +2 +1\.0000", ended.out)
    assert re.search(r"keyword +repair +2 ", ended.out)


def test_json_and_what_is_stored(filled: Run, golden: Path, home: Path) -> None:
    found = json.loads(filled("eval", "--golden", golden, "--mode", "keyword", "--json").out)
    (run,) = found["runs"]
    assert (run["mode"], run["stages"], run["questions"]) == ("keyword", ["bm25"], 4)
    assert run["means"]["hit@1"] == 0.75
    assert run["kinds"]["money"]["means"]["hit@1"] == 1.0
    assert found["differences"] == []
    stored = json.loads((home / "eval" / "runs" / f"{run['id']}.json").read_text("utf-8"))
    assert set(stored["scores"]) == {"1", "2", "3", "10"}


def test_what_is_not_there(filled: Run, golden: Path) -> None:
    rows = golden.read_text() + "\n"
    row = {
        "question": "Who insures the Zeppelin hangar HCS-99999?",
        "answers": [],
        "kind": "absent",
    }
    golden.write_text(rows + json.dumps(row))
    ended = filled("eval", "--golden", golden, "-c", "Mill", "--modes", "keyword")
    assert ended.code == 0, ended.err
    lines = ended.out.splitlines()
    start = next(n for n, text in enumerate(lines) if text.startswith("Search   pinpoint"))
    head, figures = (re.split(r"\s{2,}", text) for text in lines[start : start + 2])
    assert dict(zip(head, figures, strict=True))["absent: told"] == "1.0000"
    assert re.search(r"^keyword +absent +1 ", ended.out, re.MULTILINE)


def test_without_vocabulary(filled: Run, golden: Path) -> None:
    asked = ("eval", "--golden", golden, "--modes", "keyword")
    ended = filled(*asked, "--no-vocabulary")
    assert re.search(r"^keyword without vocabulary +0\.", ended.out, re.MULTILINE)
    (first,), (second,) = run_ids(ended.out), run_ids(filled(*asked).out)
    compared = filled("eval", "--compare", first, second)
    assert f"{first}  keyword without vocabulary" in compared.out
    assert f"{second}  keyword," in compared.out


def test_a_limit_is_said(filled: Run, golden: Path) -> None:
    ended = filled("eval", "--golden", golden, "--modes", "keyword", "--limit", "3")
    assert "first 3 of 4 questions by id" in ended.out
    found = json.loads(filled("eval", "--golden", golden, "--limit", "2", "--json").out)
    assert "Only the first 2 of 4 questions, by their ids, were asked." in found["runs"][0]["notes"]


def test_a_beir_folder_its_trend_and_a_comparison(run: Run, folder: Path) -> None:
    first = run("eval", folder, "--modes", "keyword")
    assert first.code == 0, first.err
    assert "tiny: 2 questions; 2 documents, 2 passages" in first.out
    second = run("eval", folder, "--modes", "keyword")
    ids = [*run_ids(first.out), *run_ids(second.out)]
    assert len(set(ids)) == 2
    trend = run("eval", folder, "--history")
    assert "tiny, keyword  2 questions, profile mini" in trend.out
    assert run_ids(trend.out) == ids  # newest last
    assert "same (p = 1.0000)" in trend.out
    (series,) = json.loads(run("eval", "--history", "--json").out)["series"]
    assert {p["run"] for p in series} == set(ids)
    assert sum(p["change"] is None for p in series) == 1
    compared = run("eval", "--compare", *ids)
    assert compared.code == 0, compared.err
    assert "tiny, 2 questions in both" in compared.out
    assert re.search(r"nDCG@10 +1\.0000 +1\.0000 +\+0\.0000 .* 1\.0000 +same", compared.out)
    raw = json.loads(run("eval", "--compare", *ids, "--json").out)
    assert {d["measure"] for d in raw["differences"]} >= {"ndcg@10", "recall@100", "hit@5"}


def test_the_trend_is_that_of_what_is_named(filled: Run, golden: Path, folder: Path) -> None:
    for arguments in (("--golden", golden, "-c", "Mill"), (folder,)):
        assert filled("eval", *arguments, "--modes", "keyword").code == 0
    assert "tiny" not in filled("eval", "--golden", golden, "--history").out
    assert "Mill" not in filled("eval", folder, "--history").out
    both = filled("eval", "--history").out
    assert "Mill: golden.jsonl, keyword" in both
    assert "tiny, keyword" in both


def test_no_history_yet(run: Run) -> None:
    ended = run("eval", "--history")
    assert ended.code == 0
    assert ended.out.startswith("No run is stored in ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Say what to measure: a folder in the BEIR layout, or --golden FILE"),
        (("GOLDEN",), "is a file; a folder in the BEIR layout is needed"),
        (("no-such-folder",), "File not found: no-such-folder"),
        (("FOLDER", "--golden", "GOLDEN"), "--golden does not go together with a folder"),
        (("FOLDER", "-c", "Mill"), "A folder does not go together with --collection"),
        (("FOLDER", "--modes", "keyword,magic"), "Unknown mode 'magic'"),
        (("FOLDER", "--modes", ","), "--modes names no mode"),
        (("FOLDER", "--ablate", "--modes", "keyword"), "--ablate does not go together with --mode"),
        (("FOLDER", "--history", "--pages"), "--history does not go together with --pages"),
        (("FOLDER", "--history", "--profiles", "mini"), "does not go together with --profiles"),
        (("--compare", "a", "b", "--no-vocabulary"), "not go together with --no-vocabulary"),
        (("--compare", "a", "b", "--pages"), "--compare does not go together with --pages"),
        (("--compare", "a", "b"), 'There is no run "a"'),
        (("FOLDER", "--modes", "keyword", "--pages"), "does not tell on which pages"),
        (("--golden", "BROKEN"), "broken.jsonl, line 2: not a JSON object"),
        (("--golden", "GOLDEN", "-c", "Nothing"), "Collection not found"),
    ],
)
def test_refusals(
    filled: Run, folder: Path, golden: Path, arguments: tuple[str, ...], message: str
) -> None:
    broken = golden.with_name("broken.jsonl")
    broken.write_text(golden.read_text().splitlines()[0] + "\nnonsense\n")
    paths = {"FOLDER": folder, "GOLDEN": golden, "BROKEN": broken}
    ended = filled("eval", *(paths.get(a, a) for a in arguments))
    assert ended.code == 2
    assert message in ended.err
