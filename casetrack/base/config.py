"""Location of the data, and the settings of the optional ``config.toml``.

Example::

    inference_threads = 2
    memory_mode = "standard"
    copy_originals = false
    license_key = "PRO-..."

    [parse]
    timeout_seconds = 300
    max_pages = 10000

    [ocr]
    engine = "auto"
    language = "deu+eng"

    [providers.openai]
    model = "text-embedding-3-small"
    dimensions = 512

Further tables: ``names``, ``sql``, ``audit``, ``providers.ollama``. Only collections whose profile
names a provider use it. Its key comes from the environment variable ``OPENAI_API_KEY`` only.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args, get_type_hints

from casetrack.base.dataclass import dataclass, field
from casetrack.base.errors import UsageError

ENV_HOME = "CASETRACK_HOME"
ENV_MODELS = "CASETRACK_MODELS"
ENV_MEMORY_MODE = "CASETRACK_MEMORY_MODE"
ENV_LOG = "CASETRACK_LOG"
LOG_FORMS = ("text", "json")
"""How servers write their log: for people, or one line of JSON per event."""
_KNOWN = {
    "inference_threads": int,
    "memory_mode": str,
    "copy_originals": bool,
    "license_key": str,
    "cache_megabytes": int,
    "log": str,
}
_KNOWN_NAMES: dict[str, type] = {"model": str}
_KNOWN_AUDIT: dict[str, type] = {"searches": bool}
_KNOWN_PROVIDER = {"model": str, "dimensions": int, "max_tokens": int, "timeout_seconds": float}
_KNOWN_PROVIDERS: dict[str, dict[str, type]] = {
    "openai": {"base_url": str, **_KNOWN_PROVIDER},
    "ollama": {"host": str, **_KNOWN_PROVIDER},
}
_SECRETS = frozenset({"api_key", "key", "token", "openai_api_key"})
NAME_MODELS = ("auto", "bert-ner", "off")
"""Models that find names: the embedded tagger, a larger model that the user downloads, or none."""
MEMORY_MODES = ("full", "standard", "constrained")
"""How much memory the models may take; see :mod:`casetrack.models.memory`."""
OCR_ENGINES = ("auto", "tesseract", "easyocr", "rapidocr", "off")
"""Values of ``--ocr``: automatic choice, an engine, or none."""


@dataclass(frozen=True, slots=True)
class ParseLimits:
    """Limits for the worker process that reads one file."""

    # Wall-clock seconds for reading, without the models; the document ends there as partial.
    timeout_seconds: float = 300.0
    memory_mb: int = 2048  # memory of the worker in MiB
    ocr_page_seconds: float = 20.0  # additional seconds for each page read by OCR
    # Pages read of one file; sheets, slides, sections and parts of long texts count as pages.
    max_pages: int = 10_000
    unpacked_mb: int = 1024  # MiB of a compressed file after unpacking, all parts together
    attachment_depth: int = 5  # depth of nested attachments; 1 reads those of the file itself
    max_attachments: int = 100_000


@dataclass(frozen=True, slots=True)
class OcrSettings:
    """OCR engine (one of :data:`OCR_ENGINES`) and language.

    *language* has Tesseract's codes, such as ``deu+eng``; ``None`` means the installed languages.
    """

    engine: str = "auto"
    language: str | None = None

    def with_choice(self, engine: str | None, language: str | None, /) -> OcrSettings:
        """Return the settings with the values chosen for one call; ``None`` keeps the setting.

        Raises ``UsageError``: the engine is unknown.
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
class SqlLimits:
    """Limits of one SQL statement, including its searches: wall-clock seconds, memory in MiB.

    The rows of the answer may use half of the memory.
    """

    timeout_seconds: float = 60.0
    memory_mb: int = 1024

    def __post_init__(self) -> None:
        """Refuse limits that are too low for any statement."""
        if self.timeout_seconds <= 0 or self.memory_mb < 16:
            raise UsageError(
                "The SQL limits are too low for any statement.",
                hint="In [sql] of config.toml, timeout_seconds must be above 0, memory_mb from 16.",
            )


