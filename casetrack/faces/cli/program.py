"""Running a command of one of the programs, and writing its errors.

Exit codes: 0 done; 1 it failed, or one of several files or sources did; 2 the command is invalid or
names something that does not exist; 130 stopped by Ctrl-C. Standard error gets the error with its
next step. With ``--json``, standard output also gets
``{"error": {"code", "message", "hint"}}``, so that a program always reads JSON.
"""

from __future__ import annotations

import functools
import os
import re
import shlex
import sys
from collections.abc import Collection
from itertools import pairwise
from typing import Any

import typer

from casetrack.base import actor
from casetrack.base.errors import CaseTrackError, JobStopped, UsageError
from casetrack.base.errors.references import Reference, spelled
from casetrack.faces.cli.completion import prepare_completion
from casetrack.faces.cli.output import flush, line, prepare_streams, write_json
from casetrack.faces.cli.state import (
    EXIT_FAILED,
    EXIT_INTERRUPTED,
    EXIT_USAGE,
    Invocation,
    hide_repairs,
    show_repairs,
)

_COLLECTION = frozenset(("-c", "--collection"))
_CHECKER_WORDS = "Value error, "
_NOT_A_CHOICE = re.compile(r"'(?P<given>[^']*)' is not one of (?P<choices>'.*')\.$")
_NEAR = 0.5
"""Share of letters that a suggestion has in common with the typed value, as in difflib."""


def run_command(app: typer.Typer, program: str, state: Invocation, arguments: list[str], /) -> int:
    """Run one command of a program and return its exit code; errors are written, not raised.

    *app* has the commands of *program*, *state* is shared by the invocation, and *arguments* begin
    with the options of the whole program.
    """
    actor.act_as(" ".join([program, *_command_of(arguments)]))
    prepare_streams()
    prepare_completion(program)
    show_repairs()
    try:
        code = _guarded(app, program, state, arguments)
        sys.stdout.flush()
    except (
        OSError
    ):  # The reader, such as `head`, has stopped reading; or the error is already written.
        _silence_stdout()
        return EXIT_FAILED
    finally:
        hide_repairs()
    return code


def _command_of(arguments: list[str]) -> list[str]:
    """Return the name of the command in these arguments."""
    words = iter(arguments)
    for word in words:
        if not word.startswith("-"):
            return [word]
        if "=" not in word:
            next(words, None)
    return []


def global_first(arguments: list[str], options: Collection[str], /) -> list[str]:
    """Move the options of the whole program, which all take a value, before the command."""
    front: list[str] = []
    rest: list[str] = []
    queue = iter(arguments)
    for argument in queue:
        if argument == "--":
            rest += [argument, *queue]
        elif argument in options:
            front += [argument, *[value for value in [next(queue, None)] if value is not None]]
        elif argument.partition("=")[0] in options:
            front.append(argument)
        else:
            rest.append(argument)
    return front + rest


def _guarded(app: typer.Typer, program: str, state: Invocation, arguments: list[str]) -> int:
    as_json = "--json" in arguments
    try:
        result = _built(app)(arguments, prog_name=program, standalone_mode=False, obj=state)
        flush()
    except CaseTrackError as error:
        _spell(error, app, arguments)
        return show_error(error, as_json=as_json)
    except BrokenPipeError:
        raise
    except typer.TyperException as error:
        return _tell_misuse(error, program, as_json)
    except typer.Abort:
        line("Stopped; nothing was changed.", err=True)
        return EXIT_FAILED
    except KeyboardInterrupt:
        result = EXIT_INTERRUPTED
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else EXIT_FAILED
    except Exception as error:  # noqa: BLE001 - the last handler; debug mode shows all
        return show_unexpected(error, as_json=as_json)
    code = result if isinstance(result, int) else 0
    if code == EXIT_INTERRUPTED and not state.interrupt_reported:
        line("Stopped by Ctrl-C. Completed work is kept.", err=True)
    return code


@functools.cache
def _built(app: typer.Typer) -> Any:
    """Return the commands with their options; reading these from the functions takes long."""
    return typer.main.get_command(app)


