"""Opens password-protected Office files: decrypts them into a private copy that nobody keeps.

The only importer of ``msoffcrypto``. Which ciphers there are is its business: those of Office Open
XML (ECMA-376 agile and standard) and of DOC, XLS and PPT (RC4, RC4 CryptoAPI, XOR for workbooks).
"""

from __future__ import annotations

import io
import os
import tempfile
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from casetrack.errors import FileEncrypted, ParseFailed
from casetrack.readers.detect import OLE_MAGIC

if TYPE_CHECKING:
    from collections.abc import Iterator

    from casetrack.readers.base import ReadOptions

DEFAULT_PASSWORDS = ("VelvetSweatshop", "/01Hannes Ruescher/01")
"""What Excel and PowerPoint themselves use where a file is to be locked but not secret."""
_OPEN_FILES = Path("/proc/self/fd")
"""Where Linux gives a path to a process's open files, also to those without a name."""
_SIZE_BYTES, _AES_BLOCK = 8, 16


@contextmanager
def decrypted(path: Path, options: ReadOptions, kind: str, /) -> Iterator[Path]:
    """Give the path of a file's readable content: its own, or that of a decrypted copy.

    The copy is gone when the context ends; on Linux it has no name at all, so that nothing of it
    stays even where the process is killed. Its path says nothing about its format, and errors
    about the file should name *path*.

    Parameters
    ----------
    path
        Any file; one that is not protected is given back as it is.
    options
        Passwords to try, and how large the copy may be.
    kind
        Name of the format for errors.

    Raises
    ------
    FileEncrypted
        No password fits, or the cipher is not known.
    ParseFailed
        The protected content is damaged, or larger than ``limits.unpacked_mb``.
    """
    with ExitStack() as stack:
        source = stack.enter_context(path.open("rb"))
        office = _protected(path, source)
        if office is None:
            source.close()
            yield path
            return
        target, copy = stack.enter_context(_private_file(options))
        bounded = _Bounded(target, path, kind, options.limits.unpacked_mb)
        _decrypt(office, bounded, path, kind, options.passwords)
        target.flush()
        source.close()
        yield copy


def _protected(path: Path, source: IO[bytes]) -> Any:
    """Return the opener of a protected file, ``None`` for other files and damaged ones."""
    if source.read(len(OLE_MAGIC)) != OLE_MAGIC:
        return None
    import msoffcrypto  # type: ignore[import-untyped]
    from msoffcrypto.exceptions import DecryptionError  # type: ignore[import-untyped]

    try:
        office = msoffcrypto.OfficeFile(source)
        return office if office.is_encrypted() else None
    except DecryptionError as error:
        # Told by the head of the encrypted part: a cipher that is not known.
        raise FileEncrypted(path) from error
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - damage raises anything; the reader of the format says more
        return None


def _decrypt(
    office: Any, target: _Bounded, path: Path, kind: str, passwords: tuple[str, ...]
) -> None:
    from msoffcrypto.exceptions import DecryptionError, InvalidKeyError

    given = [password for password in passwords if password]
    try:
        for password in (*given, *DEFAULT_PASSWORDS):
            target.restart()
            try:
                _load_key(office, password)
                _write(office, target)
            except InvalidKeyError:
                continue
            return
    except DecryptionError as error:
        raise FileEncrypted(path) from error
    except (MemoryError, ParseFailed):
        raise
    except Exception as error:
        # Damage raises anything.
        reason = f"its protected content is damaged ({type(error).__name__})"
        if isinstance(error, ValueError) and "key size" in str(error):
            reason = f"it is encrypted in a way that is not known: {error}"
        raise ParseFailed(path, kind, reason) from error
    raise FileEncrypted(path, tried=len(given))


def _load_key(office: Any, password: str) -> None:
    if office.format == "ooxml":
        office.load_key(password=password, verify_password=True)
    else:
        # Formats before Office Open XML verify it without being asked.
        office.load_key(password=password)


def _write(office: Any, target: _Bounded) -> None:
    if office.format == "ppt97":
        _write_slides(office, target)
        return
    if office.format != "ooxml" or office.type != "standard":
        office.decrypt(target)
        return
    from msoffcrypto.method.ecma376_standard import ECMA376Standard  # type: ignore[import-untyped]

    # Some programs fill the stream up to a whole sector, which the library takes for a part of a
    # cipher block and refuses; what counts ends with a whole block.
    with office.file.openstream("EncryptedPackage") as stream:
        data = stream.read()
    whole = data[: _SIZE_BYTES + (len(data) - _SIZE_BYTES) // _AES_BLOCK * _AES_BLOCK]
    target.write(ECMA376Standard.decrypt(office.secret_key, io.BytesIO(whole)))


def _write_slides(office: Any, target: _Bounded) -> None:
    """Decrypt a presentation whose objects stand in the file in any order.

    The library takes each object to end where that of the next number begins; so it is given them
    in the order of their places.
    """
    from msoffcrypto.format import ppt97  # type: ignore[import-untyped]

    by_number = ppt97.construct_persistobjectdirectory
    ppt97.construct_persistobjectdirectory = lambda data: dict(
        sorted(by_number(data).items(), key=lambda item: item[1])
    )
    try:
        office.decrypt(target)
    finally:
        ppt97.construct_persistobjectdirectory = by_number


class _Bounded:
    """Takes what is decrypted, up to a limit."""

    def __init__(self, target: IO[bytes], path: Path, kind: str, most_mb: int) -> None:
        self._target, self._path, self._kind, self._most_mb = target, path, kind, most_mb

    def restart(self) -> None:
        """Forget what a password that did not fit has left."""
        self._target.seek(0)
        self._target.truncate()

    def write(self, data: bytes, /) -> int:
        """Append *data*."""
        if self._target.tell() + len(data) > self._most_mb << 20:
            raise ParseFailed(
                self._path,
                self._kind,
                f"its protected content is larger than {self._most_mb:,} MB (unpacked_mb)",
            )
        return self._target.write(data)


@contextmanager
def _private_file(options: ReadOptions) -> Iterator[tuple[IO[bytes], Path]]:
    """Open a temporary file that only this user can read (mode 0600), and give its path.

    Where the system needs a name for it, it stands in the spool folder, which the process that
    asked for the document clears even if this one dies.
    """
    if _OPEN_FILES.is_dir():
        with tempfile.TemporaryFile(dir=options.spool) as file:
            yield file, _OPEN_FILES / str(file.fileno())
        return
    handle, name = tempfile.mkstemp(prefix="casetrack-", dir=options.spool)
    try:
        with os.fdopen(handle, "w+b") as file:
            yield file, Path(name)
    finally:
        Path(name).unlink()
