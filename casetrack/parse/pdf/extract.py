"""Extract the content of one page with MuPDF: text segments by direction, and drawings."""

from __future__ import annotations

import bisect
import re
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from casetrack.base.provenance import Box
from casetrack.parse.layout.segments import Piece, Segment, is_raised_mark, piece_text
from casetrack.parse.pdf.edges import Run, divide_at_edges
from casetrack.parse.pdf.open import check_memory, failures, silenced, words_of
from casetrack.parse.pdf.readable import (
    Concealed,
    chars_of,
    is_unmapped,
    lines_of,
    take_concealed,
    with_ligatures,
)
from casetrack.parse.pdf.rules import Word, moved, page_content, page_rules, union
from casetrack.parse.pdf.tagged import PageTags, Structure
from casetrack.parse.printed.paper import NumberedPart, cut_evenly

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from casetrack.parse.base import PlacedWord
    from casetrack.parse.layout.tables_model import Rule

_PRESERVE_WHITESPACE = 2
_MADE_UP_SPACE = 512
_NEAR_SPACE, _SPACE = 0.5, 32
_FILLED_OR_STROKED = 16 | 32
_BOLD = re.compile(r"bold|black|heavy|demi|mbx|-\w?(?:bd|bo|de|hv)(?:it)?$|\.bi?$", re.IGNORECASE)
_SOFT_HYPHEN = "\u00ad"
_CLIP = re.compile(rb"\bW\*?\s+n\b")
_CLIP_BOX = re.compile(rb"((?:[-+]?(?:\d+\.?\d*|\.\d+)\s+){4})re")
_BEFORE_CLIP, _LARGE_CLIP = 80, 0.02
_NO_WIDTH = re.compile(rb"(?<![\d.])[-+]?0*(?:\.0*)?\s+Tz\b")
_UNTURNED = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
_LONG_WORD = 24
_MARKS = re.compile(r"\d+|[*\u2020\u2021\u00a7]+|[a-z]")


@dataclass(slots=True)
class Flow:
    """Text of one direction; *is_upright* means left to right on the displayed page."""

    segments: list[Segment]
    is_upright: bool


@dataclass(slots=True)
class Extract:
    """Content of one page.

    *flows* are its text by direction, the longest first, *loose* is text at an angle, *marks* are
    raised footnote marks. *chars* counts visible characters, *hidden* those of an unpainted layer;
    *pictures* is the share of the page under pictures (0 to 1). *numbered* are its printed pages,
    whose line numbers the text omits; *concealed* is hidden text: kind, words, rectangle. A line
    that extends beyond the page is complete there, and its visible part is also text.
    """

    width: float
    height: float
    flows: list[Flow] = field(default_factory=list)
    loose: list[Segment] = field(default_factory=list)
    marks: set[str] = field(default_factory=set)
    chars: int = 0
    hidden: int = 0
    pictures: float = 0.0
    is_blank: bool = False
    failure: str | None = None
    numbered: list[NumberedPart] = field(default_factory=list)
    words: list[PlacedWord] = field(default_factory=list)
    concealed: list[tuple[str, str, Box | None]] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)

    @property
    def segments(self) -> Iterator[Segment]:
        """All of its text."""
        for flow in self.flows:
            yield from flow.segments
        yield from self.loose


