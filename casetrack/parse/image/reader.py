"""Read pictures of text: JPEG, PNG, TIFF with several pages, WebP, BMP, GIF."""

from __future__ import annotations

import re
import struct
import warnings
import zlib
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import numpy as np

from casetrack.base.errors import OcrUnavailable, ParseFailed, ParseLimit
from casetrack.base.years import stated
from casetrack.parse.base import DEFAULT_OPTIONS, DocumentInfo, FileHead, Page, Reading, ReadOptions
from casetrack.parse.labels import number_list
from casetrack.parse.layout.assemble import lay_out
from casetrack.parse.layout.blocks import BlockFinder, TextProfile
from casetrack.parse.layout.lines import Vocabulary
from casetrack.parse.layout.segments import placed_words, segments_of
from casetrack.parse.page_builder import PageBuilder, SourceLine, clean_title
from casetrack.parse.printed.number_columns import with_margin_numbers
from casetrack.parse.printed.paper import NumberedPaper, cut_evenly, printed_on

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from casetrack.parse.ocr import RecognizedPage
    from casetrack.parse.ocr.engine import Picture

# Opens picture files with Pillow as upright grey images of known size. Decides which frames are
# pages, their rotation and their size in points.

# Facts of a picture file: EXIF, TIFF and PNG texts and dates.

_EXIF, _GPS = 0x8769, 0x8825
_TAGS = {
    0x010D: "document_name",
    0x010E: "description",
    0x010F: "make",
    0x0110: "model",
    0x0131: "software",
    0x0132: "modified",
    0x013B: "artist",
    0x8298: "copyright",
}
_EXIF_TAGS = {0x9003: "taken", 0x9004: "digitized", 0x9011: "taken_zone", 0x9010: "modified_zone"}
_TEXTS = {
    "title": "title",
    "author": "artist",
    "description": "description",
    "software": "software",
    "copyright": "copyright",
    "comment": "comment",
    "creation time": "taken",
}
_DATE = re.compile(r"(\d{4})[:-](\d{2})[:-](\d{2})[ T](\d{2}):(\d{2}):(\d{2})")
_ZONE = re.compile(r"([+-])(\d{2}):?(\d{2})$")
_MAX_CHARS = 500


def exif_of(image: Any, /) -> Any:
    """Return the EXIF tags; for a PNG without EXIF, Pillow would decode the whole picture."""
    from PIL import Image

    if image.format == "PNG" and "exif" not in image.info:
        return Image.Exif()
    return image.getexif()


def facts_of(image: Any, /) -> dict[str, str]:
    """Return the texts of a picture file by plain names, without empty ones."""
    exif = exif_of(image)
    facts: dict[str, str] = {}
    for tags, names in ((exif, _TAGS), (exif.get_ifd(_EXIF), _EXIF_TAGS)):
        for tag, name in names.items():
            _note(facts, name, tags.get(tag))
    _note(facts, "place", _place(exif.get_ifd(_GPS)))
    for key, value in image.info.items():
        if text := _TEXTS.get(str(key).lower()):
            _note(facts, text, value)
    return facts


def date_of(facts: Mapping[str, str], name: str, /) -> datetime | None:
    """Return a date of the facts; one without a zone counts as UTC."""
    match = _DATE.search(facts.get(name, ""))
    if match is None:
        return None
    zone = _ZONE.search(facts.get(f"{name}_zone", ""))
    try:
        tz = UTC
        if zone:
            offset = timedelta(hours=int(zone[2]), minutes=int(zone[3]))
            tz = timezone(-offset if zone[1] == "-" else offset)
        year, month, day, hour, minute, second = map(int, match.groups())
        return stated(datetime(year, month, day, hour, minute, second, tzinfo=tz))
    except ValueError:
        return None


def _place(gps: Mapping[int, Any]) -> str:
    """Return latitude and longitude in degrees; empty without both."""
    values = []
    for hemisphere, angle, most in ((1, 2, 90), (3, 4, 180)):
        try:
            degrees, minutes, seconds = (float(part) for part in gps[angle])
            value = degrees + minutes / 60 + seconds / 3600
            side = str(gps[hemisphere])[0]
        except (KeyError, IndexError, TypeError, ValueError, ArithmeticError):
            return ""
        if not 0 <= value <= most or side not in "NSEW":
            return ""
        values.append(f"{value:.5f}° {side}")
    # Cameras without a position write zeros.
    return "" if all(v.startswith("0.00000") for v in values) else ", ".join(values)


