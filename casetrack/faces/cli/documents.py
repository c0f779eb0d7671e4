"""``casetrack documents``, ``document`` and ``delete``: what is in a collection."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from casetrack.faces.cli.collection import quoted, shown_id
from casetrack.faces.cli.options import CollectionOption, JsonOption
from casetrack.faces.cli.output import (
    Field,
    byte_text,
    counted,
    facts,
    line,
    record_table,
    write_json,
)
from casetrack.faces.cli.quotes import READ_FROM
from casetrack.faces.cli.state import State
from casetrack.faces.cli.upkeep import keep_up
from casetrack.faces.cli.upkeep import show as show_upkeep

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.base.records import Document, DocumentStructure
    from casetrack.base.records.sync import ExcludedFile

_FIELDS = (
    Field("Name", of="name"),
    Field("Format", extra=True, of="format"),
    Field("Type", extra=True, of=lambda d: d.shown_type),
    Field("Pages", of="page_count"),
    Field("Chunks", of="chunk_count"),
    Field("Size", "right", whole=True, extra=True, of=lambda d: byte_text(d.file_size)),
    Field("Ingested", whole=True, of="ingested_at"),
    Field("ID", whole=True, of=lambda d: shown_id(d.document_id)),
)


def documents(
    ctx: typer.Context,
    collection: CollectionOption = None,
    sort: Annotated[
        Literal["date", "name", "pages", "type"],
        typer.Option("--sort", help="What to sort by; date puts the newest first."),
    ] = "date",
    tag: Annotated[
        str | None, typer.Option("--tag", metavar="TAG", help="Only those that you have tagged so.")
    ] = None,
    starred: Annotated[
        bool, typer.Option("--starred", help="Only those that you have starred.")
    ] = False,
    excluded: Annotated[
        bool,
        typer.Option("--excluded", help="Instead, the files that were deleted with --exclude."),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """List the documents of a collection."""
    target = ctx.ensure_object(State).collection(collection)
    if excluded:
        _show_excluded(target.admin.excluded(), as_json=as_json)
        return
    found = target.documents(sort_by=sort, tag=tag, starred=starred)
    if as_json:
        write_json([d.as_dict() for d in found])
        return
    if not found and (tag is not None or starred):
        line("You have marked no document so. `casetrack marks` shows what you have marked.")
        return
    if not found:
        line(f'There are no documents in "{target.info.name}" yet.')
        line(f"Add some: casetrack ingest PATH -c {quoted(target.info.name)}")
        return
    from casetrack.base.records import Document

    record_table(Document, _FIELDS, found)


def _show_excluded(files: "Sequence[ExcludedFile]", *, as_json: bool) -> None:
    if as_json:
        write_json([f.as_dict() for f in files])
        return
    if not files:
        line("No file was taken out for good.")
        return
    from casetrack.base.records.sync import ExcludedFile

    fields = (
        Field("Name", of="name"),
        Field("File", of="path"),
        Field("Taken out", whole=True, of="excluded_at"),
    )
    record_table(ExcludedFile, fields, files)
    line(("To have one back, ingest it by its path.", "dim"))


NameArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="Name, path or ID of the document.")
]


def document(
    ctx: typer.Context,
    name: NameArgument,
    collection: CollectionOption = None,
    structure: Annotated[
        bool, typer.Option("--structure", help="Show its headings and where they stand.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Show everything known about one document, or its table of contents."""
    target = ctx.ensure_object(State).collection(collection)
    if structure:
        _show_structure(target.read.structure(name), as_json=as_json)
        return
    found = target.document(name)
    if as_json:
        write_json(found.as_dict())
        return
    facts(
        [
            ("Name", found.name),
            ("ID", found.document_id),
            ("File", found.path),
            ("Format", found.format),
            ("Type", found.document_type),
            ("Because of", found.document_type_evidence),
            *_legal(found, target.read.same_entry(found)),
            ("Attached to", found.parent_id),
            ("Title", found.title),
            ("Author", found.author),
            ("Written", found.content_created_at),
            ("Last changed", found.content_modified_at),
            *((n.replace("_", " ").capitalize(), v) for n, v in found.properties),
            ("Language", found.language),
            ("Pages", f"{found.page_count:,}"),
            ("Pages without text", f"{found.pages_without_text:,}"),
            ("Chunks", f"{found.chunk_count:,}"),
            ("Characters", f"{found.char_count:,}"),
            ("Read from", READ_FROM.get(found.extraction_method, found.extraction_method)),
            ("OCR", _ocr(found)),
            ("Not read", "\n".join(found.missing)),
            ("Size", byte_text(found.file_size)),
            ("SHA-256", found.file_hash),
            ("File changed", found.file_modified_at),
            ("Ingested", found.ingested_at),
            ("Updated", found.updated_at),
            ("Copy of original", found.original_copy),
            ("Source", found.source),
            ("Source's id", found.source_id),
            ("Address", found.source_url),
            ("Author there", found.source_author),
            ("Changed there", found.source_updated_at),
            ("Metadata", found.metadata),
            ("Pipeline", f"{found.pipeline} ({found.pipeline_fingerprint})"),
            ("Warnings", "\n".join(found.warnings)),
        ]
    )


