"""Checks of a whole collection, and repairs that lose no data."""

from __future__ import annotations

import contextlib
import shlex
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.base.errors import (
    CaseTrackError,
    CollectionBusy,
    CollectionDamaged,
    PipelineError,
    See,
)
from casetrack.base.records import Check, Document, HealthReport, IngestReport
from casetrack.graph.opened import graph_of
from casetrack.ingest.intake import ingest, ingest_again, read_options
from casetrack.ingest.reparse import reindex_document
from casetrack.ingest.staleness import is_inside, kept_file, root_of, source_file
from casetrack.keep.health.collection import Examined, Examiner, check_collection
from casetrack.keep.health.folder import can_be_read_again, temporary_files
from casetrack.keep.health.machine import remains
from casetrack.keep.health.views import ViewState, repair_views
from casetrack.store import audit, restore, rewrite
from casetrack.store.damage import damage_errors
from casetrack.store.datasets import open_snapshot
from casetrack.store.history import repair_manifests, repair_tags, settle
from casetrack.store.info import read_info, update_info
from casetrack.store.lock import write_lock
from casetrack.store.marks import repair as mend_marks
from casetrack.store.originals import keep_copy, remove_stray_copies
from casetrack.store.rebuild import is_made_from_passages, rebuild_rows
from casetrack.store.restore import in_earlier_states
from casetrack.store.rows import drop_files, drop_orphan_rows
from casetrack.store.session import leftovers, write_session

if TYPE_CHECKING:
    from collections.abc import Iterable

    from casetrack.store.workspace import Workspace


BUSY_SECONDS = 30.0


def repair_data(folder: Path, /) -> list[str]:
    """Make the datasets readable at their newest version; return the actions."""
    with write_lock(folder, timeout=BUSY_SECONDS):
        done, rebuilt = repair_manifests(folder), rebuild_rows(folder)
        return done + rebuilt + [*repair_tags(folder), *settle(folder, rebuilt=bool(rebuilt))]


def repair_folder(folder: Path, views: Iterable[ViewState], /) -> list[str]:
    """Repair a collection's folder, except damaged documents; return the actions."""
    # First of all: without them no state can be opened.
    done = repair_data(folder)
    stopped, temporary = len(leftovers(folder)), list(temporary_files(folder))
    with write_session(folder, timeout=BUSY_SECONDS, upkeep=True):
        if stopped:
            done.append(f"cleaned up after {stopped} stopped programs")
        rows = drop_orphan_rows(folder)
        if rows:
            done.append(f"removed {rows} rows without a document")
        copies = remove_stray_copies(folder, open_snapshot(folder))
        if copies:
            done.append(f"removed {copies} copies of files of deleted documents")
        done += _repair_profile(folder)
        done += repair_views(folder, views)
    done += mend_marks(folder)
    done += _repair_stage(folder)
    return done + _remove_temporary(temporary)


def copy_again(folder: Path, document: Document, /) -> str | None:
    """Replace the copy of a document's unchanged file; return the action."""
    source = Path(document.path)
    if document.original_copy is None or not source.is_file():
        return None
    name = document.original_copy.rpartition("/")[2]
    keep_copy(folder, document.document_id, source, name=name)
    return f"copied the file of {document.name} again"


def restore_damaged(workspace: Workspace, lost: list[Document], /) -> dict[str, str]:
    """Restore damaged documents from snapshots; return their origins by document id."""
    if not lost:
        return {}
    with write_session(workspace.folder, timeout=BUSY_SECONDS) as session:
        origins = restore.restore(workspace.folder, session, lost)
    workspace.forget()
    return origins


def repair_data_dir(home: Path, collections: Path, /) -> list[str]:
    """Remove files that stopped programs left in the data folder; return the actions."""
    done = []
    for path in list(remains(home, collections)):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
        if not path.exists():
            done.append(f"removed {path.name}, which a stopped program had left")
    return done


def _repair_profile(folder: Path) -> list[str]:
    """Update ``collection.json`` from the chunks; the caller holds the write lock."""
    snapshot, info = open_snapshot(folder), read_info(folder)
    if (info.profile, info.dimension) == (snapshot.profile, snapshot.dimension):
        return []
    update_info(
        folder, lambda facts: replace(facts, profile=snapshot.profile, dimension=snapshot.dimension)
    )
    return [f"set the profile in collection.json to that of the vectors, {snapshot.profile}"]


def _repair_stage(folder: Path) -> list[str]:
    """Remove a stopped reindex without outputs."""
    stage = folder / "rewrite"
    if not stage.is_dir() or any(stage.rglob("*.arrow")):
        return []
    with contextlib.suppress(CollectionBusy), rewrite.rewriting(folder):
        if not any(stage.rglob("*.arrow")):
            shutil.rmtree(stage, ignore_errors=True)
            return ["removed an empty stopped reindex"]
    return []