def _note(facts: dict[str, str], name: str, value: Any) -> None:
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if not isinstance(value, str):
        return
    text = " ".join(value.replace("\x00", " ").split())[:_MAX_CHARS]
    if text:
        facts.setdefault(name, text)


MAX_PIXELS = 100_000_000
"""Pixels of a frame: an A0 sheet at 200 dpi has 62 million."""

POINTS_PER_INCH = 72.0
_FORMATS = ("JPEG", "PNG", "TIFF", "WEBP", "BMP", "GIF")
_FORMAT_NAMES = {"JPEG": "jpg", "MPO": "jpg"}
_LIKELY_DPI = (50.0, 2400.0)
_LARGEST_INCHES = 48.0
_TURNED = frozenset((5, 6, 7, 8))
_ORIENTATION, _SUBFILE_TYPE, _REDUCED = 0x0112, 0x00FE, 1

FAILURES = (
    OSError,
    SyntaxError,
    ValueError,
    EOFError,
    LookupError,
    TypeError,
    ArithmeticError,
    AttributeError,
    RuntimeError,
    struct.error,
    zlib.error,
)
"""Exceptions that Pillow raises for damaged files."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A page of a picture file: *grey* pixels, square, on white; *dpi* may be a guess."""

    number: int
    grey: Picture
    dpi: float
    is_damaged: bool = False

    @property
    def scale(self) -> float:
        """Points per pixel."""
        return POINTS_PER_INCH / self.dpi

    @property
    def width(self) -> float:
        """Width in points."""
        return float(self.grey.shape[1] * self.scale)

    @property
    def height(self) -> float:
        """Height in points."""
        return float(self.grey.shape[0] * self.scale)


@dataclass(frozen=True, slots=True)
class Frames:
    """A picture file; its pages load one by one; *count* is at most the page limit plus one."""

    format: str
    count: int
    facts: dict[str, str]
    frames: Iterator[Frame]
    warnings: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


def open_frames(path: Path, most: int, /) -> Frames:
    """Open a picture file with at most *most* pages; raise ``ParseFailed`` or ``ParseLimit``."""
    with _guarded(path), _opened(path) as image:
        kind = str(image.format)
        _check_size(path, image)
        positions = _positions(image, kind, most)
        facts = facts_of(image)
        is_animated = kind != "TIFF" and getattr(image, "n_frames", 1) > 1
    opened = Frames(
        _FORMAT_NAMES.get(kind, kind.lower()),
        len(positions),
        facts,
        _frames(path, positions[:most]),
    )
    if is_animated and kind in {"GIF", "WEBP", "PNG"}:
        opened.warnings.append("The file is an animation; only its first picture was read.")
    return opened


def resolution(image: Any, /) -> tuple[float, float]:
    """Return pixels per inch across and down, as displayed; a guess if the value is unlikely."""
    width, height = image.size
    low, high = _LIKELY_DPI
    try:
        x, y = (float(value) for value in image.info.get("dpi", (0, 0)))
    except (TypeError, ValueError, ArithmeticError):
        x = y = 0.0
    if (
        low <= x <= high
        and low <= y <= high
        and max(width / x, height / y) <= _LARGEST_INCHES
        and 0.25 <= x / y <= 4.0
    ):
        turned = exif_of(image).get(_ORIENTATION) in _TURNED
        return (y, x) if turned else (x, y)
    longer = max(width, height)
    guess = 300.0 if longer >= 2200 else 150.0 if longer >= 1000 else 96.0
    return guess, guess


@contextmanager
def _guarded(path: Path) -> Iterator[None]:
    """Convert exceptions of Pillow into typed errors; suppress its warnings."""
    from PIL import Image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except Image.DecompressionBombError as error:
        raise _too_large(path) from error
    except FAILURES as error:
        raise ParseFailed(path, "Image", _words(error)) from error


@contextmanager
def _opened(path: Path, position: int = 0) -> Iterator[Any]:
    """Open a file at a frame; by handle, because Pillow leaves files open that it cannot read."""
    from PIL import Image

    with path.open("rb") as file, Image.open(file, formats=_FORMATS) as image:
        if position:
            image.seek(position)
        yield image


def _check_size(path: Path, image: Any) -> None:
    if image.width * image.height > MAX_PIXELS:
        raise _too_large(path)


def _too_large(path: Path) -> ParseLimit:
    return ParseLimit(path, f"a picture in it unpacks to more than {MAX_PIXELS:,} pixels")


