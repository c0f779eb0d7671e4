"""Sealed collections of a data folder: seal an open one, and open it again."""

from __future__ import annotations

import contextlib
import threading
from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.base import arguments
from casetrack.base.crypt.secret import Secret
from casetrack.base.errors import See, UsageError
from casetrack.base.files import storage_errors, sync_folder
from casetrack.base.objects.address import Address
from casetrack.base.records.collections import DEFAULT_EDITION
from casetrack.store import audit, folders
from casetrack.store.info import repaired_info
from casetrack.store.listing import checked_name, require_free
from casetrack.store.lock import names_lock
from casetrack.store.place import endpoint_of, place_of
from casetrack.store.sealed import sealed_at, sealed_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.api.collection import Collection
    from casetrack.base.config import Settings
    from casetrack.base.jobs import JobStore
    from casetrack.base.records import CollectionInfo
    from casetrack.base.records.snapshots import SealedCollection, SealReport, UnsealReport


class Sealing(ABC):
    """Sealed collections of a library; a part of :class:`casetrack.Library`."""

    settings: Settings
    _open: dict[str, Collection]

    @property
    @abstractmethod
    def jobs(self) -> JobStore:
        """The jobs of the data folder."""

    @abstractmethod
    def get(self, name_or_id: str, /) -> Collection:
        """Return an open collection."""

    @abstractmethod
    def find(self, name_or_id: str, /) -> CollectionInfo:
        """Return the facts of an open collection."""

    @abstractmethod
    def _allow_collection(self, edition: str) -> None: ...

    def sealed(self) -> list[SealedCollection]:
        """Return the sealed collections, last sealed first."""
        folders.settle_sealed(self.settings.collections_dir)
        return sealed_in(self.settings.collections_dir)

    def require_sealable(self, info: CollectionInfo, /) -> None:
        """Refuse a collection that cannot be sealed.

        Raises ``UsageError`` if it is active, or its data is not on this computer.
        """
        from casetrack.keep.transfer.seal import require_sealable

        require_sealable(self.settings.collections_dir / info.id, info)

    def seal(
        self,
        name_or_id: str,
        passphrase: str | Secret,
        /,
        *,
        hide_name: bool = False,
        progress: Callable[[str, int, int], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> SealReport:
        """Turn a closed collection into one encrypted file; its plain files are removed for good.

        The file contains everything: snapshots, marks, the search index. It is verified before
        anything is removed. If killed, the collection is either open and unchanged, or sealed.
        Removed files are overwritten first; see ``docs/security.md`` for SSDs. The ingested
        original files are not touched. Raises ``UsageError`` if it is active, its data is not on
        this computer, or the passphrase is empty; ``CollectionBusy`` if another program changes it;
        ``JobStopped``, ``DiskFull``, ``NotWritable`` or ``StorageError`` if the work was stopped or
        failed.

        Parameters
        ----------
        name_or_id
            A closed or archived collection.
        passphrase
            A passphrase, or a key file (:meth:`casetrack.base.crypt.secret.Secret.from_file`).
            Without it the collection cannot be opened again.
        hide_name
            Omit the name in the unencrypted part; the id stays.
        progress
            Called from this thread with the current step, the work done and the total.
        cancel
            Set it to stop; after the removal of plain files has begun, it has no effect.
        """
        from casetrack.keep.transfer.seal import seal

        folders.sweep_home(self.settings.collections_dir)
        secret, info = Secret.of(passphrase), self.find(name_or_id)
        report = seal(
            self.settings.collections_dir / info.id,
            secret,
            hide_name=hide_name,
            tell=progress or (lambda _what, _done, _total: None),
            cancel=cancel or threading.Event(),
        )
        self._open.pop(info.id, None)
        self.jobs.forget(info.id)  # they name its files
        return report

    def unseal(
        self,
        name_or_file: str | Path,
        passphrase: str | Secret,
        /,
        *,
        name: str | None = None,
        progress: Callable[[str, int, int], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> UnsealReport:
        """Open a sealed collection again, with the same id and status.

        The whole file is verified before the collection is visible. If killed, the collection is
        either sealed and unchanged, or open. Raises ``CollectionNotFound``, ``AmbiguousName`` or
        ``WrongPathKind`` if no sealed collection has this name and there is no such file, or
        several match; ``PassphraseWrong`` or ``EncryptedFileDamaged`` if it cannot be decrypted;
        ``UsageError`` or ``CollectionExists`` if it is open already, or *name* is not valid or in
        use; ``FreeTierLimit`` if the file is from another data folder, and the tier does not allow
        more collections; ``JobStopped``, ``DiskFull``, ``NotWritable`` or ``StorageError`` if the
        work was stopped or failed.

        Parameters
        ----------
        name_or_file
            Name or id of a sealed collection, or the path of a ``.ctsealed`` file from another data
            folder, which is kept. Open only files from a source that you trust.
        name
            The new name; by default the old one, or ``Name (2)`` if that is in use.
        passphrase, progress, cancel
            See :meth:`seal`.
        """
        from casetrack.keep.transfer.seal import unseal

        folders.sweep_home(self.settings.collections_dir)
        secret = Secret.of(passphrase)
        if name is not None:
            name = checked_name(name)
            require_free(self.settings.collections_dir, name)
        file = self.sealed_file(name_or_file)
        if file.parent != self.settings.collections_dir:
            with storage_errors(file):
                self._allow_collection(sealed_at(file).edition)
        report = unseal(
            self.settings,
            file,
            secret,
            name=name,
            tell=progress or (lambda _what, _done, _total: None),
            cancel=cancel or threading.Event(),
        )
        self.get(report.collection_id)  # migrates a collection that an earlier version sealed
        return report

    def sealed_file(self, name_or_file: str | Path, /) -> Path:
        """Return the file of a sealed collection, by its name, its id, or the path of the file.

        Raises ``CollectionNotFound`` or ``AmbiguousName`` if no sealed collection has this name and
        there is no such file, or several match.
        """
        entry = self._sealed(str(name_or_file))
        if entry is not None:
            return Path(entry.path)
        path = Path(name_or_file).expanduser()
        if path.is_file():
            return path.absolute()
        open_one = None
        with contextlib.suppress(UsageError):
            open_one = self.find(str(name_or_file))
        if open_one is not None:
            raise UsageError(
                f'The collection "{open_one.name}" is not sealed.',
                hint=f"It can be used directly. {See('collection list', status='all')} shows all.",
            )
        raise UsageError(
            f"There is no sealed collection and no file called {str(name_or_file)!r}.",
            hint=f"{See('collection list')} shows sealed collections.",
        )

    def delete_sealed(self, name_or_id: str, /) -> SealedCollection | None:
        """Delete a sealed collection for good, without its passphrase; ``None`` if there is none.

        Raises ``AmbiguousName`` if several sealed collections match; ``NotWritable`` or
        ``StorageError`` if it cannot be deleted.
        """
        entry = self._sealed(name_or_id)
        if entry is not None:
            path = Path(entry.path)
            audit.note(path.with_suffix(""), "collection deleted", detail="it was sealed")
            with storage_errors(path):
                path.unlink()
                sync_folder(path.parent)
        return entry

    def _sealed(self, name_or_id: str) -> SealedCollection | None:
        everything = self.sealed()
        entries = [arguments.Entry(s.id, s.label) for s in everything]
        place = arguments.find(name_or_id, entries, kind="sealed collection")
        return None if place is None else everything[place]


# Collections of a data folder in object storage.


class Placing(Sealing):
    """Collections in object storage; a part of :class:`casetrack.api.library.Library`."""

    def place(self, info: CollectionInfo, /) -> str:
        """Return the location of a collection: its folder, or its address in object storage."""
        return place_of(self.settings.collections_dir / info.id).uri

    def attach(self, address: str, /) -> Collection:
        """Attach the collection at an address to a folder of the data folder, and return it.

        It can then be used like others. The folder caches what is read (see ``[cache]`` in
        ``config.toml``) and can be removed at any time. A collection that is already attached is
        returned. Raises ``UsageError`` if there is no collection, or it is attached with a
        different address; ``ObjectStorageError`` for a missing permission, bucket or connection;
        ``FreeTierLimit`` if the tier does not allow more collections.

        Parameters
        ----------
        address
            Such as ``s3://bucket/collections/harbour``.
        """
        return self.get(self._attached(address).id)

    def _attached(self, text: str) -> CollectionInfo:
        address, home = Address.of(text), self.settings.collections_dir
        folder = folders.attached(home, address)
        if folder is None:
            with names_lock(self.settings.data_dir):
                self._allow_collection(DEFAULT_EDITION)
                folder = folders.attach_folder(home, address, endpoint_of(address))
        return repaired_info(folder)

    def detach(self, name_or_id: str, /) -> CollectionInfo:
        """Remove the local folder of a collection in object storage, which stays unchanged.

        Raises ``UsageError`` if the collection is stored in this data folder only;
        ``CollectionBusy`` if another program writes to it; ``NotWritable`` or ``StorageError`` if
        the folder cannot be removed.
        """
        info = self.find(name_or_id)
        folders.detach_folder(self.settings.collections_dir, info)
        self._open.pop(info.id, None)
        return info
