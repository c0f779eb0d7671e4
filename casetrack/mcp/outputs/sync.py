"""What a sync found and did."""

from typing import Required

from typing_extensions import TypedDict

from casetrack.mcp.outputs.jobs import JobOutput


class SyncChange(TypedDict):
    """One file or document that is not as it was, or could not be taken."""

    kind: str
    path: str
    previous_path: str
    document_id: str | None
    document_name: str | None
    code: str
    message: str
    hint: str
    pages: int
    chunks: int
    warnings: list[str]


class SyncOutput(TypedDict, total=False):
    """Counts, and the changes that matter most; ``job`` instead while it runs."""

    collection: Required[str]
    job: JobOutput
    folder: str
    dry_run: bool
    seen: int
    unchanged: int
    hashed: int
    counts: dict[str, int]
    seconds: float
    cancelled: bool
    notes: list[str]
    changes: list[SyncChange]
    changes_omitted: int
    more: str | None
