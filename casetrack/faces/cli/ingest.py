"""``casetrack ingest``: take files into a collection and report on every one."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from casetrack.base.errors import CollectionNotFound, UsageError
from casetrack.faces.cli.asking import answer
from casetrack.faces.cli.options import (
    CollectionOption,
    CreateOption,
    ExtensionsOption,
    JsonOption,
    OcrLanguageOption,
    OcrOption,
    PasswordOption,
    PipelineOption,
)
from casetrack.faces.cli.output import counted, line
from casetrack.faces.cli.state import State
from casetrack.faces.cli.upkeep import ended

if TYPE_CHECKING:
    from casetrack.api.collection import Collection
    from casetrack.base.records import IngestReport


def ingest(
    ctx: typer.Context,
    paths: Annotated[
        list[str], typer.Argument(metavar="PATH", help="Files and folders to take in.")
    ],
    collection: CollectionOption = None,
    create: CreateOption = False,
    recursive: Annotated[
        bool, typer.Option("--recursive/--no-recursive", help="Go into the folders of a folder.")
    ] = True,
    ext: ExtensionsOption = None,
    force: Annotated[
        bool, typer.Option("--force", help="Take a file in even if it is there already.")
    ] = False,
    document_type: Annotated[
        str | None,
        typer.Option("--type", metavar="TYPE", help="Kind of document, such as contract."),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option("--name", metavar="NAME", help="Call the document this (one file only)."),
    ] = None,
    copy_original: Annotated[
        bool | None,
        typer.Option(
            "--copy-original/--no-copy-original", help="Keep a copy of the file in the collection."
        ),
    ] = None,
    password: PasswordOption = None,
    ocr: OcrOption = None,
    ocr_language: OcrLanguageOption = None,
    pipeline: PipelineOption = None,
    on: Annotated[
        str | None,
        typer.Option(
            "--on",
            metavar="CLUSTER",
            help="Read the files on a cluster: local, auto, HOST:PORT or ray://HOST:PORT. PATH may "
            "then be a bucket, such as s3://bucket/folder.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Take files into a collection: PDF, Office and OpenDocument files, mails, web pages, images.

    Scans are read by text recognition, attachments of mails become documents of their own.
    A file that cannot be read never stops the others; the report says what happened to each.
    Files that are there already are skipped, changed ones are updated. Ctrl-C stops after the
    current step and keeps every finished document. Exit code 1 says that a file failed.
    """
    state = ctx.ensure_object(State)
    target = _target(state, collection, create, paths, pipeline)
    if collection is None:
        line(f"Into {target.name}, the only collection.", err=True)
    from casetrack.faces.cli.progress import Meter, long_work

    report = long_work(
        state,
        "ingest",
        lambda progress, cancel: target.ingest(
            list(paths),
            recursive=recursive,
            extensions=split_extensions(ext),
            force=force,
            document_type=document_type,
            document_name=name,
            copy_original=_copying(state, copy_original),
            passwords=password or (),
            ocr=ocr,
            ocr_language=ocr_language,
            pipeline=pipeline,
            progress=progress,
            cancel=cancel,
            engine="ray" if on else "here",
            on=on or "local",
        ),
        title=_title(paths),
        collection=target.info,
        meter=Meter("Reading"),
    )
    answer(report, "ingest", as_json=as_json)
    failed = report.count("failed")
    said = f"{counted(failed, 'file')} of {len(report.outcomes):,} failed." if failed else ""
    return ended(state, target, report, cancelled_text(report, state.stopped_by), said)


def _target(
    state: State, name: str | None, create: bool, paths: Sequence[str], pipeline: str | None
) -> "Collection":
    if not create:
        try:
            return state.collection_to_fill(name)
        except CollectionNotFound as error:
            again = " ".join(["casetrack ingest", *map(_quoted, paths), "--create -c"])
            error.hint = f"To make a new collection of this name: {again} {_quoted(error.name)}"
            raise
    if name is None:
        raise UsageError("--create needs the name of the collection.", hint="Add it with -c NAME.")
    facts = {} if pipeline is None else {"pipeline": pipeline}
    return state.library.get_or_create(name, paths, **facts)


def _title(paths: Sequence[str]) -> str:
    """Return what other programs are told about this work."""
    first = paths[0] if "://" in paths[0] else Path(paths[0]).expanduser().absolute()
    return f"Ingest of {first}" + (f" and {len(paths) - 1:,} more" if len(paths) > 1 else "")


def _copying(state: State, chosen: bool | None) -> bool:
    return state.settings.copy_originals if chosen is None else chosen


def _quoted(text: str) -> str:
    import shlex

    return shlex.quote(text)


def split_extensions(given: Sequence[str] | None, /) -> list[str] | None:
    """Return extensions one by one: several may stand in one option, as in ``pdf,docx``."""
    if not given:
        return None
    return [extension for text in given for extension in text.split(",")]


def cancelled_text(report: "IngestReport", by: str = "Ctrl-C", /) -> str:
    """Return what Ctrl-C, or another program, left behind."""
    done = report.count("ingested", "partial")
    return (
        f"Stopped by {by}: {counted(done, 'document')} finished and kept, nothing is half there. "
        "Run the same command again to go on."
    )
