"""Sealing of a closed collection to one encrypted file, and unsealing.

The encrypted file is written completely, read back, and renamed; then one rename removes the
folder, and from that moment the collection is sealed. Only then are the plain files overwritten and
removed. Unsealing is the reverse. For programs that are killed in between see
:mod:`casetrack.store.sealed`.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shlex
import shutil
import sys
import tarfile
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, cast
from uuid import UUID

from casetrack.base.crypt.stream import DecryptingReader, EncryptingWriter
from casetrack.base.errors import (
    CaseTrackError,
    CollectionBusy,
    DiskFull,
    EncryptedFileDamaged,
    JobStopped,
    See,
    UsageError,
    WrongPathKind,
)
from casetrack.base.files import storage_errors, sync_folder
from casetrack.base.provenance import iso_utc
from casetrack.base.records.snapshots import SealReport, UnsealReport
from casetrack.store import audit
from casetrack.store.folders import building, remove_in_place
from casetrack.store.info import FILE as INFO
from casetrack.store.info import info_lock, parse_info, read_info, write_info
from casetrack.store.listing import free_name
from casetrack.store.lock import names_lock, write_lock
from casetrack.store.place import place_of
from casetrack.store.rewrite import rewriting
from casetrack.store.sealed import COLLECTION, DOOMED, is_open, sealed_path, transition_path, wipe

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterator

    from casetrack.base.config import Settings
    from casetrack.base.crypt.secret import Secret
    from casetrack.base.records import CollectionInfo

# A collection's folder as one stream (tar), and back, byte for byte.

_COPY = 1 << 20
_PASSING = re.compile(r"\..*\.lock|\.spool-.*|\..*\.tmp|reader-locks|__pycache__")
"""Files of running programs that belong to no state of a collection."""
_MADE_ANEW = "views"


@dataclass(frozen=True, slots=True)
class Tree:
    """Folders, and size and change time (ns) of the files, of a folder at one moment."""

    folders: tuple[str, ...]
    files: dict[str, tuple[int, int]]

    @property
    def total(self) -> int:
        """Bytes of all files."""
        return sum(size for size, _ in self.files.values())

    @property
    def lasting(self) -> dict[str, tuple[int, int]]:
        """The files without those that are rebuilt from others."""
        return {p: f for p, f in self.files.items() if not p.startswith(f"{_MADE_ANEW}/")}


def tree_of(folder: Path, /) -> Tree:
    """Return the files in a collection's folder."""
    with storage_errors(folder):
        folders, files = [], {}
        for base, below, names in os.walk(folder, onerror=_raise):
            below[:] = sorted(n for n in below if not _PASSING.fullmatch(n))
            inside = Path(base).relative_to(folder)
            folders += [(inside / n).as_posix() for n in below]
            for name in sorted(names):
                path = Path(base, name)
                if not _PASSING.fullmatch(name) and path.is_file() and not path.is_symlink():
                    status = path.stat()
                    files[(inside / name).as_posix()] = status.st_size, status.st_mtime_ns
        return Tree(tuple(folders), files)


def _raise(error: OSError) -> None:
    raise error


def write_tree(folder: Path, tree: Tree, sink: IO[bytes], tell: Callable[[int], None], /) -> None:
    """Write the files of *tree* in a folder to *sink*, in name order; *tell* may stop it."""
    done = 0
    with tarfile.TarFile(
        mode="w", fileobj=sink, format=tarfile.PAX_FORMAT, copybufsize=_COPY
    ) as tar:
        for path in tree.folders:
            entry = tarfile.TarInfo(path)
            entry.type, entry.mode = tarfile.DIRTYPE, 0o700
            tar.addfile(entry)
        for path, (size, moment) in tree.files.items():
            entry = tarfile.TarInfo(path)
            entry.size, entry.mode, entry.mtime = size, 0o600, moment // 10**9
            try:
                with (folder / path).open("rb") as file:
                    tar.addfile(entry, file)
            except FileNotFoundError:
                if not path.startswith(f"{_MADE_ANEW}/"):
                    raise
                raise changed(folder) from None
            except OSError as error:
                if "unexpected end of data" in str(error):
                    raise changed(folder) from error
                raise
            done += size
            tell(done)


