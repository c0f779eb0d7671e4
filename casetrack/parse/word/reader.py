"""Read DOCX: body in document order, lists with numbers, tables as rows, notes, text boxes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from casetrack.base.errors import FileEncrypted
from casetrack.base.provenance import PrintedPlace
from casetrack.parse.base import DEFAULT_OPTIONS, DocumentInfo, FileHead, Page, Reading, ReadOptions
from casetrack.parse.detect import OLE_MAGIC, ZIP_MAGIC
from casetrack.parse.drawn.text import Block
from casetrack.parse.embedded import take_embedded
from casetrack.parse.labels import is_form_line, number_text
from casetrack.parse.layout.blocks import depth_by_number
from casetrack.parse.package import Package
from casetrack.parse.page_builder import PageBuilder, SourceLine
from casetrack.parse.passwords import decrypted
from casetrack.parse.printed.number_columns import LEAST, MOST
from casetrack.parse.word.parts import Parts, W, is_on
from casetrack.parse.word.story import SideStory, Story, section_starts_page
from casetrack.parse.word.text import Mark, Note

# Divides the body of a Word document into pages with headers, footers, notes and comments. Pages
# follow the breaks in the file: Word's last layout, page breaks of the author, sections. Headers
# and footers are in the text of the first page that has them, then only in its ``header`` and
# ``footer``. Notes and comments are on the page that refers to them.

# Headers and footers of Word documents: those of each page, and their text on it.

_RELATION_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_NUMBER = "\x00"
"""Placeholder of a page number until it is known; XML cannot contain this character."""
_SEPARATOR = " | "

HeadKind = Literal["header", "footer"]


@dataclass(frozen=True, slots=True)
class Heads:
    """The header or the footer of one page; a new one belongs to the page's text."""

    blocks: tuple[Block, ...] = ()
    is_new: bool = False

    @property
    def line(self) -> str | None:
        """Its text on one line."""
        lines = (line.strip() for block in self.blocks for line in block.lines)
        return _SEPARATOR.join(line for line in lines if line) or None


class RunningHeads:
    """Returns the headers and footers of pages in order; *shown* is the last page's number."""

    def __init__(self, parts: Parts, sections: list[Any]) -> None:
        self._parts, self._sections = parts, sections
        self._texts: dict[str, tuple[Block, ...]] = {}
        self._seen: set[tuple[tuple[str, ...], ...]] = set()
        self._number = 0
        self.shown: str | None = None

    def page(self, section: int, *, is_first: bool) -> tuple[Heads, Heads]:
        """Return header and footer of the next page, which begins in a *section*."""
        own = self._sections[section] if section < len(self._sections) else None
        self._number += 1
        form = "decimal"
        numbers = None if own is None else own.find(f"{W}pgNumType")
        if numbers is not None:
            start = numbers.get(f"{W}start", "")
            form = numbers.get(f"{W}fmt", form)
            if is_first and start.isdecimal() and len(start) <= 6:
                self._number = int(start)
        kind = "default"
        if is_first and is_on(own, "titlePg"):
            kind = "first"
        elif self._parts.has_even_heads and self._number % 2 == 0:
            kind = "even"
        shown = number_text(self._number, form)
        self.shown = None
        return (
            self._head("header", kind, section, shown),
            self._head("footer", kind, section, shown),
        )

    def _head(self, what: HeadKind, kind: str, section: int, number: str) -> Heads:
        blocks = self._blocks(self._relation(what, kind, section))
        key = tuple(block.lines for block in blocks)
        is_new = key not in self._seen
        if any(_NUMBER in line for block in blocks for line in block.lines):
            self.shown = number
        self._seen.add(key)
        numbered = tuple(
            Block(
                tuple(line.replace(_NUMBER, number) for line in block.lines),
                "body" if block.kind == "heading" else block.kind,
            )
            for block in blocks
        )
        return Heads(numbered, is_new)

    def _relation(self, what: HeadKind, kind: str, section: int) -> str | None:
        """Return the relation of a section's header, inherited from the section before."""
        for own in reversed(self._sections[: section + 1]):
            for reference in own.iterfind(f"{W}{what}Reference"):
                if reference.get(f"{W}type", "default") == kind:
                    return str(reference.get(_RELATION_ID, ""))
        return None

    def _blocks(self, relation: str | None) -> tuple[Block, ...]:
        root = None if relation is None else self._parts.heads.get(relation)
        if relation is None or root is None:
            return ()
        if relation not in self._texts:
            blocks = SideStory(self._parts, _NUMBER).blocks(root)
            self._texts[relation] = tuple(_without_line_numbers(blocks))
        return self._texts[relation]


