"""The three tools of the edition, with the names of ctx."""

import inspect
import json
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

from mcp.types import CallToolResult
from pydantic import ConfigDict, Field, create_model

from casetrack.api.operation import OF_EDITIONS, arguments_of
from casetrack.editions.context import api
from casetrack.editions.context.home import ContextHome
from casetrack.editions.context.records import ContextDocument
from casetrack.faces.mcp.operation_tools import parameter_of, set_signature
from casetrack.faces.mcp.results import BUDGET, answer, fitting, tokens
from casetrack.faces.mcp.session import current, in_thread
from casetrack.faces.mcp.specs import tool

KEYWORD = inspect.Parameter.KEYWORD_ONLY
FILTERS = ("sources", "since", "until", "paths", "kinds", "languages")
"""Arguments of a search that are one object for AI programs: filters of documents."""
_FILTERS = {each.mcp_name: each for each in arguments_of(api.search) if each.name in FILTERS}
_MANY: Any = str | list[str] | None
_FIELDS: dict[str, Any] = {
    name: (Annotated[_MANY if each.is_list else each.type, Field(description=each.arg.note)], None)
    for name, each in _FILTERS.items()
}
Filters: Any = create_model("Filters", __config__=ConfigDict(extra="forbid"), **_FIELDS)


def _tool(function: Callable[..., Any], fit: Callable[..., dict[str, Any]]) -> Any:
    """Return the tool of an operation; *fit* limits the answer to the size that clients accept."""
    operation, declared = OF_EDITIONS[function], arguments_of(function)
    names = {each.mcp_name: each.name for each in declared}

    async def run(self: Any, *, filters: Any = None, **given: Any) -> CallToolResult:
        given |= {} if filters is None else filters.model_dump()
        asked = {names[name]: value for name, value in given.items()}
        ask = partial(api.run_for_config, self._home, function)
        reply = await in_thread(partial(fit, ask, asked))
        return answer(json.dumps(reply, ensure_ascii=False), reply)

    kind: Any = Annotated[Filters | None, Field(description="Only such documents")]
    # One object replaces the filter arguments.
    parameters = [
        *(
            parameter_of(each)
            if each.name not in FILTERS
            else inspect.Parameter("filters", KEYWORD, default=None, annotation=kind)
            for each in declared
            if each.name not in FILTERS[1:]
        )
    ]
    set_signature(run, operation.tool, parameters)
    title, hints, page = operation.title, operation.hints, operation.page
    of = (page,) if page else ()
    return tool(title, hints, description=operation.about, page=page, of=of)(run)


def _search(ask: Callable[..., Any], given: dict[str, Any]) -> dict[str, Any]:
    reply: dict[str, Any] = ask(given).as_dict()
    return reply if _reads_all() else _shortened(reply)


def _get(ask: Callable[..., Any], given: dict[str, Any]) -> dict[str, Any]:
    document = ask(given)
    fits = len(document.chunks) if _reads_all() else _fitting(document)
    if fits < len(document.chunks):
        document = ask(given | {"count": fits})
    return dict(document.as_dict())


class ContextTools:
    """The tools for the collection of one config."""

    def __init__(self, home: ContextHome) -> None:
        self._home = home

    search, get = _tool(api.search, _search), _tool(api.get, _get)
    sources = _tool(api.sources, lambda ask, given: ask(given).as_dict())


def _reads_all() -> bool:
    connection = current()
    return connection is not None and connection.reads_all


def _shortened(reply: dict[str, Any]) -> dict[str, Any]:
    """Return an answer without its last results if it is longer than clients accept.

    Clients cut a longer answer in the middle, and their model sees none of it.
    """
    results = reply["results"]
    shown = fitting(map(tokens, results))
    if shown >= len(results):
        return reply
    note = (
        f"{len(results) - shown:,} more results do not fit into this answer: set limit to "
        f"{shown}, or add filters."
    )
    return reply | {"results": results[:shown], "notes": [*reply["notes"], note]}


def _fitting(document: ContextDocument) -> int:
    """Return the number of passages that fit into one answer; at least one.

    The text of each passage is in the answer twice: in ``chunks`` and in ``body``.
    """
    costs = (tokens(chunk.as_dict()) + tokens(chunk.text) for chunk in document.chunks)
    return fitting(costs, budget=BUDGET)
