"""Facts and counts of a collection."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from casetrack.base.dataclass import dataclass, fields
from casetrack.base.records.cards import Card, Fact, size_text
from casetrack.base.records.shape import INLINE, FieldFormat, Record

CollectionStatus = Literal["active", "closed", "archived"]
DEFAULT_EDITION = "collections"
DEFAULT_PROFILE = "mini"
AUTO_PROFILE = "auto"
"""Chooses the profile by the language of the first files."""
DEFAULT_DIMENSION = 384
"""Length of the dense vectors of the default profile."""

COLLECTION_TYPES = (
    *"archive business compliance contract financial hr operations other project".split(),
    *"research sales technical".split(),
)


@dataclass(frozen=True, slots=True, repr=False)
class CollectionInfo(Card):
    """Facts of a collection in its ``collection.json``; *dimension* is its vector length."""

    id: str
    name: str
    type: str
    status: CollectionStatus
    description: str | None
    reference: str | None
    tags: tuple[str, ...]
    edition: str
    schema_version: int
    pipeline: str
    profile: str
    dimension: int
    created_at: datetime
    updated_at: datetime

    def _title(self) -> str:
        return self.name

    def _facts(self) -> list[Fact]:
        vectors = f"{self.profile}, {self.dimension} numbers each"
        return [
            *((n, getattr(self, n)) for n in ("type", "status", "description", "reference")),
            ("tags", self.tags),
            ("edition", self.edition),
            ("vectors", vectors),
            ("created", self.created_at),
            ("changed", self.updated_at),
            ("id", self.id),
        ]


@dataclass(frozen=True, slots=True, repr=False)
class StatusChange(Card):
    """Result of closing, reopening or archiving a collection, with its status before."""

    JSON = ("...", "changed")

    info: Annotated[CollectionInfo, INLINE]
    before: Annotated[CollectionStatus, FieldFormat(name="status_before")]

    @property
    def changed(self) -> bool:
        """Whether the status changed."""
        return self.info.status != self.before

    def _title(self) -> str:
        return f"{self.info.name}: {self.info.status}"

    def _facts(self) -> list[Fact]:
        return [("before", self.before if self.changed else f"{self.before}, too")]


@dataclass(frozen=True, slots=True, repr=False)
class CollectionStats(Card):
    """Counts of live rows, and the bytes of everything in the collection's folder."""

    document_count: int
    page_count: int
    chunk_count: int
    storage_bytes: int

    def _facts(self) -> list[Fact]:
        return [
            ("documents", self.document_count),
            ("pages", self.page_count),
            ("chunks", self.chunk_count),
            ("on disk", size_text(self.storage_bytes)),
        ]


@dataclass(frozen=True, slots=True, repr=False)
class CollectionFacts(Card):
    """Facts and sizes of a collection, and where it is stored.

    Attributes
    ----------
    folder
        Its folder in the data folder.
    place
        The same, or its address in object storage.
    freeable_bytes
        About how many bytes an upkeep frees.
    sizes
        Bytes of each column and view, largest first; their sum is ``storage_bytes``.
    """

    info: Annotated[CollectionInfo, INLINE]
    stats: Annotated[CollectionStats, INLINE]
    folder: str
    place: str
    freeable_bytes: int
    sizes: dict[str, int]

    def _title(self) -> str:
        return self.info.name


@dataclass(frozen=True, slots=True)
class CollectionEntry(Record):
    """A collection in a list of collections."""

    SHOWN = ("name", "status", "type", "documents", "pages", "profile", "updated_at", "problem")

    id: str
    name: str
    status: str
    type: str
    description: str | None
    reference: str | None
    tags: tuple[str, ...]
    profile: str | None
    # documents, pages, chunks, storage_bytes: `None` if the collection cannot be opened.
    documents: int | None
    pages: int | None
    chunks: int | None
    storage_bytes: int | None
    created_at: datetime | None
    updated_at: datetime | None
    problem: str = ""  # why it cannot be opened, and the next step; else empty

    @classmethod
    def of(
        cls, info: CollectionInfo, stats: CollectionStats | None, problem: str = "", /
    ) -> CollectionEntry:
        """Return the entry of a collection, with counts or a problem."""
        known: dict[str, Any] = {f.name: getattr(info, f.name, None) for f in fields(cls)}
        names = ("documents", "pages", "chunks", "storage_bytes")
        counts = ("document_count", "page_count", "chunk_count", "storage_bytes")
        known |= {n: getattr(stats, c, None) for n, c in zip(names, counts, strict=True)}
        return cls(**known | {"problem": problem})

    @classmethod
    def damaged(cls, folder: str, reason: str, /) -> CollectionEntry:
        """Return the entry of an unreadable folder, with its name only."""
        known: dict[str, Any] = dict.fromkeys(f.name for f in fields(cls))
        known |= {"id": folder, "name": folder, "status": "damaged", "type": "other", "tags": ()}
        return cls(**known | {"problem": reason})
