"""What opens an encrypted file, as commands take it: never as a word on the command line.

Other users of the machine see the words of every command, and shells keep them.
"""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from casetrack.base.errors import PassphraseMissing, UsageError
from casetrack.faces.cli.output import line

if TYPE_CHECKING:
    from casetrack.base.crypt.secret import Secret

_MOST = 1 << 16
_HOW = (
    "Run it at a terminal, where it asks for the passphrase; or give it with --passphrase-fd N "
    "(a descriptor that it is read from, such as 0) or --key-file FILE."
)

PassphraseFd = Annotated[
    int | None,
    typer.Option(
        "--passphrase-fd",
        metavar="N",
        min=0,
        help="Read the passphrase from this file descriptor, up to the end of its first line; 0 is "
        "the standard input.",
    ),
]
KeyFile = Annotated[
    Path | None,
    typer.Option("--key-file", metavar="FILE", help="Use this file, as it is, as the key."),
]
Keyring = Annotated[
    bool,
    typer.Option(
        "--keyring", help="Let the keyring of the system keep the key; needs `pip install keyring`."
    ),
]


def new_secret(fd: int | None, key_file: Path | None, keyring: bool, /) -> "Secret":
    """Return what is to encrypt a file; a passphrase that is typed is asked for twice.

    Raises
    ------
    UsageError
        Several ways were named, or what was named cannot be used.
    PassphraseMissing
        No way was named, and nobody is there to type.
    """
    _require_one(fd, key_file, keyring)
    if keyring:
        from casetrack.base.crypt.secret import new_key

        return new_key()
    return _given(fd, key_file) or _typed("Passphrase", twice=True)


def secret_of(file: Path, fd: int | None, key_file: Path | None, /) -> "Secret | None":
    """Return what opens a file; ``None`` where it is not encrypted.

    Raises
    ------
    UsageError, PassphraseMissing
        See :func:`new_secret`.
    EncryptedFileDamaged
        The file does not begin as it should.
    """
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
        from casetrack.base.crypt.secret import find_key

        return find_key(str(account), file.name)
    return _typed(f"Passphrase of {file.name}", twice=False)


def _require_one(fd: int | None, key_file: Path | None, keyring: bool) -> None:
    if (fd is not None) + (key_file is not None) + keyring > 1:
        raise UsageError(
            "Several keys were given.",
            hint="Choose one of --passphrase-fd, --key-file and --keyring.",
        )


def _given(fd: int | None, key_file: Path | None) -> "Secret | None":
    from casetrack.base.crypt.secret import Secret

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
            "The passphrase is not text in UTF-8.", hint="Use --key-file for a key of bytes."
        ) from error


def _typed(question: str, *, twice: bool) -> "Secret":
    if sys.stdin is None or not sys.stdin.isatty():
        raise PassphraseMissing(
            "A passphrase is needed, and nobody is there to type it.", hint=_HOW
        )
    text = typer.prompt(
        question, hide_input=True, confirmation_prompt="Once more" if twice else False, err=True
    )
    return _told(str(text), new=twice)


def _told(text: str, *, new: bool = False) -> "Secret":
    from casetrack.base.crypt.secret import SHORT, Secret

    if new and 0 < len(text) < SHORT:
        line(
            ("Note: ", "yellow"),
            f"{len(text)} characters are soon guessed by a program that tries them all; four or "
            "five words that do not belong together are not.",
            err=True,
        )
    return Secret.of(text)
