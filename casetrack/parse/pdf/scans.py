"""Find pages whose text is in a picture, and read them by OCR.

These are pages without a text layer but with drawings, pages whose text layer does not read as
words, and pages with a large picture next to their text. If fonts hide the characters of only some
lines, only these are read.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from casetrack.parse.labels import number_list
from casetrack.parse.pdf.extract import Extract, Flow
from casetrack.parse.pdf.open import check_memory, failures, silenced, words_of
from casetrack.parse.pdf.readable import TINY, is_unmapped, reads_as_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.base.provenance import Box
    from casetrack.parse.base import PlacedWord, Reading, ReadOptions
    from casetrack.parse.layout.segments import Segment
    from casetrack.parse.ocr.engine import Picture, RecognizedPage

Need = Literal["scan", "fonts", "lines", "stamped", "pictures"]

_DPI, _LOOK_DPI = 300.0, 72.0
_MAX_PIXELS = 25_000_000
_MAX_SIDE = 30_000
_LARGE_PICTURE = 0.25
_FULL_PICTURE, _STAMP_CHARS = 0.5, 250
_READ_BEFORE = 0.5
_FLAT = 16
_INK, _LEAST_INK = 48, 0.0005
_POINTS_PER_INCH = 72.0
_FONTS = "text in fonts without a character mapping"
_LINES = "lines in fonts without a character mapping"


@dataclass(frozen=True, slots=True)
class Recognized:
    """Result of OCR for a page: text, positions of words, engine, and whether the page is level."""

    flow: Flow
    words: list[PlacedWord]
    engine: str
    is_level: bool


@dataclass(slots=True)
class ScanReader:
    """Reads the pictures of one document, and records those that it could not read."""

    options: ReadOptions
    _reason: str | None = None
    _unread: dict[Need, list[int]] = field(default_factory=dict)
    _failed: dict[str, list[int]] = field(default_factory=dict)
    _without_text: list[int] = field(default_factory=list)
    _illegible: list[int] = field(default_factory=list)
    _unmapped_lines: list[int] = field(default_factory=list)

    def read(self, page: Any, number: int, extract: Extract, need: Need, /) -> Recognized | None:
        """Read a page's picture without readable text; ``None`` if blank or unreadable."""
        if self._reason is not None and need == "pictures":
            self._unread.setdefault(need, []).append(number)
            return None
        boxes = [s.box for s in extract.segments] if need in {"stamped", "pictures"} else []
        try:
            drawn = _Drawing.of(page, _DPI if self._reason is None else _LOOK_DPI)
        except failures() as error:
            check_memory(error)
            self._failed.setdefault(words_of(error), []).append(number)
            return None
        if need == "lines":
            drawn.keep([s.box for s in extract.segments if is_unmapped(s.text)])
        for box in boxes:
            drawn.cover(box)
        if drawn.is_blank(of_text=need == "pictures"):
            return None
        if self._reason is not None:
            self._unread.setdefault(need, []).append(number)
            return None
        return self._recognize(drawn, number, boxes, need)

    def _recognize(
        self, drawn: _Drawing, number: int, boxes: Sequence[Box], need: Need
    ) -> Recognized | None:
        from casetrack.parse.ocr import OcrUnavailable, read_image

        try:
            recognized = read_image(
                drawn.image,
                drawn.scale * _POINTS_PER_INCH,
                self.options.ocr,
                models_dir=self.options.models_dir,
            )
        except OcrUnavailable as error:
            self._reason = _within(error.message.rstrip("."))
            self._unread.setdefault(need, []).append(number)
            return None
        from casetrack.parse.layout.segments import placed_words, segments_of

        recognized = _outside(recognized, boxes, drawn.scale)
        segments = segments_of(recognized, 1 / drawn.scale)
        if not segments and need in {"scan", "fonts"}:
            (self._without_text if need == "scan" else self._illegible).append(number)
        if not segments and need == "lines":
            self._unmapped_lines.append(number)
        is_level = recognized.rotation == 0 and abs(recognized.skew) < 0.3
        if is_level and need in {"scan", "fonts"}:
            from casetrack.parse.printed.number_columns import with_margin_numbers

            segments = with_margin_numbers(segments, drawn.image, 1 / drawn.scale) or segments
        words = placed_words(recognized, 1 / drawn.scale)
        return Recognized(Flow(segments, is_upright=True), words, recognized.engine, is_level)

    def report(self, reading: Reading, /) -> None:
        """Report unread pages and the reasons."""
        scans = sorted(self._unread.get("scan", []) + self._unread.get("stamped", []))
        fonts = self._unread.get("fonts", [])
        parts = []
        if scans:
            parts.append(_sentence(scans, "is a scan", "are scans"))
        if fonts:
            parts.append(_sentence(fonts, f"has {_FONTS}", f"have {_FONTS}"))
        if parts:
            one = len(scans) + len(fonts) == 1
            first, rest = parts[0], [f" and {_within(part)}" for part in parts[1:]]
            text = f"{first}{''.join(rest)} and {'was' if one else 'were'} not read"
            reading.missing.append(f"{text}: {self._reason}.")
        for reason, numbers in self._failed.items():
            text = _sentence(numbers, "could not be drawn", "could not be drawn")
            reading.missing.append(f"{text}, so the text in pictures was not read: {reason}.")
        if self._illegible:
            text = _sentence(self._illegible, f"has {_FONTS}", f"have {_FONTS}")
            reading.missing.append(f"{text}; no text was recognized in its picture.")
        lines = self._unread.get("lines", [])
        if lines:
            text = _sentence(lines, f"has {_LINES}", f"have {_LINES}")
            reading.missing.append(f"{text} and were not read: {self._reason}.")
        if self._unmapped_lines:
            text = _sentence(self._unmapped_lines, f"has {_LINES}", f"have {_LINES}")
            reading.missing.append(f"{text}; no text was recognized in their pictures.")
        pictures = self._unread.get("pictures", [])
        if pictures:
            text = _sentence(pictures, "has a large picture", "have large pictures")
            reading.warnings.append(f"{text}; text in pictures was not read: {self._reason}.")
        if self._without_text:
            text = _sentence(self._without_text, "shows", "show")
            reading.warnings.append(f"{text} only pictures in which no text was found.")


