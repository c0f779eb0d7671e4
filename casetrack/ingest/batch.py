"""Prepares a batch for one collection: workers, model, planner; brings the index along."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.ingest.memory import give_back, share_arenas
from casetrack.ingest.plan import Planner
from casetrack.ingest.run import PARALLEL_FILES, IngestRun, ingest
from casetrack.pipeline import Tools, load_pipeline
from casetrack.readers.pool import ParsePool
from casetrack.records import IngestReport

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Mapping

    import numpy as np

    from casetrack.collection import Collection
    from casetrack.config import ParseLimits
    from casetrack.encoders import Encoders
    from casetrack.ingest.discover import Found
    from casetrack.ingest.run import Options
    from casetrack.records import Document, IngestProgress


def run_batch(
    collection: Collection,
    files: list[Found],
    options: Options,
    /,
    *,
    encoders: Encoders,
    limits: ParseLimits,
    progress: Callable[[IngestProgress], None] | None,
    cancel: threading.Event,
) -> IngestReport:
    """Ingest *files* into *collection*; see :meth:`casetrack.collection.Collection.ingest`."""
    share_arenas()
    info = collection.info
    with ParsePool(limits, workers=max(1, min(PARALLEL_FILES, len(files)))) as pool:
        pipeline = load_pipeline(info.pipeline, Tools(pool, encoders.get_installed))
        encoder = encoders.get_installed(pipeline.model)
        notes = () if encoder else (_no_model(pipeline.model),)

        def vectors(document: Document) -> Mapping[str, np.ndarray]:
            return collection.vectors_of(document, encoder.fingerprint) if encoder else {}

        planner = Planner(
            collection.snapshot().documents.values(),
            fingerprint=pipeline.fingerprint,
            has_model=encoder is not None,
            force=options.force,
        )
        run = IngestRun(collection.folder, pipeline, planner, options, vectors, cancel)
        report = ingest(run, files, progress=progress, finish=lambda: _catch_up(collection))
    return IngestReport(report.outcomes, report.seconds, notes, report.cancelled)


def _catch_up(collection: Collection) -> None:
    """Index what was added and note the change, so that the first search finds both done."""
    collection.index()
    collection.touch()
    give_back()


def _no_model(name: str) -> str:
    return (
        f'Model "{name}" is not installed, so documents can be found by their words only. '
        "Run `casetrack models pull` once while online, then ingest the same files again."
    )
