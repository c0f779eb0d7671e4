"""Import of an exported archive: unpacking, checking, naming and placing a collection."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shlex
import shutil
import stat
import tempfile
import threading
import time
import uuid
import zipfile
import zlib
from dataclasses import dataclass, replace
from typing import IO, TYPE_CHECKING, Any

from casetrack.base.crypt.stream import DecryptingReader, is_encrypted, read_head
from casetrack.base.errors import (
    CollectionDamaged,
    DiskFull,
    FileNotFound,
    JobStopped,
    Opt,
    PassphraseMissing,
    SchemaError,
    See,
    WrongPathKind,
)
from casetrack.base.files import storage_errors, sync_folder
from casetrack.base.records.shape import from_members
from casetrack.base.records.snapshots import ImportReport
from casetrack.keep.transfer.manifest import (
    EXPORT,
    INFO,
    MANIFEST,
    Entry,
    Manifest,
    damaged,
    fault,
    parse,
    too_large,
    unreadable,
)
from casetrack.store import audit
from casetrack.store.copies import check_copy
from casetrack.store.damage import reading
from casetrack.store.datasets import DOCUMENTS, open_dataset
from casetrack.store.folders import building
from casetrack.store.info import parse_info, write_info
from casetrack.store.listing import checked_name, free_name, require_free
from casetrack.store.lock import names_lock
from casetrack.store.marks import repair as mend_marks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from casetrack.base.config import Settings
    from casetrack.base.crypt.secret import Secret
    from casetrack.base.records import CollectionInfo

# Unpacking of a ``.ctcollection`` file of unknown origin. An encrypted file is decrypted to an
# unnamed file, and read to its marked end before its content is used. Nothing in the file is
# trusted: its manifest is compared with its entries; every path must be one that an export makes;
# no more bytes are written than the manifest has, and each file must have its SHA-256. Then the
# tables are opened and counted. All of that happens in a folder that is not a collection until one
# rename.

_BLOCK = 1 << 20
_MAX_MANIFEST = 256 * 2**20
_MAX_FILES = 1_000_000
_SPARE_BYTES = 64 * 2**20
_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
_ENCRYPTED = 0x1
_UNZIP_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
)


@dataclass(frozen=True, slots=True)
class Unpacked:
    """The checked content of an archive."""

    info: CollectionInfo
    manifest: Manifest


@dataclass(frozen=True, slots=True)
class _Reader:
    """An open archive."""

    archive: zipfile.ZipFile
    name: str
    tell: Callable[[str, int, int], None]
    cancel: threading.Event

    def step(self, what: str, done: int, total: int) -> None:
        if self.cancel.is_set():
            raise _stopped()
        self.tell(what, done, total)


def unpack(
    path: Path,
    target: Path,
    /,
    *,
    secret: Secret | None,
    tell: Callable[[str, int, int], None],
    cancel: threading.Event,
) -> Unpacked:
    """Unpack an archive into the empty folder *target*, and check everything.

    Raises
    ------
    FileNotFound, WrongPathKind
        The archive does not exist or is a folder.
    ArchiveDamaged
        It is damaged, or not an exported collection.
    PassphraseMissing, PassphraseWrong, EncryptedFileDamaged
        *secret* is missing or wrong, or the encrypted file is damaged.
    """
    with _opened(path, target, secret, tell, cancel) as archive:
        reader = _Reader(archive, path.name, tell, cancel)
        infos = _checked_entries(reader)
        manifest = _manifest(reader, infos)
        _compare(reader, infos, manifest)
        _require_room(target, manifest)
        done = 0
        for entry in manifest.files:
            _extract(reader, infos[entry.path], entry, target, done, manifest.total)
            done += entry.size
            # An unchanged folder counts as abandoned after a while.
            os.utime(target)
    return Unpacked(_check_content(path.name, target, manifest), manifest)


@contextlib.contextmanager
def _opened(
    path: Path,
    target: Path,
    secret: Secret | None,
    tell: Callable[[str, int, int], None],
    cancel: threading.Event,
) -> Iterator[zipfile.ZipFile]:
    if path.is_dir():
        raise WrongPathKind(
            f"{path} is a folder, not an exported collection.", hint="Name the .ctcollection file."
        )
    if not path.is_file():
        raise FileNotFound(path)
    with contextlib.ExitStack() as stack:
        content: Path | IO[bytes] = path
        if is_encrypted(path):
            content = stack.enter_context(_decrypted(path, target, secret, tell, cancel))
        try:
            archive = zipfile.ZipFile(content)
        except zipfile.BadZipFile as error:
            raise damaged(path.name, "it is not an exported collection, or incomplete") from error
        except _UNZIP_ERRORS as error:
            raise damaged(path.name, "its directory cannot be read") from error
        except OSError as error:
            with storage_errors(path):
                raise error from None
        yield stack.enter_context(archive)


def _decrypted(
    path: Path,
    target: Path,
    secret: Secret | None,
    tell: Callable[[str, int, int], None],
    cancel: threading.Event,
) -> IO[bytes]:
    """Decrypt a file to an unnamed file, which the system removes when it is closed."""
    with storage_errors(path), path.open("rb") as source:
        total = path.stat().st_size
        facts = read_head(source, path.name).facts
        if facts.get("what") != EXPORT:
            raise WrongPathKind(
                f"{path} is a sealed collection, not an exported one.",
                hint=f"Open it with {See('collection unseal', shlex.quote(str(path)))}.",
            )
        if secret is None:
            raise PassphraseMissing(
                f"{path.name} is encrypted.",
                hint=f"Give the passphrase: {Opt('passphrase-fd N')}. Or give a key: "
                f"{Opt(key_file='FILE')}. At a terminal the command asks for the passphrase.",
            )
        source.seek(0)
        reader = DecryptingReader(source, secret, path.name)
        with storage_errors(target), contextlib.ExitStack() as on_error:
            if shutil.disk_usage(target).free < total + _SPARE_BYTES:
                raise DiskFull(target)
            plain = on_error.enter_context(tempfile.TemporaryFile(dir=target.parent))
            while block := reader.read(_BLOCK):
                plain.write(block)
                if cancel.is_set():
                    raise _stopped()
                tell("Decrypting", source.tell(), total)
            on_error.pop_all()
        return plain


def _stopped() -> JobStopped:
    return JobStopped(
        "The import was stopped; nothing was imported.",
        hint="Run the same command again to start over.",
    )


# --- manifest ---------------------------------------------------------------------------


def _checked_entries(reader: _Reader) -> dict[str, zipfile.ZipInfo]:
    infos = reader.archive.infolist()
    if len(infos) > _MAX_FILES:
        raise damaged(reader.name, f"it contains {len(infos):,} files")
    # The original name: zipfile truncates it at a NUL and converts backslashes.
    reason = fault(i.orig_filename for i in infos)
    if reason:
        raise damaged(reader.name, reason)
    for info in infos:
        kind = stat.S_IFMT(info.external_attr >> 16)
        if kind not in {0, stat.S_IFREG}:
            raise damaged(reader.name, f"{info.filename!r} in it is a link, not a file")
        if info.flag_bits & _ENCRYPTED:
            raise damaged(reader.name, f"{info.filename!r} in it is encrypted")
        if info.compress_type not in _METHODS:
            raise damaged(reader.name, f"{info.filename!r} in it uses an unknown compression")
    return {i.filename: i for i in infos}


def _manifest(reader: _Reader, infos: dict[str, zipfile.ZipInfo]) -> Manifest:
    info = infos.get(MANIFEST)
    if info is None:
        raise damaged(reader.name, f"it has no manifest ({MANIFEST})")
    if info.file_size > _MAX_MANIFEST:
        raise damaged(reader.name, f"its manifest ({MANIFEST}) is too long")
    return parse(b"".join(_blocks(reader, info, info.file_size)), source=reader.name)


def _compare(reader: _Reader, infos: dict[str, zipfile.ZipInfo], manifest: Manifest) -> None:
    reason = fault(e.path for e in manifest.files)
    if reason:
        raise damaged(reader.name, reason)
    listed = {e.path: e for e in manifest.files}
    for path in sorted(infos.keys() - listed.keys() - {MANIFEST}):
        raise damaged(reader.name, f"{path!r} is in it but not in its manifest")
    for path in sorted(listed.keys() - infos.keys()):
        raise damaged(reader.name, f"{path!r} is in its manifest but not in it")
    if MANIFEST in listed or INFO not in listed:
        raise damaged(reader.name, f"its manifest ({MANIFEST}) is not that of a collection")
    for path, entry in listed.items():
        reason = too_large(entry.path, entry.size)
        if reason:
            raise damaged(reader.name, reason)
        if infos[path].file_size != entry.size:
            raise damaged(
                reader.name,
                f"{path!r} in it has {infos[path].file_size:,} bytes and should have "
                f"{entry.size:,}",
            )


def _require_room(target: Path, manifest: Manifest) -> None:
    with storage_errors(target):
        if shutil.disk_usage(target).free < manifest.total + _SPARE_BYTES:
            raise DiskFull(target)


# --- unpacking -------------------------------------------------------------------------------


def _extract(
    reader: _Reader, info: zipfile.ZipInfo, entry: Entry, target: Path, done: int, total: int
) -> None:
    place = target.joinpath(*entry.path.split("/"))
    digest, size = hashlib.sha256(), 0
    with storage_errors(place):
        place.parent.mkdir(parents=True, exist_ok=True)
        with place.open("xb") as sink:
            for block in _blocks(reader, info, entry.size):
                sink.write(block)
                digest.update(block)
                size += len(block)
                reader.step("Unpacking", done + size, total)
            sink.flush()
            os.fsync(sink.fileno())
    if digest.hexdigest() != entry.sha256:
        raise damaged(reader.name, f"{entry.path!r} in it is damaged (its checksum differs)")


def _blocks(reader: _Reader, info: zipfile.ZipInfo, size: int) -> Iterator[bytes]:
    """Yield the content of a file, limited to its declared size."""
    left = size
    try:
        with reader.archive.open(info) as source:
            # One additional byte shows that a file is longer than declared.
            while block := source.read(min(_BLOCK, left + 1)):
                left -= len(block)
                if left < 0:
                    raise damaged(
                        reader.name, f"{info.filename!r} in it is longer than {size:,} bytes"
                    )
                yield block
    except _UNZIP_ERRORS as error:
        raise damaged(reader.name, f"{info.filename!r} in it cannot be unpacked") from error
    if left:
        raise damaged(reader.name, f"{info.filename!r} in it is shorter than {size:,} bytes")


# --- content ---------------------------------------------------------------------------


def _check_content(name: str, target: Path, manifest: Manifest) -> CollectionInfo:
    try:
        data = (target / INFO).read_bytes()
        info = parse_info(data)
        stated: Any = json.loads(data.decode("utf-8-sig"))
    except ValueError as error:
        raise damaged(name, f"{INFO} in it is invalid ({error})") from error
    facts = (info.schema_version, info.profile, info.dimension)
    if stated != manifest.collection or facts != (
        manifest.schema_version,
        manifest.profile,
        manifest.dimension,
    ):
        raise damaged(name, f"{INFO} in it contradicts its manifest")
    reason = unreadable(target)
    if reason:
        raise damaged(name, reason)
    try:
        counts = check_copy(target, info)
    except (CollectionDamaged, SchemaError) as error:
        raise damaged(name, f"it contains {error.message}") from error
    for what in ("documents", "pages", "chunks"):
        if counts[what] != manifest.counts[what]:
            raise damaged(
                name,
                f"it contains {counts[what]:,} {what} and should contain {manifest.counts[what]:,}",
            )
    with storage_errors(target):
        for folder in [target, *(p for p in target.rglob("*") if p.is_dir())]:
            sync_folder(folder)
    return info


@dataclass(frozen=True, slots=True)
class Admission:
    """Callbacks that raise an error to refuse another collection, or a number of documents."""

    collection: Callable[[str], None]
    documents: Callable[[str, int], None]


def import_archive(
    settings: Settings,
    path: Path,
    /,
    *,
    name: str | None,
    admit: Admission,
    secret: Secret | None,
    tell: Callable[[str, int, int], None] | None,
    cancel: threading.Event | None,
) -> ImportReport:
    """Create a collection from an archive; *name* ``None`` means its original name, made unique."""
    started, home = time.monotonic(), settings.collections_dir
    if name is not None:
        name = checked_name(name)
        require_free(home, name)  # before unpacking
    new_id = str(uuid.uuid4())
    with building(home, new_id) as folder:
        unpacked = unpack(
            path,
            folder,
            secret=secret,
            tell=tell or (lambda _what, _done, _total: None),
            cancel=cancel or threading.Event(),
        )
        edition = unpacked.info.edition
        admit.documents(edition, _own_documents(folder))
        with names_lock(settings.data_dir):
            admit.collection(edition)
            if name is not None:
                require_free(home, name)
            chosen = name or free_name(home, _own_name(path, unpacked.info.name))
            write_info(folder, replace(unpacked.info, id=new_id, name=chosen))
            audit.note(
                home / new_id,
                "collection imported",
                count=unpacked.manifest.counts["documents"],
                detail=str(path),
            )
            mend_marks(folder)  # an archive does not contain them
            with storage_errors(home):
                folder.rename(home / new_id)
                sync_folder(home)
    return from_members(
        ImportReport,
        unpacked.manifest.counts,
        collection=chosen,
        collection_id=new_id,
        path=str(path),
        original_name=unpacked.info.name,
        seconds=time.monotonic() - started,
    )


def _own_documents(folder: Path) -> int:
    """Return the number of documents that are not attachments; early versions have only these."""
    ledger = open_dataset(folder, DOCUMENTS)
    with reading(folder):
        inside = "parent_id" in ledger.schema.names
        return int(ledger.count_rows(filter="parent_id IS NULL" if inside else None))


def _own_name(path: Path, name: str) -> str:
    from casetrack.base.errors import UsageError

    try:
        return checked_name(name)
    except UsageError as error:
        raise damaged(path.name, "the name of its collection is not printable") from error
