"""Sets blocks as a Word document with python-docx."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import docx
from docx.enum.text import WD_BREAK
from docx.shared import Mm, Pt

from _make.markup import Block, inline
from _make.zips import read_zip, write_zip

if TYPE_CHECKING:
    from pathlib import Path

# What the documents use of the hundreds of styles in python-docx's template.
_STYLES = {
    *("Normal", "Heading1", "Heading2", "Heading3", "Heading1Char", "Heading2Char", "Heading3Char"),
    *(
        "ListBullet",
        "TableNormal",
        "TableGrid",
        "DefaultParagraphFont",
        "NoList",
        "Footer",
        "FooterChar",
    ),
}
# Parts of the template that no document needs: a picture of an empty page, copies for old programs.
_UNUSED = ("/thumbnail", "/stylesWithEffects", "/customXml")


def write_docx(
    path: Path, blocks: list[Block], /, *, title: str, author: str, date: dt.date
) -> None:
    """Write ``blocks`` with real heading styles, tables and page breaks."""
    document = docx.Document()
    _layout(document, title)
    for block in blocks:
        _add(document, block)
    moment = dt.datetime.combine(date, dt.time(9))
    properties = document.core_properties
    properties.title, properties.author, properties.last_modified_by = title, author, author
    properties.created = properties.modified = moment
    properties.comments, properties.revision = "", 1
    strip_template(document)
    document.save(str(path))
    write_zip(path, read_zip(path))


def _layout(document: Any, title: str, /) -> None:
    section = document.sections[0]
    section.page_width, section.page_height = Mm(210), Mm(297)
    section.left_margin = section.right_margin = Mm(25)
    section.footer.paragraphs[0].text = title
    normal = document.styles["Normal"]
    normal.font.name, normal.font.size = "Calibri", Pt(11)
    normal.paragraph_format.space_after = Pt(6)


def _add(document: Any, block: Block, /) -> None:
    if block.kind == "heading":
        document.add_heading(block.text, block.level)
    elif block.kind == "page":
        document.paragraphs[-1].add_run().add_break(WD_BREAK.PAGE)
    elif block.kind == "table":
        _add_table(document, block.rows)
    elif block.kind != "rule":
        style = "List Bullet" if block.kind == "bullet" else "Normal"
        paragraph = document.add_paragraph(style=style)
        for text, weight in inline(block.text):
            run = paragraph.add_run(text)
            run.bold, run.italic = weight == "bold" or None, weight == "italic" or None
        if block.kind == "letter":
            paragraph.paragraph_format.left_indent = Mm(8)
        elif block.kind == "line":
            paragraph.paragraph_format.space_after = Pt(12 if block.level else 0)


def _add_table(document: Any, rows: tuple[tuple[str, ...], ...], /) -> None:
    table = document.add_table(len(rows), len(rows[0]), style="Table Grid")
    for number, row in enumerate(rows):
        for cell, text in zip(table.rows[number].cells, row, strict=True):
            cell.paragraphs[0].add_run(text).bold = number == 0 or None
    document.add_paragraph()


def strip_template(document: Any, /) -> None:
    """Take out of the template what the document does not use: the files are not compressed."""
    for style in list(document.styles.element.style_lst):
        if style.styleId not in _STYLES:
            document.styles.element.remove(style)
    for relations in (document.part.rels, document.part.package.rels):
        for name, relation in list(relations.items()):
            if relation.reltype.endswith(_UNUSED):
                del relations[name]
