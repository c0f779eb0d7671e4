"""Text for people about a sync."""

from __future__ import annotations

from collections import Counter
from pathlib import PurePath
from typing import TYPE_CHECKING

from casetrack.base.records import FILE_STATUSES
from casetrack.faces.mcp.render import counted, duration, home_path, one_line
from casetrack.faces.mcp.results import cut

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from casetrack.base.records import FileOutcome, IngestReport
    from casetrack.base.records.sync import SyncChange, SyncKind, SyncReport

    _Line = Callable[[FileOutcome, PurePath], str]

# Text for people about files that were ingested.

_REASONS = {
    "duplicate": "already ingested, matching SHA256",
    "cancelled": "not reached",
    "empty_file": "empty",
    "no_text": "without text",
    "excluded": "taken out by the user",
}
LISTED = 20
"""How many files of a kind the text names; the structured result has more."""

_SUBFOLDERS = 6
_SUBFOLDER_CHARS = 100


def ingested(
    outcome: FileOutcome,
    attachments: Sequence[FileOutcome],
    collection: str,
    notes: Sequence[str],
    more: str | None = None,
    /,
) -> str:
    """Return the answer of ingest_document; *attachments* are those to name, *more* the others."""
    verb = "Updated" if outcome.updated else "Ingested"
    if outcome.status == "partial":
        verb += " in part"
    name = one_line(outcome.document_name or PurePath(outcome.path).name)
    lines = [
        f'{verb} "{name}" (ID: {outcome.document_id}) in {collection}.',
        f"{_amount(outcome)}, {duration(outcome.seconds)}.",
        *([f"Not read: {one_line(outcome.message)}"] if outcome.status == "partial" else []),
        *(f"Warning: {one_line(warning)}" for warning in outcome.warnings),
        *(f"Attachment {_attachment(a)}" for a in attachments),
        *([more] if more else []),
        *(f"Note: {one_line(note)}" for note in notes),
    ]
    return "\n".join([*lines, "", "It is now searchable with search_documents."])


def folder(
    report: IngestReport,
    collection: str,
    root: PurePath,
    listed: Sequence[FileOutcome] | None = None,
    more: str | None = None,
    /,
) -> str:
    """Return the answer of ingest_folder.

    Parameters
    ----------
    report
        All that was done; it is counted.
    listed
        The files that may be named, by default all.
    more
        How to see the others.
    """
    supported = [o for o in report.outcomes if o.code != "unsupported_format"]
    by = {name: [o for o in supported if o.status == name] for name in FILE_STATUSES}
    every = _grouped(supported)
    fresh, updated, failed, silent = (len(group) for group in every)
    ignored = len(report.outcomes) - len(supported)
    rows = [
        ("Folder:", one_line(home_path(str(root))).rstrip("/\\") + "/"),
        ("Subfolders:", _subfolders(supported, root)),
        ("Found:", counted(len(supported), "supported file")),
        ("New:", f"{fresh} (ingested)"),
        ("Updated:", f"{updated} (content changed)" if updated else ""),
        ("In part:", f"{len(by['partial'])} (see what is missing)" if by["partial"] else ""),
        ("Skipped:", _skipped(by["skipped"])),
        ("Failed:", str(failed)),
        ("Ignored:", f"{ignored} (format not supported)" if ignored else ""),
        ("Duration:", duration(report.seconds)),
    ]
    table = "\n".join(f"  {label:<11} {value}" for label, value in rows if value)
    state = "stopped" if report.cancelled else "complete"
    blocks = [f"Folder ingestion {state} for {collection}", table]
    named = every if listed is None else _grouped(listed)
    for title, shown, total, line in zip(
        ("New documents ingested:", "Documents updated:", "Failures:", "Nothing to read in:"),
        named,
        (fresh, updated, failed, silent),
        (_with_amount, _with_amount, _with_reason, _with_reason),
        strict=True,
    ):
        blocks += _block(title, shown[:LISTED], total, root, line)
    blocks += [more] if more else []
    blocks += [f"Note: {one_line(note)}" for note in report.notes]
    return "\n\n".join([*blocks, _closing(fresh + updated)])


def _grouped(outcomes: Iterable[FileOutcome]) -> tuple[list[FileOutcome], ...]:
    """Return what is new, what is updated, what failed, and what there was nothing to read in."""
    groups: tuple[list[FileOutcome], ...] = ([], [], [], [])
    for each in outcomes:
        if each.status in {"ingested", "partial"}:
            groups[1 if each.updated else 0].append(each)
        elif each.status == "failed":
            groups[2].append(each)
        elif each.code in {"empty_file", "no_text"}:
            groups[3].append(each)
    return groups


def _closing(count: int) -> str:
    if not count:
        return "No document was added."
    if count == 1:
        return "The new document is now searchable."
    return f"All {count} new documents are now searchable."


def _block(
    title: str, shown: Sequence[FileOutcome], total: int, root: PurePath, line: _Line
) -> list[str]:
    if not total:
        return []
    lines = [f"  - {line(o, root)}" for o in shown]
    if total > len(shown):
        lines.append(f"  ... {total - len(shown):,} more")
    return [f"  {title}\n" + "\n".join(lines)]


