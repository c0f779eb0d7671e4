"""Text of records: lines of styled parts.

A record without a function in this folder gets a text derived from its declaration: the columns
of a notebook, and its quotes with their sources.
"""

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import singledispatch
from typing import Any

from casetrack.api.operation import Operation
from casetrack.base.dataclass import dataclass, fields, is_dataclass, replace
from casetrack.base.records.cards import Card
from casetrack.base.records.layouts import layout_of
from casetrack.base.records.passages import Quote
from casetrack.base.records.table import Tabular, cell

Part = str | tuple[str, str]
"""Text, or text with a style.

Styles: ``title``, ``strong``, ``less`` (important), ``source``, ``own`` (by the user),
``warning``, ``wrong``; ``said`` and ``words`` (text of a document and its matching part);
``removed`` and ``added`` text; the id of a ``chunk`` or ``document``; and, left out of concise
answers, ``extra`` text and ``time`` (ISO 8601).
"""
_CELL = 300


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a text.

    *label* is a prefix such as a number, after *indent* columns; continued rows are aligned after
    it. A *block* is text of a document whose line breaks are kept.
    """

    parts: tuple[Part, ...]
    indent: int = 0
    label: str = ""
    block: bool = False


Lines = list[Line]


def line(*parts: Part, indent: int = 0, label: str = "") -> Line:
    """Return a line of these parts."""
    return Line(parts, indent, label)


GAP = Line((("", "extra"),))
"""An empty line, which concise answers leave out."""


def table(rows: Iterable[tuple[Any, ...]], /) -> Lines:
    """Return rows of a name and parts; a row without text is left out."""
    every = [(str(name), [part for part in parts if part]) for name, *parts in rows]
    width = max(len(name) for name, _ in every) + 2
    return [
        line(*parts, indent=2, label=f"{name + ':':<{width}}")
        for name, parts in every
        if any(part[0] if isinstance(part, tuple) else part for part in parts)
    ]


def phrase(text: str | None, /) -> tuple[Part, ...]:
    """Return a few words of a document in quotation marks; nothing without any."""
    return ('"', (flat(text), "said"), '"') if text else ()


def span(start: int | str | None, end: int | str | None, /) -> str:
    """Return ``8-9``, or ``8`` where both are the same."""
    return str(start) if start == end else f"{start}-{end}"


def inside(lines: Iterable[Line], columns: int, /) -> Lines:
    """Return indented lines."""
    return [replace(each, indent=each.indent + columns) for each in lines]


def numbered(number: int, lines: Lines, label: str = "", /) -> Lines:
    """Return lines after a number or *label*, unless the first has a label already."""
    if not lines or lines[0].label:
        return lines
    label = label or f"{number}. "
    first = replace(lines[0], label=label)
    return [first, *inside(lines[1:], len(label))]


def flat(text: str, /) -> str:
    """Return a text on one line, with white space at each end reduced to one space."""
    lead = " " if text[:1].isspace() else ""
    trail = " " if text[-1:].isspace() and text.strip() else ""
    return f"{lead}{' '.join(text.split())}{trail}"


def counted(count: int, one: str, many: str | None = None, /) -> str:
    """Return a count with its noun: ``1 page``, ``1,051 chunks``."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def moment(at: datetime, /) -> str:
    """Return a moment in the reader's time zone, to the minute."""
    return f"{at.astimezone():%Y-%m-%d %H:%M}"


def facts(values: Mapping[str, object], /, indent: int = 2) -> Lines:
    """Return names and values, one per line; empty values are left out."""
    shown = {name: value for name, value in values.items() if value not in {None, ""}}
    width = max(map(len, shown), default=0) + 2
    return [
        line((f"{f'{name}:':<{width}}", "less"), cell(value, _CELL), indent=indent)
        for name, value in shown.items()
    ]


def spread(mentions: int, documents: int, noun: str = "mention", /) -> str:
    """Return counts of mentions and documents: ``892 mentions in 45 documents``."""
    return f"{counted(mentions, noun)} in {counted(documents, 'document')}"


def listed(names: Sequence[str], most: int, /) -> tuple[tuple[str, str], ...]:
    """Return the first names, and the number of the others."""
    rest = len(names) - most
    others = ((f", {rest:,} more", "less"),) if rest > 0 else ()
    return (", ".join(map(flat, names[:most])), "own"), *others


