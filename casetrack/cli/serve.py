"""``casetrack serve``: answer AI programs over standard input and output (MCP)."""

import typer

from casetrack.cli.notes import hide_repairs
from casetrack.cli.state import State


def serve(ctx: typer.Context) -> int:
    """Serve AI programs over standard input and output (MCP), until the input ends.

    Programs start this by themselves; it is also what happens without a command when standard
    input is not a terminal.
    """
    from casetrack.mcp.server import serve_stdio

    hide_repairs()
    serve_stdio(ctx.ensure_object(State).settings)
    return 0
