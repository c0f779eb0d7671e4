"""How commands are listed and how their help reads."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup

_TYPE = re.compile(r" <(?:str|path|list\[str\])>$")


@dataclass(frozen=True, slots=True)
class Command:
    """A command.

    Attributes
    ----------
    function
        What does it; its signature tells the options.
    summary
        One line for the list of commands, short enough for 80 columns.
    example
        What follows the command's name in a line that works; may be empty.
    """

    name: str
    function: Callable[..., Any]
    summary: str
    example: str = ""


@dataclass(frozen=True, slots=True)
class Family:
    """Commands under a common first word.

    Attributes
    ----------
    summary
        One line for the list of commands.
    about
        How its own help begins.
    """

    name: str
    summary: str
    about: str
    commands: tuple[Command, ...]


Entry = Command | Family


class PlainCommand(TyperCommand):
    """A command whose help names arguments without braces and Python types."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the pieces of the usage line, arguments as ``NAME`` and ``PATH...``."""
        return [
            piece.replace("{", "").replace("}", "") for piece in super().collect_usage_pieces(ctx)
        ]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments and options."""
        records: dict[str, list[tuple[str, str]]] = {"argument": [], "option": []}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None:
                records[param.param_type_name].append((_TYPE.sub("", record[0]), record[1]))
        for kind, title in (("argument", "Arguments"), ("option", "Options")):
            if records[kind]:
                with formatter.section(title):
                    formatter.write_dl(records[kind])


class GroupedCommands(TyperGroup):
    """The commands of the program in the order of use, each group under its heading.

    Attributes
    ----------
    groups
        Names of commands by heading.
    """

    groups: ClassVar[Mapping[str, Sequence[str]]] = {}

    @classmethod
    def of(cls, groups: Mapping[str, Sequence[str]], /) -> type["GroupedCommands"]:
        """Return the class for these groups, as Typer makes its instances itself."""
        return type(cls.__name__, (cls,), {"groups": groups})

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands; each has a place in a group."""
        known = super().list_commands(ctx)
        return [name for names in self.groups.values() for name in names if name in known]

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands, each with its line, all lines beginning at one column."""
        lines: dict[str, str] = {}
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            if command is not None and not command.hidden:
                lines[name] = command.get_short_help_str(limit=formatter.width)
        widest = max(map(len, lines), default=0)
        for title, names in self.groups.items():
            rows = [(name.ljust(widest), lines[name]) for name in names if name in lines]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


def program(name: str, groups: Mapping[str, Iterable[Entry]], /) -> typer.Typer:
    """Return a program with these commands and families of them, by the headings of its help."""
    app = typer.Typer(
        name=name,
        cls=GroupedCommands.of({title: [e.name for e in group] for title, group in groups.items()}),
        add_completion=False,
        rich_markup_mode=None,  # plain help is 0.1 s faster and reads the same in a pipe
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )
    for group in groups.values():
        _fill(app, group, name)
    return app


def _fill(app: typer.Typer, entries: Iterable[Entry], first: str) -> None:
    """Add commands and families to *app*, which is reached by the words *first*."""
    for entry in entries:
        if isinstance(entry, Family):
            inner = typer.Typer(help=entry.about, no_args_is_help=True, rich_markup_mode=None)
            _fill(inner, entry.commands, f"{first} {entry.name}")
            app.add_typer(inner, name=entry.name, short_help=entry.summary)
        else:
            example = f"Example: {first} {entry.name} {entry.example}".rstrip()
            app.command(entry.name, cls=PlainCommand, short_help=entry.summary, epilog=example)(
                entry.function
            )