@dataclass(frozen=True, slots=True)
class ProviderSettings:
    """Connection to a provider of embeddings; ``None`` means the provider's default."""

    # Address: `base_url` of `openai`, `host` of `ollama`. The environment variables
    # `OPENAI_BASE_URL` and `OLLAMA_HOST` take precedence.
    url: str | None = None
    model: str | None = None
    dimensions: int | None = None  # requested vector length, for models that offer several
    # Longest input of the model in tokens; longer texts are split into windows.
    max_tokens: int | None = None
    timeout_seconds: float | None = None  # longest pause of the service within one answer
    batch_size: int | None = None  # texts of one request
    max_retries: int | None = None  # requests after a failed one

    def __post_init__(self) -> None:
        """Refuse numbers that are not above 0."""
        for name in ("dimensions", "max_tokens", "timeout_seconds"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise UsageError(
                    f"Setting {name} of a provider must be above 0, not {value!r}.",
                    hint="Correct it in config.toml ([providers.openai], [providers.ollama]), "
                    "or remove the line.",
                )


@dataclass(frozen=True, slots=True)
class Providers:
    """Settings of every provider; ``openai`` includes services with the same protocol."""

    openai: ProviderSettings = field(default_factory=ProviderSettings)
    ollama: ProviderSettings = field(default_factory=ProviderSettings)


@dataclass(frozen=True, slots=True)
class Settings:
    """Resolved settings of one data folder."""

    data_dir: Path
    models_dir: Path
    # Parallel encoder sessions; `None` means by the number of cores.
    inference_threads: int | None = None
    copy_originals: bool = False  # whether ingested files are copied into the collection
    # Size limit of the local cache of collections in object storage, 10^6 bytes each.
    cache_megabytes: int = 10_000
    parse: ParseLimits = field(default_factory=ParseLimits)
    ocr: OcrSettings = field(default_factory=OcrSettings)
    sql: SqlLimits = field(default_factory=SqlLimits)
    # One of `MEMORY_MODES`; `None` means by the memory of the machine.
    memory_mode: str | None = None
    providers: Providers = field(default_factory=Providers)
    # names, log: one of `NAME_MODELS`; one of `LOG_FORMS`.
    names: str = "auto"
    log: str = "text"
    audit_searches: bool = False  # whether the audit log records searches, with their text
    # license_key, license_option: license keys of `config.toml` and of this run; see
    # `casetrack.base.license.entitlements` for the other sources.
    license_key: str | None = field(default=None, repr=False)
    license_option: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        """Refuse an unknown memory mode, name model or log format."""
        if self.log not in LOG_FORMS:
            raise UsageError(
                f"Unknown log format {self.log!r}.",
                hint=f"Set {ENV_LOG}, or log in config.toml, to one of: {', '.join(LOG_FORMS)}.",
            )
        if self.names not in NAME_MODELS:
            raise UsageError(
                f"Unknown name model {self.names!r}.",
                hint=f"Set model in [names] of config.toml to one of: {', '.join(NAME_MODELS)}.",
            )
        if self.memory_mode is not None and self.memory_mode not in MEMORY_MODES:
            raise UsageError(
                f"Unknown memory mode {self.memory_mode!r}.",
                hint=f"Set {ENV_MEMORY_MODE}, or memory_mode in config.toml, to one of: "
                f"{', '.join(MEMORY_MODES)}; or remove it to choose by the machine's memory.",
            )

    @property
    def collections_dir(self) -> Path:
        """Folder whose sub-folders are the collections."""
        return self.data_dir / "collections"


def resolve_path(path: str | Path, /) -> Path:
    """Return *path* absolute, with ``~`` expanded; symbolic links are kept."""
    expanded = Path(path).expanduser()
    return Path(os.path.abspath(expanded))  # noqa: PTH100 - Path.resolve would follow links


def default_data_dir() -> Path:
    """Return the default data folder: Documents/CaseTrack."""
    import platformdirs

    return Path(platformdirs.user_documents_path()) / "CaseTrack"


def load_settings(data_dir: str | Path | None = None, /) -> Settings:
    """Resolve the settings: argument, then ``CASETRACK_HOME``, then the default folder.

    ``CASETRACK_MEMORY_MODE`` and ``CASETRACK_LOG`` take precedence over ``config.toml``. Raises
    ``UsageError``: ``config.toml`` is not valid TOML, or has an unknown key, type or memory mode.
    """
    chosen = data_dir or os.environ.get(ENV_HOME) or default_data_dir()
    folder = resolve_path(chosen)
    models = os.environ.get(ENV_MODELS)
    raw = _read_config(folder / "config.toml")
    parse, ocr = raw.pop("parse", {}), raw.pop("ocr", {})
    providers = raw.pop("providers", {})
    names, sql = raw.pop("names", {}), raw.pop("sql", {})
    audit = raw.pop("audit", {})
    mode = os.environ.get(ENV_MEMORY_MODE, "").strip().lower()
    if mode:
        raw["memory_mode"] = mode
    log = os.environ.get(ENV_LOG, "").strip().lower()
    if log:
        raw["log"] = log
    return Settings(
        data_dir=folder,
        models_dir=resolve_path(models) if models else folder / "models",
        parse=ParseLimits(**parse),
        ocr=OcrSettings(**ocr),
        sql=SqlLimits(**sql),
        providers=Providers(**{name: _provider(values) for name, values in providers.items()}),
        names=names.get("model", "auto"),
        audit_searches=audit.get("searches", False),
        **raw,
    )


def _provider(values: Mapping[str, Any]) -> ProviderSettings:
    """Return the settings of one provider; each calls its address by its own word."""
    address = {"base_url": "url", "host": "url"}
    return ProviderSettings(**{address.get(key, key): value for key, value in values.items()})


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
    tables = {
        "parse": _types(ParseLimits),
        "ocr": _types(OcrSettings),
        "names": _KNOWN_NAMES,
        "sql": _types(SqlLimits),
        "audit": _KNOWN_AUDIT,
    }
    plain = {k: v for k, v in raw.items() if k not in {*tables, "providers"}}
    _check_keys(path, plain, _KNOWN, "")
    for name, known in tables.items():
        _check_keys(path, _table(path, raw, name, name), known, f"{name}.")
    providers = _table(path, raw, "providers", "providers.openai")
    for name in providers:
        if name not in _KNOWN_PROVIDERS:
            raise UsageError(
                f"Unknown provider {name!r} in {path}.",
                hint=f"Known providers: {', '.join(sorted(_KNOWN_PROVIDERS))}.",
            )
        values = _table(path, providers, name, f"providers.{name}")
        _refuse_secrets(path, name, values)
        _check_keys(path, values, _KNOWN_PROVIDERS[name], f"providers.{name}.")
    return raw


def _types(table: type) -> dict[str, type]:
    """Return the type of each setting in a table, without ``None``."""
    hints = get_type_hints(table)
    return {name: next(iter(get_args(kind)), kind) for name, kind in hints.items()}


def _table(path: Path, raw: Mapping[str, Any], name: str, title: str) -> dict[str, Any]:
    values = raw.get(name, {})
    if not isinstance(values, dict):
        raise UsageError(f"In {path}, {name} must be a table.", hint=f"Write it as [{title}].")
    return values


def _refuse_secrets(path: Path, provider: str, values: Mapping[str, Any]) -> None:
    """Refuse secrets in ``config.toml``: users copy and back up data folders."""
    for key in values:
        if key.lower() in _SECRETS:
            raise UsageError(
                f"{path} has {key!r} for the provider {provider}. Keys are not read from files.",
                hint="Remove the line and set the environment variable OPENAI_API_KEY instead.",
            )


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
