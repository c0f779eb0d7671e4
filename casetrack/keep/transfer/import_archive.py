"""Makes a collection of an exported archive: unpacks it, gives it a name, puts it in its place."""

from __future__ import annotations

import threading
import time
import uuid
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from casetrack.base.files import storage_errors, sync_folder
from casetrack.base.records.transfer import ImportReport
from casetrack.keep.transfer.manifest import damaged
from casetrack.keep.transfer.unpack import unpack
from casetrack.store import audit
from casetrack.store.damage import reading
from casetrack.store.datasets import DOCUMENTS, open_dataset
from casetrack.store.folders import building
from casetrack.store.info import write_info
from casetrack.store.listing import checked_name, free_name, require_free
from casetrack.store.lock import names_lock
from casetrack.store.marks.store import mend as mend_marks

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from casetrack.base.config import Settings
    from casetrack.base.crypt.secret import Secret


@dataclass(frozen=True, slots=True)
class Admission:
    """What decides whether a collection may come in; both raise where it may not.

    Attributes
    ----------
    collection
        Asked with its edition whether there may be one more collection.
    documents
        Asked with its edition and the number of documents in it, without those that came inside
        others.
    """

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
    """Make a collection of an archive.

    Parameters
    ----------
    settings
        Of the data folder.
    path
        The archive.
    name
        What to call it; ``None`` means as it was called, with a number where that is taken.
    admit
        Decides whether it may come in.
    secret, tell, cancel
        See :func:`casetrack.keep.transfer.unpack.unpack`.

    Raises
    ------
    CaseTrackError
        See :meth:`casetrack.api.library.Library.import_archive`.
    """
    started, home = time.monotonic(), settings.collections_dir
    if name is not None:
        name = checked_name(name)
        require_free(home, name)  # before anything is unpacked
    new_id = str(uuid.uuid4())
    with building(home, new_id) as folder:
        found = unpack(
            path,
            folder,
            secret=secret,
            tell=tell or (lambda _what, _done, _total: None),
            cancel=cancel or threading.Event(),
        )
        edition = found.info.edition
        admit.documents(edition, _own_documents(folder))
        with names_lock(settings.data_dir):
            admit.collection(edition)
            if name is not None:
                require_free(home, name)
            chosen = name or free_name(home, _own_name(path, found.info.name))
            write_info(folder, replace(found.info, id=new_id, name=chosen))
            audit.note(
                home / new_id,
                "collection imported",
                count=found.manifest.counts["documents"],
                detail=str(path),
            )
            mend_marks(folder)  # an archive has no copy of them
            with storage_errors(home):
                folder.rename(home / new_id)
                sync_folder(home)
    counts = found.manifest.counts
    return ImportReport(
        collection=chosen,
        collection_id=new_id,
        path=str(path),
        original_name=found.info.name,
        documents=counts["documents"],
        pages=counts["pages"],
        chunks=counts["chunks"],
        originals=counts["originals"],
        seconds=time.monotonic() - started,
    )


def _own_documents(folder: Path) -> int:
    """Return how many documents did not come inside others; early versions know no others."""
    ledger = open_dataset(folder, DOCUMENTS)
    with reading(folder):
        inside = "parent_id" in ledger.schema.names
        return int(ledger.count_rows(filter="parent_id IS NULL" if inside else None))


def _own_name(path: Path, name: str) -> str:
    from casetrack.base.errors import UsageError

    try:
        return checked_name(name)
    except UsageError as error:
        raise damaged(path.name, "the collection in it has no name that can be shown") from error
