"""Reindex of a collection or a document, from stored chunks or from the source files.

Existing files are read again; the stored text of the others is kept.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from dataclasses import replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, TypeAlias

from casetrack.base.records import Document, IngestProgress, IngestReport
from casetrack.ingest import staleness
from casetrack.ingest.intake import chosen_by_user, ingest, ingest_again
from casetrack.ingest.reindex import Reindex, prepare
from casetrack.store.datasets import open_snapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from casetrack.base.arguments import DocumentRef
    from casetrack.base.records.snapshots import ReindexReport
    from casetrack.ingest.discover import FoundFile
    from casetrack.store.workspace import Workspace

Tell: TypeAlias = "Callable[[str, int, int], None]"
"""Gets the action, the number of finished items, and the total."""


def _silent(_what: str, _done: int, _total: int, /) -> None:
    """Report no progress."""


def reindex(
    workspace: Workspace,
    profile: str | None,
    /,
    *,
    reparse: bool,
    force: bool,
    tell: Tell = _silent,
    cancel: threading.Event | None = None,
) -> ReindexReport:
    """Recompute vectors and terms; for parameters and errors see ``admin.reindex``."""
    before = workspace.info.profile
    if profile is not None:
        chosen_by_user(workspace)
    run = prepare(workspace, profile, force=force, tell=tell, cancel=cancel or threading.Event())
    if not reparse:
        return run.run()
    return reindex_files(run, changes_profile=run.encoder.name != before)


def reindex_document(
    workspace: Workspace,
    named: DocumentRef,
    /,
    *,
    force: bool,
    reparse: bool,
    tell: Tell = _silent,
    cancel: threading.Event | None = None,
) -> ReindexReport:
    """Recompute one document; for parameters and errors see ``admin.reindex_document``."""
    workspace.require_active()
    state = workspace.state()
    document = state.document(named)
    root = staleness.root_of(document, state.snapshot.documents)
    family = [root, *state.attached_to(root)] if reparse else [document]
    run = prepare(
        workspace,
        None,
        force=force,
        tell=tell,
        cancel=cancel or threading.Event(),
        only=frozenset(d.document_id for d in family),
    )
    report = reindex_files(run, changes_profile=False) if reparse else run.run()
    notes = _notes(document, root, reparse=reparse)
    return replace(report, document=document.name, notes=(*report.notes, *notes))


def _notes(document: Document, root: Document, *, reparse: bool) -> list[str]:
    """Return notes that explain the scope of one document's reindex."""
    if reparse:
        if root is document:
            return []
        return [f'It is attached to "{root.name}", which was processed with all attachments.']
    if staleness.source_state(root) != "changed":
        return []
    notes = (
        f'The file of "{root.name}" has changed since it was read, and was not read again: its '
        "stored text was used. Reindex it with its file to apply the change."
    )
    return [notes]


def reindex_files(run: Reindex, /, *, changes_profile: bool) -> ReindexReport:
    """Read the source files again, then recompute the documents that are still stale.

    The ``only`` of *run* also limits the files; without its ``force``, only changed files and those
    of stale documents are read. With *changes_profile* the stored chunks are recomputed first, so
    that equal text is not embedded twice.
    """
    workspace = run.workspace
    parts = [run.run()] if changes_profile else []
    files = IngestReport((), 0.0)
    missing: tuple[str, ...] = ()
    if not any(part.cancelled for part in parts):
        documents = workspace.state().documents()
        chosen = [d for d in documents if run.only is None or d.document_id in run.only]
        outdated = staleness.stale_documents(open_snapshot(run.folder), run.pipeline, run.encoder)
        stale = {s.document.document_id for s in outdated if not s.only_caption}
        stale |= {d.document_id for d in chosen if d.failures}
        files, missing = read_again(chosen, stale=stale, run=run)
        parts.append(replace(run, force=False).run())
        if run.force and not changes_profile and not files.cancelled and not parts[-1].cancelled:
            parts += _rest(run, chosen, workspace.state().documents())
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


def _rest(
    run: Reindex, before: Iterable[Document], after: Iterable[Document]
) -> list[ReindexReport]:
    """Recompute the documents whose files could not be read again, from stored chunks."""
    revisions = {d.document_id: d.revision for d in after}
    kept = [d.document_id for d in before if revisions.get(d.document_id) == d.revision]
    return [replace(run, only=frozenset(kept)).run()] if kept else []


def read_again(
    documents: Iterable[Document], /, *, stale: Collection[str], run: Reindex
) -> tuple[IngestReport, tuple[str, ...]]:
    """Ingest the source files of documents again, with their display names and copies.

    Files of *stale* documents are read even if unchanged. Returns the report and missing paths.
    """
    chosen = list(documents)
    by_id = {d.document_id: d for d in chosen}
    roots = {staleness.root_of(by_id[i], by_id).document_id for i in stale if i in by_id}
    groups: dict[tuple[str, str, bool, bool], list[Path]] = defaultdict(list)
    kept: dict[bool, list[FoundFile]] = {True: [], False: []}
    missing: list[str] = []
    for document in chosen:
        if document.parent_id is not None and document.parent_id in by_id:
            continue  # it comes with its containing file
        forced = run.force or document.document_id in roots
        if copy := staleness.kept_file(run.folder, document):
            kept[forced].append(copy)
            continue
        source = staleness.source_file(document)
        if source is None:
            missing.append(document.path)
        elif source == Path(document.path):
            # A display name applies to one file at a time.
            own = ("", "") if document.name == source.name else (document.name, document.path)
            groups[(*own, document.original_copy is not None, forced)].append(source)
        elif source not in groups["", "", False, forced]:
            groups["", "", False, forced].append(source)
    total = sum(map(len, groups.values())) + sum(map(len, kept.values()))
    done = 0
    reports: list[IngestReport] = []
    for forced, files in kept.items():
        if files and not run.cancel.is_set():
            tell = _progress_callback(run, done, total)
            reports.append(
                ingest_again(run.workspace, files, force=forced, progress=tell, cancel=run.cancel)
            )
            done += len(files)
    for (name, _, copied, forced), paths in groups.items():
        if run.cancel.is_set():
            break
        if not paths:
            continue
        reports.append(
            ingest(
                run.workspace,
                paths,
                force=forced,
                document_name=name or None,
                copy_original=copied,
                progress=_progress_callback(run, done, total),
                cancel=run.cancel,
            )
        )
        done += len(paths)
    return _joined(reports), tuple(missing)


def _progress_callback(run: Reindex, before: int, total: int) -> Callable[[IngestProgress], None]:
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
