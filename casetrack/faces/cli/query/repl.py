r"""The dialogue: statements that a semicolon ends, and commands that a backslash begins."""

from __future__ import annotations

import os
import shlex
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from casetrack.api.sql import saved
from casetrack.api.sql.parameters import Parameter, pairs, values_for
from casetrack.base.errors import UsageError
from casetrack.base.sql.catalog import catalog
from casetrack.base.sql.statements import all_of, is_blank, split
from casetrack.faces.cli.output import Field, entry, is_terminal, line, table, write_json
from casetrack.faces.cli.query.formats import FORMATS, refuse_on_terminal
from casetrack.faces.cli.query.running import How, run, told
from casetrack.faces.cli.query.source import QueryTarget

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from casetrack.base.sql.catalog import Column, Function, View

_LEAVING = {"exit", "quit", "\\q"}
_GAP = 2
_HELPING = {"help", "?", ".help", "\\h", "\\?", "\\help"}
"""What people type who look for help, from whatever program they know."""


class Command(NamedTuple):
    """A command of the dialogue.

    Attributes
    ----------
    argument
        As help writes it.
    act
        What it does with its argument, which may be empty.
    completions
        What its argument can be.
    """

    name: str
    argument: str
    about: str
    act: Callable[[str], None]
    completions: Callable[[], Iterable[str]] = tuple


class Shell:
    r"""Runs what is entered, one piece after the other.

    Parameters
    ----------
    source
        What statements are asked of.
    how
        How rows are written.
    given
        Values of parameters as typed, by name.

    Attributes
    ----------
    run
        Runs a statement and writes its rows.
    """

    def __init__(self, source: QueryTarget, how: How, given: dict[str, str], /) -> None:
        self.source = source
        self.how = how
        self.given = given
        self.run: Callable[[QueryTarget, str, Mapping[str, Any], How], None] = run
        self._next_file: Path | None = None
        known = catalog()
        functions = [function.name for function in known.functions]
        names = [view.name for view in known.views] + functions
        formats = f"how rows are written: {', '.join(FORMATS)}"
        of_file = "write the next rows to this file, as its ending says"
        of_functions, of_run = "functions, or the arguments of one", "NAME [name=value ...]"
        of_values = "give $name a value, or list the values"
        rows = (
            Command("\\d", "[NAME]", "views, or the columns of one", self._describe, lambda: names),
            Command("\\f", "[NAME]", of_functions, self._functions, lambda: functions),
            Command("\\format", "NAME", formats, self._format, lambda: FORMATS),
            Command("\\o", "FILE", of_file, self._output),
            Command("\\saved", "", "list the saved queries", lambda _: show_saved(self.source)),
            Command("\\run", of_run, "run a saved query", self._run_saved, self._saved_names),
            Command("\\set", "[name=value]", of_values, self._set),
            Command("\\timing", "", "tell or no longer tell rows and time", self._timing),
            Command("\\use", "NAME", "ask another collection", self._use, self._collections),
            Command("\\help", "", "this list", self._help),
            Command("\\q", "", "leave, as Ctrl-D does", lambda _: None),
        )
        self.commands = {command.name: command for command in rows}

    def _collections(self) -> list[str]:
        return [found.name for found in self.source.state.library.collections(status="all")]

    def _saved_names(self) -> list[str]:
        return [query.name for query in saved.listed(self.source.saved_places)]

    def enter(self, text: str, /) -> bool:
        """Run what was entered and tell errors; return whether to go on."""
        if _word(text) in _LEAVING:
            return False
        told(lambda: self.execute(text))
        return True

    def execute(self, text: str, /) -> None:
        """Run a command, or the statements of a text.

        Raises
        ------
        CaseTrackError
            The first of them that failed.
        """
        if not is_command(text):
            for statement in all_of(text):
                self._statement(statement, self.given)
            return
        name, _, argument = text.strip().partition(" ")
        command = self.commands.get("\\help" if _word(text) in _HELPING else name.rstrip(";"))
        if command is None:
            raise UsageError(f"There is no command {name}.", hint="See them all with \\help")
        command.act(argument.strip().rstrip(";").rstrip())

    def _statement(
        self, sql: str, given: dict[str, str], declared: tuple[Parameter, ...] = ()
    ) -> None:
        values = values_for(sql, given, declared, way="\\set {name}=VALUE")
        next_file = self._next_file
        how = replace(self.how, output=next_file, wanted=None) if next_file else self.how
        self.run(self.source, sql, values, how)
        self._next_file = None

    # --- commands --------------------------------------------------------------------------------

    def _describe(self, name: str) -> None:
        known = catalog()
        if not name:
            fields = (Field("View", whole=True), Field("About"))
            table(fields, [(view.name, view.about) for view in known.views])
            line(("\\d NAME shows the columns; \\f lists the functions.", "dim"), err=True)
            return
        described = known.view(name.strip('"')) or known.function(name)
        if described is None:
            raise _unknown("view", name, known.views)
        line(described.about)
        _show_columns(described.columns)

    def _functions(self, name: str) -> None:
        known = catalog().functions
        if not name:
            table((Field("Function"), Field("About")), [(f.signature, f.about) for f in known])
            return
        function = catalog().function(name.rstrip("()"))
        if function is None:
            raise _unknown("function", name, known)
        line((function.signature, "bold"))
        line(function.about)
        rows = [(p.name, p.type, p.default or "", p.about) for p in function.parameters]
        _show_described(rows, ("Argument", "Default"), ", default {}")
        line()
        _show_columns(function.columns)
        line(f"Example: {function.example};")

    def _format(self, name: str) -> None:
        if name not in FORMATS:
            raise UsageError(f"Not a format: {name!r}.", hint=f"Formats: {', '.join(FORMATS)}.")
        refuse_on_terminal(name)
        self.how.wanted = name

    def _output(self, name: str) -> None:
        if not name:
            self._next_file = None
            line("Rows go to the screen.", err=True)
            return
        path = Path(_words(name)[0]).expanduser()
        How(output=path).format  # noqa: B018 - refuses an ending that says nothing
        self._next_file = path
        line(f"The next rows go to {path}.", err=True)

    def _run_saved(self, argument: str) -> None:
        words = _words(argument)
        if not words:
            raise UsageError("Say which saved query.", hint="\\saved lists them.")
        query = saved.find(words[0], self.source.saved_places)
        given = self.given | pairs(words[1:])
        for statement in all_of(query.sql):
            self._statement(statement, given, query.parameters)

    def _set(self, argument: str) -> None:
        self.given |= pairs(_words(argument))
        for name, value in () if argument else self.given.items():
            line(f"${name} = {value}")

    def _timing(self, _: str) -> None:
        self.how.counting = not self.how.counting
        line(f"Rows and time are {'' if self.how.counting else 'not '}told.", err=True)

    def _use(self, name: str) -> None:
        if not name:
            raise UsageError("Say which collection.", hint="For instance: \\use Acme")
        self.source = QueryTarget(self.source.state, (name.strip("\"'"),))
        line(f"Asking {self.source.title}.", err=True)

    def _help(self, _: str) -> None:
        rows = [(f"{c.name} {c.argument}".strip(), c.about) for c in self.commands.values()]
        table((Field("Command", whole=True), Field("What it does")), rows)
        line(
            "A statement ends with ; and may have many lines. Ctrl-C cancels, Ctrl-D leaves, "
            "Tab completes."
        )


