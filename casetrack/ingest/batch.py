"""Prepares a batch for one collection: workers, model, planner; brings the index along."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from casetrack.errors import FreeTierLimit
from casetrack.extract.references import reads_case_law
from casetrack.ingest.memory import give_back, one_thread_each, share_arenas
from casetrack.ingest.plan import Planner
from casetrack.ingest.room import Room, counted, limit_note
from casetrack.ingest.run import PARALLEL_FILES, IngestRun, ingest
from casetrack.ocr import ocr_at_hand
from casetrack.pipeline import Tools, load_pipeline
from casetrack.readers.workers.pool import ParsePool
from casetrack.records import DEFAULT_PROFILE

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Collection, Iterable, Mapping
    from pathlib import Path

    from casetrack.extract.finder import NameFinder
    from casetrack.ingest.discover import Found
    from casetrack.ingest.run import Frame
    from casetrack.ingest.take import Options
    from casetrack.models.base import ProfileEncoder
    from casetrack.readers.base import ReadOptions
    from casetrack.records import Document, IngestProgress, IngestReport
    from casetrack.steps.embed import ContextText, Outputs


@dataclass(frozen=True, slots=True)
class Target:
    """The collection that a batch goes into.

    Attributes
    ----------
    folder
        The collection's folder.
    pipeline
        Name of its pipeline.
    documents
        Returns what it holds; asked once the write lock is held, since others may write before.
    profile, dimension
        What its models are, and the length of its dense vectors.
    outputs
        Returns what models made of a document in a pipeline (both by fingerprint), by
        what they saw.
    catch_up
        Called at the end, while the write lock is still held.
    allow_document
        Raises :class:`~casetrack.errors.FreeTierLimit` where a collection of so many documents
        takes no more.
    """

    folder: Path
    pipeline: str
    profile: str
    dimension: int
    documents: Callable[[], Iterable[Document]]
    outputs: Callable[[Document, str, str], Mapping[ContextText, Outputs]]
    catch_up: Callable[[], None]
    allow_document: Callable[[int], None]


def run_batch(
    target: Target,
    files: list[Found],
    options: Options,
    /,
    *,
    load_encoder: Callable[[str], ProfileEncoder | None],
    load_names: Callable[[str], NameFinder | None],
    reading: ReadOptions,
    progress: Callable[[IngestProgress], None] | None,
    cancel: threading.Event,
    frame: Frame | None = None,
) -> IngestReport:
    """Ingest *files*; see :meth:`casetrack.collection.Collection.ingest`.

    With a *frame*, its files take their place, see :func:`casetrack.ingest.run.ingest`.
    """
    share_arenas()
    workers = max(1, min(PARALLEL_FILES, len(files)))
    with ParsePool(reading.limits, workers, options=reading) as pool:
        encoder = load_encoder(target.profile)
        names = load_names(target.profile) if encoder else None
        tools = Tools(pool, encoder, target.dimension, names)
        pipeline = load_pipeline(target.pipeline, tools)
        read_with = reading_conditions(reading)
        notes = [] if encoder else [_no_model(target.profile)]
        notes += [] if reads_case_law() else [_NO_CASE_LAW]

        def outputs(document: Document) -> Mapping[ContextText, Outputs]:
            if encoder is None:
                return {}
            return target.outputs(document, encoder.fingerprint, pipeline.fingerprint)

        def plan(files: list[Found], leaving: Collection[str]) -> tuple[Planner, Room]:
            documents = list(target.documents())
            going = set(leaving) - {found.known_as for found in files}
            planner = Planner(
                documents,
                fingerprint=pipeline.fingerprint,
                has_model=encoder is not None,
                read_with=read_with,
                force=options.force,
                leaving=leaving,
            )
            return planner, Room(counted(documents, but=going), target.allow_document)

        run = IngestRun(
            target.folder,
            pipeline,
            plan,
            options,
            outputs,
            cancel,
            read_with=read_with,
            attachment_depth=reading.limits.attachment_depth,
        )
        with one_thread_each():
            report = ingest(run, files, progress=progress, finish=target.catch_up, frame=frame)
    give_back()
    refused = sum(o.code == FreeTierLimit.code for o in report.outcomes)
    if refused and run.room.refusal is not None:
        notes.append(limit_note(refused, run.room.refusal))
    return replace(report, notes=tuple(notes))


def reading_conditions(reading: ReadOptions, /) -> str:
    """Return a short fingerprint of what reading depends on beside the file: settings, OCR."""
    parts = (
        asdict(reading.ocr),
        asdict(reading.limits),
        bool(reading.passwords),
        ocr_at_hand(reading.models_dir),
    )
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


_NO_CASE_LAW = (
    "Citations of case law are not looked for, since eyecite is not installed: for this version of "
    "Python it has to be compiled. With a C++ compiler run `pip install eyecite`, then "
    "`casetrack reindex`."
)


def _no_model(name: str) -> str:
    return (
        f'Model "{name}" is not installed, so documents can be found by their words only. '
        f"Run `casetrack models pull{'' if name == DEFAULT_PROFILE else ' ' + name}` once while "
        "online, then `casetrack reindex`."
    )
