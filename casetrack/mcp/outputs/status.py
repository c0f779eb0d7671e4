"""The state of the server."""

from typing_extensions import TypedDict

from casetrack.mcp.outputs.collections import Damaged


class ProfileStatus(TypedDict):
    """A profile: whether its models' files are there, and whether they are in memory."""

    name: str
    purpose: str
    installed: bool
    loaded: bool
    dimension: int | None
    licences: list[str]


class StatusOutput(TypedDict):
    """The state of the server."""

    version: str
    tier: str
    license_notes: list[str]
    data_dir: str
    models_dir: str
    profiles: list[ProfileStatus]
    active_collection: str | None
    active_collection_id: str | None
    collections: int
    damaged: list[Damaged]
    damaged_count: int
    storage_bytes: int
