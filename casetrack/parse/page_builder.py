"""Builds a page in normal form from paragraphs of source lines.

Only :class:`PageBuilder` joins text, counts offsets and cleans characters, so a chunk's offsets
mean the same in every format.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from casetrack.base.dataclass import dataclass, field
from casetrack.base.provenance import HIDDEN_KINDS, HiddenSpan, PrintedPlace
from casetrack.parse.base import MAX_BLANK, Line, Page, Paragraph
from casetrack.parse.labels import is_form_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from casetrack.base.provenance import Box
    from casetrack.parse.base import ExtractionMethod, PageKind, ParagraphKind

_LINE_BREAKS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl"} | {
    0xFB05: "st",
    0xFB06: "st",
}
# Zero-width and direction marks, the soft hyphen, and noncharacter code points.
_INVISIBLE = (
    0x00AD,
    0x180E,
    *range(0x200B, 0x2010),
    *range(0x202A, 0x202F),
    *range(0x2060, 0x2070),
    0xFEFF,
    0xFFFE,
    0xFFFF,
)


def _character_table() -> dict[int, str | None]:
    table: dict[int, str | None] = {}
    for code in (*range(0x20), *range(0x7F, 0xA0)):
        table[code] = None
    table[0x09] = "\t"
    for char in _LINE_BREAKS:
        table[ord(char)] = " "
    for code in range(0x10000):
        if unicodedata.category(chr(code)) == "Zs":
            table[code] = " "
    table |= dict.fromkeys(_INVISIBLE)
    table |= dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
    return table | _LIGATURES


_TABLE = _character_table()
_WITH_JOINERS = {c: to for c, to in _TABLE.items() if c not in {0x200C, 0x200D}}
# Scripts whose letters change next to a joiner: Arabic, Syriac and N'Ko with their supplements,
# Devanagari to Sinhala, Burmese, Khmer, Mongolian, and the forms of Arabic letters.
_JOINING = (
    r"\u0600-\u07ff\u0840-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u17ff\u1820-\u18aa"
    r"\ufb50-\ufdff\ufe70-\ufefc"
)
_JOINERS = re.compile(rf"([{_JOINING}]?)([\u200c\u200d]+)(?=([{_JOINING}]?))")
_LONG_BLANK = re.compile(rf"\s{{{MAX_BLANK - 1},}}")

# Enough for the names of thirty columns; truncated names would belong to other columns.
_HEADER_CHARS = 2000
_STAR = re.compile("\ufdd0(\\d{1,6})\ufdd1")
_HIDDEN = re.compile(f"\ufdd2({'|'.join(HIDDEN_KINDS)})\ufdd3([^\ufdd2-\ufdd4]*)\ufdd4?")


def star_mark(label: str, /) -> str:
    """Return the mark of a star page in a source line, of noncharacters; the builder removes it."""
    return f"\ufdd0{label}\ufdd1"


def hidden_mark(kind: str, text: str, /, by: str = "", *, is_labelled: bool = False) -> str:
    """Return hidden text for a source line, with a label unless *is_labelled*."""
    by = " ".join(by.split())
    label = "" if is_labelled else f"{HIDDEN_KINDS[kind]}{f' by {by}' if by else ''}: "
    return f"\ufdd2{kind}\ufdd3{label}{text}\ufdd4"


def whole_hidden(text: str, /) -> tuple[HiddenSpan, ...]:
    """Return the span of a page that is completely hidden."""
    return (HiddenSpan("hidden", 0, len(text)),) if text else ()


def clean_text(text: str, /) -> str:
    """Return *text* as one line of a page, with readable characters only.

    Removes control, zero-width and direction characters and soft hyphens, except joiners of Persian
    and Indic words (U+200C, U+200D). Line breaks and spaces become a plain space (tabs stay), Latin
    ligatures letters, lone surrogates U+FFFD. Runs of white space are cut to ``MAX_BLANK - 2``, so
    that a paragraph break before them fits; trailing white space is dropped.
    """
    if not (text.isascii() and text.isprintable()):
        if "\u200c" in text or "\u200d" in text:
            text = _JOINERS.sub(_spelling_joiner, text.translate(_WITH_JOINERS))
        else:
            text = text.translate(_TABLE)
    text = text.rstrip()
    if len(text) < MAX_BLANK:
        return text
    return _LONG_BLANK.sub(lambda m: m.group()[: MAX_BLANK - 2], text)


def _spelling_joiner(match: re.Match[str]) -> str:
    """Keep a non-joiner between two joining letters, and a joiner next to one of them."""
    before, joiner, after = match[1], match[2][0], match[3]
    spells = before and after if joiner == "\u200c" else before or after
    return before + joiner if spells else before


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A line from a reader; *number* is that in the source, the next one for ``None``."""

    text: str
    number: int | None = None
    box: Box | None = None
    row: int | None = None
    column_start: int | None = None
    column_end: int | None = None
    confidence: float | None = None


