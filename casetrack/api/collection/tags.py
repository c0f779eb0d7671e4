"""Tags and stars of the user, the list of all marks, and their undoing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from casetrack.api.collection import marking
from casetrack.api.operation import (
    ADDS,
    EVERY,
    READS,
    SWITCHES,
    Arg,
    DocumentRef,
    PassageRef,
    operation,
)
from casetrack.base.arguments import one_of
from casetrack.base.errors import See, UsageError
from casetrack.base.records import Rows
from casetrack.base.records.marks import MARK_KINDS, Mark, MarkKind, PlacedMark
from casetrack.graph.opened import graph_of
from casetrack.store import marks as store
from casetrack.store.listing import checked_tags

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from casetrack.store.workspace import State, Workspace

if TYPE_CHECKING:
    ShownKind = MarkKind
else:
    ShownKind = Literal[MARK_KINDS[:-1]]
Target = Annotated[
    DocumentRef | PassageRef,
    Arg("A document (name, path or ID), or the ID of a chunk.", "DOCUMENT|ID"),
]
Page = Annotated[int | None, Arg("Only this page of the document.", "--page N", ge=1)]
Note = Annotated[str, Arg("A note.", "--note TEXT")]


class Tags:
    """Tags and stars; a part of ``collection.marks``."""

    def __init__(self, workspace: Workspace, /) -> None:
        self._workspace = workspace

    @operation(
        "marks", READS, tool="list_marks", sets=("map",), most=EVERY, entries="marks", concise=False
    )
    def all(
        self,
        kind: Annotated[ShownKind | None, Arg(cli="--kind", mcp="-")] = None,
        /,
        *,
        undone: Annotated[bool, Arg(cli="--undone", mcp="-")] = False,
    ) -> Rows[PlacedMark]:
        """Return your marks: tags, stars, corrections of names, added and hidden events.

        They survive rebuilds, exports and new ingestion, and are in the order of their creation.

        Parameters
        ----------
        kind
            Only of this kind.
        undone
            Include undone marks.

        Raises
        ------
        UsageError
            There is no such kind.
        """
        if kind is not None:
            one_of("kind", kind, MARK_KINDS)
        marks = self._workspace.ask(lambda state: graph_of(state).marks)
        return Rows(
            (m for m in marks if kind in {None, m.mark.kind} and (undone or m.state != "undone")),
            of=PlacedMark,
        )

    @operation("undo", SWITCHES, command="marks --undo")
    def undo(self, mark_id: Annotated[str, Arg(cli="ID")], /) -> PlacedMark:
        """Undo a mark.

        Parameters
        ----------
        mark_id
            The ID of the mark.

        Raises
        ------
        UsageError
            There is no such mark, or it is already undone.
        """
        wanted = mark_id.strip().lower()
        known = {m.mark_id: m for m in self.all(undone=True)}
        if wanted not in known:
            raise UsageError(
                f"There is no mark {mark_id!r}.",
                hint=f"{See('marks')} shows all of them with their ids.",
            )
        if known[wanted].state == "undone":
            raise UsageError(
                f"The mark {wanted} is already undone.",
                hint="Create the same mark again if you need it.",
            )
        self._undo([known[wanted].mark])
        return next(m for m in self.all(undone=True) if m.mark_id == wanted)

    def documents(self, *, tag: str | None = None, starred: bool = False) -> set[str] | None:
        """Return the ids of documents with a tag, a star, or both; ``None`` without a condition."""
        if tag is None and not starred:
            return None
        marks = self.all()
        wanted = [("star", "")] if starred else []
        wanted += [("tag", tag)] if tag is not None else []
        chosen = [
            {m.mark.document_id for m in marks if m.mark.kind == k and same(m.mark.value, v)}
            for k, v in wanted
        ]
        return {i for i in set.intersection(*chosen) if i is not None}

    # --- documents and passages ---------------------------------------------------------------

    @operation("tag", ADDS)
    def tag(
        self,
        target: Target,
        /,
        *tags: Annotated[str, Arg(cli="TAG")],
        page: Page = None,
        note: Note = "",
    ) -> Rows[PlacedMark]:
        """Tag a document, a page of it, or a passage.

        Parameters
        ----------
        target
            A document (name, path, id or record), or a passage: the id of a chunk, a search result,
            a quote.
        tags
            One or more tags.

            Duplicates in any letter case are removed.

        Raises
        ------
        UsageError
            No tag, or an invalid one; there is no such page.
        DocumentNotFound, AmbiguousName
            No document or passage matches, or several do.
        """
        wanted = checked_tags(tags)
        if not wanted:
            raise UsageError("No tag was given.", hint='Such as "privileged".')
        return self._put("tag", target, page, wanted, note)

    @operation("untag", SWITCHES, command="tag --remove")
    def untag(
        self, target: Target, /, *tags: Annotated[str, Arg(cli="TAG")], page: Page = None
    ) -> Rows[PlacedMark]:
        """Remove tags, by default all of a place.

        Parameters and errors are those of :meth:`tag`.

        Parameters
        ----------
        tags
            Tags to remove; all of them by default.

        Raises
        ------
        UsageError
            There is no such tag.
        """
        return self._remove("tag", target, page, checked_tags(tags))

    @operation("star", ADDS)
    def star(self, target: Target, /, *, page: Page = None, note: Note = "") -> PlacedMark:
        """Star a document, a page of it, or a passage.

        Parameters and errors are those of :meth:`tag`.
        """
        return self._put("star", target, page, ("",), note)[0]

    @operation("unstar", SWITCHES, command="star --remove")
    def unstar(self, target: Target, /, *, page: Page = None) -> Rows[PlacedMark]:
        """Remove a star.

        Parameters and errors are those of :meth:`untag`.
        """
        return self._remove("star", target, page, ())

    def _put(
        self,
        kind: MarkKind,
        target: DocumentRef | PassageRef,
        page: int | None,
        values: Iterable[str],
        note: str,
    ) -> Rows[PlacedMark]:
        text = marking.note_of(note)

        def make(state: State) -> tuple[list[Mark], list[str]]:
            place = marking.target_of(state, target, page)
            new: list[Mark] = []
            ids: list[str] = []
            for value in values:
                old = next((m for m in _marks_at(state, kind, place) if same(m.value, value)), None)
                if old is not None and text in {"", old.note}:
                    continue
                if old is not None:
                    new.append(store.new_mark(kind="undo", value=old.mark_id))
                new.append(store.new_mark(kind=kind, value=value, note=text, **place))
                ids.append(new[-1].mark_id)
            return new, ids

        return self._write(make)

    def _remove(
        self,
        kind: MarkKind,
        target: DocumentRef | PassageRef,
        page: int | None,
        values: tuple[str, ...],
    ) -> Rows[PlacedMark]:
        def make(state: State) -> tuple[list[Mark], list[str]]:
            present = _marks_at(state, kind, marking.target_of(state, target, page))
            gone = [m for m in present if not values or any(same(m.value, v) for v in values)]
            missing = [v for v in values if not any(same(m.value, v) for m in gone)]
            if missing or not gone:
                what = f'tag "{missing[0]}"' if missing else kind
                raise UsageError(
                    f"There is no {what} to remove.",
                    hint=f"{See('marks')} shows all marks and their places.",
                )
            undo = [store.new_mark(kind="undo", value=m.mark_id) for m in gone]
            return undo, [m.mark_id for m in gone]

        return self._write(make)

    # --- entities ---------------------------------------------------------------------------------

    def _undo(self, marks: Iterable[Mark]) -> None:
        self._workspace.require_active()
        new = [store.new_mark(kind="undo", value=m.mark_id) for m in marks]
        store.add(self._workspace.folder, new)

    def _write(self, make: Callable[[State], tuple[list[Mark], list[str]]]) -> Rows[PlacedMark]:
        """Store the new marks of *make*; return the marks of its ids.

        Raises ``UsageError`` if there are no new marks: all exist already.
        """
        self._workspace.require_active()
        new, ids = self._workspace.ask(make)
        if not new:
            raise UsageError(
                "Nothing was changed: the same mark exists.",
                hint=f"{See('marks')} shows all marks and their places.",
            )
        store.add(self._workspace.folder, new)
        known = {m.mark_id: m for m in self.all(undone=True)}
        return Rows((known[i] for i in ids), of=PlacedMark)


def _marks_at(state: State, kind: MarkKind, place: dict[str, object]) -> list[Mark]:
    """Return the marks of a kind in force at a place."""
    marks = []
    for placed in graph_of(state).marks:
        mark, quote = placed.mark, placed.quote
        if mark.kind != kind or placed.state == "undone":
            continue
        page, start = mark.page, mark.char_start
        if start is not None and quote is not None:
            # If the text has moved, the passage is at the current place of its words.
            page, start = quote.provenance.page, quote.provenance.char_start
        wanted = (place["document_id"], place["page"], place.get("char_start"))
        if (mark.document_id, page, start) == wanted:
            marks.append(mark)
    return marks


def same(one: str, other: str, /) -> bool:
    """Return whether two texts are equal in any letter case."""
    return one.casefold() == other.casefold()
