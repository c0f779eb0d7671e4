"""The ``ctx`` command: its one global option."""

import os
import sys
import tomllib
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from casetrack.editions.context.cli.state import ContextState
from casetrack.faces.cli.layout import entries_in, program
from casetrack.faces.cli.options import opt, version_option
from casetrack.faces.cli.output import line
from casetrack.faces.cli.program import global_first, run_command
from casetrack.version import __version__

# The list of commands of ``ctx``; see :mod:`casetrack.faces.cli.main`.

_TABLES = tomllib.loads(Path(__file__).with_name("commands.toml").read_text("utf-8"))
GROUPS = {title: entries_in(tables) for title, tables in _TABLES.items()}
app = program("ctx", GROUPS)


_GLOBAL = ("--config",)
_ABOUT = """\
Search repositories, folders, buckets and scripts together, from a terminal and from AI programs.

All data stays on this computer.

\b
  ctx init                       create a config for this folder
  ctx sync all                   read all sources of the config
  ctx search "how do we deploy"
"""


@app.callback(help=_ABOUT, invoke_without_command=True)
def root(
    ctx: typer.Context,
    config: Annotated[
        str | None,
        opt(
            "--config FILE",
            "The config; also allowed after the command. Default: CTX_CONFIG, .ctx/config.toml "
            "or config/ctx.toml of this project. It overrides the config in your config folder.",
        ),
    ] = None,
    _version: Annotated[bool, version_option(f"ctx of casetrack {__version__}")] = False,
) -> None:
    """Set the config; show the help if no command is given."""
    state = ctx.ensure_object(ContextState)
    if config is not None:
        state.config_file = config
    if ctx.invoked_subcommand is None:
        line(ctx.get_help())


def main(argv: list[str] | None = None, /) -> int:
    """Run one command and return its exit code; errors are printed, not raised.

    *argv* has no program name; the default is the arguments of this process.
    """
    given = global_first(sys.argv[1:] if argv is None else argv, _GLOBAL)
    return run_command(app, "ctx", ContextState(), given)


def run() -> NoReturn:
    """Run as the console command; its files are readable by the user only."""
    os.umask(0o077)
    sys.exit(main())
