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

ROOM = 15_000
"""Tokens for the text of the pages."""


def document_text(target: Collection, document: Document, /) -> str:
    """Return a document's text in reading order, from its first page on.

    Every line of it is quoted, so that none can pass for a line of ours, such as a page's heading.

    Returns
    -------
    str
        Markdown. Where the text is longer than :data:`ROOM`, its last line says how to read on.
    """
    shown: list[str] = []
    spent = 0
    rest: int | None = None
    for page in target.read.pages(document):
        block = f"## {_label(page)}\n\n{_quoted(page.text)}"
        cost = tokens(block)
        if spent + cost > ROOM:
            rest = page.page
            if not shown:
                shown.append(f"## {_label(page)}, beginning\n\n{_quoted(_beginning(page.text))}")
            break
        spent += cost
        shown.append(block)
    parts = [_head(document), *(shown or ["No text of it is stored."])]
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
    said = f"The text goes on: page {span(rest, document.page_count)} not shown in full."
    if not (tool := tool_of("pages")):
        return said
    return f'{said} Read on with {tool}: document_name "{document.document_id}", start_page {rest}.'


def _label(page: Page) -> str:
    place = page.provenance
    name = f" ({one_line(place.sheet_name)})" if place.sheet_name else ""
    return f"{(place.page_kind or 'page').capitalize()} {page.page}{name}"


def _beginning(text: str) -> str:
    """Return as much of a page as there is room for, in whole lines where it has some."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if tokens(_quoted(text[:middle])) <= ROOM:
            low = middle
        else:
            high = middle - 1
    part = text[:low]
    return part[: part.rfind("\n")] if "\n" in part else part


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())
