"""Cases and their documents as text, in the requirement's words, and as facts for programs."""

from __future__ import annotations

from collections import Counter
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NotRequired, get_type_hints

from typing_extensions import TypedDict

from casetrack.api.text import head_of
from casetrack.api.text.work import LISTED, relative
from casetrack.base.editions import LEGAL, edition
from casetrack.base.records.shape import json_type
from casetrack.editions.legal.cases import CASE, Cases
from casetrack.faces.mcp.asking import plain
from casetrack.faces.mcp.failures import error_text
from casetrack.faces.mcp.outputs import QUOTED
from casetrack.faces.mcp.render.pieces import (
    METHODS,
    counted,
    duration,
    home_path,
    one_line,
    size,
    table,
)
from casetrack.faces.mcp.results import answer, bounded_collection, onward, source_links
from casetrack.faces.mcp.session import in_thread
from casetrack.faces.mcp.steps import See, here

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcp.types import CallToolResult

    from casetrack.api.collection import Collection
    from casetrack.base.provenance import Provenance
    from casetrack.base.records import (
        CollectionInfo,
        CollectionStats,
        Document,
        FileOutcome,
        IngestReport,
    )
    from casetrack.faces.mcp.results import Portion
    from casetrack.faces.mcp.session import Session

# Which case a call is about: the one it names, or the active one of its connection.

CaseName = str | None
"""The optional parameter of every tool that works on a case."""


async def locate_case(session: Session, name: str | None, /) -> Collection:
    """Return the case called *name*, or the active one where it is ``None``.

    Raises
    ------
    NoActiveCollection, ActiveCollectionGone
        See :meth:`casetrack.faces.mcp.session.Session.collection`.
    CollectionNotFound, AmbiguousName
        See :meth:`casetrack.editions.legal.cases.Cases.find`.
    """
    if name is None:
        return await in_thread(partial(session.collection, None))
    return await in_thread(partial(Cases(session.library).get, name))


NEXT_STEP = f"Ingest documents with {See('ingest')}."
ACTIVE_NOW = "This is now your active case."
NO_CASES = f"Create one with {See('case create')}."
_LIST_CHARS = 300


def short_id(info: CollectionInfo, /) -> str:
    """Return as much of a case's ID as tells it from others."""
    return info.id[:8]


def kind_text(kind: str, /) -> str:
    """Return a kind of case or document as people write it.

    Examples
    --------
    >>> kind_text("personal_injury")
    'Personal Injury'
    """
    return kind.replace("_", " ").title()


def case_title(info: CollectionInfo, /) -> str:
    """Return a case's name, and its number where it has one: ``Smith v. Jones (24-cv-1234)``."""
    return f"{info.name} ({info.reference})" if info.reference else info.name


def created(info: CollectionInfo, said: str, /) -> str:
    """Return the answer of create_case; *said* is whether it is active now."""
    return (
        f'Created case "{info.name}" (ID: {short_id(info)}).\n'
        f"Type: {kind_text(info.type)}\n"
        f"{said}\n\n"
        f"Next: {here(NEXT_STEP)}"
    )


def amount(stats: CollectionStats, /) -> str:
    """Return how much a case holds: ``12 documents, 890 chunks``."""
    documents = counted(stats.document_count, "document")
    return f"{documents}, {counted(stats.chunk_count, 'chunk')}"


def cases_head(total: int, status: str, /) -> str:
    """Return the first line of a list of cases."""
    kind = "" if status == "all" else f" {status}"
    return f"Cases ({total:,}{kind}):"


def case_line(
    info: CollectionInfo, stats: CollectionStats | None, problem: str, /, *, active: bool
) -> str:
    """Return a case of a list, on two lines."""
    held = f"cannot be read: {problem}"
    if stats is not None:
        held = amount(stats).replace(", ", " | ", 1)
    number = f"{one_line(info.reference)} | " if info.reference else ""
    return (
        f"{'*' if active else ' '} {info.name} [{info.status.upper()}]"
        f"{' <-- current' if active else ''}\n"
        f"  {number}{kind_text(info.type)} | {held} | Created {info.created_at:%Y-%m-%d}"
    )


