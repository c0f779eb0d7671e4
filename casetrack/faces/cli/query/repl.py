r"""The dialogue: statements that a semicolon ends, and commands that a backslash begins."""

from __future__ import annotations

import os
import shlex
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from casetrack.api.sql import saved
from casetrack.api.sql.parameters import Parameter, pairs, values_for
from casetrack.base.errors import UsageError
from casetrack.base.sql.catalog import catalog
from casetrack.base.sql.statements import all_of, is_blank, split
from casetrack.faces.cli.output import Field, entry, is_terminal, line, table
from casetrack.faces.cli.query.formats import FORMATS, refuse_on_terminal
from casetrack.faces.cli.query.running import How, run, told
from casetrack.faces.cli.query.source import QueryTarget

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from casetrack.base.sql.catalog import Column, Function
    from casetrack.faces.cli.query.formats import Format

    _Act = Callable[[str], None]
    _Names = Callable[[], Iterable[str]]

_LEAVING = {"exit", "quit", "\\q"}
_GAP = 2
_HELPING = {"help", "?", ".help", "\\h", "\\?", "\\help"}
"""What people type who look for help, from whatever program they know."""


@dataclass(frozen=True, slots=True)
class Command:
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
    completions: Callable[[], Iterable[str]]


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
        functions = [f.name for f in catalog().functions]
        described = [v.name for v in catalog().views] + functions
        formats = f"how rows are written: {', '.join(FORMATS)}"
        of_file = "write the next rows to this file, as its ending says"
        of_functions = "functions, or the arguments of one"
        of_run = "NAME [name=value ...]"
        values = "give $name a value, or list the values"
        rows: tuple[tuple[str, str, str, _Act, _Names], ...] = (
            ("\\d", "[NAME]", "views, or the columns of one", self._describe, lambda: described),
            ("\\f", "[NAME]", of_functions, self._functions, lambda: functions),
            ("\\format", "NAME", formats, self._format, lambda: FORMATS),
            ("\\o", "FILE", of_file, self._output, tuple),
            ("\\saved", "", "list the saved queries", lambda _: show_saved(self.source), tuple),
            ("\\run", of_run, "run a saved query", self._run_saved, self._saved_names),
            ("\\set", "[name=value]", values, self._set, tuple),
            ("\\timing", "", "tell or no longer tell rows and time", self._timing, tuple),
            ("\\use", "NAME", "ask another collection", self._use, self._collections),
            ("\\help", "", "this list", lambda _: self._help(), tuple),
            ("\\q", "", "leave, as Ctrl-D does", lambda _: None, tuple),
        )
        self.commands = {row[0]: Command(*row) for row in rows}

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
        stripped = text.strip()
        if _word(text) in _HELPING:
            self._help()
            return
        if not stripped.startswith("\\"):
            for statement in all_of(text):
                self._statement(statement, self.given)
            return
        name, _, argument = stripped.partition(" ")
        command = self.commands.get(name.rstrip(";"))
        if command is None:
            raise UsageError(f"There is no command {name}.", hint="See them all with \\help")
        command.act(argument.strip().rstrip(";").rstrip())

    def _statement(
        self, sql: str, given: dict[str, str], declared: tuple[Parameter, ...] = ()
    ) -> None:
        values = values_for(sql, given, declared, way="\\set {name}=VALUE")
        how = self.how
        if self._next_file is not None:
            how = replace(how, output=self._next_file, wanted=None)
        self.run(self.source, sql, values, how)
        self._next_file = None

    # --- commands --------------------------------------------------------------------------------

    def _describe(self, name: str) -> None:
        if not name:
            table(
                (Field("View", whole=True), Field("About")),
                [(view.name, view.about) for view in catalog().views],
            )
            line(("\\d NAME shows the columns; \\f lists the functions.", "dim"), err=True)
            return
        described = catalog().view(name.strip('"')) or catalog().function(name)
        if described is None:
            names = ", ".join(view.name for view in catalog().views)
            raise UsageError(f"There is no view {name!r}.", hint=f"Views: {names}.")
        line(described.about)
        _show_columns(described.columns)

    def _functions(self, name: str) -> None:
        if not name:
            table(
                (Field("Function"), Field("About")),
                [(f.signature, f.about) for f in catalog().functions],
            )
            return
        function = catalog().function(name.rstrip("()"))
        if function is None:
            names = ", ".join(f.name for f in catalog().functions)
            raise UsageError(f"There is no function {name!r}.", hint=f"Functions: {names}.")
        _show_function(function)

    def _format(self, name: str) -> None:
        if name not in FORMATS:
            raise UsageError(f"Not a format: {name!r}.", hint=f"Formats: {', '.join(FORMATS)}.")
        wanted: Format = name
        refuse_on_terminal(wanted)
        self.how.wanted = wanted

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
        self.given |= pairs(_words(argument)) if argument else {}
        if not argument:
            for name, value in self.given.items():
                line(f"${name} = {value}")

    def _timing(self, _: str) -> None:
        self.how.counting = not self.how.counting
        line(f"Rows and time are {'' if self.how.counting else 'not '}told.", err=True)

    def _use(self, name: str) -> None:
        if not name:
            raise UsageError("Say which collection.", hint="For instance: \\use Acme")
        self.source = QueryTarget(self.source.state, (name.strip("\"'"),))
        line(f"Asking {self.source.title}.", err=True)

    def _help(self) -> None:
        table(
            (Field("Command", whole=True), Field("What it does")),
            [(f"{c.name} {c.argument}".strip(), c.about) for c in self.commands.values()],
        )
        line(
            "A statement ends with ; and may have many lines. Ctrl-C cancels, Ctrl-D leaves, "
            "Tab completes."
        )


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


def show_saved(source: QueryTarget, /) -> None:
    """List the saved queries with title, parameters and where they come from."""
    queries = saved.listed(source.saved_places)
    if is_terminal(sys.stdout):
        for query in queries:
            line((query.name, "bold"), (f"  {query.origin}", "dim"))
            for text in filter(None, (query.title, *(p.explained for p in query.parameters))):
                line(text, indent=2)
        return
    rows = [
        (q.name, q.title, "; ".join(p.written for p in q.parameters), q.origin) for q in queries
    ]
    table((Field("Name", whole=True), Field("About"), Field("Parameters"), Field("From")), rows)


def _show_columns(columns: Iterable[Column]) -> None:
    rows = [(c.name, c.type, c.unit, c.about) for c in columns]
    _show_described(rows, ("Column", "Unit"), " ({})")


def _show_function(function: Function) -> None:
    line((function.signature, "bold"))
    line(function.about)
    rows = [(p.name, p.type, p.default or "", p.about) for p in function.parameters]
    _show_described(rows, ("Argument", "Default"), ", default {}")
    line()
    _show_columns(function.columns)
    line(f"Example: {function.example};")


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
