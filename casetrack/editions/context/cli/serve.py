"""``ctx serve mcp``: answer AI programs and plain HTTP from the collection of a config."""

from typing import Annotated

import typer

from casetrack.editions.context.cli.state import ContextState
from casetrack.faces.cli.options import opt
from casetrack.faces.cli.serve import (
    HOST,
    PORT,
    OriginOption,
    TokenOption,
    Transport,
    asked_by,
    refuse_for_stdio,
)

_BIND = "[server] bind"


def mcp(
    ctx: typer.Context,
    transport: Annotated[Transport, opt("--transport")] = "http",
    host: Annotated[str | None, opt("--host HOST", HOST, show_default=_BIND)] = None,
    port: Annotated[
        int | None, opt("--port PORT", PORT, show_default=_BIND, min=0, max=65535)
    ] = None,
    token: TokenOption = None,
    allow_origin: OriginOption = None,
) -> int:
    """Serve AI programs (MCP) and plain HTTP (/search, /get, /sources, /health).

    The three tools search, get and sources are read-only. Agents of the config are prompts. The
    answers are those of `ctx search --json`, `ctx get --json` and `ctx sources --json`.

    Parameters
    ----------
    transport
        http: clients connect to an address. stdio: one client starts this command and uses its
        standard streams.
    """
    home = ctx.ensure_object(ContextState).home
    settings = home.library.settings
    from casetrack.editions.context.mcp import context_edition
    from casetrack.faces.mcp.specs import ToolChoice

    choice, served = ToolChoice(read_only=True), context_edition(home)
    if transport == "stdio":
        refuse_for_stdio(host, port, token, allow_origin)
        from casetrack.faces.mcp.server import serve_stdio

        serve_stdio(settings, choice=choice, served=served)
        return 0
    from casetrack.faces.mcp.server import serve_http

    bind_host, bind_port = home.config.address
    serve_http(
        settings,
        host=bind_host if host is None else host,
        port=bind_port if port is None else port,
        **asked_by(token, allow_origin),
        choice=choice,
        served=served,
    )
    return 0
