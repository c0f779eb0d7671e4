"""``casetrack discovery``: threads, families, duplicates, productions in and out."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from casetrack.base.errors import UsageError
from casetrack.editions.legal.cli.authorities import answered, content_of
from casetrack.faces.cli.options import CollectionOption, CreateOption, JsonOption
from casetrack.faces.cli.output import Field, cell_text, counted, line, one_line, table, write_json
from casetrack.faces.cli.state import State

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from casetrack.api.collection import Collection
    from casetrack.editions.legal.records.families import Duplicates, Families, MailThreads
    from casetrack.editions.legal.records.load_files import LoadTrouble, ProductionLoad

_SHOWN = 20
DocumentOption = Annotated[
    str | None,
    typer.Option("--document", metavar="NAME", help="Only where this document has a part in it."),
]
LimitOption = Annotated[
    int | None, typer.Option("--limit", "-k", metavar="N", min=1, help="At most so many.")
]
SinglesOption = Annotated[
    bool, typer.Option("--singles", help="Also those that stand alone, as one of one.")
]
ChosenOption = Annotated[
    list[str] | None,
    typer.Option(
        "--document",
        metavar="NAME",
        help="These documents: name, path, ID or control number; may be repeated.",
    ),
]
ProductionOption = Annotated[
    str | None,
    typer.Option("--production", metavar="NAME", help="Those of a production that was loaded."),
]
TagOption = Annotated[
    str | None, typer.Option("--tag", metavar="TAG", help="Those with this tag of yours.")
]
FamiliesOption = Annotated[
    bool, typer.Option("--families/--no-families", help="Whole families, or these alone.")
]


def threads(
    ctx: typer.Context,
    collection: CollectionOption = None,
    document: DocumentOption = None,
    singles: SinglesOption = False,
    limit: LimitOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show which mails answer and forward which, and what says so.

    By the headers of the mails first, then by what they quote, and only where neither tells by
    subject, correspondents and time. Copies of a mail in several folders count once.
    """
    from casetrack.editions.legal.discovery.threads import mail_threads

    target = ctx.ensure_object(State).collection(collection)
    found = mail_threads(target, document=document, singles=singles, limit=limit)
    answered(found, _show_threads, as_json=as_json)


def _show_threads(found: "MailThreads") -> None:
    mails = f"{counted(found.mail_count, 'mail')}, {found.single_count:,} alone"
    copies = f", {counted(found.copy_count, 'further copy', 'further copies')}"
    line((counted(found.thread_count, "thread"), "bold"), f" ({mails}{copies})")
    for thread in found.threads:
        line()
        subject = one_line(thread.subject) or "(no subject)"
        line((f"{thread.thread}. {subject}", "bold"), f"  {counted(thread.mail_count, 'mail')}")
        for mail in thread.mails:
            basis = f"  ({', '.join(mail.basis)})" if mail.basis else ""
            indent = 3 + 2 * min(mail.depth, 12)
            copies = f"  +{counted(len(mail.copies), 'copy', 'copies')}" if mail.copies else ""
            line(
                f"{cell_text(mail.sent_at) or 'no time':16}  ",
                one_line(mail.sender) or "(no sender)",
                (f"  {mail.citation}{copies}{basis}", "dim"),
                indent=indent,
            )
        if thread.missing:
            line((f"not here: {', '.join(thread.missing)}", "dim"), indent=3)
    show_notes(found.notes)


