"""Opens password-protected Office files: decrypts them into a private copy that nobody keeps.

The only importer of ``msoffcrypto``, which knows the ciphers of DOC, XLS and PPT (RC4, RC4
CryptoAPI, XOR for workbooks) and most of what Office Open XML is protected with; the form called
agile, and keys of AES whose length it does not know, are read here.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol

from casetrack.base.errors import FileEncrypted, ParseFailed
from casetrack.parse import aes
from casetrack.parse.agile import Agile, UnknownProtection
from casetrack.parse.detect import OLE_MAGIC

if TYPE_CHECKING:
    from collections.abc import Iterator

    from casetrack.parse.base import ReadOptions

DEFAULT_PASSWORDS = ("VelvetSweatshop", "/01Hannes Ruescher/01")
"""What Excel and PowerPoint themselves use where a file is to be locked but not secret."""
_OPEN_FILES = Path("/proc/self/fd")
"""Where Linux gives a path to a process's open files, also to those without a name."""
_INFO, _PACKAGE = "EncryptionInfo", "EncryptedPackage"
_AGILE = b"\x04\x00\x04\x00"
_STANDARD_AES = {0x660E: 128, 0x660F: 192, 0x6610: 256}
_SIZE_BYTES = 8


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
        opener = _opener(path, source, kind)
        if opener is None:
            source.close()
            yield path
            return
        target, copy = stack.enter_context(_private_file(options))
        bounded = _Bounded(target, path, kind, options.limits.unpacked_mb)
        _decrypt(opener, bounded, path, kind, options.passwords)
        target.flush()
        source.close()
        yield copy


class _Opener(Protocol):
    """Opens one protected file."""

    def open(self, password: str, target: _Bounded, /) -> bool:
        """Write the content; returns whether the password fits."""


def _opener(path: Path, source: IO[bytes], kind: str) -> _Opener | None:
    """Return what opens a protected file, ``None`` for other files and damaged ones."""
    if source.read(len(OLE_MAGIC)) != OLE_MAGIC:
        return None
    import msoffcrypto  # type: ignore[import-untyped]
    import olefile  # type: ignore[import-untyped]
    from msoffcrypto.exceptions import DecryptionError  # type: ignore[import-untyped]

    try:
        container = olefile.OleFileIO(source)
        if container.exists(_INFO) and container.exists(_PACKAGE):
            info = container.openstream(_INFO).read()
            if info.startswith(_AGILE):
                return _AgileFile(Agile.of(info), container)
        office = msoffcrypto.OfficeFile(source)
        if not office.is_encrypted():
            return None
        is_standard = office.format == "ooxml" and office.type == "standard"
        return _StandardFile(office) if is_standard else _OldFile(office)
    except (DecryptionError, UnknownProtection) as error:
        raise _not_known(path, kind, error) from error
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - damage raises anything; the reader of the format says more
        return None


def _decrypt(
    opener: _Opener, target: _Bounded, path: Path, kind: str, passwords: tuple[str, ...]
) -> None:
    from msoffcrypto.exceptions import DecryptionError, InvalidKeyError

    given = [password for password in passwords if password]
    try:
        for password in (*given, *DEFAULT_PASSWORDS):
            target.restart()
            try:
                if opener.open(password, target):
                    return
            except InvalidKeyError:
                continue
    except (DecryptionError, UnknownProtection) as error:
        raise _not_known(path, kind, error) from error
    except (MemoryError, ParseFailed):
        raise
    except Exception as error:
        # Damage raises anything.
        reason = f"its protected content is damaged ({type(error).__name__})"
        raise ParseFailed(path, kind, reason) from error
    raise FileEncrypted(path, tried=len(given))


def _not_known(path: Path, kind: str, error: Exception) -> ParseFailed:
    return ParseFailed(path, kind, f"it is encrypted in a way that is not read: {error}")


@dataclass(frozen=True, slots=True)
class _AgileFile:
    """Office Open XML, agile."""

    agile: Agile
    container: Any

    def open(self, password: str, target: _Bounded, /) -> bool:
        """See :class:`_Opener`."""
        key = self.agile.key(password)
        if key is None:
            return False
        for part in self.agile.content(self.container.openstream(_PACKAGE), key):
            target.write(part)
        return True


@dataclass(frozen=True, slots=True)
class _StandardFile:
    """Office Open XML, standard: AES alone, with keys made by SHA-1."""

    office: Any

    def open(self, password: str, target: _Bounded, /) -> bool:
        """See :class:`_Opener`."""
        from msoffcrypto.method.ecma376_standard import ECMA376Standard  # type: ignore[import-untyped]

        header, verifier = self.office.info["header"], self.office.info["verifier"]
        bits = header["keySize"] or _STANDARD_AES.get(header["algId"], 0)
        if header["algId"] not in {0, *_STANDARD_AES} or bits // 8 not in aes.KEYS:
            raise UnknownProtection(f"cipher {header['algId']:#06x} with keys of {bits} bits")
        facts = (header["algId"], header["algIdHash"], header["providerType"], bits)
        key = bytes(
            ECMA376Standard.makekey_from_password(
                password, *facts, verifier["saltSize"], verifier["salt"]
            )
        )
        given = aes.decrypt_blocks(verifier["encryptedVerifier"], key)
        digest = hashlib.sha1(given, usedforsecurity=False).digest()
        if aes.decrypt_blocks(verifier["encryptedVerifierHash"], key)[: len(digest)] != digest:
            return False
        with self.office.file.openstream(_PACKAGE) as stream:
            data = stream.read()
        size = int.from_bytes(data[:4], "little")
        # Some programs fill the stream up to a whole sector; what counts ends with a whole block.
        whole = len(data[_SIZE_BYTES:]) // aes.BLOCK * aes.BLOCK
        target.write(aes.decrypt_blocks(data[_SIZE_BYTES : _SIZE_BYTES + whole], key)[:size])
        return True


@dataclass(frozen=True, slots=True)
class _OldFile:
    """DOC, XLS and PPT; the library verifies the password of those without being asked."""

    office: Any

    def open(self, password: str, target: _Bounded, /) -> bool:
        """See :class:`_Opener`."""
        self.office.load_key(password=password)
        if self.office.format == "ppt97":
            _write_slides(self.office, target)
        else:
            self.office.decrypt(target)
        return True


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
