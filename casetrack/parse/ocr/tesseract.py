"""Tesseract within the process; the only importer of ``tesserocr``."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from casetrack.base.errors import OcrUnavailable, Opt
from casetrack.parse.ocr.clean import is_speckled, smoothed
from casetrack.parse.ocr.engine import TESSERACT, Fit, Picture, RawLine, RawWord

_MAX_SECONDS, _MOST_SECONDS, _ROOM = 10.0, 240.0, 1.5


class TesseractEngine:
    """Tesseract 5 with its LSTM networks; *data* is one file per language, most important first."""

    name = "tesseract"
    # Its networks see lines of 36 pixels, in which small letters are about 16 high.
    fit = Fit(low=14.0, best=26.0, high=60.0)

    def __init__(self, data: Mapping[str, Path]) -> None:
        self.languages = tuple(data)
        self._api = _open(tuple(data.items()))
        self._pace = _Pace()

    def read(self, image: Picture, dpi: float, /) -> list[RawLine]:
        """Recognize the picture; see :class:`casetrack.parse.ocr.engine.Engine`."""
        import tesserocr

        if is_speckled(image):
            image = smoothed(image)
            if is_speckled(image):
                return []
        height, width = image.shape
        api = self._api
        # The bytes must stay alive until the results are read: Tesseract keeps a pointer to them.
        data = image.tobytes()
        api.SetImageBytes(data, width, height, 1, width)
        api.SetSourceResolution(int(min(max(dpi, 70), 1200)))
        try:
            if not self._pace.recognize(api):
                return []
            iterator = api.GetIterator()
            return [] if iterator is None else list(_lines(iterator, tesserocr.RIL))
        finally:
            api.Clear()


@dataclass(slots=True)
class _Pace:
    """Ratio of wall time to CPU time of the last reading."""

    ratio: float = 1.0

    def recognize(self, api: Any) -> bool:
        """Recognize the page; give up after a number of seconds of CPU work."""
        # Tesseract's limit is wall time: it is scaled by the last ratio, and extended once.
        first = min(_MAX_SECONDS * _ROOM * self.ratio, _MOST_SECONDS)
        for seconds in dict.fromkeys((first, _MOST_SECONDS)):
            started, at = time.thread_time(), time.monotonic()
            done = bool(api.Recognize(timeout=round(1000 * seconds)))
            worked = time.thread_time() - started
            self.ratio = max((time.monotonic() - at) / max(worked, 0.01), 1.0)
            if done or worked > 0.8 * _MAX_SECONDS:
                return done
        return False


def is_installed() -> bool:
    """Return whether ``tesserocr`` can be imported."""
    from importlib.util import find_spec

    return find_spec("tesserocr") is not None


def _open(data: tuple[tuple[str, Path], ...]) -> Any:
    # One page uses one thread: workers run in parallel, and OpenMP slows small pieces of work.
    os.environ.setdefault("OMP_THREAD_LIMIT", "1")
    try:
        import tesserocr
    except ImportError as error:
        raise OcrUnavailable(
            f"The package tesserocr cannot be loaded: {error}",
            hint="Install it again with `pip install --force-reinstall tesserocr`. Or choose "
            f"{Opt(ocr='rapidocr')}.",
        ) from error

    with tempfile.TemporaryDirectory(prefix="casetrack-tessdata-") as folder:
        for language, path in data:
            _link(path, Path(folder) / f"{language}.traineddata")
        try:
            # Tesseract reads all data from one folder; this one combines files from several.
            api = tesserocr.PyTessBaseAPI(
                path=f"{folder}{os.sep}",
                lang="+".join(language for language, _ in data),
                psm=tesserocr.PSM.AUTO,
                oem=tesserocr.OEM.LSTM_ONLY,
                variables={"debug_file": os.devnull},
            )
        except RuntimeError as error:
            raise _unusable(data, str(error)) from error
        # Damaged data is ignored without an error if another language loads.
        lost = {language for language, _ in data} - set(api.GetLoadedLanguages())
        if lost:
            raise _unusable([d for d in data if d[0] in lost], "it is damaged")
        return api


def _unusable(data: Iterable[tuple[str, Path]], reason: str) -> OcrUnavailable:
    files = ", ".join(str(path) for _, path in data)
    return OcrUnavailable(
        f"Tesseract cannot use its language data ({files}): {reason}",
        hint=f"Install or pull the data again. Or choose another engine with {Opt(ocr='ENGINE')}.",
    )


def _link(source: Path, target: Path) -> None:
    try:
        target.symlink_to(source.resolve())
    except (OSError, NotImplementedError):
        shutil.copyfile(source, target)


def _lines(iterator: Any, level: Any) -> Iterator[RawLine]:
    words: list[RawWord] = []
    base, size = 0.0, 0.0
    iterator.Begin()
    while not iterator.Empty(level.WORD):
        if iterator.IsAtBeginningOf(level.TEXTLINE):
            if words:
                yield RawLine(tuple(words), base, size)
            words = []
            base, size = _measures(iterator, level)
        word = _word(iterator, level)
        if word is not None:
            words.append(word)
        if not iterator.Next(level.WORD):
            break
    if words:
        yield RawLine(tuple(words), base, size)


def _word(iterator: Any, level: Any) -> RawWord | None:
    text = (iterator.GetUTF8Text(level.WORD) or "").strip()
    box = iterator.BoundingBox(level.WORD)
    if not text or box is None:
        return None
    x0, y0, x1, y1 = map(float, box)
    right = TESSERACT.share_right(iterator.Confidence(level.WORD) / 100.0)
    return RawWord(text, x0, y0, x1, y1, right)


def _measures(iterator: Any, level: Any) -> tuple[float, float]:
    box = iterator.BoundingBox(level.TEXTLINE)
    line = iterator.Baseline(level.TEXTLINE)
    base = (line[0][1] + line[1][1]) / 2 if line else float(box[3])
    rows = iterator.RowAttributes()
    return base, float(rows["row_height"]) if rows else float(box[3] - box[1])
