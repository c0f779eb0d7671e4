r"""The dialogue: statements that a semicolon ends, and commands that a backslash begins."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from casetrack.api.sql import saved
from casetrack.api.sql.parameters import Parameter, pairs
from casetrack.base.errors import UsageError
from casetrack.base.sql.catalog import Function, View, catalog
from casetrack.base.sql.statements import all_of, is_blank, split
from casetrack.faces.cli.output import Field, entry, is_terminal, line, table, write_json
from casetrack.faces.cli.query.formats import FORMATS
from casetrack.faces.cli.query.running import How, QueryTarget, Run, run, run_all

_HELPING = ("help", "?", ".help", "\\h", "\\?")
_OTHER_NAMES = {"exit": "\\q", "quit": "\\q"} | dict.fromkeys(_HELPING, "\\help")
"""Names of commands in similar programs."""


class Command(NamedTuple):
    """A command of the shell: its usage for help, its function, and completions of its argument."""

    usage: str
    about: str
    act: Callable[[str], None]
    completions: Callable[[], Iterable[str]] = tuple


class Shell:
    """Runs entered text, one piece after the other.

    Parameters
    ----------
    source
        The target of statements.
    how
        How rows are written.
    given
        Values of parameters as typed, by name.
    """

    def __init__(self, source: QueryTarget, how: How, given: dict[str, str], /) -> None:
        self.source = source
        self.how = how
        self.given = given
        self.run: Run = run
        self._next_file: Path | None = None
        functions, views = catalog().functions, catalog().views
        names = [view.name for view in views] + [function.name for function in functions]
        formats = f"output format: {', '.join(FORMATS)}"
        of_view, of_function = partial(self._describe, views), partial(self._describe, functions)
        of_file = "write the next rows to this file, in the format of its extension"
        of_run = "\\run NAME [name=value ...]"
        of_values = "set the value of $name, or list all values"
        commands = (
            Command("\\d [NAME]", "views, or the columns of one", of_view, lambda: names),
            Command("\\f [NAME]", "functions, or the arguments of one", of_function, lambda: names),
            Command("\\format NAME", formats, self._format, lambda: FORMATS),
            Command("\\o FILE", of_file, self._output),
            Command("\\saved", "list the saved queries", lambda _: show_saved(self.source)),
            Command(of_run, "run a saved query", self._run_saved, self._saved_names),
            Command("\\set [name=value]", of_values, self._set),
            Command("\\timing", "show or hide rows and time", self._timing),
            Command("\\use NAME", "switch to another collection", self._use, self._collections),
            Command("\\help", "this list", self._help),
            Command("\\q", "exit, as Ctrl-D does", self._leave),
        )
        self.commands = {command.usage.partition(" ")[0]: command for command in commands}

    def _collections(self) -> list[str]:
        return [info.name for info in self.source.state.library.collections(status="all")]

    def _saved_names(self) -> list[str]:
        return [query.name for query in saved.listed(self.source.saved_places)]

    def execute(self, text: str, /) -> None:
        """Run a command, or the statements of a text."""
        if not is_command(text):
            self._run_all(text, self.given)
            return
        name, _, argument = text.strip().partition(" ")
        command = self.commands.get(_OTHER_NAMES.get(_word(text), name.rstrip(";")))
        if command is None:
            raise UsageError(f"There is no command {name}.", hint="See them all with \\help")
        command.act(argument.strip().rstrip(";").rstrip())

    def _run_all(
        self, text: str, given: dict[str, str], declared: Sequence[Parameter] = ()
    ) -> None:
        output = self._next_file
        how = replace(self.how, output=output, wanted=None) if output else self.how
        statements = all_of(text)
        done = run_all(self.source, statements, given, how, declared, run=self.run, way="\\set")
        if statements and done:
            self._next_file = None

    # --- commands --------------------------------------------------------------------------------

    def _describe(self, listed: Sequence[View | Function], name: str) -> None:
        if not name:
            rows = [(getattr(each, "signature", each.name), each.about) for each in listed]
            table((Field("Name"), Field("About")), rows)
            return
        item = catalog().view(name.strip('"')) or catalog().function(name.rstrip("()"))
        if item is None:
            names = ", ".join(each.name for each in listed)
            raise UsageError(f"There is no view or function {name!r}.", hint=f"Known: {names}.")
        line((getattr(item, "signature", item.name), "bold"))
        line(item.about)
        columns = [(c.name, c.type + f" ({c.unit})" * bool(c.unit), c.about) for c in item.columns]
        if not isinstance(item, Function):
            _show_list(columns)
            return
        _show_list(
            [
                (p.name, f"{p.type}, default {p.default}" if p.default else p.type, p.about)
                for p in item.parameters
            ]
        )
        line()
        _show_list(columns)
        line(f"Example: {item.example};")

    def _format(self, name: str) -> None:
        if name not in FORMATS:
            raise UsageError(f"Not a format: {name!r}.", hint=f"Formats: {', '.join(FORMATS)}.")
        How(name).format  # noqa: B018 - raises for an unsuitable output
        self.how.wanted = name

    def _output(self, name: str) -> None:
        if not name:
            self._next_file = None
            line("Rows are written to the screen.", err=True)
            return
        path = Path(_words(name)[0]).expanduser()
        How(output=path).format  # noqa: B018 - refuses an ending that says nothing
        self._next_file = path
        line(f"The next rows are written to {path}.", err=True)

    def _run_saved(self, argument: str) -> None:
        name, *values = _words(argument) or [""]
        query = saved.find(name, self.source.saved_places)
        self._run_all(query.sql, self.given | pairs(values), query.parameters)

    def _set(self, argument: str) -> None:
        self.given |= pairs(_words(argument))
        for name, value in () if argument else self.given.items():
            line(f"${name} = {value}")

    def _timing(self, _: str) -> None:
        self.how.counting = not self.how.counting
        line(f"Rows and time are {'' if self.how.counting else 'not '}shown.", err=True)

    def _use(self, name: str) -> None:
        self.source = QueryTarget(self.source.state, (name.strip("\"'"),))
        line(f"Asking {self.source.title}.", err=True)

    def _leave(self, _: str) -> None:
        raise EOFError

    def _help(self, _: str) -> None:
        rows = [(command.usage, command.about) for command in self.commands.values()]
        table((Field("Command", whole=True), Field("Description")), rows)
        line(
            "A statement ends with ; and may have many lines. Ctrl-C cancels, Ctrl-D exits, Tab "
            "completes."
        )


def is_command(text: str, /) -> bool:
    """Return whether a text is a command, or a word that exits or shows the help."""
    return text.lstrip().startswith("\\") or _word(text) in _OTHER_NAMES


def _word(text: str) -> str:
    return text.strip().rstrip(";").rstrip().lower()


def pieces(lines: Iterable[str], /) -> Iterator[str]:
    """Split input lines into statements and commands, each as soon as it is complete."""
    text = ""
    for entered in lines:
        if is_blank(text) and is_command(entered):
            yield entered.strip()
            text = ""
            continue
        text += entered
        if ";" in entered:
            cut = split(text)
            yield from cut.statements
            text = cut.rest
    if not is_blank(text):
        yield text.strip()


def show_saved(source: QueryTarget, /, *, as_json: bool = False) -> None:
    """List the saved queries with title, parameters and origin."""
    queries = saved.listed(source.saved_places)
    if as_json:
        write_json(
            [
                {"name": q.name, "title": q.title, "parameters": [asdict(p) for p in q.parameters]}
                | {"from": q.origin, "path": str(q.path)}
                for q in queries
            ]
        )
    elif is_terminal(sys.stdout):
        for query in queries:
            line((query.name, "bold"), (f"  {query.origin}", "dim"))
            for text in filter(None, (query.title, *(p.explained for p in query.parameters))):
                line(text, indent=2)
    else:
        fields = (Field("Name", whole=True), Field("About"), Field("Parameters"), Field("From"))
        written = [(q, "; ".join(p.written for p in q.parameters)) for q in queries]
        table(fields, [(q.name, q.title, parameters, q.origin) for q, parameters in written])


def _show_list(rows: Sequence[tuple[str, str, str]]) -> None:
    """Write names, types and meanings as a list, because a table is too narrow for the meanings."""
    width = max((len(name) for name, *_ in rows), default=0) + 2
    for name, kind, about in rows:
        entry((f"{name:<{width}}", "bold"), (f"{kind}  ", "dim"), about)


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text, posix=os.name != "nt")
    except ValueError as error:
        raise UsageError(
            f"A quotation mark is not closed: {text}", hint="Close or remove it."
        ) from error