def quote(item: Quote | None, /, *, note: str = "") -> Lines:
    """Return a place: source and id, snippet with the quote marked, warnings, and a *note*."""
    if item is None:
        return []
    start, end = item.snippet_start, item.snippet_start + len(item.text)
    parts = (item.snippet[:start], item.snippet[start:end], item.snippet[end:])
    before, words, after = map(flat, parts)
    cut_before, cut_after = item.cut_ends
    return [
        line(
            (item.citation, "source"),
            *([(" | ", "less"), (flat(note), "less")] if note else []),
            (" | chunk ", "less"),
            (item.chunk_id, "chunk"),
        ),
        line(
            '"' + ("\u2026 " if cut_before else ""),
            (before.lstrip(), "said"),
            (words if after.strip() else words.rstrip(), "words"),
            (after.rstrip(), "said"),
            (" \u2026" if cut_after else "") + '"',
        ),
        *(line((warning, "warning")) for warning in item.provenance.warnings),
    ]


@singledispatch
def lines_of(record: Any, /) -> Lines:
    """Return the text of a record: an entry of an answer."""
    layout = layout_of(type(record))
    row = layout.row(record)
    quotes = [each for each in _members(record) if isinstance(each, Quote)]
    quoted = {"snippet", "citation", "text"} if quotes else set()
    shown = [n for n in layout.shown or tuple(row) if n not in quoted and row.get(n) is not None]
    texts = [cell(row[n], _CELL) for n in shown]
    first, *others = texts or [type(record).__name__]
    labelled = [f"{n.replace('_', ' ')} {t}" for n, t in zip(shown[1:], others, strict=False) if t]
    head = line((first, "strong"), *([(f"  {', '.join(labelled)}", "less")] if labelled else []))
    return [head, *(each for q in quotes for each in inside(quote(q), 2))]


def entry_of(record: Any, /) -> Lines:
    """Return the text of an entry, with the fields that its declaration shows in every text."""
    lines = lines_of(record)
    layout = layout_of(type(record))
    if not layout.headings or not lines:
        return lines
    row = layout.row(record)
    shown = ", ".join(f"{title}: {cell(row[n], _CELL)}" for n, title in layout.headings.items())
    return [replace(lines[0], parts=(*lines[0].parts, (f"  {shown}", "less"))), *lines[1:]]


@singledispatch
def head_of(answer: Any, /) -> Lines:
    """Return the text above the entries of an answer, or the whole text without entries."""
    if isinstance(answer, (tuple, list)):
        return []
    if isinstance(answer, Tabular):
        return [line((answer._heading(), "title"))]
    if isinstance(answer, Card) and lines_of.dispatch(type(answer)) is lines_of.dispatch(object):
        facts = [
            line((f"{name}: ", "less"), cell(value, _CELL), indent=2)
            for name, value in answer._shown_facts()
        ]
        return [line((answer._title(), "title")), *facts]
    return lines_of(answer)


def next_step(operation: Operation, answer: Any, /) -> str:
    """Return the suggested next step after an operation; empty if there is none."""
    values = {name: getattr(answer, name) for name in re.findall(r"{(\w+)}", operation.next)}
    words = {name: shlex.quote(str(value)) for name, value in values.items() if value is not None}
    return operation.next.format_map(words) if len(words) == len(values) else ""


@singledispatch
def entries_of(answer: Any, /) -> tuple[str, Sequence[Any]]:
    """Return the name and the entries of an answer's list."""
    if isinstance(answer, (tuple, list)):
        return "", answer
    table = getattr(answer, "_table", None)
    if table is None:
        return "", ()
    items: Sequence[Any] = table()[1]
    if not is_dataclass(answer):
        return "", items
    return next((f.name for f in fields(answer) if getattr(answer, f.name) is items), ""), items


def rest_of(answer: Any, /) -> int:
    """Return the number of entries of an answer's list that a limit left out."""
    entries = entries_of(answer)[1]
    return max(0, getattr(answer, "total", 0) - len(entries)) if entries else 0


def _members(record: Any) -> Iterable[Any]:
    values = (getattr(record, each.name) for each in fields(record))
    return (v for value in values for v in (value if isinstance(value, tuple) else (value,)))
