"""From a config to what it describes: a data folder with one collection, and its sources."""

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
    from collections.abc import Iterator, Mapping, Sequence
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
"""Name of the pipeline that a config's ``[chunking]`` and ``[embedding]`` make."""
_CHARS = 4
"""Characters that count as one token."""
_LOCAL = {"all-minilm-l6-v2": "mini", "bge-small-en-v1.5": "standard"}
_LOCAL |= {f"multilingual-e5-{size}": "multilingual" for size in ("small", "base", "large")}
"""Profiles by names of models that configs of ctx know."""


class ContextHome:
    """What a config describes.

    Parameters
    ----------
    config
        The config.

    Attributes
    ----------
    config
        The same.
    library
        The data folder that it names.
    """

    def __init__(self, config: ContextConfig, /) -> None:
        self.config = config
        self.library = Library(_settings(config))

    @classmethod
    def open(cls, given: str | Path | None = None, /) -> ContextHome:
        """Open what a config describes; see :func:`load_config`."""
        return cls(load_config(given))

    @functools.cached_property
    def collection(self) -> Collection:
        """The collection.

        Raises
        ------
        UsageError
            Nothing was ever synced.
        CaseTrackError
            It cannot be opened, see :meth:`casetrack.api.library.Library.get`.
        """
        try:
            return self.library.get(COLLECTION)
        except CollectionNotFound as error:
            raise UsageError(
                f"There is nothing in {self.config.data_dir} yet.",
                hint="Take the sources in with: ctx sync all",
            ) from error

    def make(self) -> tuple[Collection, tuple[str, ...]]:
        """Return the collection, made now if need be, and in step with the config.

        Returns
        -------
        Collection
            The collection. What is read from now on is cut and embedded as the config says.
        tuple of str
            What is to know of it: documents that are still as an earlier config had them.

        Raises
        ------
        ConfigError
            The data folder is one of other files, or there is no such model.
        CaseTrackError
            It cannot be made or opened.
        """
        profile = profile_of(self.config)
        self._check_folder()
        pipeline = self._write_pipeline()
        try:
            found = self.library.get(COLLECTION)
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
        if use_pipeline(found.workspace, pipeline) and found.stats().document_count:
            notes.append(
                "[chunking] or [embedding] is not as it was: what is read from now on follows it. "
                f"{See('ctx sync', 'all', full=True)} cuts what is there anew, "
                f"{See('ctx embed pending')} makes its vectors."
            )
        wanted = profile if profile not in {None, AUTO_PROFILE} else found.info.profile
        if wanted != found.info.profile:
            notes.append(
                f"The vectors are of the profile {found.info.profile}; [embedding] asks for "
                f"{wanted}. {See('ctx embed rebuild')} makes them anew."
            )
        return found, tuple(notes)

    def source(self, entry: SourceEntry, /) -> Source:
        """Return a source of the config, ready to be listed.

        Raises
        ------
        SourceError
            A variable that it names is not set.
        UsageError
            Its keys do not fit.
        """
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
        """How answers are ranked, by ``[retrieval]``."""
        from casetrack.search.blend import BlendSettings

        told = self.config.retrieval
        return BlendSettings(**{f.name: told[f.name] for f in fields(BlendSettings)})

    def _check_folder(self) -> None:
        """Refuse a data folder that holds somebody's own files."""
        folder = self.config.data_dir
        if not folder.exists() or (folder / "collections").is_dir():
            return
        if not folder.is_dir() or next(folder.iterdir(), None) is not None:
            raise ConfigError(
                f"[db] path leads to {folder}, which holds other files",
                "Name another place, such as .ctx/data/ctx.sqlite.",
                *self.config.files,
            )

    def _write_pipeline(self) -> Path:
        """Write the pipeline file that the config means into the data folder; return its path."""
        from casetrack.base.files import storage_errors, write_atomic

        path = self.config.data_dir / "pipelines" / f"{PIPELINE}.toml"
        text = pipeline_text(self.config).encode()
        with storage_errors(path.parent):
            path.parent.mkdir(parents=True, exist_ok=True)
        if not path.is_file() or path.read_bytes() != text:
            write_atomic(path, text)
        return path


def profile_of(config: ContextConfig, /) -> str | None:
    """Return the profile that ``[embedding]`` means; ``None`` where there are to be no vectors.

    Raises
    ------
    ConfigError
        There is no such model here.
    """
    from casetrack.base.models.profiles import PROFILES

    provider, model = config.embedding["provider"], config.embedding["model"]
    if provider == "disabled":
        return None
    if provider != "local":
        return str(provider)
    if not model:
        return AUTO_PROFILE
    own = [p.name for p in PROFILES if not p.provider]
    found: str = _LOCAL.get(model.lower(), model.lower())
    if found not in own:
        known = [*own, *_LOCAL]
        from casetrack.base.arguments import suggest

        raise ConfigError(
            f"[embedding] names a model that is not known here: {model!r}{suggest(model, known)}",
            f"Leave it out, or use one of: {', '.join(known)}.",
            *config.files,
        )
    return found


