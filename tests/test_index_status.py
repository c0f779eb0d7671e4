"""The status of an index: fresh and stale parts, with reasons and remedies."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

import lance
import pyarrow as pa
import pytest

from casetrack.api.library import Library
from casetrack.store.session import write_session
from fakes import FakeEncoders, WordEncoder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from casetrack.api.collection import Collection
    from casetrack.base.records.health import DocumentIndex

MAIL = (
    b"From: a@b.example\nSubject: Offer\nMIME-Version: 1.0\n"
    b'Content-Type: multipart/mixed; boundary="x"\n\n--x\nContent-Type: text/plain\n\n'
    b"The offer is attached.\n--x\nContent-Type: text/plain\n"
    b'Content-Disposition: attachment; filename="price.txt"\n\nIt costs 40.\n--x--\n'
)


def full() -> WordEncoder:
    return WordEncoder("ollama", 12, token_width=4, has_sparse=True)


def use(library: Library, *encoders: WordEncoder) -> Library:
    opened = Library(library.settings)
    opened.encoders = FakeEncoders(*encoders)  # type: ignore[assignment]
    return opened


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "a.txt").write_text("The roof leaks. " * 400)
    (folder / "b.txt").write_text("The ferry leaves at noon.")
    (folder / "offer.eml").write_bytes(MAIL)
    return folder


@pytest.fixture
def collection(library: Library, files: Path) -> Collection:
    result = use(library, full()).create("C", profile="ollama")
    assert result.ingest([files]).count("ingested") == 4
    return result


def by_name(collection: Collection) -> dict[str, DocumentIndex]:
    return {d.name: d for d in collection.admin.index_status().documents}


@pytest.mark.slow
def test_all_is_fresh(collection: Collection) -> None:
    status = collection.admin.index_status()
    assert status.ok
    assert (status.models, status.action, status.problems) == (True, "none", {})
    assert status.outputs == ("dense", "sparse", "tokens", "terms")
    assert [d.name for d in status.documents] == ["a.txt", "b.txt", "offer.eml", "price.txt"]
    assert status.coverage == dict.fromkeys(status.outputs, status.chunks)
    assert {d.reason for d in status.documents} == {""}
    assert status.as_dict()["coverage"]["tokens"]["share"] == 1.0
    (one,) = collection.admin.index_status("b.txt").documents
    assert one == by_name(collection)["b.txt"]


@pytest.mark.slow
def test_rows_that_lack_an_output(collection: Collection, messages: Callable[..., None]) -> None:
    chunk = collection.read.chunks("a.txt")[1].chunk_id
    chunks = lance.dataset(collection.folder / "chunks.lance")
    chunks.update({"tokens": "NULL", "checksum": "NULL"}, where=f"chunk_id = '{chunk}'")
    result = by_name(collection)["a.txt"]
    assert result.problems == ("incomplete",)
    assert result.coverage["tokens"] == result.chunks - 1
    assert result.coverage["dense"] == result.chunks
    messages(result.reason, hide={str(result.chunks): "<chunks>"})
    assert result.action == "reindex"
    assert by_name(collection)["b.txt"].ok
    assert collection.admin.reindex().documents == 1
    assert collection.admin.index_status().ok


@pytest.mark.slow
def test_without_models(library: Library, files: Path) -> None:
    use(library, full()).create("Bare", profile="ollama")
    bare = use(library).get("Bare")
    bare.ingest([files / "b.txt"])
    status = bare.admin.index_status()
    assert (status.models, status.action) == (False, "pull_models")
    assert status.problems == {"no_models": 1}
    assert status.coverage["dense"] == 0
    filled = use(library, full()).get("Bare")
    assert filled.admin.reindex().documents == 1
    assert filled.admin.index_status().ok
    # Outputs of models that were removed later remain.
    assert bare.admin.index_status().ok


@pytest.mark.slow
def test_source_files(collection: Collection, files: Path) -> None:
    os.utime(files / "b.txt", (1, 1))
    assert collection.admin.index_status().ok
    (files / "a.txt").write_text("Another text. " * 5)
    (files / "offer.eml").unlink()
    (files / "b.txt").write_text("The ferry leaves at nine.")
    status = collection.admin.index_status()
    result = by_name(collection)
    assert status.problems == {"source_changed": 2, "source_missing": 2}
    assert status.action == "reparse"
    assert {n for n, d in result.items() if d.source == "changed"} == {"a.txt", "b.txt"}
    # An attachment has no file but the one that it came in.
    assert result["price.txt"].source == "missing"
    assert result["price.txt"].action == "file"
    collection.admin.reindex(reparse=True)
    assert collection.admin.index_status().problems == {"source_missing": 2}


def test_large_files_are_compared_only_when_asked(
    collection: Collection, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("casetrack.ingest.index_status._MOST_BYTES", 10)
    os.utime(files / "b.txt", (1, 1))
    status = collection.admin.index_status()
    assert status.problems == {"source_untested": 1}
    assert status.action == "verify"
    assert collection.admin.index_status(verify=True).ok
    assert collection.admin.index_status("b.txt").ok


def test_partial_and_earlier_reading(collection: Collection) -> None:
    a, b, *_ = sorted(collection.documents(), key=lambda d: d.name)
    with write_session(collection.folder) as session:
        session.finish(replace(a, missing=("Pages 3 to 9.",)))
        session.finish(replace(b, pipeline_fingerprint="0" * 16))
    result = by_name(collection)
    assert result["a.txt"].problems == ("partial",)
    assert "Pages 3 to 9." in result["a.txt"].reason
    assert result["b.txt"].problems == ("stale",)
    collection.admin.reindex()
    assert by_name(collection)["b.txt"].problems == ("earlier_reading",)
    assert by_name(collection)["b.txt"].action == "reparse"
    report = collection.admin.reindex_document("b.txt")
    assert report.files is not None
    assert report.files.count("ingested") == 1
    assert by_name(collection)["b.txt"].ok


@pytest.mark.slow
def test_dead_rows_do_not_count(collection: Collection) -> None:
    """Rows that no document names are not of this collection."""
    dataset = lance.dataset(collection.folder / "chunks.lance")
    rows = dataset.to_table(filter="document_name = 'b.txt'")
    place = rows.schema.get_field_index("revision")
    other = pa.array(["dead"] * rows.num_rows)
    dataset.insert(rows.set_column(place, rows.schema.field(place), other))
    before = collection.admin.index_status()
    assert before.ok
    assert before.chunks == sum(d.chunk_count for d in collection.documents())
