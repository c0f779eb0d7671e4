"""Checks of a collection's folder for unexpected and missing files."""

from __future__ import annotations

import os
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.base.errors import CaseTrackError, See, StorageError
from casetrack.base.records import Check, Document, untaken_text
from casetrack.ingest.plan import file_facts
from casetrack.ingest.staleness import is_inside, source_file, source_state
from casetrack.store.excluded import excluded
from casetrack.store.lock import try_lock
from casetrack.store.marks import PATH, Stored, read
from casetrack.store.originals import copies, copy_of, stray_copies
from casetrack.store.rebuild import is_made_from_passages
from casetrack.store.rewrite import is_unfinished
from casetrack.store.session import leftovers
from casetrack.store.snapshots import named_states
from casetrack.store.untaken import DAMAGED, LOST, untaken

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from casetrack.base.records.marks import Mark
    from casetrack.store.datasets import Snapshot

# Problems and their presentation.

_NAMED = 3


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem as text, and the id of its document if it has one."""

    text: str
    document_id: str | None = None


def verdict(name: str, problems: Sequence[Problem | str], good: str, remedy: str, /) -> Check:
    """Return the check *name*: passed with the text *good*, or the problems with *remedy*."""
    if not problems:
        return Check(name, ok=True, detail=good)
    texts = [p if isinstance(p, str) else p.text for p in problems]
    shown = "; ".join(texts[:_NAMED])
    more = f"; and {len(texts) - _NAMED} more" if len(texts) > _NAMED else ""
    return Check(name, ok=False, detail=shown + more, remedy=remedy)


_OWN = re.compile(
    r"collection\.json(\.damaged.*)?|\.collection\.json.*|(sources|heads|untaken|excluded)\.json"
    r"|(chunks|documents)\.lance"
    r"|views|rewrite|journal|originals|snapshots|reader-locks|sync|backup|queries|pipelines|marks"
    r"|place\.json|\.place-files\.json|\.[a-z-]+\.lock|\.spool-[0-9a-f]+|\.upkeep|\.profile-unchosen|\.DS_Store"
)
"""Files that the program creates in a collection's folder, and those of macOS."""
OLD_SECONDS = 3600.0
"""Age in seconds from which a temporary file counts as abandoned."""


def check_folder(folder: Path, /) -> Check:
    """Check that the folder has only the program's files."""
    strange = sorted(p.name for p in folder.iterdir() if not _OWN.fullmatch(p.name))
    strange = [name for name in strange if not _is_temporary(name)]
    try:
        excluded(folder)
    except StorageError as error:
        # The next ingest or sync needs it.
        return Check("folder", ok=False, detail=error.message, remedy=error.hint)
    return verdict(
        "folder",
        [f'"{name}" does not belong to the collection' for name in strange],
        str(folder),
        f"Move it out of {folder}; CaseTrack neither protects nor removes other files.",
    )


def check_marks(folder: Path, /) -> Check:
    """Check that every line of the user's marks is valid, and that no mark is lost."""
    stored, count = Stored(folder), len(read(folder).all)
    problems = [f"{PATH} has lost {_described(mark)}" for mark in stored.lost]
    problems += [f"line {number} of {PATH} is not a mark" for number in stored.broken]
    if stored.copy_is_damaged:
        problems.append(f"the backup copy of {PATH} is damaged")
    mend = (
        f"Run {See('doctor', repair=True)}: it restores lost marks from the backup copy, and "
        "rebuilds a damaged copy."
    )
    own = (
        f"Correct or remove these lines of {folder / PATH}; they have no effect, and CaseTrack "
        "never removes your marks."
    )
    return verdict(
        "marks",
        problems,
        f"{count:,} {'mark' if count == 1 else 'marks'}" if count else "none",
        mend if stored.lost or stored.copy_is_damaged else own,
    )


def check_snapshots(folder: Path, snapshot: Snapshot, /) -> Check:
    """Check that every named snapshot can be listed, and that its own rows are intact."""
    names = named_states(folder, snapshot)
    return verdict(
        "snapshots",
        [f'the snapshot "{name}" is damaged' for name, is_whole in names.items() if not is_whole],
        f"{len(names):,} named snapshots",
        f"Remove a damaged snapshot with {See('snapshots remove', 'NAME')}; present documents are "
        "not affected.",
    )


def _described(mark: Mark) -> str:
    """Describe a mark, such as: tag "privileged" of Lease.pdf."""
    about = mark.document_name or mark.entity_name
    value = f' "{mark.value}"' if mark.value else ""
    return f"{mark.kind}{value}{f' of {about}' if about else ''}"


