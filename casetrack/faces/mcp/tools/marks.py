"""Tools on the user's word: tags and stars, who is who, own and hidden events."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict

from mcp.types import CallToolResult
from pydantic import Field

from casetrack.api.operation import ADDS, READS
from casetrack.base.errors import UsageError
from casetrack.base.records.marks import ENTITY_EDITS
from casetrack.faces.mcp import outputs
from casetrack.faces.mcp.render.graph import inline, joined
from casetrack.faces.mcp.results import answer, cut, onward, portion
from casetrack.faces.mcp.session import SessionTools, in_thread, locate, write_in_thread
from casetrack.faces.mcp.specs import CollectionName, Offset, tool

if TYPE_CHECKING:
    from casetrack.api.collection import Collection
    from casetrack.base.records.marks import PlacedMark

_CHARS = 300
Action = Literal[
    "tag",
    "untag",
    "star",
    "unstar",
    "merge",
    "split",
    "kind",
    "rename",
    "hide",
    "add_event",
    "change_event",
    "hide_event",
    "undo",
]

_TAKES = {
    "tag": "value page note",
    "untag": "value page",
    "star": "page note",
    "unstar": "page",
    "split": "value note document",
    "hide": "",
    "add_event": "date value page",
    "change_event": "date value",
    "hide_event": "date",
    "undo": "",
}
"""What an action takes beside its target; others take a value."""


class MarkEntry(TypedDict):
    """A mark and whether it counts; ``get_chunk`` gives the passage of ``chunk_id``."""

    mark_id: str
    kind: str
    state: str
    value: str
    note: str
    document: str | None
    page: int | None
    entity: str | None
    other: str | None
    chunk_id: str | None
    citation: str | None


class MarkOutput(outputs.Answer):
    """What was marked or taken back; several where all tags of a place were."""

    marks: list[MarkEntry]


class MarksOutput(outputs.Answer, outputs.Paged):
    """The user's marks in the order in which they were made."""

    total: int
    marks: list[MarkEntry]