def _unknown(kind: str, name: str, known: Iterable[View | Function]) -> UsageError:
    names = ", ".join(each.name for each in known)
    return UsageError(f"There is no {kind} {name!r}.", hint=f"{kind.capitalize()}s: {names}.")


def is_command(text: str, /) -> bool:
    """Return whether a text is a command, or one of the words that leave or ask for help."""
    return text.lstrip().startswith("\\") or _word(text) in _LEAVING | _HELPING


def _word(text: str) -> str:
    return text.strip().rstrip(";").rstrip().lower()


def pieces(lines: Iterable[str], /) -> Iterator[str]:
    """Cut lines of input into statements and commands, each as soon as it is whole."""
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


def run_lines(shell: Shell, lines: Iterable[str], /) -> int:
    """Run statements and commands one after the other; return how many.

    Raises
    ------
    CaseTrackError
        The first that failed; what comes after it is not run.
    """
    count = 0
    for piece in pieces(lines):
        count += 1
        if _word(piece) in _LEAVING:
            break
        shell.execute(piece)
    return count


def show_saved(source: QueryTarget, /, *, as_json: bool = False) -> None:
    """List the saved queries with title, parameters and where they come from."""
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


def _show_columns(columns: Iterable[Column]) -> None:
    rows = [(c.name, c.type, c.unit, c.about) for c in columns]
    _show_described(rows, ("Column", "Unit"), " ({})")


def _show_described(
    rows: Sequence[tuple[str, str, str, str]], titles: tuple[str, str], beside: str
) -> None:
    """Write name, type, one fact more and meaning: as a table, and on a terminal as a list.

    Parameters
    ----------
    rows
        What is described.
    titles
        Of the names, and of the fact.
    beside
        How a list writes the fact after the type.
    """
    if is_terminal(sys.stdout):
        width = max((len(name) for name, *_ in rows), default=0) + _GAP
        for name, kind, fact, about in rows:
            more = beside.format(fact) if fact else ""
            entry((f"{name:<{width}}", "bold"), (f"{kind}{more}  ", "dim"), about)
        return
    first, third = titles
    table((Field(first, whole=True), Field("Type"), Field(third), Field("Meaning")), rows)


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text, posix=os.name != "nt")
    except ValueError as error:
        raise UsageError(
            f"A quotation mark is not closed: {text}", hint="Close it, or leave it out."
        ) from error
