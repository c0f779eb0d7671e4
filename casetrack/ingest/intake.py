"""Takes files and folders that a user names into a collection."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from casetrack.errors import UsageError
from casetrack.ingest.discover import discover
from casetrack.ingest.take import Options
from casetrack.readers.base import ReadOptions
from casetrack.records import DOCUMENT_TYPES
from casetrack.workspace.arguments import as_paths, several

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from casetrack.config import Settings
    from casetrack.records import IngestProgress, IngestReport
    from casetrack.workspace import Workspace


def ingest(
    workspace: Workspace,
    paths: str | Path | Iterable[str | Path],
    /,
    *,
    recursive: bool = True,
    extensions: Iterable[str] | str | None = None,
    force: bool = False,
    document_type: str | None = None,
    document_name: str | None = None,
    copy_original: bool | None = None,
    passwords: Sequence[str] | str = (),
    ocr: str | None = None,
    ocr_language: str | None = None,
    pipeline: str | Path | None = None,
    progress: Callable[[IngestProgress], None] | None = None,
    cancel: threading.Event | None = None,
) -> IngestReport:
    """Take in files; parameters and errors are those of ``Collection.ingest``."""
    from casetrack.ingest.batch import run_batch

    settings = workspace.settings
    workspace.require_active()
    check_document_type(document_type)
    files = discover(
        as_paths(paths),
        recursive=recursive,
        extensions=None if extensions is None else several(extensions),
        apart=own_folders(settings),
    )
    if document_name is not None and len(files) != 1:
        raise UsageError(
            f"A display name is for one file, and this names {len(files)}.",
            hint="Leave the name out, or ingest the file by itself.",
        )
    changed = pipeline is not None and workspace.use_pipeline(pipeline)
    started = datetime.now(UTC)
    copied = settings.copy_originals if copy_original is None else copy_original
    report = run_batch(
        workspace,
        files,
        Options(force, document_type, document_name, copied),
        reading=read_options(settings, several(passwords), ocr, ocr_language),
        progress=progress,
        cancel=cancel or threading.Event(),
    )
    earlier = sum(d.updated_at < started for d in workspace.state().documents()) if changed else 0
    if not earlier:
        return report
    note = (
        f'The pipeline of the collection is "{workspace.info.pipeline}" now. What another one has '
        f"made of {'1 document' if earlier == 1 else f'{earlier:,} documents'} stays until you run "
        "`casetrack reindex --reparse`."
    )
    return replace(report, notes=(*report.notes, note))


def own_folders(settings: Settings, /) -> tuple[Path, ...]:
    """Return the folders of the program itself: what lies in them is no document."""
    return (settings.data_dir, settings.models_dir)


def read_options(
    settings: Settings,
    passwords: Sequence[str] = (),
    ocr: str | None = None,
    ocr_language: str | None = None,
    /,
) -> ReadOptions:
    """Return how files are read; the parameters are those of :func:`ingest`."""
    return ReadOptions(
        passwords=tuple(passwords),
        ocr=settings.ocr.with_choice(ocr, ocr_language),
        limits=settings.parse,
        models_dir=settings.models_dir,
    )


def check_document_type(document_type: str | None, /) -> None:
    """Refuse a kind of document that there is not.

    Raises
    ------
    UsageError
        It is none of :data:`~casetrack.records.DOCUMENT_TYPES`.
    """
    if document_type is not None and document_type not in DOCUMENT_TYPES:
        raise UsageError(
            f"Unknown document type {document_type!r}.",
            hint=f"Use one of: {', '.join(DOCUMENT_TYPES)}.",
        )
