"""The server as the SDK sees it: all tools of one library, instructions, error texts."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Any

from mcp.server import CacheHint, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import ValidationError

from casetrack import __version__
from casetrack.errors import CaseTrackError
from casetrack.mcp import failures
from casetrack.mcp.catalogue import Catalogue
from casetrack.mcp.instructions import instructions
from casetrack.mcp.progress import kept_alive
from casetrack.mcp.registration import register
from casetrack.mcp.results import sendable
from casetrack.mcp.session import Session
from casetrack.mcp.toolsets import ToolChoice

if TYPE_CHECKING:
    from mcp.server.mcpserver import Context
    from mcp.server.mcpserver.tools import Tool
    from mcp.types import CallToolResult, InputRequiredResult

    from casetrack.library import Library

logger = logging.getLogger("casetrack.mcp")

_HOUR_MS = 3_600_000


class CaseTrackServer(MCPServer[Any]):
    """The SDK's server with this project's tools and error texts, in one place for all of them."""

    def __init__(self, catalogue: Catalogue, /, **options: Any) -> None:
        super().__init__(**options)
        self.catalogue = catalogue
        self._tool_manager = catalogue

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool; whatever goes wrong comes back as a result that says what to do.

        Errors of this project keep their text, unfit arguments are named with what is allowed,
        and anything else is logged and masked.
        """
        tool = self.catalogue.get_tool(name)
        if tool is None:
            return _cleaned(failures.unknown_tool(name, self.catalogue.names()))
        problems = [
            *failures.unknown_arguments(tool, arguments),
            *failures.oversized_arguments(arguments),
        ]
        if problems:
            return _cleaned(failures.bad_arguments(tool, problems))
        answer = partial(super().call_tool, tool.name, arguments, context)
        try:
            # A tool that takes the context tells by itself how far it is.
            if context is None or tool.context_kwarg is not None:
                return await answer()
            return await kept_alive(answer, context)
        except ToolError as error:
            return _cleaned(_explained(tool, error))


def _explained(tool: Tool, error: ToolError) -> CallToolResult:
    cause = error.__cause__
    if isinstance(cause, CaseTrackError):
        logger.info("%s: %s", tool.name, cause.code)
        return failures.known_error(cause)
    if isinstance(cause, ValidationError) and cause.title == tool.fn_metadata.arg_model.__name__:
        return failures.bad_arguments(tool, failures.rejected_arguments(tool, cause))
    return failures.unexpected(tool.name, cause or error)


def _cleaned(result: CallToolResult) -> CallToolResult:
    """Return an error whose text can be sent; it may quote a file name that is not Unicode."""
    return failures.failed(sendable("".join(getattr(c, "text", "") for c in result.content)))


def build_server(library: Library, /, choice: ToolChoice | None = None) -> CaseTrackServer:
    """Return a server over *library* with the tools of *choice*, by default all.

    It speaks both the handshake protocol (2025-11-25) and the stateless one (2026-07-28).
    """
    return server_for(Session(library), choice)


def server_for(session: Session, /, choice: ToolChoice | None = None) -> CaseTrackServer:
    """Return a server whose state is *session*."""
    chosen = choice or ToolChoice()
    server = CaseTrackServer(
        Catalogue(session, chosen),
        name="casetrack",
        title="CaseTrack",
        description="Local document search with exact citations",
        instructions=instructions(chosen),
        version=__version__,
        lifespan=lambda _server: session.jobs.open(),
        log_level="WARNING",
        cache_hints={
            "tools/list": CacheHint(ttl_ms=_HOUR_MS, scope="public"),
            "prompts/list": CacheHint(ttl_ms=_HOUR_MS, scope="public"),
            "resources/templates/list": CacheHint(ttl_ms=_HOUR_MS, scope="public"),
            "server/discover": CacheHint(ttl_ms=_HOUR_MS, scope="public"),
        },
        # Nothing here changes on its own; clients have nothing to listen for.
        subscriptions=False,
    )
    register(server, session, chosen)
    return server
