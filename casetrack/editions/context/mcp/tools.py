"""The three tools of the edition, with the names that its users' programs know."""

import inspect
import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, Any, TypeVar

from mcp.types import CallToolResult
from pydantic import ConfigDict, Field, create_model

from casetrack.api.operation import READS, arguments_of
from casetrack.editions.context import api
from casetrack.editions.context.home import ContextHome
from casetrack.editions.context.records import ContextDocument
from casetrack.faces.mcp.asking import parameter_of
from casetrack.faces.mcp.results import ROOM, answer, fitting, tokens
from casetrack.faces.mcp.session import current, in_thread
from casetrack.faces.mcp.specs import tool

F = TypeVar("F", bound=Callable[..., Any])
KEYWORD = inspect.Parameter.KEYWORD_ONLY
FILTERS = ("sources", "since", "until", "paths", "kinds", "languages")
"""Arguments of a search that are one object for AI programs: which documents are searched."""
_FILTERS = {each.mcp_name: each for each in arguments_of(api.search) if each.name in FILTERS}
_FIELDS: dict[str, Any] = {
    name: (Annotated[each.arg.mcp_type or each.type, Field(description=each.arg.note)], None)
    for name, each in _FILTERS.items()
}
Filters: Any = create_model("Filters", __config__=ConfigDict(extra="forbid"), **_FIELDS)


def _signed(function: Callable[..., Any]) -> Callable[[F], F]:
    """Give a tool the arguments of a function; an object stands where its filters begin."""
    kind: Any = Annotated[Filters | None, Field(description="Only such documents")]
    filters = inspect.Parameter("filters", KEYWORD, default=None, annotation=kind)
    parameters = [
        inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD),
        *(
            filters if each.name in FILTERS else parameter_of(each)
            for each in arguments_of(function)
            if each.name not in FILTERS[1:]
        ),
    ]

    def sign(method: F) -> F:
        made: Any = method
        made.__signature__ = inspect.Signature(parameters, return_annotation=CallToolResult)
        kinds = {each.name: each.annotation for each in parameters[1:]}
        made.__annotations__ = kinds | {"return": CallToolResult}
        return method

    return sign


class ContextTools:
    """The tools, over what one config describes."""

    def __init__(self, home: ContextHome) -> None:
        self._home = home

    @tool(
        "Search",
        READS,
        description="Search all sources with a question or words. Returns documents, the best "
        "first, each with its best passages, their lines and address.",
        page="search",
        of=("search",),
    )
    @_signed(api.search)
    async def search(self, *, filters: Any = None, **given: Any) -> CallToolResult:
        """Search."""
        chosen = {} if filters is None else filters.model_dump()
        given |= {_FILTERS[name].name: value for name, value in chosen.items()}
        found = (await in_thread(partial(api.asked, self._home, api.search, given))).as_dict()
        return _told(found if _reads_all() else _shortened(found))

    @tool(
        "Get a document",
        READS,
        description="Returns a document of a search result: its facts, its text, its passages "
        'with lines and address. A long one comes in parts: "next" is the "first" of the next.',
    )
    @_signed(api.get)
    async def get(self, **given: Any) -> CallToolResult:
        """Read."""
        whole = _reads_all()

        def read() -> dict[str, Any]:
            asked = {"document": given.pop("id"), **given}
            found = api.asked(self._home, api.get, asked)
            fits = len(found.chunks) if whole else _fitting(found)
            if fits < len(found.chunks):
                found = api.asked(self._home, api.get, asked | {"count": fits})
            return dict(found.as_dict())

        return _told(await in_thread(read))

    @tool(
        "List sources",
        READS,
        description="Returns the sources, how much of each there is, and whether it is in step.",
    )
    async def sources(self) -> CallToolResult:
        """List."""
        found = await in_thread(partial(api.asked, self._home, api.sources, {}))
        return _told(found.as_dict())


def _reads_all() -> bool:
    connection = current()
    return connection is not None and connection.reads_all


def _told(found: Mapping[str, Any]) -> CallToolResult:
    return answer(json.dumps(found, ensure_ascii=False), found)


def _shortened(found: dict[str, Any]) -> dict[str, Any]:
    """Return an answer without the last of its results, as far as it is longer than clients take.

    Clients cut a longer one in its middle, and show their model nothing of it.
    """
    results = found["results"]
    shown = fitting(map(tokens, results))
    if shown >= len(results):
        return found
    note = (
        f"{len(results) - shown:,} more results are left out, to keep this answer short: ask with "
        f"a limit of {shown}, or narrow it with filters."
    )
    return found | {"results": results[:shown], "notes": [*found["notes"], note]}


def _fitting(found: ContextDocument) -> int:
    """Return how many passages of a document fit into one answer; at least one.

    A passage's text stands there twice, in the body as well.
    """
    costs = (tokens(chunk.as_dict()) + tokens(chunk.text) for chunk in found.chunks)
    return fitting(costs, room=ROOM)
