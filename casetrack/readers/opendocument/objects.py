"""Objects embedded in a document: formulas and charts, as the text they show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from casetrack.readers.drawn.text import Block
from casetrack.readers.opendocument.names import CHART, MATH, OFFICE, TABLE, TEXT, local
from casetrack.readers.table_rows import Cell, header_names, row_text

if TYPE_CHECKING:
    from collections.abc import Iterator

_MATH_TEXT = frozenset({"mi", "mn", "mo", "ms", "mtext"})
_MAX_COLUMNS = 1000


def object_blocks(root: Any, /) -> Iterator[Block]:
    """Yield what an embedded object shows, from its root element."""
    if root.tag == f"{MATH}math":
        text = formula_text(root)
        if text:
            yield Block((text,))
        return
    chart = root.find(f"{OFFICE}body/{OFFICE}chart/{CHART}chart")
    if chart is not None:
        yield from _chart(chart)


def formula_text(root: Any, /) -> str:
    """Return the signs of a formula in their order, parted by spaces."""
    signs = (e.text or "" for e in root.iter() if local(e) in _MATH_TEXT)
    return " ".join(" ".join(signs).split())


def _chart(chart: Any) -> Iterator[Block]:
    """Yield the titles of a chart, then its own table with the series as headers."""
    titles = [_words(e) for n in ("title", "subtitle") for e in chart.iterfind(f"{CHART}{n}")]
    title = " ".join(t for t in titles if t)
    if title:
        yield Block((f"Chart: {title}",))
    names: dict[int, str] = {}
    for row in chart.iterfind(f"{TABLE}table//{TABLE}table-row"):
        texts = [_words(cell) for cell in row.iterfind(f"{TABLE}table-cell")][:_MAX_COLUMNS]
        cells = tuple(Cell(text, at) for at, text in enumerate(texts, start=1) if text)
        if local(row.getparent()) == "table-header-rows":
            names |= header_names(cells)
        elif cells:
            yield Block((row_text(cells, names),), "table")


def _words(element: Any) -> str:
    texts = ("".join(p.itertext()) for p in element.iter(f"{TEXT}p"))
    return " ".join(" ".join(texts).split())
