"""How commands are listed and how their help reads."""

import re
from collections.abc import Callable
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

_TYPE = re.compile(r" <(?:str|path|list\[str\])>$")
GROUPS: dict[str, tuple[str, ...]] = {
    "Your documents": (
        "demo",
        "collection",
        "ingest",
        "sync",
        "watch",
        "documents",
        "document",
        "delete",
    ),
    "Find and read": ("search", "chunk", "read", "show", "similar", "query"),
    "The whole collection": (
        "summary",
        "report",
        "timeline",
        "topics",
        "clusters",
        "statistics",
    ),
    "Who, what, and how it hangs together": (
        "entities",
        "entity",
        "together",
        "graph",
        "references",
        "related",
        "compare",
        "changes",
    ),
    "With AI programs": ("setup", "serve"),
    "Keep it well": (
        "index-status",
        "reindex",
        "upkeep",
        "jobs",
        "snapshots",
        "export",
        "import",
        "doctor",
    ),
    "The program": (
        "models",
        "license",
        "update",
        "uninstall",
        "completion",
        "schema",
        "eval",
    ),
}
"""The commands in the order of use, by what they are for."""
_ORDER = tuple(name for names in GROUPS.values() for name in names)


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
    """The commands of the program in the order of use, under the headings of :data:`GROUPS`."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands, those without a place last."""
        names = super().list_commands(ctx)
        return sorted(names, key=lambda n: _ORDER.index(n) if n in _ORDER else len(_ORDER))

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands, each with its line, all lines beginning at one column."""
        lines: dict[str, str] = {}
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            if command is not None and not command.hidden:
                lines[name] = command.get_short_help_str(limit=formatter.width)
        rest = tuple(name for name in lines if name not in _ORDER)
        widest = max(map(len, lines), default=0)
        for title, names in (*GROUPS.items(), ("More", rest)):
            rows = [(name.ljust(widest), lines[name]) for name in names if name in lines]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


def new_app(about: str, /) -> typer.Typer:
    """Return a group of commands, described by *about*."""
    return typer.Typer(help=about, no_args_is_help=True, rich_markup_mode=None)


def add(
    app: typer.Typer, name: str, function: Callable[..., Any], /, *, summary: str, example: str
) -> None:
    """Add *function* to *app* as the command *name*.

    Parameters
    ----------
    summary
        One line for the list of commands, short enough for 80 columns.
    example
        A command line that works.
    """
    app.command(name, cls=PlainCommand, short_help=summary, epilog=f"Example: {example}")(function)
