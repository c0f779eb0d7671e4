"""Reindexing from the source files: reads again what is there, and keeps what is not."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from casetrack.records import IngestReport

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from casetrack.ingest.reindex import Reindex
    from casetrack.ingest.reindexed import ReindexReport
    from casetrack.records import Document, IngestProgress


def reindex_files(
    run: Reindex,
    documents: Callable[[], Iterable[Document]],
    ingest: Callable[..., IngestReport],
    /,
    *,
    changes_profile: bool,
) -> ReindexReport:
    """Read the source files again, then make anew what is still stale.

    Parameters
    ----------
    run
        The run over the stored chunks; with its ``force``, files are read again even if nothing
        about them is stale.
    documents
        Returns what the collection holds.
    ingest
        Takes files in, see :meth:`casetrack.collection.Collection.ingest`.
    changes_profile
        Whether other models are chosen. Then the stored chunks come first, so that the files are
        read into a collection of the new profile, and text that is the same is not embedded twice.

    Raises
    ------
    CaseTrackError
        See :meth:`casetrack.ingest.reindex.Reindex.run`; what was finished is kept.
    """
    parts = [run.run()] if changes_profile else []
    files = IngestReport((), 0.0)
    missing: tuple[str, ...] = ()
    if not any(part.cancelled for part in parts):
        files, missing = read_again(documents(), ingest, force=run.force, run=run)
        parts.append(replace(run, force=False).run())
    return replace(
        parts[-1],
        previous_profile=parts[0].previous_profile,
        documents=sum(part.documents for part in parts),
        chunks=sum(part.chunks for part in parts),
        embedded=sum(part.embedded for part in parts),
        seconds=files.seconds + sum(part.seconds for part in parts),
        cancelled=files.cancelled or any(part.cancelled for part in parts),
        files=files,
        missing_files=missing,
    )


def read_again(
    documents: Iterable[Document],
    ingest: Callable[..., IngestReport],
    /,
    *,
    force: bool,
    run: Reindex,
) -> tuple[IngestReport, tuple[str, ...]]:
    """Take in the source files of documents again, each with its display name and its copy.

    Returns
    -------
    tuple
        What became of the files, and the paths at which there is none any more.
    """
    groups: dict[tuple[str, str, bool], list[Path]] = defaultdict(list)
    missing: list[str] = []
    for document in documents:
        if document.parent_id is not None:
            continue  # it comes with the file that it is attached to
        source = _source(document)
        if source is None:
            missing.append(document.path)
        elif source == Path(document.path):
            # A name of its own is given to one file at a time.
            own = ("", "") if document.name == source.name else (document.name, document.path)
            groups[(*own, document.original_copy is not None)].append(source)
        elif source not in groups["", "", False]:
            groups["", "", False].append(source)
    total, done = sum(len(paths) for paths in groups.values()), 0
    reports: list[IngestReport] = []
    for (name, _, copied), paths in groups.items():
        if run.cancel.is_set():
            break
        reports.append(
            ingest(
                paths,
                force=force,
                document_name=name or None,
                copy_original=copied,
                progress=_teller(run, done, total),
                cancel=run.cancel,
            )
        )
        done += len(paths)
    return _joined(reports), tuple(missing)


def _source(document: Document) -> Path | None:
    """Return the file that a document is read from: its own, or the one that it was inside of."""
    for path in (Path(document.path), *Path(document.path).parents):
        if path.is_file():
            return path
    return None


def _teller(run: Reindex, before: int, total: int) -> Callable[[IngestProgress], None]:
    def tell(moment: IngestProgress) -> None:
        run.tell(f"reading {PurePath(moment.file).name}".rstrip(), before + moment.done, total)

    return tell


def _joined(reports: list[IngestReport]) -> IngestReport:
    return IngestReport(
        outcomes=tuple(outcome for report in reports for outcome in report.outcomes),
        seconds=sum(report.seconds for report in reports),
        notes=tuple(dict.fromkeys(note for report in reports for note in report.notes)),
        cancelled=any(report.cancelled for report in reports),
    )
