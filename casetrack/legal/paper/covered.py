"""Text of a page that nobody sees and everybody can copy: under boxes, notes and pictures.

A box drawn over words takes them from the eye and leaves them in the file. What is covered is told
by two things that must both hold: something was drawn after the words where they stand, and the
page as drawn shows one even colour there. So words on a coloured ground, highlighted words and
white words on black are none, and neither is the text that recognition lays under a scan.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from casetrack.legal.paper.pdf import silenced
from casetrack.provenance import Box

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from casetrack.records.legal.redactions import Cover

_DOTS_PER_POINT = 3.0
_EVEN = 24
"""Grey values of one colour differ by no more, as drawn."""
_BESIDE, _ABOVE = 0.12, 0.25
"""Shares of a letter's box, beside it and above and below, that may stick out from a cover."""
_DARK = 90
_WHOLE_PAGE = 0.5
_MIN_HIDDEN = 3
"""Letters in a row that must lie under a dark place of a scan: recognition errs by one or two."""
_COVERS: dict[str, Cover] = {
    "fill-path": "box",
    "fill-image": "picture",
    "fill-shade": "box",
    "stroke-path": "box",
}
_INVISIBLE = 3
"""Render mode of text that is not drawn, such as the text under a scan."""
_MARKED = 12
"""Type of an annotation that asks for a redaction and has not been carried out."""


@dataclass(frozen=True, slots=True)
class Covered:
    """Words under something.

    Attributes
    ----------
    text, box
        What can be copied, and where it stands: page points of the page as shown.
    cover
        ``box``, ``picture``, ``annotation`` (any reader of PDFs can move it away) or ``mark``
        (marked for redaction, which was never carried out).
    """

    text: str
    box: Box
    cover: Cover


@dataclass(frozen=True, slots=True)
class _Letter:
    character: str
    x0: float
    y0: float
    x1: float
    y1: float
    order: int
    is_drawn: bool
    is_upright: bool

    @property
    def middle(self) -> tuple[float, float]:
        return (self.x0 + self.x1) / 2, (self.y0 + self.y1) / 2


def covered_words(page: Any, /) -> tuple[Covered, ...]:
    """Return what is covered on a page, in the order of its text.

    Parameters
    ----------
    page
        A ``pymupdf.Page``.
    """
    # In memory: so that letters, drawings and the picture count in the same points.
    shown = page.cropbox if page.rotation == 0 else None
    if page.cropbox != page.mediabox:
        page.set_cropbox(page.mediabox)
    page.remove_rotation()
    lines = list(_lines(page))
    marks = [a.rect for a in page.annots() or () if a.type[0] == _MARKED]
    notes = [a.rect for a in page.annots() or () if a.type[0] != _MARKED]
    found = [c for line in lines for c in _marked(line, marks)]
    layers = [
        (number, _COVERS[kind], box)
        for number, (kind, box) in enumerate(page.get_bboxlog())
        if kind in _COVERS
    ]
    if layers:
        seen = _drawn(page)
        area = abs(page.rect.width * page.rect.height) or 1.0
        for line in lines:
            covers = [_cover(letter, layers, notes, seen, area) for letter in line]
            found += _words(line, covers)
    return tuple(_as_shown(one, shown) for one in found if _is_inside(one.box, shown))