def _legal(found: "Document", alike: "Sequence[Document]") -> list[tuple[str, object]]:
    """Return what is known of a paper of a case; nothing for any other document."""
    parties = [f"{p.name} ({p.role})" if p.role else p.name for p in found.parties or ()]
    entry = found.docket_entry
    if alike:
        names = ", ".join(d.name for d in alike)
        entry = f"{entry} (so is {names}: nothing tells which of them is meant)"
    return [
        ("Legal kind", found.legal_kind),
        ("Told by", found.legal_evidence),
        ("Paper", found.legal_title),
        ("Case", found.case_name),
        ("Case number", found.case_number),
        ("Court", found.court),
        ("Judge", found.judge),
        ("Parties", "\n".join(parties)),
        ("Filed", found.filed_on),
        ("Docket entry", entry),
        ("Witness", found.witness),
        ("Exhibit", found.exhibit),
        ("Reported at", "; ".join(found.own_citations or ())),
    ]


def _ocr(found: "Document") -> str | None:
    if not found.ocr_pages:
        return None
    sure = "" if found.ocr_confidence is None else f", confidence {found.ocr_confidence:.2f}"
    return f"{counted(found.ocr_pages, 'page')} by {found.ocr_engine}{sure}"


def _show_structure(found: "DocumentStructure", *, as_json: bool) -> None:
    if as_json:
        write_json(found.as_dict())
        return
    line((found.document.name, "bold cyan"), (f"  {found.document.page_count:,} pages", "dim"))
    for section in found.sections:
        place = section.citation.removeprefix(f"{found.document.name}, ")
        indent = "  " * section.level
        line(indent, section.title, (f"  {place} | chunk {section.chunk_id}", "dim"))
    if not found.sections:
        line("It has no headings.")
    kinds = ", ".join(f"{n:,} {kind}" for kind, n in found.paragraph_kinds.items())
    line((f"Paragraphs: {kinds}", "dim"))
    for attached in found.attachments:
        line("Attached: ", attached.name, (f"  {attached.document_id}", "dim"))


def delete(
    ctx: typer.Context,
    name: NameArgument,
    collection: CollectionOption = None,
    secure: Annotated[
        bool,
        typer.Option(
            "--secure",
            help="Take it out of every file at once, and all that was deleted earlier. Removes "
            "named snapshots, too.",
        ),
    ] = False,
    exclude: Annotated[
        bool,
        typer.Option(
            "--exclude", help="No sync takes its file in again, until you ingest that by its name."
        ),
    ] = False,
) -> None:
    """Remove a document from its collection; the file itself is not touched."""
    target = ctx.ensure_object(State).collection(collection)
    place = target.admin.brought_back_by(name)
    gone = target.delete_document(name, exclude=exclude)
    line(
        f'Deleted "{gone.name}" ({counted(gone.page_count, "page")}, '
        f'{counted(gone.chunk_count, "chunk")}) from "{target.info.name}".'
    )
    line(f"The file itself is untouched: {gone.path}")
    if exclude:
        line("No sync takes it in again. To have it back: casetrack ingest and its path.")
    elif place is not None:
        line((f"It lies in {place}, which is synced: the next sync takes it in again. ", "yellow"))
        line("To keep it out for good, delete it with --exclude.")
    if secure:
        report = target.admin.upkeep(secure=True, wait=True)
        if report is not None:
            show_upkeep(report)
    else:
        keep_up(target)
