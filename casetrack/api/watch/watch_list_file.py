"""The file ``watches.json``: changed by several programs, read by people, never lost."""

from __future__ import annotations

import contextlib
import json
import logging
import shutil
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from casetrack.base.files import private_folder, storage_errors, write_json
from casetrack.store.lock import file_lock

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

repairs = logging.getLogger("casetrack.repairs")

Entries = list[dict[str, Any]]
Stamp = tuple[int, int, int]

_ABOUT = (
    "Folders that CaseTrack keeps in sync with collections. Change it with `casetrack watch`, or "
    "by hand: programs that watch notice it within seconds."
)


class WatchListFile:
    """Reads and changes the list in ``watches.json``.

    ``watches.json.bak`` is written before it with the same content, so that one of the two is whole
    whatever happens. Fields that this version does not know stay as they are.

    Parameters
    ----------
    path
        Where the file lies; it need not be there.
    """

    def __init__(self, path: Path, /) -> None:
        self.path = path
        self._spare = path.with_name(f"{path.name}.bak")

    def stamp(self) -> Stamp | None:
        """Return what changes whenever the file does; ``None`` where there is none."""
        try:
            found = self.path.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino

    def read(self) -> Entries:
        """Return the entries. A damaged file is set aside and the last good copy restored.

        Raises
        ------
        DiskFull, NotWritable, StorageError
            The file cannot be read, or a damaged one not be replaced.
        """
        try:
            return _entries(self._load(self.path))
        except FileNotFoundError:
            return []
        except ValueError:
            return self.change(lambda _: None)

    def change(self, edit: Callable[[Entries], None], /) -> Entries:
        """Let *edit* change the entries while no other program can, and store them.

        Returns
        -------
        list of dict
            What is stored now. Nothing is written where *edit* changed nothing.

        Raises
        ------
        DiskFull, NotWritable, StorageError
            The file cannot be written; it is as it was.
        Exception
            Whatever *edit* raises; nothing was changed then.
        """
        lock = file_lock(self.path.with_name(f".{self.path.name}.lock"))
        with storage_errors(self.path):
            private_folder(self.path.parent)
            lock.acquire()
        try:
            content = self._whole_content()
            before = json.dumps(content)
            edit(_entries(content))
            if json.dumps(content) != before:
                write_json(self._spare, content)
                write_json(self.path, content)
            return _entries(content)
        finally:
            lock.release()

    def _whole_content(self) -> dict[str, Any]:
        try:
            content = self._load(self.path)
            _entries(content)
            return content
        except FileNotFoundError:
            return {"about": _ABOUT, "version": 1, "watches": []}
        except ValueError as error:
            return self._repair(error)

    def _repair(self, error: ValueError) -> dict[str, Any]:
        aside = self._set_aside()
        try:
            content = self._load(self._spare)
            count = len(_entries(content))
            outcome = f"the last good copy with {count} watched folder(s) was restored"
        except (ValueError, FileNotFoundError):
            content = {"about": _ABOUT, "version": 1, "watches": []}
            outcome = (
                "there was no good copy of it, so no folder is watched now; add them again with "
                "`casetrack watch add FOLDER`"
            )
        write_json(self.path, content)
        repairs.warning(
            "%s was damaged (%s). It was kept as %s, and %s.", self.path, error, aside.name, outcome
        )
        return content

    def _set_aside(self) -> Path:
        now = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
        aside = self.path.with_name(f"{self.path.name}.damaged-{now}")
        number = 1
        while aside.exists():
            number += 1
            aside = self.path.with_name(f"{self.path.name}.damaged-{now}-{number}")
        with storage_errors(self.path), contextlib.suppress(FileNotFoundError):
            shutil.copy2(self.path, aside)
        return aside

    def _load(self, path: Path) -> dict[str, Any]:
        """Return the file's content; a ``ValueError`` says that it is damaged."""
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise
        except OSError:
            with storage_errors(path):
                raise
        except (RecursionError, UnicodeDecodeError) as error:
            raise ValueError(f"{error}") from error
        if not isinstance(content, dict):
            raise ValueError("it does not hold an object")  # noqa: TRY004 - damage, like the rest
        return content


def _entries(content: dict[str, Any]) -> Entries:
    entries = content.get("watches")
    if not isinstance(entries, list) or not all(isinstance(e, dict) for e in entries):
        raise ValueError("it has no list of watches")
    return entries
