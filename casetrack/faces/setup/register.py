"""Adds CaseTrack to a client's file, and removes it.

The entry is one key. The rest of the file, including comments and layout, is unchanged byte for
byte. A backup with the suffix ``.casetrack-backup`` contains the previous state, so that removing
an unchanged entry restores the exact file.
"""

from __future__ import annotations

import difflib
import os
import stat
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from casetrack.base import errors
from casetrack.faces.setup.entry import OWN_VARIABLES
from casetrack.faces.setup.jsonc import TextInvalid, WrongShape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from casetrack.faces.setup.clients import Client

# Reading a client's file and replacing it whole, or not at all.

_BOM = b"\xef\xbb\xbf"
BACKUP_SUFFIX = ".casetrack-backup"


class ChangedMeanwhile(Exception):
    """The file has changed since it was read."""


@dataclass(frozen=True, slots=True)
class ClientFile:
    """The content of a client's file.

    Attributes
    ----------
    path
        Path that the client reads.
    target
        Its real path, after symbolic links, which are kept.
    client
        The client's name on the command line, for errors.
    data
        Its bytes; ``None`` if the file does not exist.
    private
        Whether a new file is readable only for its owner.
    """

    path: Path
    target: Path
    client: str
    data: bytes | None
    private: bool = True

    @property
    def text(self) -> str:
        """Its text without a byte order mark; empty if the file does not exist.

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
            raise errors.ClientFileInvalid(
                self.path, self.client, "it is not UTF-8 text", line, column
            ) from error

    @property
    def backup(self) -> Path:
        """Path of the backup from before the last change."""
        return self.target.with_name(self.target.name + BACKUP_SUFFIX)

    def read_backup(self) -> str | None:
        """Return the text of the backup in the form of :attr:`text`; ``None`` without one."""
        with _as_error(self.backup, self.client):
            try:
                data = self.backup.read_bytes()
            except FileNotFoundError:
                return None
        return data.removeprefix(_BOM).decode("utf-8", errors="replace")

    def keep(self) -> Path:
        """Write the original bytes to the backup, and return its path.

        Raises
        ------
        ClientFileLocked
            The folder cannot be written.
        """
        with _as_error(self.backup, self.client):
            _write_whole(self.backup, self.data or b"", self._mode(), self._owner())
        return self.backup

    def replace(self, text: str, /) -> None:
        """Replace the content with *text*; byte order mark and permissions are kept.

        Raises
        ------
        ChangedMeanwhile
            The file has changed since it was read; nothing was written.
        ClientFileLocked
            It is read-only, or its folder cannot be written.
        """
        self.check_writable()
        mark = _BOM if (self.data or b"").startswith(_BOM) else b""
        with _as_error(self.path, self.client):
            self.target.parent.mkdir(parents=True, exist_ok=True)
            _write_whole(
                self.target, mark + text.encode("utf-8"), self._mode(), self._owner(), check=self
            )

    def remove(self) -> None:
        """Remove the file."""
        self.check_writable()
        self.check_same()
        with _as_error(self.path, self.client):
            self.target.unlink(missing_ok=True)

    def check_same(self) -> None:
        """Ensure that the file has not changed since it was read.

        Raises
        ------
        ChangedMeanwhile
            It has changed.
        """
        with _as_error(self.path, self.client):
            if _bytes(self.target) != self.data:
                raise ChangedMeanwhile

    def check_writable(self) -> None:
        """Ensure that the file is not write-protected, because its replacement would ignore that.

        Raises
        ------
        ClientFileLocked
            It is write-protected.
        """
        if self.data is None:
            return
        with _as_error(self.path, self.client):
            allowed = stat.S_IMODE(self.target.stat().st_mode) & 0o222
        if not allowed or not os.access(self.target, os.W_OK):
            raise errors.ClientFileLocked(self.path, self.client, "it is read-only")

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
        It exists, but cannot be read.
    """
    with _as_error(path, client):
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
    """Write a temporary file next to *target* and rename it to *target*."""
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
def _as_error(path: Path, client: str) -> Iterator[None]:
    """Convert an error of the operating system to one of this project."""
    try:
        yield
    except OSError as error:
        raise errors.ClientFileLocked(path, client, error.strerror or str(error)) from error


Action = Literal["added", "changed", "unchanged", "removed", "absent"]
T = TypeVar("T")
_ATTEMPTS = 5
_USERS = frozenset({"enabled", "timeout", "description"})
"""Keys that an update keeps, because the user may set them."""