def _positions(image: Any, kind: str, most: int) -> list[int]:
    """Return the frames that are pages: all of a TIFF except previews, else the first."""
    if kind != "TIFF":
        return [0]
    positions: list[int] = []
    position = 0
    while len(positions) <= most:
        try:
            image.seek(position)
        except EOFError:
            break
        except FAILURES:
            # A damaged entry ends the list of frames; earlier frames are readable.
            if not positions:
                raise
            break
        if not int(image.tag_v2.get(_SUBFILE_TYPE, 0)) & _REDUCED:
            positions.append(position)
        position += 1
    image.seek(0)
    return positions or [0]


def _frames(path: Path, positions: list[int]) -> Iterator[Frame]:
    for number, position in enumerate(positions, start=1):
        with _guarded(path):
            try:
                frame = _load(path, number, position)
            except ParseLimit:
                raise
            except FAILURES:
                with _allow_truncated():
                    frame = replace(_load(path, number, position), is_damaged=True)
        yield frame


def _load(path: Path, number: int, position: int) -> Frame:
    with _opened(path, position) as image:
        _check_size(path, image)
        x, y = resolution(image)
        if image.format == "JPEG":
            image.draft("L", image.size)
        image.load()
        return Frame(number, _square(_as_grey(image), x, y), max(x, y))


@contextmanager
def _allow_truncated() -> Iterator[None]:
    """Let Pillow load truncated pictures; the rest stays blank."""
    from PIL import ImageFile

    before = ImageFile.LOAD_TRUNCATED_IMAGES
    ImageFile.LOAD_TRUNCATED_IMAGES = True
    try:
        yield
    finally:
        ImageFile.LOAD_TRUNCATED_IMAGES = before


def _as_grey(image: Any) -> Any:
    """Return the picture in grey, rotated by its tags, on a contrasting ground."""
    from PIL import Image, ImageOps

    upright = ImageOps.exif_transpose(image) or image
    mode = upright.mode
    if mode in {"F", "I"} or mode.startswith("I;"):
        return Image.fromarray(_eight_bits(np.asarray(upright)))
    if not upright.has_transparency_data:
        return upright if mode == "L" else upright.convert("RGB" if mode == "LAB" else "L")
    layered = upright.convert("RGBA")
    grey, cover = layered.convert("L"), layered.getchannel("A")
    shown = np.asarray(grey)[np.asarray(cover) > 127]
    is_light = shown.size > 0 and float(np.median(shown)) > 200 and float(shown.min()) > 96
    ground = Image.new("L", layered.size, 0 if is_light else 255)
    ground.paste(grey, mask=cover)
    return ground


def _eight_bits(values: np.ndarray[Any, Any]) -> Picture:
    values = np.nan_to_num(values.astype(np.float32))
    low, high = np.percentile(values[::4, ::4], (0.1, 99.9))
    spread = max(float(high - low), 1e-6)
    levels: Picture = np.clip((values - low) * (255.0 / spread), 0, 255).astype(np.uint8)
    return levels


def _square(image: Any, x: float, y: float) -> Picture:
    """Enlarge the coarser direction of a fax, whose pixels are not square."""
    from PIL import Image

    if image.mode != "L":
        image = image.convert("L")
    finest = max(x, y)
    width, height = round(image.width * finest / x), round(image.height * finest / y)
    if max(width / image.width, height / image.height) > 1.03 and width * height <= MAX_PIXELS:
        image = image.resize((width, height), Image.Resampling.BICUBIC)
    return np.asarray(image)


def _words(error: BaseException) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__


# Lays out recognized text on a page like text of a PDF.


def lay_out_frame(
    recognized: RecognizedPage,
    frame: Frame,
    words: Vocabulary,
    paper: NumberedPaper,
    notes: Sequence[str] = (),
    /,
) -> Page:
    """Lay out a recognized frame as a page with *notes* below; add its words to *words*."""
    builder = PageBuilder(
        frame.number,
        method="Ocr",
        width=frame.width,
        height=frame.height,
        ocr_engine=recognized.engine,
    )
    segments = segments_of(recognized, frame.scale)
    if recognized.rotation == 0:
        segments = with_margin_numbers(segments, frame.grey, frame.scale) or segments
    texts, numbered = paper.take(segments, cut_evenly)
    segments = [segment for text in texts for segment in text]
    for segment in segments:
        words.add(segment.text)
    blocks, lines = lay_out(texts, [], BlockFinder(TextProfile.of(segments)), words)
    numbers = {id(line): i for i, line in enumerate(lines, start=1)}
    for block in blocks:
        builder.paragraph(
            [
                SourceLine(line.text, numbers[id(line)], line.box, confidence=line.confidence)
                for line in block.lines
            ],
            kind=block.kind,
            level=block.level,
            header=block.header,
        )
    _add_notes(builder, notes)
    page = replace(builder.build(), words=tuple(placed_words(recognized, frame.scale)))
    return replace(page, printed=printed_on(page, numbered)) if numbered else page


