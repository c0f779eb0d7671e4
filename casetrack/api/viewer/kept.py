"""Export of marked passages with their citations as DOCX or Markdown."""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from casetrack.api.viewer.markup import escaped
from casetrack.api.viewer.symbols import ENGLISH, Words
from casetrack.base.records.marks import Mark, PlacedMark
from casetrack.graph.opened import graph_of
from casetrack.search.pinpoint.mail_heads import without_head

if TYPE_CHECKING:
    from collections.abc import Sequence

    from docx.document import Document
    from docx.text.paragraph import Paragraph

    from casetrack.base.records import Chunk
    from casetrack.base.records.graph import Quote
    from casetrack.store.workspace import State

# The user's marks in a report: starred and tagged documents and passages.


def of_documents(marks: Iterable[PlacedMark], /) -> tuple[PlacedMark, ...]:
    """Return the tags and stars in force, those with a star first, then by document and page."""
    shown = [m for m in marks if m.mark.kind in {"star", "tag"} and m.state == "in force"]
    starred = {place_of_mark(m.mark) for m in shown if m.mark.kind == "star"}

    def order(placed: PlacedMark) -> tuple[object, ...]:
        mark = placed.mark
        return (
            place_of_mark(mark) not in starred,
            (mark.document_name or "").casefold(),
            place_of_mark(mark),
            mark.kind,
            mark.value.casefold(),
        )

    return tuple(sorted(shown, key=order))


def place_of_mark(mark: Mark, /) -> tuple[str, int, int, int]:
    """Return the identity of a mark's place: document, page, characters."""
    return (mark.document_id or "", mark.page or 0, mark.char_start or 0, mark.char_end or 0)


def places(marks: Iterable[PlacedMark], /) -> list[list[PlacedMark]]:
    """Return the marks of each place together."""
    return [list(group) for _, group in groupby(marks, key=lambda m: place_of_mark(m.mark))]


# Shared by all exports to DOCX: paper, font, styles.

FACE = "Times New Roman"
"""The font that most courts require or accept."""
POINTS = 12
AUTHOR, INITIALS = "CaseTrack", "CT"


def new_document(title: str, /, *, face: str = FACE, points: float = POINTS) -> Document:
    """Return an empty document on US Letter paper, margins of 1 inch; *points* is the font size."""
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
    # Word reads the font of other scripts from here.
    normal.element.rPr.rFonts.set(qn("w:eastAsia"), face)
    normal.paragraph_format.space_after = Pt(6)
    facts = document.core_properties
    facts.title, facts.author, facts.comments = clean(title), "", ""
    return document


def centred(document: Document, text: str, /) -> Paragraph:
    """Add a centred heading, and return it."""
    from docx.enum.text import WD_ALIGN_PARAGRAPH

    heading = document.add_paragraph()
    heading.add_run(clean(text)).bold = True
    heading.alignment = WD_ALIGN_PARAGRAPH.CENTER
    heading.paragraph_format.keep_with_next = True
    return heading


def set_landscape(document: Document, /, *, margin: float = 1) -> None:
    """Set a document to landscape, with *margin* inches left and right."""
    from docx.enum.section import WD_ORIENTATION
    from docx.shared import Inches

    for section in document.sections:
        section.orientation = WD_ORIENTATION.LANDSCAPE
        section.page_width, section.page_height = Inches(11), Inches(8.5)
        section.left_margin = section.right_margin = Inches(margin)


def repeat_on_pages(row: Any, /) -> None:
    """Repeat a row of a table at the top of each page."""
    from docx.oxml import OxmlElement

    row._tr.get_or_add_trPr().append(OxmlElement("w:tblHeader"))


def clean(text: str, /) -> str:
    """Return a text without characters that are invalid in XML."""
    return "".join(
        c
        for c in text
        if c in "\t\n" or (c >= " " and not "\ud800" <= c <= "\udfff" and c not in "\ufffe\uffff")
    )


def add_comment(document: Document, paragraph: Paragraph, text: str, /) -> None:
    """Add a comment to a paragraph, for information that is not to be filed."""
    document.add_comment(paragraph.runs, text=clean(text), author=AUTHOR, initials=INITIALS)


def packed(document: Document, /) -> bytes:
    """Return the file of a document."""
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


