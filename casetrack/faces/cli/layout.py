"""How commands are listed and how their help reads."""

import importlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Literal, get_args, get_origin

import typer
from typer.core import TyperCommand, TyperGroup

from casetrack.api.operation import OF_EDITIONS, meanings, summary_of
from casetrack.base.dataclass import dataclass

_TYPE = re.compile(r" <(?:str|path|list\[str\])>$")


@dataclass(frozen=True, slots=True)
class Command:
    """A command.

    Attributes
    ----------
    function
        ``.MODULE:NAME`` in this package or ``PACKAGE.MODULE:NAME``; imported on first use. Its
        signature defines the options. Empty for the default command of an operation.
    summary
        One line for the list of commands, short enough for 80 columns.
    example
        Valid arguments of an example; may be empty.
    """

    name: str
    function: str
    summary: str
    example: str = ""

    def loaded(self, family: str = "") -> Any:
        """Return the function; *family* is the word before its name."""
        made: Any = f"{family} {self.name}".strip()
        if self.function:
            module, _, name = self.function.partition(":")
            run = getattr(importlib.import_module(module, __package__), name)
            if (made := OF_EDITIONS.get(run)) is None:
                return run
        from casetrack.faces.cli.asking import command_of

        return command_of(made)


@dataclass(frozen=True, slots=True)
class Family:
    """Commands with a common first word; *about* is the first line of its help."""

    name: str
    summary: str
    about: str
    commands: "tuple[Entry, ...]"


Entry = Command | Family


def entries_in(tables: Mapping[str, Any], /) -> tuple[Entry, ...]:
    """Return the commands in tables of a TOML file, in their order.

    A table has the attributes of a command, or those of a family and the tables ``commands``.
    """
    return tuple(
        Family(name, table["summary"], table["about"], entries_in(table["commands"]))
        if "commands" in table
        else Command(name, **table)
        for name, table in tables.items()
    )


class PlainCommand(TyperCommand):
    """A command whose help names arguments without braces and Python types."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the arguments and options, that of the help among them."""
        return _quick(super().get_params(ctx))

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


def _quick(params: list[Any], /) -> list[Any]:
    """Let parameters accept values without conversion; return them.

    Typer loads pydantic to convert a value, which takes a sixth of the time of a search.
    """
    for param in params:
        if not isinstance(param.process_value, partial):
            param.process_value = partial(_value_of, param, param.process_value)
    return params


def _value_of(param: Any, converted: Callable[[Any, Any], Any], ctx: Any, value: Any) -> Any:
    """Return the converted value; texts, defaults and ``None`` need no conversion."""
    kind = param.type_descriptor.annotation
    is_many = param.multiple or param.nargs == -1
    texts = value if is_many and kind == list[str] else [value] if kind is str else [None]
    taken: Any
    if value is None:
        taken = () if is_many else None
    elif param.type_descriptor.parameter_info.parser is None and all(map(_is_text, texts)):
        taken = list(value) if is_many else value
    elif not is_many and _is_default(param, ctx) and (type(value) is kind or _chosen(kind, value)):
        taken = value
    else:
        return converted(ctx, value)
    if param.required and param.value_is_missing(taken):
        return converted(ctx, value)
    return taken if param.callback is None else param.callback(ctx, param, taken)


def _is_default(param: Any, ctx: Any) -> bool:
    return getattr(ctx.get_parameter_source(param.name), "name", "") == "DEFAULT"


def _chosen(kind: Any, value: object) -> bool:
    """Return whether a value is one of the allowed texts of a parameter."""
    return get_origin(kind) is Literal and value in get_args(kind)


def _is_text(value: object) -> bool:
    """Return whether a value is valid UTF-8 text; Typer refuses other text."""
    try:
        return isinstance(value, str) and value.encode() is not None
    except UnicodeEncodeError:
        return False


class _Commands(Mapping[str, Any]):
    """Commands by name, each built of its function when it is first wanted."""

    def __init__(self, entries: Iterable[Entry], first: str) -> None:
        self._entries = {entry.name: entry for entry in entries}
        self._first = first
        self._built: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._built:
            alone = typer.Typer(rich_markup_mode=None, callback=lambda: None)
            _fill(alone, [self._entries[name]], self._first)
            self._built[name] = typer.main.get_group(alone).commands[name]
        return self._built[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


class PlainGroup(TyperGroup):
    """A family of commands, or all of them."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the options, that of the help among them."""
        return _quick(super().get_params(ctx))


class GroupedCommands(PlainGroup):
    """The commands of a program in the order of use, in *groups* by heading."""

    groups: ClassVar[Mapping[str, Sequence[Entry]]] = {}
    first: ClassVar[str] = ""

    def __init__(self, **attributes: Any) -> None:
        entries = [entry for group in self.groups.values() for entry in group]
        super().__init__(**attributes | {"commands": _Commands(entries, self.first)})

    @classmethod
    def of(cls, groups: Mapping[str, Sequence[Entry]], first: str, /) -> type["GroupedCommands"]:
        """Return the class for these groups, because Typer creates its instances itself."""
        return type(cls.__name__, (cls,), {"groups": groups, "first": first})

    def format_commands(self, _ctx: Any, formatter: Any) -> None:
        """Write the commands, each with its line, all lines beginning at one column."""
        widest = max(map(len, self.commands), default=0)
        for title, entries in self.groups.items():
            with formatter.section(title):
                formatter.write_dl([(e.name.ljust(widest), e.summary) for e in entries])


def program(name: str, groups: Mapping[str, Sequence[Entry]], /) -> typer.Typer:
    """Return a program with these commands and families of them, by the headings of its help."""
    return typer.Typer(
        name=name,
        cls=GroupedCommands.of(groups, name),
        add_completion=False,
        rich_markup_mode=None,  # plain help is 0.1 s faster and reads the same in a pipe
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )


def _fill(app: typer.Typer, entries: Iterable[Entry], first: str) -> None:
    """Add commands and families to *app*, with the preceding words *first*."""
    for entry in entries:
        if isinstance(entry, Family):
            inner = typer.Typer(
                cls=PlainGroup, help=entry.about, no_args_is_help=True, rich_markup_mode=None
            )
            _fill(inner, entry.commands, f"{first} {entry.name}")
            app.add_typer(inner, name=entry.name, short_help=entry.summary)
        else:
            example = f"Example: {first} {entry.name} {entry.example}".rstrip()
            run = entry.loaded(first.partition(" ")[2])
            about, help_ = entry.summary, summary_of(run)
            app.command(entry.name, cls=PlainCommand, help=help_, short_help=about, epilog=example)(
                _explained(run)
            )


def _explained(run: Any) -> Any:
    """Return a command whose options have the help of its docstring if they have no other."""
    texts = meanings(run)
    for name, kind in run.__annotations__.items():
        for info in get_args(kind)[1:]:
            info.help = info.help or texts.get(name)
    return run
