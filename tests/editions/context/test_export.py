"""``ctx export``: JSON with the names that ctx's pages read, and the page itself."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from casetrack.editions.context.cli.main import main
from context_faces import typed

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def export(project: Path, *words: str) -> int:
    """Run ``ctx export``."""
    return main(["--config", str(project), "export", *words])


def test_json_has_all_documents(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert export(project) == 0
    held = json.loads(capsys.readouterr().out)
    assert set(held) == {"documents", "chunks"}
    ids = {d["source_id"]: d for d in held["documents"]}
    auth = ids["auth.md"]
    assert set(auth) == {"id", "source", "source_id", "source_url", "title", "updated_at", "body"}
    assert isinstance(auth["updated_at"], int)
    assert auth["source"] == "filesystem:docs"
    read = typed(project, "get", auth["id"])
    assert auth["body"] == read["body"]
    mine = [c for c in held["chunks"] if c["document_id"] == auth["id"]]
    assert [(c["chunk_index"], c["text"]) for c in mine] == [
        (c["index"], c["text"]) for c in read["chunks"]
    ]
    assert {"id", "citation", "line_start", "line_end", "url"} < set(mine[0])
    assert len(held["documents"]) == 25


def test_files_and_folders(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert export(project, "-o", str(tmp_path / "site"), "--name", "Acme <docs>") == 0
    page = (tmp_path / "site" / "search.html").read_text(encoding="utf-8")
    assert "<bdi>Acme &lt;docs&gt;</bdi>" in page
    assert json.loads((tmp_path / "site" / "data.json").read_text(encoding="utf-8"))["documents"]
    assert "25" in capsys.readouterr().out
    assert export(project, "-o", str(tmp_path / "site")) == 0  # again, over its own files
    assert export(project, "-o", str(tmp_path / "one.html")) == 0
    assert (tmp_path / "one.html").exists()
    assert not (tmp_path / "one.html" / "data.json").exists()


def test_what_is_not_ours_stays(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "mine.html"
    mine.write_text("<p>my page</p>", encoding="utf-8")
    assert export(project, "-o", str(mine)) == 2
    assert str(mine) in capsys.readouterr().err
    assert mine.read_text(encoding="utf-8") == "<p>my page</p>"
    assert export(project, "-o", str(tmp_path / "data.csv")) == 2
    text = capsys.readouterr().err
    assert all(ending in text for ending in (".json", ".html"))
