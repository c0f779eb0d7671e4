"""Output for people and for programs: lines, tables, JSON.

On a terminal, rich styles and wraps text. Other output is plain and never wrapped or cut, so that
it can be searched and parsed. Characters that control the terminal or change the order of a line
become visible ones; in JSON they are escapes, so that every text is complete.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import json
import os
import re
import sys
from typing import TYPE_CHECKING, Any, Literal, TextIO

from casetrack.base.dataclass import dataclass
from casetrack.base.errors import StorageError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime

    from rich.console import Console
    from rich.table import Table


Part = str | tuple[str, str]
"""Text, or text with the name of a rich style."""

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters, and those that change the text direction (Unicode's ``Bidi_Control``)."""
_MARKS = re.compile("[\u061c\u200e\u200f]")
"""Invisible bidi controls, which are frequent in right-to-left texts."""
_ESCAPED = re.compile(f"{_MARKS.pattern}|{_CONTROL.pattern}")
_CELL_LIMIT = 300
_PAD_LIMIT = 4000
"""Widest cell to which other rows are aligned."""
_NOTHING: tuple[Any, ...] = (None, "", ())


def prepare_streams() -> None:
    """Make sure that no character can crash an output stream, whatever its encoding."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")


def is_terminal(stream: TextIO | None, /) -> bool:
    """Return whether *stream* is a terminal that understands styles."""
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"


def clean(text: str, /) -> str:
    """Return *text* in a form that is safe for a terminal.

    Carriage returns and direction marks are removed; other control characters, and those that
    change the text direction, become visible.

    Examples
    --------
    >>> clean("invoice\u202efdp.exe")
    'invoice\ufffdfdp.exe'
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROL.sub("\ufffd", _MARKS.sub("", text))


def one_line(text: str, /) -> str:
    """Return *text* on one line, with runs of white space as one space."""
    return clean(" ".join(text.split()))


def line(*parts: Part, err: bool = False, indent: int = 0) -> None:
    """Write one line (or a paragraph) of *parts* to standard output or standard error."""
    stream = sys.stderr if err else sys.stdout
    pieces = [(clean(p), "") if isinstance(p, str) else (clean(p[0]), p[1]) for p in parts]
    if not is_terminal(stream):
        text = "".join(p for p, _ in pieces)
        pad = " " * indent
        _write("".join(f"{pad}{row}".rstrip() + "\n" for row in text.split("\n")), stream)
        return
    from rich.padding import Padding
    from rich.text import Text

    text_object = Text.assemble(*pieces)
    _console(err).print(
        Padding(text_object, (0, 0, 0, indent), expand=False) if indent else text_object
    )


def entry(label: tuple[str, str], *parts: Part, indent: int = 0) -> None:
    """Write a line with a styled label; on a terminal its text wraps next to the label."""
    if not is_terminal(sys.stdout):
        line(label, *parts, indent=indent)
        return
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid()
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    pieces = [(clean(p), "") if isinstance(p, str) else (clean(p[0]), p[1]) for p in parts]
    grid.add_row(Text(*label), Text.assemble(*pieces))
    _console(False).print(Padding(grid, (0, 0, 0, indent), expand=False))


def confirmed(deed: str, question: Callable[[], str], /) -> bool:
    """Ask the user at the terminal for a confirmation."""
    import typer

    if sys.stdin is None or not sys.stdin.isatty():
        raise UsageError(
            f"{deed} requires a confirmation.", hint="Add --yes to confirm it on the command line."
        )
    return typer.confirm(clean(question()))


def write_json(value: Any, /) -> None:
    """Write *value* as JSON to standard output."""
    _write(json_text(value, ascii_only=needs_ascii(), default=str) + "\n", sys.stdout)


def needs_ascii() -> bool:
    """Return whether standard output lacks letters, which it would turn into question marks."""
    encoding = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().replace("-", "")
    return encoding != "utf8"


def json_text(
    value: Any,
    /,
    *,
    ascii_only: bool = False,
    indent: int | None = 2,
    default: Callable[[Any], Any] | None = None,
) -> str:
    """Return *value* as JSON, with escapes for the characters that :func:`clean` replaces.

    *ascii_only* escapes every letter beyond ASCII; *indent* and *default* are those of
    :func:`json.dumps`.
    """
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only, default=default)
    return _ESCAPED.sub(lambda m: f"\\u{ord(m[0]):04x}", text)


def write_text(text: str, /) -> None:
    """Write *text* unchanged to standard output."""
    _write(text, sys.stdout)


def flush() -> None:
    """Flush standard output."""
    with _output_errors():
        sys.stdout.flush()


@contextlib.contextmanager
def _output_errors() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise StorageError(
            f"Cannot write the output: {error.strerror or error}.",
            hint="If it is a file, free some space or choose another place.",
        ) from error


def _write(text: str, stream: TextIO) -> None:
    with _output_errors():
        stream.write(text)


@functools.cache
def _console(err: bool) -> Console:
    from rich.console import Console

    return Console(stderr=err, markup=False, emoji=False, highlight=False)


