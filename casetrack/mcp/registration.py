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

from casetrack.mcp.handlers import Handler
from casetrack.mcp.steps import work_with
from casetrack.mcp.toolsets import ToolChoice

if TYPE_CHECKING:
    from mcp.server import Server
    from mcp.types import RequestParams

    from casetrack.mcp.catalogue import Catalogue
    from casetrack.mcp.edition import ServedEdition
    from casetrack.mcp.session import Session

_Maker = Callable[["Session", ToolChoice, "ServedEdition"], dict[str, Handler]]


def _resources(session: Session, choice: ToolChoice, _served: ServedEdition) -> dict[str, Handler]:
    from casetrack.mcp import resources

    return resources.handlers(session, choice)


def _prompts(_session: Session, choice: ToolChoice, served: ServedEdition) -> dict[str, Handler]:
    if served.prompts is not None:
        return served.prompts()
    from casetrack.mcp import prompts

    return prompts.handlers(choice, served.edition)


def _completion(session: Session, choice: ToolChoice, served: ServedEdition) -> dict[str, Handler]:
    from casetrack.mcp import completion

    return completion.handlers(session, choice, served.edition)


_METHODS: dict[str, tuple[type[RequestParams], _Maker]] = {
    "resources/list": (PaginatedRequestParams, _resources),
    "resources/templates/list": (PaginatedRequestParams, _resources),
    "resources/read": (ReadResourceRequestParams, _resources),
    "prompts/list": (PaginatedRequestParams, _prompts),
    "prompts/get": (GetPromptRequestParams, _prompts),
    "completion/complete": (CompleteRequestParams, _completion),
}
PROMPTS = ("prompts/list", "prompts/get")
"""The methods that answer for prompts."""


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
        The edition: whose prompts they are, and whether addresses are read as well.
    """

    @functools.cache
    def made(make: _Maker) -> dict[str, Handler]:
        return make(session, ToolChoice(tools.usable()), served)

    def handler(method: str, make: _Maker) -> Handler:
        async def handle(context: Any, params: Any) -> Any:
            work_with(tools.steps)
            return await made(make)[method](context, params)

        return handle

    for method, (params_type, make) in _METHODS.items():
        if served.resources or method in PROMPTS:
            server.add_request_handler(method, params_type, handler(method, make))
