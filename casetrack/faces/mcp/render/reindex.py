"""Text and structured results of the tools about reindexing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from casetrack.base.provenance import iso_utc
from casetrack.base.records.health import PROBLEMS
from casetrack.faces.mcp import render
from casetrack.faces.mcp.budget import page_of
from casetrack.faces.mcp.outputs import STATUS
from casetrack.faces.mcp.results import cut, onward

if TYPE_CHECKING:
    from collections.abc import Mapping

    from casetrack.base.records import UntakenFile
    from casetrack.base.records.health import Action, DocumentIndex, IndexStatus
    from casetrack.base.records.snapshots import ReindexReport

LISTED_DOCUMENTS = 100
LISTED_FILES = 20
_REASON_CHARS = 500

_REMEDIES: dict[Action, str] = {
    "none": "",
    "pull_models": "ask the user to run `casetrack models pull`, then call reindex_collection",
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


def reindexed_text(report: ReindexReport, shown: Mapping[str, Any], more: str | None, /) -> str:
    """Return what a reindex did.

    Parameters
    ----------
    report
        What it did.
    shown
        What of it is listed: ``failed_files``, ``missing_files`` and ``notes``.
    more
        How to go on, and how to see the others.
    """
    name = render.one_line(report.document or report.collection)
    size = f"{render.counted(report.documents, 'document')}, "
    size += render.counted(report.chunks, "chunk")
    if report.cancelled:
        lines = [f'Stopped; "{report.collection}" is whole.']
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
        failed = (f"{o['path']}: {o['message']}" for o in shown["failed_files"])
        lines += [f"- failed, kept as stored: {render.one_line(each)}" for each in failed]
    if report.missing_files:
        gone = render.counted(len(report.missing_files), "source file")
        lines.append(f"{gone} not found any more; what is stored of them was kept:")
        lines += [f"- {render.one_line(path)}" for path in shown["missing_files"]]
    lines += [more] if more else []
    return "\n".join([*lines, *(f"Note: {note}" for note in shown["notes"])])


def status_text(status: IndexStatus, shown: Mapping[str, Any], /) -> str:
    """Return the status of an index as text, with the documents that its result lists."""
    documents = render.counted(len(status.documents), "document")
    chunks = render.counted(status.chunks, "chunk")
    lines = [f'Index of "{status.collection}": {documents}, {chunks}, profile {status.profile}']
    if status.chunks:  # an empty collection has no shares
        shares = [f"{n} {_percent(c, status.chunks)}" for n, c in status.coverage.items()]
        lines.append(f"Coverage: {', '.join(shares)}")
    more = [shown["more"]] if shown["more"] else []
    lines += [
        f"- {file['status']}: {render.one_line(file['path'])}: {file['why']}"
        for file in shown["untaken"]
    ]
    rest = len(status.untaken) - len(shown["untaken"])
    lines += [f"- {rest:,} more files are not taken in"] if rest else []
    if all(d.ok for d in status.documents):
        return "\n".join([*lines, *([] if status.untaken else ["All is up to date."]), *more])
    for problem, count in status.problems.items():
        lines.append(f"- {render.counted(count, 'document')}: {PROBLEMS[problem]}")
    lines.append(f"Next: {remedy(status.action, one=len(status.documents) == 1)}")
    found = [d for d in shown["documents"] if d["problems"]]
    lines += [
        "",
        *(f"- {render.one_line(d['name'])}: {render.one_line(d['reason'])}" for d in found),
    ]
    fine = len(shown["documents"]) - len(found)
    if fine:
        lines.append(f"- {render.counted(fine, 'document')} without problems")
    return "\n".join([*lines, *more])


def status_result(status: IndexStatus, offset: int, /) -> dict[str, Any]:
    """Return the status of an index for programs; documents with problems come first."""
    ordered = sorted(status.documents, key=lambda d: d.ok)
    facts = STATUS.of(status) | {
        "document_count": len(ordered),
        "remedy": remedy(status.action, one=len(ordered) == 1),
        "offset": offset,
    }
    entries, after = page_of(ordered, _document, offset=offset, limit=LISTED_DOCUMENTS)
    return facts | {
        "documents": entries,
        "untaken": [_untaken(file) for file in status.untaken[:LISTED_FILES]],
        "untaken_count": len(status.untaken),
        "documents_omitted": max(0, len(ordered) - offset - len(entries)),
        "next_offset": after if entries else None,
        "more": (onward(after) if entries else None) or "",
    }


def _untaken(file: UntakenFile) -> dict[str, Any]:
    return {
        "path": file.path,
        "status": file.status,
        "code": file.code,
        "why": cut(file.why, _REASON_CHARS),
        "since": iso_utc(file.since),
    }


def _document(document: DocumentIndex) -> dict[str, Any]:
    raw = document.as_dict()
    raw.pop("action")
    reason = cut(document.reason, _REASON_CHARS)
    return raw | {"reason": reason, "health": remedy(document.action, one=True) or "ok"}


def _percent(part: int, whole: int) -> str:
    # Rounded down, so that only what is complete reads as 100 %.
    return f"{100 * part // whole} %"