@dataclass(frozen=True, slots=True)
class KeptPlace:
    """A document, page or passage that has a star or tags.

    *passage* is the text of a marked passage; *page* is the number of a marked page or of a
    passage's page.
    """

    name: str
    passage: Chunk | None
    page: int | None
    marks: tuple[PlacedMark, ...]

    @property
    def citation(self) -> str:
        """Citation of the place; of a whole document, its name."""
        if self.passage is not None:
            return self.passage.citation
        return self.name if self.page is None else f"{self.name}, p. {self.page}"

    @property
    def quote(self) -> str:
        """Text of the passage, without the head of a mail."""
        return without_head(self.passage.text) if self.passage is not None else ""

    @property
    def document_id(self) -> str:
        """The document's id."""
        return self.marks[0].mark.document_id or ""

    @property
    def starred(self) -> bool:
        """Whether it has a star."""
        return any(m.mark.kind == "star" for m in self.marks)

    @property
    def tags(self) -> tuple[str, ...]:
        """Its tags."""
        return tuple(m.mark.value for m in self.marks if m.mark.kind == "tag")

    @property
    def notes(self) -> tuple[str, ...]:
        """The user's notes on the place."""
        return tuple(dict.fromkeys(m.mark.note for m in self.marks if m.mark.note))


def kept_places(state: State, /, *, tag: str | None = None) -> tuple[KeptPlace, ...]:
    """Return the places with a star or tag (*tag*, in any letter case), starred places first.

    Places are then in the order of document and page.
    """
    marks = of_documents(graph_of(state).marks)
    groups = (tuple(g) for _, g in groupby(marks, lambda m: place_of_mark(m.mark)))
    places = (_place(state, group) for group in groups)
    wanted = tag.casefold() if tag else None
    return tuple(p for p in places if wanted in {None, *(t.casefold() for t in p.tags)})


def _place(state: State, group: tuple[PlacedMark, ...]) -> KeptPlace:
    mark = group[0].mark
    quote = next((m.quote for m in group if m.quote is not None), None)
    passage = None if mark.char_start is None or quote is None else _passage(state, mark, quote)
    return KeptPlace(mark.document_name or "", passage, mark.page, group)


def _passage(state: State, mark: Mark, quote: Quote) -> Chunk:
    """Return the passage of a mark; if its text has moved, the passage with its words."""
    passage_chunk = state.chunk(quote.chunk_id)
    document = state.snapshot.documents[passage_chunk.provenance.document_id]
    wanted = (mark.page, mark.char_start, mark.char_end)
    for chunk in state.chunks_of(document):
        p = chunk.provenance
        if (p.page, p.char_start, p.char_end) == wanted:
            return chunk
    return passage_chunk


def kept_docx(title: str, places: Sequence[KeptPlace], words: Words = ENGLISH, /) -> bytes:
    """Return the places as a DOCX file: each passage as a quotation with its citation."""
    from docx.shared import Inches, Pt

    document = new_document(title, face="Georgia", points=11)
    document.add_heading(clean(title), level=1)
    for place in places:
        if place.passage is not None:
            quoted = document.add_paragraph(clean(f"\u201c{_words(place)}\u201d"))
            quoted.paragraph_format.left_indent = Inches(0.4)
            quoted.paragraph_format.keep_with_next = True
            quoted.paragraph_format.space_after = Pt(2)
        cited = document.add_paragraph()
        cited.paragraph_format.left_indent = Inches(0.4)
        cited.paragraph_format.space_after = Pt(4 if place.notes or place.tags else 14)
        cited.add_run(clean(words.told(place.citation))).italic = True
        remarks = [*place.notes, *([f"[{', '.join(place.tags)}]"] if place.tags else [])]
        if remarks:
            note = document.add_paragraph(clean("  ".join(remarks)))
            note.paragraph_format.space_after = Pt(14)
    return packed(document)


def kept_markdown(title: str, places: Sequence[KeptPlace], words: Words = ENGLISH, /) -> str:
    """Return the places in Markdown: each passage as a quotation with its citation."""
    lines = [f"# {escaped(title)}", ""]
    for place in places:
        if place.passage is not None:
            lines.append(f"> {escaped(_words(place))}")
            lines.append(">")
            lines.append(f"> \u2014 {escaped(words.told(place.citation))}")
        else:
            lines.append(f"**{escaped(words.told(place.citation))}**")
        lines.append("")
        for note in place.notes:
            lines += [escaped(note), ""]
        if place.tags:
            lines += [f"{words.phrase('Tags')}: {escaped(', '.join(place.tags))}", ""]
    return "\n".join(lines).rstrip() + "\n"


def _words(place: KeptPlace) -> str:
    return " ".join(place.quote.split())