def changed(folder: Path, /) -> CollectionBusy:
    """Return the error for a collection that changed while it was read."""
    return CollectionBusy(
        f"The files in {folder} were changed by another program; nothing was done.",
        hint="Wait until that program has finished, then run the command again.",
    )


def read_tree(source: IO[bytes], folder: Path, name: str, tell: Callable[[int], None], /) -> int:
    """Write the files of a :func:`write_tree` stream to an empty folder; return the bytes."""
    done = 0
    try:
        with tarfile.open(fileobj=source, mode="r|", bufsize=_COPY) as tar:
            for entry in tar:
                place = folder.joinpath(*_parts(entry, name))
                if entry.isdir():
                    with storage_errors(place):
                        place.mkdir(mode=0o700, parents=True, exist_ok=True)
                    continue
                for size in _extract(tar, entry, place):
                    done += size
                    tell(done)
    except tarfile.TarError as error:
        raise EncryptedFileDamaged(name, "it does not contain a collection") from error
    with storage_errors(folder):
        for base, _, _ in os.walk(folder):
            sync_folder(Path(base))
    return done


def _parts(entry: tarfile.TarInfo, name: str) -> tuple[str, ...]:
    path = PurePosixPath(entry.name)
    if not (entry.isreg() or entry.isdir()) or path.is_absolute() or ".." in path.parts:
        raise EncryptedFileDamaged(name, f"it contains an unexpected file: {entry.name!r}")
    if "\\" in entry.name or ":" in entry.name.partition("/")[0]:
        raise EncryptedFileDamaged(name, f"it contains a path that is not safe: {entry.name!r}")
    return path.parts


def _extract(tar: tarfile.TarFile, entry: tarfile.TarInfo, place: Path) -> Iterator[int]:
    with storage_errors(place):
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        source = tar.extractfile(entry)
        how = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        handle = os.open(place, how, 0o600)
        with os.fdopen(handle, "wb") as sink:
            while source is not None and (block := source.read(_COPY)):
                sink.write(block)
                yield len(block)
            sink.flush()
            os.fsync(sink.fileno())
        os.utime(place, (entry.mtime, entry.mtime))


_BUSY_SECONDS = 10.0
_SPARE_BYTES = 64 << 20
_ENCRYPTING, _CHECKING, _REMOVING = "Encrypting", "Reading back", "Removing the plain files"


def seal(
    folder: Path,
    secret: Secret,
    /,
    *,
    hide_name: bool,
    tell: Callable[[str, int, int], None],
    cancel: threading.Event,
) -> SealReport:
    """Seal a closed collection to one encrypted file; see ``Library.seal``."""
    started, home = time.monotonic(), folder.parent
    doomed = home / f"{DOOMED}{folder.name}-{secrets.token_hex(4)}"
    with contextlib.ExitStack() as stack:
        stack.enter_context(write_lock(folder, timeout=_BUSY_SECONDS, cancel=cancel))
        stack.enter_context(rewriting(folder))
        space = stack.enter_context(building(home, folder.name))
        with info_lock(folder):
            info = read_info(folder)
            require_sealable(folder, info)
            tree = tree_of(folder)
            _require_room(home, tree.total)
            file = space / "sealed"
            _encrypt(file, folder, tree, info, secret, hide_name, tell, cancel)
            _read_back(file, secret, tell, cancel)
            doomed = _switch(folder, file, doomed, tree)
        size = sealed_path(folder).stat().st_size
        shutil.rmtree(space, ignore_errors=True)
        done = 0

        def removed(more: int) -> None:
            nonlocal done
            done += more
            tell(_REMOVING, done, tree.total)

        is_gone = wipe(doomed, removed)
    is_gone = is_gone or wipe(doomed)  # the held locks were in it
    notes = [] if is_gone else [_in_use(doomed)]
    return SealReport(
        collection=info.name,
        collection_id=info.id,
        path=str(sealed_path(folder)),
        bytes=size,
        plain_bytes=tree.total,
        files=len(tree.files),
        seconds=time.monotonic() - started,
        notes=tuple(notes),
    )