def _is_inside(box: Box, shown: Any) -> bool:
    x, y = (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2
    return shown is None or shown.contains((x, y))


def _as_shown(one: Covered, shown: Any) -> Covered:
    if shown is None or (shown.x0, shown.y0) == (0, 0):
        return one
    x, y, box = shown.x0, shown.y0, one.box
    return replace(one, box=Box(box.x0 - x, box.y0 - y, box.x1 - x, box.y1 - y))


def _lines(page: Any) -> Iterator[list[_Letter]]:
    """Yield the letters of a page, line by line as the file draws them."""
    line: list[_Letter] = []
    for span in page.get_texttrace():
        for code, _, _, (x0, y0, x1, y1) in span["chars"]:
            letter = _Letter(
                chr(code),
                *(x0, y0, x1, y1),
                span["seqno"],
                span["type"] != _INVISIBLE,
                abs(span["dir"][0]) >= abs(span["dir"][1]),
            )
            if line and not _goes_on(line[-1], letter):
                yield line
                line = []
            line.append(letter)
    if line:
        yield line


def _goes_on(before: _Letter, letter: _Letter) -> bool:
    """Whether a letter stands beside the one before, in whatever direction the line runs."""
    apart = (
        max(letter.x0 - before.x1, before.x0 - letter.x1, 0.0),
        max(letter.y0 - before.y1, before.y0 - letter.y1, 0.0),
    )
    size = max(before.x1 - before.x0, before.y1 - before.y0, 1.0)
    return min(apart) < 0.1 * size and max(apart) < 1.5 * size


def _drawn(page: Any) -> NDArray[np.uint8]:
    """Return the page as it is seen, grey: uint8, height x width."""
    pymupdf = silenced()
    scale = pymupdf.Matrix(_DOTS_PER_POINT, _DOTS_PER_POINT)
    picture = page.get_pixmap(matrix=scale, colorspace=pymupdf.csGRAY, alpha=False)
    grey = np.frombuffer(picture.samples, np.uint8).reshape(picture.height, picture.stride)
    return grey[:, : picture.width]


def _cover(
    letter: _Letter,
    layers: list[tuple[int, Cover, tuple[float, float, float, float]]],
    notes: list[Any],
    shown: NDArray[np.uint8],
    area: float,
) -> Cover | None:
    """Return what lies on a letter, or ``None`` where it can be seen or nothing lies on it."""
    if not letter.character.isalnum():
        return None
    x, y = letter.middle
    over = [
        (kind, box)
        for number, kind, box in layers
        if number > letter.order and box[0] <= x <= box[2] and box[1] <= y <= box[3]
    ]
    if not over:
        return None
    grey = _even_grey(letter, shown)
    if grey is None:
        return None
    kind, box = over[-1]
    size = (box[2] - box[0]) * (box[3] - box[1]) / area
    if kind == "picture" and size > _WHOLE_PAGE and grey > _DARK:
        return None  # a scan over its recognised text: beside its letters there is paper
    if not letter.is_drawn and grey > _DARK:
        return None
    if any(note.contains((x, y)) for note in notes) and not _in_content(box, notes):
        return "annotation"
    return kind


def _in_content(box: tuple[float, float, float, float], notes: list[Any]) -> bool:
    """Whether what lies there is larger than every note: then it is the page that covers."""
    return all(
        (box[2] - box[0]) * (box[3] - box[1]) > 4 * abs(note.width * note.height) for note in notes
    )


def _even_grey(letter: _Letter, shown: NDArray[np.uint8]) -> float | None:
    """Return the grey of the place of a letter, or ``None`` where more than one is seen."""
    across, down = (letter.x1 - letter.x0) * _BESIDE, (letter.y1 - letter.y0) * _ABOVE
    if not letter.is_upright:
        across, down = (letter.x1 - letter.x0) * _ABOVE, (letter.y1 - letter.y0) * _BESIDE
    left, top, right, bottom = (
        max(0, round(value * _DOTS_PER_POINT))
        for value in (letter.x0 + across, letter.y0 + down, letter.x1 - across, letter.y1 - down)
    )
    place = shown[top:bottom, left:right]
    if place.size == 0 or int(place.max()) - int(place.min()) > _EVEN:
        return None
    return float(place.mean())


def _words(line: list[_Letter], covers: list[Cover | None]) -> Iterator[Covered]:
    """Yield the runs of covered letters of a line; what stands between two belongs to them."""
    run: list[int] = []
    for number, cover in enumerate(covers):
        if cover is not None:
            run.append(number)
        elif run and line[number].character.isalnum():
            yield from _run(line, covers, run)
            run = []
    yield from _run(line, covers, run)


def _run(line: list[_Letter], covers: list[Cover | None], run: list[int]) -> Iterator[Covered]:
    if not run:
        return
    beside = line[max(0, run[0] - 1) : run[0]] + line[run[-1] + 1 : run[-1] + 2]
    if len(run) == 1 and any(letter.character.isalnum() for letter in beside):
        return  # one letter within a word that is seen: drawn thinly, not covered
    letters = line[run[0] : run[-1] + 1]
    if not all(letter.is_drawn for letter in letters) and len(run) < _MIN_HIDDEN:
        return
    yield Covered(
        "".join(letter.character for letter in letters),
        _around(letters),
        covers[run[0]] or "box",
    )


def _marked(line: list[_Letter], marks: list[Any]) -> Iterator[Covered]:
    """Yield the words of a line under marks for a redaction that was not carried out."""
    inside = [any(mark.contains(letter.middle) for mark in marks) for letter in line]
    run: list[_Letter] = []
    for letter, is_in in zip([*line, None], [*inside, False], strict=True):
        if is_in and letter is not None:
            run.append(letter)
        elif run:
            text = "".join(one.character for one in run).strip()
            if text:
                yield Covered(text, _around(run), "mark")
            run = []


def _around(letters: list[_Letter]) -> Box:
    return Box(
        min(one.x0 for one in letters),
        min(one.y0 for one in letters),
        max(one.x1 for one in letters),
        max(one.y1 for one in letters),
    )
