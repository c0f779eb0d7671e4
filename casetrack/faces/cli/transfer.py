"""``casetrack export``, ``import``, ``collection seal`` and ``unseal``: collections as files."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from casetrack.base.crypt.secret import SHORT, Secret, find_key, forget_key, new_key
from casetrack.base.errors import PassphraseMissing, UsageError
from casetrack.faces.cli.asking import answer, operations, own, taken, takes, worked
from casetrack.faces.cli.collection import quoted
from casetrack.faces.cli.options import JsonOption, NameArgument, opt
from casetrack.faces.cli.output import byte_text, counted, line, write_json
from casetrack.faces.cli.progress import Meter, stoppable
from casetrack.faces.cli.state import State

if TYPE_CHECKING:
    from casetrack.api.library import Library
    from casetrack.base.records import CollectionInfo

# Secrets of encrypted files are never options with a value: other users of the machine see the
# command line, and shells store it.

_MOST = 1 << 16
_HOW = (
    "Run the command at a terminal and type the passphrase; or use --passphrase-fd N (a file "
    "descriptor such as 0) or --key-file FILE."
)

PassphraseFd = Annotated[
    int | None,
    opt(
        "--passphrase-fd N",
        "Read the passphrase from this file descriptor, up to the end of its first line; 0 is the "
        "standard input.",
        min=0,
    ),
]
KeyFile = Annotated[Path | None, opt("--key-file FILE", "Use the content of this file as the key.")]
Keyring = Annotated[
    bool,
    opt("--keyring", "Store the key in the keyring of the system; requires `pip install keyring`."),
]


def new_secret(fd: int | None, key_file: Path | None, keyring: bool, /) -> "Secret":
    """Return the secret for a new file; a typed passphrase is asked for twice."""
    _require_one(fd, key_file, keyring)
    if keyring:
        return new_key()
    return _given(fd, key_file) or _typed("Passphrase", twice=True)


def secret_of(file: Path, fd: int | None, key_file: Path | None, /) -> "Secret | None":
    """Return the secret of a file; ``None`` if it is not encrypted."""
    from casetrack.base.crypt.stream import KEYRING, is_encrypted, read_head

    if not is_encrypted(file):
        return None
    _require_one(fd, key_file, False)
    given = _given(fd, key_file)
    if given is not None:
        return given
    with file.open("rb") as opened:
        account = read_head(opened, file.name).facts.get(KEYRING)
    if account is not None:
        return find_key(str(account), file.name)
    return _typed(f"Passphrase of {file.name}", twice=False)


def _require_one(fd: int | None, key_file: Path | None, keyring: bool) -> None:
    if (fd is not None) + (key_file is not None) + keyring > 1:
        raise UsageError(
            "Several keys were given.",
            hint="Choose one of --passphrase-fd, --key-file and --keyring.",
        )


def _given(fd: int | None, key_file: Path | None) -> "Secret | None":
    if key_file is not None:
        return Secret.from_file(key_file.expanduser())
    if fd is None:
        return None
    try:
        with os.fdopen(os.dup(fd), "rb") as file:
            first = file.readline(_MOST)
    except OSError as error:
        raise UsageError(
            f"The file descriptor {fd} cannot be read: {error.strerror}.",
            hint="Open it for the command, as in: casetrack ... --passphrase-fd 3 3< file",
        ) from error
    try:
        return _told(first.rstrip(b"\r\n").decode("utf-8"))
    except UnicodeDecodeError as error:
        raise UsageError(
            "The passphrase is not text in UTF-8.", hint="For a binary key, use --key-file."
        ) from error


def _typed(question: str, *, twice: bool) -> "Secret":
    if sys.stdin is None or not sys.stdin.isatty():
        raise PassphraseMissing(
            "A passphrase is required, and there is no terminal to type it.", hint=_HOW
        )
    text = typer.prompt(
        question, hide_input=True, confirmation_prompt="Once more" if twice else False, err=True
    )
    return _told(str(text), new=twice)


def _told(text: str, *, new: bool = False) -> "Secret":
    if new and 0 < len(text) < SHORT:
        line(
            ("Note: ", "yellow"),
            f"{len(text)} characters can be guessed quickly by trying all combinations; use four "
            "or five unrelated words.",
            err=True,
        )
    return Secret.of(text)


# ``casetrack collection seal`` and ``unseal``: a closed collection as one encrypted file.

_REMAINS = (
    "A disk that writes in place no longer contains the overwritten data. An SSD may keep old "
    "cells for some time, and backups, snapshots of the file system and synchronised folders keep "
    "their copies: only an encrypted disk protects against that (docs/security.md)."
)


def seal(
    ctx: typer.Context,
    name: NameArgument,
    passphrase_fd: PassphraseFd = None,
    key_file: KeyFile = None,
    keyring: Keyring = False,
    hide_name: Annotated[bool, opt("--hide-name")] = False,
    as_json: JsonOption = False,
) -> None:
    """Encrypt a closed collection into one file, and remove its plain data permanently.

    It asks for a passphrase twice. Without the passphrase or the key file the collection can never
    be opened again. A sealed collection cannot be searched; only its name, size and time are
    visible. Your original files are not changed.

    Parameters
    ----------
    hide_name
        Do not store the name of the collection unencrypted.
    """
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
        f"{counted(report.files, 'file')} of {byte_text(report.plain_bytes)} are now one encrypted "
        f"file of {byte_text(report.bytes)}."
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
    return [f"Still watched without effect: {named}. To stop it: `casetrack watch remove FOLDER`."]


def unseal(
    ctx: typer.Context,
    name: Annotated[str, opt("NAME")],
    passphrase_fd: PassphraseFd = None,
    key_file: KeyFile = None,
    new_name: Annotated[str | None, opt("--name NAME")] = None,
    as_json: JsonOption = False,
) -> None:
    """Open a sealed collection again; it stays closed.

    The whole file is checked first. With a wrong passphrase, or if the file is incomplete or
    changed, nothing is opened and the file stays unchanged.

    Parameters
    ----------
    name
        Name or ID of the sealed collection, or its .ctsealed file.
    new_name
        Its name. [default: its former name]
    """
    from casetrack.base.errors import EncryptedFileDamaged

    library = ctx.ensure_object(State).library
    file = library.sealed_file(name)
    secret = secret_of(file, passphrase_fd, key_file)
    if secret is None:
        raise EncryptedFileDamaged(file.name, "it has no header of an encrypted file of CaseTrack")
    with stoppable() as stop, Meter("Unsealing", unit="bytes") as meter:
        report = library.unseal(file, secret, name=new_name, progress=meter.step, cancel=stop)
    if secret.account is not None and not file.exists():
        forget_key(secret.account)
    if as_json:
        write_json(report.as_dict())
        return
    line(f'Opened "{report.collection}" in {report.seconds:.1f} s. It is {report.status}.')
    if report.collection != report.original_name and new_name is None:
        line(f'Its former name was "{report.original_name}"; another collection has this name now.')
    if report.status != "active":
        line(f"Let it take changes: casetrack collection reopen {quoted(report.collection)}")


_SECRET = {"passphrase_fd": (PassphraseFd, None), "key_file": (KeyFile, None)}


@takes(
    "export",
    output=(Annotated[Path | None, opt("--output -o FILE", "The same as OUTPUT.")], None),
    encrypt=own(
        bool,
        "Encrypt the file with a passphrase that you type; its extension is .ctsealed.",
        "--encrypt",
        False,
    ),
    **_SECRET,
    keyring=(Keyring, False),
)
def export(state: State, given: dict[str, Any]) -> None:
    """Write a whole collection to one file, as a backup or for another machine.

    The file contains texts, search data, saved queries and the copies of your files in the
    collection, but no deleted data. The collection can be used meanwhile, and closed or archived
    ones can be exported as well. Everyone with the file can read all of it; --encrypt requires
    your passphrase or key file.
    """
    key = given["passphrase_fd"], given["key_file"], given["keyring"]
    if not given["encrypt"] and key != (None, None, False):
        raise UsageError("A key was given without --encrypt.", hint="Add --encrypt.")
    if given["output"] is not None:
        if given["path"] is not None:
            raise UsageError(
                "OUTPUT and --output were given together.", hint="Use only one of them."
            )
        given["path"] = str(given["output"])
    operation, target = operations()["export"], state.collection(given["collection"])
    secret = new_secret(*key) if given["encrypt"] else None
    report = worked(state, operation, taken(operation, given), target, passphrase=secret)
    answer(report, operation, as_json=given["as_json"])


@takes("import", **_SECRET)
def import_collection(state: State, given: dict[str, Any]) -> None:
    """Create a collection from an exported file.

    The whole file is checked first. A damaged file is refused, and nothing is created.
    For an encrypted one the passphrase is asked for.
    """
    file = Path(given["path"]).expanduser()
    secret = secret_of(file, given["passphrase_fd"], given["key_file"])
    operation = operations()["import"]
    report = worked(state, operation, taken(operation, given), passphrase=secret)
    answer(report, operation, as_json=given["as_json"])