def check_leftovers(folder: Path, snapshot: Snapshot, live: int, /) -> Check:
    """Check for temporary files, and rows without a document (*live* rows have one)."""
    rows = snapshot.chunks.count_rows()
    with try_lock(folder / ".write.lock") as idle:
        pending = leftovers(folder) if idle else []
    if not idle:
        return Check("leftovers", ok=True, detail="another program is writing now")
    old = list(temporary_files(folder))
    remedy = f"Run {See('doctor', repair=True)}: it removes them."
    if old:
        detail = f"{len(old)} temporary files of stopped programs, such as {old[0].name}"
        return Check("leftovers", ok=False, detail=detail, remedy=remedy)
    if rows > live:
        if pending:
            detail = f"{rows - live} leftover rows, removed by the next change"
            return Check("leftovers", ok=True, detail=detail)
        detail = f"{rows - live} rows without a document"
        return Check("leftovers", ok=False, detail=detail, remedy=remedy)
    if is_unfinished(folder):
        detail = f"a stopped reindex; {See('reindex')} continues it"
        return Check("leftovers", ok=True, detail=detail)
    return Check("leftovers", ok=True, detail="none")


def temporary_files(folder: Path, /) -> Iterator[Path]:
    """Yield temporary files in a folder and its subfolders that are older than an hour."""
    before = time.time() - OLD_SECONDS
    for base, folders, names in os.walk(folder):
        # Lance has its own names for its files, and cleans them up.
        folders[:] = [n for n in folders if not n.endswith(".lance")]
        for name in (*names, *folders):
            path = Path(base, name)
            if _is_temporary(name) and path.stat().st_mtime < before:
                yield path


def _is_temporary(name: str) -> bool:
    return name.endswith(".tmp")


# --- copies ----------------------------------------------------------------------------------


def check_copies(folder: Path, snapshot: Snapshot, wrong: Iterable[Problem], /) -> Check:
    """Check that every copy of a file exists, and that there are no other files among them."""
    problems = list(wrong)
    with try_lock(folder / ".write.lock") as idle:
        # During a write, a copy may exist before its document.
        strays = list(stray_copies(folder, snapshot)) if idle else []
        if leftovers(folder):
            # A writer was stopped here; the next one sweeps, and reads the file again.
            detail = "a write was interrupted; the next one completes it"
            return Check("copies", ok=True, detail=detail)
    if strays:
        size = len(strays)
        problems.append(Problem(f"{size} copies of files of deleted documents"))
    count = sum(d.original_copy is not None for d in snapshot.documents.values())
    return verdict(
        "copies",
        problems,
        f"{count} copies of files, complete",
        f"Run {See('doctor', repair=True)}: it copies existing files again, and removes unneeded "
        "copies.",
    )


def copy_problems(folder: Path, snapshot: Snapshot, /, *, deep: bool = False) -> Iterator[Problem]:
    """Yield copies that are missing or damaged; *deep* compares their content."""
    named = [d for d in snapshot.documents.values() if d.original_copy is not None]
    sizes = copies(folder) if named else {}
    for document in named:
        kept = document.original_copy or ""
        try:
            wrong = sizes[kept] != document.file_size
            if deep and not wrong:
                wrong = file_facts(copy_of(folder, kept)).hash != document.file_hash
        except (KeyError, OSError, CaseTrackError):
            yield Problem(f"the copy of {document.name} is missing", document.document_id)
            continue
        if wrong:
            text = f"the copy of {document.name} differs from the ingested file"
            yield Problem(text, document.document_id)


# --- source files ----------------------------------------------------------------------------


def check_sources(snapshot: Snapshot, /) -> Check:
    """Check the source files; if one has changed, citations still refer to the ingested content."""
    gone, changed, closed = list[str](), list[str](), list[str]()
    for document in snapshot.documents.values():
        if is_inside(document):
            continue
        state = source_state(document)
        lists = {"missing": gone, "changed": changed, "unreadable": closed}
        if state in lists:
            lists[state].append(document.name)
    problems = [f"{name} is no longer there" for name in gone]
    problems += [f"{name} has changed since" for name in changed]
    problems += [f"{name} cannot be read" for name in closed]
    return verdict(
        "source files",
        problems,
        f"all {len(snapshot.documents)} files are unchanged since they were ingested",
        f"Ingest changed files with {See('reindex', reparse=True)}; the text of missing files can "
        "still be searched. Delete documents that are not needed.",
    )


def check_untaken(folder: Path, snapshot: Snapshot, /) -> Check:
    """List the files that are not in the collection; only lost documents count as damage."""
    files = untaken(folder, snapshot.documents.values())
    damage = [file for file in files if file.code in {LOST, DAMAGED}]
    remedy = f"{See('index-status')} lists each file with its next step." if files else ""
    return Check(
        "files to read",
        ok=not damage,
        detail="; ".join(f.message for f in damage) or untaken_text(files) or "no file has failed",
        remedy=" ".join(file.hint for file in damage) or remedy,
    )


def can_be_read_again(document: Document, /) -> bool:
    """Return whether the source file of a document exists and is unchanged."""
    if is_inside(document):
        return source_file(document) is not None
    if is_made_from_passages(document):
        return Path(document.path).is_file()
    return source_state(document) == "unchanged"
