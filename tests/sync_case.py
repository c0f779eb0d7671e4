"""A folder and a collection with models that record their input."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.api.collection import Collection
from casetrack.store.workspace import Workspace
from fakes import FakeEncoders, WordEncoder

if TYPE_CHECKING:
    from casetrack.api.library import Library
    from casetrack.base.records.sync import SyncReport


class Case:
    """A folder, a collection, and its models.

    Attributes
    ----------
    folder
        The synced folder; files are named relative to it.
    encoder
        Its ``seen`` lists every embedded text.
    """

    def __init__(self, library: Library, folder: Path) -> None:
        self.encoder = WordEncoder("mini", token_width=None)
        self.folder = folder
        folder.mkdir(exist_ok=True)
        made = library.create("Case")
        self.collection = Collection(
            Workspace(made.folder, library.settings, FakeEncoders(self.encoder))
        )

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def move(self, old: str, new: str) -> None:
        (self.folder / new).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / old).rename(self.folder / new)

    def remove(self, name: str) -> None:
        (self.folder / name).unlink()

    def sync(self, **options: object) -> SyncReport:
        return self.collection.sync(self.folder, **options)

    def relative(self, path: str) -> str:
        return Path(path).relative_to(self.folder).as_posix() if path else ""

    def told(self, report: SyncReport) -> set[tuple[str, ...]]:
        """Return the changes as kind and path, and for moved ones where from."""
        message = set()
        for change in report.changes:
            before = [self.relative(change.previous_path)] if change.previous_path else []
            message.add((change.kind, *before, self.relative(change.path)))
        return message

    def texts(self) -> dict[str, str]:
        """Return the text of the collection by path."""
        return {
            self.relative(d.path): "".join(
                c.text for c in self.collection.read.chunks(d.document_id)
            )
            for d in self.collection.documents()
        }

    def ids(self) -> dict[str, str]:
        return {self.relative(d.path): d.document_id for d in self.collection.documents()}
