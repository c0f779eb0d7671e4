"""Closing, reopening and archiving."""

from typing_extensions import TypedDict

from casetrack.mcp.outputs.collections import CollectionFacts


class StatusChanged(TypedDict):
    """A collection whose status was to change; ``changed`` is false where it was so already."""

    collection: CollectionFacts
    previous_status: str
    changed: bool
    is_active: bool
    note: str
