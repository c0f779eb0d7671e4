"""The ``casetrack`` command: global options, the list of commands, and how errors are told.

Exit codes: 0 done; 1 it failed, or one of several files did; 2 the command was not understood or
names something that does not exist; 130 stopped by Ctrl-C. An error is told on standard error as
what happened and what to do next. With ``--json`` it is also written to standard output as
``{"error": {"code", "message", "hint"}}``, so that a program finds JSON there in every case.
"""

import os
import re
import sys
from typing import Annotated, Any, NoReturn

import typer

from casetrack import __version__
from casetrack.cli import serve
from casetrack.cli.commands import app
from casetrack.cli.completion import prepare_completion
from casetrack.cli.notes import hide_repairs, show_repairs
from casetrack.cli.output import flush, line, prepare_streams, write_json
from casetrack.cli.state import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_USAGE, State
from casetrack.errors import CaseTrackError, JobStopped, UsageError

_CHECKER_WORDS = "Value error, "
_NOT_A_CHOICE = re.compile(r"'(?P<given>[^']*)' is not one of (?P<choices>'.*')\.$")
_NEAR = 0.5
"""Share of letters that a choice has in common with what was typed, as difflib counts them."""
_GLOBAL = ("--data-dir", "--license")


def _show_version(wanted: bool) -> None:
    if wanted:
        line(f"casetrack {__version__}")
        raise typer.Exit


_ABOUT = """\
Search folders of documents and get answers with their exact source.

Everything stays on this computer. Try it with: casetrack demo

\b
Your own documents:
  casetrack ingest ~/Contracts --create -c Contracts
  casetrack search "notice period" -c Contracts

With no command it serves AI programs over standard input (MCP), or shows this help on a terminal.
"""


@app.callback(help=_ABOUT, invoke_without_command=True)
def root(
    ctx: typer.Context,
    data_dir: Annotated[
        str | None,
        typer.Option(
            "--data-dir",
            metavar="FOLDER",
            help="Where the data lies; may also follow the command. "
            "Otherwise CASETRACK_HOME, or CaseTrack in your documents folder.",
        ),
    ] = None,
    license_key: Annotated[
        str | None,
        typer.Option(
            "--license",
            metavar="KEY",
            help="License key for this run; may also follow the command. "
            "Otherwise CASETRACK_LICENSE, config.toml, or the activated one.",
        ),
    ] = None,
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> int | None:
    """Set the data folder, and decide what happens without a command."""
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
    return serve.serve(ctx)


def main(argv: list[str] | None = None, /) -> int:
    """Run one command and return its exit code; errors are told, not raised.

    Parameters
    ----------
    argv
        Arguments without the program's name; those of this process by default.
    """
    prepare_streams()
    prepare_completion()
    show_repairs()
    arguments = _current_words(_data_dir_first(sys.argv[1:] if argv is None else argv))
    try:
        code = _guarded(arguments)
        sys.stdout.flush()
    except OSError:  # the reader, such as `head`, has what it wanted; or it was told already
        _silence_stdout()
        return EXIT_FAILED
    finally:
        hide_repairs()
    return code


def run() -> NoReturn:
    """Run as the console command."""
    sys.exit(main())


def _guarded(arguments: list[str]) -> int:
    state = State()
    as_json = "--json" in arguments
    try:
        result = app(arguments, prog_name="casetrack", standalone_mode=False, obj=state)
        flush()
    except CaseTrackError as error:
        return _tell(error, as_json)
    except BrokenPipeError:
        raise
    except typer.TyperException as error:
        return _tell_misuse(error, as_json)
    except typer.Abort:
        line("Stopped; nothing was changed.", err=True)
        return EXIT_FAILED
    except KeyboardInterrupt:
        result = EXIT_INTERRUPTED
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else EXIT_FAILED
    except Exception as error:  # noqa: BLE001 - the last resort, told in full on request
        return _tell_unexpected(error, as_json)
    code = result if isinstance(result, int) else 0
    if code == EXIT_INTERRUPTED and not state.interrupt_told:
        line("Stopped by Ctrl-C. What was finished is kept.", err=True)
    return code


def _tell(error: CaseTrackError, as_json: bool) -> int:
    line(("Error: ", "bold red"), error.message, err=True)
    if error.hint:
        line(error.hint, err=True, indent=2)
    if as_json:
        write_json({"error": error.as_dict()})
    if isinstance(error, JobStopped):
        return EXIT_INTERRUPTED
    return EXIT_USAGE if isinstance(error, UsageError) else EXIT_FAILED


def _tell_misuse(error: typer.TyperException, as_json: bool) -> int:
    # What checks the options puts a word of its own before what it says.
    error.message = _with_near_name(error.message.removeprefix(_CHECKER_WORDS))
    show: Any = getattr(error, "show", None)
    if show is None:
        line(f"Error: {error.format_message()}", err=True)
    else:
        show()
    if as_json:
        fact = {"code": "usage", "message": error.format_message(), "hint": "casetrack --help"}
        write_json({"error": fact})
    return error.exit_code


def _with_near_name(message: str) -> str:
    """Add the choice that was probably meant, where a message lists the choices."""
    import difflib

    found = _NOT_A_CHOICE.match(message)
    if found is None:
        return message
    choices = re.findall(r"'([^']+)'", found["choices"])
    near = difflib.get_close_matches(found["given"].casefold(), choices, n=1, cutoff=_NEAR)
    return f'{message} Did you mean "{near[0]}"?' if near else message


def _tell_unexpected(error: Exception, as_json: bool) -> int:
    if os.environ.get("CASETRACK_DEBUG") == "1":
        import traceback

        traceback.print_exception(error)
    what = f"{type(error).__name__}: {error}".strip().replace("\n", " ")
    hint = (
        "This is a fault in CaseTrack. Please report it where you got CaseTrack from, with the "
        "output of the same command under CASETRACK_DEBUG=1."
    )
    line(("Unexpected error: ", "bold red"), f"{what}. {hint}", err=True)
    if as_json:
        write_json({"error": {"code": "unexpected", "message": what, "hint": hint}})
    return EXIT_FAILED


def _data_dir_first(arguments: list[str]) -> list[str]:
    """Move the global options before the command: people write them at either place."""
    front: list[str] = []
    rest: list[str] = []
    queue = iter(arguments)
    for argument in queue:
        if argument == "--":
            rest += [argument, *queue]
        elif argument in _GLOBAL:
            front += [argument, *[value for value in [next(queue, None)] if value is not None]]
        elif argument.partition("=")[0] in _GLOBAL:
            front.append(argument)
        else:
            rest.append(argument)
    return front + rest


_OLD_WORDS = {
    "--setup-claude-code": ["setup", "claude-code"],
    "--update": ["update"],
    "--uninstall": ["uninstall"],
}


def _current_words(arguments: list[str]) -> list[str]:
    """Write the commands that used to be options as commands; global options stand before them."""
    place = 0
    while place < len(arguments) and arguments[place].partition("=")[0] in _GLOBAL:
        place += 1 if "=" in arguments[place] else 2
    old = arguments[place : place + 1]
    return arguments[:place] + _OLD_WORDS.get("".join(old), old) + arguments[place + 1 :]


def _silence_stdout() -> None:
    """Point standard output nowhere, so that Python's own flush at exit stays quiet too."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