def _in_use(doomed: Path) -> str:
    return (
        f"Some of the plain files are in use by another program and were not removed: {doomed}. "
        "CaseTrack removes them when it next lists its collections."
    )


def require_sealable(folder: Path, info: CollectionInfo, /) -> None:
    """Refuse an active or remote collection."""
    place = place_of(folder)
    if place.is_remote:
        raise UsageError(
            f'The data of "{info.name}" is at {place.uri}, not on this computer, so it cannot be '
            "sealed.",
            hint=f"Write an encrypted copy with {See('export', encrypt=True)}, or turn on "
            "encryption of the bucket.",
        )
    if info.status == "active":
        raise UsageError(
            f'The collection "{info.name}" is not closed; only closed collections can be sealed.',
            hint=f"Close it first with {See('collection close', shlex.quote(info.name))}.",
        )


def _require_room(home: Path, needed: int) -> None:
    with storage_errors(home):
        if shutil.disk_usage(home).free < needed + _SPARE_BYTES:
            raise DiskFull(home, f"{needed / 2**20:,.0f} MiB are needed there.")


def _stop_if(cancel: threading.Event, what: str) -> None:
    if cancel.is_set():
        raise JobStopped(
            f"Stopped; the collection is unchanged ({what}).",
            hint="Run the same command again to start over.",
        )


def _encrypt(
    file: Path,
    folder: Path,
    tree: Tree,
    info: CollectionInfo,
    secret: Secret,
    hide_name: bool,
    tell: Callable[[str, int, int], None],
    cancel: threading.Event,
) -> None:
    """Write the encrypted file to the disk."""
    facts = {
        "what": COLLECTION,
        "id": info.id,
        "edition": info.edition,
        "made_at": iso_utc(datetime.now(UTC)),
        "casetrack_version": str(sys.modules["casetrack"].__version__),
    } | ({} if hide_name else {"name": info.name})

    def step(done: int) -> None:
        _stop_if(cancel, "open")
        tell(_ENCRYPTING, done, tree.total)

    with storage_errors(file):
        file.touch(mode=0o600, exist_ok=False)
    with storage_errors(file), file.open("r+b") as sink:
        writer = EncryptingWriter(sink, secret, facts)
        with contextlib.closing(writer):
            try:
                write_tree(folder, tree, cast("IO[bytes]", writer), step)
            except BaseException:
                writer.abandon()
                raise
        sink.flush()
        os.fsync(sink.fileno())


def _read_back(
    file: Path, secret: Secret, tell: Callable[[str, int, int], None], cancel: threading.Event
) -> None:
    """Read the encrypted file to its end before the plain files are removed."""
    total = file.stat().st_size
    with storage_errors(file), file.open("rb") as source:
        reader = DecryptingReader(source, secret, file.name)
        for _ in reader.blocks():
            _stop_if(cancel, "open")
            tell(_CHECKING, source.tell(), total)


def _switch(folder: Path, file: Path, doomed: Path, tree: Tree) -> Path:
    """Replace the folder by the encrypted file; return the folder of the plain files."""
    home, passing = folder.parent, transition_path(folder)
    if tree_of(folder).lasting != tree.lasting:
        raise changed(folder)
    audit.note(folder, "collection sealed")
    with storage_errors(folder):
        file.replace(passing)
        sync_folder(home)
        try:
            folder.rename(doomed)
        except PermissionError:
            return _switch_in_place(folder, passing)
        except OSError:
            passing.unlink()
            raise
        if tree_of(doomed).lasting != tree.lasting:  # the last change wins
            doomed.rename(folder)
            passing.unlink()
            raise changed(folder)
        passing.replace(sealed_path(folder))
        sync_folder(home)
    return doomed


