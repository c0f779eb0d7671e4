"""Reads DOCX: body in document order, lists with their numbers, tables as rows, notes, text boxes.

Pages follow the breaks in the file: where Word last put one, page breaks of the author, sections.
Headers and footers repeat on every page and are left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from casetrack.errors import FileEncrypted
from casetrack.readers.base import (
    DEFAULT_OPTIONS,
    DocumentInfo,
    FileHead,
    Page,
    Reading,
    ReadOptions,
)
from casetrack.readers.detect import OLE_MAGIC, ZIP_MAGIC
from casetrack.readers.package import Package
from casetrack.readers.page_builder import PageBuilder, SourceLine, clean_title
from casetrack.readers.word.lists import Numbering, number_text
from casetrack.readers.word.styles import Styles, W, attribute, is_on
from casetrack.readers.word.table import CellPart, TableRows
from casetrack.readers.word.text import FieldState, Mark, Note, TextBox, paragraph_items

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from casetrack.readers.base import ParagraphKind
    from casetrack.readers.word.text import Item

_MAX_DEPTH = 40
_THROUGH = frozenset(
    f"{W}{name}" for name in ("sdt", "sdtContent", "customXml", "smartTag", "ins", "moveTo")
)
_NEXT_PAGE = frozenset({None, "nextPage", "oddPage", "evenPage"})


class DocxReader:
    """Word documents (Office Open XML)."""

    name = "DOCX"
    extensions: tuple[str, ...] = (".docx", ".docm")

    def accepts(self, file: FileHead, /) -> bool:
        """Accept a container with a Word folder, a damaged container, or an encrypted document."""
        if file.head.startswith(ZIP_MAGIC):
            return not file.members or any(m.startswith("word/") for m in file.members)
        return file.head.startswith(OLE_MAGIC) and "EncryptedPackage" in file.members

    def read(self, path: Path, options: ReadOptions = DEFAULT_OPTIONS, /) -> Reading:
        """Open the container; see :class:`casetrack.readers.base.Reader`."""
        with path.open("rb") as file:
            if file.read(len(OLE_MAGIC)) == OLE_MAGIC:
                raise FileEncrypted(path)
        with Package(path, self.name) as package:
            parts = _Parts.of(package)
            core = package.core()
        pages = _Body(parts).pages()
        return Reading(
            DocumentInfo(
                "docx",
                len(pages),
                title=clean_title(core["title"]),
                author=clean_title(core["author"]),
            ),
            iter(pages),
            parts.warnings,
        )


@dataclass(slots=True)
class _Parts:
    """The parsed parts of a document."""

    body: Any
    styles: Styles
    numbering: Numbering
    notes: dict[tuple[str, str], Any] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, package: Package, /) -> _Parts:
        main = next((t for k, t in package.relations("").values() if k == "officeDocument"), None)
        if main is None or main not in package:
            main = "word/document.xml"
        root = package.xml(main)
        body = root.find(f"{W}body")
        if body is None:
            raise package.failed("it has no document body")
        by_kind = dict(package.relations(main).values())

        def part(kind: str) -> Any:
            target = by_kind.get(kind, "")
            return package.xml(target) if target in package else None

        parts = cls(body, Styles(part("styles")), Numbering(part("numbering")))
        for kind in ("footnote", "endnote"):
            notes = part(f"{kind}s")
            for note in () if notes is None else notes.iter(f"{W}{kind}"):
                parts.notes[kind, note.get(f"{W}id", "")] = note
        if body.find(f".//{W}altChunk") is not None:
            parts.warnings.append("A file inserted as a whole (altChunk) was left out.")
        return parts


@dataclass(slots=True)
class _Pending:
    """A paragraph that is being put together."""

    kind: ParagraphKind
    level: int | None
    lines: list[str]
    boxes: list[Any] = field(default_factory=list)

    @property
    def is_blank(self) -> bool:
        return not any(line.strip() for line in self.lines)


class _Body:
    """Walks the body and fills pages."""

    def __init__(self, parts: _Parts) -> None:
        self._parts = parts
        self._fields = FieldState()
        self._builders = [PageBuilder(1)]
        self._notes: list[tuple[str, Any]] = []
        self._counts = {"footnote": 0, "endnote": 0}
        self._last_break: Mark | None = None
        self._has_breaks = False
        self._joined: _Pending | None = None
        self._section_opened = False

    def pages(self) -> list[Page]:
        """Return all pages of the document."""
        self._walk(self._parts.body, 0)
        self._close_joined()
        self._end_page()
        while len(self._builders) > 1 and self._builders[-1].is_empty:
            self._builders.pop()
        if not self._has_breaks:
            self._builders[0].is_estimated = True
        return [builder.build() for builder in self._builders]

    # --- blocks ----------------------------------------------------------------------------

    def _walk(self, container: Any, depth: int) -> None:
        if depth > _MAX_DEPTH:
            self._parts.warnings.append("Content nested more than 40 levels deep was left out.")
            return
        for child in container:
            tag = child.tag
            if tag == f"{W}p":
                self._paragraph(child, depth)
            elif tag == f"{W}tbl":
                self._close_joined()
                self._table(child, depth)
            elif tag in _THROUGH:
                self._walk(child, depth + 1)
            elif tag == f"{W}sectPr":
                continue
            elif isinstance(tag, str) and tag.endswith("}AlternateContent") and len(child):
                self._walk(child[0], depth + 1)

    def _paragraph(self, element: Any, depth: int) -> None:
        properties = element.find(f"{W}pPr")
        if is_on(properties, "pageBreakBefore"):
            self._close_joined()
            self._break(Mark.PAGE)
        pending = self._joined or self._new_paragraph(properties)
        self._joined = None
        pending = self._fill(pending, paragraph_items(element, self._fields))
        if attribute_exists(properties, "rPr/del"):
            # The paragraph mark is deleted: the next paragraph goes on in this one.
            self._joined = pending
            return
        self._close(pending, depth)
        section = None if properties is None else properties.find(f"{W}sectPr")
        if section is not None and self._begins_page(section):
            self._break(Mark.PAGE)

    def _begins_page(self, section: Any) -> bool:
        """Tell whether the section after *section* starts on a new page: its own type says so."""
        following = section.xpath("following::*[local-name()='sectPr'][1]")
        chosen = following[0] if following else section
        return attribute(chosen, "type") in _NEXT_PAGE

    def _new_paragraph(self, properties: Any) -> _Pending:
        styles = self._parts.styles
        level = styles.heading_level(properties)
        place = styles.list_place(properties)
        label = self._parts.numbering.label(place) if place else ""
        kind: ParagraphKind = "body"
        if level is not None:
            kind = "heading"
        elif place and label:
            kind = "list"
        elif styles.is_quote(properties):
            kind = "quote"
        return _Pending(kind, level, [f"{label} " if label else ""])

    def _fill(self, pending: _Pending, items: Iterable[Item]) -> _Pending:
        """Put items into a paragraph; a page break within closes it and goes on with another."""
        label = pending.lines[0] if len(pending.lines) == 1 else ""
        for item in items:
            if isinstance(item, str):
                pending.lines[-1] += item
            elif item is Mark.LINE:
                pending.lines.append("")
            elif isinstance(item, Mark):
                if pending.is_blank or pending.lines == [label]:
                    self._break(item)
                    continue
                self._close(pending, 0)
                self._break(item)
                kind: ParagraphKind = "body" if pending.kind == "heading" else pending.kind
                pending = _Pending(kind, None, [""])
                label = ""
            elif isinstance(item, Note):
                pending.lines[-1] += self._note(item)
            elif isinstance(item, TextBox):
                pending.boxes.append(item.content)
        return pending

    def _close(self, pending: _Pending, depth: int) -> None:
        if not pending.is_blank:
            self._last_break = None
            self._builders[-1].paragraph(
                [SourceLine(line) for line in pending.lines],
                kind=pending.kind,
                level=pending.level,
            )
        for content in pending.boxes:
            self._walk(content, depth + 1)

    def _close_joined(self) -> None:
        pending, self._joined = self._joined, None
        if pending is not None:
            self._close(pending, 0)

    def _table(self, element: Any, depth: int) -> None:
        table = TableRows(element, self._cell_text)
        if table.is_single_column:
            for cell in table.cells():
                self._walk(cell, depth + 1)
            return
        for row in table.rows():
            if row.starts_page:
                self._break(row.starts_page)
            if row.text:
                self._last_break = None
                self._builders[-1].paragraph([SourceLine(row.text)], kind="table")
            for nested in row.nested:
                if depth < _MAX_DEPTH:
                    self._table(nested, depth + 1)
            if row.ends_page:
                self._break(row.ends_page)

    def _cell_text(self, paragraph: Any) -> CellPart:
        """Return what a paragraph in a cell shows, on one line."""
        part = CellPart(self._new_paragraph(paragraph.find(f"{W}pPr")).lines[0])
        for item in paragraph_items(paragraph, self._fields):
            if isinstance(item, str):
                part.text += item
            elif isinstance(item, Note):
                part.text += self._note(item)
            elif isinstance(item, TextBox):
                part.boxes.append(item.content)
            elif item is Mark.LINE:
                part.text += " "
            elif part.text.strip():
                part.ends_page = item
            else:
                part.starts_page = item
        return part

    # --- notes and pages -------------------------------------------------------------------

    def _note(self, note: Note) -> str:
        """Return a note's sign and remember its text for the foot of the page."""
        element = self._parts.notes.get((note.kind, note.identity))
        if element is None:
            return ""
        self._counts[note.kind] += 1
        form = "decimal" if note.kind == "footnote" else "lowerRoman"
        sign = f"[{number_text(self._counts[note.kind], form)}]"
        self._notes.append((sign, element))
        return sign

    def _end_page(self) -> None:
        """Write the notes that were referred to on the page."""
        notes, self._notes = self._notes, []
        for sign, element in notes:
            lines: list[str] = []
            for paragraph in element.iter(f"{W}p"):
                items = paragraph_items(paragraph, FieldState())
                text = "".join(
                    item if isinstance(item, str) else " "
                    for item in items
                    if isinstance(item, str) or item is Mark.LINE
                )
                lines.append(text.strip())
            lines = [line for line in lines if line]
            if lines:
                lines[0] = f"{sign} {lines[0]}"
                self._builders[-1].paragraph([SourceLine(line) for line in lines])

    def _break(self, mark: Mark) -> None:
        """Begin a page; a break that Word noted right after the author's own is the same one."""
        self._has_breaks = True
        is_same = mark is Mark.RENDERED_PAGE and self._last_break is not None
        at_start = mark is Mark.RENDERED_PAGE and self._is_untouched()
        if is_same or at_start:
            self._last_break = mark
            return
        if mark is Mark.PAGE and self._last_break is Mark.RENDERED_PAGE:
            # The other way round: Word's note stands before the break that caused it.
            self._last_break = mark
            return
        self._end_page()
        self._builders.append(PageBuilder(len(self._builders) + 1))
        self._last_break = mark

    def _is_untouched(self) -> bool:
        return len(self._builders) == 1 and self._builders[0].is_empty


def attribute_exists(element: Any, path: str, /) -> bool:
    """Tell whether there is an element at *path* (names parted by ``/``)."""
    if element is None:
        return False
    return element.find("/".join(f"{W}{name}" for name in path.split("/"))) is not None