# --- tables --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Field:
    """A column of a printed table.

    Attributes
    ----------
    whole
        The column keeps its full width on a terminal; others wrap.
    extra
        A terminal that is too narrow for all columns omits this one.
    """

    title: str
    align: Literal["left", "right"] = "left"
    whole: bool = False
    extra: bool = False


def table(fields: Sequence[Field], rows: Iterable[Sequence[Any]], /) -> None:
    """Write a table: with rules on a terminal, as aligned plain text elsewhere.

    Plain cells are complete. A terminal cuts cells of more than 300 characters, and a last line
    reports that.
    """
    texts = [[cell_text(value) for value in row] for row in rows]
    if is_terminal(sys.stdout):
        _rich_table(fields, texts)
    else:
        _write("".join(row + "\n" for row in plain_table(fields, lambda: texts)), sys.stdout)


def plain_table(
    fields: Sequence[Field], rows: Callable[[], Iterable[Sequence[str]]], /
) -> Iterator[str]:
    """Yield the lines of a plain table with aligned columns; *rows* is called twice."""
    from rich.cells import cell_len

    titles = [f.title for f in fields]
    # Wide letters, such as Chinese ones, take two columns each.
    widths = [cell_len(title) for title in titles]
    for row in rows():
        widths = [max(w, cell_len(one_line(cell))) for w, cell in zip(widths, row, strict=True)]
    for row in itertools.chain([titles], rows()):
        cells = []
        for text, width, f in zip(map(one_line, row), widths, fields, strict=True):
            gap = " " * (min(width, _PAD_LIMIT) - cell_len(text))
            cells.append(gap + text if f.align == "right" else text + gap)
        yield "  ".join(cells).rstrip()


def _fitting(fields: Sequence[Field], rows: Sequence[Sequence[str]], width: int) -> list[int]:
    """Return the positions of the columns to show: all, or without the extra ones at the end."""
    natural = [max(len(f.title), *(len(row[i]) for row in rows), 0) for i, f in enumerate(fields)]
    shown = list(range(len(fields)))
    for i in reversed(shown):
        if sum(natural[j] + 2 for j in shown) - 2 <= width:
            break
        if fields[i].extra:
            shown.remove(i)
    return shown


def ruled() -> Table:
    """Return an empty table for terminals: one rule below the titles of its columns."""
    from rich import box
    from rich.table import Table

    padding = (0, 1, 0, 0)
    head = "bold"
    return Table(
        box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=padding, header_style=head
    )


def _rich_table(fields: Sequence[Field], rows: Sequence[Sequence[str]]) -> None:
    from rich.text import Text

    shown = _fitting(fields, rows, _console(False).width)
    fields = [fields[i] for i in shown]
    rows = [[row[i] for i in shown] for row in rows]
    grid = ruled()
    for f in fields:
        grid.add_column(
            Text(f.title), justify=f.align, no_wrap=f.whole or f.align == "right", overflow="fold"
        )
    cut = False
    for row in rows:
        cells = [clean(cell) for cell in row]
        cut = cut or any(len(cell) > _CELL_LIMIT for cell in cells)
        grid.add_row(
            *(Text(c if len(c) <= _CELL_LIMIT else c[:_CELL_LIMIT] + "\u2026") for c in cells)
        )
    _console(False).print(grid)
    if cut:
        line((f"Cells are cut at {_CELL_LIMIT} characters; JSON and CSV are complete.", "dim"))


def facts(pairs: Iterable[tuple[str, Any]], /) -> None:
    """Write names and values on one line each; pairs without a value are left out."""
    shown = [(name, clean(cell_text(value))) for name, value in pairs if value not in _NOTHING]
    if is_terminal(sys.stdout):
        _rich_facts(shown)
        return
    width = max((len(name) for name, _ in shown), default=0) + 2
    for name, value in shown:
        first, *others = value.split("\n")
        line(f"{name:<{width}}{first}")
        for other in others:
            line(f"{'':<{width}}{other}")


def _rich_facts(shown: Sequence[tuple[str, str]]) -> None:
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True, style="bold")
    grid.add_column(overflow="fold")
    for name, value in shown:
        grid.add_row(Text(name), Text(value))
    _console(False).print(grid)


def cell_text(value: Any, /) -> str:
    """Return a value as text for people: local times, grouped lists, empty for ``None``."""
    from datetime import datetime as moment_type

    if value is None:
        return ""
    if isinstance(value, moment_type):
        return local_time(value)
    if isinstance(value, (list, tuple)):
        return ", ".join(cell_text(v) for v in value)
    return str(value)


def local_time(moment: datetime, /) -> str:
    """Return a moment in the reader's time zone, to the minute."""
    local = moment.astimezone() if moment.tzinfo is not None else moment
    return local.strftime("%Y-%m-%d %H:%M")


def byte_text(count: int, /) -> str:
    """Return a number of bytes for display, such as ``4.2 MB``."""
    from casetrack.base.records.cards import size_text

    return size_text(count)


def counted(count: int, one: str, many: str | None = None, /) -> str:
    """Return a count with its noun: ``1 page``, ``1,051 chunks``."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
