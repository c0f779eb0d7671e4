"""Export of a collection to one ``.ctcollection`` file.

The live rows are written to new datasets, so that deleted or replaced rows are left out, and packed
with the source files, the saved queries, and a manifest with the SHA-256 of every file, in a folder
next to the target. An encrypted export writes no plain data there: the new datasets are in the
collection's folder, and are encrypted while they are packed.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import shutil
import sys
import time
import zipfile
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from casetrack.base.crypt.stream import EncryptingWriter
from casetrack.base.errors import DiskFull, JobStopped, Opt, UsageError
from casetrack.base.files import sha256_of, storage_errors, sync_folder, write_atomic, write_json
from casetrack.base.provenance import iso_utc
from casetrack.base.records.shape import from_members
from casetrack.base.records.snapshots import ExportReport
from casetrack.keep.transfer.manifest import (
    ENCRYPTED_EXTENSION,
    EXPORT,
    EXTENSION,
    INFO,
    MANIFEST,
    Entry,
    Manifest,
    copy_marks,
    copy_queries,
    safe_name,
)
from casetrack.store import audit
from casetrack.store.copies import write_copy
from casetrack.store.index.arrays import with_column
from casetrack.store.originals import copy_of
from casetrack.store.place import kept_path
from casetrack.store.reader_locks import locked_snapshot
from casetrack.store.scratch import scratch_folder, spool_folder
from casetrack.store.snapshots import locked_point
from casetrack.store.source_states import FILE as SOURCES
from casetrack.store.untaken import carry

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterator

    import pyarrow as pa

    from casetrack.base.crypt.secret import Secret
    from casetrack.base.records import CollectionInfo, Document
    from casetrack.store.datasets import Snapshot
    from casetrack.store.workspace import Workspace

_BLOCK = 1 << 20
_METHOD, _LEVEL = zipfile.ZIP_DEFLATED, 1
"""Higher levels of deflate hardly reduce vectors and packed columns, and take longer."""
_COPYING, _PACKING = "Copying passages", "Packing"
_OUTPUTS = {EXTENSION, ".zip"}
_ENCRYPTED_OUTPUTS = {EXTENSION, ENCRYPTED_EXTENSION}


@dataclass(slots=True)
class _Work:
    """Parameters and state of one export."""

    folder: Path
    target: Path
    tell: Callable[[str, int, int], None]
    cancel: threading.Event
    secret: Secret | None
    started: float = field(default_factory=time.monotonic)
    entries: list[Entry] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def step(self, what: str, done: int, total: int) -> None:
        """Report the progress in percent of both parts, which take about equally long."""
        if self.cancel.is_set():
            raise JobStopped(
                "The export was stopped; nothing was written.",
                hint="Run the same command again to start over.",
            )
        before = 0 if what == _COPYING else 50
        self.tell(what, before + 50 * done // max(total, 1), 100)


def pack(
    workspace: Workspace,
    path: str | Path,
    /,
    *,
    overwrite: bool,
    secret: Secret | None,
    snapshot: str | int | None,
    tell: Callable[[str, int, int], None],
    cancel: threading.Event,
) -> ExportReport:
    """Write a collection, or its state *snapshot*, to a file; see ``Collection.admin.export``."""
    folder, info = workspace.folder, workspace.info
    encrypted = secret is not None
    target = _target(
        folder, info, Path(path).expanduser(), overwrite=overwrite, encrypted=encrypted
    )
    work = _Work(folder, target, tell, cancel, secret)
    with contextlib.ExitStack() as stack:
        state = stack.enter_context(
            locked_snapshot(folder, cancel=cancel)
            if snapshot is None
            else locked_point(folder, snapshot, cancel=cancel)
        )
        space = stack.enter_context(scratch_folder(target.parent))
        plain = stack.enter_context(spool_folder(folder)) if encrypted else space
        manifest, packed = _make(work, info, state, plain, space)
        with storage_errors(target):
            # Another process may have created it meanwhile.
            _require_free(target, overwrite=overwrite)
            size = packed.stat().st_size
            audit.note(
                folder,
                "collection exported",
                count=manifest.counts["documents"],
                detail=f"{target}{', encrypted' if encrypted else ''}",
            )
            packed.replace(target)
            sync_folder(target.parent)
    return from_members(
        ExportReport,
        manifest.counts,
        collection=info.name,
        path=str(target),
        bytes=size,
        unpacked_bytes=manifest.total,
        seconds=time.monotonic() - work.started,
        notes=tuple(work.notes),
    )


def _target(
    folder: Path, info: CollectionInfo, path: Path, *, overwrite: bool, encrypted: bool
) -> Path:
    extension = ENCRYPTED_EXTENSION if encrypted else EXTENSION
    with storage_errors(path):
        if path.is_dir():
            path = path / f"{safe_name(info.name)}{extension}"
        elif path.suffix.lower() not in (_ENCRYPTED_OUTPUTS if encrypted else _OUTPUTS):
            path = path.with_name(path.name + extension)
        path = path.absolute()
        if path.resolve().is_relative_to(folder.resolve()):
            raise UsageError(
                f"{path} is in the collection's folder.",
                hint="Choose a path outside the data folder.",
            )
        if path.is_dir():
            raise UsageError(f"{path} is a folder.", hint="Choose another name for the file.")
        path.parent.mkdir(parents=True, exist_ok=True)
    _require_free(path, overwrite=overwrite)
    return path


def _require_free(path: Path, *, overwrite: bool) -> None:
    if path.exists() and not overwrite:
        raise UsageError(
            f"{path} already exists.", hint=f"Choose another name. {Opt('overwrite')} replaces it."
        )


def _make(
    work: _Work, info: CollectionInfo, snapshot: Snapshot, plain: Path, space: Path
) -> tuple[Manifest, Path]:
    """Write datasets to *plain*, and the packed file to *space*; return manifest and file."""
    documents = list(snapshot.documents.values())
    info = replace(info, profile=snapshot.profile, dimension=snapshot.dimension)
    counts = {
        "documents": len(documents),
        "pages": sum(d.page_count for d in documents),
        "chunks": sum(d.chunk_count for d in documents),
    }
    copies = _copies(work, documents)
    content, packed = plain / "content", space / "packed"
    with storage_errors(content):
        content.mkdir()
    write_json(content / INFO, info.as_dict())
    models = write_copy(
        snapshot,
        content,
        documents=_with_copies(snapshot.documents.table, copies),
        step=lambda done: work.step(_COPYING, done, counts["chunks"]),
    )
    for name in (kept_path(info.pipeline), SOURCES):
        if (work.folder / name).is_file():
            write_atomic(content / name, (work.folder / name).read_bytes())
    behind = copy_marks(work.folder, snapshot, content)
    if behind:
        what = "1 mark of yours is" if behind == 1 else f"{behind:,} marks of yours are"
        work.notes.append(f"{what} not in it: the documents were deleted.")
    carry(work.folder, documents, content)
    left = copy_queries(work.folder, content)
    if left:
        work.notes.append(f"These saved queries are not in it: {_listed(left)}.")
    files = {p.relative_to(content).as_posix(): p for p in _files(content)}
    files |= {name: source for name, source, _ in copies.values()}
    expected = {name: digest for name, _, digest in copies.values()}
    _require_room(space, files.values())
    with storage_errors(packed), packed.open("xb") as file:
        with (
            _sink(work, file) as sink,
            zipfile.ZipFile(sink, "w", _METHOD, True, _LEVEL) as archive,
        ):
            _pack(work, files, expected, archive)
            # Files that changed during packing are left out, so the manifest is known only now.
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
            archive.writestr(MANIFEST, manifest.to_bytes())
        file.flush()
        os.fsync(file.fileno())
    return manifest, packed


@contextlib.contextmanager
def _sink(work: _Work, file: IO[bytes]) -> Iterator[IO[bytes]]:
    """Yield the output of the archive; the head of an encrypted one shows no facts."""
    if work.secret is None:
        yield file
        return
    facts = {
        "what": EXPORT,
        "id": secrets.token_hex(8),
        "made_at": iso_utc(datetime.now(UTC)),
        "casetrack_version": _version(),
    }
    with contextlib.closing(EncryptingWriter(file, work.secret, facts)) as writer:
        try:
            yield cast("IO[bytes]", writer)
        except BaseException:
            writer.abandon()
            raise


def _version() -> str:
    # An import statement would import the facade, which imports this module.
    return str(sys.modules["casetrack"].__version__)


def _copies(work: _Work, documents: list[Document]) -> dict[str, tuple[str, Path, str]]:
    """Return path, file and SHA-256 of existing copies by document, and note the others."""
    present, gone = {}, []
    for document in documents:
        if document.original_copy is None:
            continue
        source = copy_of(work.folder, document.original_copy)
        if not source.is_file() or source.stat().st_size != document.file_size:
            gone.append(document.name)
            continue
        name = f"originals/{safe_name(document.document_id)}/{safe_name(source.name)}"
        present[document.document_id] = (name, source, document.file_hash)
    if gone:
        work.notes.append(_missing(gone))
    return present


def _missing(names: list[str]) -> str:
    return (
        "The collection's copies of these files are missing, so they are not in it: "
        f"{_listed(names)}."
    )


def _listed(names: list[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def _with_copies(ledger: pa.Table, copies: dict[str, tuple[str, Path, str]]) -> pa.Table:
    """Return the ledger with the paths of copies in the archive."""
    pairs = zip(ledger["document_id"].to_pylist(), ledger["original_copy"].to_pylist(), strict=True)
    paths = [copies[i][0] if i in copies else _portable(old) for i, old in pairs]
    return with_column(ledger, "original_copy", paths)


def _portable(copy: str | None) -> str | None:
    """Return the portable path of a missing copy; the row shows that there was one."""
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


def _pack(
    work: _Work, files: dict[str, Path], expected: dict[str, str], archive: zipfile.ZipFile
) -> None:
    total = sum(p.stat().st_size for p in files.values() if p.is_file())
    done, changed = 0, []
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
        return sha256_of(path)
    except FileNotFoundError:
        return None  # its document has just been deleted
