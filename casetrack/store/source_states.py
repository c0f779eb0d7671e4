"""Sync state of a collection's sources: ``sources.json`` in its folder.

It records the last syncs; without it, sources count as unchecked until their next sync.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import SourceError
from casetrack.base.files import write_atomic
from casetrack.base.records.sync import SourceInfo, SyncReport
from casetrack.store.facts import sealed, unsealed
from casetrack.store.info import info_lock

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from casetrack.store.datasets import Snapshot

FILE = "sources.json"
_FORMAT, _WITHOUT_DIGEST = 2, 1
_BROKEN_OFF = 10
"""Number of failed items from which a source counts as interrupted."""
_UNFINISHED = "The last sync did not finish. Sync the source again."


def begun(folder: Path, source: str, started: datetime, /) -> None:
    """Record that a sync has begun: until it ends, the collection may be outdated."""

    def change(before: dict[str, Any]) -> dict[str, Any]:
        return before | {"begun": started.isoformat()}

    _update(folder, source, change)


def ended(
    folder: Path, source: str, started: datetime, report: SyncReport, /, *, is_part: bool
) -> None:
    """Record the end of a sync.

    *started* is the time when it began. *is_part* means that only a part of the listing was
    checked, so the state of the rest is unknown.
    """
    problem = _problem(report)

    def change(before: dict[str, Any]) -> dict[str, Any]:
        now: dict[str, Any] = {"synced": started.isoformat(), "succeeded": before.get("succeeded")}
        if problem:
            now["problem"] = problem
            if not report.problem and not report.cancelled and not _behind(report):
                # The source was compared completely; only these items failed.
                now |= {"succeeded": started.isoformat(), "items": True}
        elif is_part:
            now |= {key: before[key] for key in ("problem", "items") if key in before}
        else:
            now["succeeded"] = started.isoformat()
        return now

    _update(folder, source, change)


def _problem(report: SyncReport) -> str:
    """Return why a source is not in sync; empty if it is."""
    if report.problem:
        return report.problem
    if report.cancelled:
        return "The last sync was stopped. Sync the source again."
    behind = [c for c in report.changes if c.kind == "failed" or c.code == "changed_meanwhile"]
    if not behind:
        return ""
    first = " ".join(filter(None, (behind[0].message, behind[0].hint)))
    if len(behind) == 1:
        return f"1 item could not be added: {first}"
    return f"{len(behind):,} items could not be added, the first one: {first}"


def _behind(report: SyncReport) -> bool:
    """Return whether a source was interrupted or changed, not only single items failed."""
    codes = [change.code for change in report.changes]
    return "changed_meanwhile" in codes or codes.count(SourceError.code) >= _BROKEN_OFF


def forgotten(folder: Path, source: str, /) -> None:
    """Remove a source."""
    _update(folder, source, lambda _before: None)


def _update(
    folder: Path, name: str, change: Callable[[dict[str, Any]], dict[str, Any] | None], /
) -> None:
    with info_lock(folder):
        known = _read(folder)
        state = change(known.pop(name, {}))
        known |= {} if state is None else {name: state}
        write_atomic(folder / FILE, sealed({"format": _FORMAT, "sources": known}, indent=2))


def _read(folder: Path) -> dict[str, Any]:
    """Read the stored states; invalid content counts as empty."""
    try:
        data = (folder / FILE).read_bytes()
        raw = json.loads(data)
        if raw["format"] != _WITHOUT_DIGEST:
            raw = unsealed(data)
        if raw["format"] not in {_WITHOUT_DIGEST, _FORMAT}:
            return {}
        return {str(n): dict(state) for n, state in raw["sources"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def source_of(path: str, folder: Path, /) -> tuple[str, str] | tuple[None, None]:
    """Return the source of a fetched document and its id there, from the document's path."""
    for source in _read(folder):
        if path.startswith(f"{source}/"):
            return source, path[len(source) + 1 :]
    return None, None


def source_infos(folder: Path, snapshot: Snapshot, /) -> list[SourceInfo]:
    """Return the sources of a collection: those of its documents and those that were synced."""
    states = _read(folder)
    counts: dict[str, list[int]] = {name: [0, 0] for name in states}
    for document in snapshot.documents.values():
        if document.source is not None:
            count = counts.setdefault(document.source, [0, 0])
            count[0] += 1
            count[1] += document.chunk_count
    return [
        _info(name, documents, chunks, states.get(name, {}))
        for name, (documents, chunks) in sorted(counts.items())
    ]


def stale_sources(folder: Path, /) -> dict[str, str]:
    """Return the sources with possibly outdated documents, and the reasons."""
    infos = (_info(name, 0, 0, state) for name, state in _read(folder).items())
    return {info.source: info.problem for info in infos if info.stale}


def _info(name: str, documents: int, chunks: int, state: Mapping[str, Any]) -> SourceInfo:
    problem = str(state.get("problem") or "")
    if "begun" in state:
        problem = problem or _UNFINISHED
    return SourceInfo(
        source=name,
        kind=name.partition(":")[0],
        documents=documents,
        chunks=chunks,
        last_synced_at=_moment(state.get("synced")),
        last_success_at=_moment(state.get("succeeded")),
        stale=bool(problem) and ("begun" in state or not state.get("items")),
        problem=problem,
    )


def _moment(text: object) -> datetime | None:
    try:
        return datetime.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return None