def extract(
    document: Any, index: int, off: Sequence[int] = (), structure: Structure | None = None, /
) -> Extract:
    """Extract the page at *index*; *off* are the disabled layers."""
    try:
        page = document[index]
        result = Extract(page.rect.width, page.rect.height)
        content, everywhere = page_content(page), silenced().INFINITE_RECT()
        text = page.get_textpage(flags=_PRESERVE_WHITESPACE, clip=everywhere)
        raw = text.extractDICT()
        if _exceeds_page(raw, page.rect * page.derotation_matrix):
            # Without an explicit clip, MuPDF omits letters outside of the page.
            whole, text = raw, page.get_textpage(flags=_PRESERVE_WHITESPACE)
            raw = text.extractDICT()
            result.concealed = [("outside", line, None) for line in _unseen(whole, raw)]
        if _has_soft_hyphens(raw):
            raw = _with_drawn_hyphens(text.extractRAWDICT())
        clipped = list[tuple[str, tuple[float, float, float, float]]]()
        if _may_clip(content, page.rect):
            flags = _PRESERVE_WHITESPACE | silenced().TEXT_CLIP
            seen = page.get_textpage(flags=flags, clip=everywhere)
            if seen.extractTEXT() != text.extractTEXT():
                clipped = _take_clipped(raw, seen.extractDICT())
        words = text.extractWORDS()
        result.rules, paths = page_rules(page, content)
        turn = page.rotation_matrix
        concealed = take_concealed(page, text, raw, paths)
        concealed += [Concealed("outside", text, box) for text, box in clipped]
        if b"Tz" in content and _NO_WIDTH.search(content):
            concealed += [Concealed("tiny", words, box) for words, box in _without_width(page)]
        words = [(*word[:4], with_ligatures(word[4]), *word[5:]) for word in words]
        boxes = [one.box for one in concealed]
        visible = [w for w in words if not _is_within(w, boxes)] if boxes else words
        result.concealed += [(c.kind, c.text, Box(*moved(c.box, tuple(turn)))) for c in concealed]
        result.concealed += [
            ("layer", line, Box(*moved(box, tuple(turn))))
            for line, box in _on_layers(document, page, raw, off).items()
        ]
        tags = structure.on(page) if structure else PageTags()
        _collect(raw, visible, turn, result, tags, _TypedSpaces(text))
        result.words = _placed_words(text, words, turn)
        if not result.chars:
            result.is_blank = not page.get_bboxlog()
        elif document.get_page_images(index):
            result.pictures = _picture_share(page)
    except failures() as error:
        check_memory(error)
        return Extract(0.0, 0.0, failure=words_of(error))
    return result


def _may_clip(content: bytes, page: Any) -> bool:
    """Return whether a page has clip paths other than large rectangles."""
    known = set[bytes]()
    for clip in _CLIP.finditer(content):
        before = content[max(clip.start() - _BEFORE_CLIP, 0) : clip.start()]
        box = _CLIP_BOX.fullmatch(b" ".join(before.split()[-5:]))
        if box is None:
            return True
        if box[0] not in known:
            known.add(box[0])
            x, y, wide, high = map(float, box[1].split())
            is_small = abs(wide * high) < _LARGE_CLIP * page.width * page.height
            if is_small or x >= page.width or y >= page.height:
                return True
    return False


def _take_clipped(
    raw: dict[str, Any], seen: dict[str, Any]
) -> list[tuple[str, tuple[float, float, float, float]]]:
    shown = {("".join(text.split()), box) for text, box in _line_texts(seen)}
    clipped = []
    for line in lines_of(raw):
        text = "".join(span["text"] for span in line["spans"]).strip()
        bare, box = "".join(text.split()), line["bbox"]
        # A line that is cut at an edge, or joined with the next one, is shown in part.
        is_shown = (bare, box) in shown or any(
            (t in bare or bare in t) and _meet(b, box) for t, b in shown
        )
        if not is_shown and sum(map(str.isalnum, bare)) > 1:
            clipped.append((text, box))
            line["spans"] = []
    return clipped


