"""Checks of a whole collection, and repairs that lose no data."""

from __future__ import annotations

import contextlib
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.base.errors import CaseTrackError, CollectionDamaged, PipelineError, See
from casetrack.base.records import Check, Document, HealthReport, IngestReport
from casetrack.graph.opened import graph_of
from casetrack.ingest.intake import ingest, ingest_again, read_options
from casetrack.ingest.reparse import reindex_document
from casetrack.ingest.staleness import is_inside, kept_file, root_of, source_file
from casetrack.keep.health.collection import Examined, Examiner, check_collection
from casetrack.keep.health.folder import can_be_read_again
from casetrack.keep.health.repair import (
    BUSY_SECONDS,
    copy_again,
    repair_data,
    repair_folder,
    restore_damaged,
)
from casetrack.store import audit
from casetrack.store.damage import damage_errors
from casetrack.store.rebuild import is_made_from_passages
from casetrack.store.restore import in_earlier_states
from casetrack.store.rows import drop_files

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
