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
    from casetrack.records import IngestProgress

KILLS = 50
FILES = 24
PRELOAD = ["pyarrow", "casetrack.library", "casetrack.ingest.batch", "casetrack.views.index"]


def _write_forever(data_dir: str, folder: str, ready: Any) -> None:
    """Ingest, delete some, and again; runs until it is killed."""
    os.setpgrp()
    collection = Library(load_settings(data_dir)).get("Killed")
    source = random.Random(os.getpid())
    if source.random() < 0.3:
        ready.set()  # to be killed while it starts

    def warm(moment: IngestProgress) -> None:
        if moment.done:
            ready.set()

    while True:
        collection.ingest([folder], force=source.random() < 0.3, progress=warm)
        for document in source.sample(collection.documents(), 6):
            collection.delete_document(document.document_id)


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
    seen = set()
    for _ in range(KILLS):
        ready = context.Event()
        arguments = (str(tmp_path / "data"), str(folder), ready)
        process = context.Process(target=_write_forever, args=arguments, daemon=True)
        process.start()
        assert ready.wait(60)
        time.sleep(source.uniform(0.0, 1.0))
        # Its parsing workers too: whatever is in the middle of something dies there.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        process.join(60)
        seen.add(check(collection, texts))
    assert len(seen) > 1  # kills came at different moments

    report = collection.ingest([folder])
    assert report.count("failed") == 0
    assert check(collection, texts) == len(texts)
    with write_session(collection.folder):
        pass
    assert leftovers(collection.folder) == []
    stored = collection.snapshot().chunks.count_rows()
    assert stored == sum(d.chunk_count for d in collection.documents())
