"""Puts the edition together: its words, its tools, its prompts, its paths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_PARAMS,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    PaginatedRequestParams,
    Prompt,
    PromptArgument,
    PromptMessage,
    TextContent,
)
from starlette.routing import Route

from casetrack.base.editions import edition
from casetrack.faces.mcp.edition import ServedEdition
from casetrack.faces.mcp.failures import whole_list
from casetrack.faces.mcp.http.rest import ANY, answering, only, sent, single
from casetrack.faces.mcp.prompts import quoted
from casetrack.faces.mcp.session import in_thread
from casetrack.faces.mcp.texts import sendable
from casetrack.version import __version__

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from starlette.requests import Request
    from starlette.responses import Response

    from casetrack.api.collection import Collection
    from casetrack.editions.context.agents import Agent
    from casetrack.editions.context.home import ContextHome
    from casetrack.faces.mcp.handlers import Caller, Handler
    from casetrack.faces.mcp.session import Session

    Answer = Callable[[Request], Awaitable[Response]]

# Agents of a config as prompts: a role that the user picks, with its instructions.


def handlers(agents: Sequence[Agent], /) -> dict[str, Handler]:
    """Return what answers the protocol's requests about prompts, by method."""
    by_name = {agent.name: agent for agent in agents}

    async def list_prompts(_ctx: Any, params: PaginatedRequestParams) -> ListPromptsResult:
        whole_list(params)
        return ListPromptsResult(prompts=[_listed(agent) for agent in agents])

    async def get_prompt(_ctx: Any, params: GetPromptRequestParams) -> GetPromptResult:
        agent = by_name.get(params.name)
        if agent is None:
            known = ", ".join(by_name) or "none"
            said = f"Unknown prompt: {quoted(params.name[:80])}. Prompts: {known}"
            raise MCPError(INVALID_PARAMS, said)
        try:
            text = agent.text(params.arguments or {})
        except ValueError as error:
            raise MCPError(INVALID_PARAMS, str(error)) from error
        message = PromptMessage(role="user", content=TextContent(type="text", text=sendable(text)))
        return GetPromptResult(description=sendable(agent.description), messages=[message])

    return {"prompts/list": list_prompts, "prompts/get": get_prompt}


def _listed(agent: Agent) -> Prompt:
    return Prompt(
        name=agent.name,
        description=sendable(agent.description),
        arguments=[
            PromptArgument(name=a.name, description=sendable(a.description), required=a.required)
            for a in agent.arguments
        ],
    )


# The tools at plain paths: what a program gets that sends ``GET /search?q=...``.
#
# Each path is one tool, called as a client of the protocol calls it, so that arguments, answers and
# errors are the same. ``/tools/search`` and so on are the paths that ctx's users know.

_FILTERS = ("source", "since", "until", "path", "kind", "language")
_MANY = ("source", "path", "kind", "language")
"""Parameters of an address that may be repeated."""


def rest_routes(call: Caller, /) -> list[Route]:
    """Return the paths, answered by the tools of a server."""

    def at(name: str, *methods: str) -> list[Route]:
        answer = only(methods, answering(call, name, _of_address))
        return [Route(path, answer, methods=ANY) for path in (f"/{name}", f"/tools/{name}")]

    return [
        *at("search", "GET", "POST"),
        *at("get", "GET", "POST"),
        *at("sources", "GET"),
        Route("/health", only(("GET",), _health), methods=ANY),
    ]


def _of_address(request: Request) -> dict[str, Any]:
    """Return what is asked for, as the tool takes it."""
    given = single(request, _MANY)
    if "q" in given:
        given.setdefault("query", given.pop("q"))
    filters = {name: given.pop(name) for name in _FILTERS if name in given}
    return given | ({"filters": filters} if filters else {})


async def _health(_request: Request) -> Response:
    return sent({"status": "ok", "version": __version__})


def context_edition(home: ContextHome, /) -> ServedEdition:
    """Return the edition over what a config describes.

    Raises
    ------
    ConfigError
        An agent of the config cannot be understood.
    """
    from casetrack.editions.context.agents import agents_of

    agents = agents_of(home.config)

    def groups() -> tuple[type[Any], ...]:
        from casetrack.editions.context.mcp.tools import ContextTools

        return (ContextTools,)

    def prompts() -> dict[str, Handler]:

        return handlers(agents)

    async def find(_session: Session, _name: str | None) -> Collection:
        # There is one, and no call names it.
        return await in_thread(lambda: home.collection)

    def routes(call: Caller) -> list[Route]:

        return rest_routes(call)

    return ServedEdition(
        edition("context"), groups, prompts, resources=False, over=home, find=find, routes=routes
    )
