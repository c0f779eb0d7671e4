"""Start of the server over standard input and output, or over HTTP.

The SDK and the tools are imported only when a server is created.
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

    from casetrack.api.holdings import SearchedBy
    from casetrack.api.library import Library
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
    """Send all logging to standard error, because standard output belongs to the protocol.

    *form* is one of :data:`casetrack.base.config.LOG_FORMS`; the JSON form logs every call as well.
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

    Running ingests are then stopped; their finished part is kept, and the next server continues
    them. Meanwhile, watched folders are synced, unless the tools only read.

    Parameters
    ----------
    choice
        The offered tools; all by default.
    fetch
        Whether to download missing models in the background; results contain a notice until then.
    served
        The edition; by default the tools of any collection.
    searched_by
        See :class:`casetrack.api.library.Library`.
    """
    configure_logging(settings.log)
    from casetrack.api.library import Library
    from casetrack.faces.mcp.opening import opened

    library = Library(settings, searched_by=searched_by)
    opening = opened(library) if choice is None and served is None else None
    session, server = _made(library, choice, served)
    from casetrack.faces.mcp.shutdown import stop_on_signals

    stop_on_signals(session.running, session.library.jobs.interrupt_all)
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
    """Serve over HTTP until the process is stopped; standard error shows the address.

    Each session of a client has its own active collection; all share jobs and watched folders.

    Parameters
    ----------
    port
        0 selects a free port.
    token
        Token that clients send; see :func:`casetrack.base.http.address.checked_token`.
    origins
        Web pages whose requests are accepted, such as ``https://app.example``.
    choice, fetch, served, searched_by
        See :func:`serve_stdio`; an edition may have further paths.
    metrics
        Whether ``/metrics`` returns figures for Prometheus to every client.
    """
    from casetrack.base.http.address import access, bind, checked_origin

    allowed = [checked_origin(origin) for origin in origins]
    address = bind(host, port, token=token)
    configure_logging(settings.log)
    from casetrack.api.library import Library

    session, server = _made(Library(settings, searched_by=searched_by), choice, served)
    from casetrack.faces.mcp.http.serving import gated, run
    from casetrack.faces.mcp.shutdown import stop_on_signals

    routes = server.routes()
    if metrics:
        from casetrack.faces.mcp.figures import metrics_route

        routes = [*routes, metrics_route(session.library)]
    gate = gated(server, access(address, allowed, token), routes)
    stop_on_signals(session.running, session.library.jobs.interrupt_all, answering=gate.close)
    _provide(session, fetch)
    with _watching(session, choice):
        run(gate, address)


def _made(
    library: Library, choice: ToolChoice | None, served: ServedEdition | None
) -> tuple[Session, CaseTrackServer]:
    """Import the server's modules and create it."""
    # Objects of the SDK's import live as long as the process. Repeated garbage collections of them
    # would take a sixth of the time until the first answer.
    gc.disable()
    from casetrack.faces.mcp.app import server_for
    from casetrack.faces.mcp.session import Session

    session = Session(library)
    session.texts_only = True
    server = server_for(session, choice, served)
    gc.freeze()
    gc.enable()
    return session, server


def _provide(session: Session, fetch: bool) -> None:
    from casetrack.faces.mcp.fetching import MissingModels

    session.missing_models = MissingModels(session.library)
    if fetch:
        session.missing_models.fetch()


@contextlib.contextmanager
def _watching(session: Session, choice: ToolChoice | None) -> Iterator[None]:
    """Keep watched folders in sync, unless the server only reads."""
    if choice is not None and choice.read_only:
        yield
        return
    from casetrack.api.watch.manager import Background

    watcher = Background(session.library, session.running, owner="an AI client's server")
    session.watching = True
    session.resumes_jobs = True
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
