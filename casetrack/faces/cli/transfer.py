"""``casetrack export`` and ``casetrack import``: whole collections as files."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from casetrack.base.errors import UsageError
from casetrack.faces.cli.collection import quoted
from casetrack.faces.cli.options import CollectionOption, JsonOption
from casetrack.faces.cli.output import byte_text, counted, line, write_json
from casetrack.faces.cli.secret import KeyFile, Keyring, PassphraseFd, new_secret, secret_of
from casetrack.faces.cli.state import State

if TYPE_CHECKING:
    from collections.abc import Sequence


def export(
    ctx: typer.Context,
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="OUTPUT",
            help="File to write, or a folder; the ending is .ctcollection.",
            show_default=False,
        ),
    ] = None,
    collection: CollectionOption = None,
    output_option: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="The same as OUTPUT.")
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace a file that is there.")
    ] = False,
    snapshot: Annotated[
        str | None,
        typer.Option(
            "--snapshot", metavar="SNAPSHOT", help="Write this earlier state: its name or number."
        ),
    ] = None,
    encrypt: Annotated[
        bool,
        typer.Option(
            "--encrypt",
            help="Encrypt the file with a passphrase, which is asked for; the ending is .ctsealed.",
        ),
    ] = False,
    passphrase_fd: PassphraseFd = None,
    key_file: KeyFile = None,
    keyring: Keyring = False,
    as_json: JsonOption = False,
) -> None:
    """Write a whole collection into one file, to keep it or to take it to another machine.

    The file holds texts, search data, saved queries and the copies of your files that the
    collection keeps, but nothing that was deleted. The collection may be used meanwhile, and closed
    or archived ones can be exported as well. Whoever has the file can read all of it; --encrypt
    makes one that opens with your passphrase or key file only.
    """
    output = _output(file, output_option)
    if not encrypt and (passphrase_fd is not None or key_file or keyring):
        raise UsageError(
            "A key was given, and the file is not to be encrypted.", hint="Add --encrypt."
        )
    state = ctx.ensure_object(State)
    target = state.collection(collection)
    secret = new_secret(passphrase_fd, key_file, keyring) if encrypt else None
    from casetrack.faces.cli.progress import Meter, long_work

    report = long_work(
        state,
        "export",
        lambda progress, cancel: target.admin.export(
            output,
            overwrite=overwrite,
            passphrase=secret,
            snapshot=snapshot,
            progress=progress,
            cancel=cancel,
        ),
        title=f"Export of {target.name}",
        collection=target.info,
        meter=Meter("Exporting", unit="%"),
    )
    if as_json:
        write_json(report.as_dict())
        return
    _notes(report.notes)
    held = _held(report.documents, report.pages, report.chunks)
    line(f'Exported "{report.collection}" ({held}) in {report.seconds:.1f} s:')
    line(f"{report.path} ({byte_text(report.bytes)}{', encrypted' if secret else ''})", indent=2)


def _output(file: Path | None, option: Path | None) -> Path:
    if file is not None and option is not None:
        raise UsageError(
            "OUTPUT and --output were given together.", hint="Say once where to write."
        )
    output = file or option
    if output is None:
        raise UsageError(
            "Say where to write the collection.",
            hint="For instance: casetrack export backup.ctcollection",
        )
    return output


def import_collection(
    ctx: typer.Context,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The .ctcollection or .ctsealed file.")
    ],
    name: Annotated[
        str | None,
        typer.Option(
            "--name", metavar="NAME", help="What to call it; by default as it was called."
        ),
    ] = None,
    passphrase_fd: PassphraseFd = None,
    key_file: KeyFile = None,
    as_json: JsonOption = False,
) -> None:
    """Make a collection of an exported file.

    Everything in the file is checked first. A damaged one is refused, and leaves nothing behind.
    For an encrypted one the passphrase is asked for.
    """
    state = ctx.ensure_object(State)
    secret = secret_of(file.expanduser(), passphrase_fd, key_file)
    from casetrack.faces.cli.progress import Meter, long_work

    report = long_work(
        state,
        "import",
        lambda progress, cancel: state.library.import_archive(
            file, name=name, passphrase=secret, progress=progress, cancel=cancel
        ),
        title=f"Import of {file.name}",
        collection=None,
        meter=Meter("Importing", unit="bytes"),
    )
    if as_json:
        write_json(report.as_dict())
        return
    _notes(report.notes)
    held = _held(report.documents, report.pages, report.chunks)
    line(f'Imported "{report.collection}" ({held}) in {report.seconds:.1f} s.')
    if report.collection != report.original_name and name is None:
        line(f'It was called "{report.original_name}", and there is one of this name already.')
    line(f"Search it: casetrack search QUERY -c {quoted(report.collection)}")


def _held(documents: int, pages: int, chunks: int) -> str:
    return ", ".join(
        (counted(documents, "document"), counted(pages, "page"), counted(chunks, "chunk"))
    )


def _notes(notes: "Sequence[str]") -> None:
    for note in notes:
        line((f"Note: {note}", "yellow"), err=True)