def _switch_in_place(folder: Path, passing: Path) -> Path:
    """Replace a folder that cannot be moved, because our own locks in it are open."""
    try:
        remove_in_place(folder)
    except (OSError, CaseTrackError):
        passing.unlink()
        raise
    passing.replace(sealed_path(folder))
    return folder


def unseal(
    settings: Settings,
    file: Path,
    secret: Secret,
    /,
    *,
    name: str | None,
    tell: Callable[[str, int, int], None],
    cancel: threading.Event,
) -> UnsealReport:
    """Restore a sealed collection; see ``Library.unseal``."""
    started, home = time.monotonic(), settings.collections_dir
    with storage_errors(file), file.open("rb") as source:
        reader = DecryptingReader(source, secret, file.name)
        folder = home / _id_of(reader, file)
    is_own = sealed_path(folder).exists() and file.samefile(sealed_path(folder))
    with building(home, folder.name) as space:
        _require_sealed(folder, file, is_own=is_own)
        info, size = _decrypt(file, secret, space, tell, cancel)
        with names_lock(settings.data_dir):
            chosen = free_name(home, name or info.name, but=info.id)
            if chosen != info.name:
                write_info(space, replace(info, name=chosen))
            audit.note(folder, "collection unsealed")
            with storage_errors(folder):
                _open_up(space, folder, is_own=is_own)
    return UnsealReport(
        collection=chosen,
        collection_id=info.id,
        original_name=info.name,
        status=info.status,
        bytes=size,
        seconds=time.monotonic() - started,
    )


def _id_of(reader: DecryptingReader, file: Path) -> str:
    """Return the authenticated id of the collection in a file."""
    identifier = reader.facts.get("id")
    if reader.facts.get("what") != COLLECTION:
        raise WrongPathKind(
            f"{file} is an encrypted export, not a sealed collection.",
            hint=f"Create a collection from it with {See('import', shlex.quote(str(file)))}.",
        )
    try:
        if str(UUID(identifier)) == identifier:
            return str(identifier)
    except (ValueError, TypeError, AttributeError):
        pass
    raise EncryptedFileDamaged(file.name, "it does not name its collection")


def _require_sealed(folder: Path, file: Path, *, is_own: bool) -> None:
    if is_open(folder):
        raise UsageError(
            f"The collection in {file.name} is already open (ID: {folder.name}).",
            hint=f"See it with {See('collection list', status='all')}.",
        )
    if not is_own and sealed_path(folder).exists():
        raise UsageError(
            f"The collection in {file} is already in this data folder, and sealed.",
            hint=f"Open that one with {See('collection unseal', folder.name)}.",
        )


def _decrypt(
    file: Path,
    secret: Secret,
    space: Path,
    tell: Callable[[str, int, int], None],
    cancel: threading.Event,
) -> tuple[CollectionInfo, int]:
    """Write the content of the file to an empty folder; return its facts and its bytes."""
    with storage_errors(file), file.open("rb") as source:
        reader = DecryptingReader(source, secret, file.name)
        total = file.stat().st_size
        _require_room(space, total)

        def step(_: int) -> None:
            _stop_if(cancel, "sealed")
            tell("Decrypting", source.tell(), total)

        size = read_tree(cast("IO[bytes]", reader), space, file.name, step)
        for _ in reader.blocks():
            pass  # the content is valid only once its marked end is reached
    try:
        info = parse_info((space / INFO).read_bytes())
    except (OSError, ValueError) as error:
        raise EncryptedFileDamaged(file.name, "it does not contain a collection") from error
    if info.id != reader.facts["id"] or place_of(space).is_remote:
        raise EncryptedFileDamaged(file.name, "its content does not match its header")
    return info, size


def _open_up(space: Path, folder: Path, *, is_own: bool) -> None:
    """Replace the encrypted file by the folder."""
    passing = transition_path(folder)
    if is_own:
        sealed_path(folder).replace(passing)
    try:
        space.rename(folder)
    except OSError:
        if is_own:
            passing.replace(sealed_path(folder))
        raise
    sync_folder(folder.parent)
    passing.unlink(missing_ok=True)