def _sentence(numbers: list[int], one: str, many: str) -> str:
    plural = len(numbers) > 1
    return f"{'Pages' if plural else 'Page'} {number_list(numbers)} {many if plural else one}"


def _within(sentence: str) -> str:
    """Return a sentence as part of another; names and abbreviations keep their case."""
    is_word = sentence[:1].isupper() and sentence[1:2].islower()
    return sentence[:1].lower() + sentence[1:] if is_word else sentence


def need_of(extract: Extract, /) -> Need | None:
    """Return the reason to read a page as a picture; ``None`` if its text layer is sufficient."""
    if extract.failure is not None or extract.is_blank:
        return None
    if not extract.chars:
        return "scan"
    unsized = sum(len(s.text) for s in extract.segments if s.size <= TINY)
    if 2 * unsized > extract.chars or not reads_as_words(s.text for s in extract.segments):
        return "fonts"
    if any(is_unmapped(s.text) for s in extract.segments):
        return "lines"
    if extract.pictures < _LARGE_PICTURE or extract.hidden > _READ_BEFORE * extract.chars:
        return None
    is_stamped = extract.pictures >= _FULL_PICTURE and extract.chars < _STAMP_CHARS
    return "stamped" if is_stamped else "pictures"


@dataclass(slots=True)
class _Drawing:
    """A page as a grey picture; *scale* is its pixels per point."""

    image: Picture
    scale: float

    @classmethod
    def of(cls, page: Any, dpi: float) -> _Drawing:
        pymupdf = silenced()
        width, height = max(page.rect.width, 1e-3), max(page.rect.height, 1e-3)
        scale = min(
            dpi / _POINTS_PER_INCH,
            (_MAX_PIXELS / (width * height)) ** 0.5,
            _MAX_SIDE / max(width, height),
        )
        matrix = pymupdf.Matrix(scale, scale)
        drawn = page.get_pixmap(matrix=matrix, colorspace=pymupdf.csGRAY, alpha=False)
        flat = np.frombuffer(drawn.samples, dtype=np.uint8)
        return cls(flat.reshape(drawn.height, drawn.stride)[:, : drawn.width].copy(), scale)

    def cover(self, box: Box) -> None:
        height, width = self.image.shape
        x0, x1 = (round(min(max(x * self.scale, 0), width)) for x in (box.x0 - 0.5, box.x1 + 0.5))
        y0, y1 = (round(min(max(y * self.scale, 0), height)) for y in (box.y0, box.y1))
        part = self.image[y0:y1, x0:x1]
        if part.size:
            edge = np.concatenate([part[0], part[-1], part[:, 0], part[:, -1]])
            part[:] = np.median(edge)

    def keep(self, boxes: Sequence[Box]) -> None:
        """Paint everything outside of the rectangles in the page's main colour."""
        kept = np.zeros(self.image.shape, bool)
        for box in boxes:
            x0, y0, x1, y1 = (
                max(round(value * self.scale), 0) for value in (box.x0, box.y0, box.x1, box.y1)
            )
            kept[y0:y1, x0:x1] = True
        self.image[~kept] = np.median(self.image[::4, ::4])

    def is_blank(self, *, of_text: bool) -> bool:
        """Return whether a picture is blank; with *of_text*, also if it has too little ink."""
        if int(self.image.max()) - int(self.image.min()) < _FLAT:
            return True
        if not of_text:
            return False
        small = self.image[::2, ::2]
        ground = np.median(small).astype(np.int16)
        return bool(np.mean(np.abs(small.astype(np.int16) - ground) > _INK) < _LEAST_INK)


