"""Ingest of one file: parsing, the pipeline, and the document record."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from casetrack.base import errors
from casetrack.base.records import Document
from casetrack.base.records.documents import STATED_DATE
from casetrack.extract.card.cover import Cover
from casetrack.extract.document_type import infer_document_type
from casetrack.extract.papers.text import WholeText
from casetrack.ingest.assemble import (
    Tally,
    caption_columns,
    no_text_reason,
    read_card_columns,
    seal,
    unread,
)
from casetrack.ingest.discover import SOURCE_COLUMNS
from casetrack.ingest.staleness import outputs_of
from casetrack.ingest.steps.base import attempt, collect_failures
from casetrack.store.originals import keep_copy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa

    from casetrack.ingest.discover import FoundFile, Origin
    from casetrack.ingest.pipeline import Pipeline
    from casetrack.ingest.plan import Job
    from casetrack.ingest.steps.base import Batches, Failures
    from casetrack.ingest.steps.encoding import Known
    from casetrack.parse.base import Attachment
    from casetrack.parse.workers.pool import ParsedFile

_log = logging.getLogger(__name__)
_DATED_OTHERWISE = frozenset(
    "archive chat eml msg html xhtml epub code ipynb json jsonl csv tsv parquet xlsx xlsm xlsb xls"
    " ods xml toml yaml".split()
)
"""Formats with a date in their header (mails, web pages), data formats and archives."""


class Stopped(Exception):
    """Raised while a file is processed after a cancellation, or after the writer has failed."""


@dataclass(frozen=True, slots=True)
class Options:
    """User options of a batch; see :meth:`ingest`."""

    force: bool = False
    document_type: str | None = None
    document_name: str | None = None
    copy_original: bool = False


@dataclass(frozen=True, slots=True)
class FileResult:
    """The result of a file: its document or the reason for its absence, and its attachments."""

    document: Document | None
    problem: errors.NoText | None
    attachments: tuple[Attachment, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A document whose chunks are being made, with its file, job and revision."""

    file: FoundFile
    job: Job
    revision: str
    name: str
    title: str | None
    made_at: datetime

    def sealed(self, batches: Batches, tally: Tally, /) -> Iterator[pa.Table]:
        """Yield the pipeline's output as rows of ``chunks``, and count them with *tally*."""
        for batch in batches:
            chunks = seal(batch, self.revision, tally.chunks, self.job.shown, self.made_at)
            tally.add(chunks)
            yield chunks


@contextmanager
def file_errors(shown: str, /) -> Iterator[None]:
    """Convert an unforeseen error in the work on a file to an error of that file."""
    try:
        yield
    except errors.StepFailed as error:
        raise errors.FileStepFailed(shown, error) from error
    except (errors.CaseTrackError, Stopped):
        raise
    except Exception as error:
        _log.exception("unexpected error with %s", shown)
        raise errors.UnexpectedFileError(shown, error) from error


def with_chunks(document: Document, tally: Tally, failures: Failures, /) -> Document:
    """Return a document with the facts of its chunks, and the failed extractors."""
    warnings = (unread(tally.unread, tally.table_passages),) if tally.unread else ()
    # On a cluster the extractors before the models have already added their failures.
    failed = (*document.failures, *failures.all())
    return replace(
        document.with_failures(failed),
        language=tally.language(),
        chunk_count=tally.chunks,
        entity_count=tally.spans.entity_count,
        reference_count=tally.spans.reference_count,
        warnings=(*document.warnings, *warnings),
    )


