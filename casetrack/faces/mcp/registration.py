"""Lets a server answer for resources, prompts and completion, without making any of them yet.

The managers of the SDK's server hold what is known when it starts: a model of every prompt's
arguments, and resources that are listed without waiting. Here nothing is imported before a client
asks, and collections are made and deleted while the server runs.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mcp.types import (
    CompleteRequestParams,
    GetPromptRequestParams,
    PaginatedRequestParams,
    ReadResourceRequestParams,
)

from casetrack.faces.mcp.handlers import Handler
from casetrack.faces.mcp.steps import work_with
from casetrack.faces.mcp.toolsets import ToolChoice

if TYPE_CHECKING:
    from mcp.server import Server
    from mcp.types import RequestParams

    from casetrack.faces.mcp.catalogue import Catalogue
    from casetrack.faces.mcp.edition import ServedEdition
    from casetrack.faces.mcp.session import Session

_Maker = Callable[["Session", "Catalogue", "ServedEdition"], dict[str, Handler]]


def _resources(session: Session, tools: Catalogue, served: ServedEdition) -> dict[str, Handler]:
    from casetrack.faces.mcp import resources
    from casetrack.faces.mcp.apps.reading import with_pages

    others = resources.handlers(session, _usable(tools)) if served.resources else {}
    return with_pages(tools, others)


def _prompts(_session: Session, tools: Catalogue, served: ServedEdition) -> dict[str, Handler]:
    if served.prompts is not None:
        return served.prompts()
    from casetrack.faces.mcp import prompts

    return prompts.handlers(_usable(tools), served.edition)


def _completion(session: Session, tools: Catalogue, served: ServedEdition) -> dict[str, Handler]:
    from casetrack.faces.mcp import completion

    return completion.handlers(session, _usable(tools), served.edition)


def _usable(tools: Catalogue) -> ToolChoice:
    return ToolChoice(tools.usable())


COMPLETION = "completion/complete"
"""The method that only editions have whose documents can be opened by their addresses."""
_METHODS: dict[str, tuple[type[RequestParams], _Maker]] = {
    "resources/list": (PaginatedRequestParams, _resources),
    "resources/templates/list": (PaginatedRequestParams, _resources),
    "resources/read": (ReadResourceRequestParams, _resources),
    "prompts/list": (PaginatedRequestParams, _prompts),
    "prompts/get": (GetPromptRequestParams, _prompts),
    COMPLETION: (CompleteRequestParams, _completion),
}


def register(
    server: Server[Any], session: Session, tools: Catalogue, served: ServedEdition, /
) -> None:
    """Let *server* answer for the resources, prompts and completion of *session*.

    Parameters
    ----------
    server
        Answers.
    session
        Whose library is read.
    tools
        Those that the server offers: what would answer decides which prompts there are.
    served
        The edition: whose prompts they are, and whether documents can be opened by address.
    """

    @functools.cache
    def made(make: _Maker) -> dict[str, Handler]:
        return make(session, tools, served)

    def handler(method: str, make: _Maker) -> Handler:
        async def handle(context: Any, params: Any) -> Any:
            work_with(tools.steps)
            return await made(make)[method](context, params)

        return handle

    for method, (params_type, make) in _METHODS.items():
        if served.resources or method != COMPLETION:
            server.add_request_handler(method, params_type, handler(method, make))
