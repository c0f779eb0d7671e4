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
    """All collections of a status."""

    status_filter: str
    collections: list[CountedCollection]
    damaged: list[Damaged]


class CollectionOutput(TypedDict):
    """A collection that was created or chosen."""

    collection: CollectionFacts
    is_active: bool
    notes: NotRequired[list[str]]


class DeletedCollection(TypedDict):
    """A collection that is gone."""

    deleted: CollectionFacts
    active_collection: str | None
