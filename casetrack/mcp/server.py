"""Starting the server: over standard input and output, or over HTTP.

The SDK and the tools are imported only when a server is made.
"""

from __future__ import annotations

import contextlib
import gc
import logging
import sys
from typing import TYPE_CHECKING

from casetrack.errors import CaseTrackError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from casetrack.config import Settings
    from casetrack.library import Library
    from casetrack.mcp.app import CaseTrackServer
    from casetrack.mcp.edition import ServedEdition
    from casetrack.mcp.session import Session
    from casetrack.mcp.toolsets import ToolChoice


def build_server(library: Library, /, choice: ToolChoice | None = None) -> CaseTrackServer:
    """Return a server over *library*; see :func:`casetrack.mcp.app.build_server`."""
    from casetrack.mcp import app

    return app.build_server(library, choice)


def configure_logging() -> None:
    """Send all logging to standard error: standard output belongs to the protocol."""
    logging.basicConfig(
        stream=sys.stderr,
        level=logging.WARNING,
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
    )
    logging.getLogger("casetrack").setLevel(logging.INFO)


def serve_stdio(
    settings: Settings,
    /,
    *,
    choice: ToolChoice | None = None,
    fetch: bool = False,
    served: ServedEdition | None = None,
) -> None:
    """Serve over standard input and output until the input ends.

    Running ingests are then told to stop; what they finished is kept, and the next server goes on
    with them. Watched folders are kept in sync meanwhile, beginning a few seconds after the start,
    unless the tools only read.

    Parameters
    ----------
    choice
        The tools to offer; all by default.
    fetch
        Whether to fetch the search model in the background where it is missing.
    served
        What is offered in place of these tools.
    """
    configure_logging()
    session, server = _made(settings, choice, served)
    from casetrack.mcp.shutdown import leave_on_signals

    leave_on_signals(session.running, session.library.jobs.leave)
    _provide(session, fetch)
    with _watching(session, choice):
        server.run_stdio()


def serve_http(
    settings: Settings,
    /,
    *,
    host: str,
    port: int,
    token: str | None = None,
    origins: Sequence[str] = (),
    choice: ToolChoice | None = None,
    fetch: bool = False,
    served: ServedEdition | None = None,
) -> None:
    """Serve over HTTP until the process is told to end.

    Where it listens is said on standard error. Each session of a client has an active collection
    of its own; all share the jobs and the watched folders.

    Parameters
    ----------
    host, port
        Where to listen; port 0 takes a free one.
    token
        What clients must send; see :func:`casetrack.mcp.http.address.checked_token`.
    origins
        Web pages whose requests are taken, such as ``https://app.example``.
    choice
        The tools to offer; all by default.
    fetch
        Whether to fetch the search model in the background where it is missing.
    served
        What is offered in place of these tools; it may answer at paths of its own.

    Raises
    ------
    UsageError
        Other computers could reach the host, and there is no token; or an origin is not one.
    CannotListen
        The host or the port cannot be used.
    """
    from casetrack.mcp.http.address import bind, checked_origin, door

    allowed = [checked_origin(origin) for origin in origins]
    address = bind(host, port, token=token)
    configure_logging()
    session, server = _made(settings, choice, served)
    from casetrack.mcp.http.serving import gated, run
    from casetrack.mcp.shutdown import leave_on_signals

    gate = gated(server, door(address, allowed, token), server.routes())
    leave_on_signals(session.running, session.library.jobs.leave, answering=gate.close)
    _provide(session, fetch)
    with _watching(session, choice):
        run(gate, address)


def _made(
    settings: Settings, choice: ToolChoice | None, served: ServedEdition | None
) -> tuple[Session, CaseTrackServer]:
    """Import what is needed and make the server."""
    # What the SDK's import makes lives as long as the process. Looking through it for garbage
    # again and again would be a sixth of the time until the first answer.
    gc.disable()
    from casetrack.library import Library
    from casetrack.mcp.app import server_for
    from casetrack.mcp.session import Session

    session = Session(Library(settings))
    server = server_for(session, choice, served)
    gc.freeze()
    gc.enable()
    return session, server


def _provide(session: Session, fetch: bool) -> None:
    if fetch:
        from casetrack.mcp.fetching import fetch_in_background

        fetch_in_background(session.library)


@contextlib.contextmanager
def _watching(session: Session, choice: ToolChoice | None) -> Iterator[None]:
    """Keep watched folders in sync meanwhile; a server that only reads does not."""
    if choice is not None and choice.read_only:
        yield
        return
    from casetrack.watch.background import Background

    watcher = Background(session.library, session.running, owner="an AI client's server")
    session.watching = True
    session.goes_on = True
    watcher.start()
    try:
        yield
    finally:
        session.library.jobs.leave()
        watcher.stop()


def main() -> None:
    """Serve the data folder named by the environment; for starting without the command line."""
    from casetrack.config import load_settings

    try:
        settings = load_settings()
    except CaseTrackError as error:
        sys.stderr.write(f"{error}\n")
        raise SystemExit(2) from error
    serve_stdio(settings)
