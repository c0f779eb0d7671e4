"""What all papers in Word's format have in common: the sheet, the letters, the styles."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from docx.document import Document
    from docx.text.paragraph import Paragraph

FACE = "Times New Roman"
"""What most courts ask for, or take."""
POINTS = 12
AUTHOR, INITIALS = "CaseTrack", "CT"


def new_document(title: str, /, *, face: str = FACE, points: float = POINTS) -> Document:
    """Return an empty document on letter paper with margins of an inch.

    Parameters
    ----------
    title
        What the file calls itself.
    face, points
        The letters of its text, and their size.
    """
    import docx
    from docx.oxml.ns import qn
    from docx.shared import Inches, Pt

    document = docx.Document()
    for section in document.sections:
        section.page_width, section.page_height = Inches(8.5), Inches(11)
        section.left_margin = section.right_margin = Inches(1)
        section.top_margin = section.bottom_margin = Inches(1)
    normal = document.styles["Normal"]
    normal.font.name, normal.font.size = face, Pt(points)
    # Word takes letters of other scripts from here.
    normal.element.rPr.rFonts.set(qn("w:eastAsia"), face)
    normal.paragraph_format.space_after = Pt(6)
    facts = document.core_properties
    facts.title, facts.author, facts.comments = clean(title), "", ""
    return document


def centred(document: Document, text: str, /) -> Paragraph:
    """Add a heading in the middle of a line, and return it."""
    from docx.enum.text import WD_ALIGN_PARAGRAPH

    heading = document.add_paragraph()
    heading.add_run(clean(text)).bold = True
    heading.alignment = WD_ALIGN_PARAGRAPH.CENTER
    heading.paragraph_format.keep_with_next = True
    return heading


def on_its_side(document: Document, /, *, margin: float = 1) -> None:
    """Turn the sheets of a document to landscape, with *margin* inches left and right."""
    from docx.enum.section import WD_ORIENTATION
    from docx.shared import Inches

    for section in document.sections:
        section.orientation = WD_ORIENTATION.LANDSCAPE
        section.page_width, section.page_height = Inches(11), Inches(8.5)
        section.left_margin = section.right_margin = Inches(margin)


def repeat_on_pages(row: Any, /) -> None:
    """Let a row of a table be at the head of each page."""
    from docx.oxml import OxmlElement

    row._tr.get_or_add_trPr().append(OxmlElement("w:tblHeader"))


def clean(text: str, /) -> str:
    """Return a text without the characters that no XML can hold."""
    return "".join(
        c
        for c in text
        if c in "\t\n" or (c >= " " and not "\ud800" <= c <= "\udfff" and c not in "\ufffe\uffff")
    )


def remark(document: Document, paragraph: Paragraph, text: str, /) -> None:
    """Put a comment on a paragraph: what must be known and is not to be filed."""
    document.add_comment(paragraph.runs, text=clean(text), author=AUTHOR, initials=INITIALS)


def packed(document: Document, /) -> bytes:
    """Return the file of a document."""
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()
