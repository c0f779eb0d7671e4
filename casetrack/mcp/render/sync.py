"""Text for people about a sync."""

from __future__ import annotations

from collections import Counter
from pathlib import PurePath
from typing import TYPE_CHECKING

from casetrack.mcp.render import counted, duration, home_path
from casetrack.mcp.render.ingest import LISTED, relative

if TYPE_CHECKING:
    from casetrack.records.sync import SyncChange, SyncKind, SyncReport

_DONE: dict[SyncKind, str] = {
    "new": "New (ingested):",
    "changed": "Changed (re-ingested):",
    "moved": "Moved (followed):",
    "removed": "Removed (file gone):",
    "missing": "Missing (file gone, document kept):",
    "failed": "Failures:",
}
_REASONS = {
    "duplicate": "same content as another",
    "unsupported_format": "format not supported",
    "empty_file": "empty",
    "no_text": "without text",
    "changed_meanwhile": "changing just now",
}


def synced(report: SyncReport, /) -> str:
    """Return the answer of sync_folder."""
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
        ("Folder:", home_path(report.folder).rstrip("/\\") + "/"),
        ("Files:", f"{report.seen:,} ({report.unchanged:,} unchanged)"),
        *((f"{kind.capitalize()}:", f"{report.count(kind):,}") for kind in _DONE),
        ("Skipped:", _skipped(report.of("skipped"))),
        ("Duration:", duration(report.seconds)),
    ]
    blocks = [head, "\n".join(f"  {label:<11} {value}" for label, value in rows)]
    for kind, title in _DONE.items():
        changes = report.of(kind)
        if changes:
            lines = [f"  - {_line(change, root)}" for change in changes[:LISTED]]
            lines += [f"  ... {len(changes) - LISTED:,} more"] if len(changes) > LISTED else []
            blocks.append("\n".join([f"  {title}", *lines]))
    blocks += [f"Note: {note}" for note in report.notes]
    if report.count("missing"):
        blocks.append("To remove what is missing, ask the user, then use remove_deleted: true.")
    if report.cancelled:
        blocks.append("What was finished is kept; call sync_folder again to go on.")
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


def _skipped(changes: tuple[SyncChange, ...]) -> str:
    reasons = Counter(_REASONS.get(change.code, "not usable") for change in changes)
    told = "; ".join(f"{count:,} {why}" for why, count in reasons.most_common())
    return f"{len(changes):,}" + (f" ({told})" if told else "")
