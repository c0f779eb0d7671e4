"""Collections."""

from typing import NotRequired

from typing_extensions import TypedDict


class CollectionFacts(TypedDict):
    """A collection's own facts."""

    id: str
    name: str
    type: str
    status: str
    description: str | None
    reference: str | None
    tags: list[str]
    edition: str
    schema_version: int
    pipeline: str
    profile: str
    dimension: int
    created_at: str
    updated_at: str


class CountedCollection(CollectionFacts):
    """A collection's facts and sizes; the sizes are ``null`` where ``problem`` says why."""

    is_active: bool
    document_count: int | None
    page_count: int | None
    chunk_count: int | None
    storage_bytes: int | None
    problem: NotRequired[str]


class Damaged(TypedDict):
    """A collection folder that cannot be read."""

    path: str
    reason: str


class CollectionsOutput(TypedDict):
    """The collections of a status, and then folders that cannot be read, from ``offset`` on.

    ``other_status`` counts collections with another status.
    """

    status_filter: str
    total: int
    damaged_count: int
    other_status: int
    offset: int
    next_offset: int | None
    collections: list[CountedCollection]
    damaged: list[Damaged]
    next_step: str | None


class CollectionOutput(TypedDict):
    """A collection that was created or chosen."""

    collection: CollectionFacts
    is_active: bool
    document_count: NotRequired[int | None]
    page_count: NotRequired[int | None]
    chunk_count: NotRequired[int | None]
    storage_bytes: NotRequired[int | None]
    notes: NotRequired[list[str]]
    next_step: NotRequired[str]


class DeletedCollection(TypedDict):
    """A collection that is gone."""

    deleted: CollectionFacts
    active_collection: str | None