def _add_notes(builder: PageBuilder, notes: Sequence[str]) -> None:
    if notes:
        builder.paragraph(map(SourceLine, notes), kind="quote")


_MARKS = (
    b"\x89PNG\r\n\x1a\n",
    b"\xff\xd8\xff",
    b"GIF87a",
    b"GIF89a",
    b"II*\x00",
    b"MM\x00*",
    b"II+\x00",
    b"MM\x00+",
    b"BM",
)
_SHOWN = ("description", "make", "model", "software", "copyright", "comment", "digitized", "place")


class ImageReader:
    """Pictures, read by OCR."""

    name = "Image"
    extensions: tuple[str, ...] = (*".jpg .jpeg .png .tif .tiff .webp .bmp .gif".split(),)

    def accepts(self, file: FileHead, /) -> bool:
        """Accept files with the signature of any picture format, whatever their extension."""
        if file.head[:4] == b"RIFF" and file.head[8:12] == b"WEBP":
            return True
        return file.head.startswith(_MARKS)

    def read(self, path: Path, options: ReadOptions = DEFAULT_OPTIONS, /) -> Reading:
        """Open the file; see :class:`casetrack.parse.base.Reader`."""
        opened = open_frames(path, options.limits.max_pages)
        facts = opened.facts
        info = DocumentInfo(
            opened.format,
            opened.count,
            title=clean_title(facts.get("title") or facts.get("document_name")),
            author=clean_title(facts.get("artist")),
            created_at=date_of(facts, "taken"),
            modified_at=date_of(facts, "modified"),
            properties=tuple((name, facts[name]) for name in _SHOWN if name in facts),
        )
        return Reading(info, _Pages(path, opened, options).read(), opened.warnings, opened.missing)


class _Pages:
    def __init__(self, path: Path, opened: Frames, options: ReadOptions) -> None:
        self._path = path
        self._opened = opened
        self._options = options
        facts, taken = opened.facts, date_of(opened.facts, "taken")
        self._notes: Sequence[str] = ()
        if "place" in facts:
            self._notes = (
                *([f"Taken: {taken:%Y-%m-%d %H:%M}"] if taken else []),
                f"Place: {facts['place']}",
            )
        self._words = Vocabulary()
        self._paper = NumberedPaper()
        self._unread: list[int] = []
        self._reason = ""

    def read(self) -> Iterator[Page]:
        number = 0
        try:
            for frame in self._opened.frames:
                number = frame.number
                yield self._page(frame)
        except (ParseFailed, ParseLimit) as error:
            # The pages before a damaged one are kept.
            if not number:
                raise
            left = list(range(number + 1, self._opened.count + 1))
            many = len(left) > 1
            self._opened.missing.append(
                f"Page{'s' if many else ''} {number_list(left)} could not be read: {error.message}"
            )
            yield from (PageBuilder(missing).build() for missing in left)
        self._report()

    def _page(self, frame: Frame) -> Page:
        if frame.is_damaged:
            self._opened.missing.append(
                f"The picture on page {frame.number} is damaged; only a part of it was read."
            )
        recognized, notes = self._recognize(frame), self._notes if frame.number == 1 else ()
        if recognized is None:
            builder = PageBuilder(frame.number, width=frame.width, height=frame.height)
            _add_notes(builder, notes)
            return builder.build()
        return lay_out_frame(recognized, frame, self._words, self._paper, notes)

    def _recognize(self, frame: Frame) -> RecognizedPage | None:
        from casetrack.parse.ocr import read_image

        if self._unread:
            self._unread.append(frame.number)
            return None
        try:
            return read_image(
                frame.grey, frame.dpi, self._options.ocr, models_dir=self._options.models_dir
            )
        except OcrUnavailable as error:
            self._unread.append(frame.number)
            self._reason = " ".join(f"{error.message} {error.hint}".split())
            return None

    def _report(self) -> None:
        if self._unread:
            many = len(self._unread) > 1
            self._opened.missing.append(
                f"The text in the picture{'s' if many else ''} on page{'s' if many else ''} "
                f"{number_list(self._unread)} was not read. {self._reason}"
            )
