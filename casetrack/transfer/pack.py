"""Writes a collection into one ``.ctcollection`` file.

The live rows go into new datasets first, so that nothing deleted or replaced travels; then they
are packed, together with the copied source files, the saved queries, and a manifest that has the
SHA-256 of every file.
All of that happens in a folder beside the target, which gets its name as the last step.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import time
import zipfile
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.errors import DiskFull, JobStopped, UsageError
from casetrack.provenance import iso_utc
from casetrack.records.transfer import ExportReport
from casetrack.store.copies import write_copy
from casetrack.store.files import storage_errors, sync_folder, write_atomic, write_json
from casetrack.store.pipeline_files import kept_path
from casetrack.store.reader_locks import locked_snapshot
from casetrack.store.scratch import scratch_folder
from casetrack.transfer.manifest import EXTENSION, INFO, MANIFEST, Entry, Manifest
from casetrack.transfer.marks import copy_marks
from casetrack.transfer.paths import safe_name
from casetrack.transfer.queries import copy_queries

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

    import pyarrow as pa

    from casetrack.records import CollectionInfo, Document
    from casetrack.store.datasets import Snapshot
    from casetrack.workspace import Workspace

_BLOCK = 1 << 20
_METHOD, _LEVEL = zipfile.ZIP_DEFLATED, 1
"""Higher levels of deflate make vectors and packed columns hardly smaller, and take longer."""
_COPYING, _PACKING = "Copying passages", "Packing"
_OUTPUTS = {".ctcollection", ".zip"}


@dataclass(slots=True)
class _Work:
    """What one export is told and what it gathers."""

    folder: Path
    target: Path
    tell: Callable[[str, int, int], None]
    cancel: threading.Event
    started: float = field(default_factory=time.monotonic)
    entries: list[Entry] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def step(self, what: str, done: int, total: int) -> None:
        """Tell how far it is, in per cent of all; the two parts take about as long."""
        if self.cancel.is_set():
            raise JobStopped(
                "The export was stopped; nothing was written.",
                hint="Run the same command again to start anew.",
            )
        before = 0 if what == _COPYING else 50
        self.tell(what, before + 50 * done // max(total, 1), 100)


def pack(
    workspace: Workspace,
    path: str | Path,
    /,
    *,
    overwrite: bool,
    tell: Callable[[str, int, int], None],
    cancel: threading.Event,
) -> ExportReport:
    """Write a collection to a file.

    Parameters
    ----------
    workspace
        The collection.
    path, overwrite
        See ``Collection.admin.export``.
    tell
        Called with what is done, how much, and of how much.
    cancel
        Set it to stop.

    Raises
    ------
    UsageError, JobStopped, CollectionDamaged, StorageError
        See ``Collection.admin.export``.
    """
    folder, info = workspace.folder, workspace.info
    target = _target(folder, info, Path(path).expanduser(), overwrite=overwrite)
    work = _Work(folder, target, tell, cancel)
    with locked_snapshot(folder, cancel=cancel) as snapshot, scratch_folder(target.parent) as space:
        manifest, packed = _make(work, info, snapshot, space)
        with storage_errors(target):
            # Somebody may have made it meanwhile.
            _require_free(target, overwrite=overwrite)
            size = packed.stat().st_size
            packed.replace(target)
            sync_folder(target.parent)
    return ExportReport(
        collection=info.name,
        path=str(target),
        bytes=size,
        unpacked_bytes=manifest.total,
        documents=manifest.counts["documents"],
        pages=manifest.counts["pages"],
        chunks=manifest.counts["chunks"],
        originals=manifest.counts["originals"],
        seconds=time.monotonic() - work.started,
        notes=tuple(work.notes),
    )


def _target(folder: Path, info: CollectionInfo, path: Path, *, overwrite: bool) -> Path:
    with storage_errors(path):
        if path.is_dir():
            path = path / f"{safe_name(info.name)}{EXTENSION}"
        elif path.suffix.lower() not in _OUTPUTS:
            path = path.with_name(path.name + EXTENSION)
        path = path.absolute()
        if path.resolve().is_relative_to(folder.resolve()):
            raise UsageError(
                f"{path} lies in the collection's own folder.",
                hint="Choose a place outside of the data folder.",
            )
        if path.is_dir():
            raise UsageError(f"{path} is a folder.", hint="Choose another name for the file.")
        path.parent.mkdir(parents=True, exist_ok=True)
    _require_free(path, overwrite=overwrite)
    return path


def _require_free(path: Path, *, overwrite: bool) -> None:
    if path.exists() and not overwrite:
        raise UsageError(
            f"{path} is there already.",
            hint="Choose another name, or add --overwrite (in Python overwrite=True).",
        )


def _make(
    work: _Work, info: CollectionInfo, snapshot: Snapshot, space: Path
) -> tuple[Manifest, Path]:
    """Write everything into the workspace; return the manifest and the packed file."""
    documents = list(snapshot.documents.values())
    info = replace(info, profile=snapshot.profile, dimension=snapshot.dimension)
    counts = {
        "documents": len(documents),
        "pages": sum(d.page_count for d in documents),
        "chunks": sum(d.chunk_count for d in documents),
    }
    copies = _copies(work, documents)
    content, packed = space / "content", space / "packed.zip"
    with storage_errors(content):
        content.mkdir()
    write_json(content / INFO, info.as_dict())
    models = write_copy(
        snapshot,
        content,
        documents=_with_copies(snapshot.documents.table, copies),
        step=lambda done: work.step(_COPYING, done, counts["chunks"]),
    )
    kept = work.folder / kept_path(info.pipeline)
    if kept.is_file():
        write_atomic(content / kept_path(info.pipeline), kept.read_bytes())
    behind = copy_marks(work.folder, snapshot, content)
    if behind:
        what = "1 mark of yours is" if behind == 1 else f"{behind:,} marks of yours are"
        work.notes.append(f"{what} not in it: the documents are gone.")
    left = copy_queries(work.folder, content)
    if left:
        work.notes.append(f"These saved queries are not in it: {_listed(left)}.")
    files = {p.relative_to(content).as_posix(): p for p in _files(content)}
    files |= {name: source for name, source, _ in copies.values()}
    expected = {name: digest for name, _, digest in copies.values()}
    _require_room(space, files.values())
    with storage_errors(packed):
        _pack(work, files, expected, packed)
        # What changed while it was packed is left out, so only now it is known what is there.
        have = {e.path for e in work.entries}
        manifest = Manifest(
            casetrack_version=_version(),
            created_at=iso_utc(datetime.now(UTC)) or "",
            collection=info.as_dict(),
            schema_version=info.schema_version,
            profile=info.profile,
            dimension=info.dimension,
            models=tuple(sorted(models)),
            counts=counts | {"originals": len(have & expected.keys())},
            files=tuple(work.entries),
        )
        with zipfile.ZipFile(packed, "a", _METHOD, compresslevel=_LEVEL) as archive:
            archive.writestr(MANIFEST, manifest.to_bytes())
        with packed.open("rb+") as file:
            os.fsync(file.fileno())
    return manifest, packed


def _version() -> str:
    # An import statement would reach up to the facade, which imports this module.
    return str(sys.modules["casetrack"].__version__)


def _copies(work: _Work, documents: list[Document]) -> dict[str, tuple[str, Path, str]]:
    """Return for documents with a copy its path in the archive, the file, and its SHA-256.

    A copy that is gone, or is not that of this content any more, stays behind with a note.
    """
    found, gone = {}, []
    for document in documents:
        if document.original_copy is None:
            continue
        source = work.folder / document.original_copy
        if not source.is_file() or source.stat().st_size != document.file_size:
            gone.append(document.name)
            continue
        name = f"originals/{safe_name(document.document_id)}/{safe_name(source.name)}"
        found[document.document_id] = (name, source, document.file_hash)
    if gone:
        work.notes.append(_missing(gone))
    return found


def _missing(names: list[str]) -> str:
    return (
        "The collection's own copies of these files are gone, so they are not in it: "
        f"{_listed(names)}."
    )


def _listed(names: list[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def _with_copies(ledger: pa.Table, copies: dict[str, tuple[str, Path, str]]) -> pa.Table:
    """Return the ledger with copies under the names that they have in the archive."""
    import pyarrow as pa

    place = ledger.schema.get_field_index("original_copy")
    pairs = zip(ledger["document_id"].to_pylist(), ledger["original_copy"].to_pylist(), strict=True)
    paths = [copies[i][0] if i in copies else _portable(old) for i, old in pairs]
    column = pa.array(paths, pa.string())
    return ledger.set_column(place, ledger.schema.field(place), column)


def _portable(copy: str | None) -> str | None:
    """Return where a copy that is gone would lie; the row says that there was one."""
    if copy is None:
        return None
    return "/".join(["originals", *map(safe_name, copy.split("/")[1:3])])


def _files(content: Path) -> list[Path]:
    return sorted(p for p in content.rglob("*") if p.is_file())


def _require_room(space: Path, files: object) -> None:
    needed = sum(p.stat().st_size for p in files if p.is_file())  # type: ignore[attr-defined]
    with storage_errors(space):
        if shutil.disk_usage(space).free < needed // 4:
            raise DiskFull(space)


def _pack(work: _Work, files: dict[str, Path], expected: dict[str, str], packed: Path) -> None:
    total = sum(p.stat().st_size for p in files.values() if p.is_file())
    done, changed = 0, []
    with zipfile.ZipFile(packed, "w", _METHOD, compresslevel=_LEVEL) as archive:
        for name, path in files.items():
            wanted = expected.get(name)
            if wanted is not None and _sha256(path) != wanted:
                changed.append(path.name)
                continue
            digest, size = hashlib.sha256(), 0
            with path.open("rb") as source, archive.open(name, "w", force_zip64=True) as sink:
                while block := source.read(_BLOCK):
                    sink.write(block)
                    digest.update(block)
                    size += len(block)
                    work.step(_PACKING, done + size, total)
            done += size
            work.entries.append(Entry(name, size, digest.hexdigest()))
    if changed:
        work.notes.append(_missing(changed))


def _sha256(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        return None  # its document was deleted a moment ago
