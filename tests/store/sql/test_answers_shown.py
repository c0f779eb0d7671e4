"""The SQL of the answers as an analyst gets it: shown, copied, changed, run."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from casetrack.api.sql.parameters import values_for
from casetrack.api.sql.saved import read_head
from casetrack.api.sql.shown import ANSWERS, shown
from casetrack.base.resources import resource_dir
from casetrack.base.sql.statements import all_of, parameters
from casetrack.faces.cli.main import main
from casetrack.graph.answers.rows import statement
from casetrack.graph.opened import graph_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from casetrack.api.collection import Collection

FILES = sorted(p.stem for p in (resource_dir("pipelines") / "queries" / "answers").glob("*.sql"))


@pytest.fixture(scope="module")
def given(demo: Collection) -> dict[str, str]:
    """Values as typed, of the parameters that have no default."""
    graph = graph_of(demo.workspace.state())
    rows = graph.sql(statement("graph-best-connected"), {"limit": 3}).to_pylist()
    ids = [row["entity_id"] for row in rows]
    edges = graph.edges("document").to_pylist()
    edge = next(edge for edge in edges if edge["type"] == "shared_references")
    reference = graph.table("references").to_pylist()[0]["reference_id"]
    return {
        "entity_id": ids[0],
        "entity_ids": json.dumps(ids),
        "document_id": edge["source_id"],
        "other_ids": json.dumps([edge["target_id"]]),
        "reference_id": reference,
        "document_a": edge["source_id"],
        "document_b": edge["target_id"],
        "chunk_ids": json.dumps(edge["evidence"]),
        "from_id": ids[0],
        "to_id": ids[1],
    }


@pytest.fixture(scope="module")
def home(demo_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shutil.copytree(demo_home, tmp_path_factory.mktemp("answers") / "home")


@pytest.fixture
def run_copy(
    home: Path,
    given: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> Callable[..., list[list[dict[str, Any]]]]:
    monkeypatch.setenv("CASETRACK_HOME", str(home))

    def run(text: str, **values: str) -> list[list[dict[str, Any]]]:
        copy = home / "copy.sql"
        copy.write_text(text, encoding="utf-8")
        named = {name for one in all_of(text) for name in parameters(one)}
        words = [w for n, v in ({n: v for n, v in given.items() if n in named} | values).items()
                 for w in ("-p", f"{n}={v}")]  # fmt: skip
        code = main(["query", "-f", str(copy), "--json", *words])
        out, err = capfd.readouterr()
        assert code == 0, err
        decoder, tables = json.JSONDecoder(), []
        while out := out.lstrip():
            rows, end = decoder.raw_decode(out)
            tables.append(rows)
            out = out[end:]
        return tables

    return run


def test_every_file_stands_behind_an_answer() -> None:
    assert {name for files in ANSWERS.values() for name in files} == set(FILES)


@pytest.mark.parametrize("name", FILES)
def test_every_statement_says_what_it_returns_and_what_it_takes(name: str) -> None:
    (text,) = all_of(statement(name))
    title, declared = read_head(text, name)
    assert title
    assert [p.name for p in declared] == [p.name for p in declared if p.about]
    assert {p.name for p in declared} == set(parameters(text))


@pytest.mark.slow
@pytest.mark.parametrize("answer", ANSWERS)
def test_a_copy_gives_the_rows_of_the_answer(
    answer: str, demo: Collection, given: dict[str, str], run_copy: Callable[..., Any]
) -> None:
    tables = run_copy(shown(answer))
    assert len(tables) == len(ANSWERS[answer])
    for (name, changed), rows in zip(ANSWERS[answer].items(), tables, strict=True):
        _, declared = read_head(statement(name), name)
        values = values_for(statement(name), given | changed, declared)
        own = graph_of(demo.workspace.state()).sql(statement(name), values).to_pylist()
        assert _rounded(rows) == _rounded(own), name
        # The sample files hold no two versions of a document.
        assert rows or name in {"version-families", "compare-versions"}


def _rounded(rows: list[dict[str, Any]]) -> Any:
    """Return rows with all numbers in 32 bits: JSON writes such ones as short as can be."""
    return json.loads(json.dumps(rows), parse_float=lambda text: float(np.float32(text)))


def test_showing_prints_a_text_that_runs_and_names_the_answers(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CASETRACK_HOME", str(tmp_path))
    assert main(["query", "--show", "summary"]) == 0
    assert capfd.readouterr().out == shown("summary")
    assert main(["query", "--show", "sumary"]) == 2
    message = capfd.readouterr().err
    assert all(name in message for name in ANSWERS)
