"""Numbers documents that came without a load file, and writes the usual fields of each."""

from __future__ import annotations

from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from casetrack.editions.legal.discovery.chosen import is_row, metadata
from casetrack.editions.legal.discovery.dialects import LINE_BREAK, Dialect
from casetrack.editions.legal.discovery.export_folder import (
    Out,
    common,
    paths,
    report,
    write_images,
)
from casetrack.editions.legal.discovery.loadfile import Row, write_rows
from casetrack.extract.papers.places import BatesRange, bates_key, read_bates

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from casetrack.base.records import Document
    from casetrack.editions.legal.discovery.families import FamilyTree
    from casetrack.editions.legal.records.load_files import ProductionExport

COLUMNS = (
    *("BEGBATES", "ENDBATES", "BEGATTACH", "ENDATTACH", "PARENTID", "ATTACHIDS", "CUSTODIAN"),
    *("FROM", "TO", "CC", "BCC", "SUBJECT", "DATESENT", "TIMESENT", "AUTHOR", "TITLE"),
    *("DATECREATED", "DATEMOD", "FILENAME", "FILEEXT", "FILESIZE", "DOCTYPE", "PAGECOUNT"),
    *("SHA256HASH", "MESSAGEID", "NATIVEPATH", "TEXTPATH"),
)
"""Fields of a production that CaseTrack numbers itself."""


def numbered(
    out: Out,
    chosen: Sequence[Document],
    trees: Mapping[str, FamilyTree],
    name: str,
    numbers: tuple[str, int, int],
    /,
) -> ProductionExport:
    """Write documents with the usual fields, families together, each with a control number.

    Parameters
    ----------
    name
        Of the DAT file, without its ending.
    numbers
        Prefix, first number and digits of those that have none.
    """
    wanted = {document.document_id for document in chosen}
    order: dict[str, Document] = {}
    for document in sorted(chosen, key=lambda d: (trees[d.document_id].order, d.path)):
        for member in trees[document.document_id].members:
            if member.document_id in wanted:
                order.setdefault(member.document_id, member)
    ranges, given = _ranges(list(order.values()), numbers)
    more = dict.fromkeys(
        column
        for document in order.values()
        if is_row(document)
        for column in (metadata(document)["fields"] or {})
        if column not in COLUMNS
    )
    rows = []
    for document in order.values():
        values = _values(out, document, ranges, trees[document.document_id])
        own = (metadata(document).get("fields") or {}) if is_row(document) else {}
        values |= {column: own.get(column, "") for column in more}
        line = (v.replace("\r\n", "\n").replace("\n", LINE_BREAK) for v in values.values())
        rows.append(Row(0, tuple(line)))
    data = out.folder / "DATA"
    data.mkdir()
    load_file = data / f"{name}.dat"
    dialect = Dialect()
    load_file.write_bytes(write_rows(dialect, Row(1, (*COLUMNS, *more)), rows))
    told = [metadata(document) for document in order.values() if is_row(document)]
    image_file = None
    if any(t.get("image_file") for t in told):
        base = common([Path(p) for t in told for p in paths(t)])
        image_file = write_images(out, told, base, None)
    return report(out, load_file, image_file, len(rows), list(ranges.values()), given)


def _ranges(
    documents: Sequence[Document], numbers: tuple[str, int, int]
) -> tuple[dict[str, tuple[str, str]], int]:
    """Return the first and last number of each document, and how many were given."""
    prefix, at, digits = numbers
    found: dict[str, tuple[str, str]] = {}
    taken = []
    for document in documents:
        told = metadata(document) if is_row(document) else {}
        begin = told.get("bates_begin") or told.get("control_number")
        if begin:
            found[document.document_id] = begin, told.get("bates_end") or begin
            taken.append(read_bates(found[document.document_id][1]))
    same = [span.last for span in taken if span and span.key == bates_key(prefix)]
    at = max([at, *(last + 1 for last in same)])
    given = 0
    for document in documents:
        if document.document_id in found:
            continue
        span = BatesRange(prefix, at, at + max(document.page_count, 1) - 1, digits)
        found[document.document_id] = span.label(span.first), span.label(span.last)
        at, given = span.last + 1, given + 1
    return found, given


def _values(
    out: Out, document: Document, ranges: Mapping[str, tuple[str, str]], tree: FamilyTree
) -> dict[str, str]:
    facts = dict(document.properties)
    begin, end = ranges[document.document_id]
    family = [ranges[m.document_id] for m in tree.members if m.document_id in ranges]
    parent = tree.parent_of(document)
    told = metadata(document) if is_row(document) else {}
    suffix = PurePath(document.original_copy or document.path).suffix.lower()
    native = PurePath("NATIVES", f"{begin}{suffix}")
    text = PurePath("TEXT", f"{begin}.txt")
    source = out.kept(document) if told.get("read_from", "native") == "native" else None
    if out.copy(source, native):
        out.natives += 1
    elif told.get("read_from", "native") == "native":
        out.lost.append(f"{begin} (native of {document.name})")
    out.write_text(document, text)
    out.texts += 1
    sent = document.content_created_at if "from" in facts else None
    created = document.content_created_at if "from" not in facts else None
    own = {
        "BEGBATES": begin,
        "ENDBATES": end,
        "BEGATTACH": family[0][0] if len(family) > 1 else "",
        "ENDATTACH": family[-1][1] if len(family) > 1 else "",
        "PARENTID": ranges.get(parent or "", ("", ""))[0],
        "ATTACHIDS": ";".join(
            ranges[m.document_id][0]
            for m in tree.members
            if tree.parent_of(m) == document.document_id and m.document_id in ranges
        ),
        "CUSTODIAN": told.get("custodian") or "",
        "FROM": facts.get("from", ""),
        "TO": facts.get("to", ""),
        "CC": facts.get("cc", ""),
        "BCC": facts.get("bcc", ""),
        "SUBJECT": facts.get("subject", ""),
        "DATESENT": sent.strftime("%m/%d/%Y") if sent else "",
        "TIMESENT": sent.strftime("%H:%M:%S") if sent else "",
        "AUTHOR": document.author or "",
        "TITLE": document.title or "",
        "DATECREATED": created.strftime("%m/%d/%Y") if created else "",
        "DATEMOD": (
            document.content_modified_at.strftime("%m/%d/%Y")
            if document.content_modified_at
            else ""
        ),
        "FILENAME": document.name,
        "FILEEXT": suffix.removeprefix("."),
        "FILESIZE": str(document.file_size),
        "DOCTYPE": document.document_type or "",
        "PAGECOUNT": str(document.page_count),
        "SHA256HASH": document.file_hash.upper(),
        "MESSAGEID": facts.get("message_id", ""),
        "NATIVEPATH": f"NATIVES\\{native.name}" if source else "",
        "TEXTPATH": f"TEXT\\{text.name}",
    }
    for column, value in (told.get("fields") or {}).items():
        # What a load file said of it counts; its files and numbers are those of this one.
        if own.get(column) == "":
            own[column] = value
    return own
