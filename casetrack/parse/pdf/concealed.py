"""Finds hidden text of a PDF page by the pixels of the drawn page."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from casetrack.parse.pdf.open import silenced

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_FILLED_OR_STROKED = 16 | 32
_TINY = 2.0
"""Largest height of a line, in points, whose text is too small to read."""
_LIGHT, _DARK, _ALIKE = 0.8, 0.3, 0.15
_CLEAR, _OPAQUE = 26, 0.9
_LETTERS = 2
"""Least letters and digits of hidden text: the picture of fewer has too few pixels."""
_MAX_PIXELS = 4_000_000
_CONTRAST, _INK = 20, 0.015
"""Grey levels between letters and ground, and the least share of pixels that letters take."""
_LINE = 3.0
"""Thickness of the thickest rule between lines, in points."""
_LAYER = 0.2
"""Least share of visible ink below the invisible text of a scan."""

_Rectangle = tuple[float, float, float, float]


class Concealed(NamedTuple):
    """Hidden text: its kind, its words, its rectangle before the page's rotation."""

    kind: str
    text: str
    box: _Rectangle


def take_concealed(
    page: Any, text: Any, raw: dict[str, Any], paths: Sequence[dict[str, Any]], /
) -> list[Concealed]:
    """Take hidden text out of a page's text, and return it.

    Text is hidden where the drawn page is even. So text layers under or over the picture of a scan
    stay, as do white letters on a dark ground.

    Parameters
    ----------
    page
        A ``pymupdf.Page``.
    text, raw
        Its text of MuPDF, and that as a dictionary, which loses the spans that are hidden.
    paths
        Its drawn paths, in order.
    """
    areas = list(_covering(paths))
    if any(_is_cut(span, areas) for line in _lines(raw) for span in line["spans"]):
        for line, full in zip(_lines(raw), _lines(text.extractRAWDICT()), strict=True):
            line["spans"] = [
                part
                for span, letters in zip(line["spans"], full["spans"], strict=True)
                for part in _parts(span, letters["chars"], areas)
            ]
    shown: _Shown | None = None
    read: list[tuple[dict[str, Any], list[tuple[list[dict[str, Any]], str, str | None]]]] = []
    for line in _lines(raw):
        groups: list[tuple[list[dict[str, Any]], str, str | None]] = []
        for spans, why in _suspects(line["spans"], areas):
            kind = why if why == "tiny" else None
            if why and why != "tiny":
                shown = shown or _Shown(page)
                kind = shown.kind(spans, why)
            groups.append((spans, why, kind))
        read.append((line, groups))
    layer = [kind for _, groups in read for _, why, kind in groups if why == "invisible"]
    is_layer = layer.count(None) > _LAYER * len(layer)
    found: list[Concealed] = []
    for line, groups in read:
        kept: list[dict[str, Any]] = []
        for spans, _, kind in groups:
            if kind is None or (kind == "invisible" and is_layer):
                kept += spans
            else:
                words = "".join(span["text"] for span in spans).strip()
                found.append(Concealed(kind, words, _hull(spans)))
        if kept and len(kept) < len(line["spans"]):
            line["bbox"] = _hull(kept)
        line["spans"] = kept
    return found


def _lines(raw: dict[str, Any]) -> Iterator[dict[str, Any]]:
    return (line for block in raw["blocks"] for line in block.get("lines", ()))


def _is_cut(span: dict[str, Any], areas: Sequence[_Rectangle]) -> bool:
    """Return whether an area covers a part of a span's length."""
    x0, y0, x1, y1 = span["bbox"]
    y = (y0 + y1) / 2
    return any(b < y < d and a < x1 and c > x0 and (a > x0 or c < x1) for a, b, c, d in areas)


def _parts(
    span: dict[str, Any], chars: Sequence[dict[str, Any]], areas: Sequence[_Rectangle]
) -> Iterator[dict[str, Any]]:
    """Part a span where an area begins or ends."""
    if not _is_cut(span, areas):
        yield span
        return
    for _, group in groupby(chars, lambda char: _is_over(char["bbox"], areas)):
        part = list(group)
        text = "".join(char["c"] for char in part)
        yield span | {"text": text, "bbox": _hull(part), "origin": part[0]["origin"]}


def _is_over(box: _Rectangle, areas: Sequence[_Rectangle]) -> bool:
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return any(a <= x <= c and b <= y <= d for a, b, c, d in areas)


