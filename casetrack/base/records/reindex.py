"""What a reindex did, for people and programs."""

from __future__ import annotations

from dataclasses import dataclass

from casetrack.base.records.reports import IngestReport
from casetrack.base.records.shape import Record, Seconds


@dataclass(frozen=True, slots=True)
class ReindexReport(Record):
    """What a reindex did.

    Attributes
    ----------
    collection
        Name of the collection.
    profile, previous_profile
        Whose models its vectors are of now, and were before.
    dimension
        Length of its dense vectors.
    documents, chunks
        How many were made anew.
    other_documents
        Those that are as the models would make them now, or were left when it was stopped.
    embedded
        Texts that models have read in this run; less than *chunks* where a stopped run had begun.
    seconds
        How long it took.
    files
        How reading the source files again went, where that was asked for.
    missing_files
        Files that are not there to be read again; what is stored of them was kept.
    cancelled
        Whether it was stopped before the end.
    document
        Name of the document that it was about; ``None`` for a whole collection.
    notes
        What else there is to know, for people.
    """

    collection: str
    profile: str
    previous_profile: str
    dimension: int
    documents: int
    chunks: int
    other_documents: int
    embedded: int
    seconds: Seconds
    files: IngestReport | None = None
    missing_files: tuple[str, ...] = ()
    cancelled: bool = False
    document: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def did_nothing(self) -> bool:
        """Whether everything was up to date: no file was read and nothing was made anew."""
        read = self.files.count("ingested", "partial", "failed") if self.files else 0
        return not (self.documents or read or self.missing_files or self.cancelled)
