"""What a collection is called, what is said of it, and whether it takes changes."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from casetrack.collection.state import Opened
from casetrack.errors import CollectionBusy, UsageError
from casetrack.records import StatusChange
from casetrack.store.info import require_active, update_info
from casetrack.store.listing import checked_name, checked_tags, checked_type, require_free
from casetrack.store.lock import names_lock, write_lock
from casetrack.store.rewrite import rewriting

if TYPE_CHECKING:
    from collections.abc import Iterable

    from casetrack.records import CollectionInfo, CollectionStatus

_CLOSING_SECONDS = 10.0
"""A writer that is about done is waited for; nobody waits for one that reads a whole folder."""


class Lifecycle(Opened):
    """Renaming, describing, closing and archiving.

    Active collections take changes. Closed ones are read-only: they are searched and exported as
    before. Archived ones are closed as well, and left out of lists unless they are asked for.
    """

    def update(
        self,
        *,
        name: str | None = None,
        description: str | None = None,
        reference: str | None = None,
        collection_type: str | None = None,
        tags: Iterable[str] | None = None,
        add_tags: Iterable[str] = (),
        remove_tags: Iterable[str] = (),
    ) -> CollectionInfo:
        """Change the collection's own facts: all that is asked for, or nothing.

        Parameters
        ----------
        name
            1 to 200 characters; unique, letter case aside. Id and folder stay as they are.
        description, reference
            For people; an empty text takes it away.
        collection_type
            One of :data:`~casetrack.records.COLLECTION_TYPES`, in any letter case.
        tags
            They take the place of all tags. Letter case aside, each is there once.
        add_tags, remove_tags
            Tags to add after those that are there, and tags to take away.

        Returns
        -------
        CollectionInfo
            What is stored now. What is ``None`` in the parameters is as it was.

        Raises
        ------
        UsageError
            A name, type or tag does not fit, or a tag that is to be removed is not there.
        CollectionExists
            Another collection has this name.
        CollectionReadOnly
            The collection is closed or archived.
        NotWritable, DiskFull, StorageError
            It cannot be written.
        """
        wanted = None if name is None else checked_name(name)
        kind = None if collection_type is None else checked_type(collection_type)
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
            return info if changed == info else replace(changed, updated_at=datetime.now(UTC))

        with contextlib.ExitStack() as stack:
            if wanted is not None:
                stack.enter_context(names_lock(self.settings.data_dir))
                require_free(self.settings.collections_dir, wanted, but=self.folder.name)
            return update_info(self.folder, change)

    def rename(self, name: str, /) -> CollectionInfo:
        """Give the collection another name; see :meth:`update`."""
        return self.update(name=name)

    def describe(
        self,
        *,
        description: str | None = None,
        reference: str | None = None,
        collection_type: str | None = None,
    ) -> CollectionInfo:
        """Change what is said of the collection; see :meth:`update`."""
        return self.update(
            description=description, reference=reference, collection_type=collection_type
        )

    def tag(
        self,
        *,
        add: Iterable[str] = (),
        remove: Iterable[str] = (),
        only: Iterable[str] | None = None,
    ) -> CollectionInfo:
        """Change the collection's tags; *only* takes the place of all. See :meth:`update`."""
        return self.update(tags=only, add_tags=add, remove_tags=remove)

    def close(self, *, timeout: float = _CLOSING_SECONDS) -> StatusChange:
        """Make the collection read-only; it can be searched and exported as before.

        Parameters
        ----------
        timeout
            Seconds to wait for a program that writes to it.

        Returns
        -------
        StatusChange
            What is stored now, and what was before. An archived collection stays archived.

        Raises
        ------
        CollectionBusy
            Another program still writes to it.
        NotWritable, DiskFull, StorageError
            It cannot be written.
        """
        return self._end("closed", timeout)

    def archive(self, *, timeout: float = _CLOSING_SECONDS) -> StatusChange:
        """Make the collection read-only and leave it out of lists.

        Parameters, results and errors are those of :meth:`close`.
        """
        return self._end("archived", timeout)

    def reopen(self) -> StatusChange:
        """Let a closed or archived collection take changes again.

        Returns
        -------
        StatusChange
            What is stored now, and what was before.

        Raises
        ------
        NotWritable, DiskFull, StorageError
            It cannot be written.
        """
        return self._set_status("active")

    def _end(self, status: CollectionStatus, timeout: float) -> StatusChange:
        info = self.info
        if info.status in {status, "archived"}:
            return StatusChange(info, info.status)
        with contextlib.ExitStack() as stack:
            try:
                stack.enter_context(write_lock(self.folder, timeout=timeout))
                stack.enter_context(rewriting(self.folder))
            except CollectionBusy as error:
                raise CollectionBusy(
                    f'"{info.name}" cannot be {status} now: another program is changing it, for '
                    "instance taking in documents or making vectors anew.",
                    hint="Wait until that is finished, or stop it (`casetrack jobs list` shows "
                    "what is running); then run the command again.",
                ) from error
            return self._set_status(status)

    def _set_status(self, status: CollectionStatus) -> StatusChange:
        before: list[CollectionStatus] = []

        def change(info: CollectionInfo) -> CollectionInfo:
            before.append(info.status)
            if info.status == status:
                return info
            return replace(info, status=status, updated_at=datetime.now(UTC))

        return StatusChange(update_info(self.folder, change), before[0])


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
