"""The data folder of a config, with its one collection and its sources."""

from __future__ import annotations

import functools
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from casetrack.api.library import Library
from casetrack.base.config import ProviderSettings, load_settings
from casetrack.base.errors import CollectionNotFound, ConfigError, See, SourceError, UsageError
from casetrack.base.records import AUTO_PROFILE, DEFAULT_PROFILE
from casetrack.editions.context.config import ContextConfig, load_config
from casetrack.extract.days import day_span
from casetrack.ingest.pipeline.files import use_pipeline
from casetrack.keep.sources.base import Source

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from casetrack.api.collection import Collection
    from casetrack.base.config import Settings
    from casetrack.editions.context.config import SourceEntry
    from casetrack.keep.sources.base import Item
    from casetrack.search.blend import BlendSettings

EDITION = "context"
COLLECTION = "context"
"""Name of the one collection of a data folder of this edition."""
PIPELINE = "context-chunks"
"""Name of the pipeline that ``[chunking]`` and ``[embedding]`` of a config define."""
_CHARS = 4
"""Characters per token, as an estimate."""
_LOCAL = {"all-minilm-l6-v2": "mini", "bge-small-en-v1.5": "standard"}
_LOCAL |= {f"multilingual-e5-{size}": "multilingual" for size in ("small", "base", "large")}
"""Profiles by the names of models in configs of ctx."""


class ContextHome:
    """The library, collection and sources of a config."""

    def __init__(self, config: ContextConfig, /) -> None:
        self.config = config
        self.library = Library(_settings(config))

    @classmethod
    def open(cls, given: str | Path | None = None, /) -> ContextHome:
        """Open the data folder of a config; see :func:`load_config`."""
        return cls(load_config(given))

    @functools.cached_property
    def collection(self) -> Collection:
        """The collection."""
        try:
            return self.library.get(COLLECTION)
        except CollectionNotFound as error:
            raise UsageError(
                f"{self.config.data_dir} has no documents yet.",
                hint="Read the sources with: ctx sync all",
            ) from error

    def make(self) -> tuple[Collection, tuple[str, ...]]:
        """Return the collection, created or updated to match the config, with notes for the user.

        A note reports that existing documents still follow an earlier config.
        """
        profile = profile_of(self.config)
        self._check_folder()
        pipeline = self._write_pipeline()
        try:
            collection = self.library.get(COLLECTION)
        except CollectionNotFound:
            return self.library.create(
                COLLECTION,
                collection_type="technical",
                description="Sources of a config of ctx.",
                profile=profile or DEFAULT_PROFILE,
                pipeline=pipeline,
                edition=EDITION,
            ), ()
        notes = []
        if use_pipeline(collection.workspace, pipeline) and collection.stats().document_count:
            notes.append(
                "[chunking] or [embedding] changed; new documents follow it. Update existing "
                f"documents with {See('ctx sync', 'all', full=True)}, and their vectors with "
                f"{See('ctx embed pending')}."
            )
        wanted = profile if profile not in {None, AUTO_PROFILE} else collection.info.profile
        if wanted != collection.info.profile:
            notes.append(
                f"The vectors belong to the profile {collection.info.profile}, but [embedding] "
                f"names {wanted}. Rebuild them with {See('ctx embed rebuild')}."
            )
        return collection, tuple(notes)

    def source(self, entry: SourceEntry, /) -> Source:
        """Open a source of the config."""
        from casetrack.keep.sources import open_source

        return open_source(
            entry.kind,
            entry.name,
            entry.settings(),
            base=self.config.base,
            cache=self.library.settings.data_dir / "cache",
            apart=(self.config.data_dir,),
        )

    @functools.cached_property
    def ranking(self) -> BlendSettings:
        """Settings of the ranking, from ``[retrieval]``."""
        from casetrack.search.blend import BlendSettings

        keys = self.config.retrieval
        return BlendSettings(**{f.name: keys[f.name] for f in fields(BlendSettings)})

    def _check_folder(self) -> None:
        """Raise an error if the data folder contains other files."""
        folder = self.config.data_dir
        if not folder.exists() or (folder / "collections").is_dir():
            return
        if not folder.is_dir() or next(folder.iterdir(), None) is not None:
            raise ConfigError(
                f"[db] path is {folder}, which contains other files",
                "Use another path, such as .ctx/data/ctx.sqlite.",
                *self.config.files,
            )

    def _write_pipeline(self) -> Path:
        """Write the pipeline file of the config into the data folder; return its path."""
        from casetrack.base.files import storage_errors, write_atomic

        path = self.config.data_dir / "pipelines" / f"{PIPELINE}.toml"
        text = pipeline_text(self.config).encode()
        with storage_errors(path.parent):
            path.parent.mkdir(parents=True, exist_ok=True)
        if not path.is_file() or path.read_bytes() != text:
            write_atomic(path, text)
        return path


