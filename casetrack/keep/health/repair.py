"""Repairs without loss, of a collection's folder and of the data folder.

Each step may be repeated, and reports its actions. No document and no user file is removed.
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
from casetrack.keep.health.views import ViewState, repair_views
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
    from casetrack.store.workspace import Workspace

BUSY_SECONDS = 30.0


def repair_data(folder: Path, /) -> list[str]:
    """Make the datasets readable at their newest version; return the actions."""
    with write_lock(folder, timeout=BUSY_SECONDS):
        done, rebuilt = repair_manifests(folder), rebuild_rows(folder)
        return done + rebuilt + [*repair_tags(folder), *settle(folder, rebuilt=bool(rebuilt))]


def repair_folder(folder: Path, views: Iterable[ViewState], /) -> list[str]:
    """Repair a collection's folder, except damaged documents; return the actions."""
    # First of all: without them no state can be opened.
    done = repair_data(folder)
    stopped, temporary = len(leftovers(folder)), list(temporary_files(folder))
    with write_session(folder, timeout=BUSY_SECONDS, upkeep=True):
        if stopped:
            done.append(f"cleaned up after {stopped} stopped programs")
        rows = drop_orphan_rows(folder)
        if rows:
            done.append(f"removed {rows} rows without a document")
        copies = remove_stray_copies(folder, open_snapshot(folder))
        if copies:
            done.append(f"removed {copies} copies of files of deleted documents")
        done += _repair_profile(folder)
        done += repair_views(folder, views)
    done += mend_marks(folder)
    done += _repair_stage(folder)
    return done + _remove_temporary(temporary)


def copy_again(folder: Path, document: Document, /) -> str | None:
    """Replace the copy of a document's unchanged file; return the action."""
    source = Path(document.path)
    if document.original_copy is None or not source.is_file():
        return None
    name = document.original_copy.rpartition("/")[2]
    keep_copy(folder, document.document_id, source, name=name)
    return f"copied the file of {document.name} again"


def restore_damaged(workspace: Workspace, lost: list[Document], /) -> dict[str, str]:
    """Restore damaged documents from snapshots; return their origins by document id."""
    if not lost:
        return {}
    with write_session(workspace.folder, timeout=BUSY_SECONDS) as session:
        origins = restore.restore(workspace.folder, session, lost)
    workspace.forget()
    return origins


def repair_data_dir(home: Path, collections: Path, /) -> list[str]:
    """Remove files that stopped programs left in the data folder; return the actions."""
    done = []
    for path in list(remains(home, collections)):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
        if not path.exists():
            done.append(f"removed {path.name}, which a stopped program had left")
    return done


def _repair_profile(folder: Path) -> list[str]:
    """Update ``collection.json`` from the chunks; the caller holds the write lock."""
    snapshot, info = open_snapshot(folder), read_info(folder)
    if (info.profile, info.dimension) == (snapshot.profile, snapshot.dimension):
        return []
    update_info(
        folder, lambda facts: replace(facts, profile=snapshot.profile, dimension=snapshot.dimension)
    )
    return [f"set the profile in collection.json to that of the vectors, {snapshot.profile}"]


def _repair_stage(folder: Path) -> list[str]:
    """Remove a stopped reindex without outputs."""
    stage = folder / "rewrite"
    if not stage.is_dir() or any(stage.rglob("*.arrow")):
        return []
    with contextlib.suppress(CollectionBusy), rewrite.rewriting(folder):
        if not any(stage.rglob("*.arrow")):
            shutil.rmtree(stage, ignore_errors=True)
            return ["removed an empty stopped reindex"]
    return []


def _remove_temporary(paths: Iterable[Path]) -> list[str]:
    removed = 0
    for path in paths:
        # A writer that has ended meanwhile may have removed it.
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
        removed += not path.exists()
    return [f"removed {removed} temporary files of stopped programs"] if removed else []
