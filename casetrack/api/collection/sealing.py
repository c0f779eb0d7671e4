"""The sealed collections of a data folder: sealing an open one, and opening it again."""

from __future__ import annotations

import contextlib
import threading
from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.base import arguments
from casetrack.base.errors import See, UsageError
from casetrack.base.files import storage_errors, sync_folder
from casetrack.base.objects.address import Address
from casetrack.base.records.collections import DEFAULT_EDITION
from casetrack.store import audit
from casetrack.store.folders import (
    attach_folder,
    attached,
    detach_folder,
    settle_sealed,
    sweep_home,
)
from casetrack.store.info import repaired_info
from casetrack.store.listing import checked_name, require_free
from casetrack.store.lock import names_lock
from casetrack.store.place import endpoint_of, place_of
from casetrack.store.sealed import sealed_at, sealed_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.api.collection import Collection
    from casetrack.base.config import Settings
    from casetrack.base.crypt.secret import Secret
    from casetrack.base.jobs import JobStore
    from casetrack.base.records import CollectionInfo
    from casetrack.base.records.snapshots import SealedCollection, SealReport, UnsealReport


class Sealing(ABC):
    """What a library does with sealed collections; it is a part of :class:`casetrack.Library`."""

    settings: Settings
    _open: dict[str, Collection]

    @property
    @abstractmethod
    def jobs(self) -> JobStore:
        """The long work of the data folder."""

    @abstractmethod
    def get(self, name_or_id: str, /) -> Collection:
        """Return an open collection."""

    @abstractmethod
    def find(self, name_or_id: str, /) -> CollectionInfo:
        """Return the facts of an open collection."""

    @abstractmethod
    def _allow_collection(self, edition: str) -> None: ...

    def sealed(self) -> list[SealedCollection]:
        """Return the collections that are sealed, the one sealed last first."""
        settle_sealed(self.settings.collections_dir)
        return sealed_in(self.settings.collections_dir)

    def require_sealable(self, info: CollectionInfo, /) -> None:
        """Refuse a collection that cannot be sealed.

        Raises
        ------
        UsageError
            It takes changes, or its data does not lie on this computer.
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

        All of it goes in, byte for byte: snapshots, marks, the search index. The file is read back
        before anything is removed. Killed at any moment the collection is open, as it was, or
        sealed. What is removed is overwritten first; what that means on an SSD is told in
        ``docs/security.md``. The files that were taken in are not touched where they lie.

        Parameters
        ----------
        name_or_id
            The collection; it must be closed or archived.
        passphrase
            What opens it again: a passphrase, or a key file
            (:meth:`casetrack.base.crypt.secret.Secret.from_file`). Without it nobody can.
        hide_name
            Do not say in the clear what the collection is called; its id stays.
        progress
            Called from this thread with what is being done, how much is done, and of how much.
        cancel
            Set it to stop; once the plain files are being removed, that is done to the end.

        Raises
        ------
        CollectionNotFound, CollectionSealed, AmbiguousName, CollectionDamaged
            See :meth:`get`.
        UsageError
            It takes changes, or its data does not lie on this computer; or the passphrase is empty.
        CollectionBusy
            Another program changes it.
        JobStopped
            *cancel* was set; the collection is open, as it was.
        DiskFull, NotWritable, StorageError
            The file cannot be written; the collection is open, as it was.
        """
        from casetrack.base.crypt.secret import Secret
        from casetrack.keep.transfer.seal import seal

        sweep_home(self.settings.collections_dir)
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
        """Open a sealed collection again: as it was, under the same id, and closed as it was.

        Everything in the file is checked to its end before anything can be seen. Killed at any
        moment the collection is sealed, as it was, or open.

        Parameters
        ----------
        name_or_file
            Name or id of a sealed collection, or the path of a ``.ctsealed`` file that was copied
            from another data folder; such a file stays where it is. Open none that you or somebody
            you trust has not sealed.
        passphrase
            What it was sealed with.
        name
            What to call it; without it as it was called, or ``Name (2)`` where that is taken.
        progress, cancel
            See :meth:`seal`.

        Raises
        ------
        CollectionNotFound, AmbiguousName, WrongPathKind
            No sealed collection has this name, and there is no such file; or several have.
        PassphraseWrong, EncryptedFileDamaged
            It does not open, or was cut short or changed; the file stays as it is.
        UsageError, CollectionExists
            It is open already, or *name* cannot be one or is taken.
        FreeTierLimit
            The file is from elsewhere, and there are as many collections as the tier allows.
        JobStopped
            *cancel* was set; the collection is sealed, as it was.
        DiskFull, NotWritable, StorageError
            It cannot be written; the collection is sealed, as it was.
        """
        from casetrack.base.crypt.secret import Secret
        from casetrack.keep.transfer.seal import unseal

        sweep_home(self.settings.collections_dir)
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
        self.get(report.collection_id)  # migrates what an earlier version sealed
        return report

    def sealed_file(self, name_or_file: str | Path, /) -> Path:
        """Return the file of a sealed collection, by its name, its id, or the path of the file.

        Raises
        ------
        CollectionNotFound, AmbiguousName
            No sealed collection is called so, and there is no such file; or several are.
        """
        found = self._sealed(str(name_or_file))
        if found is not None:
            return Path(found.path)
        path = Path(name_or_file).expanduser()
        if path.is_file():
            return path.absolute()
        open_one = None
        with contextlib.suppress(UsageError):
            open_one = self.find(str(name_or_file))
        if open_one is not None:
            raise UsageError(
                f'The collection "{open_one.name}" is not sealed.',
                hint=f"It can be used as it is. {See('collection list', status='all')} shows all.",
            )
        raise UsageError(
            f"There is no sealed collection and no file called {str(name_or_file)!r}.",
            hint=f"See what is sealed with {See('collection list')}.",
        )

    def delete_sealed(self, name_or_id: str, /) -> SealedCollection | None:
        """Delete a sealed collection for good, without its passphrase; ``None`` if there is none.

        Raises
        ------
        AmbiguousName
            Several sealed collections are called so.
        NotWritable, StorageError
            It cannot be taken away.
        """
        found = self._sealed(name_or_id)
        if found is not None:
            path = Path(found.path)
            audit.note(path.with_suffix(""), "collection deleted", detail="it was sealed")
            with storage_errors(path):
                path.unlink()
                sync_folder(path.parent)
        return found

    def _sealed(self, name_or_id: str) -> SealedCollection | None:
        everything = self.sealed()
        entries = [arguments.Entry(s.id, s.label) for s in everything]
        place = arguments.find(name_or_id, entries, kind="sealed collection")
        return None if place is None else everything[place]