def pipeline_text(config: ContextConfig, /) -> str:
    """Return the pipeline file that ``[chunking]`` and ``[embedding]`` mean.

    Raises
    ------
    ConfigError
        The sizes do not fit together.
    """
    most = config.chunking["max_tokens"] * _CHARS
    told = config.chunking["overlap_tokens"]
    overlap = max(1, most // 11 if told is None else told * _CHARS)
    sizes = {
        "target_chars": most * 10 // 11,
        "max_chars": most,
        "min_chars": max(most * 2 // 11, overlap + 1),
        "overlap_chars": overlap,
    }
    if 2 * sizes["min_chars"] > sizes["target_chars"]:
        least = -(-22 * (overlap + 1) // (10 * _CHARS))
        raise ConfigError(
            "overlap_tokens of [chunking] is too much for its max_tokens",
            f"Use less overlap, or max_tokens from {least}.",
            *config.files,
        )
    steps: dict[str, Mapping[str, int]] = {"parse": {}, "language": {}, "chunk": sizes, "terms": {}}
    if config.embedding["provider"] != "disabled":
        steps["embed"] = {}
    lines = [
        f'name = "{PIPELINE}"',
        'doc = "What a config of ctx says of passages and vectors; written by ctx."',
    ]
    for name, values in steps.items():
        lines += ["", "[[step]]", f'name = "{name}"']
        lines += [f"{key} = {value}" for key, value in values.items()]
    return "\n".join([*lines, ""])


def _settings(config: ContextConfig) -> Settings:
    """Return the settings of the data folder; models are shared with ``casetrack``."""
    settings = load_settings(config.data_dir)
    own = config.data_dir / "models"
    if settings.models_dir == own and not own.is_dir():
        settings = replace(settings, models_dir=load_settings().models_dir)
    told = config.embedding
    provider = ProviderSettings(
        url=told["url"],
        model=told["model"],
        dimensions=told["dims"],
        timeout_seconds=told["timeout_secs"],
    )
    if told["provider"] not in {"openai", "ollama"}:
        return settings
    return replace(settings, providers=replace(settings.providers, **{told["provider"]: provider}))


# What syncing the sources of a config needs beside the sync itself.


class Unopened(Source):
    """A source that cannot even be opened: to a sync, one whose listing fails.

    So the others go on, and the collection knows why it may be behind this one.

    Parameters
    ----------
    entry
        The source.
    error
        Why.
    """

    notes: Sequence[str] = ()
    dark: Sequence[str] = ("",)
    large: Sequence[str] = ()

    def __init__(self, entry: SourceEntry, error: SourceError, /) -> None:
        self.kind, self.name = entry.kind, entry.name
        self._error = error

    def items(self, *, cancel: threading.Event | None = None) -> Iterator[Item]:  # noqa: ARG002
        """Raise the error."""
        raise self._error

    def fetch(self, item: Item, target: Path, /, *, cancel: threading.Event | None = None) -> None:  # noqa: ARG002
        """Raise the error."""
        raise self._error

    def link(self, item: Item, first_line: int | None, last_line: int | None, /) -> str | None:  # noqa: ARG002
        """Return nothing: it has no items."""
        return None


def source_to_sync(home: ContextHome, entry: SourceEntry, /) -> Source:
    """Return a source of the config; one that cannot be opened fails when it is listed."""
    try:
        return home.source(entry)
    except SourceError as error:
        return Unopened(entry, error)
    except UsageError as error:
        return Unopened(entry, SourceError(entry.label, error.message, hint=error.hint))


def moments(since: str | None, until: str | None, /) -> tuple[datetime | None, datetime | None]:
    """Return from when on and before when something counts: days, months or years in UTC.

    Raises
    ------
    UsageError
        One is no date, or the second lies before the first.
    """
    start = None if since is None else _midnight(day_span(since)[0])
    end = None if until is None else _midnight(day_span(until)[1]) + timedelta(days=1)
    if start is not None and end is not None and end <= start:
        raise UsageError(
            f"No day is after {since} and before {until}.", hint="Exchange since and until."
        )
    return start, end


def _midnight(day: str) -> datetime:
    return datetime.fromisoformat(day).replace(tzinfo=UTC)
