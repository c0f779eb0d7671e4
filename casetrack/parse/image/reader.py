"""Reads pictures of text: JPEG, PNG, TIFF with many pages, WebP, BMP, GIF."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from casetrack.base.errors import OcrUnavailable, ParseFailed, ParseLimit
from casetrack.parse.base import DEFAULT_OPTIONS, DocumentInfo, FileHead, Page, Reading, ReadOptions
from casetrack.parse.image.frames import date_of, open_frames
from casetrack.parse.labels import number_list
from casetrack.parse.layout.assemble import lay_out
from casetrack.parse.layout.blocks import BlockFinder, TextProfile
from casetrack.parse.layout.hyphens import Vocabulary
from casetrack.parse.layout.recognized import placed_words, segments_of
from casetrack.parse.page_builder import PageBuilder, SourceLine, clean_title
from casetrack.parse.printed.number_columns import with_margin_numbers
from casetrack.parse.printed.paper import NumberedPaper, cut_evenly, printed_on

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from casetrack.parse.image.frames import Frame, Frames
    from casetrack.parse.ocr import RecognizedPage

# Lays recognised text out on a page, as text of a PDF is.


def laid_out(
    recognized: RecognizedPage, frame: Frame, words: Vocabulary, paper: NumberedPaper, /
) -> Page:
    """Return the page of a recognised frame.

    Parameters
    ----------
    words
        The document's words so far; those of this page are added.
    paper
        What is known of the numbers beside its lines.
    """
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
    page = replace(builder.build(), words=tuple(placed_words(recognized, frame.scale)))
    return replace(page, printed=printed_on(page, numbered)) if numbered else page


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
_SHOWN = ("description", "make", "model", "software", "copyright", "comment", "digitized")


class ImageReader:
    """Pictures, read by OCR."""

    name = "Image"
    extensions: tuple[str, ...] = (
        ".jpg",
        ".jpeg",
        ".png",
        ".tif",
        ".tiff",
        ".webp",
        ".bmp",
        ".gif",
    )

    def accepts(self, file: FileHead, /) -> bool:
        """Accept the marks of picture formats, whichever of them the extension names."""
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
    """Produces the pages of one file."""

    def __init__(self, path: Path, opened: Frames, options: ReadOptions) -> None:
        self._path = path
        self._opened = opened
        self._options = options
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
            # The pages before a damaged one are worth having.
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
                f"The picture on page {frame.number} is damaged; what is left of it was read."
            )
        recognized = self._recognize(frame)
        if recognized is None:
            return PageBuilder(frame.number, width=frame.width, height=frame.height).build()
        return laid_out(recognized, frame, self._words, self._paper)

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
