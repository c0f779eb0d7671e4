"""Ingest of files and folders that the user names."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from casetrack.base import editions
from casetrack.base.arguments import as_list, as_paths, one_of
from casetrack.base.config import Settings, resolve_path
from casetrack.base.errors import CaseTrackError, FileExcluded, See, UsageError
from casetrack.base.models.profiles import find_profile, profile_for_languages
from casetrack.base.objects.address import is_address
from casetrack.base.records import DOCUMENT_TYPES, IngestProgress, IngestReport
from casetrack.extract.language import called
from casetrack.ingest.build import Options
from casetrack.ingest.discover import FoundFile, discover
from casetrack.ingest.outcomes import cancelled_outcome, limit_notes
from casetrack.ingest.pipeline.files import use_pipeline
from casetrack.parse.base import ReadOptions
from casetrack.store.excluded import Excluded, excluded, readmit
from casetrack.store.folders import UNCHOSEN_PROFILE
from casetrack.store.info import info_lock
from casetrack.store.lock import write_lock
from casetrack.store.untaken import begin, end

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from casetrack.store.workspace import Workspace


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
    elsewhere: Sequence[FoundFile] = (),
    batch: Callable[..., IngestReport] | None = None,
) -> IngestReport:
    """Ingest files and the additional ones in *elsewhere*; see ``Collection.ingest``."""
    from casetrack.ingest.batch import run_batch

    settings = workspace.settings
    workspace.require_active()
    check_document_type(document_type, workspace.info.edition)
    named = as_paths(paths)
    buckets = [path for path in named if is_address(path)]
    if buckets:
        raise UsageError(
            f"{buckets[0]} is in object storage, which this command does not read.",
            hint="Ingest it on a cluster, which may be this computer: "
            f"{See('ingest', on='local')}. Or sync it as a source, see docs/sources.md.",
        )
    files = discover(
        named,
        recursive=recursive,
        extensions=None if extensions is None else as_list(extensions),
        apart=own_folders(settings),
    )
    files, out = _without_excluded([*files, *elsewhere], excluded(workspace.folder))
    if document_name is not None and len(files) != 1:
        raise UsageError(
            f"A display name applies to one file, but there are {len(files)} files.",
            hint="Omit the name, or ingest the file alone.",
        )
    changed = pipeline is not None and use_pipeline(workspace, pipeline)
    started = datetime.now(UTC)
    copied = settings.copy_originals if copy_original is None else copy_original
    stop = cancel or threading.Event()
    run = partial(
        batch or run_batch,
        workspace,
        options=Options(force, document_type, document_name, copied),
        reading=read_options(settings, as_list(passwords), ocr, ocr_language),
        cancel=stop,
    )
    roots = [resolve_path(path) for path in named]
    begin(workspace.folder, (root for root in roots if root.exists()))
    if is_unchosen(workspace):
        report = _first_batches(workspace, files, run, progress, stop)
    else:
        report = run(files, progress=progress)
    end(workspace.folder, roots, report.outcomes, present=_paths(workspace))
    report = replace(report, notes=(*report.notes, *limit_notes(report.outcomes)))
    back = out & {o.path for o in report.outcomes if o.status in ("ingested", "partial")}
    if back:
        with write_lock(workspace.folder):
            readmit(workspace.folder, back)
    earlier = sum(d.updated_at < started for d in workspace.state().documents()) if changed else 0
    if not earlier:
        return report
    note = (
        f'The collection now uses the pipeline "{workspace.info.pipeline}". The output of another '
        f"for {'1 document' if earlier == 1 else f'{earlier:,} documents'} stays until you "
        f"run {See('reindex', reparse=True)}."
    )
    return replace(report, notes=(*report.notes, note))


def _without_excluded(
    files: list[FoundFile], out: Excluded
) -> tuple[list[FoundFile], frozenset[str]]:
    """Refuse excluded files unless they are named; return the others, and excluded named paths."""
    paths = out.paths
    named = frozenset(file.shown for file in files if file.named) & paths
    return [
        replace(file, problem=FileExcluded(file.shown))
        if file.shown in paths and not file.named
        else file
        for file in files
    ], named


def ingest_again(
    workspace: Workspace,
    files: list[FoundFile],
    /,
    *,
    force: bool,
    progress: Callable[[IngestProgress], None] | None = None,
    cancel: threading.Event | None = None,
) -> IngestReport:
    """Ingest the files of documents again; *force* includes files with an unchanged result."""
    from casetrack.ingest.batch import run_batch

    report = run_batch(
        workspace,
        files,
        options=Options(force),
        reading=read_options(workspace.settings),
        progress=progress,
        cancel=cancel or threading.Event(),
    )
    end(workspace.folder, (), report.outcomes, present=_paths(workspace))
    return report


def _paths(workspace: Workspace) -> set[str]:
    return {document.path for document in workspace.state().documents()}


def _first_batches(
    workspace: Workspace,
    files: list[FoundFile],
    run: Callable[..., IngestReport],
    progress: Callable[[IngestProgress], None] | None,
    cancel: threading.Event,
) -> IngestReport:
    """Ingest a few files, choose the collection's profile by them, and ingest the rest."""
    some, rest = files[:FIRST_FILES], files[FIRST_FILES:]
    report = run(some, progress=_shifted(progress, 0, len(files)))
    if report.cancelled:
        left = tuple(cancelled_outcome(file.shown) for file in rest)
        return replace(report, outcomes=(*report.outcomes, *left))
    note = choose_profile(workspace, cancel)
    notes = (note,) if note else ()
    if not rest:
        return replace(report, notes=(*notes, *report.notes))
    more = run(rest, progress=_shifted(progress, len(some), len(files), report))
    return IngestReport(
        (*report.outcomes, *more.outcomes),
        report.seconds + more.seconds,
        notes=tuple(dict.fromkeys((*notes, *report.notes, *more.notes))),
        cancelled=more.cancelled,
    )


