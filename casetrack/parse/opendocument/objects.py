"""Objects embedded in a document: formulas, charts, drawings and texts, as what they show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from casetrack.extract.tables.model import Cell, Row, head_names, row_text
from casetrack.parse.drawn.text import Block
from casetrack.parse.opendocument.names import CHART, MATH, OFFICE, TABLE, TEXT, local

if TYPE_CHECKING:
    from collections.abc import Iterator

_MATH_TEXT = frozenset({"mi", "mn", "mo", "ms", "mtext"})
_MAX_COLUMNS = 1000
_PARAGRAPHS = (f"{TEXT}p", f"{TEXT}h")
_WHOLE = (f"{TABLE}table-row", *_PARAGRAPHS)


def object_blocks(root: Any, /, *, values: bool = True) -> Iterator[Block]:
    """Yield what an embedded object shows, from its root element.

    Parameters
    ----------
    values
        Whether the values of a chart are wanted, too, or only its titles and series.
    """
    if root.tag == f"{MATH}math":
        text = formula_text(root)
        if text:
            yield Block((text,))
        return
    chart = root.find(f"{OFFICE}body/{OFFICE}chart/{CHART}chart")
    if chart is not None:
        yield from _chart(chart, values=values)
        return
    for body in root.iterfind(f"{OFFICE}body"):
        yield from _paragraphs(body)


def _paragraphs(body: Any) -> Iterator[Block]:
    """Yield the paragraphs of an embedded drawing, text or sheet; rows of tables on one line."""
    for element in body.iter(f"{TABLE}table-row", *_PARAGRAPHS):
        if any(above.tag in _WHOLE for above in element.iterancestors(*_WHOLE)):
            continue
        if element.tag in _PARAGRAPHS:
            text = " ".join("".join(element.itertext()).split())
        else:
            cells = [_words(cell) for cell in element.iterfind(f"{TABLE}table-cell")]
            shown = [
                Cell(text, at) for at, text in enumerate(cells[:_MAX_COLUMNS], start=1) if text
            ]
            text = row_text(Row(tuple(shown)))
        if text:
            yield Block((text,), "body" if element.tag in _PARAGRAPHS else "table")


def formula_text(root: Any, /) -> str:
    """Return the signs of a formula in their order, parted by spaces."""
    signs = (e.text or "" for e in root.iter() if local(e) in _MATH_TEXT)
    return " ".join(" ".join(signs).split())


def _chart(chart: Any, *, values: bool) -> Iterator[Block]:
    """Yield the titles of a chart, then its own table with the series as headers."""
    titles = [_words(e) for n in ("title", "subtitle") for e in chart.iterfind(f"{CHART}{n}")]
    title = " ".join(t for t in titles if t)
    if title:
        yield Block((f"Chart: {title}",))
    for axis in chart.iter(f"{CHART}axis"):
        name = " ".join(filter(None, map(_words, axis.iterfind(f"{CHART}title"))))
        if name:
            yield Block((f"Axis: {name}",))
    heads: list[Row] = []
    names: dict[int, str] | None = None
    for row in chart.iterfind(f"{TABLE}table//{TABLE}table-row"):
        texts = [_words(cell) for cell in row.iterfind(f"{TABLE}table-cell")][:_MAX_COLUMNS]
        cells = tuple(Cell(text, at) for at, text in enumerate(texts, start=1) if text)
        if local(row.getparent()) == "table-header-rows":
            heads.append(Row(cells))
            if not values and cells:
                yield Block((f"Series: {', '.join(cell.text for cell in cells)}",))
        elif cells and values:
            names = head_names(heads) if names is None else names
            yield Block((row_text(Row(cells), names),), "table")


def _words(element: Any) -> str:
    texts = ("".join(p.itertext()) for p in element.iter(f"{TEXT}p"))
    return " ".join(" ".join(texts).split())
