"""``casetrack serve`` and ``browse``: answer AI programs, and open the window."""

import contextlib
import os
from typing import TYPE_CHECKING, Annotated, Literal, TypedDict

import typer

from casetrack.base.errors import UsageError
from casetrack.base.registry import registered
from casetrack.faces.cli.options import (
    ENV_OFFLINE,
    EditionName,
    EditionOption,
    OfflineOption,
    ReadOnlyOption,
    ToolsOption,
    opt,
)
from casetrack.faces.cli.state import State, hide_repairs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from casetrack.api.holdings import SearchedBy
    from casetrack.faces.mcp.edition import ServedEdition
    from casetrack.faces.mcp.specs import ToolChoice

# ``casetrack browse``: the collections in a window of the browser.


def browse(
    ctx: typer.Context,
    port: Annotated[int, opt("--port PORT", min=0, max=65535)] = 8766,
    read_only: Annotated[bool, opt("--read-only")] = False,
    show: Annotated[bool, opt("--open/--no-open")] = True,
    as_program: Annotated[bool, opt("--app")] = False,
) -> None:
    """Open a window on your collections: search, pages, people and dates, by mouse.

    It runs in your browser and connects to this computer only. The address contains a key; every
    user of this computer with the address can open the window. `casetrack setup desktop` adds it
    to the menu of your desktop.

    Parameters
    ----------
    port
        The port; 0 selects a free one.
    read_only
        Allow no changes in the window.
    show
        Open it in the browser, or only print its address.
    as_program
        As a desktop program: in a separate browser window, and stopped with it.
    """
    serve_window = registered("windows").get("browser")
    if serve_window is None:
        raise UsageError("This installation does not include the window.")
    library = ctx.ensure_object(State).library
    serve_window(library, port=port, read_only=read_only, open_it=show, as_program=as_program)


class Askers(TypedDict):
    """Clients that may connect over HTTP: programs with the token, and these web pages."""

    token: str | None
    origins: tuple[str, ...]


Transport = Literal["stdio", "http"]
HOST = "http: the address to listen on. Other addresses than this computer's own need a token."
PORT = "http: the port; 0 selects a free one."
TokenOption = Annotated[
    str | None,
    opt(
        "--token TEXT",
        "http: the token that programs send, at least 16 characters. The variable "
        "CASETRACK_HTTP_TOKEN is safer: lists of processes show options.",
    ),
]
OriginOption = Annotated[
    list[str] | None,
    opt(
        "--allow-origin ORIGIN",
        "http: also accept requests of this web page (https://app.example); may be repeated.",
    ),
]


MetricsOption = Annotated[
    bool,
    opt(
        "--metrics",
        "http: serve figures for Prometheus at /metrics to every client: calls and their times, "
        "documents, jobs, memory; no arguments or results.",
    ),
]


