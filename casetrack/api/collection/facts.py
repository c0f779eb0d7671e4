"""What a collection is called, what is said of it, and whether it takes changes."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from casetrack.base.errors import CollectionBusy, See, UsageError
from casetrack.base.records import CollectionStats, StatusChange
from casetrack.store import audit, heads
from casetrack.store.info import require_active, update_info
from casetrack.store.listing import checked_name, checked_tags, checked_type, require_free
from casetrack.store.lock import names_lock, write_lock
from casetrack.store.place import stored_bytes
from casetrack.store.rewrite import rewriting

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from casetrack.base.records import CollectionInfo, CollectionStatus
    from casetrack.store.datasets import Snapshot
    from casetrack.store.workspace import Workspace

_FACTS = ("name", "description", "reference", "type", "tags")
_NOW = {"active": "reopened"}


def update(
    workspace: Workspace,
    /,
    *,
    name: str | None,
    description: str | None,
    reference: str | None,
    collection_type: str | None,
    tags: Iterable[str] | None,
    add_tags: Iterable[str],
    remove_tags: Iterable[str],
) -> CollectionInfo:
    """Change a collection's facts; parameters and errors are those of ``admin.update``."""
    wanted = None if name is None else checked_name(name)
    kind = (
        None if collection_type is None else checked_type(collection_type, workspace.info.edition)
    )
    added, removed = checked_tags(add_tags), checked_tags(remove_tags)
    replacing = None if tags is None else checked_tags(tags)

    def change(info: CollectionInfo) -> CollectionInfo:
        require_active(info)
        before = info.tags if replacing is None else replacing
        changed = replace(
            info,
            name=wanted or info.name,
            description=_given(description, info.description),
            reference=_given(reference, info.reference),
            type=kind or info.type,
            tags=checked_tags((*_without(before, removed), *added)),
        )
        if changed == info:
            quoted = f'"{info.name}"'
            raise UsageError(
                f'Nothing was changed: "{info.name}" has these facts already.',
                hint=f"{See('collection info', quoted)} shows them.",
            )
        told = [f for f in _FACTS if getattr(changed, f) != getattr(info, f)]
        audit.note(workspace.folder, "collection changed", detail=", ".join(told))
        return replace(changed, updated_at=datetime.now(UTC))

    with contextlib.ExitStack() as stack:
        if wanted is not None:
            stack.enter_context(names_lock(workspace.settings.data_dir))
            require_free(workspace.settings.collections_dir, wanted, but=workspace.folder.name)
        return update_info(workspace.folder, change)


def close(workspace: Workspace, status: CollectionStatus, /, *, timeout: float) -> StatusChange:
    """Make a collection read-only: ``closed`` or ``archived``; see ``Collection.admin.close``.

    Raises
    ------
    CollectionBusy
        Another program still writes to it.
    NotWritable, DiskFull, StorageError
        It cannot be written.
    """
    info = workspace.info
    if info.status in {status, "archived"}:
        return StatusChange(info, info.status)
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(write_lock(workspace.folder, timeout=timeout))
            stack.enter_context(rewriting(workspace.folder))
        except CollectionBusy as error:
            raise CollectionBusy(
                f'"{info.name}" cannot be {status} now: another program is changing it, for '
                "instance taking in documents or making vectors anew.",
                hint=f"Wait until that is finished, or stop it ({See('jobs list')} shows what is "
                "running); then run the command again.",
            ) from error
        return set_status(workspace, status)


def set_status(workspace: Workspace, status: CollectionStatus, /) -> StatusChange:
    """Store what a collection's status is from now on.

    Raises
    ------
    NotWritable, DiskFull, StorageError
        It cannot be written.
    """
    before: list[CollectionStatus] = []

    def change(info: CollectionInfo) -> CollectionInfo:
        before.append(info.status)
        if info.status == status:
            return info
        audit.note(workspace.folder, f"collection {_NOW.get(status, status)}")
        return replace(info, status=status, updated_at=datetime.now(UTC))

    return StatusChange(update_info(workspace.folder, change), before[0])


def _given(text: str | None, before: str | None) -> str | None:
    return before if text is None else text.strip() or None


def _without(tags: tuple[str, ...], removed: tuple[str, ...]) -> tuple[str, ...]:
    have = {tag.casefold() for tag in tags}
    for tag in removed:
        if tag.casefold() not in have:
            raise UsageError(
                f'The collection has no tag "{tag}".',
                hint=f"Its tags are: {', '.join(tags)}." if tags else "It has no tags.",
            )
    gone = {tag.casefold() for tag in removed}
    return tuple(tag for tag in tags if tag.casefold() not in gone)


# How much a collection holds: as its last writer has counted it, or counted anew.


def counted_stats(folder: Path, snapshot: Snapshot, /) -> CollectionStats:
    """Return the counts of a state, and the bytes of everything in the folder."""
    documents = snapshot.documents.values()
    return CollectionStats(
        document_count=len(documents),
        page_count=sum(d.page_count for d in documents),
        chunk_count=sum(d.chunk_count for d in documents),
        storage_bytes=stored_bytes(folder),
    )


def noted_documents(folder: Path, /) -> int | None:
    """Return how many documents the newest state has, as its writer noted; nothing is opened."""
    noted = heads.counted(folder)
    return None if noted is None else noted.rows


def noted_stats(folder: Path, /) -> CollectionStats | None:
    """Return the counts of the newest state as its writer noted them; nothing is opened.

    ``None`` where no note speaks of that state.
    """
    noted = heads.counted(folder)
    if noted is None:
        return None
    return CollectionStats(noted.rows, noted.pages, noted.passages, stored_bytes(folder))
