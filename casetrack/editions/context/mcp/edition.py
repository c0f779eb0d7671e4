"""Puts the edition together: its words, its tools, its prompts, its paths."""

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
    from casetrack.editions.context.agents import Agent, agents_of

    agents = agents_of(home.config)

    def groups() -> tuple[type[Any], ...]:
        from casetrack.editions.context.mcp.tools import ContextTools

        return (ContextTools,)

    def prompts() -> dict[str, Handler]:
        # Agents of a config are prompts: roles that the user picks.
        return handlers(lambda: agents, Agent.text)

    async def find(_session: Session, _name: str | None) -> Collection:
        # There is one, and no call names it.
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