def _remove_temporary(paths: Iterable[Path]) -> list[str]:
    removed = 0
    for path in paths:
        # A writer that has ended meanwhile may have removed it.
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
        removed += not path.exists()
    return [f"removed {removed} temporary files of stopped programs"] if removed else []


_ROUNDS = 3

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from casetrack.keep.health.rows import Unreadable
    from casetrack.models.base import ProfileEncoder
    from casetrack.store.workspace import Workspace


def examine(
    workspace: Workspace, /, *, deep: bool, repair: bool, tell: Callable[[str, int, int], None]
) -> HealthReport:
    """Check all stored data of a collection; see ``Collection.admin.doctor``."""
    reading, problem = _reading(workspace)
    examiner = _examiner(workspace, reading, deep=deep, tell=tell)
    result = check_collection(workspace.folder, examiner)
    if problem is not None:
        # Ingest and reindex need the pipeline; stored data are readable without it.
        return HealthReport((*result.checks, problem))
    if not repair:
        return HealthReport(tuple(result.checks))
    repairs, unmended = list[str](), list[str]()
    for _ in range(_ROUNDS):
        done, unmended = _repair(workspace, result)
        repairs += done
        if not done:
            break
        # Documents can be checked only once the data are readable.
        result, could_read = check_collection(workspace.folder, examiner), result.can_read
        if could_read:
            break
    if repairs:
        audit.note(workspace.folder, "repaired", count=len(repairs))
    return HealthReport(tuple(result.checks), tuple(repairs), tuple(unmended))


def _reading(workspace: Workspace) -> tuple[str | None, Check | None]:
    """Return the fingerprint of the reading conditions, or the check of an unusable pipeline."""
    from casetrack.ingest.pipeline import Tools, load_pipeline

    try:
        pipeline = load_pipeline(workspace.info.pipeline, Tools(), folder=workspace.folder)
    except PipelineError as error:
        return None, Check("pipeline", ok=False, detail=error.message, remedy=error.hint)
    return pipeline.reading, None


def _examiner(
    workspace: Workspace, reading: str | None, *, deep: bool, tell: Callable[[str, int, int], None]
) -> Examiner:
    encoder = _models(workspace)
    return Examiner(
        read_options(workspace.settings),
        encoder,
        lambda document: document.pipeline_fingerprint.partition("-")[0] == reading,
        deep=deep,
        tell=tell,
    )


def _models(workspace: Workspace) -> ProfileEncoder | None:
    """Return the models of the collection if they are available."""
    info = workspace.info
    try:
        return workspace.encoders.get_installed(info.profile, dimension=info.dimension)
    except CaseTrackError:
        return None


def _repair(workspace: Workspace, result: Examined) -> tuple[list[str], list[str]]:
    """Repair the problems; return the repairs, and the remaining problems."""
    repairs = list[str]()
    if result.lost:
        repairs, unmended = _without_unreadable(workspace, result, result.lost)
        if unmended:
            return [], unmended
    try:
        with damage_errors(workspace.folder):
            if not result.can_read and (repairs := repair_data(workspace.folder)):
                workspace.forget()
                return repairs, []  # the next check finds the unreadable passages
            repairs += repair_folder(workspace.folder, result.views)
    except CollectionDamaged as error:
        return repairs, [f"{error.message} {error.hint}"]
    workspace.forget()
    done, unmended = _repair_documents(workspace, result)
    if repairs + done and not unmended:
        # Index and graph cannot be completed with damaged rows.
        graph_of(workspace.state()).catch_up()
    return repairs + done, unmended


def _without_unreadable(
    workspace: Workspace, result: Examined, lost: Unreadable
) -> tuple[list[str], list[str]]:
    """Remove unreadable data files once all their documents can be read from their files."""
    folder, documents = workspace.folder, workspace.state().snapshot.documents
    unmended = []
    states = in_earlier_states(folder, [documents[i] for i in lost.documents])
    in_states = {live.document_id for live, *_ in states}
    for document_id in sorted(lost.documents):
        document = documents[document_id]
        root = root_of(document, documents)
        problem = _obstacle(workspace, result, document_id)
        can_be_read = can_be_read_again(root) or kept_file(folder, root, fetched=False)
        if not (can_be_read or document_id in in_states):
            problem = problem or _next_step(workspace, root)
        if problem:
            unmended.append(f"{document.name}: {problem}")
    if unmended:
        return [], unmended
    drop_files(folder, lost.files, timeout=BUSY_SECONDS)
    workspace.forget()
    return [f"removed {len(lost.files)} unreadable data files"], []


