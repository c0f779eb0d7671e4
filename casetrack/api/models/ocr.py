"""Text recognition: list the engines, download and check their files."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import OcrUnavailable, See, UsageError
from casetrack.base.models.catalog import RAPID
from casetrack.parse.ocr import language_data
from casetrack.parse.ocr.easy import FOLDER, pull_easyocr
from casetrack.parse.ocr.fetch import find_weights, pull_weights, pulled
from casetrack.parse.ocr.language_data import DATA_FOLDER, installed, known_codes, pull_language

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.base.models.spec import Progress
    from casetrack.models.pull import FileCheck, PullReport
    from casetrack.parse.ocr.language_data import Language

RAPIDOCR, EASYOCR, TESSERACT = "rapidocr", "easyocr", "tesseract"
_LANGUAGE = f"{TESSERACT}-"


@dataclass(frozen=True, slots=True)
class EngineState:
    """Whether an engine can recognise text on this machine, and in which languages.

    *name* is that of ``--ocr ENGINE``. *reason* and *remedy* are empty if the engine works. *used*
    are its default languages, empty if unknown. *languages* are all installed ones; for EasyOCR its
    networks, which read several each.
    """

    name: str
    reason: str = ""
    remedy: str = ""
    used: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()

    @property
    def ready(self) -> bool:
        """Whether it can be used."""
        return not self.reason


def is_ocr(name: str, /) -> bool:
    """Return whether a name belongs to text recognition, not to a search model."""
    return name in {RAPIDOCR, EASYOCR} or bool(_codes(name))


def ocr_names() -> str:
    """Return all names of text recognition as text."""
    return (
        f"{RAPIDOCR}, {EASYOCR}, {_LANGUAGE}LANGUAGE "
        f"(languages: {', '.join(known_codes())}; several as {_LANGUAGE}deu+eng)"
    )


def pull_ocr(name: str, models_dir: Path, progress: Progress, /) -> PullReport:
    """Download the files of *name* into the models folder.

    Raises ``UsageError`` if a language cannot be pulled; ``OcrUnavailable`` if EasyOCR is not
    installed; ``DownloadFailed`` or ``StorageError`` as
    :func:`casetrack.parse.ocr.fetch.pull_files` does.
    """
    if name == RAPIDOCR:
        return pull_weights(models_dir, progress)
    if name == EASYOCR:
        return _pull_easyocr(models_dir, progress)
    return _pull_languages(name, models_dir, progress)


def verify_ocr(name: str, models_dir: Path, /) -> tuple[FileCheck, ...]:
    """Hash the files of *name* again and compare.

    Raises ``OcrUnavailable`` if RapidOCR's networks are not on this machine; ``UsageError`` if the
    hashes are unknown: of EasyOCR, or of a language that cannot be pulled.
    """
    if name == EASYOCR:
        raise UsageError(
            "EasyOCR's networks cannot be checked here: EasyOCR checks them after a download.",
            hint=f"Delete damaged files, then run {See('models pull', 'easyocr')}.",
        )
    if name == RAPIDOCR:
        folder = models_dir / RAPID.name
        if not _has_networks(folder):
            folder = find_weights(models_dir)
        return tuple(_check(folder / file.name, (file.sha256,)) for file in RAPID.files)
    folder = models_dir / DATA_FOLDER
    return tuple(
        _check(folder / entry.file_name, tuple(filter(None, (entry.sha256, entry.npm_sha256))))
        for entry in _languages(name)
    )


def pulled_names(models_dir: Path, /) -> list[str]:
    """Return the parts of text recognition in the models folder that have a known hash."""
    names = [RAPIDOCR] if _has_networks(models_dir / RAPIDOCR) else []
    data = models_dir / DATA_FOLDER
    return names + [
        f"{_LANGUAGE}{e.code}" for e in language_data.LANGUAGES if (data / e.file_name).is_file()
    ]


def engines(models_dir: Path, /) -> list[EngineState]:
    """Return the state of every engine, in the order of ``auto``."""
    present = tuple(installed(models_dir))
    tesseract = _state(TESSERACT, models_dir)
    others = tuple(code for code in present if code not in tesseract.used)
    return [
        replace(tesseract, languages=tesseract.used + others),
        _easyocr(models_dir),
        _state(RAPIDOCR, models_dir),
    ]


def as_objects(models_dir: Path, /) -> list[dict[str, Any]]:
    """Return the JSON form of the engines."""
    return [
        {
            "kind": "ocr",
            "name": state.name,
            "ready": state.ready,
            "reason": state.reason or None,
            "remedy": state.remedy or None,
            "languages_used": list(state.used),
            "languages": list(state.languages),
        }
        for state in engines(models_dir)
    ]


def _state(name: str, models_dir: Path) -> EngineState:
    """Start an engine, since only that shows whether its data can be used."""
    from casetrack.base.config import OcrSettings
    from casetrack.parse.ocr.choose import choose_engine

    try:
        engine = choose_engine(OcrSettings(name), models_dir)
    except OcrUnavailable as error:
        return EngineState(name, error.message, error.hint)
    return EngineState(name, used=engine.languages, languages=engine.languages)


def _easyocr(models_dir: Path) -> EngineState:
    """Look for EasyOCR without starting it if possible: torch takes seconds to load."""
    from importlib.util import find_spec

    networks = sorted(path.stem for path in (models_dir / FOLDER).glob("*.pth"))
    if find_spec(EASYOCR) is None or not any(map(_is_detector, networks)):
        return _state(EASYOCR, models_dir)
    readers = tuple(name for name in networks if not _is_detector(name))
    return EngineState(EASYOCR, languages=readers)


def _is_detector(network: str) -> bool:
    """Return whether a network of EasyOCR detects text; the others recognise it."""
    return network.startswith("craft")


def _has_networks(folder: Path) -> bool:
    """Return whether a folder contains any of RapidOCR's networks; a pull may have been stopped."""
    return any((folder / file.name).is_file() for file in RAPID.files)