def _shifted(
    progress: Callable[[IngestProgress], None] | None,
    done: int,
    total: int,
    before: IngestReport | None = None,
) -> Callable[[IngestProgress], None] | None:
    """Return a progress callback that counts a part of the files within all of them."""
    if progress is None:
        return None
    pages = sum(o.pages for o in before.outcomes) if before else 0
    chunks = sum(o.chunks for o in before.outcomes) if before else 0

    def hear(moment: IngestProgress) -> None:
        progress(
            replace(
                moment,
                done=moment.done + done,
                total=total,
                pages=moment.pages + pages,
                chunks=moment.chunks + chunks,
            )
        )

    return hear


def own_folders(settings: Settings, /) -> tuple[Path, ...]:
    """Return the folders of the program itself, whose files are never documents."""
    return (settings.data_dir, settings.models_dir)


def read_options(
    settings: Settings,
    passwords: Sequence[str] = (),
    ocr: str | None = None,
    ocr_language: str | None = None,
    /,
) -> ReadOptions:
    """Return the reading options; for the parameters see :func:`ingest`."""
    return ReadOptions(
        passwords=tuple(passwords),
        ocr=settings.ocr.with_choice(ocr, ocr_language),
        limits=settings.parse,
        models_dir=settings.models_dir,
    )


def check_document_type(document_type: str | None, edition: str, /) -> None:
    """Refuse an unknown document type."""
    if document_type is None or document_type in DOCUMENT_TYPES:
        return
    own = editions.edition(edition).document_types if edition in editions.names() else ()
    one_of("document_type", document_type, own or DOCUMENT_TYPES)


FIRST_FILES = 8
"""Number of files to ingest before the profile is chosen."""


def is_unchosen(workspace: Workspace, /) -> bool:
    """Return whether the profile of a collection is still to be chosen."""
    return (workspace.folder / UNCHOSEN_PROFILE).is_file()


def chosen_by_user(workspace: Workspace, /) -> None:
    """End the automatic choice, because the user chose a profile."""
    if is_unchosen(workspace):
        with info_lock(workspace.folder):
            (workspace.folder / UNCHOSEN_PROFILE).unlink(missing_ok=True)


def choose_profile(workspace: Workspace, cancel: threading.Event, /) -> str | None:
    """Choose the profile by the languages of the documents; return a note for the user.

    Without a document of known language the choice stays open. If the models of the chosen profile
    are not installed, the profile stays, and the note has the next step.
    """
    counts = Counter(d.language for d in workspace.state().documents() if d.language)
    if not counts:
        return None
    chosen_by_user(workspace)
    before = workspace.info.profile
    wanted = profile_for_languages(counts, usual=before)
    if wanted == before:
        return None
    read = find_profile(before).languages
    others = [language for language, _ in counts.most_common() if language not in read]
    text = " and ".join(called(language) for language in others[:2])
    of = counts.total()
    text = f"Of the first {of} files, {sum(counts[n] for n in others)} are in {text}"
    if of == 1:
        text = f"The first file is in {text.rpartition(' in ')[2]}"
    if workspace.encoders.get_installed(wanted) is None:
        return (
            f"{text}, which the profile {before} was not made for: run "
            f"{See('models pull', wanted)} once while online, then "
            f"{See('reindex', profile=wanted)}. Until then, questions in non-Latin scripts use "
            "keyword search only."
        )
    try:
        _switch(workspace, wanted, cancel)
    except CaseTrackError as error:
        return f"{text}, and the profile {wanted} could not be used: {error.message} {error.hint}"
    return f"{text}: the collection has the profile {wanted}."


def _switch(workspace: Workspace, profile: str, cancel: threading.Event) -> None:
    from casetrack.ingest.reindex import prepare

    prepare(workspace, profile, force=False, tell=_silent, cancel=cancel).run()


def _silent(_what: str, _done: int, _total: int, /) -> None:
    """Report no progress: only a few files are processed."""
