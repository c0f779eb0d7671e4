"""``casetrack sync``: bring a collection in step with a folder."""

from collections import Counter
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Annotated

import typer

from casetrack.base.errors import CollectionNotFound, UsageError
from casetrack.base.records.sync import SYNC_KINDS
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
from casetrack.faces.cli.output import counted, entry, line, write_json
from casetrack.faces.cli.state import EXIT_FAILED, EXIT_INTERRUPTED, State
from casetrack.faces.cli.upkeep import keep_up

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.api.collection import Collection
    from casetrack.base.records.sync import SyncChange, SyncReport

_LISTED = 20
_STYLES = {"failed": "bold red", "missing": "yellow", "skipped": "yellow", "removed": "yellow"}
_WOULD = {
    "new": "would be read",
    "changed": "would be read again",
    "moved": "would be followed",
    "removed": "would be removed",
}
_REASONS = {
    "duplicate": "copies of others",
    "unsupported_format": "of other kinds",
    "empty_file": "empty",
    "no_text": "without text",
    "excluded": "taken out by you",
    "changed_meanwhile": "changing just now",
}


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
    if as_json:
        write_json(report.as_dict())
    else:
        show_report(report)
    if report.cancelled:
        state.interrupt_told = True
        line(
            f"Stopped by {state.stopped_by}: what was finished is kept, nothing is half there. "
            "Run the same command again to go on.",
            err=True,
        )
        return EXIT_INTERRUPTED
    if not report.dry_run:
        keep_up(target)
    failed = report.count("failed")
    if failed:
        line(f"{counted(failed, 'file')} failed.", err=True)
    return EXIT_FAILED if failed else 0


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


def show_report(report: "SyncReport", /) -> None:
    """Write the counts, then what is new, changed, moved, gone and in need of attention."""
    line((_counts(report), "bold"))
    for kind in SYNC_KINDS:
        changes = report.of(kind)
        if kind == "skipped":
            _show_skipped(changes)
        else:
            _show(kind, changes, report)
    if report.count("missing"):
        line(("To remove what is missing, add --remove-deleted.", "dim"))
    for note in report.notes:
        line((f"Note: {note}", "yellow"))
    if report.dry_run:
        line(("Nothing was changed (--dry-run).", "dim"))


def _counts(report: "SyncReport") -> str:
    parts = [f"{report.unchanged:,} unchanged"]
    parts += [f"{report.count(kind):,} {kind}" for kind in SYNC_KINDS if report.count(kind)]
    return f"{counted(report.seen, 'file')}: {', '.join(parts)} ({report.seconds:.1f} s)"


def _show(kind: str, changes: "Sequence[SyncChange]", report: "SyncReport") -> None:
    for change in changes[:_LISTED]:
        where = relative(change.path, report.folder)
        if change.previous_path:
            where = f"{relative(change.previous_path, report.folder)} -> {where}"
        aside = _WOULD.get(kind, "") if report.dry_run else ""
        if not aside and change.chunks:
            aside = f"{counted(change.pages, 'page')}, {counted(change.chunks, 'chunk')}"
        label = (f"{kind:<9}", _STYLES.get(kind, "green"))
        entry(label, where, *([(f"  {aside}", "dim")] if aside else []))
        if change.message:
            line(change.message, indent=9)
        if change.hint:
            line((change.hint, "dim"), indent=9)
        for warning in change.warnings:
            line((warning, "yellow"), indent=9)
    if len(changes) > _LISTED:
        line(f"... {len(changes) - _LISTED:,} more {kind} (--json lists all)", indent=9)


def _show_skipped(changes: "Sequence[SyncChange]") -> None:
    if not changes:
        return
    reasons = Counter(_REASONS.get(change.code, "not usable") for change in changes)
    told = ", ".join(f"{count:,} {reason}" for reason, count in reasons.most_common())
    entry(("skipped  ", _STYLES["skipped"]), told)


def relative(path: str, folder: str, /) -> str:
    """Return *path* as seen from *folder*, or whole where it lies elsewhere."""
    pure = PurePath(path)
    return str(pure.relative_to(folder)) if pure.is_relative_to(folder) else path