class MarkTools(SessionTools):
    """The tools of this module, for one session."""

    @tool(
        "Mark",
        ADDS,
        description="Keep the user's word, when asked to: tag or star a document or passage; "
        "merge two entities, split a spelling off, set the kind, rename, hide; add, "
        "change or hide an event. Returns mark_id, for undo.",
        sets=("map",),
    )
    async def mark(
        self,
        action: Annotated[Action, Field(description="What to do")],
        target: Annotated[
            str, Field(description="Document or chunk_id (also of events); entity; mark_id")
        ],
        value: Annotated[
            str | None, Field(description="Tag; other entity; spelling; kind; new name; event")
        ] = None,
        page: Annotated[int | None, Field(ge=1, description="Its page")] = None,
        date: Annotated[str | None, Field(description="Of the event")] = None,
        note: Annotated[str, Field(description="Remark; for split whose name it is")] = "",
        document: Annotated[str | None, Field(description="Split only there")] = None,
        collection: CollectionName = None,
    ) -> Annotated[CallToolResult, MarkOutput]:
        """Mark something for the user."""
        found: Collection = await locate(self._session, collection)
        marks = found.marks

        def needed(what: str | None, name: str, example: str) -> str:
            if not what:
                raise UsageError(f"{action} needs {name}.", hint=f"Such as {name}: {example}.")
            return what

        def one(make: Callable[[], "PlacedMark"]) -> "list[PlacedMark]":
            return [make()]

        given = {"value": value, "page": page, "date": date, "note": note, "document": document}
        for name in (n for n, one in given.items() if one):
            if name not in _TAKES.get(action, "value").split():
                raise UsageError(f"{action} has no use for {name}.", hint=f"Leave {name} out.")
        tags = [] if value is None else [value]
        works: dict[str, Callable[[], list[PlacedMark]]] = {
            "tag": lambda: list(marks.tag(target, *tags, page=page, note=note)),
            "untag": lambda: list(marks.untag(target, *tags, page=page)),
            "star": lambda: one(lambda: marks.star(target, page=page, note=note)),
            "unstar": lambda: list(marks.unstar(target, page=page)),
            "merge": lambda: one(lambda: marks.merge(target, needed(value, "value", "Bob Smith"))),
            "split": lambda: one(
                lambda: marks.split(
                    target, needed(value, "value", "Smith"), as_name=note or None, document=document
                )
            ),
            "kind": lambda: one(
                lambda: marks.set_kind(target, needed(value, "value", "organization"))
            ),
            "rename": lambda: one(lambda: marks.rename(target, needed(value, "value", "Acme"))),
            "hide": lambda: one(lambda: marks.hide(target)),
            "add_event": lambda: one(
                lambda: marks.add_event(
                    needed(date, "date", "2023-05-04"),
                    needed(value, "value", "The parties met."),
                    source=target,
                    page=page,
                )
            ),
            "change_event": lambda: one(lambda: marks.change_event(target, date=date, text=value)),
            "hide_event": lambda: one(lambda: marks.hide_event(_event(target, date))),
            "undo": lambda: one(lambda: marks.undo(target)),
        }
        placed = await write_in_thread(self._session, f"marks-{found.info.id}", works[action])
        text = "\n".join(_line(each) for each in placed)
        facts = {"collection": found.info.name, "marks": [_entry(each) for each in placed]}
        return answer(f"{found.info.name}:\n{text}", facts)

    @tool(
        "Marks",
        READS,
        description="The user's tags, stars, edits of entities and events. Returns mark_id, "
        "place and state of each.",
        sets=("map",),
    )
    async def list_marks(
        self, offset: Offset = 0, collection: CollectionName = None
    ) -> Annotated[CallToolResult, MarksOutput]:
        """List the user's marks."""
        found: Collection = await locate(self._session, collection)
        placed = await in_thread(found.marks.all)
        page = portion(placed, _entry, lambda each, _: _line(each), offset=offset)
        more = onward(page.next_offset)
        head = f"{found.info.name}: {len(placed):,} {'mark' if len(placed) == 1 else 'marks'}"
        return answer(
            joined(["\n".join([head, *page.blocks])], more),
            {
                "collection": found.info.name,
                "total": len(placed),
                "offset": offset,
                "next_offset": page.next_offset,
                "marks": page.entries,
            },
        )


def _event(target: str, date: str | None) -> str:
    """Return the id of an event: that itself, or its date and the passage that says so."""
    return target if date is None else f"{date}@{target[:8]}"


def _entry(placed: "PlacedMark") -> dict[str, Any]:
    mark, quote = placed.mark, placed.quote

    def short(text: str | None) -> str | None:
        return None if text is None else cut(text, _CHARS)

    return {
        "mark_id": mark.mark_id,
        "kind": mark.kind,
        "state": placed.state,
        "value": cut(mark.value, _CHARS),
        "note": cut(mark.note, _CHARS),
        "document": short(mark.document_name),
        "page": mark.page,
        "entity": short(mark.entity_id),
        "other": short(mark.other_id or mark.other_name),
        "chunk_id": quote.chunk_id if quote is not None else None,
        "citation": short(quote.citation) if quote is not None else None,
    }


def _line(placed: "PlacedMark") -> str:
    """Return a mark on one line: what it says, of what, where, and whether it counts."""
    mark = placed.mark
    if mark.kind in ENTITY_EDITS:
        said = (
            f"{inline(cut(mark.entity_name or '', _CHARS))}: {inline(cut(mark.sentence(), _CHARS))}"
        )
    else:
        words = (mark.kind.replace("_", " "), mark.value, mark.note)
        said = " ".join(inline(cut(w, _CHARS)) for w in words if w)
        where = placed.quote.citation if placed.quote is not None else mark.document_name or ""
        said += f" -- {inline(cut(where, _CHARS))}"
    state = "" if placed.state == "in force" else f" [{placed.state}]"
    return f"- {said}{state} ({mark.mark_id})"