def _without_line_numbers(blocks: Sequence[Block]) -> Iterator[Block]:
    """Yield blocks without the numbers 1 to 28 in the header of pleading paper."""
    lines = [line.strip() for block in blocks for line in block.lines]
    first = next((i for i, line in enumerate(lines) if line == "1"), len(lines))
    last = first
    while last < len(lines) and lines[last] == str(last - first + 1):
        last += 1
    if not LEAST <= last - first <= MOST:
        yield from blocks
        return
    at = 0
    for block in blocks:
        numbered = enumerate(block.lines, start=at)
        at += len(block.lines)
        kept = tuple(line for i, line in numbered if not first <= i < last)
        if kept:
            yield replace(block, lines=kept)


# Finds headings in Word documents that have no heading styles: short, and larger or bold.

_MAX_CHARS, _MAX_SENTENCE, _MAX_LEVEL, _MAX_SIZES = 150, 80, 6, 12
_LARGER = 1.12
"""Minimum ratio of the size of a heading to that of the text."""
_USUAL_SHARE = 0.2
"""Maximum share of the text with the size of headings."""
_NUMBERED = re.compile(r"(\d{1,3}(?:\.\d{1,3}){0,4})\.?\)?\s+\S")
_WORD = re.compile(r"[^\W\d_]{3,}")
# Leaders of a table of contents, addresses, bare numbers, labels of several fields.
_NO_HEADING = re.compile(
    r"\.{4,}|\t|@|https?:|^\W*\d[\d.,\s%$\u20ac-]*$"
    r"|\w:\s.*\w:(?:\s|$)",
    re.IGNORECASE,
)
_CONNECTING = frozenset(("and", "or", "by", "by and between", "between", "among", "with"))


class HeadingEvidence:
    """Judges paragraphs by their look, unless the document has heading styles."""

    def __init__(self, parts: Parts) -> None:
        self._styles = parts.styles
        self._applies = False
        self._body_size, self._body_is_bold = 10.0, False
        self._sizes: list[float] = []
        paragraphs = list(parts.body.iter(f"{W}p"))
        if any(self._styles.heading_level(p.find(f"{W}pPr")) is not None for p in paragraphs):
            return
        self._applies = True
        self._measure(paragraphs)

    def _measure(self, paragraphs: list[Any]) -> None:
        chars: dict[float, int] = {}
        bold = 0
        for paragraph in paragraphs:
            for count, size, is_bold in self._runs(paragraph):
                chars[size] = chars.get(size, 0) + count
                bold += count * is_bold
        total = sum(chars.values())
        if not total:
            return
        self._body_size = max(chars, key=lambda size: (chars[size], size))
        self._body_is_bold = 2 * bold > total
        self._sizes = sorted(
            (
                size
                for size, count in chars.items()
                if size >= _LARGER * self._body_size and count < _USUAL_SHARE * total
            ),
            reverse=True,
        )

    def _runs(self, paragraph: Any) -> list[tuple[int, float, bool]]:
        """Return the length, size and boldness of the runs with visible text."""
        look = self._styles.paragraph_look(paragraph.find(f"{W}pPr"))
        runs = []
        for run in paragraph.iter(f"{W}r"):
            count = sum(len((t.text or "").strip()) for t in run.iterfind(f"{W}t"))
            if count:
                own = self._styles.run_look(run.find(f"{W}rPr"), look)
                if not own.is_hidden:
                    runs.append((count, own.size or self._body_size, bool(own.is_bold)))
        return runs

    def level(self, paragraph: Any, text: str, /) -> int | None:
        """Return the level of a body paragraph that is a heading, else ``None``."""
        if not self._applies or not _could_be(text):
            return None
        runs = self._runs(paragraph)
        if not runs:
            return None
        size = max(size for _, size, _ in runs)
        if size >= _LARGER * self._body_size:
            if len(self._sizes) > _MAX_SIZES or size not in self._sizes:
                return None
            if text[-1] == "." and len(text) > _MAX_SENTENCE:
                return None
            return min(1 + self._sizes.index(size), _MAX_LEVEL)
        if self._body_is_bold or not all(is_bold for _, _, is_bold in runs):
            return None
        numbered = _NUMBERED.match(text)
        if text[-1] == ":" or (text[-1] == "." and not (numbered and len(text) <= _MAX_SENTENCE)):
            return None
        return min(min(len(self._sizes), 3) + 1 + depth_by_number(text), _MAX_LEVEL)


