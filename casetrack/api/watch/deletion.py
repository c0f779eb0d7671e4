"""Deleting a collection also ends the watch over folders that were kept in sync with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.api.watch.watch_list import WatchList

if TYPE_CHECKING:
    from casetrack.api.library import Library
    from casetrack.base.records import CollectionInfo


def delete_collection(
    library: Library, collection_id: str, /
) -> tuple[CollectionInfo, tuple[str, ...]]:
    """Delete a collection; return its facts, and the folders that are watched no more.

    Raises
    ------
    CollectionNotFound, CollectionBusy, StorageError
        See :meth:`casetrack.api.library.Library.delete`.
    """
    gone = library.delete(collection_id)
    watch_list = WatchList(library.settings.data_dir)
    watched = watch_list.watches(gone.id)
    if watched:
        watch_list.remove({watch.id for watch in watched})
    return gone, tuple(watch.folder for watch in watched)
