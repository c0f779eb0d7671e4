"""The user's marks on a collection: tags, stars, edits of entities, events; never lost."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal

from casetrack.api.collection import marking
from casetrack.api.collection.tags import Page, ShownKind, Tags
from casetrack.api.operation import ADDS, SWITCHES, Arg, DocumentRef, PassageRef, operation
from casetrack.base.arguments import one_of
from casetrack.base.errors import EntityNotFound, See, UsageError
from casetrack.base.records.marks import ENTITY_EDITS, Mark, MarkKind, PlacedMark
from casetrack.graph.opened import graph_of, graph_with
from casetrack.store import marks as store

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.base.records.graph import Event
    from casetrack.store.workspace import State

NamedKind = Literal["person", "organization", "location"]
_Name = Annotated[str, Arg("A name or ID.", "NAME")]
_EventId = Annotated["Event | str", Arg("The ID of the event.", "EVENT")]


class Marks(Tags):
    """The user's marks on a collection: ``collection.marks``.

    Marks are never overwritten: undone ones are still listed. They survive reindexing, syncing,
    export, import and restoring a snapshot, and the mark of a deleted document reports that the
    document is gone. Methods that change marks raise ``CollectionReadOnly`` if the collection is
    closed or archived, and ``CollectionBusy``, ``DiskFull``, ``NotWritable`` or ``StorageError`` if
    they cannot be written.
    """

    def id_of(self, name: str, /, *, kind: str) -> str:
        """Return the id of the entity with this name or id, of one *kind* or ``any``.

        Raises ``EntityNotFound`` or ``UsageError`` if no entity of the kind matches, or several do.
        """
        return self._workspace.ask(lambda s: marking.resolve_entity(s, name, kind)).entity_id

    @operation("merge", ADDS, command="entity --merge")
    def merge(self, name: _Name, other: Annotated[str, Arg(cli="OTHER")], /) -> PlacedMark:
        """Merge two entities: mentions of the other count for the first one.

        Parameters
        ----------
        other
            The entity to merge.

        Raises
        ------
        EntityNotFound, UsageError
            No entity matches, several do, or both are the same.
        """
        return self._of_two("merge", name, other)

    @operation("keep-apart", ADDS, command="entity --apart")
    def keep_apart(self, name: _Name, other: Annotated[str, Arg(cli="OTHER")], /) -> PlacedMark:
        """Keep two entities apart: they are no longer listed as probably the same.

        Parameters
        ----------
        other
            The other entity.

        Raises
        ------
        EntityNotFound, UsageError
            No entity matches, several do, or both are the same.
        """
        return self._of_two("apart", name, other)

    def _of_two(self, kind: MarkKind, name: str, other: str) -> PlacedMark:
        def make(state: State) -> list[Mark]:
            one, two = marking.resolve_entity(state, name), marking.resolve_entity(state, other)
            if one.entity_id == two.entity_id:
                raise UsageError(
                    f'"{name}" and "{other}" are already the same: {one.name} ({one.entity_id}).',
                    hint="Nothing was changed.",
                )
            return [marking.edit(kind, one, other_id=two.entity_id, other_name=two.name)]

        return self._edit(make)

    @operation("split", ADDS, command="entity --split")
    def split(
        self,
        name: _Name,
        spelling: Annotated[str, Arg(cli="SPELLING")],
        /,
        *,
        as_name: Annotated[str | None, Arg(cli="--as NAME")] = None,
        document: Annotated[DocumentRef | None, Arg(cli="--in DOCUMENT")] = None,
    ) -> PlacedMark:
        """Split a spelling of an entity off: it becomes another entity.

        A document that mainly uses this spelling moves with all its other spellings of the entity.

        Parameters
        ----------
        spelling
            The spelling to split off.
        as_name
            Name of the other entity.

            Or its id, or a new name; by default the spelling.
        document
            Only in this document.

        Raises
        ------
        EntityNotFound, DocumentNotFound, UsageError
            No entity matches, no document uses the spelling, or it is the only one.
        """

        def make(state: State) -> list[Mark]:
            whose = marking.resolve_entity(state, name)
            only = None if document is None else state.document(document)
            fields = marking.target_of(state, only, None) if only is not None else {}
            fields["value"] = marking.spelling_of(state, whose, spelling, only)
            if as_name is not None:
                fields |= _other_fields(state, marking.new_name(as_name), but=whose.entity_id)
            return [marking.edit("split", whose, **fields)]

        return self._edit(make)

    @operation("set-kind", ADDS, command="entity --set-kind")
    def set_kind(self, name: _Name, kind: Annotated[NamedKind, Arg(cli="KIND")], /) -> PlacedMark:
        """Change the kind of an entity: ``person``, ``organization`` or ``location``.

        Parameters
        ----------
        kind
            The new kind.

        Raises
        ------
        EntityNotFound, UsageError
            No entity matches, or there is no such kind.
        """
        from casetrack.graph.entities.edits import NAMED

        one_of("kind", kind, NAMED)
        return self._changed("kind", name, kind)

    @operation("rename", ADDS, command="entity --rename")
    def rename(self, name: _Name, new: Annotated[str, Arg(cli="NEW")], /) -> PlacedMark:
        """Rename an entity; its id and the spellings of the documents stay.

        Parameters
        ----------
        new
            The new name.

        Raises
        ------
        EntityNotFound, UsageError
            No entity matches, or *new* is not a valid name.
        """
        return self._changed("rename", name, marking.new_name(new))

    def _changed(self, kind: MarkKind, name: str, value: str) -> PlacedMark:
        def make(state: State) -> list[Mark]:
            whose = marking.resolve_entity(state, name)
            if value == (whose.kind if kind == "kind" else whose.name):
                raise UsageError(f"Nothing was changed: {whose.name} is already {value}.", hint="")
            return [marking.edit(kind, whose, value=value)]

        return self._edit(make)

    @operation("set-role", ADDS, command="entity --role")
    def set_role(
        self,
        name: _Name,
        role: Annotated[str, Arg(cli="ROLE")],
        /,
        *,
        document: Annotated[DocumentRef | None, Arg(cli="--in DOCUMENT")] = None,
    ) -> PlacedMark:
        """Correct the role of an entity, such as ``customer``, or remove it with ``none``.

        Terms that stated another role ("the Distributor") no longer count as its mentions.

        Parameters
        ----------
        role
            The new role; none removes it.
        document
            Only in this document.

        Raises
        ------
        EntityNotFound, DocumentNotFound, UsageError
            No entity matches, it is not in the document, or it already has this role only.
        """
        words = marking.new_name(role).lower()

        def make(state: State) -> list[Mark]:
            whose = marking.resolve_entity(state, name)
            only = {} if document is None else marking.target_of(state, document, None)
            return [marking.edit("role", whose, value="" if words == "none" else words, **only)]

        return self._edit(make)

    @operation("hide", ADDS, command="entity --hide")
    def hide(self, name: _Name, /) -> PlacedMark:
        """Hide an entity from all answers of the map.

        Raises
        ------
        EntityNotFound, UsageError
            No entity matches.
        """
        return self._edit(lambda s: [marking.edit("hide", marking.resolve_entity(s, name))])

    @operation("unhide", SWITCHES, command="entity --unhide")
    def unhide(self, name: _Name, /) -> PlacedMark:
        """Show a hidden entity again.

        Parameters
        ----------
        name
            Its name or id, or the id of the mark.

        Raises
        ------
        UsageError
            No hidden entity has this name.
        """
        return self._undo_named("hide", name, "hidden")

    @operation("undo-edit", SWITCHES, command="entity --undo")
    def undo_edit(self, name: _Name, /) -> PlacedMark:
        """Undo the last change of an entity.

        Raises
        ------
        UsageError
            The entity has no changes.
        """
        return self._undo_named(None, name, "merged, split, renamed or hidden")

    def _undo_named(self, kind: ShownKind | None, name: str, what: str) -> PlacedMark:

        wanted = name.strip().casefold()
        edits = [
            m.mark
            for m in self.all(kind)
            if m.mark.kind in ENTITY_EDITS and wanted in _names(m.mark)
        ]
        if not edits and kind is None:
            entity = self._workspace.ask(lambda s: marking.resolve_entity(s, name))
            edits = [
                m.mark
                for m in self.all()
                if m.mark.kind in ENTITY_EDITS
                and entity.entity_id in {m.mark.entity_id, m.mark.other_id}
            ]
        if not edits:
            raise UsageError(
                f'You have {what} no name "{name}".', hint=f"{See('marks')} shows all your marks."
            )
        return self.undo(edits[-1].mark_id)

    # --- the timeline -------------------------------------------------------------------------

    @operation("add-event", ADDS, command="timeline --add")
    def add_event(
        self,
        date: Annotated[str, Arg(cli="DATE")],
        text: Annotated[str, Arg(cli="TEXT")],
        /,
        *,
        source: Annotated[DocumentRef | PassageRef, Arg(cli="--source DOCUMENT|ID")],
        page: Page = None,
    ) -> PlacedMark:
        """Add an event to the timeline; it cites a place of the collection.

        Parameters
        ----------
        date
            The day, month or year.
        text
            What happened.
        source
            The source document, or a chunk's ID.
        page
            Required for a document with several pages.

        Raises
        ------
        UsageError
            The date is not valid, the text is empty, or there is no such page.
        DocumentNotFound, AmbiguousName
            The source is not in the collection.
        """
        return self._edit(lambda s: [marking.own_event(s, date, text, source, page)])

    @operation("change-event", SWITCHES, command="timeline --change")
    def change_event(
        self,
        event: _EventId,
        /,
        *,
        date: Annotated[str | None, Arg(cli="--date DATE")] = None,
        text: Annotated[str | None, Arg(cli="--text TEXT")] = None,
    ) -> PlacedMark:
        """Change an event that you added; its source and omitted arguments stay.

        Parameters
        ----------
        event
            The event, or its ``event_id``.
        date
            Its day, month or year.
        text
            What happened.

        Raises
        ------
        UsageError
            You did not add this event, the date is not valid, or the text is empty.
        """
        wanted = event if isinstance(event, str) else event.event_id
        placed = next((m for m in self.all("event") if m.mark_id == wanted.strip().lower()), None)
        if placed is None:
            raise UsageError(
                f'You have added no event "{wanted}".',
                hint="Events of the documents cannot be changed; hide the event, and add your own.",
            )
        changed = marking.changed_event(placed.mark, date, text)
        undone = store.new_mark(kind="undo", value=placed.mark_id)
        return self._edit(lambda _: [undone, changed])

    @operation("hide-event", ADDS, command="timeline --hide")
    def hide_event(self, event: _EventId, /) -> PlacedMark:
        """Hide an event from the timeline; an event that you added is removed.

        Parameters
        ----------
        event
            An event of :meth:`~casetrack.api.collection.map.Map.timeline`, or its ``event_id``.

        Raises
        ------
        UsageError
            There is no such event.
        """
        if own := self._own_event(event):
            return self.undo(own)

        def make(state: State) -> list[Mark]:
            hidden = marking.event_mark(state, "hide_event", event)
            return [*self._undo_marks(state, event, "take_event"), hidden]

        return self._edit(make)

    @operation("unhide-event", SWITCHES, command="timeline --unhide")
    def unhide_event(self, event: _EventId, /) -> PlacedMark:
        """Show a hidden event again, by its id or the id of the mark.

        Raises
        ------
        UsageError
            It is not hidden.
        """
        return self._undo_event(
            "hide_event", event, 'There is no hidden event "{}".', "all hidden events"
        )

    @operation("take-event", ADDS, command="chronology --take")
    def take_event(
        self, event: _EventId, /, *, words: Annotated[str, Arg(cli="--words TEXT")] = ""
    ) -> PlacedMark:
        """Add an event of the documents to the chronology.

        It stays there if the timeline changes; a hidden event is shown again.

        Parameters
        ----------
        event
            An event of :meth:`~casetrack.api.collection.map.Map.timeline`, or its ``event_id``.
        words
            A description of the event.

            By default that of the document. It replaces an earlier one.

        Raises
        ------
        UsageError
            There is no such event, or you added it, so that it is already in the chronology.
        """
        if own := self._own_event(event):
            raise UsageError(
                f"You have added the event {own}, so it is already in the chronology.",
                hint="To change its text, undo it and add it again.",
            )
        text = marking.note_of(words)

        def make(state: State) -> list[Mark]:
            taken = replace(marking.event_mark(state, "take_event", event), note=text)
            return [*self._undo_marks(state, event, "take_event", "hide_event"), taken]

        return self._edit(make)

    @operation("untake-event", SWITCHES, command="chronology --untake")
    def untake_event(self, event: _EventId, /) -> PlacedMark:
        """Remove an event from the chronology; the timeline keeps it.

        Parameters
        ----------
        event
            The event, its ``event_id``, or the id of the mark.

        Raises
        ------
        UsageError
            It is not in the chronology.
        """
        problem = 'The event "{}" is not in the chronology.'
        return self._undo_event("take_event", event, problem, "its events")

    def _undo_event(
        self, kind: ShownKind, event: Event | str, problem: str, others: str
    ) -> PlacedMark:
        wanted = event if isinstance(event, str) else event.event_id
        for placed in self.all(kind):
            if wanted in {placed.mark_id, marking.event_id(placed)}:
                return self.undo(placed.mark_id)
        hint = f"{See('marks', kind=kind)} shows {others}."
        raise UsageError(problem.format(wanted), hint=hint)

    def _own_event(self, event: Event | str) -> str | None:
        """Return the mark of an event that the user added; ``None`` for those of documents."""
        own = event if isinstance(event, str) else event.mark_id
        return own if own in {m.mark_id for m in self.all("event")} else None

    @staticmethod
    def _undo_marks(state: State, event: Event | str, *kinds: MarkKind) -> list[Mark]:
        """Return marks that undo the marks of some kinds on the same event."""
        named = event if isinstance(event, str) else event.event_id
        date, _, chunk = named.strip().partition("@")
        return [
            store.new_mark(kind="undo", value=placed.mark_id)
            for placed in graph_of(state).marks
            if placed.state != "undone"
            and placed.mark.kind in kinds
            and marking.event_id(placed) == f"{date}@{chunk[:8]}"
        ]

    # --- writing ------------------------------------------------------------------------------

    def _edit(self, make: Callable[[State], list[Mark]]) -> PlacedMark:
        def made(state: State) -> tuple[list[Mark], list[str]]:
            new = make(state)
            content = _content(new[-1])
            if any(
                p.state == "in force" and _content(p.mark) == content for p in graph_of(state).marks
            ):
                return [], []
            changed = graph_with(state, new).marks
            if any(p.state == "idle" and p.mark.mark_id == new[-1].mark_id for p in changed):
                raise UsageError(
                    f"Nothing was changed: no mention of {new[-1].entity_name} fits this edit.",
                    hint="`casetrack entity` lists the spellings of an entity.",
                )
            return new, [new[-1].mark_id]

        return self._write(made)[0]


def _content(mark: Mark) -> Mark:
    """Return a mark without its id and its times, which differ between equal edits."""
    return replace(mark, mark_id="", made_at=mark.made_at.min, undone_by=None)


def _other_fields(state: State, name: str, *, but: str) -> dict[str, str]:
    """Return the fields of the entity with this name, or the name alone if there is none."""
    try:
        entity = marking.resolve_entity(state, name)
    except EntityNotFound:
        return {"other_name": name}
    if entity.entity_id == but:
        return {"other_name": name}
    return {"other_id": entity.entity_id, "other_name": entity.name}


def _names(mark: Mark) -> set[str]:
    values = (mark.mark_id, mark.entity_id, mark.entity_name, mark.other_id, mark.other_name)
    named = (mark.value,) if mark.kind in {"rename", "split"} else ()
    return {t.casefold() for t in (*values, *named) if t}