@dataclass(eq=False, slots=True)
class PageBuilder:
    """Collects the paragraphs of one page, then builds the :class:`Page`.

    *method* becomes ``"Skipped"`` for a page without text; *is_estimated* marks a guessed page
    number; *header* and *footer* are not in the text; *keep_indent* keeps white space at line
    starts.
    """

    number: int
    method: ExtractionMethod = "Native"
    width: float | None = None
    height: float | None = None
    is_estimated: bool = False
    sheet_name: str | None = None
    kind: PageKind = "page"
    header: str | None = None
    footer: str | None = None
    ocr_engine: str | None = None
    keep_indent: bool = False
    length: int = field(default=0, init=False)
    _parts: list[str] = field(default_factory=list, init=False)
    _last_number: int = field(default=0, init=False)
    _stars: list[tuple[str, int]] = field(default_factory=list, init=False)
    _hidden: list[HiddenSpan] = field(default_factory=list, init=False)
    _lines: list[Line] = field(default_factory=list, init=False)
    _paragraphs: list[Paragraph] = field(default_factory=list, init=False)

    @property
    def is_empty(self) -> bool:
        """Whether no text has been added yet."""
        return not self._lines

    def paragraph(
        self,
        lines: Iterable[SourceLine],
        /,
        *,
        kind: ParagraphKind = "body",
        level: int | None = None,
        header: str | None = None,
        symbols: tuple[str, ...] = (),
    ) -> None:
        """Add one paragraph of *lines* with ascending numbers; form lines are never headings.

        *header* is that of a table whose rows do not name their columns, or the enclosing
        definitions, and *symbols* those that begin in it.
        """
        if kind == "heading":
            lines = tuple(lines)
            if is_form_line(" ".join(line.text for line in lines)):
                kind = "body"
        first = len(self._lines)
        for line in lines:
            self._line(line, opens=len(self._lines) == first)
        if len(self._lines) > first:
            self._paragraphs.append(
                Paragraph(
                    self._lines[first].start,
                    self._lines[-1].end,
                    len(self._paragraphs) + 1,
                    kind,
                    level if kind == "heading" else None,
                    clean_title(header, limit=_HEADER_CHARS) if kind in {"table", "code"} else None,
                    symbols,
                )
            )

    def _line(self, line: SourceLine, *, opens: bool) -> None:
        number = self._last_number + 1 if line.number is None else line.number
        self._last_number = number
        source, stars = line.text, list[tuple[str, int]]()
        while "\ufdd0" in source and (match := _STAR.search(source)):
            # The text before the mark is cleaned first, since the mark's position is counted in
            # clean text.
            before = clean_text(source[: match.start()]).lstrip()
            stars.append((match[1], len(before)))
            source = source[: match.start()] + source[match.end() :]
        if stars and stars[0][1] == 0:
            source = source.lstrip()
        hidden = list[tuple[str, int, int]]()
        while "\ufdd2" in source and (match := _HIDDEN.search(source)):
            head, inside = source[: match.start()], match[2]
            first, last = (len(clean_text(part).lstrip()) for part in (head, head + inside))
            hidden.append((match[1], first, last))
            source = head + inside + source[match.end() :]
        text = clean_text(source)
        body = text.lstrip()
        if not body:
            self._stars += [(label, self.length) for label, _ in stars]
            return
        if not self.keep_indent or not self._lines:
            text = body
        if self._lines:
            separator = "\n\n" if opens else "\n"
            self._parts.append(separator)
            self.length += len(separator)
        start = self.length + len(text) - len(body)
        self._stars += [(label, start + offset) for label, offset in stars]
        self._hidden += [HiddenSpan(kind, start + a, start + b) for kind, a, b in hidden if a < b]
        self._parts.append(text)
        self.length += len(text)
        self._lines.append(
            Line(
                start,
                self.length,
                number,
                line.box,
                line.row,
                line.column_start,
                line.column_end,
                line.confidence,
            )
        )

    def build(self) -> Page:
        """Return the page in normal form."""
        text = "".join(self._parts)
        return Page(
            number=self.number,
            text=text,
            lines=tuple(self._lines),
            paragraphs=tuple(self._paragraphs),
            method=self.method if self._lines else "Skipped",
            width=self.width,
            height=self.height,
            is_estimated=self.is_estimated,
            sheet_name=self.sheet_name if self.sheet_name is None else _name(self.sheet_name),
            ocr_confidence=self._confidence(),
            ocr_engine=self.ocr_engine,
            kind=self.kind,
            header=clean_title(self.header),
            footer=clean_title(self.footer),
            printed=self._printed(text),
            hidden=tuple(self._hidden),
        )

    def _printed(self, text: str) -> tuple[PrintedPlace, ...]:
        """Return the star pages, each from its first word to the end of the text."""
        begun = ((label, _word_from(text, start)) for label, start in self._stars)
        end = len(text)
        return tuple(PrintedPlace("star", label, at, end) for label, at in begun if at < end)

    def _confidence(self) -> float | None:
        """Return the mean over the recognized lines, weighted by length."""
        known = [(x.confidence, x.end - x.start) for x in self._lines if x.confidence is not None]
        if not known:
            return None
        return sum(value * length for value, length in known) / sum(n for _, n in known)


def _word_from(text: str, start: int) -> int:
    while start < len(text) and text[start].isspace():
        start += 1
    return start


def _name(text: str) -> str:
    """Clean a sheet's name; an invisible name becomes ``?``."""
    return clean_text(text).strip() or "?"


def clean_title(text: str | None, /, *, limit: int = 500) -> str | None:
    """Return a title or author on one line with single spaces, or ``None``."""
    if not text:
        return None
    words = clean_text(text[: 4 * limit]).split()
    return " ".join(words)[:limit].rstrip() or None