def _spell(error: CaseTrackError, app: typer.Typer, arguments: list[str]) -> None:
    """Name the command's own arguments; leave out sentences about options that it lacks.

    A command in the text gets its required arguments, and the collection of the command line.
    """
    root = command = _built(app)
    params = list(command.params)
    for word in arguments:
        command = getattr(command, "commands", {}).get(word, command)
    params += command.params
    known = {option for p in params for option in (*p.opts, *p.secondary_opts)}

    def spell(see: Reference) -> str | None:
        if see.names:
            return _completed(see.text, root, arguments)
        names = {f"--{name.replace('_', '-')}" for name, _ in see.options}
        return see.text if names <= known else None

    error.hint = spelled(error.hint, spell, lambda _: "")
    if isinstance(error, UsageError):
        names = {p.name: p.opts[0] if p.param_type_name == "option" else p.metavar for p in params}
        error.call_arguments(lambda name: f"`{names.get(name) or name}`")


def _completed(text: str, command: Any, arguments: list[str], /) -> str:
    """Return a command of a hint with its required arguments."""
    _, *words = text.strip("`").split()
    while words and words[0] in getattr(command, "commands", {}):
        command = command.commands[words.pop(0)]
    if hasattr(command, "commands") or not text.startswith("`"):
        return text
    missing = []
    if not any(not word.startswith("-") for word in words):
        needed = (p for p in command.params if p.param_type_name == "argument" and p.required)
        missing = [p.metavar or p.name.upper() for p in needed]
    options = {option for p in command.params for option in p.opts}
    named = [v for o, v in pairwise(arguments) if o in _COLLECTION and not v.startswith("-")]
    if len(named) == 1 and options >= _COLLECTION and not _COLLECTION.intersection(words):
        missing += ["-c", shlex.quote(named[0])]
    return f"`{' '.join([text.strip('`'), *missing])}`"


def show_error(error: CaseTrackError, /, *, as_json: bool = False) -> int:
    """Write an error and its next step to standard error; return the exit code.

    *as_json* writes it to standard output as well.
    """
    line(("Error: ", "bold red"), error.message, err=True)
    if error.hint:
        line(error.hint, err=True, indent=2)
    if as_json:
        write_json({"error": error.as_dict()})
    if isinstance(error, JobStopped):
        return EXIT_INTERRUPTED
    return EXIT_USAGE if isinstance(error, UsageError) else EXIT_FAILED


def _tell_misuse(error: typer.TyperException, program: str, as_json: bool) -> int:
    # Typer puts a prefix before the message of the check.
    error.message = _with_near_name(error.message.removeprefix(_CHECKER_WORDS))
    show: Any = getattr(error, "show", None)
    if show is None:
        line(f"Error: {error.format_message()}", err=True)
    else:
        show()
    if as_json:
        fact = {"code": "usage", "message": error.format_message(), "hint": f"{program} --help"}
        write_json({"error": fact})
    return error.exit_code


def _with_near_name(message: str) -> str:
    """Add a suggestion to a message that lists the choices."""
    import difflib

    choice = _NOT_A_CHOICE.match(message)
    if choice is None:
        return message
    choices = re.findall(r"'([^']+)'", choice["choices"])
    near = difflib.get_close_matches(choice["given"].casefold(), choices, n=1, cutoff=_NEAR)
    return f'{message} Did you mean "{near[0]}"?' if near else message


def show_unexpected(error: Exception, /, *, as_json: bool = False) -> int:
    """Write an error that no code expected to standard error; return the exit code."""
    if os.environ.get("CASETRACK_DEBUG") == "1":
        import traceback

        traceback.print_exception(error)
    what = f"{type(error).__name__}: {error}".strip().replace("\n", " ")
    hint = (
        "This is a defect of CaseTrack. Please report it to your source of CaseTrack, with the "
        "output of the same command under CASETRACK_DEBUG=1."
    )
    line(("Unexpected error: ", "bold red"), f"{what}. {hint}", err=True)
    if as_json:
        write_json({"error": {"code": "unexpected", "message": what, "hint": hint}})
    return EXIT_FAILED


def _silence_stdout() -> None:
    """Redirect standard output to nowhere, so that Python's flush at exit reports no error."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