def _could_be(text: str) -> bool:
    if not 0 < len(text) <= _MAX_CHARS or sum(map(str.isalpha, text)) < 3:
        return False
    if text[-1] in ",;" or _NO_HEADING.search(text) or is_form_line(text):
        return False
    if not _WORD.search(text):
        return False
    return text.lower().strip(".:") not in _CONNECTING


@dataclass(slots=True)
class _Draft:
    section: int
    is_first: bool
    blocks: list[Block] = field(default_factory=list)
    comments: list[Block] = field(default_factory=list)
    notes: list[Block] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        return not (self.blocks or self.comments or self.notes)


class Body(Story):
    """Walks the body and fills pages."""

    def __init__(self, parts: Parts) -> None:
        super().__init__(parts)
        self._sections = [
            s
            for s in parts.body.iter(f"{W}sectPr")
            if not str(s.getparent().tag).endswith("PrChange")
        ]
        self._section = 0
        self._drafts = [_Draft(0, is_first=True)]
        self._counts = {"footnote": 0, "endnote": 0}
        self._last_break: Mark | None = None
        self._has_breaks = False
        self._is_numbered = False
        self._headings = HeadingEvidence(parts)

    def pages(self) -> list[Page]:
        """Return all pages of the document."""
        self._walk(self._parts.body, 0)
        self._close_joined()
        # Comments whose position was deleted or hidden.
        for identity in [name for kind, name in self._parts.side_texts if kind == "comment"]:
            self._comment(identity)
        while len(self._drafts) > 1 and self._drafts[-1].is_empty:
            self._drafts.pop()
        heads = RunningHeads(self._parts, self._sections)
        return [self._page(n, draft, heads) for n, draft in enumerate(self._drafts, start=1)]

    def _page(self, number: int, draft: _Draft, heads: RunningHeads) -> Page:
        header, footer = heads.page(draft.section, is_first=draft.is_first)
        builder = PageBuilder(
            number,
            is_estimated=not self._has_breaks,
            header=None if header.is_new else header.line,
            footer=None if footer.is_new else footer.line,
        )
        for blocks in (
            header.blocks if header.is_new else (),
            draft.blocks,
            draft.comments,
            draft.notes,
            footer.blocks if footer.is_new else (),
        ):
            _write(builder, blocks)
        page = builder.build()
        self._is_numbered = self._is_numbered or heads.shown not in {None, str(number)}
        # Without breaks the whole document is one page here, but many in print.
        is_told = self._has_breaks and self._is_numbered and page.text
        if heads.shown is None or not is_told:
            return page
        printed = PrintedPlace("page", heads.shown, 0, len(page.text))
        return replace(page, printed=(*page.printed, printed))

    # --- content -----------------------------------------------------------------------------

    def _add(self, block: Block) -> None:
        self._last_break = None
        self._drafts[-1].blocks.append(block)

    def _heading_level(self, paragraph: Any, text: str) -> int | None:
        return self._headings.level(paragraph, text)

    def _note(self, note: Note) -> str:
        """Return a note's sign, and add its text to the foot of the page."""
        element = self._parts.side_texts.get((note.kind, note.identity))
        if element is None:
            return ""
        sign = ""
        if not note.has_sign:
            self._counts[note.kind] += 1
            form = "decimal" if note.kind == "footnote" else "lowerRoman"
            sign = f"[{number_text(self._counts[note.kind], form)}]"
        lines = SideStory(self._parts).lines(element)
        if lines:
            lines[0] = f"{sign} {lines[0]}" if sign else lines[0]
            self._drafts[-1].notes.append(Block(tuple(lines), "footnote"))
        return sign

    def _comment(self, identity: str) -> None:
        element = self._parts.side_texts.pop(("comment", identity), None)
        lines = [] if element is None else SideStory(self._parts).lines(element)
        if lines:
            author = " ".join(element.get(f"{W}author", "").split())
            lines[0] = f"{f'Comment by {author}' if author else 'Comment'}: {lines[0]}"
            self._drafts[-1].comments.append(Block(tuple(lines), "quote"))

    def _target(self, relation: str) -> str:
        return self._parts.links.get(relation, "")

    def _end_section(self, section: Any) -> None:
        index = next((i for i, s in enumerate(self._sections) if s is section), self._section)
        self._section = index + 1
        following = self._sections[index + 1] if index + 1 < len(self._sections) else section
        if section_starts_page(following):
            self._break(Mark.PAGE, opens_section=True)

    # --- pages -------------------------------------------------------------------------------

    def _break(self, mark: Mark, *, opens_section: bool = False) -> None:
        """Begin a page; Word's own break directly after the author's break is the same one."""
        self._has_breaks = True
        is_same = mark is Mark.RENDERED_PAGE and self._last_break is not None
        at_start = mark is Mark.RENDERED_PAGE and self._is_untouched()
        if is_same or at_start:
            self._last_break = mark
            return
        if mark is Mark.PAGE and self._last_break is Mark.RENDERED_PAGE:
            # The reverse order: Word's own break precedes the author's break that caused it.
            self._last_break = mark
            self._drafts[-1].section = self._section
            self._drafts[-1].is_first |= opens_section
            return
        is_first = opens_section or self._section != self._drafts[-1].section
        self._drafts.append(_Draft(self._section, is_first))
        self._last_break = mark

    def _is_untouched(self) -> bool:
        return len(self._drafts) == 1 and not self._drafts[0].blocks


