"""How files ended, and what was made anew."""

from typing import Required

from typing_extensions import TypedDict

from casetrack.mcp.outputs.jobs import JobOutput


class Outcome(TypedDict):
    """How one file ended."""

    path: str
    status: str
    code: str
    message: str
    hint: str
    document_id: str | None
    document_name: str | None
    pages: int
    chunks: int
    seconds: float
    warnings: list[str]
    updated: bool


class IngestedDocument(TypedDict, total=False):
    """One file that is in the collection now and its attachments; ``job`` instead while it runs.

    ``more`` names the tool that lists what is cut here.
    """

    collection: Required[str]
    job: JobOutput
    outcome: Outcome
    attachments: list[Outcome]
    attachments_omitted: int
    notes: list[str]
    more: str | None


class FolderOutput(TypedDict, total=False):
    """Counts, and one outcome per file, failures first; ``job`` instead while it runs."""

    collection: Required[str]
    job: JobOutput
    folder: str
    files: int
    counts: dict[str, int]
    updated: int
    pages: int
    chunks: int
    seconds: float
    cancelled: bool
    notes: list[str]
    outcomes: list[Outcome]
    outcomes_omitted: int
    more: str | None


class ReindexOutput(TypedDict, total=False):
    """What was made anew, and whose models it is of now; ``job`` instead while it runs."""

    collection: Required[str]
    job: JobOutput
    document: str | None
    profile: str
    previous_profile: str
    dimension: int
    documents: int
    chunks: int
    other_documents: int
    embedded: int
    seconds: float
    cancelled: bool
    counts: dict[str, int] | None
    missing_files: list[str]
    missing_files_omitted: int
    failed_files: list[Outcome]
    failed_files_omitted: int
    notes: list[str]
    more: str | None
