"""Tools on the user's word: tags and stars, who is who, own and hidden events."""

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

from mcp.types import CallToolResult
from pydantic import Field

from casetrack.api.operation import ADDS, Operation, arguments_of, called
from casetrack.api.operations import operations
from casetrack.api.text import lines_of
from casetrack.base.errors import UsageError
from casetrack.base.records.marks import PlacedMark
from casetrack.faces.mcp.operation_tools import plain
from casetrack.faces.mcp.results import answer
from casetrack.faces.mcp.session import SessionTools, locate, write_in_thread
from casetrack.faces.mcp.specs import CollectionName, tool
from casetrack.faces.mcp.structures import mark_entry

if TYPE_CHECKING:
    from casetrack.api.collection import Collection
_MAKES: dict[str, tuple[str, str, dict[str, str]]] = {
    "tag": ("tag", "target", {"value": "tags", "page": "page", "note": "note"}),
    "untag": ("untag", "target", {"value": "tags", "page": "page"}),
    "star": ("star", "target", {"page": "page", "note": "note"}),
    "unstar": ("unstar", "target", {"page": "page"}),
    "merge": ("merge", "name", {"value": "other"}),
    "apart": ("keep-apart", "name", {"value": "other"}),
    "split": ("split", "name", {"value": "spelling", "note": "as_name", "document": "document"}),
    "kind": ("set-kind", "name", {"value": "kind"}),
    "rename": ("rename", "name", {"value": "new"}),
    "role": ("set-role", "name", {"value": "role", "document": "document"}),
    "hide": ("hide", "name", {}),
    "add_event": ("add-event", "source", {"date": "date", "value": "text", "page": "page"}),
    "change_event": ("change-event", "event", {"date": "date", "value": "text"}),
    "hide_event": ("hide-event", "event", {"date": "date"}),
    "undo": ("undo", "mark_id", {}),
}
"""Operation of each action, its argument for the target, and those for other parameters."""
if TYPE_CHECKING:
    Action = str
else:
    Action = Literal[tuple(_MAKES)]


class MarkTools(SessionTools):
    """The tools of this module, for one session."""

    @tool(
        "Mark",
        ADDS,
        description="When the user asks: tag or star a document or passage; merge two entities, "
        "split a spelling off, set kind or role, rename, hide; add, change or hide an event. "
        "Returns mark_id, for undo.",
        sets=("map",),
        of=("star", "tag"),
    )
    async def mark(
        self,
        action: Action,
        target: Annotated[
            str, Field(description="Document or chunk_id (also of events); entity; mark_id")
        ],
        value: Annotated[
            str | None, Field(description="Tag; other entity; spelling; kind; name; role; event")
        ] = None,
        page: Annotated[int | None, Field(ge=1)] = None,
        date: str | None = None,
        note: Annotated[str, Field(description="Remark; for split whose name it is")] = "",
        document: Annotated[str | None, Field(description="Split or role only there")] = None,
        collection: CollectionName = None,
    ) -> CallToolResult:
        """Mark something for the user."""
        owner: Collection = await locate(self._session, collection)
        options = {"value": value, "page": page, "date": date, "note": note, "document": document}
        operation, given = _made(action, target, {n: v for n, v in options.items() if v})
        work = partial(called, operation.method, owner, given)
        placed = await write_in_thread(self._session, f"marks-{owner.info.id}", work)
        marks = [placed] if isinstance(placed, PlacedMark) else list(placed)
        text = "\n".join(plain(lines_of(each)) for each in marks)
        facts = {"collection": owner.info.name, "marks": [mark_entry(each) for each in marks]}
        return answer(f"{owner.info.name}:\n{text}", facts)


def _made(action: Action, target: str, options: dict[str, Any]) -> tuple[Operation, dict[str, Any]]:
    """Return operation and arguments of an action."""
    name, main, others = _MAKES[action]
    operation = operations()[name]
    for other in options:
        if other not in others:
            raise UsageError(f"{action} does not accept {other}.", hint=f"Leave {other} out.")
    if action == "hide_event" and "date" in options:  # Its date and chunk identify an event.
        return operation, {main: f"{options['date']}@{target[:8]}"}
    given = {others[n]: [v] if others[n] == "tags" else v for n, v in options.items()}
    for each in arguments_of(operation.method):
        if each.is_required and each.name not in {main, *given}:
            lacks = next(n for n, called_so in others.items() if called_so == each.name)
            raise UsageError(f"{action} needs {lacks}.", hint=f"Give {lacks}: {each.help}")
    return operation, {main: target, **given}
