"""The collections of a data folder that lie elsewhere: in object storage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.api.collection.sealing import Sealing
from casetrack.base.objects.address import Address
from casetrack.base.records.collections import DEFAULT_EDITION
from casetrack.store.folders import attach_folder, attached, detach_folder
from casetrack.store.lock import names_lock
from casetrack.store.place import endpoint_of, place_of
from casetrack.store.recovery import sound_info

if TYPE_CHECKING:
    from casetrack.api.collection import Collection
    from casetrack.base.records import CollectionInfo


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
        return sound_info(folder)

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
