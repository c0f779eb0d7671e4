"""Where the data lies and the few settings a user may change.

Everything works without a configuration file. ``config.toml`` in the data folder may hold::

    inference_threads = 2
    copy_originals = false

    [parse]
    timeout_seconds = 300
    memory_mb = 2048
    max_pages = 10000

    [ocr]
    engine = "auto"
    language = "deu+eng"
"""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from casetrack.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

ENV_HOME = "CASETRACK_HOME"
ENV_MODELS = "CASETRACK_MODELS"
_KNOWN = {"inference_threads": int, "copy_originals": bool}
_KNOWN_PARSE: dict[str, type] = {
    "timeout_seconds": float,
    "memory_mb": int,
    "ocr_page_seconds": float,
    "max_pages": int,
    "unpacked_mb": int,
    "attachment_depth": int,
    "max_attachments": int,
}
_KNOWN_OCR: dict[str, type] = {"engine": str, "language": str}
OCR_ENGINES = ("auto", "tesseract", "easyocr", "rapidocr", "off")
"""What ``--ocr`` takes: a way to choose, an engine, or none."""


@dataclass(frozen=True, slots=True)
class ParseLimits:
    """Limits for the worker process that reads one file.

    Attributes
    ----------
    timeout_seconds
        Wall-clock seconds for one file; the document ends there, and says so.
    ocr_page_seconds
        Further seconds for each page of it that is read by OCR.
    memory_mb
        Memory of the worker in MiB.
    max_pages
        Pages read of one file; the document ends there, and says so.
    unpacked_mb
        MiB that a compressed file may unpack to, all parts together.
    attachment_depth
        How deep attachments may hold attachments; 1 reads those of the file itself.
    max_attachments
        Attachments read of one file.
    """

    timeout_seconds: float = 300.0
    memory_mb: int = 2048
    ocr_page_seconds: float = 20.0
    max_pages: int = 10_000
    unpacked_mb: int = 1024
    attachment_depth: int = 5
    max_attachments: int = 1000


@dataclass(frozen=True, slots=True)
class OcrSettings:
    """How pictures of text are read.

    Attributes
    ----------
    engine
        One of :data:`OCR_ENGINES`.
    language
        Tesseract's codes joined by ``+``, such as ``deu+eng``; ``None`` means what is installed.
    """

    engine: str = "auto"
    language: str | None = None

    def with_choice(self, engine: str | None, language: str | None, /) -> OcrSettings:
        """Return the settings with what was chosen for one call; ``None`` chooses nothing.

        Raises
        ------
        UsageError
            There is no such engine.
        """
        return OcrSettings(engine or self.engine, language or self.language)

    def __post_init__(self) -> None:
        """Refuse an engine that does not exist."""
        if self.engine not in OCR_ENGINES:
            raise UsageError(
                f"Unknown OCR engine {self.engine!r}.",
                hint=f"Use one of: {', '.join(OCR_ENGINES)}.",
            )


@dataclass(frozen=True, slots=True)
class Settings:
    """Resolved settings of one data folder.

    Attributes
    ----------
    data_dir
        Absolute folder of all data.
    models_dir
        Absolute folder of model files.
    inference_threads
        Encoder sessions side by side; ``None`` means by the number of cores.
    copy_originals
        Whether ingested files are copied into the collection.
    parse
        Limits per file.
    ocr
        How pictures of text are read.
    """

    data_dir: Path
    models_dir: Path
    inference_threads: int | None = None
    copy_originals: bool = False
    parse: ParseLimits = field(default_factory=ParseLimits)
    ocr: OcrSettings = field(default_factory=OcrSettings)

    @property
    def collections_dir(self) -> Path:
        """Folder whose sub-folders are the collections."""
        return self.data_dir / "collections"


def resolve_path(path: str | Path, /) -> Path:
    """Return *path* absolute, with ``~`` expanded; symbolic links are left as they are."""
    expanded = Path(path).expanduser()
    return Path(os.path.abspath(expanded))  # noqa: PTH100 - Path.resolve would follow links


def default_data_dir() -> Path:
    """Return the data folder used when nothing else is said: Documents/CaseTrack."""
    import platformdirs

    return Path(platformdirs.user_documents_path()) / "CaseTrack"


def load_settings(data_dir: str | Path | None = None, /) -> Settings:
    """Resolve the settings: argument, then ``CASETRACK_HOME``, then the default folder.

    Raises
    ------
    UsageError
        ``config.toml`` cannot be parsed or holds an unknown key or a wrong type.
    """
    chosen = data_dir or os.environ.get(ENV_HOME) or default_data_dir()
    folder = resolve_path(chosen)
    models = os.environ.get(ENV_MODELS)
    raw = _read_config(folder / "config.toml")
    parse, ocr = raw.pop("parse", {}), raw.pop("ocr", {})
    return Settings(
        data_dir=folder,
        models_dir=resolve_path(models) if models else folder / "models",
        parse=ParseLimits(**parse),
        ocr=OcrSettings(**ocr),
        **raw,
    )


def _read_config(path: Path) -> dict[str, Any]:
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(
            f"Cannot read the settings in {path}: {error}",
            hint="Correct the file or remove it; every setting has a default.",
        ) from error
    tables: dict[str, Mapping[str, type]] = {"parse": _KNOWN_PARSE, "ocr": _KNOWN_OCR}
    _check_keys(path, {k: v for k, v in raw.items() if k not in tables}, _KNOWN, "")
    for name, known in tables.items():
        values = raw.get(name, {})
        if not isinstance(values, dict):
            raise UsageError(f"In {path}, {name} must be a table.", hint=f"Write it as [{name}].")
        _check_keys(path, values, known, f"{name}.")
    return raw


def _check_keys(path: Path, raw: dict[str, Any], known: Mapping[str, type], prefix: str) -> None:
    for key, value in raw.items():
        wanted = known.get(key)
        if wanted is None:
            names = ", ".join(sorted(known))
            raise UsageError(
                f"Unknown setting {prefix}{key!r} in {path}.", hint=f"Known settings: {names}."
            )
        fits = isinstance(value, (int, float)) if wanted is float else isinstance(value, wanted)
        if not fits or (wanted is not bool and isinstance(value, bool)):
            raise UsageError(
                f"Setting {prefix}{key} in {path} must be {wanted.__name__}, not {value!r}.",
                hint="Correct the value or remove the line.",
            )