@dataclass(frozen=True, slots=True)
class Change:
    """A change of a client's file, done or planned.

    Attributes
    ----------
    client
        Title of the client.
    action
        ``added``; ``changed``; ``unchanged``; ``removed``; ``absent`` if there is no entry to
        remove.
    backup
        Path of the backup; ``None`` if nothing was written or the file was new.
    diff
        The change as a unified diff; empty if there is none.
    deleted
        Whether the file was removed, because CaseTrack had created it and it had only the entry.
    extended
        Whether the file has comments or trailing commas.
    """

    client: str
    file: Path
    action: Action
    backup: Path | None = None
    diff: str = ""
    deleted: bool = False
    extended: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return the facts for JSON."""
        return {
            "client": self.client,
            "file": str(self.file),
            "action": self.action,
            "backup": None if self.backup is None else str(self.backup),
            "deleted": self.deleted,
            "diff": self.diff,
        }


def enter(
    client: Client,
    path: Path,
    server: Mapping[str, Any],
    /,
    *,
    dry_run: bool = False,
    private: bool = True,
) -> Change:
    """Add *server* to the file of *client* at *path*, or update its entry.

    Keys that the user added to the entry, and further environment variables, are kept.

    Parameters
    ----------
    server
        ``command``, ``args`` and, if needed, ``env``.
    dry_run
        Return the change without writing it.
    private
        Whether a new file is readable only for its owner.

    Raises
    ------
    ClientFileInvalid, ClientFileShape, ClientFileLocked, ClientFileBusy
        The file cannot be changed, and is unchanged.
    """

    def attempt() -> Change:
        file = read_client_file(path, client.name, private=private)
        before = file.text
        old, after = _guarded(file, client, lambda: _entered(before, client, server))
        extended = _guarded(file, client, lambda: client.format.is_extended(before))
        if after == before and file.data is not None:
            return Change(client.title, path, "unchanged", extended=extended)
        _check(before, after, client, file)
        action: Action = "added" if old is None else "changed"
        diff = _diff(path, before, after)
        file.check_writable()
        if dry_run:
            return Change(client.title, path, action, None, diff, extended=extended)
        backup = _keep(file, client, old)
        file.replace(after)
        return Change(client.title, path, action, backup, diff, extended=extended)

    return _repeated(attempt, path, client)


def withdraw(client: Client, path: Path, /, *, dry_run: bool = False) -> Change:
    """Remove CaseTrack from the file of *client* at *path*.

    If the file has not changed since the entry was added, it is restored byte for byte from the
    backup, or removed if it did not exist before. Otherwise only the entry is removed, and the
    object around it if the backup has none; an earlier entry of the user is restored.

    Raises
    ------
    ClientFileInvalid, ClientFileShape, ClientFileLocked, ClientFileBusy
        The file cannot be changed, and is unchanged.
    """

    def attempt() -> Change:
        file = read_client_file(path, client.name)
        before = file.text
        entry = _guarded(file, client, lambda: client.format.value_at(before, client.path))
        if entry is None:
            return Change(client.title, path, "absent")
        kept = file.read_backup()
        after = _withdrawn(before, client, entry, kept)
        if after is not None:
            _check(after, before, client, file)
        diff = _diff(path, before, after or "")
        file.check_writable()
        if dry_run:
            return Change(client.title, path, "removed", None, diff, deleted=after is None)
        if after is None:
            file.remove()
            return Change(client.title, path, "removed", None, diff, deleted=True)
        if after == kept:  # The file equals the backup again, so the backup is not needed.
            file.replace(after)
            file.backup.unlink(missing_ok=True)
            return Change(client.title, path, "removed", None, diff)
        backup = file.keep()
        file.replace(after)
        return Change(client.title, path, "removed", backup, diff)

    return _repeated(attempt, path, client)


def _entered(text: str, client: Client, server: Mapping[str, Any]) -> tuple[Any, str]:
    """Return the previous entry, and the text with the new one."""
    form, wanted = client.format, client.shaped(server)
    old = form.value_at(text, client.path)
    if not isinstance(old, dict):
        return old, text if old == wanted else form.put(text, client.path, wanted)
    named = client.variables
    variables = old.get(named) if isinstance(old.get(named), dict) else {}
    foreign = {k: v for k, v in (variables or {}).items() if k not in OWN_VARIABLES}
    env = foreign | wanted.get(named, {})
    for key, value in (wanted | ({named: env} if env else {})).items():
        if old.get(key) != value and not (key in _USERS and key in old):
            text = form.put(text, (*client.path, key), value)
    if not env and variables:
        text = form.drop(text, (*client.path, named))
    return old, text


def _withdrawn(text: str, client: Client, entry: Any, kept: str | None) -> str | None:
    """Return the text without the entry; ``None`` if CaseTrack had created the file."""
    form = client.format
    if kept is not None and _reproduces(kept, client, entry, text):
        return kept
    if kept is None and form.put("", client.path, entry) == text:
        return None
    after = form.drop(text, client.path)
    if (earlier := _users_entry(kept, client)) is not None and kept is not None:
        same = form.drop(kept, client.path) == after
        return kept if same else form.put(text, client.path, earlier)
    if not form.value_at(after, client.path[:1]) and _had_no_container(kept, client):
        after = form.drop(after, client.path[:1])
    return after


def _users_entry(kept: str | None, client: Client) -> Any:
    """Return the entry of a backup that CaseTrack has not written: it writes absolute paths."""
    try:
        entry = None if kept is None else client.format.value_at(kept, client.path)
    except (TextInvalid, WrongShape):
        return None
    parts = entry.values() if isinstance(entry, dict) else ()
    words = [w for part in parts for w in (part if isinstance(part, list) else [part])]
    texts = [word for word in words if isinstance(word, str)]
    is_ours = "serve" in texts and any(Path(word).is_absolute() for word in texts)
    return None if is_ours else entry


def _reproduces(kept: str, client: Client, entry: Any, text: str) -> bool:
    """Return whether adding *entry* to the backup results exactly in *text*."""
    form = client.format
    try:
        return (
            form.value_at(kept, client.path) is None and form.put(kept, client.path, entry) == text
        )
    except (TextInvalid, WrongShape):
        return False


def _had_no_container(kept: str | None, client: Client) -> bool:
    try:
        return kept is not None and client.format.value_at(kept, client.path[:1]) is None
    except (TextInvalid, WrongShape):
        return False


def _keep(file: ClientFile, client: Client, old: Any) -> Path | None:
    """Write a backup, unless the existing one has an earlier original state."""
    if file.data is None:
        return None
    kept = file.read_backup()
    if kept is not None and old is not None and _reproduces(kept, client, old, file.text):
        return file.backup
    if _users_entry(kept, client) is not None and _users_entry(file.text, client) is None:
        return file.backup
    return file.keep()


def _check(without: str, with_entry: str, client: Client, file: ClientFile) -> None:
    """Ensure before writing that the two texts differ only in the entry."""
    one, other = (_rest(text, client) for text in (without, with_entry))
    if one != other:
        raise errors.ClientFileInvalid(file.path, client.name, "its layout is not supported")


def _rest(text: str, client: Client) -> Any:
    """Return the content of a text without the entry."""
    form = client.format
    value = form.value_at(text, ()) or form.value_at(form.begins, ()) or {}
    servers = value.get(client.container) or []
    if isinstance(servers, dict):
        others: Any = [(key, each) for key, each in servers.items() if key != client.path[1]]
    else:
        others = [each for each in servers if each.get("name") != client.path[1]]
    return {**value, client.container: others}


def _guarded(file: ClientFile, client: Client, work: Callable[[], T]) -> T:
    try:
        return work()
    except TextInvalid as error:
        raise errors.ClientFileInvalid(
            file.path, client.name, error.reason, error.line, error.column
        ) from error
    except WrongShape as error:
        raise errors.ClientFileShape(
            file.path, client.name, _where(error.path), error.found, error.wanted
        ) from error


def _where(path: Sequence[str]) -> str:
    return " in ".join(f'"{key}"' for key in reversed(path)) if path else "the whole"


def _repeated(attempt: Callable[[], Change], path: Path, client: Client) -> Change:
    for _ in range(_ATTEMPTS):
        try:
            return attempt()
        except ChangedMeanwhile:
            continue
    raise errors.ClientFileBusy(path, client.name)


def _diff(path: Path, before: str, after: str) -> str:
    rows = difflib.unified_diff(
        before.splitlines(), after.splitlines(), f"{path} (now)", f"{path} (then)", lineterm=""
    )
    return "".join(row + "\n" for row in rows)
