"""Text for people about a sync."""

from __future__ import annotations

from collections import Counter
from pathlib import PurePath
from typing import TYPE_CHECKING

from casetrack.faces.mcp.render import counted, duration, home_path, one_line
from casetrack.faces.mcp.render.ingest import LISTED, relative

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.base.records.sync import SyncChange, SyncKind, SyncReport

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
        ("Skipped:", _skipped(report.of("skipped"))),
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


def _skipped(changes: tuple[SyncChange, ...]) -> str:
    reasons = Counter(_REASONS.get(change.code, "not usable") for change in changes)
    told = "; ".join(f"{count:,} {why}" for why, count in reasons.most_common())
    return f"{len(changes):,}" + (f" ({told})" if told else "")
