"""Starting the server: over standard input and output, or over HTTP.

The SDK and the tools are imported only when a server is made.
"""

from __future__ import annotations

import contextlib
import gc
import logging
import sys
from typing import TYPE_CHECKING

from casetrack.base.errors import CaseTrackError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from casetrack.api.library import Library, SearchedBy
    from casetrack.base.config import Settings
    from casetrack.faces.mcp.app import CaseTrackServer
    from casetrack.faces.mcp.edition import ServedEdition
    from casetrack.faces.mcp.session import Session
    from casetrack.faces.mcp.specs import ToolChoice


def build_server(library: Library, /, choice: ToolChoice | None = None) -> CaseTrackServer:
    """Return a server over *library*; see :func:`casetrack.faces.mcp.app.build_server`."""
    from casetrack.faces.mcp import app

    return app.build_server(library, choice)


def configure_logging(form: str = "text", /) -> None:
    """Send all logging to standard error: standard output belongs to the protocol.

    Parameters
    ----------
    form
        One of :data:`casetrack.base.config.LOG_FORMS`. Lines for programs tell every call as well.
    """
    from casetrack.faces.mcp import figures

    logging.basicConfig(
        stream=sys.stderr,
        level=logging.WARNING,
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
    )
    logging.getLogger("casetrack").setLevel(logging.INFO)
    figures.calls.setLevel(logging.INFO if form == "json" else logging.WARNING)
    if form == "json":
        for handler in logging.getLogger().handlers:
            handler.setFormatter(figures.JsonLines())


def serve_stdio(
    settings: Settings,
    /,
    *,
    choice: ToolChoice | None = None,
    fetch: bool = False,
    served: ServedEdition | None = None,
    searched_by: SearchedBy | None = None,
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
        Whether to fetch the models in the background where they are missing. Until they are there
        each result says so, in either case.
    served
        What is offered in place of these tools.
    searched_by
        See :class:`casetrack.api.library.Library`.
    """
    configure_logging(settings.log)
    from casetrack.api.library import Library
    from casetrack.faces.mcp.opening import opened

    library = Library(settings, searched_by=searched_by)
    opening = opened(library) if choice is None and served is None else None
    session, server = _made(library, choice, served)
    from casetrack.faces.mcp.shutdown import leave_on_signals

    leave_on_signals(session.running, session.library.jobs.interrupt_all)
    _provide(session, fetch)
    with _watching(session, choice):
        server.run_stdio(opening)


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
    searched_by: SearchedBy | None = None,
    metrics: bool = False,
) -> None:
    """Serve over HTTP until the process is told to end.

    Where it listens is said on standard error. Each session of a client has an active collection
    of its own; all share the jobs and the watched folders.

    Parameters
    ----------
    host, port
        Where to listen; port 0 takes a free one.
    token
        What clients must send; see :func:`casetrack.base.http.address.checked_token`.
    origins
        Web pages whose requests are taken, such as ``https://app.example``.
    choice
        The tools to offer; all by default.
    fetch
        Whether to fetch the models in the background where they are missing. Until they are there
        each result says so, in either case.
    served
        What is offered in place of these tools; it may answer at paths of its own.
    searched_by
        See :class:`casetrack.api.library.Library`.
    metrics
        Whether figures for Prometheus are told at ``/metrics``, to whoever may connect.

    Raises
    ------
    UsageError
        Other computers could reach the host, and there is no token; or an origin is not one.
    CannotListen
        The host or the port cannot be used.
    """
    from casetrack.base.http.address import access, bind, checked_origin

    allowed = [checked_origin(origin) for origin in origins]
    address = bind(host, port, token=token)
    configure_logging(settings.log)
    from casetrack.api.library import Library

    session, server = _made(Library(settings, searched_by=searched_by), choice, served)
    from casetrack.faces.mcp.http.serving import gated, run
    from casetrack.faces.mcp.shutdown import leave_on_signals

    routes = server.routes()
    if metrics:
        from casetrack.faces.mcp.figures import metrics_route

        routes = [*routes, metrics_route(session.library)]
    gate = gated(server, access(address, allowed, token), routes)
    leave_on_signals(session.running, session.library.jobs.interrupt_all, answering=gate.close)
    _provide(session, fetch)
    with _watching(session, choice):
        run(gate, address)


def _made(
    library: Library, choice: ToolChoice | None, served: ServedEdition | None
) -> tuple[Session, CaseTrackServer]:
    """Import what is needed and make the server."""
    # What the SDK's import makes lives as long as the process. Looking through it for garbage
    # again and again would be a sixth of the time until the first answer.
    gc.disable()
    from casetrack.faces.mcp.app import server_for
    from casetrack.faces.mcp.session import Session

    session = Session(library)
    server = server_for(session, choice, served)
    gc.freeze()
    gc.enable()
    return session, server


def _provide(session: Session, fetch: bool) -> None:
    from casetrack.faces.mcp.fetching import Supply

    session.supply = Supply(session.library)
    if fetch:
        session.supply.fetch()


@contextlib.contextmanager
def _watching(session: Session, choice: ToolChoice | None) -> Iterator[None]:
    """Keep watched folders in sync meanwhile; a server that only reads does not."""
    if choice is not None and choice.read_only:
        yield
        return
    from casetrack.api.watch.once import Background

    watcher = Background(session.library, session.running, owner="an AI client's server")
    session.watching = True
    session.goes_on = True
    watcher.start()
    try:
        yield
    finally:
        session.library.jobs.interrupt_all()
        watcher.stop()


def main() -> None:
    """Serve the data folder named by the environment; for starting without the command line."""
    from casetrack.base.config import load_settings

    try:
        settings = load_settings()
    except CaseTrackError as error:
        sys.stderr.write(f"{error}\n")
        raise SystemExit(2) from error
    serve_stdio(settings)
