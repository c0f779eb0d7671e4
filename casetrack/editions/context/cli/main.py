"""The ``ctx`` command: its one global option."""

import os
import sys
from typing import Annotated, NoReturn

import typer

from casetrack.editions.context.cli.state import ContextState
from casetrack.faces.cli.layout import Command, Entry, Family, program
from casetrack.faces.cli.options import opt, version_option
from casetrack.faces.cli.output import line
from casetrack.faces.cli.program import global_first, run_command
from casetrack.version import __version__

# The list of commands of ``ctx``; see :mod:`casetrack.faces.cli.main`.

_HERE = "casetrack.editions.context.cli"

# fmt: off
GROUPS: dict[str, tuple[Entry, ...]] = {
    "Your sources": (
        Command("init", f"{_HERE}.init:init", "Write a config for this folder, and check it."),
        Command("sync", f"{_HERE}.sources:sync", "Bring the collection in step with the sources.",
                "git:platform --dry-run"),
        Command("sources", f"{_HERE}.search:sources",
                "List the sources and how they are in step."),
        Command("stats", f"{_HERE}.sources:stats", "Count what is there, source by source."),
        Family("connector", "Make and check sources of your own.",
               "Make and check sources of your own.", (
            Command("init", f"{_HERE}.connector:init",
                    "Write a script source to begin with.", "tickets"),
            Command("test", f"{_HERE}.connector:try_source",
                    "Check a source without storing anything.",
                    "script:tickets"),
        )),
        Family("embed", "Make vectors, for questions by meaning.",
               "Make vectors, for questions by meaning.", (
            Command("pending", f"{_HERE}.export:pending", "Make those that are missing."),
            Command("rebuild", f"{_HERE}.export:rebuild", "Make all of them anew."),
        )),
    ),
    "Find and read": (
        Command("search", f"{_HERE}.search:search", "Find documents, each with its best passages.",
                '"how do we deploy" --source git'),
        Command("get", f"{_HERE}.search:get", "Read a document, whole or in parts.", "ID:0:5"),
    ),
    "Share": (
        Family("serve", "Answer AI programs and plain HTTP.",
               "Answer AI programs and plain HTTP.", (
            Command("mcp", f"{_HERE}.serve:mcp", "Serve search, get and sources (MCP, REST)."),
        )),
        Command("export", f"{_HERE}.export:export",
                "Write JSON, or a page that searches in the browser.",
                "-o search.html"),
    ),
    "The program": (
        Command("completions", ".completion:completion",
                "Let the shell complete commands and names.",
                "bash"),
    ),
}
# fmt: on

app = program("ctx", GROUPS)


_GLOBAL = ("--config",)
_ABOUT = """\
Search your repositories, folders, buckets and scripts as one, from a terminal and from AI programs.

Everything stays on this computer.

\b
  ctx init                       writes a config for this folder
  ctx sync all                   takes in what it names
  ctx search "how do we deploy"
"""


@app.callback(help=_ABOUT, invoke_without_command=True)
def root(
    ctx: typer.Context,
    config: Annotated[
        str | None,
        opt(
            "The config; may also follow the command. Otherwise CTX_CONFIG, .ctx/config.toml "
            "or config/ctx.toml of this project; each lies over the one in your config folder.",
            "--config FILE",
        ),
    ] = None,
    _version: Annotated[bool, version_option(f"ctx of casetrack {__version__}")] = False,
) -> None:
    """Set the config, and show the help where no command is given."""
    state = ctx.ensure_object(ContextState)
    if config is not None:
        state.config_file = config
    if ctx.invoked_subcommand is None:
        line(ctx.get_help())


def main(argv: list[str] | None = None, /) -> int:
    """Run one command and return its exit code; errors are told, not raised.

    Parameters
    ----------
    argv
        Arguments without the program's name; those of this process by default.
    """
    given = global_first(sys.argv[1:] if argv is None else argv, _GLOBAL)
    return run_command(app, "ctx", ContextState(), given)


def run() -> NoReturn:
    """Run as the console command; what it writes is its user's alone, unless others are let in."""
    os.umask(0o077)
    sys.exit(main())
