"""Tesseract's language data on this machine: where it lies, and which of it is used."""

from __future__ import annotations

import locale
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.base.errors import OcrUnavailable
from casetrack.base.words import WordLists

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_LISTS = WordLists(__file__)

ENV_DATA = "TESSDATA_PREFIX"
DATA_FOLDER = "tessdata"
"""Folder of pulled language data within the models folder."""

DATA_SUFFIX = ".traineddata"
_NO_TEXT = frozenset(("osd", "equ"))
_MOST = 4
"""Languages used where none is named. Measured with 1, 4 and 6: clean pages take 1, 1.1 and 1.2
times as long, poor receipts 1, 2.1 and 3; words found in the receipts go from 66 to 71 to 69 %."""

_PREFERRED = ("eng", "deu", "fra", "spa", "ita", "por", "nld")
_BY_LOCALE = _LISTS.pairs("by_locale")
_SYSTEM_FOLDERS = (
    "/usr/share/tesseract-ocr/5/tessdata",
    "/usr/share/tesseract-ocr/4.00/tessdata",
    "/usr/share/tessdata",
    "/usr/share/tesseract/tessdata",
    "/usr/local/share/tessdata",
    "/opt/homebrew/share/tessdata",
    "/opt/local/share/tessdata",
)


def find_data(wanted: str | None, models_dir: Path | None, /) -> dict[str, Path]:
    """Return the data file of each language to use, the most important first.

    Parameters
    ----------
    wanted
        Tesseract's codes joined by ``+``; ``None`` takes what is installed: the language of the
        system, English, then other common ones, four at most.

    Raises
    ------
    OcrUnavailable
        A language is not on this machine, or none is.
    """
    there = installed(models_dir)
    if wanted is None:
        chosen = usual(there)
        if not chosen:
            raise OcrUnavailable(
                "Tesseract has no language data on this machine.", hint=_how_to_get("eng")
            )
    else:
        chosen = [code for code in (part.strip() for part in wanted.split("+")) if code]
        lacking = [code for code in chosen if code not in there]
        if lacking or not chosen:
            known = ", ".join(sorted(there)) or "none"
            raise OcrUnavailable(
                f"Tesseract has no language data for {', '.join(lacking) or repr(wanted)} "
                f"(there is: {known}).",
                hint=_how_to_get("+".join(lacking) or "eng"),
            )
    return {code: there[code] for code in chosen}


def installed(models_dir: Path | None, /) -> dict[str, Path]:
    """Return every language that is there; pulled data goes before that of the system."""
    found: dict[str, Path] = {}
    for folder in folders(models_dir):
        for path in sorted(folder.glob(f"*{DATA_SUFFIX}")):
            code = path.name.removesuffix(DATA_SUFFIX)
            if code not in _NO_TEXT and path.is_file():
                found.setdefault(code, path)
    return found


def folders(models_dir: Path | None, /) -> list[Path]:
    """Return where language data may lie on this machine, in the order of search."""
    found = [models_dir / DATA_FOLDER] if models_dir else []
    named = os.environ.get(ENV_DATA)
    if named:
        # Both forms are common: the folder itself, and the one that holds it.
        found += [Path(named), Path(named) / DATA_FOLDER]
    found += [Path(name) for name in _SYSTEM_FOLDERS]
    if sys.platform == "win32":
        for variable in ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA"):
            if base := os.environ.get(variable):
                found += [
                    Path(base) / "Tesseract-OCR" / DATA_FOLDER,
                    Path(base) / "Programs" / "Tesseract-OCR" / DATA_FOLDER,
                ]
    return found


def usual(there: Mapping[str, Path] | Iterable[str], /) -> list[str]:
    """Return the languages to use where none is named."""
    codes = sorted(there)
    tongue = (locale.getlocale()[0] or "")[:2].lower()
    order = [_BY_LOCALE.get(tongue, ""), *_PREFERRED, *codes]
    return [code for code in dict.fromkeys(order) if code in codes][:_MOST]


def _how_to_get(codes: str) -> str:
    packages = " ".join(f"tesseract-ocr-{code.replace('_', '-')}" for code in codes.split("+"))
    return (
        f"Fetch it once while online with `casetrack models pull tesseract-{codes}`, or install "
        f"it with the system (Debian, Ubuntu: {packages}; macOS: `brew install tesseract-lang`), "
        f"or point {ENV_DATA} to a folder that has it. `--ocr rapidocr` needs none."
    )
