"""Collections to export, and archives to break."""

from __future__ import annotations

import hashlib
import json
import zipfile
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pytest

from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.ingest.pipeline import Tools
from casetrack.store.session import write_session
from conftest import store_text
from fakes import WordEncoder

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.api.collection import Collection
    from casetrack.base.records import Document

TOOLS = Tools(encoder=WordEncoder("mini", token_width=None))


@pytest.fixture
def case(library: Library) -> Collection:
    """A collection with three documents, the last with a copy of its file."""
    collection = library.create(
        "Case: Smith/Jones?", description="About it", reference="R 1", tags=("a", "b")
    )
    fill(collection)
    return collection


def fill(collection: Collection) -> None:
    """Store three documents, the last with a copy of its file."""
    with write_session(collection.folder) as session:
        for name in "ab":
            store_text(session, f"{name}.txt", f"Document {name} names rents. " * 99, tools=TOOLS)
        document = store_text(session, "copied.txt", "The harbour master signed.", tools=TOOLS)
        session.finish(with_copy(collection, document, b"The harbour master signed."))


def with_copy(collection: Collection, document: Document, content: bytes) -> Document:
    """Keep a copy of a document's file in its collection."""
    place = f"originals/{document.document_id}/{document.name}"
    copy = collection.folder / place
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_bytes(content)
    digest = hashlib.sha256(content).hexdigest()
    return replace(document, original_copy=place, file_hash=digest, file_size=len(content))


@pytest.fixture
def other(tmp_path: Path) -> Library:
    """The library of another machine."""
    return Library(load_settings(tmp_path / "other"))


@dataclass
class Archive:
    """The parts of an archive, for writing a changed copy.

    Attributes
    ----------
    files
        Content by path, except the manifest.
    relist
        Whether the manifest is updated to the files.
    """

    files: dict[str, bytes]
    manifest: dict[str, Any]
    relist: bool = True
    extra: list[tuple[zipfile.ZipInfo | str, bytes]] = field(default_factory=list)

    @classmethod
    def read(cls, path: Path) -> Archive:
        with zipfile.ZipFile(path) as archive:
            files = {n: archive.read(n) for n in archive.namelist()}
        return cls(files, json.loads(files.pop("manifest.json")))

    def write(self, path: Path) -> Path:
        if self.relist:
            self.manifest["files"] = [
                {"path": n, "size": len(c), "sha256": hashlib.sha256(c).hexdigest()}
                for n, c in self.files.items()
            ]
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in self.files.items():
                archive.writestr(name, content)
            for entry, content in self.extra:
                archive.writestr(entry, content)
            archive.writestr("manifest.json", json.dumps(self.manifest))
        return path
