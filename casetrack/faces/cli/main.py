"""The ``casetrack`` command: its global options, and its behavior without a command."""

import gc
import os
import sys
import tomllib
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from casetrack.api.operation import words_of_commands
from casetrack.base.registry import registered
from casetrack.faces.cli.layout import Command, Entry, Family, program
from casetrack.faces.cli.options import opt, version_option
from casetrack.faces.cli.output import line
from casetrack.faces.cli.program import global_first, run_command
from casetrack.faces.cli.state import State
from casetrack.version import __version__

_LAST = "With AI programs"
"""The groups of editions are listed before this group."""


def _groups() -> dict[str, tuple[Entry, ...]]:
    """Return the commands by the headings of the help.

    Commands of operations follow the first command of their group.
    """
    declared = tomllib.loads(Path(__file__).with_name("commands.toml").read_text(encoding="utf-8"))
    made: dict[str, list[Entry]] = {}
    for name, words in words_of_commands().items():
        command = Command(name, "", words["summary"], words.get("example", ""))
        made.setdefault(words["group"], []).append(command)
    groups: dict[str, tuple[Entry, ...]] = {}
    for title, entries in declared["groups"].items():
        if title == _LAST:
            groups |= dict(registered("commands").values())
        first, *others = (_entry(declared["families"], *each) for each in entries.items())
        groups[title] = (first, *made.get(title, ()), *others)
    groups[_LAST] += tuple(registered("server_commands").values())
    return groups


def _entry(families: dict[str, dict[str, list[str]]], name: str, words: list[str]) -> Entry:
    if words[0] != "*":
        return Command(name, *words)
    commands = (Command(each, *more) for each, more in families[name].items())
    _, summary, about = words
    return Family(name, summary, about, tuple(commands))


GROUPS = _groups()
app = program("casetrack", GROUPS)


_GLOBAL = ("--data-dir", "--license")


_ABOUT = """\
Search folders of documents and get answers with their exact source.

Everything stays on this computer. Try it with: casetrack demo

\b
Your own documents:
  casetrack ingest ~/Contracts --create -c Contracts
  casetrack search "notice period" -c Contracts

Without a command, it serves AI programs over standard input (MCP); a terminal shows this help.
"""


@app.callback(help=_ABOUT, invoke_without_command=True)
def root(
    ctx: typer.Context,
    data_dir: Annotated[
        str | None,
        opt(
            "--data-dir FOLDER",
            "The data folder; may also follow the command. [default: CASETRACK_HOME, or CaseTrack "
            "in your documents folder]",
        ),
    ] = None,
    license_key: Annotated[
        str | None,
        opt(
            "--license KEY",
            "License key of this command; may also follow it. [default: CASETRACK_LICENSE, "
            "config.toml, or the activated key]",
        ),
    ] = None,
    _version: Annotated[bool, version_option(f"casetrack {__version__}")] = False,
) -> int | None:
    """Set the data folder, and start a default command if none is named."""
    state = ctx.ensure_object(State)
    if data_dir is not None:
        state.data_dir = data_dir
    if license_key is not None:
        state.license_key = license_key
    if ctx.invoked_subcommand is not None:
        return None
    if sys.stdin is None or sys.stdin.closed or sys.stdin.isatty():
        line(ctx.get_help())
        return None
    from casetrack.faces.cli.serve import serve

    return serve(ctx)


def main(argv: list[str] | None = None, /, *, state: State | None = None) -> int:
    """Run one command and return its exit code; errors are written, not raised.

    *argv* are the arguments without the program's name; those of this process by default. *state*
    keeps the open library between several commands.
    """
    given = global_first(sys.argv[1:] if argv is None else argv, _GLOBAL)
    return run_command(app, "casetrack", state or State(), _current_words(given))


def prepare() -> None:
    """Prepare the process; files that it creates are private to the user unless configured."""
    # Imported objects live as long as the process: by default Python would search them for garbage
    # hundreds of times, which takes a seventh of the time of a search.
    gc.set_threshold(_GARBAGE)
    os.umask(0o077)


def run() -> NoReturn:
    """Run as the console command."""
    prepare()
    code = main()
    # The collection at exit takes as long as a search. DuckDB reports leaks without it.
    if "_duckdb" in sys.modules:
        gc.unfreeze()
    else:
        gc.freeze()
    sys.exit(code)


_GARBAGE = 200_000
"""Number of new objects that starts a garbage collection."""
_OLD_WORDS = {
    "--setup-claude-code": ["setup", "claude-code"],
    "--update": ["update"],
    "--uninstall": ["uninstall"],
}


def _current_words(arguments: list[str]) -> list[str]:
    """Replace former options by the commands of today; global options stay in front."""
    place = 0
    while place < len(arguments) and arguments[place].partition("=")[0] in _GLOBAL:
        place += 1 if "=" in arguments[place] else 2
    old = arguments[place : place + 1]
    return arguments[:place] + _OLD_WORDS.get("".join(old), old) + arguments[place + 1 :]
