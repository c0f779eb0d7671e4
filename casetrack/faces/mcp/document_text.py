"""A document's stored text as Markdown: page after page, as much as one answer may hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.faces.mcp.outputs import QUOTED
from casetrack.faces.mcp.render import counted, one_line, span
from casetrack.faces.mcp.results import tokens
from casetrack.faces.mcp.steps import tool_of
from casetrack.faces.mcp.texts import visible

if TYPE_CHECKING:
    from casetrack.api.collection import Collection
    from casetrack.base.records import Document, Page

BUDGET = 15_000


def document_text(target: Collection, document: Document, /) -> str:
    """Return a document's text as Markdown, in reading order from its first page.

    Every line is quoted, so that no line can imitate a heading of this program. A text longer than
    :data:`BUDGET` ends with a line that describes how to read on.
    """
    shown: list[str] = []
    spent = 0
    rest: int | None = None
    for page in target.read.pages(document):
        block = f"## {_label(page)}\n\n{_quoted(page.text)}"
        cost = tokens(block)
        if spent + cost > BUDGET:
            rest = page.page
            if not shown:
                shown.append(f"## {_label(page)}, beginning\n\n{_quoted(_beginning(page.text))}")
            break
        spent += cost
        shown.append(block)
    parts = [_head(document), *(shown or ["The collection contains no text of it."])]
    if rest is not None:
        parts.append(_more(document, rest))
    return visible("\n\n".join(parts) + "\n")


def _head(document: Document) -> str:
    d = document
    lines = [
        f"# {one_line(d.name)}",
        "",
        f"- File: {one_line(d.path)}",
        f"- Document ID: {d.document_id}",
        f"- Length: {counted(d.page_count, 'page')}, {d.char_count:,} characters",
        *(f"- Warning: {one_line(warning)}" for warning in d.warnings),
        "",
        QUOTED,
    ]
    return "\n".join(lines)


def _more(document: Document, rest: int) -> str:
    note = f"The text continues: page {span(rest, document.page_count)} not shown in full."
    if not (tool := tool_of("pages")):
        return note
    return f'{note} Read on with {tool}: document_name "{document.document_id}", start_page {rest}.'


def _label(page: Page) -> str:
    place = page.provenance
    name = f" ({one_line(place.sheet_name)})" if place.sheet_name else ""
    return f"{(place.page_kind or 'page').capitalize()} {page.page}{name}"


def _beginning(text: str) -> str:
    """Return the part of a page that fits, in whole lines if possible."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if tokens(_quoted(text[:middle])) <= BUDGET:
            low = middle
        else:
            high = middle - 1
    part = text[:low]
    return part[: part.rfind("\n")] if "\n" in part else part


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())