def _with_amount(outcome: FileOutcome, root: PurePath) -> str:
    lost = [f"not read: {one_line(outcome.message)}"] if outcome.status == "partial" else []
    warned = "".join(f"; {one_line(w)}" for w in (*lost, *outcome.warnings))
    return f"{relative(outcome.path, root)} ({_amount(outcome)}){warned}"


def _attachment(outcome: FileOutcome) -> str:
    name = one_line(outcome.document_name or PurePath(outcome.path).name)
    if outcome.status in {"skipped", "failed"}:
        return f'"{name}" was {outcome.status}: {" ".join(outcome.message.split())}'
    return f'"{name}" (ID: {outcome.document_id}): {outcome.status}, {_amount(outcome)}'


def _with_reason(outcome: FileOutcome, root: PurePath) -> str:
    reason = " ".join(outcome.message.split())
    return f"{relative(outcome.path, root)}: {reason}"


def _amount(outcome: FileOutcome) -> str:
    return f"{counted(outcome.pages, 'page')}, {counted(outcome.chunks, 'chunk')}"


def _skipped(outcomes: Sequence[FileOutcome]) -> str:
    codes = Counter(_REASONS.get(o.code, "not ingested") for o in outcomes)
    if not codes:
        return "0"
    if len(codes) == 1:
        return f"{len(outcomes)} ({next(iter(codes))})"
    return f"{len(outcomes)} ({'; '.join(f'{n} {why}' for why, n in codes.most_common())})"


def _subfolders(outcomes: Iterable[FileOutcome], root: PurePath) -> str:
    names = sorted({PurePath(relative(o.path, root)).parent.as_posix() for o in outcomes} - {"."})
    if not names:
        return "0"
    shown = [f"{cut(name, _SUBFOLDER_CHARS)}/" for name in names[:_SUBFOLDERS]]
    more = ["..."] if len(names) > _SUBFOLDERS else []
    return f"{len(names)} ({', '.join(shown + more)})"


def relative(path: str, root: PurePath, /) -> str:
    """Return *path* as seen from *root* on one line, or whole where it lies elsewhere."""
    pure = PurePath(path)
    return one_line(pure.relative_to(root).as_posix() if pure.is_relative_to(root) else path)


_DONE: dict[SyncKind, str] = {
    "new": "New (ingested):",
    "changed": "Changed (re-ingested):",
    "moved": "Moved (followed):",
    "removed": "Removed (file gone):",
    "missing": "Missing (file gone, document kept):",
    "failed": "Failures:",
}
_CHANGES = {
    "duplicate": "same content as another",
    "unsupported_format": "format not supported",
    "empty_file": "empty",
    "no_text": "without text",
    "excluded": "taken out by the user",
    "changed_meanwhile": "changing just now",
}


def synced(
    report: SyncReport, listed: Sequence[SyncChange] | None = None, more: str | None = None, /
) -> str:
    """Return the answer of sync_folder: all counted, of *listed* the first of each kind named.

    *more* says how to see the others, and what else can be done.
    """
    named = report.changes if listed is None else listed
    root = PurePath(report.folder)
    what = (
        "Dry run, nothing was changed; this is what a sync would do" if report.dry_run else "Sync"
    )
    state = "stopped" if report.cancelled else "complete"
    head = (
        f"{what} for {report.collection}"
        if report.dry_run
        else (f"{what} {state} for {report.collection}")
    )
    rows = [
        ("Folder:", one_line(home_path(report.folder)).rstrip("/\\") + "/"),
        ("Files:", f"{report.seen:,} ({report.unchanged:,} unchanged)"),
        *((f"{kind.capitalize()}:", f"{report.count(kind):,}") for kind in _DONE),
        ("Skipped:", _left_out(report.of("skipped"))),
        ("Duration:", duration(report.seconds)),
    ]
    blocks = [head, "\n".join(f"  {label:<11} {value}" for label, value in rows)]
    for kind, title in _DONE.items():
        total = report.count(kind)
        if total:
            shown = [change for change in named if change.kind == kind][:LISTED]
            lines = [f"  - {_line(change, root)}" for change in shown]
            lines += [f"  ... {total - len(shown):,} more"] if total > len(shown) else []
            blocks.append("\n".join([f"  {title}", *lines]))
    blocks += [f"Note: {one_line(note)}" for note in report.notes]
    blocks += [more] if more else []
    return "\n\n".join(blocks)


def _line(change: SyncChange, root: PurePath) -> str:
    where = relative(change.path, root)
    if change.previous_path:
        where = f"{relative(change.previous_path, root)} -> {where}"
    if change.message:
        return f"{where}: {' '.join(change.message.split())}"
    if change.chunks:
        return f"{where} ({counted(change.pages, 'page')}, {counted(change.chunks, 'chunk')})"
    return where


def _left_out(changes: tuple[SyncChange, ...]) -> str:
    reasons = Counter(_CHANGES.get(change.code, "not usable") for change in changes)
    told = "; ".join(f"{count:,} {why}" for why, count in reasons.most_common())
    return f"{len(changes):,}" + (f" ({told})" if told else "")
