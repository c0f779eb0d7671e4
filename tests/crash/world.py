"""A small data folder with known texts, and its externally visible state."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.api.library import Library
from casetrack.api.watch.watch_list import WatchList
from casetrack.base.config import load_settings
from casetrack.store.datasets import CHUNKS, DOCUMENTS, open_dataset
from fakes import FakeEncoders, WordEncoder

if TYPE_CHECKING:
    from collections.abc import Iterable

    from casetrack.api.collection import Collection

# Profiles of services settle the length of their vectors themselves, so any will do.
SHORT, LONG = "openai", "ollama"
NAME = "Case"
PHRASE = "correct horse battery staple"
LINES = (1, 3, 40, 120, 2, 60)
_UNWRITTEN = (".tmp", ".part", ".partial")


def open_library(data_dir: Path, /) -> Library:
    """Open a data folder with models that a test can reckon with, as a program that starts."""
    library = Library(load_settings(data_dir))
    models = (
        WordEncoder(SHORT, 8, token_width=None),
        WordEncoder(LONG, 12, token_width=4, has_sparse=True),
    )
    library.encoders = FakeEncoders(*models)  # type: ignore[assignment]
    return library


def text_of(number: int, version: int = 1) -> str:
    """Return the text of a file; every line has a word that only this version of it has."""
    lines = LINES[number % len(LINES)]
    word = f"uniq{number}v{version}"
    return "\n".join(f"Line {i} of file {number} has the marker and {word}." for i in range(lines))


def write_files(folder: Path, numbers: Iterable[int], version: int = 1) -> None:
    """Write files, or versions of them."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in numbers:
        (folder / f"{number:02d}.txt").write_text(text_of(number, version), encoding="utf-8")


def rebuilt(collection: Collection, document: str) -> str:
    """Return the text of a document as its chunks have it, page after page."""
    pages: dict[int, str] = {}
    for chunk in collection.read.chunks(document):
        place = chunk.provenance
        pages[place.page] = pages.get(place.page, "")[: place.char_start] + chunk.text
    return "".join(pages.values())


@dataclass(frozen=True)
class Seen:
    """Visible state of a collection: its facts, and text, number of chunks and title by path."""

    facts: tuple[object, ...]
    documents: dict[str, tuple[object, ...]] = field(default_factory=dict)


def look(data_dir: Path, /) -> dict[str, Seen]:
    """Return the visible state of every collection of a data folder after checking it.

    Watched folders have a separate key.

    Raises
    ------
    AssertionError
        Data is half-written, cannot be found, or can be found after its deletion.
    """
    library = open_library(data_dir)
    assert library.damaged() == []
    seen = {}
    for info in library.collections():
        seen[info.name] = _look_at(library.get(info.id))
    watches = {w.folder: (w.enabled, w.schedule) for w in WatchList(data_dir).watches()}
    if watches:
        seen["(watches)"] = Seen((), watches)
    for sealed in library.sealed():
        # None of it is unencrypted, and all of it can be restored.
        plain = [p for p in data_dir.rglob("*") if p.is_file() and b"the marker" in p.read_bytes()]
        assert plain == []
        with tempfile.TemporaryDirectory() as elsewhere:
            other = open_library(Path(elsewhere))
            opened = _look_at(other.get(other.unseal(sealed.path, PHRASE).collection_id))
            seen[sealed.label] = replace(opened, facts=("sealed", *opened.facts))
    library.jobs.list()
    return seen


def _look_at(collection: Collection) -> Seen:
    state = collection.workspace.state()
    snapshot, index = state.snapshot, state.index
    documents: dict[str, tuple[object, ...]] = {}
    live, marked = set(), set()
    for document in snapshot.documents.values():
        columns = ["chunk_id", "chunk_index", "terms", "text"]
        rows = snapshot.scan(columns, revisions=[document.revision])
        assert sorted(rows["chunk_index"].to_pylist()) == list(range(document.chunk_count))
        assert rows["terms"].null_count == 0
        live.update(rows["chunk_id"].to_pylist())
        marked.update(r["chunk_id"] for r in rows.to_pylist() if "marker" in r["text"])
        text = rebuilt(collection, document.document_id)
        assert len(text) == document.char_count
        assert document.path not in documents
        documents[document.path] = (text, document.chunk_count, document.title)
    assert index.chunk_count == sum(d.chunk_count for d in snapshot.documents.values())
    # By their vectors all that are live are found, and by a word all that have it.
    if live:
        answer = collection.search("marker", limit=1000, mode="keyword")
        assert {hit.provenance.chunk_id for hit in answer} == marked
    if index.embedded_count and collection.info.profile in {SHORT, LONG}:
        answer = collection.search("marker", limit=1000, mode="semantic")
        assert {hit.provenance.chunk_id for hit in answer} == live
    assert collection.sql("SELECT count(*) AS n FROM chunks")["n"].to_pylist() == [len(live)]
    problems = [
        c for c in collection.admin.doctor().checks if not c.ok and c.name != "source files"
    ]
    assert problems == [], problems
    info = collection.info
    facts = (info.status, info.profile, info.dimension, info.description, info.schema_version)
    # Of states that are kept by themselves the name has the time in it.
    named = {str(s.name) for s in collection.admin.snapshots(limit=0)}
    facts += tuple(sorted({"by itself" if n.startswith("before-") else n for n in named}))
    return Seen(facts, documents)


def garbage(data_dir: Path, /) -> list[str]:
    """Return the files below the collections that no object references after the last writer ended.

    Data of an older version is not garbage: readers may still use that version.
    """
    collected = []
    home = data_dir / "collections"
    for folder in home.iterdir() if home.exists() else ():
        if folder.name.startswith("."):
            collected.append(folder.name)
            continue
        if not folder.is_dir():
            continue  # it is sealed
        for name in (CHUNKS, DOCUMENTS):
            collected += [f"{name}/{n}" for n in _unnamed(folder, name)]
        journals = folder / "journal"
        collected += [f"journal/{p.name}" for p in journals.iterdir()] if journals.exists() else []
        if (folder / "rewrite").exists():
            collected.append("rewrite")
        collected += [
            str(path.relative_to(folder))
            for path in folder.rglob("*")
            if path.name.endswith(_UNWRITTEN)
        ]
        live = open_library(data_dir).get(folder.name)
        rows = live.workspace.state().snapshot.chunks.count_rows()
        wanted = sum(d.chunk_count for d in live.documents())
        if rows != wanted:
            collected.append(f"{rows - wanted} rows")
    return collected


def _unnamed(folder: Path, name: str) -> list[str]:
    """Return the data files of a dataset that none of its versions references."""
    dataset = open_dataset(folder, name)
    named = set()
    for version in dataset.versions():
        for fragment in dataset.checkout_version(version["version"]).get_fragments():
            described = fragment.metadata.to_json()
            described = described if isinstance(described, dict) else json.loads(described)
            named.update(Path(f["path"]).name for f in described["files"])
    data = folder / name / "data"
    return [p.name for p in data.iterdir() if p.name not in named] if data.exists() else []
