"""Groups visual lines into paragraphs: body text, headings with levels, lists, tables."""

from __future__ import annotations

import bisect
import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from casetrack.base.words.lists import any_month
from casetrack.extract.tables.model import is_caption
from casetrack.parse.labels import is_form_line

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence

    from casetrack.parse.base import ParagraphKind
    from casetrack.parse.layout.lines import TextLine
    from casetrack.parse.layout.segments import Segment, Tag

_BULLET = re.compile(
    r"[\u2022\u2023\u25aa\u25cf\u25a0\u25e6\u25cb\u2043\u2219\u00b7\uf0b7\u2756\u27a2]\s*\S|[-\u2013*]\s+\S"
)
_ENUMERATOR = re.compile(r"\(?(?:[a-z]{1,2}|[ivxlc]{1,5}|[A-Z]|\d{1,3})\)\s")
_NUMBERED = re.compile(r"(\d{1,3}(?:\.\d{1,3}){0,4})\.?\)?\s+\S")
_DEEP = re.compile(r"\d{1,2}(?:\.\d{1,2})+\.?\s+[^\W\d_]")
_NAMED = re.compile(
    r"(?:(article|chapter|part|title|division|schedule|exhibit|annex|appendix|attachment|item)"
    r"|(section|clause|rule|\u00a7{1,2}))\s*(?-i:\d|[A-Z]{1,8}\b)",
    re.IGNORECASE,
)
# A number and a title: ``1.1 Notice``, ``VII. Permits and Conditions``.
_TITLED = re.compile(
    r"(?:\d{1,3}(?:\.\d{1,3}){1,3}\.?|(?:[IVXLC]{1,5}|\d{1,2})\.|\u00a7\s?\d{1,4}[a-z]?[\s.\u2013-]*)"
    r"\s+([A-Z].{3,60})"
)
_ENDS_SENTENCE = re.compile(r"[.!?:;][\"'\u201d\u2019)\]]*$")
_NO_HEADING = re.compile(
    r"\.{4,}|@|https?:|^\W*\d[\d.,\s%$\u20ac-]*(?-i:[a-z]+)?$|^(?:page\s+)?[-\u2013]?\s*\d+\s*[-\u2013]?$"
    # Labels of several fields, or of a number.
    r"|\w:\s.*\w:(?:\s|$)|\w:\s\S*\d\S*$"
    # A line in brackets, the end of an address.
    r"|^\(.*\)$|\b\d{5,}(?:-\d+)?$",
    re.IGNORECASE,
)
_MONTH = any_month("en_short")
# Dates, notes in brackets, codes, a defined term in quotes, marks of omission.
_NOT_NAMED_SO = re.compile(
    rf"(?:dated?:?\s+|as of\s+)?(?:(?:{_MONTH})[a-z]*\.?\s+\d{{1,2}}(?:st|nd|rd|th)?,?\s+\d{{4}}"
    rf"|\d{{1,2}}\.?\s+(?:{_MONTH})[a-z]*\.?,?\s+\d{{4}})"
    r"|\[.*\]\.?|\S*\d\S*-\S+|\S+-\S*\d\S*|[\"\u201c][^\"\u201d]*[\"\u201d]|\*{2,}.*",
    re.IGNORECASE,
)
_SIGNATURE = re.compile(r"(?:/s/|(?:by|name|title|its|signed|signature|date)\s*:)", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{3,}")
_LONG_WORD = re.compile(r"[^\W\d_]{5,}")
_INTRODUCES = re.compile(r"\b(?:follow(?:s|ing)|that|to|of|by|are|is)\s*:$")
_NUMBER = re.compile(
    r"(?:[\divxlc]+(?:[.-]\d+)*|[A-Z])[.):]?\s|\w+ [\dIVXLC]+[\d.-]*\b", re.IGNORECASE
)
_FIGURE = re.compile(r"\W*(?:figure|fig|table|tab)\b", re.IGNORECASE)
_FOLIO = re.compile(r"\d{2,3}\s+[^\W\d]")
_YEAR = re.compile(r"(?:19|20)\d\d")
_PAGE_NUMBER = re.compile(r"\s(?:\d{1,4}|[ivxl]{1,6})$")
_JOINING = frozenset(("and", "or", "by", "by and between", "between", "among", "page", "with"))
_HEADING_CHARS, _HEADING_LINES = 150, 3
_TITLE_CHARS, _TITLE_LINES = 250, 5
_MAX_LEVEL = 6
_RARE_FONT, _NEARLY_ALWAYS, _TEXT_CHARS = 0.15, 0.6, 30
_MOSTLY = 0.4
_TEXT_SHARE, _TEXT_LETTERS = 0.5, 2000
_SMALLER = 0.93
"""Largest share of a heading's size that a running line has; pages can be scaled a little."""
_LEAST_CAPITALS, _LEAST_BLANKS = 0.75, 1
_KINDS: dict[str, ParagraphKind] = {
    "heading": "heading", "list": "list", "quote": "quote", "footnote": "footnote",
}  # fmt: skip
_NEVER = frozenset({"caption", "contents"})
_LEAST_SIZE, _TEXT_SIZE, _DISPLAY_SIZE = 0.85, 0.95, 1.4
# Names of people, with raised marks or in a list.
_NAME = r"[A-Z][\w.'\u2019-]*(?: [\w.'\u2019-]*[A-Z][\w.'\u2019-]*){1,3}"
_PEOPLE = re.compile(
    rf"{_NAME}[\d,; ]*[\u2217*\u2020\u2021\u00a7].*"
    rf"|(?:and )?{_NAME}(?: ?[\d,][\W\d]*(?:and )?{_NAME}){{2,}}[\W\d]*"
)
_LABEL_CHARS, _SHOUT_CHARS, _ENOUGH_TEXT = 40, 100, 75
_QUOTE_MARKS = '"\u201c\u201e\u00ab\u2018'
_QUOTE_INDENT, _QUOTE_WIDTH, _QUOTE_LETTERS = 1.8, 15.0, 0.75


@dataclass(slots=True)
class Block:
    """A paragraph before it becomes part of a page; *header* is a table's header row."""

    lines: list[TextLine]
    kind: ParagraphKind = "body"
    level: int | None = None
    header: str | None = None

    @property
    def tag(self) -> Tag | None:
        """The block of the document's structure with its first line."""
        return self.lines[0].tag

    @property
    def is_tagged_heading(self) -> bool:
        """Whether the document's structure has it as a heading."""
        return self.tag is not None and self.tag.role == "heading"


@dataclass(frozen=True, slots=True)
class TextProfile:
    """Usual text style of a document: *body_size* in points, heading sizes from the largest.

    *heading_fonts* are fonts of the size of the text that nearly always head a paragraph of it;
    *text_styles* are larger sizes, with weight, in which whole paragraphs are set.
    *has_tags* means that the file tags its headings, so that other text is none.
    """

    body_size: float
    heading_sizes: tuple[float, ...] = ()
    is_bold: bool = False
    font: str = ""
    heading_fonts: frozenset[str] = frozenset()
    text_styles: frozenset[tuple[float, bool]] = frozenset()
    has_tags: bool = False

    @classmethod
    def of(cls, *pages: Sequence[Segment]) -> TextProfile:
        """Measure pages of a document."""
        chars: Counter[float] = Counter()
        fonts: Counter[str] = Counter()
        styles: Counter[tuple[float, bool]] = Counter()
        in_text: Counter[tuple[float, bool]] = Counter()
        bold = 0
        for s in chain(*pages):
            # Letters only: amounts in tables are no evidence of the size of the text.
            count = 10 * sum(map(str.isalpha, s.text)) or len(s.text.strip())
            chars[round(2 * s.size) / 2] += count
            fonts[s.font] += count
            style = round(2 * s.size) / 2, s.bold
            styles[style] += count
            in_text[style] += 0 if _may_head(s.text) else count
            bold += count * s.bold
        total = chars.total()
        if not total:
            return cls(10.0)
        body = max(chars, key=lambda size: (chars[size], size))
        larger = [s for s, n in chars.items() if s >= 1.12 * body and n < 0.2 * total]
        rare = {font for font, n in fonts.items() if font and n < _RARE_FONT * total}
        heads: Counter[str] = Counter()
        for page in pages:
            for font, count in _heading_fonts(page, rare, body):
                heads[font] += count
        usual = frozenset(f for f, n in heads.items() if n >= _NEARLY_ALWAYS * fonts[f])
        font = max(fonts, key=lambda font: (fonts[font], font))
        sizes, is_bold = tuple(sorted(larger, reverse=True)), 2 * bold > total
        looks = {
            s.tag
            for s in chain(*pages)
            if s.tag is not None and s.tag.cell is None and _may_head(s.text)
            and (s.size >= 1.12 * body or (s.bold and not is_bold))
        }  # fmt: skip
        has_tags = sum(tag.role == "heading" for tag in looks) > _MOSTLY * len(looks)
        texts = frozenset(
            style
            for style, count in in_text.items()
            if count > _TEXT_SHARE * styles[style] and count > _TEXT_LETTERS
        )
        return cls(body, sizes, is_bold, font, usual, texts, has_tags)


def _heading_fonts(
    page: Sequence[Segment], fonts: Container[str], body: float
) -> Iterator[tuple[str, int]]:
    """Yield fonts and weights of short lines in one of *fonts* that head a line of text."""
    lines = sorted(
        (s.v0, s.u0)
        for s in page
        if s.font not in fonts and len(s.text) >= _TEXT_CHARS and s.size < 1.12 * body
    )
    for s in page:
        if s.font not in fonts or s.size < _LEAST_SIZE * body or not _may_head(s.text):
            continue
        near = bisect.bisect(lines, (s.v0 + 0.5 * s.size,))
        while near < len(lines) and lines[near][0] < s.v0 + 4 * s.size:
            if abs(lines[near][1] - s.u0) < 2.5 * s.size:
                yield s.font, 10 * sum(map(str.isalpha, s.text))
                break
            near += 1


@dataclass(slots=True)
class BlockFinder:
    """Finds the paragraphs of a document's pages; *outline* has levels by page and heading text.

    *looks* are size and weight of the headings so far, by text.
    """

    profile: TextProfile
    outline: Mapping[tuple[int, str], int] = field(default_factory=dict)
    page: int = 0
    looks: dict[str, tuple[float, bool]] = field(default_factory=dict)

    @property
    def plain_level(self) -> int:
        """The level of a heading in the size of the text."""
        return min(len(self.profile.heading_sizes), 3) + 1

    def find(self, lines: Sequence[TextLine], /) -> list[Block]:
        """Divide lines, in reading order, into paragraphs."""
        leading = _leading(lines)
        blocks: list[Block] = []
        for line in lines:
            if not line.text:
                continue
            line.bold = line.bold or line.font in self.profile.heading_fonts
            if blocks and not self._starts(blocks[-1], line, leading):
                blocks[-1].lines.append(line)
            else:
                blocks.append(Block([line]))
        for block in blocks:
            self._classify(block)
        for after, block in pairwise(reversed(blocks)):
            if not self.profile.has_tags and _heads_text(block, after):
                depth = depth_by_number(block.lines[0].text)
                block.kind, block.level = "heading", min(self.plain_level + depth, _MAX_LEVEL)
            elif (
                block.kind == "heading"
                and not block.is_tagged_heading
                and (
                    # The name of a party over its signature.
                    _SIGNATURE.match(after.lines[0].text) or self._is_label(block, after)
                )
            ):
                block.kind, block.level = "body", None
        return blocks

    def unname_margins(self, blocks: Sequence[Block], /) -> None:
        """Make running lines text that the edges of the pages did not show, in place.

        They have a page number, or repeat a heading smaller or lighter.
        """
        heads = {outline_key(b.lines[0].text): b for b in blocks[1:-1] if b.kind == "heading"}
        for block in {id(b): b for b in (*blocks[:1], *blocks[-1:])}.values():
            line = block.lines[0]
            key = outline_key(line.text)
            size, is_bold = self.looks.get(key, (0.0, False))
            if (
                block.kind != "heading"
                or block.is_tagged_heading
                or (self.page, key) in self.outline
            ):
                continue
            is_small = line.size < 1.12 * self.profile.body_size and len(block.lines) == 1
            if is_small and (
                _FOLIO.match(line.text)
                or (block is blocks[-1] and _PAGE_NUMBER.search(line.text))
                or key in heads
                or line.size < _SMALLER * size
                or line.bold < is_bold
            ):
                block.kind, block.level = "body", None
            else:
                heads[key] = block
        for key, block in heads.items():
            self.looks.setdefault(key, (block.lines[0].size, block.lines[0].bold))

    def _starts(self, block: Block, line: TextLine, leading: Mapping[int, float]) -> bool:
        last = block.lines[-1]
        if block.is_tagged_heading and line.tag is last.tag:
            return False
        if line.region != last.region:
            return not _continues_in_column(last, line)
        goes_on = line.text[:1].islower() and _ENDS_SENTENCE.search(last.text) is None
        if line.tag and last.tag and line.tag is not last.tag and not goes_on:
            return True
        table, was_table = line.cells >= 3, last.cells >= 3
        if table != was_table:
            return not _is_near(last, line, leading) or not (line.cells > 1 and last.cells > 1)
        if not _is_near(last, line, leading):
            return True
        if table:
            return False
        if abs(line.size - last.size) > 0.12 * last.size:
            return True
        if line.font != last.font and _DEEP.match(last.text) and not _is_full(last):
            return True
        asks = last.bold and (last.text[-1] == ":" or _NAMED.match(block.lines[0].text))
        if line.bold != last.bold and (asks or _ENDS_SENTENCE.search(last.text) is None):
            # A bold lead-in that continues on the next line is no heading.
            return not _is_full(last)
        if _begins_item(line.text) and (not _is_full(last) or _ENDS_SENTENCE.search(last.text)):
            return True
        if last.bold and not _is_full(last) and (_NAMED.match(line.text) or line.text[0] == "("):
            return True
        return self._is_indented(block, line) or _ends_short(last, line)

    def _is_label(self, block: Block, after: Block) -> bool:
        """Return whether small text is one of several labels of a drawing."""
        is_small = block.lines[0].size < _TEXT_SIZE * self.profile.body_size
        longest = max(len(line.text) for line in after.lines)
        return is_small and after.kind == "body" and longest < _TEXT_CHARS

    def _is_indented(self, block: Block, line: TextLine) -> bool:
        """Return whether *line* has a first-line indent; a hanging indent does not count."""
        last = block.lines[-1]
        step = line.u0 - last.u0
        if not 0.8 * line.size < step < 8 * line.size:
            return False
        if len(block.lines) == 1 and (_begins_item(last.text) or not _is_full(last)):
            return False
        return line.text[:1].isupper() or _begins_item(line.text) or line.text[:1] in '"\u201c('

    def _classify(self, block: Block) -> None:
        first = block.lines[0]
        # Editors tag numbered headings as items of a list.
        is_numbered = first.bold and _NUMBERED.match(first.text)
        if block.tag is not None and block.tag.role in _KINDS:
            if block.tag.role != "heading":
                block.kind = _KINDS[block.tag.role]
            elif _has_length_of_heading(block):
                block.kind, block.level = "heading", block.tag.level
            if block.tag.role != "list" or not is_numbered:
                return
        if sum(1 for line in block.lines if line.cells >= 3) * 2 > len(block.lines):
            block.kind = "table"
            return
        level = self._heading_level(block)
        if level is not None:
            block.kind, block.level = "heading", level
        elif _BULLET.match(first.text) or _ENUMERATOR.match(first.text):
            block.kind = "list"
        elif _is_quote(block):
            block.kind = "quote"

    def _heading_level(self, block: Block) -> int | None:
        text = " ".join(line.text for line in block.lines)
        letters = sum(map(str.isalpha, text))
        size, body = max(line.size for line in block.lines), self.profile.body_size
        if letters < 3 or not _has_length_of_heading(block, is_title=size >= _DISPLAY_SIZE * body):
            return None
        if sum(map(str.isdigit, _YEAR.sub("", text))) > letters:
            return None
        known = self.outline.get((self.page, outline_key(text)))
        if known is not None:
            return min(known, _MAX_LEVEL)
        is_large = size >= _DISPLAY_SIZE * body and len(text) <= 80
        if block.tag and (block.tag.role in _NEVER or (self.profile.has_tags and not is_large)):
            return None
        least = _LEAST_CAPITALS if text.isupper() else _LEAST_SIZE
        if _names_no_part(block, text) or size < least * body:
            return None
        ranks, style = self.profile.heading_sizes, (round(2 * size) / 2, block.lines[0].bold)
        if size >= 1.12 * body and len(ranks) <= 12 and style not in self.profile.text_styles:
            if text[-1] == "." and not is_large:
                return None
            return min(1 + sum(1 for rank in ranks if rank > size + 0.25), _MAX_LEVEL)
        if not self._stands_out(block, text):
            return None
        return min(self.plain_level + depth_by_number(text), _MAX_LEVEL)

    def _stands_out(self, block: Block, text: str) -> bool:
        """Return whether text of the usual size is a heading by its font, number or capitals."""
        numbered, named = _NUMBERED.match(text), _NAMED.match(text)
        capitals = text == text.upper() and sum(map(str.isalpha, text)) >= 4
        bold = all(line.bold for line in block.lines) and not self.profile.is_bold
        is_other = all(line.font not in {"", self.profile.font} for line in block.lines)
        if not (
            bold
            or (capitals and (numbered or named or _is_set_apart(block)))
            or (is_other and _DEEP.match(text))
        ):
            return False
        label = capitals and len(text) <= _LABEL_CHARS and "," not in text
        asks = bold and not capitals and not _INTRODUCES.search(text)
        if text[-1] == ":" and not (label or named or (asks and text.count(" ") >= _LEAST_BLANKS)):
            return False
        if capitals and len(text) > _SHOUT_CHARS and not (numbered or named):
            return False
        return text[-1] != "." or bool(named or (numbered and len(text) <= 80))


def _has_length_of_heading(block: Block, *, is_title: bool = False) -> bool:
    """Return whether a block is short and no sentence of a list."""
    length, last = sum(len(line.text) for line in block.lines), block.lines[-1].text[-1:]
    if last == ";" or (last == "." and _ENUMERATOR.match(block.lines[0].text)):
        return False
    if is_title:
        return length <= _TITLE_CHARS and len(block.lines) <= _TITLE_LINES
    return length <= _HEADING_CHARS and len(block.lines) <= _HEADING_LINES


def _is_title(text: str) -> bool:
    """Return whether a line is a number and a title: words with capitals, not a sentence."""
    match = _TITLED.fullmatch(text)
    if match is None or text[-1] in ".,:;":
        return False
    return all(word[0].isupper() for word in _LONG_WORD.findall(match[1]))


def _heads_text(block: Block, after: Block) -> bool:
    """Return whether a block is a numbered title with text below it, not an item of a list."""
    text, below = block.lines[0].text, after.lines[0].text
    return (
        len(block.lines) == 1
        and block.kind in {"body", "list"}
        and _is_title(text)
        and after.kind == "body"
        and not _is_full(block.lines[0])
        and not _begins_item(below)
        and sum(len(line.text) for line in after.lines) >= _ENOUGH_TEXT
    )


def _names_no_part(block: Block, text: str) -> bool:
    """Return whether a short text is no heading: a list item, names, a date, a line of contents."""
    return bool(
        _NO_HEADING.search(text)
        or is_form_line(text)
        or text[-1] in ",;\u3002"
        or (is_caption(text) and _FIGURE.match(text))
        or (max(line.cells for line in block.lines) > 1 and not _NUMBER.match(text))
        or _BULLET.match(text)
        or text.lower().strip(".:") in _JOINING
        or not _WORD.search(text)
        or _NOT_NAMED_SO.fullmatch(text)
        or (block.lines[-1].cells > 1 and _PAGE_NUMBER.search(text))
        or block.lines[0].cells >= 3
        or _PEOPLE.fullmatch(text)
        or any(map(_is_sideways, block.lines))
    )


def outline_key(text: str, /) -> str:
    """Return the form of a heading that is compared with a document's outline."""
    return "".join(text.lower().split())


def _is_sideways(line: TextLine) -> bool:
    """Return whether a line runs up or down the page."""
    return abs(line.box.x1 - line.box.x0 - line.u1 + line.u0) > line.size


def _may_head(text: str) -> bool:
    """Return whether a text is short and begins and ends like a heading."""
    text = text.strip()
    return len(text) <= 90 and (text[:1].isupper() or text[:1].isdigit()) and text[-1:] not in ".,;"


def depth_by_number(text: str) -> int:
    """Return the depth of a heading by its number: ``2.1`` is one level below ``2``."""
    numbered = _NUMBERED.match(text)
    if numbered:
        return numbered[1].count(".")
    named = _NAMED.match(text)
    return 1 if named and named[2] else 0


def _leading(lines: Sequence[TextLine]) -> dict[int, float]:
    """Return the usual distance between baselines of each region."""
    steps: dict[int, list[float]] = {}
    for a, b in pairwise(lines):
        if a.region == b.region and abs(a.size - b.size) < 0.1 * a.size and b.base > a.base:
            steps.setdefault(a.region, []).append(b.base - a.base)
    distances = {}
    for region, values in steps.items():
        values.sort()
        # The lower third: paragraph gaps are never below the leading.
        distances[region] = values[len(values) // 3]
    return distances


def _is_near(last: TextLine, line: TextLine, leading: Mapping[int, float]) -> bool:
    size = max(last.size, line.size)
    usual = min(leading.get(line.region, 1.2 * size), 2.4 * size)
    return line.base - last.base <= max(usual, size) * 1.25 + 0.5


def _continues_in_column(last: TextLine, line: TextLine) -> bool:
    """Return whether a paragraph continues in the next column."""
    if last.cells > 1 or line.cells > 1 or abs(line.size - last.size) > 0.12 * last.size:
        return False
    return line.text[:1].islower() and not _ENDS_SENTENCE.search(last.text)


def _begins_item(text: str) -> bool:
    return bool(_BULLET.match(text) or _ENUMERATOR.match(text) or _NUMBERED.match(text))


def _is_full(line: TextLine) -> bool:
    return line.u1 > line.right - 0.15 * (line.right - line.left)


def _ends_short(last: TextLine, line: TextLine) -> bool:
    """Return whether *last* ends a paragraph: it ends a sentence well before the margin."""
    first_word = line.text.split(maxsplit=1)[0]
    room = last.right - last.u1 > 0.6 * len(first_word) * last.size + 0.08 * (
        last.right - last.left
    )
    ends = _ENDS_SENTENCE.search(last.text) or _is_title(last.text)
    return room and not line.text[:1].islower() and bool(ends)


def _is_quote(block: Block) -> bool:
    """Return whether a block is a quote: indented on both sides, lines broken before the margin."""
    lines = block.lines
    first, size = lines[0], lines[0].size
    if len(lines) < (2 if first.text[:1] in _QUOTE_MARKS else 3) or _begins_item(first.text):
        return False
    if any(line.cells > 1 or line.text.isupper() for line in lines):
        return False
    text = "".join(line.text for line in lines).replace(" ", "")
    if sum(map(str.isalpha, text)) < _QUOTE_LETTERS * len(text):
        return False
    if _is_centred(lines[-1], first):
        return False
    left = min(line.u0 for line in lines) - first.left
    right = first.right - max(line.u1 for line in lines)
    if min(left, right) < _QUOTE_INDENT * size or not 0.4 < right / left < 2.5:
        return False
    wide = max(line.u1 for line in lines) - min(line.u0 for line in lines)
    if wide < 0.45 * (first.right - first.left) or wide < _QUOTE_WIDTH * size:
        return False
    if max(line.u0 for line in lines[1:]) - min(line.u0 for line in lines[1:]) > 0.5 * size:
        return False
    # A line with space for the next word was broken at the margin of the quote.
    broken = sum(
        1
        for line, after in pairwise(lines)
        if line.u1 + (len(after.text.split()[0]) + 1) * _char_width(line) < line.right - 0.5 * size
    )
    return broken >= 0.6 * (len(lines) - 1)


def _is_centred(last: TextLine, first: TextLine) -> bool:
    """Return whether the last line is centred; left-aligned text ends with a line that is not."""
    room_left, room_right = last.u0 - last.left, last.right - last.u1
    return last.u0 > first.u0 + last.size and abs(room_left - room_right) < 3 * last.size


def _char_width(line: TextLine) -> float:
    return (line.u1 - line.u0) / max(len(line.text), 1)


def _is_set_apart(block: Block) -> bool:
    """Return whether a block of capitals is centred or short, unlike a line of text in capitals."""
    first = block.lines[0]
    room_left, room_right = first.u0 - first.left, first.right - first.u1
    wide = first.right - first.left
    centred = min(room_left, room_right) > 0.1 * wide and abs(room_left - room_right) < 0.12 * wide
    return centred or first.u1 - first.u0 < 0.6 * wide