# The collections of a data folder that lie elsewhere: in object storage.


class Placing(Sealing):
    """Collections elsewhere, as a part of :class:`casetrack.api.library.Library`."""

    def place(self, info: CollectionInfo, /) -> str:
        """Return where a collection lies: its folder, or its address in object storage."""
        return place_of(self.settings.collections_dir / info.id).uri

    def attach(self, address: str, /) -> Collection:
        """Let a folder stand for the collection at an address, and return the collection.

        It is used like any other from then on. What is read of it is kept in that folder for a
        while (see ``[cache]`` in ``config.toml``); the folder may be removed at any time. One that
        is attached already is returned as it is.

        Parameters
        ----------
        address
            Such as ``s3://bucket/collections/harbour``.

        Raises
        ------
        UsageError
            There is no collection, or it is here already under another address.
        ObjectStorageError
            No rights, no bucket, no connection.
        FreeTierLimit
            There are as many collections as the tier allows.
        CollectionDamaged, FutureSchema, MigrationFailed
            See :meth:`get`.
        """
        return self.get(self._attached(address).id)

    def _attached(self, text: str) -> CollectionInfo:
        address, home = Address.of(text), self.settings.collections_dir
        folder = attached(home, address)
        if folder is None:
            with names_lock(self.settings.data_dir):
                self._allow_collection(DEFAULT_EDITION)
                folder = attach_folder(home, address, endpoint_of(address))
        return repaired_info(folder)

    def detach(self, name_or_id: str, /) -> CollectionInfo:
        """Remove the folder that stands for a collection elsewhere; there nothing changes.

        Raises
        ------
        UsageError
            It lies in this data folder, and nowhere else.
        CollectionNotFound, AmbiguousName, FutureSchema
            See :meth:`get`.
        CollectionBusy
            Somebody is writing to it.
        NotWritable, StorageError
            The folder cannot be removed.
        """
        info = self.find(name_or_id)
        detach_folder(self.settings.collections_dir, info)
        self._open.pop(info.id, None)
        return info
