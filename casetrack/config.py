"""Where the data lies and the few settings a user may change.

Everything works without a configuration file. ``config.toml`` in the data folder may hold::

    inference_threads = 2
    copy_originals = false

    [parse]
    timeout_seconds = 300
    memory_mb = 2048
"""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from casetrack.errors import UsageError

ENV_HOME = "CASETRACK_HOME"
ENV_MODELS = "CASETRACK_MODELS"
_KNOWN = {"inference_threads": int, "copy_originals": bool}
_KNOWN_PARSE = {"timeout_seconds": float, "memory_mb": int}


@dataclass(frozen=True, slots=True)
class ParseLimits:
    """Limits for the worker process that reads one file.

    Attributes
    ----------
    timeout_seconds
        Wall-clock seconds for one file.
    memory_mb
        Memory of the worker in MiB.
    """

    timeout_seconds: float = 300.0
    memory_mb: int = 2048


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
    """

    data_dir: Path
    models_dir: Path
    inference_threads: int | None = None
    copy_originals: bool = False
    parse: ParseLimits = field(default_factory=ParseLimits)

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
    parse = raw.pop("parse", {})
    return Settings(
        data_dir=folder,
        models_dir=resolve_path(models) if models else folder / "models",
        parse=ParseLimits(**parse),
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
    parse = raw.get("parse", {})
    _check_keys(path, {k: v for k, v in raw.items() if k != "parse"}, _KNOWN, "")
    if not isinstance(parse, dict):
        raise UsageError(f"In {path}, parse must be a table.", hint="Write it as [parse].")
    _check_keys(path, parse, _KNOWN_PARSE, "parse.")
    return raw


def _check_keys(path: Path, raw: dict[str, Any], known: dict[str, type], prefix: str) -> None:
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
