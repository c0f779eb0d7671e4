"""``casetrack eval``: its output, its files, and its errors."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from faces.cli.conftest import Run, error_of

RENT = {"document": "lease.txt", "page": 1, "text": "a rent of 1,250.00"}


@pytest.fixture
def golden(tmp_path: Path) -> Path:
    """Four questions to the collection Mill."""
    roof = {"document": "memo.md", "text": "the ROOF of the Mill House leaks"}
    interest = {**RENT, "text": "interest at 4 per cent"}
    asked = [
        (1, "rent of the tenant", RENT, "money"),
        (2, "leaks over the north room", roof, "repair"),
        (10, "interest on late payments", interest, "money"),
        (3, "slates", {"document": "lease.txt"}, "repair"),
    ]
    rows = [
        {"id": number, "question": question, "answers": [answer], "kind": kind}
        for number, question, answer, kind in asked
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
    absent = {"question": "Who insures the hangar HCS-99999?", "answers": [], "kind": "absent"}
    golden.write_text(f"{golden.read_text()}\n{json.dumps(absent)}")
    asked = ("eval", "--golden", golden, "-c", "Mill", "--modes", "keyword", "--pages")
    ended = filled(*asked)
    assert ended.code == 0, ended.err
    assert re.search(r"Mill: golden\.jsonl: 5\D+; 3\D+, 3\D", ended.out)
    header, figures = (re.split(r"\s{2,}", ln) for ln in ended.out.splitlines()[3:5])
    shown = dict(zip(header, figures, strict=True))
    assert (shown["hit@1"], shown["page hit@1"]) == ("0.7500", "1.0000")
    assert float(shown["p50 ms"]) <= float(shown["p95 ms"])
    kinds = re.findall(r"^keyword +(\w+) +(\d) +(\S+)", ended.out, re.MULTILINE)
    assert [kind[:2] for kind in kinds] == [("absent", "1"), ("money", "2"), ("repair", "2")]
    assert kinds[1][2] == "1.0000"
    (first,), (second,) = run_ids(ended.out), run_ids(filled(*asked, "--no-vocabulary").out)
    compared = filled("eval", "--compare", first, second).out.splitlines()
    rows = [next(row for row in compared if run in row) for run in (first, second)]
    assert ("vocabulary" in rows[0], "vocabulary" in rows[1]) == (False, True)


def test_a_limit_is_reported(filled: Run, golden: Path) -> None:
    data = json.loads(filled("eval", "--golden", golden, "--limit", "2", "--json").out)
    (run,) = [r for r in data["runs"] if r["mode"] == "keyword"]
    assert run["questions"] == 2
    assert any("2" in note and "4" in note for note in run["notes"])


def test_a_beir_folder_its_trend_and_a_comparison(run: Run, folder: Path) -> None:
    ended = [run("eval", folder, "--modes", "keyword") for _ in range(2)]
    assert [e.code for e in ended] == [0, 0], ended[0].err
    ids = [run_id for e in ended for run_id in run_ids(e.out)]
    assert len(set(ids)) == 2
    assert run_ids(run("eval", folder, "--history").out) == ids  # newest last
    (series,) = json.loads(run("eval", "--history", "--json").out)["series"]
    assert {p["run"] for p in series} == set(ids)
    assert sum(p["change"] is None for p in series) == 1
    compared = run("eval", "--compare", *ids)
    assert compared.code == 0, compared.err
    assert re.search(r"nDCG@10 +1\.0000 +1\.0000 +\+0\.0000 .* 1\.0000 ", compared.out)
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


def test_no_history_yet(run: Run, home: Path) -> None:
    ended = run("eval", "--history")
    assert (ended.code, str(home) in ended.out) == (0, True)


@pytest.mark.sampled(13)
@pytest.mark.parametrize(
    ("arguments", "code", "facts"),
    [
        ((), "usage", ("--golden",)),
        (("GOLDEN",), "wrong_path_kind", ("golden.jsonl",)),
        (("no-such-folder",), "file_not_found", ("no-such-folder",)),
        (("FOLDER", "--golden", "GOLDEN"), "usage", ("--golden",)),
        (("FOLDER", "-c", "Mill"), "usage", ("--collection",)),
        (("FOLDER", "--modes", "keyword,magic"), "usage", ("'magic'",)),
        (("FOLDER", "--modes", ","), "usage", ("--modes",)),
        (("FOLDER", "--ablate", "--modes", "keyword"), "usage", ("--ablate", "--mode")),
        (("FOLDER", "--history", "--pages"), "usage", ("--history", "--pages")),
        (("--compare", "a", "b", "--no-vocabulary"), "usage", ("--compare", "--no-vocabulary")),
        (("--compare", "a", "b"), "usage", ('"a"',)),
        (("FOLDER", "--modes", "keyword", "--pages"), "usage", ("tiny",)),
        (("--golden", "BROKEN"), "usage", ("broken.jsonl", "2")),
        (("--golden", "GOLDEN", "-c", "Nothing"), "collection_not_found", ("Nothing",)),
    ],
)
def test_refusals(
    filled: Run, folder: Path, golden: Path, arguments: tuple[str, ...], code: str, facts: Any
) -> None:
    broken = golden.with_name("broken.jsonl")
    broken.write_text(golden.read_text().splitlines()[0] + "\nnonsense\n")
    paths = {"FOLDER": folder, "GOLDEN": golden, "BROKEN": broken}
    ended = filled("eval", *(paths.get(a, a) for a in arguments), "--json")
    error = error_of(ended)
    assert (ended.code, error["code"]) == (2, code)
    assert all(fact in error["message"] for fact in facts)