def _repair_documents(workspace: Workspace, result: Examined) -> tuple[list[str], list[str]]:
    documents = workspace.state().snapshot.documents
    repairs, unmended, rebuild = list[str](), list[str](), list[Document]()
    lost = dict[str, Document]()
    reread: dict[str, Document] = {}
    for document_id in sorted(result.copies | result.reread | result.rebuild):
        document = documents.get(document_id)
        if document is None:
            continue
        root = root_of(document, documents)
        problem = _obstacle(workspace, result, document_id)
        if problem:
            unmended.append(f"{document.name}: {problem}")
        elif document_id in result.rebuild:
            rebuild.append(document)
        elif not (can_be_read_again(root) or kept_file(workspace.folder, root, fetched=False)):
            lost[document_id] = document
        elif document_id in result.reread or is_inside(document):
            reread[root.document_id] = root
        else:
            action = copy_again(workspace.folder, document)
            repairs += [action] if action else []
    for mended, left in (
        _from_snapshots(workspace, result, list(lost.values())),
        _from_files(workspace, list(reread.values())),
    ):
        repairs += mended
        unmended += left
    for document in rebuild:
        reindex_document(workspace, document.document_id, force=True, reparse=False)
        repairs.append(f"recomputed the vectors and terms of {document.name}")
    return repairs, unmended


def _from_snapshots(
    workspace: Workspace, result: Examined, lost: list[Document]
) -> tuple[list[str], list[str]]:
    """Restore documents without usable files from snapshots; return repairs and problems."""
    documents = workspace.state().snapshot.documents
    back = restore_damaged(workspace, [d for d in lost if d.document_id in result.reread])
    repairs = [
        f"restored {d.name} from the {back[d.document_id]}" for d in lost if d.document_id in back
    ]
    left = [d for d in lost if d.document_id not in back]
    return repairs, [f"{d.name}: {_next_step(workspace, root_of(d, documents))}" for d in left]


def _from_files(workspace: Workspace, roots: list[Document]) -> tuple[list[str], list[str]]:
    """Read files again; return the repairs, and the remaining problems."""
    repairs, unmended = list[str](), list[str]()
    for report, from_file in _read_again(workspace, roots):
        for outcome in report.outcomes:
            if outcome.status in {"ingested", "partial"}:
                what = "its file" if from_file else "the collection's copy"
                repairs.append(f"read {outcome.document_name} again from {what}")
            else:
                unmended.append(f"{outcome.path}: {outcome.message} {outcome.hint}".rstrip())
    return repairs, unmended


def _obstacle(workspace: Workspace, result: Examined, document_id: str) -> str:
    """Return why a document cannot be rebuilt now, whatever the state of its file."""
    info = workspace.info
    name = shlex.quote(info.name)
    if info.status != "active":
        return (
            f'"{info.name}" is {info.status}, so it is not changed. Reopen it with '
            f"{See('collection reopen', name)}, then repair again."
        )
    only_copy = document_id not in result.reread | result.rebuild
    if not only_copy and _models(workspace) is None and _has_vectors(workspace, result.lost):
        return (
            "it would lose its vectors, because the models are not installed. Run "
            f"{See('models pull', info.profile)}, then repair again."
        )
    return ""


def _has_vectors(workspace: Workspace, lost: Unreadable | None) -> bool:
    """Return whether a collection has vectors, apart from *lost* ones."""
    state = workspace.state()
    with contextlib.suppress(CollectionDamaged):
        return state.index.embedded_count > 0
    chunks = state.snapshot.chunks
    files = [chunks.get_fragment(number) for number in (lost.others if lost else ())]
    return any(file.count_rows("dense IS NOT NULL") for file in files)


def _next_step(workspace: Workspace, root: Document) -> str:
    """Return the next step for a damaged document whose file has changed or is gone."""
    if root.is_remote:
        again = "Sync" if is_made_from_passages(root) else "Delete the document and sync"
        return (
            f"the collection's copy of it is also damaged or missing. {again} {root.source} "
            "again; the remaining data can still be searched."
        )
    if Path(root.path).is_file():
        command = f"casetrack reindex {shlex.quote(root.name)} -c {shlex.quote(workspace.name)}"
        return f"its file has changed since, so it was not read. Run `{command}` to ingest it."
    return (
        f"its file is missing. Restore it as {root.path} and repair again, or restore the "
        "collection from a backup; the remaining data can still be searched."
    )


def _read_again(workspace: Workspace, roots: list[Document]) -> Iterator[tuple[IngestReport, bool]]:
    """Ingest files again; yield each report, and whether it is of files instead of copies."""
    plain = list[Path]()
    named = list[tuple[Path, Document]]()
    copies = {
        root.document_id: copy
        for root in roots
        if root.is_remote or not can_be_read_again(root)
        if (copy := kept_file(workspace.folder, root, fetched=False))
    }
    if copies:
        yield ingest_again(workspace, list(copies.values()), force=True), False
    for root in roots:
        source = None if root.document_id in copies else source_file(root)
        if source is None:
            continue  # its copy was read, or it has just disappeared: the next check reports it
        if is_inside(root) or (root.name == source.name and root.original_copy is None):
            plain.append(source)
        else:
            named.append((source, root))
    if plain:
        yield ingest(workspace, dict.fromkeys(plain), force=True, copy_original=False), True
    for source, root in named:
        report = ingest(
            workspace,
            [source],
            force=True,
            document_name=root.name,
            copy_original=root.original_copy is not None,
        )
        yield report, True
