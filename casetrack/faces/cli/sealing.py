"""``casetrack collection seal`` and ``unseal``: a closed collection as one encrypted file."""

from typing import TYPE_CHECKING, Annotated

import typer

from casetrack.faces.cli.collection import quoted
from casetrack.faces.cli.lifecycle import Name
from casetrack.faces.cli.options import JsonOption
from casetrack.faces.cli.output import byte_text, counted, line, write_json
from casetrack.faces.cli.secret import KeyFile, Keyring, PassphraseFd, new_secret, secret_of
from casetrack.faces.cli.state import State

if TYPE_CHECKING:
    from casetrack.api.library import Library
    from casetrack.base.records import CollectionInfo

_REMAINS = (
    "What was overwritten is gone from a disk that writes in place. An SSD may keep old cells for "
    "a while, and backups, snapshots of the file system and synchronised folders keep what they "
    "had: only an encrypted disk guards against that (docs/security.md)."
)


def seal(
    ctx: typer.Context,
    name: Name,
    passphrase_fd: PassphraseFd = None,
    key_file: KeyFile = None,
    keyring: Keyring = False,
    hide_name: Annotated[
        bool,
        typer.Option("--hide-name", help="Do not say in the clear what the collection is called."),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Turn a closed collection into one encrypted file, and remove its plain data for good.

    It asks for a passphrase, twice. Without that (or the key file) nobody can open the collection
    again: nothing takes its place. Sealed, it cannot be searched; name, size and time can be seen,
    and nothing else. Your own files, which were taken in, stay where they are, as they are.
    """
    from casetrack.faces.cli.progress import Meter, stoppable

    library = ctx.ensure_object(State).library
    info = library.find(name)
    library.require_sealable(info)  # before anybody types a passphrase twice
    secret = new_secret(passphrase_fd, key_file, keyring)
    with stoppable() as stop, Meter("Sealing", unit="bytes") as meter:
        report = library.seal(
            info.id, secret, hide_name=hide_name, progress=meter.step, cancel=stop
        )
    if as_json:
        write_json(report.as_dict())
        return
    for note in (*report.notes, *_watched(library, info)):
        line(("Note: ", "yellow"), note, err=True)
    line(
        f'Sealed "{report.collection}" in {report.seconds:.1f} s: '
        f"{counted(report.files, 'file')} of {byte_text(report.plain_bytes)} are one encrypted "
        f"file of {byte_text(report.bytes)} now."
    )
    line(report.path, indent=2)
    line(f"Open it: casetrack collection unseal {quoted(report.collection)}")
    line(_REMAINS)


def _watched(library: "Library", info: "CollectionInfo") -> list[str]:
    from casetrack.api.watch.watch_list import WatchList

    folders = [w.folder for w in WatchList(library.settings.data_dir).watches(info.id)]
    if not folders:
        return []
    named = ", ".join(folders)
    return [f"Still watched, in vain: {named}. End that with `casetrack watch remove FOLDER`."]


def unseal(
    ctx: typer.Context,
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="Name or ID of the sealed collection, or its .ctsealed file."
        ),
    ],
    passphrase_fd: PassphraseFd = None,
    key_file: KeyFile = None,
    new_name: Annotated[
        str | None,
        typer.Option(
            "--name", metavar="NAME", help="What to call it; by default as it was called."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Open a sealed collection again: as it was, and closed as it was.

    The whole file is checked first. With a wrong passphrase, or a file that was cut short or
    changed, nothing of it is opened and it stays as it is.
    """
    from casetrack.base.errors import EncryptedFileDamaged
    from casetrack.faces.cli.progress import Meter, stoppable

    library = ctx.ensure_object(State).library
    file = library.sealed_file(name)
    secret = secret_of(file, passphrase_fd, key_file)
    if secret is None:
        raise EncryptedFileDamaged(file.name, "it does not begin as an encrypted file of CaseTrack")
    with stoppable() as stop, Meter("Unsealing", unit="bytes") as meter:
        report = library.unseal(file, secret, name=new_name, progress=meter.step, cancel=stop)
    if secret.account is not None:
        from casetrack.base.crypt.secret import forget_key

        if not file.exists():
            forget_key(secret.account)
    if as_json:
        write_json(report.as_dict())
        return
    line(f'Opened "{report.collection}" in {report.seconds:.1f} s. It is {report.status}.')
    if report.collection != report.original_name and new_name is None:
        line(f'It was called "{report.original_name}", and there is one of this name already.')
    if report.status != "active":
        line(f"Let it take changes: casetrack collection reopen {quoted(report.collection)}")
