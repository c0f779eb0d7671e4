"""Mends what can be mended without loss in a collection's folder, and in the data folder.

Each step may be repeated, and says what it did. No document and no file of the user's is removed.
"""

from __future__ import annotations

import contextlib
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.base.errors import CollectionBusy
from casetrack.keep.health.folder import temporary_files
from casetrack.keep.health.machine import remains
from casetrack.keep.health.views import mend_views
from casetrack.store import restore, rewrite
from casetrack.store.datasets import open_snapshot
from casetrack.store.history import repair_manifests, repair_tags, settle
from casetrack.store.info import read_info, update_info
from casetrack.store.lock import write_lock
from casetrack.store.marks.store import repair as mend_marks
from casetrack.store.originals import keep_copy, remove_stray_copies
from casetrack.store.rebuild import rebuild_rows
from casetrack.store.rows import drop_orphan_rows
from casetrack.store.session import leftovers, write_session

if TYPE_CHECKING:
    from collections.abc import Iterable

    from casetrack.base.records import Document
    from casetrack.keep.health.views import ViewState
    from casetrack.store.workspace import Workspace

BUSY_SECONDS = 30.0


def mend_data(folder: Path, /) -> list[str]:
    """Make the datasets readable at their newest version; return what was done.

    Raises
    ------
    CollectionBusy, CollectionDamaged, StorageError
        See :func:`mend_folder`.
    """
    with write_lock(folder, timeout=BUSY_SECONDS):
        done, rebuilt = repair_manifests(folder), rebuild_rows(folder)
        return done + rebuilt + [*repair_tags(folder), *settle(folder, rebuilt=bool(rebuilt))]


def mend_folder(folder: Path, views: Iterable[ViewState], /) -> list[str]:
    """Mend all that concerns a collection's folder, but for damaged documents.

    Parameters
    ----------
    folder
        The collection's folder.
    views
        What was found of its search index and its graph.

    Returns
    -------
    list of str
        What was done, in words.

    Raises
    ------
    CollectionBusy
        Somebody else writes.
    CollectionDamaged, StorageError
        The data cannot be read, or not be written.
    """
    # Before anything else: without them no state can be opened.
    done = mend_data(folder)
    stopped, temporary = len(leftovers(folder)), list(temporary_files(folder))
    with write_session(folder, timeout=BUSY_SECONDS, upkeep=True):
        if stopped:
            done.append(f"finished what {stopped} stopped programs had left")
        rows = drop_orphan_rows(folder)
        if rows:
            done.append(f"removed {rows} rows that belong to no document")
        copies = remove_stray_copies(folder, open_snapshot(folder))
        if copies:
            done.append(f"removed {copies} copies of files whose documents are gone")
        done += _mend_profile(folder)
        done += mend_views(folder, views)
    done += mend_marks(folder)
    done += _mend_stage(folder)
    return done + _remove_temporary(temporary)


def copy_again(folder: Path, document: Document, /) -> str | None:
    """Make the copy of a document's unchanged file anew; return what was done."""
    source = Path(document.path)
    if document.original_copy is None or not source.is_file():
        return None
    name = document.original_copy.rpartition("/")[2]
    keep_copy(folder, document.document_id, source, name=name)
    return f"copied the file of {document.name} again"


def restore_damaged(workspace: Workspace, lost: list[Document], /) -> dict[str, str]:
    """Bring damaged documents back from snapshots; return which one each came from, by its id.

    Raises
    ------
    CollectionBusy
        Somebody else writes.
    StorageError
        What is brought back cannot be written.
    """
    if not lost:
        return {}
    with write_session(workspace.folder, timeout=BUSY_SECONDS) as session:
        found = restore.restore(workspace.folder, session, lost)
    workspace.forget()
    return found


def mend_data_dir(home: Path, collections: Path, /) -> list[str]:
    """Remove what stopped programs have left in the data folder; return what was done.

    Parameters
    ----------
    home
        The data folder.
    collections
        The folder of the collections in it.
    """
    done = []
    for path in list(remains(home, collections)):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
        if not path.exists():
            done.append(f"removed {path.name}, which a stopped program had left")
    return done


def _mend_profile(folder: Path) -> list[str]:
    """Make ``collection.json`` say what the chunks say; the caller holds the write lock."""
    snapshot, info = open_snapshot(folder), read_info(folder)
    if (info.profile, info.dimension) == (snapshot.profile, snapshot.dimension):
        return []
    update_info(
        folder, lambda found: replace(found, profile=snapshot.profile, dimension=snapshot.dimension)
    )
    return [f"noted in collection.json that the vectors are of the profile {snapshot.profile}"]


def _mend_stage(folder: Path) -> list[str]:
    """Remove a stopped reindex of which nothing was kept."""
    stage = folder / "rewrite"
    if not stage.is_dir() or any(stage.rglob("*.arrow")):
        return []
    with contextlib.suppress(CollectionBusy), rewrite.rewriting(folder):
        if not any(stage.rglob("*.arrow")):
            shutil.rmtree(stage, ignore_errors=True)
            return ["removed a stopped reindex of which nothing was kept"]
    return []


def _remove_temporary(paths: Iterable[Path]) -> list[str]:
    removed = 0
    for path in paths:
        # A writer that has ended meanwhile may have done so, too.
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
        removed += not path.exists()
    return [f"removed {removed} temporary files of stopped programs"] if removed else []
