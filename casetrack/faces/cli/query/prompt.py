"""The line editor of the dialogue: many lines, history, completion, Ctrl-C and Ctrl-D."""

from __future__ import annotations

import json
import os
import secrets
from typing import TYPE_CHECKING

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import Completer, Completion
from prompt_toolkit.history import History
from prompt_toolkit.key_binding import KeyBindings

from casetrack.faces.cli.output import line
from casetrack.faces.cli.query.child import Child
from casetrack.faces.cli.query.repl import is_command
from casetrack.search.query.completion import Words, candidates
from casetrack.search.query.statements import is_blank, split

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from prompt_toolkit.completion import CompleteEvent
    from prompt_toolkit.document import Document
    from prompt_toolkit.input import Input
    from prompt_toolkit.key_binding import KeyPressEvent
    from prompt_toolkit.output import Output

    from casetrack.faces.cli.query.repl import Shell

HISTORY_FILE = "query-history.jsonl"
_MOST_KEPT = 1000
_MOST_PROMPT = 24


def converse(
    shell: Shell, /, *, editor_input: Input | None = None, editor_output: Output | None = None
) -> None:
    """Ask for statements and commands until the user leaves.

    Parameters
    ----------
    editor_input, editor_output
        Where keys come from and the editor draws; the terminal by default.
    """
    session: PromptSession[str] = PromptSession(
        history=QueryHistory(shell.source.data_dir / HISTORY_FILE),
        completer=StatementCompleter(shell),
        complete_while_typing=False,
        multiline=True,
        key_bindings=_keys(),
        prompt_continuation=lambda width, _line, _wrapped: "-> ".rjust(width),
        input=editor_input,
        output=editor_output,
    )
    line(
        f"Asking {shell.source.title}. End a statement with ; and see \\help for more, \\q leaves.",
        err=True,
    )
    with Child(shell.source.state) as child:
        shell.run = child.run
        while True:
            try:
                text = session.prompt(f"{_short(shell.source.title)}> ")
                if not is_blank(text) and not shell.enter(text):
                    return
            except KeyboardInterrupt:
                continue
            except EOFError:
                return


def _short(title: str) -> str:
    """Return a title that leaves room for a statement beside it."""
    return title if len(title) <= _MOST_PROMPT else title[: _MOST_PROMPT - 1].rstrip() + "\u2026"


def is_whole(text: str, /) -> bool:
    """Return whether a text can be run: a command, nothing, or statements ended by semicolons."""
    if not text.strip() or is_command(text):
        return True
    cut = split(text)
    return bool(cut.statements) and is_blank(cut.rest)


def _keys() -> KeyBindings:
    keys = KeyBindings()

    @keys.add("enter")
    def _enter(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if is_whole(buffer.text):
            buffer.validate_and_handle()
        else:
            buffer.newline(copy_margin=False)

    return keys


class StatementCompleter(Completer):
    """Completes with what the shell's collection knows."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell

    def get_completions(
        self,
        document: Document,
        complete_event: CompleteEvent,  # noqa: ARG002 - not needed
    ) -> Iterable[Completion]:
        """Yield what could come next before the cursor."""
        collections = self._shell.source.collections
        words = Words(
            documents=lambda: self._shell.source.document_names,
            commands={name: c.completions for name, c in self._shell.commands.items()},
            schemas=[c.name for c in collections] if len(collections) > 1 else (),
        )
        for found in candidates(document.text_before_cursor, words):
            yield Completion(found.text, -found.replaces, display_meta=found.kind)


class QueryHistory(History):
    """What was entered, each text once, in a file that only its owner can read.

    A text that begins with a space is not kept.
    """

    def __init__(self, path: Path, /) -> None:
        super().__init__()
        self._path = path

    def load_history_strings(self) -> Iterator[str]:
        """Yield what was entered, the newest first."""
        yield from reversed(self._read())

    def append_string(self, string: str) -> None:
        """Remember a text, in the place of an equal older one."""
        if string.startswith(" "):
            return
        if string in self._loaded_strings:
            self._loaded_strings.remove(string)
        super().append_string(string)

    def store_string(self, string: str) -> None:
        """Write a text to the file; a file that cannot be written keeps no history."""
        kept = [*(old for old in self._read() if old != string), string][-_MOST_KEPT:]
        data = "".join(json.dumps(text) + "\n" for text in kept).encode("ascii")
        temporary = self._path.with_name(f".{self._path.name}.{secrets.token_hex(6)}.tmp")
        try:
            handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            temporary.replace(self._path)
        except OSError as error:
            temporary.unlink(missing_ok=True)
            line(
                (f"The history is not kept: {error.strerror or error}: {self._path}", "yellow"),
                err=True,
            )

    def _read(self) -> list[str]:
        if not self._path.is_file():
            return []
        kept = []
        for written in self._path.read_text(encoding="ascii", errors="replace").splitlines():
            try:
                text = json.loads(written)
            except ValueError:  # a line that was damaged is no reason to lose the others
                continue
            if isinstance(text, str):
                kept.append(text)
        return list(dict.fromkeys(reversed(kept)))[::-1]