def profile_of(config: ContextConfig, /) -> str | None:
    """Return the profile of ``[embedding]``, or ``None`` if vectors are disabled."""
    from casetrack.base.models.profiles import PROFILES

    provider, model = config.embedding["provider"], config.embedding["model"]
    if provider == "disabled":
        return None
    if provider != "local":
        return str(provider)
    if not model:
        return AUTO_PROFILE
    own = [p.name for p in PROFILES if not p.provider]
    profile: str = _LOCAL.get(model.lower(), model.lower())
    if profile not in own:
        known = [*own, *_LOCAL]
        from casetrack.base.arguments import suggest

        raise ConfigError(
            f"[embedding] names an unknown model: {model!r}{suggest(model, known)}",
            f"Remove the key, or use one of: {', '.join(known)}.",
            *config.files,
        )
    return profile


def pipeline_text(config: ContextConfig, /) -> str:
    """Return the text of the pipeline file for ``[chunking]`` and ``[embedding]``."""
    most = config.chunking["max_tokens"] * _CHARS
    overlap_tokens = config.chunking["overlap_tokens"]
    overlap = max(1, most // 11 if overlap_tokens is None else overlap_tokens * _CHARS)
    sizes = {
        "target_chars": most * 10 // 11,
        "max_chars": most,
        "min_chars": max(most * 2 // 11, overlap + 1),
        "overlap_chars": overlap,
    }
    if 2 * sizes["min_chars"] > sizes["target_chars"]:
        least = -(-22 * (overlap + 1) // (10 * _CHARS))
        raise ConfigError(
            "overlap_tokens of [chunking] is too large for its max_tokens",
            f"Reduce overlap_tokens, or set max_tokens to at least {least}.",
            *config.files,
        )
    steps: dict[str, Mapping[str, int]] = {"parse": {}, "language": {}, "chunk": sizes, "terms": {}}
    if config.embedding["provider"] != "disabled":
        steps["embed"] = {}
    lines = [
        f'name = "{PIPELINE}"',
        'doc = "Passages and vectors as in a config of ctx; written by ctx."',
    ]
    for name, values in steps.items():
        lines += ["", "[[step]]", f'name = "{name}"']
        lines += [f"{key} = {value}" for key, value in values.items()]
    return "\n".join([*lines, ""])


def _settings(config: ContextConfig) -> Settings:
    """Return the settings of the data folder; ``casetrack`` uses the same models."""
    settings = load_settings(config.data_dir)
    own = config.data_dir / "models"
    if settings.models_dir == own and not own.is_dir():
        settings = replace(settings, models_dir=load_settings().models_dir)
    keys = config.embedding
    provider = ProviderSettings(
        url=keys["url"],
        model=keys["model"],
        dimensions=keys["dims"],
        timeout_seconds=keys["timeout_secs"],
        batch_size=keys["batch_size"],
        max_retries=keys["max_retries"],
    )
    if keys["provider"] not in {"openai", "ollama"}:
        return settings
    return replace(settings, providers=replace(settings.providers, **{keys["provider"]: provider}))


# Sources and periods for a sync.


class Unopened(Source):
    """A source that cannot be opened: its listing fails with *error*.

    A sync reports it like any failed source and continues with the others.
    """

    def __init__(self, entry: SourceEntry, error: SourceError, /) -> None:
        self.kind, self.name = entry.kind, entry.name
        self.begin()
        self.dark = [""]
        self._error = error

    def items(self, *, cancel: threading.Event | None = None) -> Iterator[Item]:  # noqa: ARG002
        """Raise the error."""
        raise self._error

    def fetch(self, item: Item, target: Path, /, *, cancel: threading.Event | None = None) -> None:  # noqa: ARG002
        """Raise the error."""
        raise self._error

    def link(self, item: Item, first_line: int | None, last_line: int | None, /) -> str | None:  # noqa: ARG002
        """Return ``None``: there are no items."""
        return None


def source_to_sync(home: ContextHome, entry: SourceEntry, /) -> Source:
    """Return a source of the config; its listing fails if it cannot be opened."""
    try:
        return home.source(entry)
    except SourceError as error:
        return Unopened(entry, error)
    except UsageError as error:
        return Unopened(entry, SourceError(entry.label, error.message, hint=error.hint))


def moments(since: str | None, until: str | None, /) -> tuple[datetime | None, datetime | None]:
    """Return start (inclusive) and end (exclusive) of a period of days, months or years in UTC."""
    start = None if since is None else _midnight(day_span(since)[0])
    end = None if until is None else _midnight(day_span(until)[1]) + timedelta(days=1)
    if start is not None and end is not None and end <= start:
        raise UsageError(
            f"No day is after {since} and before {until}.", hint="Exchange since and until."
        )
    return start, end


def _midnight(day: str) -> datetime:
    return datetime.fromisoformat(day).replace(tzinfo=UTC)
