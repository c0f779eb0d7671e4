"""Lays recognised text out on a page, as text of a PDF is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.readers.layout.assemble import lay_out
from casetrack.readers.layout.blocks import BlockFinder, TextProfile
from casetrack.readers.layout.recognized import segments_of
from casetrack.readers.page_builder import PageBuilder, SourceLine

if TYPE_CHECKING:
    from casetrack.ocr import RecognizedPage
    from casetrack.readers.base import Page
    from casetrack.readers.image.frames import Frame
    from casetrack.readers.layout.hyphens import Vocabulary


def laid_out(recognized: RecognizedPage, frame: Frame, words: Vocabulary, /) -> Page:
    """Return the page of a recognised frame.

    Parameters
    ----------
    words
        The document's words so far; those of this page are added.
    """
    builder = PageBuilder(
        frame.number,
        method="Ocr",
        width=frame.width,
        height=frame.height,
        ocr_engine=recognized.engine,
    )
    segments = segments_of(recognized, frame.scale)
    for segment in segments:
        words.add(segment.text)
    blocks, lines = lay_out([segments], [], BlockFinder(TextProfile.of(segments)), words)
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
    return builder.build()
