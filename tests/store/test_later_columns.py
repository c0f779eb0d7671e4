"""A collection made before a column was declared: it is read at once, and completed by a write."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import lance
import pytest

from casetrack.api.library import Library
from casetrack.base import schema

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.api.collection import Collection

LATER = {
    "chunks": ("embedded_at", "text_hash", "printed", "printed_place", "checksum"),
    "documents": ("legal_type", "case_number", "parties", "own_citations", "checksum"),
}


@pytest.fixture
def earlier(library: Library, tmp_path: Path) -> Collection:
    """Return a collection of two texts without the columns of :data:`LATER`."""
    (tmp_path / "lease.txt").write_text("The landlord lets the mill from 1 May 2024.", "utf-8")
    (tmp_path / "oar.txt").write_text("Two oars lie under the landing stage.", "utf-8")
    folder = library.create("Mill").folder
    library.get("Mill").ingest([tmp_path / "lease.txt", tmp_path / "oar.txt"])
    for table, columns in LATER.items():
        lance.dataset(folder / f"{table}.lance").drop_columns(list(columns))
    shutil.rmtree(folder / "views")
    return Library(library.settings).get("Mill")


def lacking(folder: Path) -> dict[str, set[str]]:
    have = {t: set(lance.dataset(folder / f"{t}.lance").schema.names) for t in LATER}
    return {t: set(schema.table(t).names) - have[t] for t in LATER}


def test_it_is_read_without_being_touched(earlier: Collection) -> None:
    documents = {d.name: d for d in earlier.documents()}
    assert documents.keys() == {"lease.txt", "oar.txt"}
    assert documents["oar.txt"].legal_type is documents["oar.txt"].parties is None
    (hit, *_) = earlier.search("landlord", mode="keyword")
    assert hit.text == "The landlord lets the mill from 1 May 2024."
    assert earlier.read.chunk(hit.chunk_id[:12]).text == hit.text
    snapshot = earlier.workspace.state().snapshot
    assert snapshot.scan(["embedded_at", "text"]).column_names == ["embedded_at", "text"]
    assert snapshot.scan(["embedded_at"])["embedded_at"].null_count == 2
    result = snapshot.where("chunk_id", hit.chunk_id, ["text_hash", "text"])
    assert result.to_pylist() == [{"text_hash": None, "text": hit.text}]
    assert snapshot.revisions_without(["embedded_at"]) == set(snapshot.revisions)
    assert lacking(earlier.folder) == {t: set(c) for t, c in LATER.items()}


def test_what_it_lacks_is_no_damage(earlier: Collection) -> None:
    # Segments of both graphs of an earlier version are no damage either.
    earlier.map.entities()
    earlier.sql("FROM authorities")
    manifests = list((earlier.folder / "views" / "graph").glob("*/manifest.json"))
    for manifest in manifests:
        facts = json.loads(manifest.read_text("utf-8"))
        manifest.write_text(json.dumps(facts | {"format": 1}), "utf-8")
        for part in manifest.parent.glob("*/*.arrow"):
            part.write_bytes(part.read_bytes()[:-8])
    assert {manifest.parent.name for manifest in manifests} == {"legal", "segments"}
    checks = {c.name: c for c in earlier.admin.doctor().checks}
    assert {name for name, check in checks.items() if not check.ok} == set()
    lacks = sum(len(columns) for columns in LATER.values())
    assert str(lacks) in checks["schema"].detail


@pytest.mark.slow
def test_a_write_adds_what_it_lacks(earlier: Collection, tmp_path: Path) -> None:
    (tmp_path / "boat.txt").write_text("The boat house has a roof of slate.", "utf-8")
    assert earlier.ingest([tmp_path / "boat.txt"]).count("ingested") == 1
    assert lacking(earlier.folder) == {t: set() for t in LATER}
    assert len(earlier.documents()) == 3
    assert [c.name for c in earlier.admin.doctor().checks if not c.ok] == []
    earlier.delete_document("oar.txt")
    assert {d.name for d in earlier.documents()} == {"lease.txt", "boat.txt"}


def test_it_is_recovered_without_its_facts(earlier: Collection, library: Library) -> None:
    for kept in earlier.folder.glob("*collection.json*"):
        kept.unlink()
    (result,) = Library(library.settings).collections()
    assert earlier.folder.name[:8] in result.name
    assert len(Library(library.settings).get(result.name).documents()) == 2
