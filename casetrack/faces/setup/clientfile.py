"""Reading a client's file and replacing it whole, or not at all."""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.base.errors import ClientFileInvalid, ClientFileLocked

if TYPE_CHECKING:
    from collections.abc import Iterator

_BOM = b"\xef\xbb\xbf"
BACKUP_SUFFIX = ".casetrack-backup"


class ChangedMeanwhile(Exception):
    """The file is no longer what was read."""


@dataclass(frozen=True, slots=True)
class ClientFile:
    """A client's file as it was read.

    Attributes
    ----------
    path
        Where the client looks for it.
    target
        Where it really is: the end of symbolic links, which stay as they are.
    client
        The client's word on the command line, for errors.
    data
        Its bytes; ``None`` where there is no file.
    private
        Whether a file that is made now is for its owner's eyes only.
    """

    path: Path
    target: Path
    client: str
    data: bytes | None
    private: bool = True

    @property
    def text(self) -> str:
        """What it says, without a byte order mark; empty where there is no file.

        Raises
        ------
        ClientFileInvalid
            It is not UTF-8.
        """
        data = (self.data or b"").removeprefix(_BOM)
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            column = error.start - data.rfind(b"\n", 0, error.start)
            raise ClientFileInvalid(
                self.path, self.client, "it is not UTF-8 text", line, column
            ) from error

    @property
    def backup(self) -> Path:
        """Where the state before the last change is kept, beside the file."""
        return self.target.with_name(self.target.name + BACKUP_SUFFIX)

    def read_backup(self) -> str | None:
        """Return the text that is kept, in the same form as :attr:`text`; ``None`` without one."""
        with _told(self.backup, self.client):
            try:
                data = self.backup.read_bytes()
            except FileNotFoundError:
                return None
        return data.removeprefix(_BOM).decode("utf-8", errors="replace")

    def keep(self) -> Path:
        """Write the bytes that were read beside the file, and return where.

        Raises
        ------
        ClientFileLocked
            The folder cannot be written.
        """
        with _told(self.backup, self.client):
            _write_whole(self.backup, self.data or b"", self._mode(), self._owner())
        return self.backup

    def replace(self, text: str, /) -> None:
        """Make *text* the content of the file, with the byte order mark and rights it had.

        Raises
        ------
        ChangedMeanwhile
            The file has changed since it was read; nothing was written.
        ClientFileLocked
            It is read-only, or its folder cannot be written.
        """
        self.check_writable()
        mark = _BOM if (self.data or b"").startswith(_BOM) else b""
        with _told(self.path, self.client):
            self.target.parent.mkdir(parents=True, exist_ok=True)
            _write_whole(
                self.target, mark + text.encode("utf-8"), self._mode(), self._owner(), check=self
            )

    def remove(self) -> None:
        """Remove the file.

        Raises
        ------
        ChangedMeanwhile, ClientFileLocked
            As :meth:`replace`.
        """
        self.check_writable()
        self.check_same()
        with _told(self.path, self.client):
            self.target.unlink(missing_ok=True)

    def check_same(self) -> None:
        """Make sure that the file still holds what was read.

        Raises
        ------
        ChangedMeanwhile
            It does not.
        """
        with _told(self.path, self.client):
            if _bytes(self.target) != self.data:
                raise ChangedMeanwhile

    def check_writable(self) -> None:
        """Make sure that the file is not write-protected; replacing it whole would not ask.

        Raises
        ------
        ClientFileLocked
            It is.
        """
        if self.data is None:
            return
        with _told(self.path, self.client):
            allowed = stat.S_IMODE(self.target.stat().st_mode) & 0o222
        if not allowed or not os.access(self.target, os.W_OK):
            raise ClientFileLocked(self.path, self.client, "it is read-only")

    def _mode(self) -> int:
        if self.data is not None:
            return stat.S_IMODE(self.target.stat().st_mode)
        return 0o600 if self.private else 0o644

    def _owner(self) -> tuple[int, int] | None:
        if self.data is None or os.name == "nt":
            return None
        facts = self.target.stat()
        return facts.st_uid, facts.st_gid


def read_client_file(path: Path, client: str, /, *, private: bool = True) -> ClientFile:
    """Read the file at *path*, which need not exist.

    Raises
    ------
    ClientFileLocked
        It is there, but cannot be read.
    """
    with _told(path, client):
        target = path.resolve()
        return ClientFile(path, target, client, _bytes(target), private)


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _write_whole(
    target: Path,
    data: bytes,
    mode: int,
    owner: tuple[int, int] | None,
    *,
    check: ClientFile | None = None,
) -> None:
    """Write a new file beside *target* and put it in its place in one step."""
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        if owner is not None and owner != _owner_of(name):
            os.chown(name, *owner)
        Path(name).chmod(mode)
        if check is not None:
            check.check_same()
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _owner_of(path: str) -> tuple[int, int]:
    facts = Path(path).stat()
    return facts.st_uid, facts.st_gid


@contextmanager
def _told(path: Path, client: str) -> Iterator[None]:
    """Tell what the operating system refuses."""
    try:
        yield
    except OSError as error:
        raise ClientFileLocked(path, client, error.strerror or str(error)) from error
