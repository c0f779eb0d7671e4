"""Text of a page that is invisible and can be copied: under boxes, notes and pictures.

A letter is covered where the rendered page shows one even colour at its place, and either something
was drawn there after it, or it has the colour of a dark ground that was drawn before it (the black
highlighter of a word processor). Words on a coloured ground, highlighted words and white words on
black are visible, and so is the recognised text under a scan.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from casetrack.legal.paper.pdf import silenced
from casetrack.provenance import Box

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from casetrack.records.legal.redactions import Cover

    _Cover = Cover | Literal["ground"] | None

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
_LABELS = 3
"""Boxes with one text, in different sizes, from which on the text is a label of the boxes."""
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
    is_ground
        Whether the cover was drawn before the words, which have its colour.
    """

    text: str
    box: Box
    cover: Cover
    is_ground: bool = False


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
    turned = page.rotation_matrix
    page.set_rotation(0)
    frame, shown = page.rect, page.transformation_matrix
    # `set_cropbox` refuses a MediaBox that doesn't begin at 0.
    whole = " ".join(map(str, page.mediabox))
    page.parent.xref_set_key(page.xref, "CropBox", f"[{whole}]")
    page = page.parent[page.number]
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
        found = _without_labels(found)
    to_shown = ~page.transformation_matrix * shown
    moved = [(one, silenced().Rect(*astuple(one.box)) * to_shown) for one in found]
    return tuple(
        replace(one, box=Box(*(box * turned)))
        for one, box in moved
        if frame.contains(((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2))
    )


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
) -> _Cover:
    """Return what covers a letter, or ``None`` where it is visible or nothing covers it.

    ``"ground"`` is a dark area that was drawn before a letter of the same colour.
    """
    if not letter.character.isalnum():
        return None
    x, y = letter.middle
    there = [layer for layer in layers if _holds(layer[2], x, y)]
    grey = _even_grey(letter, shown) if there else None
    if grey is None:
        return None
    number, kind, box = there[-1]
    if number < letter.order:
        # The ground of the letter. A thick letter on white fills its own place, but not the sides.
        beside = _even_grey(letter, shown, within=box) if grey <= _DARK else None
        return "ground" if beside is not None else None
    size = (box[2] - box[0]) * (box[3] - box[1]) / area
    if kind == "picture" and size > _WHOLE_PAGE and grey > _DARK:
        return None  # a scan over its recognised text: beside its letters there is paper
    if not letter.is_drawn and grey > _DARK:
        return None
    if any(note.contains((x, y)) for note in notes) and not _in_content(box, notes):
        return "annotation"
    return kind


def _holds(box: tuple[float, float, float, float], x: float, y: float) -> bool:
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]


def _in_content(box: tuple[float, float, float, float], notes: list[Any]) -> bool:
    """Whether what lies there is larger than every note: then it is the page that covers."""
    return all(
        (box[2] - box[0]) * (box[3] - box[1]) > 4 * abs(note.width * note.height) for note in notes
    )


def _even_grey(
    letter: _Letter,
    shown: NDArray[np.uint8],
    within: tuple[float, float, float, float] | None = None,
) -> float | None:
    """Return the grey of the place of a letter, or ``None`` where it has more than one.

    With *within*, the place reaches to both sides of the letter, as far as that box does.
    """
    beside = -_BESIDE * 3 if within else _BESIDE
    across, down = (letter.x1 - letter.x0) * beside, (letter.y1 - letter.y0) * _ABOVE
    if not letter.is_upright:
        across, down = (letter.x1 - letter.x0) * _ABOVE, (letter.y1 - letter.y0) * beside
    corners = (letter.x0 + across, letter.y0 + down, letter.x1 - across, letter.y1 - down)
    if within:
        x0, y0, x1, y1 = within
        left, right = max(corners[0], x0 + 1), min(corners[2], x1 - 1)
        corners = (left, max(corners[1], y0), right, min(corners[3], y1))
    left, top, right, bottom = (max(0, round(value * _DOTS_PER_POINT)) for value in corners)
    place = shown[top:bottom, left:right]
    if place.size == 0 or int(place.max()) - int(place.min()) > _EVEN:
        return None
    return float(place.mean())


def _without_labels(found: list[Covered]) -> list[Covered]:
    """Leave out a label that a program wrote on its boxes, such as a date.

    It is fitted to each box, while words that a box hides have the size of their line.
    """
    grounds = [one for one in found if one.is_ground]
    label = min((one.text for one in grounds), key=len, default="")
    heights = {round(one.box.y1 - one.box.y0) for one in grounds}
    if len(grounds) < _LABELS or len(heights) == 1:
        return found
    return [one for one in found if not (one.is_ground and one.text.startswith(label))]


def _words(line: list[_Letter], covers: list[_Cover]) -> Iterator[Covered]:
    """Yield the runs of covered letters of a line; what stands between two belongs to them."""
    run: list[int] = []
    for number, cover in enumerate(covers):
        if cover is not None:
            run.append(number)
        elif run and line[number].character.isalnum():
            yield from _run(line, covers, run)
            run = []
    yield from _run(line, covers, run)


def _run(line: list[_Letter], covers: list[_Cover], run: list[int]) -> Iterator[Covered]:
    if not run:
        return
    beside = line[max(0, run[0] - 1) : run[0]] + line[run[-1] + 1 : run[-1] + 2]
    if len(run) == 1 and any(letter.character.isalnum() for letter in beside):
        return  # one letter within a word that is seen: drawn thinly, not covered
    letters = line[run[0] : run[-1] + 1]
    if not all(letter.is_drawn for letter in letters) and len(run) < _MIN_HIDDEN:
        return
    text, cover = "".join(letter.character for letter in letters), covers[run[0]]
    kind: Cover = "box" if cover is None or cover == "ground" else cover
    yield Covered(text, _around(letters), kind, cover == "ground")


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