def _write(builder: PageBuilder, blocks: Iterable[Block]) -> None:
    for block in blocks:
        builder.paragraph(
            [SourceLine(line) for line in block.lines], kind=block.kind, level=block.level
        )


class DocxReader:
    """Word documents (Office Open XML)."""

    name = "DOCX"
    extensions: tuple[str, ...] = (".docx", ".docm", ".dotx", ".dotm")

    def accepts(self, file: FileHead, /) -> bool:
        """Accept a container with a Word folder, a damaged container, or an encrypted document."""
        if file.head.startswith(ZIP_MAGIC):
            return not file.members or any(m.startswith("word/") for m in file.members)
        return file.head.startswith(OLE_MAGIC) and "EncryptedPackage" in file.members

    def read(self, path: Path, options: ReadOptions = DEFAULT_OPTIONS, /) -> Reading:
        """Open the container; see :class:`casetrack.parse.base.Reader`."""
        with decrypted(path, options, self.name) as content:
            return read_docx(path, options, content)


def read_docx(
    path: Path,
    options: ReadOptions,
    content: Path,
    /,
    *,
    file_format: str = "docx",
    unstable_fields: frozenset[str] = frozenset(),
) -> Reading:
    """Read a document from *content*; omit results of *unstable_fields*."""
    with content.open("rb") as file:
        if file.read(len(OLE_MAGIC)) == OLE_MAGIC:
            raise FileEncrypted(path)
    with Package(path, DocxReader.name, content=content, limits=options.limits) as package:
        parts = Parts.of(package)
        facts = package.facts(parts.warnings)
        embedded = Reading(DocumentInfo(file_format, 0), iter(()), missing=parts.missing)
        take_embedded(package, embedded, options)
    parts.unstable_fields = unstable_fields
    pages = Body(parts).pages()
    if parts.left_out_fields:
        names = ", ".join(sorted(parts.left_out_fields))
        parts.warnings.append(
            f"Fields whose value depends on the day or the place of reading were left out: {names}."
        )
    info = DocumentInfo(
        file_format,
        len(pages),
        facts.title,
        facts.author,
        facts.created_at,
        facts.modified_at,
        facts.properties,
    )
    return Reading(info, iter(pages), parts.warnings, parts.missing, embedded.attachments)
