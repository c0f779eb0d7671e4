"""What goes from one process of a cluster to the next: orders, and files that are on their way."""

from __future__ import annotations

import contextlib
import functools
import pickle
import shutil
import weakref
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from casetrack.base.config import load_settings
from casetrack.base.machine import share_arenas
from casetrack.ingest.batch import known_of, reading_conditions
from casetrack.ingest.pipeline import Tools, load_pipeline
from casetrack.ingest.steps.base import Failures
from casetrack.models.encoders import Encoders
from casetrack.parse.workers.pool import ParsePool
from casetrack.store.datasets import open_snapshot
from casetrack.store.folders import local_folder
from casetrack.store.originals import COPIES
from casetrack.store.scratch import working_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

    from casetrack.base.config import Settings
    from casetrack.base.records import Document, FileOutcome
    from casetrack.ingest.build import Options, Sheet
    from casetrack.ingest.discover import FoundFile
    from casetrack.ingest.messages import Message
    from casetrack.ingest.pipeline import Pipeline
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
    """A file to read.

    Attributes
    ----------
    found
        The file; ``found.place`` is its number in the batch.
    document_id, previous, revision
        Of the document that it becomes, see :class:`casetrack.ingest.plan.Job`.
    facts
        Its facts, where they are known; else whoever reads it finds them out.
    item
        What its source calls it, where it has to be fetched.
    """

    found: FoundFile
    document_id: str
    previous: Document | None
    revision: str
    facts: FileFacts | None = None
    item: Item | None = None


@dataclass(frozen=True, slots=True)
class FileFactsResult:
    """The facts of a file of the batch, by its number, or how it ended for want of them."""

    number: int
    facts: FileFacts | None
    outcome: FileOutcome | None = None


@dataclass(slots=True)
class Draft:
    """A document whose chunks have gone a part of the way through the pipeline."""

    sheet: Sheet
    batches: list[pa.RecordBatch]
    failures: Failures = field(default_factory=Failures)


@dataclass(slots=True)
class Work:
    """What has become of one order: what the writer is to be told, and what is not finished yet.

    Attributes
    ----------
    number
        That of the file in the batch.
    messages
        For the writer, in order.
    drafts
        Documents that are under way, by revision.
    pages
        How many pages were read.
    files, rows
        Files of chunks that were written, see :func:`casetrack.store.commits.packed`, and how
        many chunks are in them: also those of other orders that were finished together with it.
    problem
        An error because of which the whole batch cannot go on.
    """

    number: int
    messages: list[Message] = field(default_factory=list)
    drafts: dict[str, Draft] = field(default_factory=dict)
    pages: int = 0
    files: bytes = b""
    rows: int = 0
    problem: dict[str, str] | None = None


def block_of(bodies: Iterable[object], /) -> pa.Table:
    """Return a table with one row for each of some orders, or of what has become of them."""
    import pyarrow as pa

    packed = [pickle.dumps(body, protocol=5) for body in bodies]
    return pa.table({_BODY: pa.array(packed, pa.large_binary())})


def bodies_of(block: pa.Table, kind: type[T], /) -> Iterator[T]:
    """Yield what the rows of a table hold."""
    for value in block[_BODY]:
        body: Any = pickle.loads(value.as_buffer())  # noqa: S301 - of our own processes
        if not isinstance(body, kind):
            raise TypeError(f"{type(body).__name__} instead of {kind.__name__}")
        yield body


# What a machine of a cluster must know to read files for a collection, and makes of that.


@dataclass(frozen=True, slots=True)
class Recipe:
    """How files are read for one batch; goes to every machine.

    Attributes
    ----------
    place
        Where the collection lies.
    pipeline, profile, dimension
        Of the collection.
    fingerprint
        Of the pipeline with the models of whoever asks for the work.
    settings
        Of the data folder; a machine that does not have the models there has its own.
    options, reading
        What the user said of the batch.
    source
        Where files are fetched from that are not on every machine.
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
        """Return what :func:`kit_of` takes."""
        return pickle.dumps(self)


@functools.lru_cache(maxsize=1)
def kit_of(packed: bytes, sessions: int | None, /) -> Kit:
    """Return what this process reads files with; the same one for the same recipe."""
    recipe: Recipe = pickle.loads(packed)  # noqa: S301 - made by the process that asks for work
    return Kit(recipe, sessions)


class Kit:
    """What a process of a cluster reads files with: its reader, its models, the pipeline.

    A reader process is started when a file is to be read, models are loaded when a text is.

    Parameters
    ----------
    recipe
        What is to be done.
    sessions
        How many texts the models read side by side.

    Raises
    ------
    PipelineError, ModelError
        The pipeline cannot be had, or a model is damaged.
    """

    def __init__(self, recipe: Recipe, sessions: int | None, /) -> None:
        share_arenas()
        self.recipe = recipe
        self.folder = recipe.place.folder
        if recipe.place.is_remote:
            held = contextlib.ExitStack()
            self.folder = local_folder(recipe.place, held.enter_context(working_folder()))
            weakref.finalize(self, held.close)
        settings = settings_here(recipe.settings)
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
        """The stages that files go through where they are read, and those after them."""
        return parts_of(self.pipeline)

    def let_go_of_copies(self) -> None:
        """Remove the copies of files that were sent to where the collection lies."""
        if self.recipe.place.is_remote:
            shutil.rmtree(self.folder / COPIES, ignore_errors=True)

    def known(self, previous: Document | None, /) -> Known | None:
        """Return what models made of an earlier revision and would make again."""
        if previous is None or self.pipeline.tools.encoder is None:
            return None
        return known_of(open_snapshot(self.folder), previous, self.pipeline)


def parts_of(pipeline: Pipeline, /) -> tuple[tuple[Stage, ...], tuple[Stage, ...]]:
    """Return the stages before the first one with models, and all others; none without models."""
    first = next((n for n, stage in enumerate(pipeline.stages) if stage.has_models), None)
    return pipeline.stages[:first], () if first is None else pipeline.stages[first:]


def settings_here(settings: Settings, /) -> Settings:
    """Return the settings with a folder of models that this machine has."""
    if settings.models_dir.is_dir():
        return settings
    return replace(settings, models_dir=load_settings().models_dir)
