"""The line editor of the dialogue: many lines, history, completion, Ctrl-C and Ctrl-D."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from contextlib import closing, suppress
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import FileHistory

from casetrack.api.sql.completion import Words, candidates
from casetrack.base.errors import QueryError
from casetrack.base.sql.statements import is_blank, split
from casetrack.faces.cli.output import line, prepare_streams
from casetrack.faces.cli.query.repl import Shell, is_command
from casetrack.faces.cli.query.running import How, QueryTarget, run, run_reporting
from casetrack.faces.cli.state import EXIT_INTERRUPTED, EXIT_USAGE, State, show_repairs

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from multiprocessing.connection import Connection

    from prompt_toolkit.document import Document


# Runs the statements of the shell in a separate process, so that the shell survives its end.

_LOOK_SECONDS = 0.05


class Child:
    """The process that runs statements; it starts early, so that it is ready for the first one."""

    def __init__(self, state: State, /) -> None:
        self._state = replace(state, _library=None)
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, its_end = context.Pipe()
        self._process = context.Process(target=serve, args=(its_end, self._state), daemon=True)
        self._process.start()
        its_end.close()

    def close(self) -> int | None:
        """End the process, and return its exit code."""
        self._connection.close()
        self._process.join(_LOOK_SECONDS)
        self._process.kill()
        self._process.join()
        return self._process.exitcode

    def run(
        self, source: QueryTarget, statement: str, values: Mapping[str, Any], how: How, /
    ) -> bool:
        """Run a statement and write its rows; see :func:`casetrack.faces.cli.query.running.run`."""
        if not self._process.is_alive():
            self.close()
            self._start()
        names = tuple(collection.info.id for collection in source.collections)
        self._connection.send((names, statement, dict(values), how))
        try:
            with suppress(KeyboardInterrupt):  # the process gets it as well, and reports it
                self._wait()
            self._wait()
            done: bool = self._connection.recv()
            return done
        except KeyboardInterrupt:
            self.close()
            raise
        except (EOFError, ConnectionError):
            if (code := self.close()) in (EXIT_USAGE, EXIT_INTERRUPTED):
                return False
            raise QueryError(
                f"The process of the statement was ended by another program (exit code {code}).",
                hint="If the computer ran out of memory, select less data.",
            ) from None

    def _wait(self) -> None:
        while not self._connection.poll(_LOOK_SECONDS):
            pass


def serve(connection: Connection[Any, Any], state: State, /) -> None:
    """Run statements one after the other, as the process of a :class:`Child`."""
    # Between two statements Ctrl-C is for the dialogue.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    prepare_streams()
    show_repairs()
    source_of = cache(partial(QueryTarget, state))
    with suppress(EOFError, BrokenPipeError):
        while True:
            names, *request = connection.recv()
            signal.signal(signal.SIGINT, signal.default_int_handler)
            done = run_reporting(lambda: run(source_of(names), *request))  # noqa: B023 - called at once
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            sys.stdout.flush()
            connection.send(done)


HISTORY_FILE = "query-history"
_MOST_PROMPT = 24


def converse(shell: Shell, /) -> None:
    """Ask for statements and commands until the user leaves."""
    session: PromptSession[str] = PromptSession(
        history=QueryHistory(shell.source.state.settings.data_dir / HISTORY_FILE),
        completer=StatementCompleter(shell),
        complete_while_typing=False,
        multiline=Condition(lambda: not is_whole(get_app().current_buffer.text)),
        prompt_continuation=lambda width, _line, _wrapped: "-> ".rjust(width),
    )
    line(
        f"Asking {shell.source.title}. End a statement with ; and see \\help for more, \\q exits.",
        err=True,
    )
    with closing(Child(shell.source.state)) as child:
        shell.run = child.run
        while True:
            try:
                text = session.prompt(f"{shell.source.title[:_MOST_PROMPT]}> ")
                run_reporting(partial(shell.execute, text))
            except KeyboardInterrupt:
                continue
            except EOFError:
                return


def is_whole(text: str, /) -> bool:
    """Return whether a text can be run: a command, nothing, or statements ended by semicolons."""
    if not text.strip() or is_command(text):
        return True
    cut = split(text)
    return bool(cut.statements) and is_blank(cut.rest)


class StatementCompleter(Completer):
    """Completes words with names of the shell's collection."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell

    def get_completions(self, document: Document, _event: CompleteEvent) -> Iterable[Completion]:
        """Yield completions of the word before the cursor."""
        source = self._shell.source
        names = [collection.name for collection in source.collections]
        words = Words(
            documents=lambda: source.document_names,
            commands={name: c.completions for name, c in self._shell.commands.items()},
            schemas=names if len(names) > 1 else (),
        )
        for candidate in candidates(document.text_before_cursor, words):
            yield Completion(candidate.text, -candidate.replaces, display_meta=candidate.kind)


class QueryHistory(FileHistory):
    """A file of the entered texts that only its owner can read.

    Texts that begin with a space are not stored.
    """

    def load_history_strings(self) -> Iterable[str]:
        """Return the texts, each once, the newest first."""
        return dict.fromkeys(super().load_history_strings())

    def append_string(self, string: str) -> None:
        """Add a text that is not the last one already."""
        if not string.startswith(" ") and string not in self.get_strings()[-1:]:
            super().append_string(string)

    def store_string(self, string: str) -> None:
        """Append a text to the file; an unwritable file disables the history."""
        try:
            Path(os.fsdecode(self.filename)).touch(mode=0o600)
            super().store_string(string)
        except OSError as error:
            line((f"The history is not saved: {error.strerror}", "yellow"), err=True)