def serve(
    ctx: typer.Context,
    transport: Annotated[Transport, opt("--transport")] = "stdio",
    host: Annotated[str | None, opt("--host HOST", HOST, show_default="127.0.0.1")] = None,
    port: Annotated[
        int | None, opt("--port PORT", PORT, min=0, max=65535, show_default="8765")
    ] = None,
    token: TokenOption = None,
    edition: EditionOption = None,
    tools: ToolsOption = None,
    read_only: ReadOnlyOption = False,
    offline: OfflineOption = False,
    _fetch_models: Annotated[bool, opt("--fetch-models", "The default.", hidden=True)] = False,
    allow_origin: OriginOption = None,
    metrics: MetricsOption = False,
    engine: Annotated[Literal["process", "ray"], opt("--engine")] = "process",
    on: Annotated[str | None, opt("--on ADDRESS", show_default="local")] = None,
    shards: Annotated[
        int | None,
        opt(
            "--shards NUMBER", min=1, max=1024, show_default="as run already, or one per processor"
        ),
    ] = None,
    replicas: Annotated[
        int | None, opt("--replicas NUMBER", min=1, max=64, show_default="1")
    ] = None,
) -> int:
    """Serve AI programs (MCP), until the input ends or, over HTTP, until Ctrl-C.

    Programs start this themselves; it is also the default command when standard input is not a
    terminal. With --transport http it serves many programs at once at http://127.0.0.1:8765/mcp.

    Missing models (120 MB) are downloaded in the background; until the search model is installed,
    each result contains a notice. With --offline, or --read-only, nothing is downloaded.

    With --engine ray, processes on a cluster hold the shards of the index: each question goes to
    all of them, and the answer is that of one process. `casetrack shards` shows their state.

    Parameters
    ----------
    transport
        stdio: one program starts the server and uses its streams. http: any number of programs
        connect to an address.
    engine
        process: this program searches. ray: shards search, as processes on a cluster
        (casetrack[ray]).
    on
        ray: the cluster. local starts one on this computer for the server's lifetime; auto uses one
        that runs here; HOST:PORT one that includes this computer.
    shards
        ray: number of shards of the index.
    replicas
        ray: processes per shard; with two of them, one may fail.
    """
    fetch = not (offline or read_only or os.environ.get(ENV_OFFLINE))
    settings = ctx.ensure_object(State).settings
    served = served_edition(edition)
    choice = _choice(tools, read_only, served)
    hide_repairs()
    if transport == "stdio":
        refuse_for_stdio(host, port, token, allow_origin, metrics=metrics)
    with _searching(settings.data_dir, engine, on, shards, replicas) as searched_by:
        if transport == "stdio":
            from casetrack.faces.mcp.server import serve_stdio

            serve_stdio(
                settings, choice=choice, fetch=fetch, served=served, searched_by=searched_by
            )
            return 0
        from casetrack.base.http.address import DEFAULT_HOST, DEFAULT_PORT
        from casetrack.faces.mcp.server import serve_http

        serve_http(
            settings,
            host=DEFAULT_HOST if host is None else host,
            port=DEFAULT_PORT if port is None else port,
            **asked_by(token, allow_origin),
            choice=choice,
            fetch=fetch,
            served=served,
            searched_by=searched_by,
            metrics=metrics,
        )
    return 0


@contextlib.contextmanager
def _searching(
    data_dir: "Path", engine: str, on: str | None, shards: int | None, replicas: int | None
) -> "Iterator[SearchedBy | None]":
    """Provide the search function of a cluster; ``None`` if this process searches."""
    given = {"--on": on, "--shards": shards, "--replicas": replicas}
    if engine == "process":
        if names := [name for name, value in given.items() if value is not None]:
            raise UsageError(
                f"{' and '.join(names)} only {'makes' if len(names) == 1 else 'make'} sense with "
                "shards.",
                hint="Add --engine ray.",
            )
        yield None
        return
    hold = registered("holders")[engine]
    with hold(data_dir, on or "local", shards, replicas or 1) as front:
        yield front.lists


def asked_by(token: str | None, origins: list[str] | None, /) -> "Askers":
    """Return the clients that the options allow over HTTP."""
    from casetrack.base.http.address import checked_token

    return {"token": checked_token(token, os.environ), "origins": tuple(origins or ())}


def served_edition(edition: EditionName | None, /) -> "ServedEdition | None":
    """Return the server content of an edition; ``None`` for any collection."""
    if edition is None:
        return None
    served: ServedEdition = registered("served")[edition]()
    return served


def _choice(
    tools: str | None, read_only: bool, served: "ServedEdition | None"
) -> "ToolChoice | None":
    """Return the chosen tools, which are looked up only if some are named."""
    if tools is None and not read_only:
        return None
    from casetrack.faces.mcp.catalogue import choose

    return choose(tools, served, read_only=read_only)


def refuse_for_stdio(
    host: str | None,
    port: int | None,
    token: str | None,
    origins: list[str] | None,
    *,
    metrics: bool = False,
) -> None:
    """Refuse options of HTTP for stdio, because they would have no effect."""
    given: dict[str, object] = {"--host": host, "--port": port, "--token": token}
    given |= {"--allow-origin": origins or None, "--metrics": metrics or None}
    names = [name for name, value in given.items() if value is not None]
    if names:
        raise UsageError(
            f"{' and '.join(names)} only {'makes' if len(names) == 1 else 'make'} sense over HTTP.",
            hint="Add --transport http, or leave them out to serve one program over standard "
            "input and output.",
        )
