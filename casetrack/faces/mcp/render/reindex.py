"""Text and structured results of the tools about reindexing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from casetrack.api.text import head_of
from casetrack.base.provenance import iso_utc
from casetrack.base.records import UntakenFile
from casetrack.base.records.health import Action, DocumentIndex, IndexStatus
from casetrack.faces.mcp import render
from casetrack.faces.mcp.operation_tools import plain
from casetrack.faces.mcp.outputs import STATUS
from casetrack.faces.mcp.results import onward, page_of
from casetrack.faces.mcp.steps import name_tools
from casetrack.faces.mcp.texts import cut

LISTED_DOCUMENTS = 100
LISTED_FILES = 20
_REASON_CHARS = 500

_REMEDIES: dict[Action, str] = {
    "none": "",
    "pull_models": "ask the user to run `casetrack models pull`, then call reindex_collection",
    "reindex": "reindex_collection with skip_unchanged: true, reparse: false",
    "reparse": "reindex_collection with skip_unchanged: true",
    "verify": "get_index_status with document_filter compares the file itself",
    "settings": "check limits and OCR in config.toml, or the password; then ingest_document again",
    "file": "restore the file; until then its stored text remains searchable",
}
_REMEDIES_OF_ONE: dict[Action, str] = _REMEDIES | {
    "reindex": "reindex_document with reparse: false",
    "reparse": "reindex_document",
}


def remedy(action: Action, /, *, one: bool = False) -> str:
    """Return the tool or action that solves a problem, for a collection or for *one* document."""
    return (_REMEDIES_OF_ONE if one else _REMEDIES)[action]


def status_text(status: IndexStatus, shown: Mapping[str, Any], /) -> str:
    """Return the status of an index as text, with the documents that its result lists."""
    bounded = replace(
        status,
        untaken=tuple(
            replace(
                f,
                message=cut(f.message, _REASON_CHARS),
                hint=name_tools(cut(f.hint, _REASON_CHARS)),
            )
            for f in status.untaken
        ),
    )
    lines = [f'Index of "{status.collection}":', name_tools(plain(head_of(bounded)))]
    if not all(d.ok for d in status.documents):
        lines.append(f"Next: {remedy(status.action, one=len(status.documents) == 1)}")
    problematic = [d for d in shown["documents"] if d["problems"]]
    lines += [
        f"- {render.one_line(d['name'])}: {render.one_line(d['reason'])}" for d in problematic
    ]
    fine = len(shown["documents"]) - len(problematic)
    lines += [f"- {render.counted(fine, 'document')} without problems"] if fine else []
    return "\n".join([*lines, *([shown["more"]] if shown["more"] else [])])


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
        "next_offset": after,
        "more": onward(after) or "",
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
