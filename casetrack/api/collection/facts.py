"""Name, description and status of a collection."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

from casetrack.api.operation import READS, SWITCHES, Arg, operation
from casetrack.base.errors import CollectionBusy, Opt, See, UsageError
from casetrack.base.records import COLLECTION_TYPES, CollectionFacts, CollectionStats, StatusChange
from casetrack.store import audit, heads
from casetrack.store.info import require_active, update_info
from casetrack.store.listing import checked_name, checked_tags, checked_type, require_free
from casetrack.store.lock import names_lock, write_lock
from casetrack.store.place import place_of, stored_bytes
from casetrack.store.rewrite import rewriting

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from casetrack.base.records import CollectionInfo, CollectionStatus
    from casetrack.store.datasets import Snapshot
    from casetrack.store.workspace import Workspace

_FACTS = ("name", "description", "reference", "type", "tags")
_NOW = {"active": "reopened"}
CLOSING_SECONDS = 10.0
"""Time to wait for a writer: enough to finish a commit, not the ingestion of a folder."""

_Tags = Sequence[str]


class OwnFacts:
    """Name, description and status of a collection; a part of ``admin``."""

    _workspace: Workspace

    @operation(
        "collection update",
        SWITCHES,
        command="collection describe",
        tool="update_collection",
        of=("collection describe", "collection rename"),
    )
    def update(
        self,
        *,
        name: Annotated[str | None, Arg()] = None,
        description: Annotated[str | None, Arg()] = None,
        reference: Annotated[str | None, Arg()] = None,
        collection_type: Annotated[str | None, Arg(words=COLLECTION_TYPES)] = None,
        tags: Iterable[str] | None = None,
        add_tags: Annotated[_Tags | None, Arg()] = None,
        remove_tags: Annotated[_Tags | None, Arg()] = None,
    ) -> CollectionInfo:
        """Change the collection's own facts, all of them or none; ``None`` keeps a fact.

        Parameters
        ----------
        name
            1 to 200 characters; unique, ignoring letter case. Id and folder stay.
        collection_type
            Type of collection, in any letter case; an unknown one lists all types.
        tags
            Replace all tags; duplicates in any letter case are removed.

        Raises
        ------
        UsageError
            A name, type or tag is wrong, a tag to remove does not exist, or nothing would change.
        CollectionExists
            Another collection has this name.
        CollectionReadOnly
            The collection is closed or archived.
        NotWritable, DiskFull, StorageError
            It cannot be written.
        """
        workspace = self._workspace
        wanted = None if name is None else checked_name(name)
        edition = workspace.info.edition
        kind = (
            None
            if collection_type is None
            else checked_type(collection_type, edition, "collection_type")
        )
        added, removed = checked_tags(add_tags or ()), checked_tags(remove_tags or ())
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
                    f'Nothing was changed: "{info.name}" already has these facts.',
                    hint=f"{See('collection info', quoted)} shows them.",
                )
            fields = [f for f in _FACTS if getattr(changed, f) != getattr(info, f)]
            audit.note(workspace.folder, "collection changed", detail=", ".join(fields))
            return replace(changed, updated_at=datetime.now(UTC))

        with contextlib.ExitStack() as stack:
            if wanted is not None:
                stack.enter_context(names_lock(workspace.settings.data_dir))
                require_free(workspace.settings.collections_dir, wanted, but=workspace.folder.name)
            return update_info(workspace.folder, change)

    @operation("collection info", READS)
    def facts(self) -> CollectionFacts:
        """Return a collection's description, size and location."""
        from casetrack.keep.upkeep import freeable_bytes
        from casetrack.store.upkeep import sizes_of

        workspace = self._workspace
        stats = workspace.ask(lambda state: counted_stats(workspace.folder, state.snapshot))
        return CollectionFacts(
            workspace.info,
            stats,
            folder=str(workspace.folder),
            place=place_of(workspace.folder).uri,
            freeable_bytes=freeable_bytes(workspace),
            sizes=sizes_of(workspace.folder),
        )

    @operation("collection rename", SWITCHES)
    def rename(self, name: Annotated[str, Arg(cli="NEW_NAME")], /) -> CollectionInfo:
        """Rename a collection; its ID and its documents stay the same.

        Parameters
        ----------
        name
            The new name.
        """
        return self.update(name=name)

    @operation("collection describe", SWITCHES)
    def describe(
        self,
        *,
        description: Annotated[str | None, Arg(cli="--description TEXT")] = None,
        reference: Annotated[str | None, Arg(cli="--reference TEXT")] = None,
        collection_type: Annotated[str | None, Arg(cli="--type TYPE")] = None,
    ) -> CollectionInfo:
        """Change a collection's description, reference or type.

        Parameters
        ----------
        description
            A description; "" removes it.
        reference
            Your own reference, such as a number; "" removes it.
        collection_type
            Type of collection; an unknown one lists all types.
        """
        if description is None and reference is None and collection_type is None:
            raise UsageError(
                "No change was given.",
                hint=f"Add {Opt(description='TEXT')}, {Opt(reference='TEXT')} or "
                f"{Opt(type='TYPE')}.",
            )
        return self.update(
            description=description, reference=reference, collection_type=collection_type
        )

    @operation("collection tag", SWITCHES)
    def tag(
        self,
        *,
        add: Annotated[_Tags, Arg(cli="--add TAG")] = (),
        remove: Annotated[_Tags, Arg(cli="--remove TAG")] = (),
        only: Annotated[list[str] | None, Arg(cli="--set TAG")] = None,
        clear: Annotated[bool, Arg(cli="--clear")] = False,
    ) -> CollectionInfo:
        """Add and remove a collection's tags; without an option it shows them.

        Parameters
        ----------
        add
            A tag to add; may be repeated.
        remove
            A tag to remove; may be repeated.
        only
            Replace all tags; may be repeated.
        clear
            Remove all tags first.
        """
        if only and clear:
            raise UsageError(
                f"{Opt('set')} and {Opt('clear')} cannot be combined.",
                hint=f"{Opt('set')} replaces all tags.",
            )
        if not (add or remove or clear) and only is None:
            return self._workspace.info
        chosen = () if clear else only
        return self.update(tags=chosen, add_tags=add, remove_tags=remove)

    @operation("collection close", SWITCHES, tool="close_collection", whose="collection_name")
    def close(self, *, timeout: float = CLOSING_SECONDS) -> StatusChange:
        """Make a collection read-only; it can still be searched and exported.

        Parameters
        ----------
        timeout
            Seconds to wait for a writer. An archived collection stays archived.

        Raises
        ------
        CollectionBusy
            Another program still writes to it.
        NotWritable, DiskFull, StorageError
            It cannot be written.
        """
        return self._close("closed", timeout)

    @operation("collection reopen", SWITCHES, tool="reopen_collection", whose="collection_name")
    def reopen(self) -> StatusChange:
        """Allow changes of a closed or archived collection again.

        Raises
        ------
        NotWritable, DiskFull, StorageError
            It cannot be written.
        """
        return self._set_status("active")

    @operation("collection archive", SWITCHES, tool="archive_collection", whose="collection_name")
    def archive(self, *, timeout: float = CLOSING_SECONDS) -> StatusChange:
        """Make a collection read-only and hide it from lists; it can be searched by its name.

        Parameters
        ----------
        timeout
            Seconds to wait for a writer.
        """
        return self._close("archived", timeout)

    def _close(self, status: CollectionStatus, timeout: float) -> StatusChange:
        workspace, info = self._workspace, self._workspace.info
        if info.status in {status, "archived"}:
            return StatusChange(info, info.status)
        with contextlib.ExitStack() as stack:
            try:
                stack.enter_context(write_lock(workspace.folder, timeout=timeout))
                stack.enter_context(rewriting(workspace.folder))
            except CollectionBusy as error:
                raise CollectionBusy(
                    f'"{info.name}" cannot be {status} now: another program is changing it, for '
                    "instance adding documents or rebuilding vectors.",
                    hint=f"Wait until that is finished, or stop it ({See('jobs list')} shows all "
                    "jobs); then run the command again.",
                ) from error
            return self._set_status(status)

    def _set_status(self, status: CollectionStatus) -> StatusChange:
        before: list[CollectionStatus] = []

        def change(info: CollectionInfo) -> CollectionInfo:
            before.append(info.status)
            if info.status == status:
                return info
            audit.note(self._workspace.folder, f"collection {_NOW.get(status, status)}")
            return replace(info, status=status, updated_at=datetime.now(UTC))

        return StatusChange(update_info(self._workspace.folder, change), before[0])


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


# The size of a collection: counts of its last writer, or counted again.


def counted_stats(folder: Path, snapshot: Snapshot, /) -> CollectionStats:
    """Return the counts of a state, and the bytes of the whole folder."""
    documents = snapshot.documents.values()
    return CollectionStats(
        document_count=len(documents),
        page_count=sum(d.page_count for d in documents),
        chunk_count=sum(d.chunk_count for d in documents),
        storage_bytes=stored_bytes(folder),
    )


def noted_documents(folder: Path, /) -> int | None:
    """Return the stored number of documents in the newest state without opening it."""
    noted = heads.counted(folder)
    return None if noted is None else noted.rows


def noted_stats(folder: Path, /) -> CollectionStats | None:
    """Return the stored counts of the newest state without opening it, or ``None``."""
    noted = heads.counted(folder)
    if noted is None:
        return None
    return CollectionStats(noted.rows, noted.pages, noted.passages, stored_bytes(folder))