def case_details(
    info: CollectionInfo, stats: CollectionStats, documents: Sequence[str], tier: str, /
) -> str:
    """Return the answer of get_case_info.

    Parameters
    ----------
    documents
        A line for each document that is listed.
    tier
        What the tier in force is called.
    """
    number = f"Number: {one_line(info.reference)}\n" if info.reference else ""
    listed = "\n".join([f"Documents ({stats.document_count:,}):", *documents])
    pages = counted(stats.page_count, "page")
    return (
        f"Case: {info.name}\n"
        f"{number}"
        f"Type: {kind_text(info.type)} | Status: {info.status.capitalize()}\n"
        f"Created: {info.created_at:%Y-%m-%d}\n\n"
        f"{listed}\n\n"
        f"Total: {pages}, {counted(stats.chunk_count, 'chunk')}\n"
        f"Storage: {size(stats.storage_bytes)} (embeddings + index)\n"
        f"Embedders: {info.profile}, BM25 ({tier} tier)"
    )


def document_line(document: Document, /) -> str:
    """Return a document of a list: ``Complaint.pdf - 45 pages, 234 chunks (Native extraction)``."""
    pages = counted(document.page_count, "page")
    held = f"{pages}, {counted(document.chunk_count, 'chunk')}"
    reading = extraction(document).replace("Native text", "Native extraction")
    return f"{one_line(document.name)} - {held} ({reading})"


def not_taken(outcome: FileOutcome, /) -> str:
    """Return why a file is not in the case, and what to do."""
    if outcome.code == "unsupported_format":
        from casetrack.keep.sync.scan import documents_read

        formats = ", ".join(dict.fromkeys(e.removeprefix(".").upper() for e in documents_read()))
        path = PurePath(outcome.path)
        return (
            f"Unsupported file format: {path.suffix.lower() or path.name}\n\n"
            f"Supported formats: {formats}, and source code"
        )
    return error_text(outcome.code, outcome.message, outcome.hint, edition(LEGAL))


def ingested(
    outcome: FileOutcome,
    document: Document,
    info: CollectionInfo,
    grown: int,
    attachments: Sequence[Mapping[str, Any]],
    notes: Sequence[str],
    /,
) -> str:
    """Return the answer of ingest_document.

    Parameters
    ----------
    document
        What the file is in the case.
    grown
        Bytes that the case takes more.
    attachments
        What programs are told of the files that came inside it.
    notes
        What else is to be known.
    """
    verb = "Updated" if outcome.updated else "Ingested"
    verb += " in part" if outcome.status == "partial" else ""
    rows = [
        ("Pages", f"{document.page_count:,}"),
        ("Chunks", f"{document.chunk_count:,}"),
        ("Type", document.shown_type and kind_text(document.shown_type)),
        ("Extraction", extraction(document)),
        ("Embedders", f"{info.profile}, BM25"),
        ("Duration", duration(outcome.seconds)),
        ("Storage", size(grown)),
        ("ID", document.document_id),
    ]
    said = [
        *([f"Not read: {one_line(outcome.message)}"] if outcome.status == "partial" else []),
        *(f"Warning: {one_line(warning)}" for warning in outcome.warnings),
        *(f'Attachment "{one_line(a["path"])}": {a["status"]}' for a in attachments),
        *(f"Note: {one_line(note)}" for note in notes),
    ]
    blocks = [
        f'{verb} "{one_line(document.name)}" into {info.name}',
        table(rows),
        *(["\n".join(said)] if said else []),
        "This document is now searchable.",
    ]
    return "\n\n".join(blocks)


