"""``casetrack serve``: answer AI programs (MCP), over standard input and output or over HTTP."""

import os
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, TypedDict

import typer

from casetrack.cli.notes import hide_repairs
from casetrack.cli.options import EditionName, EditionOption, ReadOnlyOption, ToolsOption
from casetrack.cli.state import State
from casetrack.errors import UsageError

if TYPE_CHECKING:
    from casetrack.mcp.edition import ServedEdition
    from casetrack.mcp.toolsets import ToolChoice


class Askers(TypedDict):
    """Who may ask over HTTP: whoever has the token, from programs and from these web pages."""

    token: str | None
    origins: tuple[str, ...]


class Transport(StrEnum):
    """How programs are answered."""

    STDIO = "stdio"
    HTTP = "http"


TokenOption = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help="http: what programs must send to connect, at least 16 characters. Better given "
        "in the environment as CASETRACK_HTTP_TOKEN: lists of processes show options.",
    ),
]
OriginOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="ORIGIN",
        help="http: take requests of this web page too, such as https://app.example; may be "
        "repeated.",
    ),
]


def serve(
    ctx: typer.Context,
    transport: Annotated[
        Transport,
        typer.Option(
            help="stdio: one program starts this and talks over its streams. http: any number of "
            "programs connect to an address."
        ),
    ] = Transport.STDIO,
    host: Annotated[
        str | None,
        typer.Option(
            metavar="HOST",
            show_default="127.0.0.1",
            help="http: where to listen. Anything but this computer itself needs a token.",
        ),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65535,
            metavar="PORT",
            show_default="8765",
            help="http: the port; 0 takes a free one.",
        ),
    ] = None,
    token: TokenOption = None,
    edition: EditionOption = None,
    tools: ToolsOption = None,
    read_only: ReadOnlyOption = False,
    fetch_models: Annotated[
        bool,
        typer.Option(
            "--fetch-models",
            help="Fetch the search model (90 MB) in the background where it is missing. "
            "Otherwise only `casetrack models pull` does.",
        ),
    ] = False,
    allow_origin: OriginOption = None,
) -> int:
    """Serve AI programs (MCP), until the input ends or, over HTTP, until Ctrl-C.

    Programs start this by themselves; it is also what happens without a command when standard
    input is not a terminal. With --transport http it serves many programs at once at
    http://127.0.0.1:8765/mcp.
    """
    settings = ctx.ensure_object(State).settings
    served = served_edition(edition)
    choice = _choice(tools, read_only, served)
    hide_repairs()
    if transport is Transport.STDIO:
        refuse_for_stdio(host, port, token, allow_origin)
        from casetrack.mcp.server import serve_stdio

        serve_stdio(settings, choice=choice, fetch=fetch_models, served=served)
        return 0
    from casetrack.mcp.http.address import DEFAULT_HOST, DEFAULT_PORT
    from casetrack.mcp.server import serve_http

    serve_http(
        settings,
        host=DEFAULT_HOST if host is None else host,
        port=DEFAULT_PORT if port is None else port,
        **asked_by(token, allow_origin),
        choice=choice,
        fetch=fetch_models,
        served=served,
    )
    return 0


def asked_by(token: str | None, origins: list[str] | None, /) -> "Askers":
    """Return who may ask over HTTP, by the options that say it.

    Raises
    ------
    UsageError
        The token is too short, or cannot be sent in a header.
    """
    from casetrack.mcp.http.address import checked_token

    return {"token": checked_token(token, os.environ), "origins": tuple(origins or ())}


def served_edition(edition: EditionName | None, /) -> "ServedEdition | None":
    """Return what a server of the edition offers; ``None`` for any collection."""
    if edition is None:
        return None
    from casetrack.mcp.legal import legal_edition

    return legal_edition()


def _choice(
    tools: str | None, read_only: bool, served: "ServedEdition | None"
) -> "ToolChoice | None":
    """Return the chosen tools; looking them up is for those who choose."""
    if tools is None and not read_only:
        return None
    from casetrack.mcp.catalogue import choose

    return choose(tools, served, read_only=read_only)


def refuse_for_stdio(
    host: str | None, port: int | None, token: str | None, origins: list[str] | None
) -> None:
    """Refuse options of HTTP: whoever gives them believes to serve over it."""
    given = {"--host": host, "--port": port, "--token": token, "--allow-origin": origins or None}
    names = [name for name, value in given.items() if value is not None]
    if names:
        raise UsageError(
            f"{' and '.join(names)} only {'makes' if len(names) == 1 else 'make'} sense over HTTP.",
            hint="Add --transport http, or leave them out to serve one program over standard "
            "input and output.",
        )
