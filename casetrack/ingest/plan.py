"""Plan for each file: new, changed, unchanged, or a duplicate."""

from __future__ import annotations

import hashlib
import os
import uuid
from dataclasses import InitVar, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from casetrack.base import errors

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path

    from casetrack.base.records import Document
    from casetrack.ingest.discover import FoundFile

_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class FileFacts:
    """A file's content hash (SHA-256, hexadecimal), size in bytes and modification time (UTC)."""

    hash: str
    size: int
    modified_at: datetime


@dataclass(frozen=True, slots=True)
class Job:
    """One file to read; *shown* is its document's path, and *document_id* is new or known."""

    path: Path
    shown: str
    facts: FileFacts
    document_id: str
    previous: Document | None


def file_facts(path: Path, /) -> FileFacts:
    """Return a file's facts."""
    try:
        str(path).encode("utf-8")
    except UnicodeEncodeError as error:
        reason = "its name is not valid Unicode; rename the file"
        raise errors.FileUnreadable(repr(str(path)), reason) from error
    try:
        if path.is_dir():
            raise errors.WrongPathKind(
                f"{path} is a folder, not a file.", hint="Name a file, or ingest the whole folder."
            )
        if path.exists() and not path.is_file():
            raise errors.WrongPathKind(
                f"{path} is not a regular file.",
                hint="Pipes and devices cannot be ingested; give the path of a file.",
            )
        digest, size = hashlib.sha256(), 0
        with path.open("rb") as file:
            modified = os.fstat(file.fileno()).st_mtime
            while block := file.read(_BLOCK):
                digest.update(block)
                size += len(block)
    except FileNotFoundError as error:
        raise errors.FileNotFound(path) from error
    except OSError as error:
        raise errors.FileUnreadable(path, error.strerror or str(error)) from error
    if not size:
        raise errors.EmptyFile(path)
    return FileFacts(digest.hexdigest(), size, datetime.fromtimestamp(modified, UTC))


@dataclass(eq=False)
class IngestPlanner:
    """Plans the files of a batch one by one, and remembers the planned ones.

    Parameters
    ----------
    fingerprint
        Of the pipeline: documents of another one are stale.
    has_model
        Whether the pipeline embeds; otherwise, documents with vectors are not replaced.
    read_with
        Reading conditions: a partial document with other conditions is stale.
    leaving
        Ids of documents whose content is removed by this batch: they are no duplicates of files.
    """

    documents: InitVar[Iterable[Document]]
    fingerprint: str
    has_model: bool
    read_with: str
    force: bool
    leaving: InitVar[Collection[str]] = ()

    def __post_init__(self, documents: Iterable[Document], leaving: Collection[str]) -> None:
        """Index the documents."""
        self._by_id: dict[str, Document] = {}
        self._by_path: dict[str, Document] = {}
        self._by_hash: dict[str, Document] = {}
        self._attached: dict[str, list[Document]] = {}
        self._by_parent: dict[str, list[Document]] = {}
        self._orphans: list[Document] = []
        ledger = list(documents)
        ids = {document.document_id for document in ledger}
        for document in ledger:
            self._by_path[document.path] = document
            self._by_id[document.document_id] = document
            if document.document_id in leaving:
                pass
            elif document.source is not None:
                pass  # items of a source are separate documents, even with equal content
            elif document.parent_id is None:
                self._by_hash.setdefault(document.file_hash, document)
            else:
                self._attached.setdefault(document.file_hash, []).append(document)
            if document.parent_id is not None:
                self._by_parent.setdefault(document.parent_id, []).append(document)
                if document.parent_id not in ids:
                    self._orphans.append(document)
        self._taken: dict[tuple[str, str, bool], str] = {}

    def removed_attachments(self, job: Job, /, *, but: Collection[str]) -> list[Document]:
        """Return earlier attachments of a file that it no longer contains, except *but*."""
        gone = self._attached_to(job.document_id, but=but)
        known = {document.document_id for document in gone}
        inside = f"{job.shown}/"
        kept = tuple(f"{path}/" for path in but)
        for orphan in self._orphans:
            is_held = orphan.path in but or orphan.path.startswith(kept)
            if orphan.path.startswith(inside) and not is_held and orphan.document_id not in known:
                gone.append(orphan)
        for document in gone:
            # The same file may now be attached under another name.
            same = self._attached.get(document.file_hash, [])
            self._attached[document.file_hash] = [d for d in same if d is not document]
        return gone

    def _attached_to(self, document_id: str, *, but: Collection[str]) -> list[Document]:
        """Return the attachments of a document, of all levels, except the direct ones in *but*."""
        attachments = []
        for document in self._by_parent.get(document_id, []):
            if document.path not in but:
                attachments += [document, *self._attached_to(document.document_id, but=())]
        return attachments

    def plan(self, file: FoundFile, /) -> Job | str:
        """Return the job for a file, or the path in this batch with equal content and extension.

        Raises
        ------
        DuplicateDocument
            The collection has an up-to-date document with this content.
        FileError
            The file cannot be read.
        """
        return self.settle(file, file_facts(file.path))

    def settle(self, file: FoundFile, facts: FileFacts, /) -> Job | str:
        """Plan a file with known facts, like :meth:`plan`."""
        path, shown = file.path, file.shown
        by_id = self._by_id.get(file.known_as) if file.known_as else None
        previous = by_id or self._by_path.get(shown)
        # A known path keeps its document, even if another file has the same content.
        changed = previous is not None and (
            previous.file_hash != facts.hash or previous.path != shown
        )
        if not self.force and not changed:
            known = previous if previous and previous.file_hash == facts.hash else None
            if file.origin is None:
                known = known or self._by_hash.get(facts.hash)
                if file.parent is not None:
                    # A file is not a duplicate of an attachment, which is removed with its mail.
                    known = known or next(iter(self._attached.get(facts.hash, ())), None)
            stale = known is previous and known is not None and self._is_stale(known, file)
            if known is not None and not stale:
                raise errors.DuplicateDocument(shown, known.name, known.document_id, known.path)
            # The same bytes with another extension may be read differently, or refused.
            key = (facts.hash, path.suffix.lower(), file.parent is not None)
            if file.origin is None:
                first = self._taken.setdefault(key, shown)
                if first != shown:
                    return first
        return Job(
            path, shown, facts, previous.document_id if previous else str(uuid.uuid4()), previous
        )

    def _is_stale(self, document: Document, file: FoundFile) -> bool:
        if file.parent is not None and file.parent.document_id != document.parent_id:
            # Left from a batch that was stopped before the containing file was finished.
            return True
        if document.missing and document.read_with != self.read_with:
            return True
        return self.has_model and document.pipeline_fingerprint != self.fingerprint
