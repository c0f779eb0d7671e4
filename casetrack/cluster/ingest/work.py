"""Messages between processes of a cluster: orders, and files in progress."""

from __future__ import annotations

import contextlib
import functools
import pickle
import shutil
import weakref
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa

from casetrack.base.config import Settings, load_settings
from casetrack.base.machine import share_arenas
from casetrack.ingest.batch import known_of, reading_conditions
from casetrack.ingest.pipeline import Pipeline, Tools, load_pipeline
from casetrack.ingest.steps.base import Failures
from casetrack.models.encoders import Encoders
from casetrack.parse.workers.pool import ParsePool
from casetrack.store.datasets import open_snapshot
from casetrack.store.folders import local_folder
from casetrack.store.originals import COPIES
from casetrack.store.scratch import working_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from casetrack.base.records import Document, FileOutcome
    from casetrack.ingest.build import Options, Sheet
    from casetrack.ingest.discover import FoundFile
    from casetrack.ingest.messages import Message
    from casetrack.ingest.pipeline.chain import Stage
    from casetrack.ingest.plan import FileFacts
    from casetrack.ingest.steps.encoding import Known
    from casetrack.keep.sources.base import Item, Source
    from casetrack.parse.base import ReadOptions
    from casetrack.store.place import Place

T = TypeVar("T")
_BODY = "body"


@dataclass(frozen=True, slots=True)
class Order:
    """A file to read; ``found.place`` is its number in the batch.

    Other fields are those of :class:`casetrack.ingest.plan.Job`. Unknown *facts* are computed by
    the reading process; *item* is the source item of a file to download.
    """

    found: FoundFile
    document_id: str
    previous: Document | None
    revision: str
    facts: FileFacts | None = None
    item: Item | None = None


@dataclass(frozen=True, slots=True)
class FileFactsResult:
    """The facts of a file of the batch, by its number, or its outcome without them."""

    number: int
    facts: FileFacts | None
    outcome: FileOutcome | None = None


@dataclass(slots=True)
class Draft:
    """A document whose chunks have passed some of the stages."""

    sheet: Sheet
    batches: list[pa.RecordBatch]
    failures: Failures = field(default_factory=Failures)


@dataclass(slots=True)
class Work:
    """Progress of one order: messages for the writer, and unfinished *drafts* by revision.

    *files* are packed chunk files (see :func:`casetrack.store.commits.packed`) with *rows* chunks,
    also of other orders of the block; *problem* is an error that ends the batch.
    """

    number: int
    messages: list[Message] = field(default_factory=list)
    drafts: dict[str, Draft] = field(default_factory=dict)
    pages: int = 0
    files: bytes = b""
    rows: int = 0
    problem: dict[str, str] | None = None


def block_of(bodies: Iterable[object], /) -> pa.Table:
    """Return a table with one packed object per row."""
    packed = [pickle.dumps(body, protocol=5) for body in bodies]
    return pa.table({_BODY: pa.array(packed, pa.large_binary())})


def bodies_of(block: pa.Table, kind: type[T], /) -> Iterator[T]:
    """Yield the objects in the rows of a table."""
    for value in block[_BODY]:
        body: Any = pickle.loads(value.as_buffer())  # noqa: S301 - from this program
        if not isinstance(body, kind):
            raise TypeError(f"{type(body).__name__} instead of {kind.__name__}")
        yield body


# The data that a machine of a cluster needs to read files for a collection.


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to read files for one batch; sent to every machine.

    *fingerprint* is that of the caller's pipeline with its models. A machine that lacks the models
    folder of *settings* uses its own; *source* provides files to download.
    """

    place: Place
    pipeline: str
    profile: str
    dimension: int
    fingerprint: str
    settings: Settings
    options: Options
    reading: ReadOptions
    source: Source | None = None

    def pack(self) -> bytes:
        """Return the argument of :func:`kit_of`."""
        return pickle.dumps(self)


@functools.lru_cache(maxsize=1)
def kit_of(packed: bytes, sessions: int | None, /) -> Kit:
    """Return the kit of this process, cached for the recipe."""
    recipe: Recipe = pickle.loads(packed)  # noqa: S301 - made by the process that asks for work
    return Kit(recipe, sessions)


class Kit:
    """The reader, models and pipeline of a process of a cluster, each started when first needed.

    *sessions* is the number of texts that models process in parallel. May raise ``PipelineError``
    or ``ModelError``.
    """

    def __init__(self, recipe: Recipe, sessions: int | None, /) -> None:
        share_arenas()
        self.recipe = recipe
        self.folder = recipe.place.folder
        if recipe.place.is_remote:
            held = contextlib.ExitStack()
            self.folder = local_folder(recipe.place, held.enter_context(working_folder()))
            weakref.finalize(self, held.close)
        settings = local_settings(recipe.settings)
        self.reading = replace(recipe.reading, models_dir=settings.models_dir)
        pool = ParsePool(self.reading.limits, 1, options=self.reading)
        encoders = Encoders(settings.models_dir, settings=settings, sessions=sessions)
        encoder = encoders.get_installed(recipe.profile)
        names = encoders.names(recipe.profile) if encoder else None
        tools = Tools(pool, encoder, recipe.dimension, names)
        self.pipeline = load_pipeline(recipe.pipeline, tools, folder=self.folder)
        self.read_with = reading_conditions(self.reading)

    @functools.cached_property
    def parts(self) -> tuple[tuple[Stage, ...], tuple[Stage, ...]]:
        """The stages of reading files, and the stages after them."""
        return parts_of(self.pipeline)

    def remove_copies(self) -> None:
        """Remove local copies of files that were uploaded to the collection."""
        if self.recipe.place.is_remote:
            shutil.rmtree(self.folder / COPIES, ignore_errors=True)

    def known(self, previous: Document | None, /) -> Known | None:
        """Return results of models for an earlier revision that are still valid."""
        if previous is None or self.pipeline.tools.encoder is None:
            return None
        return known_of(open_snapshot(self.folder), previous, self.pipeline)


def parts_of(pipeline: Pipeline, /) -> tuple[tuple[Stage, ...], tuple[Stage, ...]]:
    """Return the stages before the first one with models, and the others; none without models."""
    first = next((n for n, stage in enumerate(pipeline.stages) if stage.has_models), None)
    return pipeline.stages[:first], () if first is None else pipeline.stages[first:]


def local_settings(settings: Settings, /) -> Settings:
    """Return the settings with an existing folder of models of this machine."""
    if settings.models_dir.is_dir():
        return settings
    return replace(settings, models_dir=load_settings().models_dir)
