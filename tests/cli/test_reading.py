"""What is in a collection, and what it answers: documents, search, chunk, SQL, doctor, schema."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., Any]

ODD_NAME = 'Grüße & "Mehr" d\'été.txt'
SOURCE_FIELDS = {
    "document",
    "document_path",
    "document_id",
    "chunk_id",
    "page",
    "paragraph_start",
    "paragraph_end",
    "line_start",
    "line_end",
    "char_start",
    "char_end",
    "extraction_method",
    "ocr_confidence",
    "chunk_created_at",
    "chunk_embedded_at",
    "document_ingested_at",
}


# --- documents -----------------------------------------------------------------------------


def test_documents_are_listed_for_people_and_programs(filled: Run) -> None:
    by_name = json.loads(filled("documents", "--sort", "name", "--json").out)
    assert [d["name"] for d in by_name] == [ODD_NAME, "lease.txt", "memo.md"]
    assert all(d["ingested_at"].endswith("Z") for d in by_name)
    rows = filled("documents", "--sort", "name").out.splitlines()
    assert rows[0].split() == "Name Format Type Pages Chunks Size Ingested ID".split()
    assert [d["document_id"] for d in by_name] == [row.split()[-1] for row in rows[1:]]


@pytest.mark.parametrize("by", ["name", "path", "id", "short id", "other case"])
def test_a_document_is_found_by_name_path_or_id(filled: Run, by: str) -> None:
    (lease,) = (d for d in json.loads(filled("documents", "--json").out) if "lease" in d["name"])
    key = {
        "name": "lease.txt",
        "path": lease["path"],
        "id": lease["document_id"],
        "short id": lease["document_id"][:8],
        "other case": "LEASE.TXT",
    }[by]
    assert json.loads(filled("document", key, "--json").out) == lease
    shown = filled("document", key).out
    assert f"File                {lease['path']}\n" in shown
    assert lease["file_hash"] in shown


def test_deleting_takes_the_document_and_leaves_the_file(filled: Run, sources: Path) -> None:
    near = filled("delete", "leese.txt")
    assert near.code == 2
    assert "- lease.txt (ID: " in near.err
    ended = filled("delete", "lease.txt")
    assert ended.code == 0
    assert 'Deleted "lease.txt" (1 page, 1 chunk) from "Mill".' in ended.out
    assert (sources / "lease.txt").exists()
    assert filled("document", "lease.txt").code == 2
    assert json.loads(filled("search", "rent tenant", "--json").out)["results_count"] == 0


# --- collections ---------------------------------------------------------------------------


def test_a_collection_from_making_to_deleting(filled: Run, home: Path) -> None:
    made = filled(
        "collection", "create", "Gärten", "--type", "Contract", "--description", "All gardens",
        "--reference", "A-1", "--tag", "green", "--tag", "old",
    )  # fmt: skip
    assert made.code == 0
    assert made.out.startswith('Created collection "Gärten" (ID: ')
    info = json.loads(filled("collection", "info", "gärten", "--json").out)
    assert (info["type"], info["reference"], info["tags"]) == ("contract", "A-1", ["green", "old"])
    both = json.loads(filled("collection", "list", "--json").out)
    assert {c["name"]: c["document_count"] for c in both} == {"Gärten": 0, "Mill": 3}
    listed = filled("collection", "list").out
    assert info["id"] in listed
    unconfirmed = filled("collection", "delete", "Mill")
    assert unconfirmed.code == 2
    assert "--yes" in unconfirmed.err
    assert "All gardens" in filled("collection", "info", "Gärten").out
    gone = filled("collection", "delete", "Mill", "--yes")
    assert gone.code == 0
    assert 'Deleted collection "Mill"' in gone.out
    assert [p.name for p in (home / "collections").iterdir()] == [info["id"]]


@pytest.mark.parametrize(("answer", "left"), [("y", 0), ("n", 1)])
def test_deleting_a_collection_asks_on_a_terminal(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch, answer: str, left: int
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    run("collection", "create", "Mill")
    monkeypatch.setattr("sys.stdin", Terminal(answer + "\n"))
    ended = run("collection", "delete", "Mill")
    assert 'Delete "Mill" with 0 documents, 0 chunks? [y/N]' in ended.out
    assert ended.code == left
    assert len(list((home / "collections").iterdir())) == left


# --- search --------------------------------------------------------------------------------


def test_search_cites_its_source(filled: Run, sources: Path) -> None:
    text = filled("search", "when is the rent due", "-k", "1").out
    assert 'Search: "when is the rent due"\n' in text
    assert "Collection: Mill | 3 documents, 3 chunks searched\n" in text
    assert "lease.txt, p. 1, paras. 1-3, ll. 1-6\n" in text
    assert "page 1, lines 1-6 | chunk " in text
    assert f"\n{sources / 'lease.txt'}\n" in text
    assert "The tenant pays a rent of 1,250.00 a month" in text
    assert "--- Result 2" not in text


def test_search_as_json_is_the_canonical_form(filled: Run) -> None:
    answer = json.loads(filled("search", "slates for the roof", "--json", "--explain").out)
    assert answer["collection"] == "Mill"
    assert answer["mode"] == "keyword"
    assert answer["notes"]
    best = answer["results"][0]
    assert best["source"].keys() >= SOURCE_FIELDS
    assert best["source"]["document"] == "memo.md"
    assert best["explain"]["bm25"]["rank"] == 1
    assert answer["results_count"] == len(answer["results"])


def test_explain_says_how_the_question_was_read(filled: Run) -> None:
    question = "Please tell me who signed the governing law clause in FY2024."
    told = filled("search", question, "--explain").out
    assert 'Question: Left out, as an instruction: "Please tell me"' in told
    assert "Question: Periods: 2024, in any spelling" in told
    assert "vocabulary contracts" in told
    bare = filled("search", question, "--explain", "--no-vocabulary").out
    assert "Left out" in bare
    assert "vocabulary contracts" not in bare
    reading = json.loads(filled("search", question, "--json", "--explain").out)["reading"]
    assert reading["periods"][0]["year"] == 2024


def test_search_within_one_document(filled: Run) -> None:
    answer = json.loads(filled("search", "Mill House", "--document", "memo.md", "--json").out)
    assert {r["source"]["document"] for r in answer["results"]} == {"memo.md"}
    assert filled("search", "Mill House", "-d", "other.md").code == 2


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["search", ""], 2, "The query is empty"),
        (["search", "   "], 2, "The query is empty"),
        (["search", "rent", "-k", "0"], 2, "1 to 1,000"),
        (["search", "rent", "--mode", "semantic"], 1, "casetrack models pull"),
        (["chunk", "none"], 2, "Chunk not found: none"),
        (["models", "verify"], 1, 'Model "mini" is not installed'),
        (["models", "pull", "maxi"], 2, "known: mini"),
    ],
)
def test_what_cannot_be_answered_is_told(
    filled: Run, words: list[str], code: int, told: str
) -> None:
    ended = filled(*words)
    assert (ended.code, ended.out) == (code, "")
    assert told in " ".join(ended.err.split())


def test_a_chunk_with_its_whole_provenance(filled: Run) -> None:
    best = json.loads(filled("search", "rent", "--json").out)["results"][0]
    chunk_id = best["source"]["chunk_id"]
    chunk = json.loads(filled("chunk", chunk_id, "--json").out)
    assert chunk["text"] == best["text"]
    assert chunk["source"] == best["source"]
    window = json.loads(filled("chunk", chunk_id, "--window", "1", "--json").out)
    assert window == {"before": [], "chunk": chunk, "after": []}
    text = filled("chunk", chunk_id).out
    assert chunk["text"] in text
    assert f"Chunk       1 of 1 (ID: {chunk_id})\n" in text
    assert f"Characters  0-{len(chunk['text'])} of the page's text\n" in text


# --- SQL -----------------------------------------------------------------------------------

SELECT = "SELECT name, page_count, ingested_at, warnings FROM documents ORDER BY name"


def test_sql_as_table_json_and_csv(filled: Run) -> None:
    rows = json.loads(filled("query", SELECT, "--format", "json").out)
    assert [r["name"] for r in rows] == [ODD_NAME, "lease.txt", "memo.md"]
    assert rows[0]["page_count"] == 1
    assert rows[0]["ingested_at"].endswith("Z")
    assert json.loads(filled("query", SELECT, "--json").out) == rows
    table = filled("query", SELECT)
    assert table.out.splitlines()[0].split() == ["name", "page_count", "ingested_at", "warnings"]
    assert re.fullmatch(r"\(3 rows, \d+\.\d+ s\)\n", table.err)
    lines = list(csv.DictReader(io.StringIO(filled("query", SELECT, "--format", "csv").out)))
    assert [r["name"] for r in lines] == [r["name"] for r in rows]
    assert lines[0]["warnings"] == "[]"


@pytest.mark.parametrize("suffix", ["json", "csv", "parquet", "txt"])
def test_sql_into_a_file_takes_its_format_from_the_name(
    filled: Run, tmp_path: Path, suffix: str
) -> None:
    target = tmp_path / f"out.{suffix}"
    ended = filled("query", SELECT, "--output", target)
    assert (ended.code, ended.out) == (0, "")
    assert f"Wrote 3 rows to {target}." in ended.err
    if suffix == "parquet":
        assert pq.read_table(target)["name"].to_pylist() == [ODD_NAME, "lease.txt", "memo.md"]
    else:
        assert "lease.txt" in target.read_text(encoding="utf-8")
    assert filled("query", SELECT, "-o", tmp_path / "no" / "such.csv").code == 2


def test_parquet_goes_through_a_pipe(launch: Run, filled: Run) -> None:
    piped = launch("query", SELECT, "--format", "parquet", binary=True)
    assert pq.read_table(io.BytesIO(piped.out)).num_rows == 3


@pytest.mark.parametrize(
    ("value", "type_name", "back"),
    [
        ("12", "INTEGER", 12),
        ("1.5", "DOUBLE", 1.5),
        ("true", "BOOLEAN", True),
        ("null", '"NULL"', None),
        ('"12"', "VARCHAR", "12"),
        ("a=b", "VARCHAR", "a=b"),
        ("O'Neil; DROP", "VARCHAR", "O'Neil; DROP"),
        ("[1]", "VARCHAR", "[1]"),
    ],
)
def test_parameters_keep_their_type(filled: Run, value: str, type_name: str, back: object) -> None:
    ended = filled("query", "SELECT $x AS x, typeof($x) AS t", "-p", f"x={value}", "--json")
    assert json.loads(ended.out) == [{"x": back, "t": type_name}]


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM documents",
        "CREATE TABLE t AS SELECT 1",
        "COPY documents TO 'out.csv'",
        "SELECT * FROM read_text('/etc/hostname')",
        "SELECT * FROM 'config.toml'",
        "ATTACH 'other.db'",
        "SELECT 1; SELECT 2",
        "SELECT nothing FROM documents",
        "SELEC 1",
        "",
    ],
)
def test_sql_that_writes_or_reaches_outside_is_refused(filled: Run, sql: str) -> None:
    ended = filled("query", sql)
    assert ended.code == 2
    assert ended.out == ""
    assert ended.err.startswith("Error: ")


# --- the rest ------------------------------------------------------------------------------


def test_schema_shows_every_column(run: Run) -> None:
    tables = json.loads(run("schema", "--json").out)
    assert {t["name"] for t in tables} >= {"documents", "chunks", "pages"}
    chunks = json.loads(run("schema", "chunks", "--json").out)
    text = run("schema", "chunks").out
    for column in chunks["columns"]:
        assert column["doc"]
        assert f"\n{column['name']} " in text


def test_doctor_is_well_only_when_everything_is(filled: Run, home: Path) -> None:
    report = json.loads(filled("doctor", "--json").out)
    problems = {c["name"] for c in report["checks"] if not c["ok"]}
    assert all("model" in name for name in problems), problems  # none is installed here
    well = filled("doctor", "-c", "Mill")
    assert well.code == 0, well.out
    assert well.out.endswith("All is well.\n")
    (folder,) = home.glob("collections/*-*")
    (folder / "collection.json").write_text("{")
    assert "Note: " in filled("collection", "list").err
    assert filled("doctor", "-c", "Mill").code == 0, "it was put right, and said so"
    for file in folder.glob("*collection.json*"):
        file.unlink()
    shutil.rmtree(folder / "documents.lance")
    ill = filled("doctor")
    assert ill.code == 1
    assert "PROBLEM" in ill.out
    assert "Damaged: " in filled("collection", "list").err


def test_models_are_listed(run: Run, tmp_path: Path) -> None:
    mini, *_ = json.loads(run("models", "list", "--json").out)
    assert (mini["name"], mini["installed"]) == ("mini", False)
    text = run("models", "list").out
    assert f"Models folder: {tmp_path / 'no-models'}\n" in text
    assert "casetrack models pull" in text


def test_eval_prints_the_usual_measures(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "tiny"
    (folder / "qrels").mkdir(parents=True)
    corpus = [{"_id": str(i), "title": "", "text": f"The {w} is here."} for i, w in
              enumerate(["lion", "tiger", "bear"])]  # fmt: skip
    lines = [json.dumps(row) + "\n" for row in corpus]
    (folder / "corpus.jsonl").write_text("".join(lines))
    (folder / "queries.jsonl").write_text('{"_id": "q", "text": "tiger"}\n')
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq\t1\t1\n")
    (found,) = json.loads(run("eval", folder, "--mode", "keyword", "--json").out)["runs"]
    assert found["means"]["ndcg@10"] == 1.0
    assert "keyword" in run("eval", folder, "--mode", "keyword").out
    (folder / "qrels" / "test.tsv").unlink()
    assert run("eval", folder).code == 2
