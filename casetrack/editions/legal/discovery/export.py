"""Export of documents as a production: DAT, OPT, natives, text and images.

Documents of a load file are exported byte for byte; others get numbers and the usual fields.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Annotated, Any

from casetrack.base.errors import Opt, UsageError
from casetrack.base.files import storage_errors
from casetrack.editions.legal.discovery.families import (
    chosen_documents,
    family_trees,
    is_row,
    metadata,
    with_families,
)
from casetrack.editions.legal.discovery.fields import LINE_BREAK, Dialect
from casetrack.editions.legal.discovery.loadfile import Row, write_image_lines, write_rows
from casetrack.editions.legal.operation import (
    READS,
    Arg,
    ChosenDocuments,
    ChosenProduction,
    ChosenTag,
    PathRef,
    WithFamilies,
    operation,
)
from casetrack.editions.legal.records.load_files import ProductionExport
from casetrack.extract.papers.places import BatesRange, bates_key, read_bates
from casetrack.ingest.plan import file_facts
from casetrack.store.originals import copy_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from casetrack.api.collection import Collection
    from casetrack.base.records import Document
    from casetrack.editions.legal.discovery.families import FamilyTree
    from casetrack.store.workspace import State

# The folder of a production during the export: its files, images and missing files.


@dataclass(slots=True)
class Out:
    """A production during the export."""

    state: State
    folder: Path
    natives: int = 0
    texts: int = 0
    images: int = 0
    own_texts: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)

    def copy(self, source: Path | None, target: PurePath) -> bool:
        """Copy a file into the folder; return whether it exists there."""
        path = self.folder / target
        if source is None or not source.is_file():
            return False
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, path)
        return True

    def write_text(self, document: Document, target: PurePath) -> None:
        """Write the stored text of a document, with form feeds between pages."""
        from casetrack.api.collection.listing import pages_of

        pages = pages_of(self.state.chunks_of(document))
        path = self.folder / target
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes("\f".join(page.text for page in pages).encode("utf-8", "replace"))

    def original_file(self, document: Document) -> Path | None:
        """Return the unchanged file of a document, if it still exists."""
        copy = document.original_copy
        own = None if document.is_remote or document.parent_id else Path(document.path)
        for path in (copy_of(self.state.workspace.folder, copy) if copy else None, own):
            if path is not None and path.is_file() and file_facts(path).hash == document.file_hash:
                return path
        return None


def write_images(out: Out, rows: Sequence[Mapping[str, Any]], name: str | None) -> Path | None:
    """Write the image file and the images in their original order."""
    listed = sorted(
        (fields for fields in rows if fields.get("image_file")),
        key=lambda t: t["image_file"]["line"],
    )
    if not listed:
        return None
    base = common_folder(rows)
    own = listed[0]["image_file"]
    dialect = Dialect.of(own, separator=",", qualifier="")
    goal = PurePath(os.path.relpath(own["path"], base))
    path = out.folder / goal.with_name(f"{name}.opt" if name else goal.name)
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [line for fields in listed for line in fields["images"]]
    path.write_bytes(write_image_lines(dialect, lines))
    for fields in listed:
        for picture in fields["image_file"]["pictures"]:
            if out.copy(Path(picture), PurePath(os.path.relpath(picture, base))):
                out.images += 1
            else:
                out.lost.append(f"{fields['control_number']} ({PurePath(picture).name})")
    return path


def _paths(fields: Mapping[str, Any]) -> list[str]:
    """Return all files of a row: load files, native, text and images."""
    images = fields.get("image_file") or {"path": None, "pictures": []}
    paths = [fields["load_file"]["path"], *fields["load_file"]["files"].values(), images["path"]]
    return [path for path in (*paths, *images["pictures"]) if path]


def common_folder(rows: Iterable[Mapping[str, Any]], /) -> str:
    """Return the common folder of all files of some rows."""
    return os.path.commonpath([str(Path(path).parent) for row in rows for path in _paths(row)])


def report(
    out: Out,
    load_file: Path,
    image_file: Path | None,
    count: int,
    ranges: Sequence[tuple[str | None, str | None]],
    given: int,
    /,
) -> ProductionExport:
    """Return the written counts, and the differences to the original."""
    notes = []
    if out.own_texts:
        notes.append(
            f"{len(out.own_texts):,} text files of the production no longer exist; the text read "
            f"by CaseTrack was written instead: {_first_names(out.own_texts)}."
        )
    if out.lost:
        notes.append(f"{len(out.lost):,} files no longer exist: {_first_names(out.lost)}.")
    return ProductionExport(
        str(out.folder),
        str(load_file),
        str(image_file) if image_file else None,
        document_count=count,
        native_count=out.natives,
        text_count=out.texts,
        image_count=out.images,
        ranges=tuple(map(str, _joined_ranges(ranges))),
        numbered=given,
        notes=tuple(notes),
    )


def _joined_ranges(pairs: Sequence[tuple[str | None, str | None]]) -> list[BatesRange]:
    """Return ranges, with consecutive ones joined."""
    ranges: list[BatesRange] = []
    for begin, end in pairs:
        first, last = read_bates(begin or ""), read_bates(end or begin or "")
        if first is None or last is None:
            continue
        before = ranges[-1] if ranges else None
        if before and before.key == first.key and first.first == before.last + 1:
            ranges[-1] = BatesRange(before.prefix, before.first, last.last, before.width)
        else:
            ranges.append(BatesRange(first.prefix, first.first, last.last, first.width))
    return ranges


def _first_names(names: Sequence[str]) -> str:
    shown = ", ".join(names[:5])
    return shown if len(names) <= 5 else f"{shown} and {len(names) - 5:,} more"


# Export of documents without a common load file: numbers and usual fields.

COLUMNS = (
    *("BEGBATES", "ENDBATES", "BEGATTACH", "ENDATTACH", "PARENTID", "ATTACHIDS", "CUSTODIAN"),
    *("FROM", "TO", "CC", "BCC", "SUBJECT", "DATESENT", "TIMESENT", "AUTHOR", "TITLE"),
    *("DATECREATED", "DATEMOD", "FILENAME", "FILEEXT", "FILESIZE", "DOCTYPE", "PAGECOUNT"),
    *("SHA256HASH", "MESSAGEID", "NATIVEPATH", "TEXTPATH"),
)
"""Fields of a production that CaseTrack numbers."""


def write_numbered(
    out: Out,
    chosen: Sequence[Document],
    trees: Mapping[str, FamilyTree],
    name: str,
    numbers: tuple[str, int, int],
    /,
) -> ProductionExport:
    """Write documents with the usual fields and control numbers, families together.

    *name* is the name of the DAT file without its suffix; *numbers* are prefix, first number and
    digits for documents without one.
    """
    wanted = {document.document_id for document in chosen}
    ordered = sorted(chosen, key=lambda d: (trees[d.document_id].order, d.path))
    written = [d for d in with_families(ordered, trees) if d.document_id in wanted]
    ranges, given = _ranges(written, numbers)
    more = dict.fromkeys(
        column
        for document in written
        if is_row(document)
        for column in (metadata(document)["fields"] or {})
        if column not in COLUMNS
    )
    rows = []
    for document in written:
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
    image_file = write_images(out, [metadata(d) for d in written if is_row(d)], None)
    return report(out, load_file, image_file, len(rows), list(ranges.values()), given)


def _ranges(
    documents: Sequence[Document], numbers: tuple[str, int, int]
) -> tuple[dict[str, tuple[str, str]], int]:
    """Return the first and last number of each document, and the count of new ones."""
    prefix, at, digits = numbers
    ranges: dict[str, tuple[str, str]] = {}
    taken = []
    for document in documents:
        fields = metadata(document) if is_row(document) else {}
        begin = fields.get("bates_begin") or fields.get("control_number")
        if begin:
            ranges[document.document_id] = begin, fields.get("bates_end") or begin
            taken.append(read_bates(ranges[document.document_id][1]))
    same = [span.last for span in taken if span and span.key == bates_key(prefix)]
    at = max([at, *(last + 1 for last in same)])
    given = 0
    for document in documents:
        if document.document_id in ranges:
            continue
        span = BatesRange(prefix, at, at + max(document.page_count, 1) - 1, digits)
        ranges[document.document_id] = span.label(span.first), span.label(span.last)
        at, given = span.last + 1, given + 1
    return ranges, given


def _values(
    out: Out, document: Document, ranges: Mapping[str, tuple[str, str]], tree: FamilyTree
) -> dict[str, str]:
    facts = dict(document.properties)
    begin, end = ranges[document.document_id]
    family = [ranges[m.document_id] for m in tree.members if m.document_id in ranges]
    parent = tree.parent_of(document)
    fields = metadata(document) if is_row(document) else {}
    suffix = PurePath(document.original_copy or document.path).suffix.lower()
    native = PurePath("NATIVES", f"{begin}{suffix}")
    text = PurePath("TEXT", f"{begin}.txt")
    source = out.original_file(document) if fields.get("read_from", "native") == "native" else None
    if out.copy(source, native):
        out.natives += 1
    elif fields.get("read_from", "native") == "native":
        out.lost.append(f"{begin} (native of {document.name})")
    out.write_text(document, text)
    out.texts += 1
    sent = document.content_created_at if "from" in facts else None
    created = document.content_created_at if "from" not in facts else None
    changed = document.content_modified_at
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
        "CUSTODIAN": fields.get("custodian") or "",
        **{name.upper(): facts.get(name, "") for name in ("from", "to", "cc", "bcc", "subject")},
        "DATESENT": sent.strftime("%m/%d/%Y") if sent else "",
        "TIMESENT": sent.strftime("%H:%M:%S") if sent else "",
        "AUTHOR": document.author or "",
        "TITLE": document.title or "",
        "DATECREATED": created.strftime("%m/%d/%Y") if created else "",
        "DATEMOD": changed.strftime("%m/%d/%Y") if changed else "",
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
    for column, value in (fields.get("fields") or {}).items():
        # Fields of the load file are kept; files and numbers are those of the new production.
        if own.get(column) == "":
            own[column] = value
    return own


@operation("discovery export", READS)
def export_production(
    collection: Collection,
    folder: Annotated[PathRef, Arg(cli="FOLDER")],
    /,
    *,
    documents: ChosenDocuments = None,
    production: ChosenProduction = None,
    tag: ChosenTag = None,
    families: WithFamilies = True,
    name: Annotated[str | None, Arg(cli="--name NAME")] = None,
    prefix: Annotated[str, Arg(cli="--prefix TEXT")] = "DOC",
    start: Annotated[int, Arg(cli="--start N", ge=0)] = 1,
    digits: Annotated[int, Arg(cli="--digits N", ge=1, le=12)] = 6,
) -> ProductionExport:
    """Write documents as a production: DAT, OPT, natives, texts and images.

    If all documents come from one load file, its fields, delimiters, encoding and paths are kept,
    and rows, image lines and files are written unchanged. Otherwise documents get the usual fields
    and, if missing, a control number; text files contain the text that CaseTrack read.

    Parameters
    ----------
    folder
        A new or empty folder.
    documents, production, tag
        Selection of documents; default: all.
    families
        Whether to include the families of the selected documents.
    name
        Name of the DAT file without its suffix; default: that of the production.
    prefix
        Prefix of Bates numbers for documents without one, one per page.
    start
        The first new number.
    digits
        Digits of a new number.

    Raises
    ------
    UsageError
        The folder is not empty, no document is selected, or the numbers do not fit.
    DocumentNotFound, AmbiguousName
        No document matches, or several have the name.
    StorageError
        A file cannot be written.
    """
    target = Path(folder).expanduser().absolute()
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise UsageError(f"{target} is not empty.", hint="Use a new folder, or empty this one.")
    if start < 0 or not 1 <= digits <= 12 or (read_bates(f"{prefix}{start:0{digits}d}") is None):
        raise UsageError(
            f"{prefix!r} with {digits} digits from {start} is not a valid format of Bates numbers.",
            hint="Use letters and a hyphen as prefix, and 1 to 12 digits: "
            f"{Opt(prefix='ABC', digits='6')}.",
        )
    state = collection.workspace.state()
    chosen = chosen_documents(
        state,
        documents=documents,
        production=production,
        tagged=None if tag is None else collection.marks.documents(tag=tag, starred=False),
    )
    trees = family_trees(state)
    if families:
        chosen = with_families(chosen, trees)
    if not chosen:
        raise UsageError(
            "No document is selected.", hint="Name documents, a production or an existing tag."
        )
    out = Out(state, target)
    with storage_errors(target):
        target.mkdir(parents=True, exist_ok=True)
        origin = _common_load_file(chosen)
        if origin is not None:
            return _write_unchanged(out, chosen, origin, name)
        return write_numbered(out, chosen, trees, name or "production", (prefix, start, digits))


# --- documents of one load file ---------------------------------------------------------------


def _common_load_file(chosen: Sequence[Document]) -> Mapping[str, Any] | None:
    """Return the load file of all documents; ``None`` if there is none or several."""
    origins: dict[tuple[object, ...], Mapping[str, Any]] = {}
    for document in chosen:
        origin = metadata(document).get("load_file")
        if origin is None or (document.parent_id is None and not is_row(document)):
            return None
        if document.parent_id is None:
            origins[origin["path"], origin["header"], origin["encoding"]] = origin
    return next(iter(origins.values())) if len(origins) == 1 else None


def _write_unchanged(
    out: Out, chosen: Sequence[Document], origin: Mapping[str, Any], name: str | None
) -> ProductionExport:
    rows = [(metadata(d), d) for d in chosen if d.parent_id is None]
    rows.sort(key=lambda pair: (pair[0]["row"] is None, (pair[0]["row"] or {}).get("line", 0)))
    dialect = Dialect.of(origin)
    base = common_folder(fields for fields, _ in rows)
    own_path = PurePath(os.path.relpath(origin["path"], base))
    load_file = out.folder / own_path.with_name(f"{name}.dat" if name else own_path.name)
    header = Row(1, (), dialect.decode(bytes.fromhex(origin["header"])))
    written = [
        Row(
            row["line"],
            tuple(fields["fields"].values()),
            dialect.decode(bytes.fromhex(row["written"])) if "written" in row else None,
            row.get("end"),
        )
        for fields, _ in rows
        if (row := fields["row"]) is not None
    ]
    load_file.parent.mkdir(parents=True, exist_ok=True)
    load_file.write_bytes(write_rows(dialect, header, written))
    image_file = write_images(out, [fields for fields, _ in rows], name)
    for fields, document in rows:
        files = fields["load_file"]["files"]
        for role, path in files.items():
            goal = PurePath(os.path.relpath(path, base))
            is_read = fields["read_from"] == role
            source = out.original_file(document) if is_read else Path(path)
            if out.copy(source or Path(path), goal):
                out.natives += role == "native"
                out.texts += role == "text"
            elif role == "text":
                out.write_text(document, goal)
                out.texts += 1
                out.own_texts.append(fields["control_number"])
            else:
                out.lost.append(f"{fields['control_number']} ({role})")
    ranges = [(fields["bates_begin"], fields["bates_end"]) for fields, _ in rows]
    return report(out, load_file, image_file, len(rows), ranges, 0)
