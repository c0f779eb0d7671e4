"""Sealing a closed collection into one encrypted file, and opening it again.

The encrypted file is written whole, read back, and given its name; then the folder is taken away by
one rename, which is the moment from which on the collection is sealed. Only then is the plain data
overwritten and removed. Opening goes the same way back. See :mod:`casetrack.store.sealed` for what
becomes of a program that was killed in between.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shlex
import shutil
import sys
import time
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, cast
from uuid import UUID

from casetrack.base.crypt.stream import DecryptingReader, EncryptingWriter
from casetrack.base.errors import (
    CaseTrackError,
    DiskFull,
    EncryptedFileDamaged,
    JobStopped,
    UsageError,
    WrongPathKind,
)
from casetrack.base.files import storage_errors, sync_folder
from casetrack.base.provenance import iso_utc
from casetrack.base.records.transfer import SealReport, UnsealReport
from casetrack.keep.transfer.tree import changed, read_tree, tree_of, write_tree
from casetrack.store import audit
from casetrack.store.folders import building, retire
from casetrack.store.info import FILE as INFO
from casetrack.store.info import info_lock, parse_info, read_info, write_info
from casetrack.store.listing import free_name
from casetrack.store.lock import names_lock, write_lock
from casetrack.store.place import place_of
from casetrack.store.rewrite import rewriting
from casetrack.store.sealed import COLLECTION, DOOMED, is_open, passing_path, sealed_path
from casetrack.store.wipe import wipe

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable
    from pathlib import Path
    from typing import IO

    from casetrack.base.config import Settings
    from casetrack.base.crypt.secret import Secret
    from casetrack.base.records import CollectionInfo
    from casetrack.keep.transfer.tree import Tree

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
    """Turn a closed collection into one encrypted file; see ``Library.seal``.

    Raises
    ------
    CaseTrackError
        See ``Library.seal``.
    """
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
    is_gone = is_gone or wipe(doomed)  # the locks that were held lay in it
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
        f"Some of the plain files are in use by another program, and are still there: {doomed}. "
        "They are removed when CaseTrack looks at its collections the next time."
    )


def require_sealable(folder: Path, info: CollectionInfo, /) -> None:
    """Refuse a collection that takes changes, and one whose data lies elsewhere.

    Raises
    ------
    UsageError
        It does.
    """
    place = place_of(folder)
    if place.is_remote:
        raise UsageError(
            f'The data of "{info.name}" lies at {place.uri}, not on this computer; there it cannot '
            "be sealed.",
            hint="Write an encrypted copy with `casetrack export --encrypt`, or let the bucket "
            "encrypt what is in it.",
        )
    if info.status == "active":
        raise UsageError(
            f'The collection "{info.name}" takes changes; only one that is closed can be sealed.',
            hint=f"Close it first with `casetrack collection close {shlex.quote(info.name)}`.",
        )


def _require_room(home: Path, needed: int) -> None:
    with storage_errors(home):
        if shutil.disk_usage(home).free < needed + _SPARE_BYTES:
            raise DiskFull(home, f"{needed / 2**20:,.0f} MiB are needed there.")


def _stop_if(cancel: threading.Event, what: str) -> None:
    if cancel.is_set():
        raise JobStopped(
            f"Stopped; the collection is {what}, as it was.",
            hint="Run the same command again to start anew.",
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
    """Write the encrypted file, to the disk."""
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
    """Read the encrypted file to its end before anything is removed that it takes the place of."""
    total = file.stat().st_size
    with storage_errors(file), file.open("rb") as source:
        reader = DecryptingReader(source, secret, file.name)
        for _ in reader.blocks():
            _stop_if(cancel, "open")
            tell(_CHECKING, source.tell(), total)


def _switch(folder: Path, file: Path, doomed: Path, tree: Tree) -> Path:
    """Let the encrypted file take the folder's place; from here on nothing can be stopped.

    Returns where the plain files lie now: under the name *doomed*, or where they were.
    """
    home, passing = folder.parent, passing_path(folder)
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
        if tree_of(doomed).lasting != tree.lasting:  # whoever has come last has the last word
            doomed.rename(folder)
            passing.unlink()
            raise changed(folder)
        passing.replace(sealed_path(folder))
        sync_folder(home)
    return doomed


def _switch_in_place(folder: Path, passing: Path) -> Path:
    """Do the same where the folder cannot be moved, since our own locks in it are open."""
    try:
        retire(folder)
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
    """Turn an encrypted file back into the collection that it was; see ``Library.unseal``.

    Raises
    ------
    CaseTrackError
        See ``Library.unseal``.
    """
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
    """Return the id of the collection in a file, which its writer has vouched for."""
    found = reader.facts.get("id")
    if reader.facts.get("what") != COLLECTION:
        raise WrongPathKind(
            f"{file} is an encrypted export, not a sealed collection.",
            hint=f"Make a collection of it with `casetrack import {shlex.quote(str(file))}`.",
        )
    try:
        if str(UUID(found)) == found:
            return str(found)
    except (ValueError, TypeError, AttributeError):
        pass
    raise EncryptedFileDamaged(file.name, "it does not say which collection it holds")


def _require_sealed(folder: Path, file: Path, *, is_own: bool) -> None:
    if is_open(folder):
        raise UsageError(
            f"The collection in {file.name} is open already (ID: {folder.name}).",
            hint="See it with `casetrack collection list --status all`.",
        )
    if not is_own and sealed_path(folder).exists():
        raise UsageError(
            f"The collection in {file} is in this data folder already, and sealed.",
            hint=f"Open that one with `casetrack collection unseal {folder.name}`.",
        )


def _decrypt(
    file: Path,
    secret: Secret,
    space: Path,
    tell: Callable[[str, int, int], None],
    cancel: threading.Event,
) -> tuple[CollectionInfo, int]:
    """Write what is in the file into an empty folder; return its facts, and its bytes."""
    with storage_errors(file), file.open("rb") as source:
        reader = DecryptingReader(source, secret, file.name)
        total = file.stat().st_size
        _require_room(space, total)

        def step(_: int) -> None:
            _stop_if(cancel, "sealed")
            tell("Decrypting", source.tell(), total)

        size = read_tree(cast("IO[bytes]", reader), space, file.name, step)
        for _ in reader.blocks():
            pass  # nothing counts before its marked end is reached
    try:
        info = parse_info((space / INFO).read_bytes())
    except (OSError, ValueError) as error:
        raise EncryptedFileDamaged(file.name, "what is in it is no collection") from error
    if info.id != reader.facts["id"] or place_of(space).is_remote:
        raise EncryptedFileDamaged(file.name, "what is in it is not what its beginning says")
    return info, size


def _open_up(space: Path, folder: Path, *, is_own: bool) -> None:
    """Let the folder take the encrypted file's place."""
    passing = passing_path(folder)
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
