"""How files ended, and what was made anew."""

from typing_extensions import TypedDict


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


class IngestedDocument(TypedDict):
    """One file that is in the collection now, and what became of its attachments."""

    collection: str
    outcome: Outcome
    attachments: list[Outcome]
    notes: list[str]


class FolderOutput(TypedDict):
    """The end of a folder's ingestion: counts, and one outcome per file, failures first."""

    collection: str
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


class ReindexOutput(TypedDict):
    """What was made anew, and whose models the collection's vectors are of now."""

    collection: str
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
    notes: list[str]