@dataclass(frozen=True, slots=True)
class DocumentBuilder:
    """Builds the documents of one batch; *outputs* returns reusable model outputs of a revision."""

    folder: Path
    pipeline: Pipeline
    options: Options
    read_with: str
    outputs: Callable[[Document], Known]
    on_pages: Callable[[int], None]
    on_chunks: Callable[[pa.Table], None]

    def build(self, file: FoundFile, job: Job, revision: str, spool: Path, /) -> FileResult:
        """Read a file; copies of its attachments go to *spool*."""
        with file_errors(job.shown), self.pipeline.source.open(job.path, spool=spool) as parsed:
            try:
                document = self._take(file, job, revision, parsed)
            except errors.NoText as error:
                return FileResult(None, error, tuple(parsed.attachments))
            return FileResult(document, None, tuple(parsed.attachments))

    def _take(self, file: FoundFile, job: Job, revision: str, parsed: ParsedFile) -> Document:
        name, now = self._name(file, job), datetime.now(UTC)
        sheet = Sheet(file, job, revision, name, parsed.info.title, now)
        tally = Tally(sum(outputs_of(self.pipeline).values(), ()))
        with collect_failures(job.shown) as failures:
            self.make_chunks(sheet, tally.watch(parsed.batches, self.on_pages), tally)
            if not tally.chunks:
                raise errors.NoText(job.shown, no_text_reason(tally, parsed.missing))
            document = self._document(sheet, parsed, tally)
        return with_chunks(document, tally, failures)

    def make_chunks(self, sheet: Sheet, pages: Batches, tally: Tally, /) -> None:
        """Run the pages of a document through the pipeline, and pass on its complete chunks."""
        known = self.outputs(sheet.job.previous) if sheet.job.previous else None
        batches = self.pipeline.run(
            sheet.job.document_id, pages, name=sheet.name, title=sheet.title, known=known
        )
        for chunks in sheet.sealed(batches, tally):
            self.on_chunks(chunks)

    def _name(self, file: FoundFile, job: Job) -> str:
        previous = job.previous
        if self.options.document_name and not file.parent:
            return self.options.document_name
        if file.known_as and previous and previous.name != Path(previous.path).name:
            return previous.name  # from the user
        if file.origin:
            return PurePosixPath(file.origin.name).name
        return PurePosixPath(file.parent.name).name if file.parent else job.path.name

    def _document(self, sheet: Sheet, parsed: ParsedFile, tally: Tally) -> Document:
        """Return the document without the facts of its chunks, see :func:`with_chunks`."""
        file, job, name, now = sheet.file, sheet.job, sheet.name, sheet.made_at
        info, previous = parsed.info, job.previous
        kind, evidence = self._type(file, job, parsed, tally, name)
        # Names in the list of an archive are those of other documents.
        first_pages = [] if info.format == "archive" else tally.first_pages
        cover = Cover(
            first_pages,
            format=info.format,
            name=name,
            title=info.title,
            author=info.author,
            properties=dict(info.properties),
            headings=tally.headings,
        )
        card = read_card_columns(cover, kind)
        # A copy is kept if the file is not on this machine by itself: an attachment or a fetched
        # file.
        copied = self.options.copy_original or file.parent is not None or file.is_fetched
        copied = copied or bool(file.known_as and previous and previous.original_copy)
        return Document(
            document_id=job.document_id,
            revision=sheet.revision,
            name=name,
            path=job.shown,
            format=info.format,
            document_type=kind,
            document_type_evidence=evidence,
            parent_id=file.parent.document_id if file.parent else None,
            title=info.title or (file.origin.title if file.origin else None),
            author=info.author,
            content_created_at=_utc(info.created_at),
            content_modified_at=_utc(info.modified_at),
            properties=(*_stated_date(info.format, card), *info.properties),
            language=None,
            page_count=tally.pages,
            pages_without_text=tally.without_text,
            chunk_count=0,
            char_count=tally.chars,
            entity_count=None,
            reference_count=None,
            extraction_method=tally.method(),
            ocr_pages=tally.ocr_pages,
            ocr_engine=tally.ocr_engine(),
            ocr_confidence=tally.ocr_confidence(),
            missing=tuple(parsed.missing),
            read_with=self.read_with,
            file_hash=job.facts.hash,
            file_size=job.facts.size,
            file_modified_at=file.parent.modified_at if file.parent else job.facts.modified_at,
            original_copy=keep_copy(self.folder, job.document_id, job.path) if copied else None,
            pipeline=self.pipeline.name,
            pipeline_fingerprint=self.pipeline.fingerprint,
            warnings=tuple(parsed.warnings),
            ingested_at=previous.ingested_at if previous else now,
            updated_at=now,
            **card,
            **source_columns(file.origin, previous),
            **caption_columns(
                WholeText(tuple(first_pages)),
                format=info.format,
                name=name,
                title=info.title,
                document_type=kind,
                boxes=tally.boxes,
                ending=tally.ending,
            ),
        )

    def _type(
        self, file: FoundFile, job: Job, parsed: ParsedFile, tally: Tally, name: str
    ) -> tuple[str | None, str | None]:
        """Return the document type, and the reason for an inferred one."""
        if self.options.document_type and not file.known_as:
            return self.options.document_type, None
        previous = job.previous
        if previous and previous.document_type and previous.document_type_evidence is None:
            return previous.document_type, None
        infer = partial(
            infer_document_type,
            format=parsed.info.format,
            name=name,
            title=parsed.info.title,
            text=tally.opening,
            headings=tally.headings,
            pages=tally.pages,
        )
        return attempt("document_type", infer, (None, None), stage="document")


def _stated_date(format: str, card: dict[str, Any]) -> list[tuple[str, str]]:  # noqa: A002
    """Return the date of the card, or the end of its period, for documents that people read."""
    day = card["stated_on"] or (card["period"] or "").rpartition("/")[2]
    is_day = len(day) == len("2024-05-01") and day <= f"{datetime.now(UTC):%F}"
    return [(STATED_DATE, day)] if is_day and format not in _DATED_OTHERWISE else []


def source_columns(origin: Origin | None, previous: Document | None, /) -> dict[str, Any]:
    """Return the source columns of a document, from its source or its previous version."""
    if origin is not None:
        return origin.columns()
    return {name: getattr(previous, name) for name in SOURCE_COLUMNS} if previous else {}


def _utc(moment: datetime | None) -> datetime | None:
    return None if moment is None else moment.astimezone(UTC)
