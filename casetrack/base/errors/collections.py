"""Errors about whole collections."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from casetrack.base.errors.base import CaseTrackError, NameNotFound, UsageError
from casetrack.base.errors.references import See

_NAMED = 10
"""Collections that are named where one has to be chosen."""


def _listing(names: Sequence[str]) -> str:
    """Return the names of the first collections, and how many more there are."""
    if not names:
        return ""
    more = len(names) - _NAMED
    listed = "".join(f'\n  - "{name}"' for name in names[:_NAMED])
    return f"Choose from:{listed}" + (f"\n  - and {more:,} more" if more > 0 else "")


class NoActiveCollection(UsageError):
    """A tool needs a collection and none was chosen.

    Parameters
    ----------
    names
        Existing collections, most recently changed first.
    ways
        Tools that choose a collection, with their purpose; empty if each call must name it.
    """

    code = "no_collection_active"

    def __init__(self, names: Sequence[str] = (), ways: Sequence[str] = (), /) -> None:
        message = "No collection was given. Pass its name as `collection`."
        self.facts = {"ways": "".join(f"\n  - {way}" for way in ways)}
        if ways:
            message = (
                "No active collection. Create or switch to a collection first:" + self.facts["ways"]
            )
        else:
            self.message_key = "no_collection_named"
        super().__init__(message, hint=_listing(names))


class ActiveCollectionGone(UsageError):
    """The collection that a connection worked on was deleted by another program."""

    def __init__(self, name: str) -> None:
        self.facts = {"name": name}
        super().__init__(
            f'The active collection "{name}" no longer exists.',
            hint=f"List the collections with {See('collection list')}. Or create one with "
            f"{See('collection create')}.",
        )


class CollectionNotFound(NameNotFound):
    """No collection has this name or id.

    *near* has ``(name, id)`` of similar names; *names* lists all collections if there are none.
    """

    full = "full name or ID"

    def __init__(
        self, name: str, near: Sequence[tuple[str, str]] = (), names: Sequence[str] = ()
    ) -> None:
        listing = f" {_listing(names)}" if names else ""
        hint = (
            f"List the collections with {See('collection list')}, or create it with "
            f"{See('collection create', repr(name))}."
        )
        asked = f'Collection not found: "{name}"'
        super().__init__(name, near, asked, hint, listing)
        self.facts = {"name": name, "near": self.lines, "there": listing}
        self.message_key = f"{self.code}_near" if near else ""


class CollectionGone(CollectionNotFound):
    """Another program deleted the collection during the work."""

    code = "collection_not_found"

    def __init__(self, collection_id: str) -> None:
        self.name = collection_id
        self.near = ()
        self.facts = {"name": collection_id, "near": "", "there": ""}
        UsageError.__init__(
            self,
            f"The collection {collection_id} no longer exists: another program deleted it. "
            "Nothing was changed.",
            hint=f"List the collections with {See('collection list')}.",
        )


class CollectionExists(UsageError):
    """A collection of this name is there already."""

    def __init__(self, name: str, collection_id: str) -> None:
        self.facts = {"name": name, "id": collection_id}
        super().__init__(
            f'A collection named "{name}" already exists (ID: {collection_id}).',
            hint="Use this collection, or choose another name.",
        )


class CollectionDamaged(CaseTrackError):
    """A collection's files cannot be read."""


_REPAIR_HINT = f"Run {See('doctor', repair=True)} to restore the stored content."


class PassagesDamaged(CollectionDamaged):
    """Checksums of stored rows do not match; the passages are withheld.

    Attributes
    ----------
    documents
        Names of the affected documents.
    """

    code = "collection_damaged"

    def __init__(self, documents: Sequence[str]) -> None:
        self.documents = tuple(dict.fromkeys(documents))
        super().__init__(_withheld(documents), hint=_REPAIR_HINT)


def withheld(documents: Sequence[str], /) -> list[str]:
    """Return a note about damaged passages that an answer omits; empty without any.

    *documents* has the document's name of each passage.
    """
    return [f"{_withheld(documents)} {_REPAIR_HINT}"] if documents else []


def _withheld(documents: Sequence[str]) -> str:
    names = list(dict.fromkeys(documents))
    shown = ", ".join(names[:3]) + (" and others" if len(names) > 3 else "")
    what = "A passage is" if len(documents) == 1 else f"{len(documents)} passages are"
    return f"{what} withheld because of damaged stored content: {shown}."


class CollectionBusy(CaseTrackError):
    """Another process holds the collection's write lock for too long."""


class WriterReplaced(CollectionBusy):
    """Another computer took over writing after this one was silent for too long."""

    code = "collection_busy"

    def __init__(self, place: str) -> None:
        super().__init__(
            f"Another computer took over writing to {place} because this one did not respond for a "
            "while. Finished work is stored; nothing was written after that.",
            hint="Run the same command again to continue.",
        )


class FutureSchema(CaseTrackError):
    """The collection was written by a newer CaseTrack."""

    def __init__(self, version: int, supported: int) -> None:
        super().__init__(
            f"Database schema version {version} is newer than supported version {supported}. "
            "Update CaseTrack.",
            hint="Install the newest version with `pip install --upgrade casetrack`.",
        )


class CollectionReadOnly(UsageError):
    """The collection is closed or archived: it can be searched, not changed."""

    def __init__(self, name: str, status: str) -> None:
        self.facts = {"name": name, "status": status}
        super().__init__(
            f'The collection "{name}" is {status} and cannot be changed. It can still be searched '
            "and exported.",
            hint=f"To change it, reopen it with {See('collection reopen', repr(name))}.",
        )


class SnapshotNotFound(UsageError):
    """A collection has no snapshot of this name or number."""


class SnapshotExists(UsageError):
    """A collection has a snapshot of this name already."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f'A snapshot named "{name}" already exists.',
            hint=f"Choose another name, or remove the snapshot with {See('snapshots remove')}.",
        )


class ArchiveDamaged(CaseTrackError):
    """A ``.ctcollection`` file cannot be imported: it is damaged or of another kind."""


class MigrationFailed(CaseTrackError):
    """A collection of an earlier schema version could not be migrated.

    Parameters
    ----------
    found, wanted
        Its schema version, and the version of the failed migration.
    reason
        The cause, a sentence.
    backup
        Copy of the collection before the migration; ``None`` if nothing was changed yet.
    """

    def __init__(
        self, name: str, version: int, wanted: int, reason: str, backup: Path | None
    ) -> None:
        self.backup = backup
        kept = (
            f"A backup of the unchanged collection is in {backup}."
            if backup
            else "Nothing was changed."
        )
        super().__init__(
            f'The collection "{name}" could not be migrated from version {version} to version '
            f"{wanted}: {reason.rstrip('.')}. {kept}",
            hint="Fix the cause and open the collection again to complete the migration. Other "
            "collections are not affected.",
        )
