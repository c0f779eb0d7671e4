"""The served edition: texts, tools, prompts and paths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.routing import Route

from casetrack.base.editions import edition
from casetrack.faces.mcp.edition import ServedEdition
from casetrack.faces.mcp.http.rest import ANY, answering, only, sent, single
from casetrack.faces.mcp.prompts import handlers
from casetrack.faces.mcp.session import in_thread
from casetrack.version import __version__

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.requests import Request
    from starlette.responses import Response

    from casetrack.api.collection import Collection
    from casetrack.editions.context.home import ContextHome
    from casetrack.faces.mcp.handlers import Caller, Handler
    from casetrack.faces.mcp.session import Session

    Answer = Callable[[Request], Awaitable[Response]]

# The tools at plain paths for HTTP clients (``GET /search?q=...``). Each path calls one tool
# through the protocol, so arguments, answers and errors are the same. ctx uses ``/tools/search``
# etc.

_FILTERS = ("source", "since", "until", "path", "kind", "language")
_MANY = ("source", "path", "kind", "language")
"""Parameters of an address that may occur several times."""


def rest_routes(call: Caller, /) -> list[Route]:
    """Return the HTTP paths that call the tools of a server."""

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
    """Return the arguments of the tool from the address of a request."""
    given = single(request, _MANY)
    if "q" in given:
        given.setdefault("query", given.pop("q"))
    filters = {name: given.pop(name) for name in _FILTERS if name in given}
    return given | ({"filters": filters} if filters else {})


async def _health(_request: Request) -> Response:
    return sent({"status": "ok", "version": __version__})


def context_edition(home: ContextHome, /) -> ServedEdition:
    """Return the edition for the collection of a config."""
    from casetrack.editions.context.agents import Agent, agents_of

    agents = agents_of(home.config)

    def groups() -> tuple[type[Any], ...]:
        from casetrack.editions.context.mcp.tools import ContextTools

        return (ContextTools,)

    def prompts() -> dict[str, Handler]:
        # Agents of a config are prompts that the user selects.
        return handlers(lambda: agents, Agent.text)

    async def find(_session: Session, _name: str | None) -> Collection:
        # There is only one collection; calls do not name it.
        return await in_thread(lambda: home.collection)

    return ServedEdition(
        edition("context"),
        groups,
        prompts,
        resources=False,
        over=home,
        find=find,
        routes=rest_routes,
    )
