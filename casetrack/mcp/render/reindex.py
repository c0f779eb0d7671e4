"""Text and structured results of the tools about reindexing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from casetrack.mcp import render
from casetrack.records.index_status import PROBLEMS

if TYPE_CHECKING:
    from casetrack.ingest.reindexed import ReindexReport
    from casetrack.records.index_status import Action, DocumentIndex, IndexStatus

_REMEDIES: dict[Action, str] = {
    "none": "",
    "pull_models": "run `casetrack models pull` in a terminal, then reindex_collection",
    "reindex": "reindex_collection with skip_unchanged: true, reparse: false",
    "reparse": "reindex_collection with skip_unchanged: true",
    "verify": "get_index_status with document_filter compares the file itself",
    "settings": "see what is missing: a limit or OCR in config.toml, or a password; then "
    "ingest_document again",
    "file": "put the file back; until then what is stored can be searched as before",
}
_REMEDIES_OF_ONE: dict[Action, str] = _REMEDIES | {
    "reindex": "reindex_document with reparse: false",
    "reparse": "reindex_document",
}


def remedy(action: Action, /, *, one: bool = False) -> str:
    """Return which tool or deed puts something right, for a collection or for *one* document."""
    return (_REMEDIES_OF_ONE if one else _REMEDIES)[action]


def duration(seconds: float, /) -> str:
    """Write a length of time roughly, as people say it.

    Examples
    --------
    >>> duration(8), duration(95), duration(7000)
    ('8 seconds', '2 minutes', '1.9 hours')
    """
    if seconds < 60:
        return render.counted(max(1, round(seconds)), "second")
    if seconds < 3600:
        return render.counted(round(seconds / 60), "minute")
    return f"{seconds / 3600:.1f} hours"


def reindexed_text(report: ReindexReport, notes: list[str], /, *, again: str, listed: int) -> str:
    """Return what a reindex did.

    Parameters
    ----------
    report, notes
        What it did, and what else there is to know.
    again
        Name of the tool that goes on with a stopped run.
    listed
        So many files are named at most.
    """
    name = report.document or report.collection
    size = f"{render.counted(report.documents, 'document')}, "
    size += render.counted(report.chunks, "chunk")
    if report.cancelled:
        lines = [f'Stopped; "{report.collection}" is whole. Call {again} to go on.']
    elif report.did_nothing:
        lines = [f'"{name}" is up to date; nothing had to be rebuilt.']
    elif report.files is not None and not report.documents:
        lines = [f'Reindexed "{name}" in {report.seconds:.1f} s.']
    else:
        lines = [f'Reindexed "{name}": {size} in {report.seconds:.1f} s.']
    lines.append(f"Profile: {report.profile} (before: {report.previous_profile})")
    if report.files is not None:
        counts = report.files.as_dict()["counts"]
        lines.append("Files: " + ", ".join(f"{n:,} {status}" for status, n in counts.items() if n))
        failed = [o for o in report.files.outcomes if o.status == "failed"]
        lines += [f"- failed, kept as stored: {o.path}: {o.message}" for o in failed[:listed]]
    if report.missing_files:
        gone = render.counted(len(report.missing_files), "source file")
        lines.append(f"{gone} not found any more; what is stored of them was kept:")
        lines += [f"- {path}" for path in report.missing_files[:listed]]
    return "\n".join([*lines, *(f"Note: {note}" for note in notes)])


def status_text(status: IndexStatus, listed: int, /) -> str:
    """Return the status of an index as text; *listed* documents are named at most."""
    documents = render.counted(len(status.documents), "document")
    chunks = render.counted(status.chunks, "chunk")
    lines = [f'Index of "{status.collection}": {documents}, {chunks}, profile {status.profile}']
    shares = [f"{n} {_percent(c, status.chunks)}" for n, c in status.coverage.items()]
    lines += [f"Coverage: {', '.join(shares)}"] if status.chunks else []
    if status.ok:
        return "\n".join([*lines, "All is up to date."])
    for problem, count in status.problems.items():
        lines.append(f"- {render.counted(count, 'document')}: {PROBLEMS[problem]}")
    lines.append(f"Next: {remedy(status.action, one=len(status.documents) == 1)}")
    found = [d for d in status.documents if d.problems]
    lines += ["", *(f"{d.name}: {d.reason}" for d in found[:listed])]
    if len(found) > listed:
        lines.append(f"... {len(found) - listed:,} more; use document_filter for one of them")
    return "\n".join(lines)


def status_result(status: IndexStatus, listed: int, /) -> dict[str, Any]:
    """Return the status of an index for programs; documents with problems come first."""
    ordered = sorted(status.documents, key=lambda d: d.ok)
    omitted = max(0, len(ordered) - listed)
    raw = status.as_dict()
    kept = ("collection", "profile", "models", "ok", "chunks", "coverage", "problems")
    return {name: raw[name] for name in kept} | {
        "document_count": len(ordered),
        "remedy": remedy(status.action, one=len(ordered) == 1),
        "documents": [_document(d) for d in ordered[:listed]],
        "documents_omitted": omitted,
        "more": "Use document_filter for one of the others." if omitted else "",
    }


def _document(document: DocumentIndex) -> dict[str, Any]:
    raw = document.as_dict()
    raw.pop("action")
    return raw | {"health": remedy(document.action, one=True) or "ok"}


def _percent(part: int, whole: int) -> str:
    # Rounded down, so that only what is complete reads as 100 %.
    return f"{100 * part // whole} %"