def families(
    ctx: typer.Context,
    collection: CollectionOption = None,
    document: DocumentOption = None,
    singles: SinglesOption = False,
    limit: LimitOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what is attached to what, as files and load files say."""
    from casetrack.editions.legal.discovery.families import families as found_families

    target = ctx.ensure_object(State).collection(collection)
    found = found_families(target, document=document, singles=singles, limit=limit)
    answered(found, _show_families, as_json=as_json)


def _show_families(found: "Families") -> None:
    alone = f"{found.document_count:,} documents, {found.single_count:,} alone"
    line((counted(found.family_count, "family", "families"), "bold"), f" ({alone})")
    for family in found.families:
        line()
        span = "" if family.bates_begin is None else f"  {family.bates_begin}-{family.bates_end}"
        line((family.document, "bold"), span, (f"  by the {family.told_by}", "dim"))
        for member in family.members[1:]:
            number = f"  {member.control_number}" if member.control_number else ""
            line(member.document, (number, "dim"), indent=2 * member.depth)
        if family.absent:
            absent = ", ".join(family.absent)
            line((f"named as attached, and no document of it: {absent}", "dim"), indent=2)


def duplicates(
    ctx: typer.Context,
    collection: CollectionOption = None,
    near: Annotated[
        bool, typer.Option("--near/--exact", help="Compare texts too, or only what is the same.")
    ] = True,
    least: Annotated[
        float,
        typer.Option(
            "--least", metavar="0.5-1", help="Share of words from which texts are nearly the same."
        ),
    ] = 0.8,
    limit: LimitOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show documents that are the same, mails in several folders, and near duplicates."""
    from casetrack.editions.legal.discovery.duplicates import duplicates as found_duplicates

    target = ctx.ensure_object(State).collection(collection)
    found = found_duplicates(target, near=near, least=least, limit=limit)
    answered(found, _show_duplicates, as_json=as_json)


_KINDS = {"content": "the same", "message": "the same mail", "near": "nearly the same"}


def _show_duplicates(found: "Duplicates") -> None:
    near = "" if found.near_count is None else f", {found.near_count:,} nearly the same as another"
    line(
        (f"{found.exact_count:,} of {found.document_count:,} documents", "bold"),
        f" are the same as another{near}",
    )
    for group in found.groups:
        line()
        whose = f"  {'; '.join(group.custodians)}" if group.custodians else ""
        line((f"{group.group}. {_KINDS[group.kind]}", "bold"), (whose, "dim"))
        for one in group.documents:
            share = f"  {one.similarity:.0%}" if group.kind == "near" else ""
            line(one.control_number or one.path, (share, "dim"), indent=3)
    show_notes(found.notes)


def load(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="DAT", help="The load file of a production.")],
    collection: CollectionOption = None,
    images: Annotated[
        Path | None,
        typer.Option("--opt", metavar="FILE", help="Its OPT file. [default: that of its name]"),
    ] = None,
    root: Annotated[
        Path | None,
        typer.Option("--root", metavar="FOLDER", help="Folder that its paths start from."),
    ] = None,
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="What the production is called.")
    ] = None,
    encoding: Annotated[
        str | None, typer.Option("--encoding", metavar="CODEC", help="Such as cp1252 or utf-16.")
    ] = None,
    separator: Annotated[
        str | None, typer.Option("--separator", metavar="SIGN", help="What parts the fields.")
    ] = None,
    qualifier: Annotated[
        str | None, typer.Option("--qualifier", metavar="SIGN", help="What stands around each.")
    ] = None,
    create: CreateOption = False,
    check: Annotated[
        bool, typer.Option("--check", help="Only check the load file; store nothing.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Take a production into a case by its load file (Concordance DAT, Opticon OPT).

    Every row becomes a document with its fields, its family and its Bates numbers, read from its
    native file, else from its text, else from its images; what is wrong with the load file is said
    by line, and nothing of it is lost. Exit code 1 says that something is wrong.
    """
    from casetrack.editions.legal.discovery.load import load_production
    from casetrack.faces.cli.progress import Meter, long_work

    state = ctx.ensure_object(State)
    target = _to_fill(state, collection, file, create=create and not check)
    found = long_work(
        state,
        "sync",
        lambda progress, cancel: load_production(
            target,
            file,
            image_file=images,
            root=root,
            name=name,
            encoding=encoding,
            separator=separator,
            qualifier=qualifier,
            dry_run=check,
            progress=progress,
            cancel=cancel,
        ),
        title=f"Load of {file.name}",
        collection=target.info,
        meter=Meter("Loading"),
    )
    answered(found, _show_load, as_json=as_json)
    return int(bool(found.failed or any(t.kind != "gap" for t in found.troubles)))


def _to_fill(state: State, name: str | None, file: Path, *, create: bool) -> "Collection":
    if create and name is None:
        raise UsageError("--create needs the name of the collection.", hint="Add it with -c NAME.")
    if create:
        return state.library.get_or_create(str(name), [file])
    return state.collection_to_fill(name)


def _show_load(found: "ProductionLoad") -> None:
    _troubles(found.troubles)
    _troubles(found.failed)
    line((found.production, "bold"), f"  {', '.join(found.ranges) or 'no Bates numbers'}")
    what = counted(found.document_count, "document")
    families = counted(found.family_count, "family", "families")
    line(f"{what}, {families}, {counted(found.attachment_count, 'attachment')}")
    if found.custodians:
        line(f"Custodians: {'; '.join(found.custodians)}")
    if found.gaps:
        line(f"Missing numbers: {', '.join(found.gaps)}")
    if found.dry_run:
        line("Checked only; nothing was stored.")
        return
    words = {
        "native": "natives",
        "text": "text files",
        "field": "the load file's text",
        "images": "images",
        "row": "their row alone",
    }
    read = ", ".join(f"{n:,} from {words[way]}" for way, n in found.read_from.items() if n)
    line(f"{found.loaded_count:,} are in the collection: {read or 'none'}")
    show_notes(found.notes)


def _troubles(troubles: "Sequence[LoadTrouble]") -> None:
    for trouble in troubles[:_SHOWN]:
        line((f"{trouble.kind}: ", "yellow"), trouble.text)
    if len(troubles) > _SHOWN:
        line((f"and {len(troubles) - _SHOWN:,} more; --json has all of them.", "dim"))


def export(
    ctx: typer.Context,
    to: Annotated[Path, typer.Argument(metavar="FOLDER", help="A new or empty folder.")],
    collection: CollectionOption = None,
    document: ChosenOption = None,
    production: ProductionOption = None,
    tag: TagOption = None,
    families: FamiliesOption = True,
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="What the DAT file is called.")
    ] = None,
    prefix: Annotated[
        str,
        typer.Option("--prefix", metavar="TEXT", help="Of the numbers of those that have none."),
    ] = "DOC",
    start: Annotated[
        int, typer.Option("--start", metavar="N", min=0, help="The first of these numbers.")
    ] = 1,
    digits: Annotated[
        int, typer.Option("--digits", metavar="N", min=1, max=12, help="Digits of a number.")
    ] = 6,
    as_json: JsonOption = False,
) -> None:
    """Write documents as a production: DAT, OPT, natives, texts and images.

    What came with a load file leaves as it came, byte for byte; other documents are numbered and
    get the usual fields.
    """
    from casetrack.editions.legal.discovery.export import export_production

    target = ctx.ensure_object(State).collection(collection)
    found = export_production(
        target,
        to,
        documents=document,
        production=production,
        tag=tag,
        families=families,
        name=name,
        prefix=prefix,
        start=start,
        digits=digits,
    )
    if as_json:
        write_json(found.as_dict())
        return
    line(("Wrote ", "bold"), found.load_file)
    if found.image_file:
        line(("Wrote ", "bold"), found.image_file)
    counts = (
        counted(found.document_count, "document"),
        counted(found.native_count, "native"),
        counted(found.text_count, "text"),
        counted(found.image_count, "image"),
    )
    line(f"{', '.join(counts)}; {', '.join(found.ranges)}")
    if found.numbered:
        line(f"{counted(found.numbered, 'document')} had no number and got one.")
    show_notes(found.notes)


def show_notes(notes: "Iterable[str]", /) -> None:
    """Write what a reader must know, a line each."""
    for note in notes:
        line((f"Note: {note}", "dim"))


# ``casetrack discovery privilege``: the log of what is withheld.


def privilege(
    ctx: typer.Context,
    collection: CollectionOption = None,
    document: ChosenOption = None,
    production: ProductionOption = None,
    tag: TagOption = None,
    attorney: Annotated[
        list[str] | None,
        typer.Option(
            "--attorney",
            metavar="WHO",
            help="An attorney: full name, address, or domain of a firm; may be repeated.",
        ),
    ] = None,
    attorneys: Annotated[
        Path | None, typer.Option("--attorneys", metavar="FILE", help="A list of them, one a line.")
    ] = None,
    families: FamiliesOption = True,
    subjects: Annotated[
        bool, typer.Option("--subjects/--no-subjects", help="Whether subjects of mails are told.")
    ] = True,
    to: Annotated[
        Path | None,
        typer.Option("--to", metavar="FILE", help="A .docx, .xlsx, .csv, .md or .json file."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace a file that is there already.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Write the privilege log of what you have tagged (by default "privileged").

    Dates, authors and recipients come from the heads of the mails and from load files; which
    privilege is asserted from your tags ("attorney-client", "work product"), its basis from their
    notes. What nothing tells stays empty, and is said.
    """
    from casetrack.editions.legal.discovery.privilege import privilege_log, read_counsel
    from casetrack.editions.legal.paper.privilege import COLUMNS, WRITERS, cells

    target = ctx.ensure_object(State).collection(collection)
    goal = None
    if to is not None:
        from casetrack.editions.legal.paper.target import target_path

        goal = target_path(to, (*WRITERS, ".json"), force=force)
    listed = [*(attorney or ()), *(read_counsel(attorneys) if attorneys else ())]
    found = privilege_log(
        target,
        documents=document,
        production=production,
        tag=tag,
        attorneys=listed,
        families=families,
        subjects=subjects,
    )
    if goal is not None:
        from casetrack.editions.legal.paper.target import write_paper

        write_paper(goal, content_of(found, goal, WRITERS))
    if as_json:
        write_json(found.as_dict())
        return
    if goal is not None:
        line(("Wrote ", "bold"), f"{goal} ({counted(len(found.entries), 'entry', 'entries')})")
    else:
        table([Field(name) for name in COLUMNS], [cells(entry) for entry in found.entries])
    show_notes(found.notes)
