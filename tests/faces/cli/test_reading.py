"""Commands that read a collection: documents, search, chunk, SQL, doctor, schema."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from faces.cli.conftest import Run, error_of

ODD_NAME = 'Grüße & "Mehr" d\'été.txt'
# --- documents -----------------------------------------------------------------------------


def test_documents_are_listed_for_people_and_programs(filled: Run) -> None:
    by_name = json.loads(filled("documents", "--sort", "name", "--json").out)
    assert [d["name"] for d in by_name] == [ODD_NAME, "lease.txt", "memo.md"]
    assert all(d["ingested_at"].endswith("Z") for d in by_name)
    rows = filled("documents", "--sort", "name").out.splitlines()
    listed = [row for row in rows if row.startswith("- ")]
    assert all(d["document_id"] in row for d, row in zip(by_name, listed, strict=True))


def test_deleting_takes_the_document_and_leaves_the_file(filled: Run, sources: Path) -> None:
    near = filled("delete", "leese.txt")
    assert (near.code, "- lease.txt (ID: " in near.err) == (2, True)
    ended = filled("delete", "lease.txt")
    assert (ended.code, '"lease.txt"' in ended.out, '"Mill"' in ended.out) == (0, True, True)
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
    info = json.loads(filled("collection", "info", "gärten", "--json").out)
    assert f"Gärten (ID: {info['id']})" in made.out
    assert (info["type"], info["reference"], info["tags"]) == ("contract", "A-1", ["green", "old"])
    both = json.loads(filled("collection", "list", "--json").out)
    assert {c["name"]: c["document_count"] for c in both} == {"Gärten": 0, "Mill": 3}
    assert info["id"] in filled("collection", "list").out
    assert "All gardens" in filled("collection", "info", "Gärten").out
    unconfirmed = filled("collection", "delete", "Mill")
    assert (unconfirmed.code, "--yes" in unconfirmed.err) == (2, True)
    gone = filled("collection", "delete", "Mill", "--yes")
    assert (gone.code, '"Mill"' in gone.out) == (0, True)
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
    assert re.search(r'"Mill"\D+0\D+0\D+\[y/N\]', ended.out)
    assert ended.code == left
    assert len(list((home / "collections").iterdir())) == left


# --- search --------------------------------------------------------------------------------


def test_search_as_json_is_the_canonical_form(filled: Run, sources: Path) -> None:
    answer = json.loads(filled("search", "slates for the roof", "--json", "--explain").out)
    assert (answer["collection"], answer["mode"]) == ("Mill", "keyword")
    assert answer["notes"]
    best = answer["results"][0]
    assert best["source"]["document"] == "memo.md"
    assert best["explain"]["bm25"]["rank"] == 1
    assert answer["results_count"] == len(answer["results"])
    text = filled("search", "slates for the roof", "-k", "1").out
    assert str(sources / "memo.md") in text
    assert best["source"]["chunk_id"] in text


def test_explain_says_how_the_question_was_read(
    filled: Run, messages: Callable[[str], None]
) -> None:
    question = "Please tell me who signed the governing law clause in FY2024."
    output = filled("search", question, "--explain").out
    messages("\n".join(row for row in output.splitlines() if row.startswith("Question: ")))
    bare = filled("search", question, "--explain", "--no-vocabulary").out
    assert ("contracts" in output, "contracts" in bare) == (True, False)
    reading = json.loads(filled("search", question, "--json", "--explain").out)["reading"]
    assert reading["periods"][0]["year"] == 2024


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "ended_with", "code", "fact"),
    [
        (["search", "   "], 2, "usage", ""),
        (["search", "rent", "-k", "0"], 2, "usage", "`--limit`"),
        (["search", "rent", "--mode", "semantic"], 1, "model_not_found", "casetrack models pull"),
        (["chunk", "none"], 2, "chunk_not_found", "none"),
        (["models", "verify"], 1, "model_not_found", '"mini"'),
        (["models", "pull", "maxi"], 2, "usage", "mini"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_what_cannot_be_answered_is_reported(
    filled: Run, words: list[str], ended_with: int, code: str, fact: str
) -> None:
    ended = filled(*words, "--json")
    error = error_of(ended)
    assert (ended.code, error["code"]) == (ended_with, code)
    assert fact in error["message"] + error["hint"]


def test_a_chunk_with_its_whole_provenance(filled: Run) -> None:
    best = json.loads(filled("search", "rent", "--json").out)["results"][0]
    chunk_id = best["source"]["chunk_id"]
    chunk = json.loads(filled("chunk", chunk_id, "--json").out)
    assert (chunk["text"], chunk["source"]) == (best["text"], best["source"])
    window = json.loads(filled("chunk", chunk_id, "--window", "1", "--json").out)
    assert window == {"before": [], "chunk": chunk, "after": []}
    text = filled("chunk", chunk_id).out
    assert chunk["text"] in text
    assert f"Chunk {chunk_id} " in text
    assert f"0-{len(chunk['text'])} " in text


# --- SQL -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_parquet_goes_through_a_pipe(launch: Run, filled: Run) -> None:
    piped = launch("query", "FROM documents", "--format", "parquet", binary=True)
    assert pq.read_table(io.BytesIO(piped.out)).num_rows == 3


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("value", "type_name", "back"),
    [
        ("12", "INTEGER", 12),
        ("null", '"NULL"', None),
        ('"12"', "VARCHAR", "12"),
        ("O'Neil; DROP", "VARCHAR", "O'Neil; DROP"),
    ],
)
def test_parameters_keep_their_type(filled: Run, value: str, type_name: str, back: object) -> None:
    ended = filled("query", "SELECT $x AS x, typeof($x) AS t", "-p", f"x={value}", "--json")
    assert json.loads(ended.out) == [{"x": back, "t": type_name}]


# --- the rest ------------------------------------------------------------------------------


def test_schema_shows_every_column(run: Run) -> None:
    tables = json.loads(run("schema", "--json").out)
    assert {t["name"] for t in tables} >= {"documents", "chunks", "pages"}
    chunks = json.loads(run("schema", "chunks", "--json").out)
    text = run("schema", "chunks").out
    for column in chunks["columns"]:
        assert column["doc"]
        assert f"\n{column['name']} " in text
