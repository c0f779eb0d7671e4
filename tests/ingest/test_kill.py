"""SIGKILL at random instants of ingesting and deleting: every document is whole or absent."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import random
import signal
import time
from typing import TYPE_CHECKING, Any

import pytest

from casetrack.config import load_settings
from casetrack.library import Library
from casetrack.store.session import leftovers, write_session

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.collection import Collection

KILLS = 50
FILES = 24
PRELOAD = ["pyarrow", "casetrack.library", "casetrack.ingest.batch", "casetrack.views.index"]


def _write_forever(data_dir: str, folder: str, turned: Any) -> None:
    """Ingest, delete some, and again; says when one turn is done; runs until it is killed."""
    os.setpgrp()
    collection = Library(load_settings(data_dir)).get("Killed")
    source = random.Random(os.getpid())
    while True:
        collection.ingest([folder], force=source.random() < 0.3)
        for document in source.sample(collection.documents(), 6):
            collection.delete_document(document.document_id)
        turned.set()


def rebuilt(collection: Collection, document_id: str) -> str:
    text = ""
    for chunk in collection.chunks(document_id):
        text = text[: chunk.provenance.char_start] + chunk.text
    return text


def check(collection: Collection, texts: dict[str, str]) -> int:
    """Check that everything visible is whole and findable; return the number of documents."""
    snapshot, index = collection.index()
    for document in snapshot.documents.values():
        assert rebuilt(collection, document.document_id) == texts[document.name]
        rows = snapshot.scan(["chunk_index", "terms"], revisions=[document.revision])
        assert sorted(rows["chunk_index"].to_pylist()) == list(range(document.chunk_count))
        assert rows["terms"].null_count == 0
    assert index.chunk_count == sum(d.chunk_count for d in snapshot.documents.values())
    names = {d.name for d in snapshot.documents.values()}
    for hit in collection.search("marker", k=200):
        assert hit.provenance.document_name in names
    return len(names)


def wait_for_a_commit(collection: Collection) -> None:
    versions = collection.folder / "documents.lance" / "_versions"
    before, end = set(versions.iterdir()), time.monotonic() + 60
    while set(versions.iterdir()) == before:
        assert time.monotonic() < end, "the writer wrote nothing"
        time.sleep(0.002)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
def test_killed_at_random_instants(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CASETRACK_MODELS", str(tmp_path / "none"))
    folder = tmp_path / "files"
    folder.mkdir()
    source, texts = random.Random(7), {}
    for number in range(FILES):
        lines = [
            f"Line {i} of file {number} has the marker word{source.randint(0, 999)}."
            for i in range(source.choice([1, 3, 40, 400]))
        ]
        texts[f"{number:02d}.txt"] = "\n".join(lines)
        (folder / f"{number:02d}.txt").write_text(texts[f"{number:02d}.txt"])
    library = Library(load_settings(tmp_path / "data"))
    collection = library.create("Killed")

    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOAD)
    seen, a_turn = set(), 0.0
    for _ in range(KILLS):
        turned = context.Event()
        arguments = (str(tmp_path / "data"), str(folder), turned)
        process = context.Process(target=_write_forever, args=arguments, daemon=True)
        begun = time.monotonic()
        process.start()
        if not a_turn:
            assert turned.wait(120)
            a_turn = time.monotonic() - begun
        elif source.random() < 0.4:
            time.sleep(source.uniform(0.0, a_turn))  # anywhere, also while it starts
        else:
            wait_for_a_commit(collection)
            time.sleep(source.uniform(0.0, a_turn / 4))  # in the midst of writing
        # Its parsing workers too: whatever is in the middle of something dies there.
        with contextlib.suppress(ProcessLookupError):  # it has not made its group yet
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        process.join(60)
        seen.add(check(collection, texts))
    assert len(seen) > 1, seen  # kills came at different moments

    report = collection.ingest([folder])
    assert report.count("failed") == 0
    assert check(collection, texts) == len(texts)
    with write_session(collection.folder):
        pass
    assert leftovers(collection.folder) == []
    stored = collection.snapshot().chunks.count_rows()
    assert stored == sum(d.chunk_count for d in collection.documents())
