"""PP-OCR networks on onnxruntime, with only numpy and Pillow.

The weights come from the ``rapidocr`` wheel, which is read but not imported: its code needs 180 MB
of OpenCV, Shapely and others for curved text, while pages here are already straight.
"""

from __future__ import annotations

import functools
import os
import statistics
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from casetrack.base.errors import OcrUnavailable, See
from casetrack.models.runtime import onnx_runtime
from casetrack.parse.ocr.clean import ink
from casetrack.parse.ocr.engine import Fit, Picture, RawLine, RawWord
from casetrack.parse.ocr.rapid_detect import Reading, TextBox, decode, find_text, lone_colons

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray


# Fits the loose rectangles of a detector to their ink; letters determine baseline and size.

_BELOW = frozenset("gjpqyQ,;()[]{}|/\\@$_çşţ„‚")
_NO_BASE = frozenset("-–—\"'`´^~*°“”‘’«»•·=+:")
_X_HEIGHT = frozenset("acemnorsuvwxzgpqy")
_CORE = 0.2
_CAP_SHARE, _X_SHARE = 0.7, 0.5
"""Height of capitals, and of small letters without ascender, as shares of the font size."""


def fit_to_ink(words: Sequence[RawWord], mask: NDArray[np.bool_], /) -> RawLine:
    """Return the words of a line with each rectangle tight around its dark pixels (*mask*)."""
    tight = tuple(_tight(word, mask) for word in words)
    loose = statistics.median(word.y1 - word.y0 for word in words)
    bottoms = [w.y1 for w in tight if _BELOW.isdisjoint(w.text) and not _NO_BASE.issuperset(w.text)]
    if bottoms:
        base = statistics.median(bottoms)
    else:
        base = statistics.median(word.y0 for word in words) + 0.78 * loose
    heights = []
    for word in tight:
        if _NO_BASE.isdisjoint(word.text):
            share = _X_SHARE if _X_HEIGHT.issuperset(word.text) else _CAP_SHARE
            bottom = word.y1 if _BELOW.isdisjoint(word.text) else min(base, word.y1)
            heights.append((bottom - word.y0) / share)
    size = statistics.median(heights) if heights else 0.8 * loose
    # Stray ink in a rectangle must not make a word larger than its line.
    return RawLine(tight, base, min(max(size, 0.5 * loose), 1.2 * loose))


def widest_gap(
    mask: NDArray[np.bool_], left: float, right: float, top: float, bottom: float, /
) -> float:
    """Return the boundary of two words: the middle of the widest gap between their letters."""
    x0 = max(int(left), 0)
    part = mask[max(int(top), 0) : max(int(bottom), 0) + 1, x0 : int(right) + 1]
    best = run = end = 0
    for at, dark in enumerate(part[_inner(part)].sum(axis=0).tolist()):
        run = 0 if dark else run + 1
        if run > best:
            best, end = run, at + 1
    return x0 + end - best / 2 if best else (left + right) / 2


def _inner(part: NDArray[np.bool_]) -> slice:
    """Return the rows of a line's core, without letters of other lines."""
    count = part.shape[0]
    return slice(int(count * (0.5 - _CORE)), int(count * (0.5 + _CORE)) + 1)


def _tight(word: RawWord, mask: NDArray[np.bool_]) -> RawWord:
    x0, y0 = max(int(word.x0), 0), max(int(word.y0), 0)
    y1 = min(int(word.y1) + 1, mask.shape[0])
    part = mask[y0:y1, x0 : int(word.x1) + 1]
    first, last = _own_rows(part)
    part, y0 = part[first:last], y0 + first
    columns, rows = part.sum(axis=0).nonzero()[0], part.sum(axis=1).nonzero()[0]
    if not columns.size:
        return word
    left, right = x0 + int(columns[0]), x0 + int(columns[-1]) + 1
    top, bottom = y0 + int(rows[0]), y0 + int(rows[-1]) + 1
    return replace(word, x0=float(left), y0=float(top), x1=float(right), y1=float(bottom))


def _own_rows(part: NDArray[np.bool_]) -> tuple[int, int]:
    """Return the rows of a rectangle without descenders of the line above."""
    filled = part.sum(axis=1)
    count = filled.size
    top, bottom = int(count * (0.5 - _CORE)), int(count * (0.5 + _CORE)) + 1
    if top < 1 or bottom >= count:
        return 0, count
    first = top - 1 - int(filled[:top][::-1].argmin())
    last = bottom + int(filled[bottom:].argmin())
    return first, last + 1


DETECTOR, RECOGNIZER = "PP-OCRv6_det_small.onnx", "PP-OCRv6_rec_small.onnx"
_LINE_HEIGHT = 48
_MAX_THREADS = 4
_MIN_WIDTH, _MAX_WIDTH = 64, 2400
_BATCH_PIXELS = 6 * 48 * 640
_SHARE_OF_PADDING = 1.25
_LEAST_CONFIDENCE = 0.4
_TALL = 1.8
_NARROWED = 0.85
"""Horizontal scale of lines: as many words are right, in less time."""