def _outside(recognized: RecognizedPage, boxes: Sequence[Box], scale: float) -> RecognizedPage:
    if not boxes:
        return recognized
    lines = []
    for line in recognized.lines:
        words = [
            w
            for w in line.words
            if not any(
                b.x0 <= (w.x0 + w.x1) / 2 / scale <= b.x1
                and b.y0 <= (w.y0 + w.y1) / 2 / scale <= b.y1
                for b in boxes
            )
        ]
        if words:
            lines.append(replace(line, words=tuple(words)))
    return replace(recognized, lines=tuple(lines))


def remove_unmapped(extract: Extract, recognized: Recognized, /) -> None:
    """Remove unmapped lines from a page's text if they were recognized."""
    read = [segment.box for segment in recognized.flow.segments]

    def is_read(segment: Segment) -> bool:
        box = segment.box
        return is_unmapped(segment.text) and any(
            min(box.x1, b.x1) > max(box.x0, b.x0) and min(box.y1, b.y1) > max(box.y0, b.y0)
            for b in read
        )

    extract.flows = [
        Flow([s for s in flow.segments if not is_read(s)], flow.is_upright)
        for flow in extract.flows
    ]
    extract.loose = [s for s in extract.loose if not is_read(s)]
    extract.words = [word for word in extract.words if not is_unmapped(word[4])]


def merge(flows: list[Flow], recognized: Recognized, /, *, is_turned: bool) -> list[Flow]:
    """Merge recognized text with a page's text, in one reading order if both are level."""
    fitting = [flow for flow in flows if flow.is_upright]
    if not (recognized.is_level and fitting) or is_turned:
        return [*flows, recognized.flow]
    first = fitting[0]
    merged: list[Segment] = [*first.segments, *recognized.flow.segments]
    return [Flow(merged, is_upright=True) if flow is first else flow for flow in flows]
