"""Puts the edition together: its words, its tools, its prompts, its paths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from casetrack.editions import edition
from casetrack.mcp.edition import ServedEdition

if TYPE_CHECKING:
    from starlette.routing import Route

    from casetrack.context.home import ContextHome
    from casetrack.mcp.app import CaseTrackServer
    from casetrack.mcp.handlers import Handler


def context_edition(home: ContextHome, /) -> ServedEdition:
    """Return the edition over what a config describes.

    Raises
    ------
    ConfigError
        An agent of the config cannot be understood.
    """
    from casetrack.context.agents import agents_of

    agents = agents_of(home.config)

    def groups() -> tuple[type[Any], ...]:
        from casetrack.mcp.context.tools import ContextTools

        return (ContextTools,)

    def prompts() -> dict[str, Handler]:
        from casetrack.mcp.context.prompts import handlers

        return handlers(agents)

    def routes(server: CaseTrackServer) -> list[Route]:
        from casetrack.mcp.context.rest import rest_routes

        return rest_routes(server)

    return ServedEdition(
        edition("context"),
        groups,
        prompts,
        resources=False,
        over=home,
        as_printed=True,
        routes=routes,
    )