def _check(path: Path, good: tuple[str, ...]) -> FileCheck:
    """Compare a file with its allowed hashes; a matching one is the expected hash."""
    from casetrack.models.layout import sha256_of
    from casetrack.models.pull import FileCheck

    digest = sha256_of(path)
    if digest in good:
        return FileCheck(path.name, "ok", digest, digest)
    return FileCheck(path.name, "wrong" if digest else "missing", good[0], digest)


def _codes(name: str) -> list[str]:
    """Return the languages of ``tesseract-deu+eng``; empty for other names."""
    if not name.startswith(_LANGUAGE):
        return []
    codes = name.removeprefix(_LANGUAGE).split("+")
    return list(dict.fromkeys(code.strip() for code in codes if code.strip()))


def _languages(name: str) -> list[Language]:
    codes = _codes(name)
    if lacking := [code for code in codes if code not in known_codes()]:
        packages = " ".join(f"tesseract-ocr-{code.replace('_', '-')}" for code in lacking)
        raise UsageError(
            f"Unknown language {', '.join(lacking)}; known: {', '.join(known_codes())}.",
            hint=f"Others come with the system (Debian, Ubuntu: {packages}).",
        )
    return [entry for code in codes for entry in language_data.LANGUAGES if entry.code == code]


def _pull_languages(name: str, models_dir: Path, progress: Progress) -> PullReport:
    # All names are checked first: with an unknown one, nothing is downloaded.
    languages = _languages(name)
    fresh = tuple(
        file for entry in languages for file in pull_language(entry.code, models_dir, progress)
    )
    files = tuple(entry.file_name for entry in languages)
    return pulled(name, models_dir / DATA_FOLDER, files, fresh)


def _pull_easyocr(models_dir: Path, progress: Progress) -> PullReport:
    """Let EasyOCR download; it reports no progress and no names, so the folder is compared."""
    folder = models_dir / FOLDER
    before = _moments(folder)
    progress("EasyOCR's networks", 0, None)
    pull_easyocr(models_dir)
    after = _moments(folder)
    fresh = tuple(name for name, moment in after.items() if before.get(name) != moment)
    return pulled(EASYOCR, folder, after, fresh)


def _moments(folder: Path) -> dict[str, int]:
    """Return the modification time of each of EasyOCR's networks."""
    return {path.name: path.stat().st_mtime_ns for path in sorted(folder.glob("*.pth"))}
