"""Which documents are not as the present models and the present program would make them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.ingest.captions import is_unread

if TYPE_CHECKING:
    from casetrack.base.records import Document
    from casetrack.ingest.pipeline import Pipeline
    from casetrack.models.base import ProfileEncoder
    from casetrack.store.datasets import Snapshot


@dataclass(frozen=True, slots=True)
class StaleDocument:
    """A document with stored columns that its collection's pipeline would fill otherwise.

    Attributes
    ----------
    document
        It.
    steps
        Names of the steps that would; empty where a step was taken out of the pipeline, so that
        only what it has left is to be removed, or where only its caption is unread.
    only_caption
        Whether all that is to be made anew is what the ledger says of its caption.
    lacks
        Columns that models have yet to fill in some of its rows, where all that they have filled
        is as they would make it now; empty where its rows are made anew as a whole.
    """

    document: Document
    steps: frozenset[str]
    only_caption: bool = False
    lacks: tuple[str, ...] = ()


def outputs_of(pipeline: Pipeline, /) -> dict[str, tuple[str, ...]]:
    """Return the columns of ``chunks`` that models fill, by the step that lets them.

    A column that the models of the profile have nothing for is left out.
    """
    found: dict[str, tuple[str, ...]] = {}
    encoder = pipeline.tools.encoder
    if "embed" in pipeline.parts and encoder is not None:
        columns = ["dense"]
        columns += ["tokens"] if encoder.token_width is not None else []
        columns += ["sparse_terms"] if encoder.has_sparse else []
        found["embed"] = tuple(columns)
    if "names" in pipeline.parts and pipeline.tools.names is not None:
        found["names"] = ("mentions",)
    return found


def changes_profile(snapshot: Snapshot, encoder: ProfileEncoder, /) -> bool:
    """Return whether all vectors have to be replaced at once: other models, or another length."""
    return (snapshot.profile, snapshot.dimension) != (encoder.name, encoder.dimension)


def stale_documents(
    snapshot: Snapshot, pipeline: Pipeline, encoder: ProfileEncoder, /
) -> list[StaleDocument]:
    """Return the documents whose derived columns the pipeline would make otherwise now.

    Parameters
    ----------
    snapshot
        What is stored.
    pipeline
        The collection's, with its models.
    encoder
        These models.

    Raises
    ------
    CollectionDamaged
        What is stored cannot be read.
    """
    documents = snapshot.documents.values()
    if changes_profile(snapshot, encoder):
        return [StaleDocument(d, _steps(pipeline, d, {"embed"})) for d in documents]
    outputs = outputs_of(pipeline)
    lacking = {step: snapshot.revisions_without(columns) for step, columns in outputs.items()}
    others = _of_other_models(snapshot, encoder) if "embed" in outputs else set[str]()
    found = []
    for document in documents:
        steps = {name for name, revisions in lacking.items() if document.revision in revisions}
        steps |= {f.stage for f in document.failures} & pipeline.derived.keys()
        is_of_others = document.revision in others
        is_current = not is_of_others and pipeline.is_current(document.pipeline_fingerprint)
        if steps or not is_current or is_unread(document):
            stale = _steps(pipeline, document, steps | ({"embed"} if is_of_others else set()))
            lacks = [c for name in outputs if name in stale for c in outputs[name]]
            found.append(
                StaleDocument(
                    document,
                    stale,
                    only_caption=is_current and not steps,
                    lacks=tuple(lacks) if is_current else (),
                )
            )
    return found


def all_documents(snapshot: Snapshot, pipeline: Pipeline, /) -> list[StaleDocument]:
    """Return all documents, as if nothing of them were as the pipeline would make it."""
    steps = frozenset(pipeline.parts)
    return [StaleDocument(document, steps) for document in snapshot.documents.values()]


def _steps(pipeline: Pipeline, document: Document, others: set[str]) -> frozenset[str]:
    changed = pipeline.changed_steps(document.pipeline_fingerprint)
    return pipeline.with_followers(changed | (others & pipeline.parts.keys()))


def _of_other_models(snapshot: Snapshot, encoder: ProfileEncoder) -> set[str]:
    """Return revisions with rows that other models have read."""
    import pyarrow as pa
    import pyarrow.compute as pc

    rows = snapshot.scan(["revision", "embedders"])
    names = pc.binary_join(rows["embedders"].cast(pa.list_(pa.string())), " ")
    ours_or_nobodys = pc.or_(pc.match_substring(names, encoder.fingerprint), pc.equal(names, ""))
    others = rows["revision"].filter(pc.invert(ours_or_nobodys))
    return set(pc.unique(others).to_pylist())
