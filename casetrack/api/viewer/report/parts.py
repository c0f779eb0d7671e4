"""Small pieces of HTML that several sections of a report are made of."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

from casetrack.api.viewer.graph_figure import counted
from casetrack.api.viewer.markup import esc, span
from casetrack.api.viewer.symbols import KIND_WORDS, shortened, sign
from casetrack.api.viewer.words import MONTHS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from casetrack.base.records.graph import Entity

_TAGS = re.compile(r"<[^>]*>")
MAX_NAME = 120
"""Characters of a name that are shown."""
_PLURAL = frozenset(
    "dollar cent peso franc rupee dinar rial shilling guilder pound ruble lira centavo".split()
)
"""Names of money that English counts with an s; others stay as they are."""
Part = tuple[str, str]
"""Id and heading of a section."""


def section(part: Part, body: Iterable[str], /, *, lead: str = "") -> Iterator[str]:
    """Yield a section with its heading; *lead* is HTML that stands below that."""
    name, title = part
    yield f'<section id="{name}" aria-labelledby="{name}-title">\n'
    yield f'<h2 id="{name}-title">{title}</h2>\n'
    if lead:
        yield f'<p class="lead">{lead}</p>\n'
    yield from body
    yield "</section>\n"


def nothing(words: str, /) -> str:
    """Return a line that says that there is nothing to show."""
    return f'<p class="none">{esc(words)}</p>\n'


def and_more(shown: int, total: int, one: str, /, *hints: str) -> str:
    """Return how many are not shown, or nothing where all are; *hints* are commands that do."""
    if shown >= total:
        return ""
    commands = [f"<code>{esc(hint)}</code>" for hint in hints]
    how = f" See them with {joined(commands)}." if commands else ""
    return f'<p class="more">and {counted(total - shown, f"more {one}")}.{how}</p>\n'


def table(heads: Sequence[tuple[str, str]], rows: Iterable[Sequence[str]], label: str, /) -> str:
    """Return a table that becomes a list of cards where the screen is narrow.

    Parameters
    ----------
    heads
        Title and class of each column; the first column names the row.
    rows
        Cells as HTML.
    label
        What the table is, for those who hear it.
    """
    titles = "".join(f'<th scope="col" class="{css}">{title}</th>' for title, css in heads)
    lines = []
    for row in rows:
        first, *rest = row
        cells = "".join(
            f'<td class="{css}" data-title="{title}">{cell}</td>'
            if cell
            else f'<td class="{css}"></td>'
            for (title, css), cell in zip(heads[1:], rest, strict=True)
        )
        lines.append(f'<tr><th scope="row" class="{heads[0][1]}">{first}</th>{cells}</tr>\n')
    return (
        f'<table class="rows" aria-label="{esc(label)}"><thead><tr>{titles}</tr></thead>\n'
        f"<tbody>\n{''.join(lines)}</tbody></table>\n"
    )


def bars(
    counts: Mapping[str, int], label: str, /, *, names: Mapping[str, str] | None = None
) -> str:
    """Return counts as bars that are to scale, the largest first."""
    most = max(counts.values(), default=0) or 1
    known = names or {}
    rows = "".join(
        f'<li><span class="bar-name">{esc(known.get(name, name))}</span>'
        f'<span class="bar-line"><span style="width:{100 * count / most:.1f}%"></span></span>'
        f'<span class="bar-count">{count:,}</span></li>'
        for name, count in counts.items()
    )
    return f'<ul class="bars" aria-label="{esc(label)}">{rows}</ul>\n'


def spread_words(mentions: int, documents: int, /) -> str:
    """Return how often and how widely something is mentioned, short."""
    return f"{mentions:,} in {counted(documents, 'document')}"


def command(words: str, collection: str, /) -> str:
    """Return a command about a collection, as one types it."""
    return f"casetrack {words} -c {shlex.quote(shortened(collection, MAX_NAME))}"


def capital(text: str, /) -> str:
    """Return text with a large first letter."""
    return text[:1].upper() + text[1:]


def joined(parts: Sequence[str], /) -> str:
    """Return parts as one speaks them: ``a, b and c``."""
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last


def sentence(html: str, /) -> str:
    """Return HTML with a full stop, unless its text ends with one: ``Oakham Mills, Inc.``."""
    return html if _TAGS.sub("", html).endswith(".") else f"{html}."


def named(entity: Entity, /) -> str:
    """Return a name as HTML, with the sign of its kind."""
    kind = KIND_WORDS.get(entity.kind, entity.kind)
    name = span(shortened(entity.name, MAX_NAME))
    return f'<b class="name">{sign(entity.kind)} {name}</b><span class="hidden">, {kind}</span>'


def number(value: float, high: float | None, unit: str | None, /) -> str:
    """Return a sum, or a range of sums, as text; only codes of currencies stand with it."""
    text = _plain(value)
    if high is not None:
        text += f" \u2013 {_plain(high)}"
    return f"{unit}\u00a0{text}" if unit and unit.isupper() else text


def with_unit(value: float, high: float | None, unit: str, /) -> str:
    """Return a sum with its currency: ``EUR 5``, ``2,000,000 dollars``."""
    text = number(value, high, unit)
    return text if unit.isupper() else f"{text}\u00a0{unit_words(unit)}"


def unit_words(unit: str, /) -> str:
    """Return a currency as a sentence names it: ``dollars``; codes stay as they are."""
    return f"{unit}s" if unit in _PLURAL else unit


def _plain(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"


def day(moment: datetime | None, /) -> str:
    """Return a day as HTML; empty where there is none."""
    if moment is None:
        return ""
    month = MONTHS[moment.month - 1]
    return f'<time datetime="{moment:%Y-%m-%d}">{moment.day} {month} {moment.year}</time>'
