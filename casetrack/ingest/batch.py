"""Prepares a batch for one collection: workers, model, planner; brings the index along."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from casetrack.ingest.memory import give_back, share_arenas
from casetrack.ingest.plan import Planner
from casetrack.ingest.run import PARALLEL_FILES, IngestRun, ingest
from casetrack.pipeline import Tools, load_pipeline
from casetrack.readers.workers.pool import ParsePool

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    import numpy as np

    from casetrack.config import ParseLimits
    from casetrack.ingest.discover import Found
    from casetrack.ingest.run import Options
    from casetrack.records import Document, IngestProgress, IngestReport
    from casetrack.steps.embed import DocumentEncoder


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
    vectors
        Returns the vectors that a model (by fingerprint) made for a document, by chunk text.
    catch_up
        Called at the end, while the write lock is still held.
    """

    folder: Path
    pipeline: str
    documents: Callable[[], Iterable[Document]]
    vectors: Callable[[Document, str], Mapping[str, np.ndarray]]
    catch_up: Callable[[], None]


def run_batch(
    target: Target,
    files: list[Found],
    options: Options,
    /,
    *,
    load_encoder: Callable[[str], DocumentEncoder | None],
    limits: ParseLimits,
    progress: Callable[[IngestProgress], None] | None,
    cancel: threading.Event,
) -> IngestReport:
    """Ingest *files*; see :meth:`casetrack.collection.Collection.ingest`."""
    share_arenas()
    with ParsePool(limits, workers=max(1, min(PARALLEL_FILES, len(files)))) as pool:
        pipeline = load_pipeline(target.pipeline, Tools(pool, load_encoder))
        encoder = load_encoder(pipeline.model)
        notes = () if encoder else (_no_model(pipeline.model),)

        def vectors(document: Document) -> Mapping[str, np.ndarray]:
            return target.vectors(document, encoder.fingerprint) if encoder else {}

        def plan() -> Planner:
            return Planner(
                target.documents(),
                fingerprint=pipeline.fingerprint,
                has_model=encoder is not None,
                force=options.force,
            )

        run = IngestRun(target.folder, pipeline, plan, options, vectors, cancel)
        report = ingest(run, files, progress=progress, finish=target.catch_up)
    give_back()
    return replace(report, notes=notes)


def _no_model(name: str) -> str:
    return (
        f'Model "{name}" is not installed, so documents can be found by their words only. '
        "Run `casetrack models pull` once while online, then ingest the same files again."
    )
