"""The collection: one facade for the command line, MCP, SQL and Python.

Readers never wait for writers: every call reads the last committed state. Ingesting and deleting
take the collection's write lock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, overload

from casetrack.api.collection.admin import Admin
from casetrack.api.collection.map import Map
from casetrack.api.collection.marks import Marks
from casetrack.api.collection.progress import listener, shows_progress
from casetrack.api.collection.read import Read
from casetrack.api.collection.searching import Searching
from casetrack.api.collection.writing import Writing
from casetrack.api.operation import DELETES, EVERY, READS, Arg, DocumentRef, operation
from casetrack.base.arguments import one_of
from casetrack.base.errors import CaseTrackError
from casetrack.base.records import CollectionStats, Document, RowList
from casetrack.store.workspace import raises_damage

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path
    from typing import Self

    from casetrack.api.collection.progress import ProgressDisplay
    from casetrack.base.records import CollectionInfo
    from casetrack.store.workspace import Workspace

    Progress = Callable[[str, int, int], None]


class Collection(Searching, Writing):
    """An open collection. Made by :class:`~casetrack.api.library.Library`, not directly.

    It can be used from several threads and need not be closed, since files are open only while they
    are read. At the end of a ``with`` block it frees its memory.

    Attributes
    ----------
    read
        Reading: passages, pages, the structure of documents.
    map
        Names, dates, amounts and references.
    marks
        The user's marks: tags, stars, edits of names, events.
    admin
        Facts, earlier states and health of the collection.
    """

    def __init__(self, workspace: Workspace, /, *, display: ProgressDisplay | None = None) -> None:
        self.workspace = workspace
        self.read = Read(workspace)
        self.map = Map(workspace)
        self.marks = Marks(workspace)
        self.admin = Admin(workspace, display)
        self._display = display

    @property
    def folder(self) -> Path:
        """The collection's folder."""
        return self.workspace.folder

    @property
    def info(self) -> CollectionInfo:
        """The collection's facts, read from disk each time."""
        return self.workspace.info

    @property
    def name(self) -> str:
        """The collection's name."""
        return self.workspace.name

    @overload
    def report(
        self,
        path: None = None,
        /,
        *,
        pictures: bool = ...,
        made: datetime | None = ...,
        progress: Progress | bool | None = ...,
    ) -> str: ...
    @overload
    def report(
        self,
        path: str | Path,
        /,
        *,
        pictures: bool = ...,
        made: datetime | None = ...,
        progress: Progress | bool | None = ...,
    ) -> Path: ...
    @shows_progress("Writing", stops=False)
    def report(
        self,
        path: str | Path | None = None,
        /,
        *,
        pictures: bool = True,
        made: datetime | None = None,
        progress: Progress | bool | None = None,
    ) -> str | Path:
        """Return a briefing of the collection as one page of HTML, or write it to a file.

        It has a short summary, then people, events, topics and amounts, the documents, how well
        they could be read, and refused files from the records of jobs. Every statement links to its
        passage, with the words highlighted on the page if it can be drawn. The page names the parts
        that the tier does not include. Raises ``UsageError`` if *path* does not end in ``.html``,
        its folder does not exist, or another file exists there; ``StorageError`` if it cannot be
        written.

        Parameters
        ----------
        path
            File to write, ending in ``.html``; only an older report is replaced.
        pictures
            Add pictures of pages; without them the file is small and quickly made.
        made
            Time in the report, by default now; apart from it, the same state of the collection, its
            files and its jobs gives the same page.
        progress
            Called from this thread with the current step, the work done and the total (0: unknown);
            ``True`` shows a bar, ``False`` none, by default in a notebook or terminal.
        """
        from casetrack.api.viewer.report import write_report

        return write_report(
            self.workspace, path, pictures=pictures, made=made, progress=listener(progress)
        )

    @operation(
        "documents",
        READS,
        tool="list_documents",
        sets=("core", "search", "legal"),
        most=EVERY,
        per_call=(200, 1000),
    )
    def documents(
        self,
        *,
        sort_by: Annotated[Literal["name", "date", "pages", "type"], Arg(cli="--sort")] = "date",
        tag: Annotated[str | None, Arg(cli="--tag TAG", mcp="-")] = None,
        starred: Annotated[bool, Arg(cli="--starred", mcp="-")] = False,
    ) -> RowList[Document]:
        """Return all documents, last added first; ``sort_by`` has other orders.

        Parameters
        ----------
        sort_by
            Sort order; date puts the newest first.

            ``pages`` puts the longest first; ``type`` sorts by type, then by name.
        tag
            Only documents with this tag.
        starred
            Only starred documents.

        Raises
        ------
        UsageError
            *sort_by* is none of these.
        """
        keys: dict[str, Callable[[Document], Any]] = {
            "name": lambda d: (d.name.casefold(), d.path),
            "date": lambda d: (-d.ingested_at.timestamp(), d.name.casefold(), d.path),
            "pages": lambda d: (-d.page_count, d.name.casefold(), d.path),
            "type": lambda d: (d.document_type or "~", d.name.casefold(), d.path),
        }
        one_of("sort_by", sort_by, keys)
        marked = self.marks.documents(tag=tag, starred=starred)
        records = self.workspace.ask(lambda state: list(state.snapshot.documents.values()))
        if marked is not None:
            records = [d for d in records if d.document_id in marked]
        return RowList(sorted(records, key=keys[sort_by]), of=Document)

    @operation("document", READS, tool="get_document", sets=("search", "legal"))
    def document(
        self, name_or_id: Annotated[DocumentRef, Arg(cli="NAME", mcp="document_name")], /
    ) -> Document:
        """Return the document of a name, a path, or an id (at least its first 8 characters).

        Parameters
        ----------
        name_or_id
            Name, path or ID of the document.

            A record is accepted too, here and in all methods; it is looked up again by its id.

        Raises
        ------
        DocumentNotFound, AmbiguousName
            None matches (similar names are suggested), or several do.
        """
        return self.workspace.ask(lambda state: state.document(name_or_id))

    @operation("delete", DELETES)
    @raises_damage
    def delete_document(
        self,
        name_or_id: Annotated[DocumentRef, Arg(cli="NAME")],
        /,
        *,
        secure: bool = False,
        exclude: Annotated[bool, Arg(cli="--exclude")] = False,
    ) -> Document:
        """Remove a document, its attachments and all data derived from it.

        The source file stays. The next sync of its folder adds it again, unless it is excluded.
        Raises ``UsageError`` if a part of another file cannot be excluded alone;
        ``CollectionReadOnly``, ``DocumentNotFound``, ``AmbiguousName``, ``CollectionBusy`` or
        ``StorageError``.

        Parameters
        ----------
        name_or_id
            Name, path or ID of the document.
        secure
            Remove it from every file at once, with all content deleted earlier and all named
            snapshots. Otherwise ``admin.upkeep`` removes it later.
        exclude
            Syncs skip its file until you ingest it by its path.

            No sync adds the file again, also after it is moved or changed, until it is ingested
            itself. ``admin.excluded`` lists such files.
        """
        from casetrack.keep.upkeep import delete_document

        return delete_document(self.workspace, name_or_id, secure=secure, exclude=exclude)

    @raises_damage
    def stats(self) -> CollectionStats:
        """Return counts of live documents, pages and chunks, and the bytes on disk."""
        from casetrack.api.collection.facts import counted_stats

        return self.workspace.ask(lambda state: counted_stats(self.folder, state.snapshot))

    def __enter__(self) -> Self:
        """Return the collection itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Free the memory; the next call opens the collection again."""
        self.workspace.forget()

    def __repr__(self) -> str:
        """Return name, size and place; only the place if the collection cannot be read."""
        try:
            name, stats = self.name, self.stats()
        except CaseTrackError as error:
            return f"<Collection at {self.folder}: {error.message}>"
        return (
            f"<Collection {name!r}: {stats.document_count} documents, "
            f"{stats.page_count} pages, {stats.chunk_count} chunks; {self.folder}>"
        )
