"""A folder on this machine, whose files are read in place."""

from __future__ import annotations

import os
import shutil
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.request import pathname2url

from casetrack.base.config import resolve_path
from casetrack.base.errors import FileUnreadable, JobStopped, SourceError, UsageError
from casetrack.ingest.walk import GIT_IGNORE_FILE, IGNORE_FILE, Rules, Seen, Walk
from casetrack.keep.sources.base import Choice, Item, Source, label

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator, Sequence
    from pathlib import Path


_SCHEME = "file:" if os.name == "nt" else "file://"


class FilesystemSource(Source):
    """A folder.

    Tokens of its items consist of size, time and inode. For a local file, a sync uses its own hash
    of the content instead.
    """

    kind = "filesystem"

    def __init__(
        self,
        name: str,
        /,
        *,
        root: Path,
        include_globs: Sequence[str] = (),
        exclude_globs: Sequence[str] = (),
        follow_symlinks: bool = False,
        gitignore: bool = True,
        max_extract_bytes: int = 50_000_000,
        apart: tuple[Path, ...] = (),
    ) -> None:
        self.name = name
        self.begin()
        self.root = resolve_path(root)
        self._above = os.path.join(self.root, "")  # noqa: PTH118 - text to cut off
        self._largest = max_extract_bytes
        self._choice = Choice(include_globs, exclude_globs, where=label(self))
        self._rules = Rules(
            extensions=self._choice.extensions,
            include=self._choice.include,
            exclude=self._choice.exclude,
            hidden=True,
            ignore_files=(GIT_IGNORE_FILE, IGNORE_FILE) if gitignore else (IGNORE_FILE,),
            leaves_out=self._choice.leaves_out,
            links="inside" if follow_symlinks else "none",
            apart=apart,
        )

    def items(self, *, cancel: threading.Event | None = None) -> Iterator[Item]:
        """Yield the folder's files; see :meth:`casetrack.keep.sources.base.Source.items`."""
        self._check_root()
        self._choice.begin()
        self.begin()
        walk = Walk(self.root, self._rules)
        try:
            for seen in walk.files():
                if cancel is not None and cancel.is_set():
                    raise JobStopped(f"Listing {label(self)} was stopped.")
                item = self._item(seen)
                if item is not None:
                    yield item
        except UsageError as error:
            raise SourceError(label(self), error.message, hint=error.hint) from error
        self.note_large(self._largest)
        self.notes += self._choice.notes()

    def _check_root(self) -> None:
        what = "does not exist" if not self.root.exists() else "is not a folder"
        if not self.root.is_dir():
            raise SourceError(
                label(self),
                f"{self.root} {what}.",
                hint="Reconnect the disk or restore the folder, or set 'root' to its new path.",
            )

    def _item(self, seen: Seen) -> Item | None:
        """Return the item of a file; invalid ones are noted."""
        source_id = seen.path[len(self._above) :].replace(os.sep, "/")
        facts = seen.facts
        if facts is None:
            if isinstance(seen.problem, FileUnreadable):
                if not source_id:
                    raise SourceError(label(self), seen.problem.message, hint=seen.problem.hint)
                # It may exist with unchanged content.
                self.dark.append(source_id)
            self.notes.append(seen.problem.message if seen.problem else source_id)
            return None
        try:
            source_id.encode()
        except UnicodeEncodeError:
            self.notes.append(
                f"{source_id!r} is left out: its name is not valid Unicode; rename it."
            )
            return None
        if facts.st_size > self._largest:
            self.large.append(source_id)
            return None
        return Item(
            source_id,
            f"{facts.st_size}-{facts.st_mtime_ns}-{facts.st_ctime_ns}-{facts.st_ino}",
            size=facts.st_size,
            url=_SCHEME + pathname2url(seen.path),
            updated_at=datetime.fromtimestamp(facts.st_mtime, UTC),
        )

    def file(self, item: Item, /) -> Path:
        """Return a file's path; see :meth:`casetrack.keep.sources.base.Source.file`."""
        return self.root / item.source_id

    def fetch(self, item: Item, target: Path, /, *, cancel: threading.Event | None = None) -> None:  # noqa: ARG002
        """Copy a file; see :meth:`casetrack.keep.sources.base.Source.fetch`."""
        try:
            shutil.copyfile(self.file(item), target)
        except OSError as error:
            reason = error.strerror or str(error)
            raise SourceError(
                label(self),
                f"{item.source_id} cannot be read: {reason}.",
                hint="Close programs that hold the file, or change its permissions.",
            ) from error

    def link(self, item: Item, first_line: int | None, last_line: int | None, /) -> str | None:  # noqa: ARG002
        """Return a file's address, without lines."""
        return item.url