class RapidEngine:
    """PP-OCRv6 (small): Latin, Greek, Chinese and Japanese script in one network."""

    name = "rapidocr"
    languages: tuple[str, ...] = ()
    fit = Fit(low=10.0, best=16.0, high=28.0)

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @functools.cached_property
    def _detector(self) -> Any:
        return _session(self._folder / DETECTOR)

    @functools.cached_property
    def _recognizer(self) -> Any:
        return _session(self._folder / RECOGNIZER)

    @functools.cached_property
    def _alphabet(self) -> tuple[str, ...]:
        """The text of each class: empty, the network's characters, a space."""
        known = self._recognizer.get_modelmeta().custom_metadata_map["character"]
        return ("", *known.splitlines(), " ")

    def read(self, image: Picture, _dpi: float, /) -> list[RawLine]:
        """Recognize the picture; see :class:`casetrack.parse.ocr.engine.Engine`."""
        boxes = find_text(image, self._detector)
        mask = ink(image)
        cuts = [_cut(image, box) for box in boxes]
        readings = self._recognize(cuts)
        lines = []
        for box, reading in zip(boxes, readings, strict=True):
            words = _words(box, reading, mask)
            if words:
                lines.append(fit_to_ink(words, mask))
        return lines + lone_colons(image, boxes, lines)

    def _recognize(self, cuts: Sequence[Picture]) -> list[Reading]:
        order = sorted(range(len(cuts)), key=lambda i: cuts[i].shape[1])
        readings: dict[int, Reading] = {}
        for batch in _batches(order, cuts):
            width = max(cuts[i].shape[1] for i in batch)
            data = np.zeros((len(batch), 3, _LINE_HEIGHT, width), np.float32)
            for row, i in enumerate(batch):
                data[row, :, :, : cuts[i].shape[1]] = cuts[i].astype(np.float32) / 127.5 - 1.0
            (scores,) = self._recognizer.run(None, {"x": data})
            for row, i in enumerate(batch):
                share = cuts[i].shape[1] / width
                readings[i] = decode(scores[row], self._alphabet, share, _dark_columns(cuts[i]))
        return [readings[i] for i in range(len(cuts))]


def _session(path: Path) -> Any:
    onnxruntime = onnx_runtime()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = min(os.cpu_count() or 1, _MAX_THREADS)
    options.inter_op_num_threads = 1
    # Waiting threads must not take the processor from workers that read other files.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # Every picture has another size: an arena would keep the largest of each.
    options.enable_cpu_mem_arena = False
    # Thousands of the recognizer's weights are subnormal, which would take a third more time.
    options.add_session_config_entry("session.set_denormal_as_zero", "1")
    options.log_severity_level = 4
    try:
        return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # The runtime's errors have no common base class.
        raise OcrUnavailable(
            f"RapidOCR's network {path} cannot be loaded: {' '.join(str(error).split())[:200]}",
            hint=f"Fetch it again with {See('models pull', 'rapidocr')}.",
        ) from error


def _batches(order: Sequence[int], cuts: Sequence[Picture]) -> Iterator[list[int]]:
    batch: list[int] = []
    for i in order:
        width = cuts[i].shape[1]
        if batch and (
            (len(batch) + 1) * width * _LINE_HEIGHT > _BATCH_PIXELS
            or width > _SHARE_OF_PADDING * cuts[batch[0]].shape[1]
        ):
            yield batch
            batch = []
        batch.append(i)
    if batch:
        yield batch


def _cut(image: Picture, box: TextBox) -> Picture:
    """Cut out a line along its slope, scaled to the network's height."""
    from PIL import Image

    width, height = box.x1 - box.x0, box.height
    tall = height > _TALL * width
    scale = _LINE_HEIGHT / (width if tall else height)
    length = round((height if tall else width) * scale * _NARROWED)
    length = int(min(max(length, 8), _MAX_WIDTH))
    if tall:
        piece = image[int(box.y0) : int(box.y0 + height) + 1, int(box.x0) : int(box.x1) + 1]
        turned = Image.fromarray(np.ascontiguousarray(np.rot90(piece)))
        cut = turned.resize((length, _LINE_HEIGHT), Image.Resampling.BICUBIC)
    else:
        step = width / length
        down = height / _LINE_HEIGHT
        cut = Image.fromarray(image).transform(
            (length, _LINE_HEIGHT),
            Image.Transform.AFFINE,
            (step, 0.0, box.x0, box.slope * step, down, box.y0),
            Image.Resampling.BICUBIC,
        )
    data = np.asarray(cut)
    short = _MIN_WIDTH - data.shape[1]
    return np.pad(data, ((0, 0), (0, short)), mode="edge") if short > 0 else data


def _dark_columns(cut: Picture) -> NDArray[np.bool_]:
    """Return the columns of a line with ink in its core, without letters of other lines."""
    core = ink(cut)[_LINE_HEIGHT // 6 : -_LINE_HEIGHT // 6]
    columns: NDArray[np.bool_] = np.logical_or.reduce(core, axis=0)
    return columns


def _words(box: TextBox, reading: Reading, mask: NDArray[np.bool_]) -> list[RawWord]:
    if reading.confidence < _LEAST_CONFIDENCE:
        return []
    width, height = box.x1 - box.x0, box.height
    if height > _TALL * width:
        return _upwards(box, reading)
    pieces = reading.words
    edges = [box.x0]
    for before, piece in pairwise(pieces):
        left, right = box.x0 + width * before.last, box.x0 + width * piece.first
        top = box.y0 + box.slope * ((left + right) / 2 - box.x0)
        edges.append(widest_gap(mask, left, right, top, top + height))
    edges.append(box.x1)
    words = []
    for piece, (x0, x1) in zip(pieces, pairwise(edges), strict=True):
        top = box.y0 + box.slope * ((x0 + x1) / 2 - box.x0)
        words.append(RawWord(piece.text, x0, top, x1, top + height, piece.confidence))
    return words


def _upwards(box: TextBox, reading: Reading) -> list[RawWord]:
    edges = [1.0, *(1 - (a.last + b.first) / 2 for a, b in pairwise(reading.words)), 0.0]
    return [
        RawWord(
            piece.text,
            box.x0,
            box.y0 + box.height * upper,
            box.x1,
            box.y0 + box.height * lower,
            piece.confidence,
        )
        for piece, (lower, upper) in zip(reading.words, pairwise(edges), strict=True)
    ]