def folder(
    report: IngestReport,
    info: CollectionInfo,
    root: PurePath,
    listed: Sequence[FileOutcome],
    more: str | None,
    /,
) -> str:
    """Return the answer of ingest_folder; *listed* are the files that it may name."""
    supported = [o for o in report.outcomes if o.code != "unsupported_format"]
    count = Counter[str](o.status for o in supported)
    taken, ignored = count["ingested"] + count["partial"], len(report.outcomes) - len(supported)
    rows = [
        ("Folder", one_line(home_path(str(root))).rstrip("/\\") + "/"),
        ("Found", counted(len(supported), "supported file")),
        ("Succeeded", f"{taken:,}"),
        ("In part", f"{count['partial']:,}" if count["partial"] else ""),
        ("Skipped", f"{count['skipped']:,}" if count["skipped"] else ""),
        ("Failed", f"{count['failed']:,}"),
        ("Ignored", f"{ignored:,} (format not supported)" if ignored else ""),
        ("Duration", duration(report.seconds)),
    ]
    state = "stopped" if report.cancelled else "complete"
    blocks = [f"Batch ingestion {state} for {info.name}", table(rows)]
    for title, status in (("Failures", "failed"), ("In part", "partial"), ("Skipped", "skipped")):
        lines = [
            f"  - {relative(o.path, root)}: {' '.join(o.message.split())}"
            for o in listed
            if o.status == status and o.code != "unsupported_format"
        ][:LISTED]
        if lines:
            left = count[status] - len(lines)
            lines += [f"  ... {left:,} more"] if left > 0 else []
            blocks.append(f"  {title}:\n" + "\n".join(lines))
    return "\n\n".join([*blocks, *([more] if more else []), *report.notes])


def extraction(document: Document, /) -> str:
    """Return how a document was read, recognised text with how sure that is."""
    said = METHODS.get(document.extraction_method, document.extraction_method)
    sure = document.ocr_confidence
    return said if sure is None else f"{said}, {sure:.0%} confidence"


def case_facts(
    info: CollectionInfo, is_active: bool, amounts: dict[str, int | None], problem: str, /
) -> dict[str, Any]:
    """Return what programs are told of a case."""
    return {
        **CASE.of(bounded_collection(info, _LIST_CHARS)),
        "is_active": is_active,
        **amounts,
        "problem": problem,
    }


# Answers of the tools that work on any collection, told as those of a case.


def of_case(result: CallToolResult, info: CollectionInfo, /, **facts: Any) -> CallToolResult:
    """Return an answer in terms of cases.

    Parameters
    ----------
    result
        The answer; it is changed.
    info
        The case.
    facts
        What is told of it besides.
    """
    if result.is_error:
        return result
    raw = dict(result.structured_content or {})
    if "collection" in raw:
        raw = {("case" if key == "collection" else key): value for key, value in raw.items()}
        raw["case"] = case_title(info)
    result.structured_content = raw | facts
    return result


def case_form(kind: Any, /, **more: Any) -> Any:
    """Return the type of such an answer: that of the same tool on any collection.

    Parameters
    ----------
    kind
        That type.
    more
        What is told besides where the work is done.
    """
    form = json_type(kind)
    fields: dict[str, Any] = {}
    for name, hint in get_type_hints(form).items():
        told = hint if name in form.__required_keys__ else NotRequired[hint]
        fields["case" if name == "collection" else name] = told
    make: Any = TypedDict
    added = {name: NotRequired[json_type(hint)] for name, hint in more.items()}
    return make(f"Case{kind.__name__}", fields | added)


def quoting(
    case: Collection,
    found: Any,
    shown: Portion[Any],
    sources: Sequence[Provenance],
    facts: dict[str, Any],
    /,
) -> CallToolResult:
    """Return a part of a list whose entries quote documents of a case.

    Parameters
    ----------
    found, shown
        The answer, and the part of its list.
    sources
        The places that the entries quote.
    facts
        The structured form, without what every such answer has.
    """
    texts = [plain(head_of(found)), *shown.blocks, onward(shown.next_offset), QUOTED]
    return answer(
        "\n\n".join(filter(None, texts)),
        {"collection": case.info.name, "notice": QUOTED, **facts, "next_offset": shown.next_offset},
        source_links(case.info.id, sources),
    )
