"""Lays recognised text out on a page, as text of a PDF is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from casetrack.parse.layout.assemble import lay_out
from casetrack.parse.layout.blocks import BlockFinder, TextProfile
from casetrack.parse.layout.recognized import placed_words, segments_of
from casetrack.parse.page_builder import PageBuilder, SourceLine
from casetrack.parse.printed.margin_numbers import with_margin_numbers
from casetrack.parse.printed.paper import cut_evenly, printed_on

if TYPE_CHECKING:
    from casetrack.parse.base import Page
    from casetrack.parse.image.frames import Frame
    from casetrack.parse.layout.hyphens import Vocabulary
    from casetrack.parse.ocr import RecognizedPage
    from casetrack.parse.printed.paper import NumberedPaper


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
