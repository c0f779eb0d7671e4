"""``casetrack sync``: bring a collection in step with a folder."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from casetrack.base.errors import CollectionNotFound, UsageError
from casetrack.faces.cli.asking import answer
from casetrack.faces.cli.ingest import split_extensions
from casetrack.faces.cli.options import (
    CollectionOption,
    CreateOption,
    ExcludeOption,
    ExtensionsOption,
    IncludeOption,
    JsonOption,
    OcrLanguageOption,
    OcrOption,
    PasswordOption,
)
from casetrack.faces.cli.output import counted
from casetrack.faces.cli.state import State
from casetrack.faces.cli.upkeep import ended

if TYPE_CHECKING:
    from casetrack.api.collection import Collection


def sync(
    ctx: typer.Context,
    folder: Annotated[str, typer.Argument(metavar="FOLDER", help="The folder to compare with.")],
    collection: CollectionOption = None,
    remove_deleted: Annotated[
        bool, typer.Option("--remove-deleted", help="Remove documents whose file is gone.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be done.")
    ] = False,
    include: IncludeOption = None,
    exclude: ExcludeOption = None,
    ext: ExtensionsOption = None,
    hidden: Annotated[
        bool, typer.Option("--hidden", help="Also files and folders that begin with a dot.")
    ] = False,
    no_ignore: Annotated[
        bool, typer.Option("--no-ignore", help="Also what a .casetrackignore file leaves out.")
    ] = False,
    follow_links: Annotated[
        bool, typer.Option("--follow-links", help="Follow links that stay inside the folder.")
    ] = False,
    recursive: Annotated[
        bool, typer.Option("--recursive/--no-recursive", help="Go into the folders of the folder.")
    ] = True,
    verify: Annotated[
        bool, typer.Option("--verify", help="Compare the content of files left untouched, too.")
    ] = False,
    force_removal: Annotated[
        bool,
        typer.Option(
            "--force-removal", help="With --remove-deleted, even where the folder is empty."
        ),
    ] = False,
    create: CreateOption = False,
    document_type: Annotated[
        str | None,
        typer.Option("--type", metavar="TYPE", help="Kind of new documents, such as contract."),
    ] = None,
    password: PasswordOption = None,
    ocr: OcrOption = None,
    ocr_language: OcrLanguageOption = None,
    as_json: JsonOption = False,
) -> int:
    """Bring a collection in step with a folder and all folders below it.

    New files are taken in, changed ones read again, and documents follow files that were renamed
    or moved. Documents whose file is gone are kept and named, or removed with --remove-deleted.
    Files are told apart by their content, so that nothing is read twice. Run it whenever something
    has changed; stopped by Ctrl-C, the next run goes on. Exit code 1 says that a file failed.
    """
    state = ctx.ensure_object(State)
    target = _target(state, collection, folder, create=create, dry_run=dry_run)
    from casetrack.faces.cli.progress import Meter, long_work

    report = long_work(
        state,
        "sync",
        lambda progress, cancel: target.sync(
            folder,
            remove_deleted=remove_deleted,
            dry_run=dry_run,
            recursive=recursive,
            include=include or (),
            exclude=exclude or (),
            extensions=split_extensions(ext),
            hidden=hidden,
            ignored=no_ignore,
            follow_links=follow_links,
            verify=verify,
            force_removal=force_removal,
            document_type=document_type,
            passwords=password or (),
            ocr=ocr,
            ocr_language=ocr_language,
            progress=progress,
            cancel=cancel,
        ),
        title=f"Sync with {Path(folder).expanduser().absolute()}",
        collection=target.info,
        meter=Meter("Syncing"),
    )
    answer(report, "sync", as_json=as_json)
    stopped = (
        f"Stopped by {state.stopped_by}: what was finished is kept, nothing is half there. "
        "Run the same command again to go on."
    )
    if report.dry_run and not report.cancelled:
        return 0
    failed = report.count("failed")
    said = f"{counted(failed, 'file')} failed." if failed else ""
    return ended(state, target, report, stopped, said)


def _target(
    state: State, name: str | None, folder: str, *, create: bool, dry_run: bool
) -> "Collection":
    if create:
        if name is None:
            raise UsageError(
                "--create needs the name of the collection.", hint="Add it with -c NAME."
            )
        if not dry_run:
            return state.library.get_or_create(name, [folder])
    try:
        return state.collection_to_fill(name)
    except CollectionNotFound as error:
        import shlex

        if create:
            error.hint = (
                "A dry run makes none: whatever can be read in the folder would be new in it. "
                "Leave out --dry-run to make it and take the folder in."
            )
            raise

        again = f"casetrack sync {shlex.quote(folder)} --create -c {shlex.quote(error.name)}"
        error.hint = f"To make a new collection of this name: {again}"
        raise