def _meet(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return all(one[i] <= other[i + 2] and other[i] <= one[i + 2] for i in (0, 1))


def _without_width(page: Any) -> Iterator[tuple[str, tuple[float, float, float, float]]]:
    """Yield the texts whose letters have no width, which MuPDF omits elsewhere."""
    for span in page.get_texttrace():
        if not span["size"]:
            yield "".join(chr(char[0]) for char in span["chars"]), span["bbox"]


def layers_off(document: Any, /) -> list[int]:
    """Return the numbers of the disabled layers (optional content)."""
    mupdf, pdf = silenced().mupdf, silenced()._as_pdf_document(document)
    layers = range(mupdf.pdf_count_layers(pdf))
    return [layer for layer in layers if not mupdf.pdf_layer_is_enabled(pdf, layer)]


def _on_layers(
    document: Any, page: Any, seen: dict[str, Any], off: Sequence[int]
) -> dict[str, tuple[float, float, float, float]]:
    """Return the lines of a page on its disabled layers only, with their rectangles."""
    if not off:
        return {}
    mupdf, pdf = silenced().mupdf, silenced()._as_pdf_document(document)
    for layer in off:
        mupdf.pdf_enable_layer(pdf, layer, 1)
    try:
        whole = page.get_textpage(flags=_PRESERVE_WHITESPACE).extractDICT()
    finally:
        for layer in off:
            mupdf.pdf_enable_layer(pdf, layer, 0)
    return _unseen(whole, seen)


def _is_within(word: tuple[Any, ...], boxes: Sequence[tuple[float, float, float, float]]) -> bool:
    x, y = (word[0] + word[2]) / 2, (word[1] + word[3]) / 2
    return any(x0 <= x <= x1 and y0 <= y <= y1 for x0, y0, x1, y1 in boxes)


def _placed_words(text: Any, entries: list[tuple[Any, ...]], rotation: Any) -> list[PlacedWord]:
    """Return the positions of words on the displayed page, of letters in scripts without spaces."""
    words = [word[:5] for word in entries]
    # A row of dots or a web address is one word.
    if any(len(word[4]) > _LONG_WORD and not word[4].isascii() for word in words):
        words = [
            (*char["bbox"], char["c"])
            for line in lines_of(text.extractRAWDICT())
            for char in chars_of(line)
            if not char["c"].isspace()
        ]
    turn = tuple(rotation)
    if turn == _UNTURNED:
        return words
    return [(*moved(word[:4], turn), word[4]) for word in words]


def _exceeds_page(raw: dict[str, Any], shown: Any) -> bool:
    x0, y0, x1, y1 = shown
    return any(
        line["bbox"][0] < x0 or line["bbox"][1] < y0 or line["bbox"][2] > x1 or line["bbox"][3] > y1
        for line in lines_of(raw)
    )


def _unseen(
    whole: dict[str, Any], seen: dict[str, Any]
) -> dict[str, tuple[float, float, float, float]]:
    """Return the distinct lines of a page that are partly or completely invisible."""
    shown = dict(_line_texts(seen))
    lines: dict[str, tuple[float, float, float, float]] = {}
    for text, box in _line_texts(whole):
        if text not in shown and not is_unmapped(text):
            lines.setdefault(text, box)
    return lines


def _line_texts(raw: dict[str, Any]) -> Iterator[tuple[str, tuple[float, float, float, float]]]:
    for line in lines_of(raw):
        if text := "".join(span["text"] for span in line["spans"]).strip():
            yield text, line["bbox"]


def _picture_share(page: Any) -> float:
    """Return the share of a page under pictures; tiles of one picture are added."""
    width, height = page.rect.width, page.rect.height
    if page.rotation % 180:
        width, height = height, width
    covered = 0.0
    for picture in page.get_image_info():
        x0, y0, x1, y1 = picture["bbox"]
        wide, high = min(x1, width) - max(x0, 0.0), min(y1, height) - max(y0, 0.0)
        if wide > 0 and high > 0:
            covered += wide * high
    return float(min(covered / ((width * height) or 1.0), 1.0))


def _collect(
    raw: dict[str, Any],
    words: list[tuple[Any, ...]],
    rotation: Any,
    result: Extract,
    tags: PageTags,
    spaces: _TypedSpaces,
) -> None:
    """Group MuPDF's lines by direction, the one with the most text first."""
    turn = tuple(rotation)
    starts = [(word[5], word[6]) for word in words]
    flows: dict[tuple[int, int], list[Run]] = {}
    lines = ((b["number"], i, x) for b in raw["blocks"] for i, x in enumerate(b.get("lines", ())))
    for block, number, line in lines:
        segment = _segment(line, turn, result.marks)
        if segment is None or not _is_on_page(segment.box, result):
            continue
        count = len(segment.text.replace(" ", ""))
        result.chars += count
        if not any(span["char_flags"] & _FILLED_OR_STROKED for span in line["spans"]):
            result.hidden += count
        dx, dy = line["dir"]
        if max(abs(dx), abs(dy)) < 0.996:
            result.loose.append(segment)
            continue
        flow = flows.setdefault((round(dx), round(dy)), [])
        inside = partial(_inside, words, (block, number), starts, (dx, dy), turn)
        is_typed = partial(spaces.precede, (block, number), (dx, dy))
        for part in tags.divide(segment, partial(inside, segment)):
            flow.append(Run(part, partial(inside, part), is_typed))
    divided = {key: divide_at_edges(flow) for key, flow in flows.items()}
    weights = {key: sum(len(s.text) for s in flow) for key, flow in divided.items()}
    result.flows = [
        Flow(divided[key], round(key[0] * turn[0] + key[1] * turn[2]) == 1)
        for key in sorted(flows, key=lambda k: (-weights[k], k))
    ]


class _TypedSpaces:
    """The spaces of a page that the file contains, unlike those added for a gap."""

    def __init__(self, text: Any, /) -> None:
        self._text = text
        self._lines: dict[tuple[int, int], Any] = {}

    def precede(self, place: tuple[int, int], along: tuple[float, float], word: Word, /) -> bool:
        """Return whether a typed space of the line at *place* is before a word."""
        made_up = silenced().mupdf.FZ_STEXT_SYNTHETIC
        if not self._lines:
            self._lines = {
                (block, number): line
                for block, content in enumerate(self._text.this)
                for number, line in enumerate(content)
            }
        before: Any = None
        for char in self._lines[place]:
            now = char.m_internal
            if now.origin.x * along[0] + now.origin.y * along[1] > word.u0 - _NEAR_SPACE:
                break
            before = now
        return before is not None and before.c == _SPACE and not before.flags & made_up


def _inside(
    words: list[tuple[Any, ...]],
    place: tuple[int, int],
    starts: Sequence[tuple[int, int]],
    along: tuple[float, float],
    turn: tuple[float, ...],
    segment: Segment,
) -> list[Word]:
    """Return the words of a segment, which is in the line at *place*."""
    own = words[bisect.bisect_left(starts, place) : bisect.bisect_right(starts, place)]
    inside = (_word(word, *along, turn) for word in own)
    return [w for w in inside if segment.u0 <= (w.u0 + w.u1) / 2 <= segment.u1]


def _is_on_page(box: Box, result: Extract) -> bool:
    """Return whether a part of a line is on the page; cutting at the edge would break words."""
    return box.x0 < result.width and box.x1 > 0 and box.y0 < result.height and box.y1 > 0


def _segment(line: dict[str, Any], turn: tuple[float, ...], marks: set[str]) -> Segment | None:
    spans = line["spans"]
    if not spans:
        return None
    dx, dy = line["dir"]
    pieces = []
    for span in spans:
        u0, _, u1, _ = _upright(span["bbox"], dx, dy)
        x, y = span["origin"]
        made_up = bool(span["char_flags"] & _MADE_UP_SPACE)
        pieces.append(Piece(span["text"], u0, u1, span["size"], dx * y - dy * x, made_up))
    text = with_ligatures(_fix_question_mark(piece_text(pieces)))
    if not text or text.isspace():
        return None
    main = max(range(len(spans)), key=lambda i: (len(pieces[i].text.strip()), -i))
    if len(pieces) > 1:
        for piece in pieces:
            if is_raised_mark(piece, pieces[main]):
                marks.update(_MARKS.findall(piece.text))
    u0, v0, u1, v1 = _upright(line["bbox"], dx, dy)
    lettered = [span for span in spans if any(map(str.isalpha, span["text"]))]
    bold = all(span["flags"] & 16 or _BOLD.search(span["font"]) for span in lettered or spans)
    return Segment(
        text,
        u0,
        v0,
        u1,
        v1,
        pieces[main].base,
        pieces[main].size or (v1 - v0) or 1.0,
        bold,
        Box(*moved(line["bbox"], turn)),
        font=spans[main]["font"],
    )


def _word(word: tuple[Any, ...], dx: float, dy: float, turn: tuple[float, ...]) -> Word:
    u0, _, u1, _ = _upright(word[:4], dx, dy)
    return Word(word[4], u0, u1, Box(*moved(word[:4], turn)))


def _fix_question_mark(text: str) -> str:
    """Replace U+037E, the Greek question mark, by ``;``: some fonts share their glyph."""
    return text.replace("\u037e", ";") if "\u037e" in text else text


def _has_soft_hyphens(raw: dict[str, Any]) -> bool:
    return any(_SOFT_HYPHEN in span["text"] for line in lines_of(raw) for span in line["spans"])


def _with_drawn_hyphens(raw: dict[str, Any]) -> dict[str, Any]:
    """Set each span's text; a soft hyphen with a width within a line becomes a hyphen."""
    # Some programs use U+00AD for every drawn hyphen. At a line's end it stays, to join the word.
    for line in lines_of(raw):
        chars = list(chars_of(line))
        if chars and chars[-1]["c"] == _SOFT_HYPHEN:
            chars.pop()
        for char in chars:
            x0, y0, x1, y1 = char["bbox"]
            if char["c"] == _SOFT_HYPHEN and max(x1 - x0, y1 - y0) > 0:
                along = abs((x1 - x0) * line["dir"][0]) + abs((y1 - y0) * line["dir"][1])
                char["c"] = "-" if along > 0.1 * (y1 - y0 + x1 - x0) else ""
        for span in line["spans"]:
            span["text"] = "".join(char["c"] for char in span["chars"])
    return raw


def cutter(document: Any, index: int, /) -> Callable[[Segment, int], Segment]:
    """Return a function that removes a number of nonblank characters from a segment's start."""
    lines: dict[tuple[float, ...], tuple[dict[str, Any], tuple[float, ...]]] = {}

    def cut(segment: Segment, count: int) -> Segment:
        if not lines:
            page = document[index]
            turn = tuple(page.rotation_matrix)
            raw = page.get_text("rawdict", flags=_PRESERVE_WHITESPACE)
            for line in lines_of(raw):
                lines[_upright(line["bbox"], *line["dir"])] = line, turn
        entry = lines.get((segment.u0, segment.v0, segment.u1, segment.v1))
        if entry is None:
            return cut_evenly(segment, count)
        line, turn = entry
        rest: list[dict[str, Any]] = []
        seen = 0
        for char in chars_of(line):
            if seen >= count and (rest or not char["c"].isspace()):
                rest.append(char)
            seen += not char["c"].isspace()
        box = union([char["bbox"] for char in rest])
        short = cut_evenly(segment, count)
        return replace(short, u0=_upright(box, *line["dir"])[0], box=Box(*moved(box, turn)))

    return cut


def _upright(
    box: tuple[float, float, float, float], dx: float, dy: float
) -> tuple[float, float, float, float]:
    """Return a rectangle in the frame of its text: u along its direction, v across it."""
    x0, y0, x1, y1 = box
    if dx == 1.0 and dy == 0.0:
        return box
    us = [x * dx + y * dy for x in (x0, x1) for y in (y0, y1)]
    vs = [y * dx - x * dy for x in (x0, x1) for y in (y0, y1)]
    return min(us), min(vs), max(us), max(vs)