def _suspects(
    spans: Sequence[dict[str, Any]], areas: Sequence[_Rectangle]
) -> Iterator[tuple[list[dict[str, Any]], str]]:
    """Yield neighbouring spans of a line with why they may be hidden, empty for all others."""
    group: list[dict[str, Any]] = []
    reason = ""
    for span in spans:
        why = _why(span, areas) if span["text"].strip() else reason
        if group and why != reason:
            yield group, reason if _is_long(group) else ""
            group = []
        reason = why
        group.append(span)
    if group:
        yield group, reason if _is_long(group) else ""


def _is_long(spans: Sequence[dict[str, Any]]) -> bool:
    return sum(map(str.isalnum, "".join(span["text"] for span in spans))) >= _LETTERS


def _why(span: dict[str, Any], areas: Sequence[_Rectangle]) -> str:
    if not span["char_flags"] & _FILLED_OR_STROKED or span["alpha"] < _CLEAR:
        return "invisible"
    x0, y0, x1, y1 = span["bbox"]
    if max(span["size"], min(x1 - x0, y1 - y0)) <= _TINY:
        return "tiny"
    if _light(span["color"]) > _LIGHT:
        return "background"
    return "covered" if _is_over(span["bbox"], areas) else ""


def _covering(paths: Sequence[dict[str, Any]]) -> Iterator[_Rectangle]:
    """Yield dark areas, and the others that are drawn last: shading comes before its row's text."""
    before = [path["seqno"] - number for number, path in enumerate(paths)]
    last = max(before, default=0)
    for path, count in zip(paths, before, strict=True):
        x0, y0, x1, y1 = path["rect"]
        is_filled = "f" in path["type"] and (path.get("fill_opacity") or 0) > _OPAQUE
        may_cover = count == last > 0 or (count > 0 and max(path.get("fill") or (1,)) < _DARK)
        if may_cover and is_filled and x1 - x0 > _LINE < y1 - y0:
            yield path["rect"]


def _light(color: int) -> float:
    return ((color >> 16 & 255) * 299 + (color >> 8 & 255) * 587 + (color & 255) * 114) / 255_000


def _hull(spans: Sequence[dict[str, Any]]) -> _Rectangle:
    boxes = [span["bbox"] for span in spans]
    x0, y0 = (min(box[i] for box in boxes) for i in (0, 1))
    x1, y1 = (max(box[i] for box in boxes) for i in (2, 3))
    return x0, y0, x1, y1


class _Shown:
    """The page as it is drawn, in grey."""

    def __init__(self, page: Any) -> None:
        pymupdf = silenced()
        area = max(page.rect.width * page.rect.height, 1.0)
        self._scale = min(1.0, (_MAX_PIXELS / area) ** 0.5)
        matrix = pymupdf.Matrix(self._scale, self._scale)
        drawn = page.get_pixmap(matrix=matrix, colorspace=pymupdf.csGRAY, alpha=False)
        flat = np.frombuffer(drawn.samples, dtype=np.uint8)
        self._pixels = flat.reshape(drawn.height, drawn.stride)[:, : drawn.width].astype(np.int16)
        self._turn = page.rotation_matrix

    def kind(self, spans: Sequence[dict[str, Any]], why: str) -> str | None:
        """Return the kind of hidden text, ``None`` where something is drawn in its place."""
        box = silenced().Rect(_hull(spans)) * self._turn * self._scale
        x0, y0, x1, y1 = box
        if x1 - x0 > y1 - y0:
            # Lines above and below may reach into the rectangle.
            y0, y1 = y0 + 0.2 * (y1 - y0), y1 - 0.1 * (y1 - y0)
        else:
            x0, x1 = x0 + 0.15 * (x1 - x0), x1 - 0.15 * (x1 - x0)
        # An area over a part of a line may begin within its first letter.
        x0, x1 = max(int(x0) + 2, 0), max(int(x1) - 1, 0)
        part = self._pixels[max(int(y0), 0) : max(int(y1) + 1, 0), x0:x1]
        if not part.size:
            return None
        ground = float(np.median(part))
        if np.mean(np.abs(part - ground) > _CONTRAST) > _INK:
            return None
        if why != "background":
            return why
        is_alike = abs(_light(spans[0]["color"]) - ground / 255) < _ALIKE
        return "background" if is_alike else "covered"
