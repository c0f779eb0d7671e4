"""The table of authorities as a paper: DOCX, Markdown, plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.api.viewer.kept import add_comment, centred, clean, new_document, packed
from casetrack.api.viewer.markup import escaped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from docx.document import Document

    from casetrack.editions.legal.records.authorities import Authority, TableOfAuthorities

TITLE = "TABLE OF AUTHORITIES"
_WIDTH = 78


def as_docx(table: TableOfAuthorities, /) -> bytes:
    """Return the table as a DOCX file.

    Names of cases are in italics; page numbers are at a right tab stop with leader dots. Notes are
    a comment on the heading, so that they are not filed.
    """
    from docx.enum.text import WD_ALIGN_PARAGRAPH

    document = new_document(f"Table of authorities: {table.draft_name}")
    heading = centred(document, TITLE)
    if notes := table_notes(table):
        add_comment(document, heading, "\n".join(notes))
    pages = document.add_paragraph()
    pages.alignment = WD_ALIGN_PARAGRAPH.RIGHT
    pages.add_run("Page(s)").bold = True
    pages.paragraph_format.keep_with_next = True
    for section, authorities in table.sections().items():
        part = document.add_paragraph()
        part.add_run(section).bold = True
        part.paragraph_format.keep_with_next = True
        for authority in authorities:
            _entry(document, authority)
    return packed(document)


def _entry(document: Document, authority: Authority) -> None:
    from docx.enum.text import WD_TAB_ALIGNMENT, WD_TAB_LEADER
    from docx.shared import Inches

    paragraph = document.add_paragraph()
    form = paragraph.paragraph_format
    form.left_indent, form.first_line_indent = Inches(0.5), Inches(-0.5)
    form.keep_together = True
    form.tab_stops.add_tab_stop(Inches(6.5), WD_TAB_ALIGNMENT.RIGHT, WD_TAB_LEADER.DOTS)
    # Names end an inch before the page numbers, which are outside of this indent.
    form.right_indent = Inches(1)
    title, rest = authority.name[: authority.name_end], authority.name[authority.name_end :]
    if title:
        paragraph.add_run(clean(title)).italic = True
    if rest:
        paragraph.add_run(clean(rest))
    paragraph.add_run("\t")
    paragraph.add_run(authority.listed).italic = authority.listed == "passim"


def as_markdown(table: TableOfAuthorities, /) -> str:
    """Return the table as Markdown, with a table for each section."""
    lines = ["# Table of Authorities", ""]
    for section, authorities in table.sections().items():
        lines += [f"## {section}", "", "| Authority | Page(s) |", "|---|---|"]
        for a in authorities:
            title = escaped(a.name[: a.name_end])
            rest = a.name[a.name_end :]
            # The blank between them belongs to neither.
            gap = " " if rest[:1].isspace() else ""
            listed = f"*{a.listed}*" if a.listed == "passim" else a.listed
            lines.append(f"| {f'*{title}*' if title else ''}{gap}{escaped(rest)} | {listed} |")
        lines.append("")
    if notes := table_notes(table):
        lines += ["---", "", *(f"- {escaped(s)}" for s in notes), ""]
    return "\n".join(lines)


def as_text(table: TableOfAuthorities, /) -> str:
    """Return the table as plain text with leader dots, 78 characters wide."""
    lines = [TITLE.center(_WIDTH).rstrip()]
    for section, authorities in table.sections().items():
        lines += ["", section.upper(), ""]
        for authority in authorities:
            lines += _text_entry(authority)
    if notes := table_notes(table):
        lines += ["", *notes]
    return "\n".join(lines) + "\n"


def _text_entry(authority: Authority) -> Iterator[str]:
    import textwrap

    room = max(_WIDTH - len(authority.listed) - 5, _WIDTH // 2)
    *first, last = textwrap.wrap(authority.name, room, subsequent_indent="    ")
    yield from first
    dots = "." * max(3, _WIDTH - len(last) - len(authority.listed) - 2)
    yield f"{last} {dots} {authority.listed}"


def table_notes(table: TableOfAuthorities, /) -> list[str]:
    """Return the notes, uncounted citations and differences of a table."""
    notes = [
        *table.notes,
        *(f"Not counted: {u.text} ({u.place.citation}). {u.reason}" for u in table.uncounted),
    ]
    if table.differences is not None:
        notes += [f"The brief's own table: {d.said}" for d in table.differences]
        if not table.differences:
            notes.append("The brief's own table lists the same authorities with the same pages.")
    return notes


WRITERS: dict[str, Callable[[TableOfAuthorities], bytes | str]] = {
    ".docx": as_docx,
    ".md": as_markdown,
    ".txt": as_text,
}
"""Writers by suffix of the file."""
