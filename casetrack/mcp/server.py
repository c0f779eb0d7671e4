"""Starting the server: over standard input and output, until the input ends.

The SDK and the tools are imported only when a server is made.
"""

from __future__ import annotations

import gc
import logging
import sys
from typing import TYPE_CHECKING, Any

from casetrack.errors import CaseTrackError

if TYPE_CHECKING:
    from mcp.server import MCPServer

    from casetrack.config import Settings
    from casetrack.library import Library


def build_server(library: Library, /) -> MCPServer[Any]:
    """Return a server over *library*; see :func:`casetrack.mcp.app.build_server`."""
    from casetrack.mcp import app

    return app.build_server(library)


def configure_logging() -> None:
    """Send all logging to standard error: standard output belongs to the protocol.

    Must run before the server is made, since the SDK installs its own handlers otherwise.
    """
    logging.basicConfig(
        stream=sys.stderr,
        level=logging.WARNING,
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
    )
    logging.getLogger("casetrack").setLevel(logging.INFO)


def serve_stdio(settings: Settings, /) -> None:
    """Serve over standard input and output until the input ends.

    Running ingests are then told to stop; what they finished is kept. Watched folders are kept in
    sync meanwhile, beginning a few seconds after the start.
    """
    configure_logging()
    # What the SDK's import makes lives as long as the process. Looking through it for garbage
    # again and again would be a sixth of the time until the first answer.
    gc.disable()
    from casetrack.library import Library
    from casetrack.mcp.app import server_for
    from casetrack.mcp.session import Session
    from casetrack.mcp.shutdown import leave_on_signals
    from casetrack.watch.background import Background

    session = Session(Library(settings))
    server = server_for(session)
    gc.freeze()
    gc.enable()
    leave_on_signals(session.running)
    watcher = Background(session.library, session.running, owner="an AI client's server")
    session.watching = True
    watcher.start()
    try:
        server.run("stdio")
    finally:
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
