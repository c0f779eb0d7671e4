"""Puts the edition together: its words, its tools, its prompts, its paths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from casetrack.base.editions import edition
from casetrack.faces.mcp.edition import ServedEdition
from casetrack.faces.mcp.session import in_thread

if TYPE_CHECKING:
    from starlette.routing import Route

    from casetrack.api.collection import Collection
    from casetrack.editions.context.home import ContextHome
    from casetrack.faces.mcp.handlers import Caller, Handler
    from casetrack.faces.mcp.session import Session


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
        from casetrack.editions.context.mcp.prompts import handlers

        return handlers(agents)

    async def find(_session: Session, _name: str | None) -> Collection:
        # There is one, and no call names it.
        return await in_thread(lambda: home.collection)

    def routes(call: Caller) -> list[Route]:
        from casetrack.editions.context.mcp.rest import rest_routes

        return rest_routes(call)

    return ServedEdition(
        edition("context"),
        groups,
        prompts,
        resources=False,
        over=home,
        find=find,
        as_printed=True,
        routes=routes,
    )
