"""Which documents are not as the present models and the present program would make them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from casetrack.ingest.makers import Makers
    from casetrack.models.base import ProfileEncoder
    from casetrack.records import Document
    from casetrack.store.datasets import Snapshot


def outputs_of(encoder: ProfileEncoder, /, *, has_names: bool) -> tuple[str, ...]:
    """Return the columns of ``chunks`` that the models of a profile fill.

    Parameters
    ----------
    encoder
        The models.
    has_names
        Whether names are looked for beside them.
    """
    found = ["dense"]
    found += ["tokens"] if encoder.token_width is not None else []
    found += ["sparse_terms"] if encoder.has_sparse else []
    found += ["mentions"] if has_names else []
    return tuple(found)


def changes_profile(snapshot: Snapshot, makers: Makers, /) -> bool:
    """Return whether all vectors have to be replaced at once: other models, or another length."""
    now = makers.encoder.name, makers.encoder.dimension
    return (snapshot.profile, snapshot.dimension) != now


def stale_documents(snapshot: Snapshot, makers: Makers, /) -> list[Document]:
    """Return the documents whose derived columns the present models would make otherwise.

    Raises
    ------
    CollectionDamaged
        What is stored cannot be read.
    """
    documents = list(snapshot.documents.values())
    if changes_profile(snapshot, makers):
        return documents
    lacking = _lacking(snapshot, makers)
    return [d for d in documents if not makers.is_fresh(d) or d.revision in lacking]


def _lacking(snapshot: Snapshot, makers: Makers) -> set[str]:
    """Return revisions with rows that lack an output of the present models."""
    needed = outputs_of(makers.encoder, has_names=makers.names is not None)
    found = snapshot.scan(["revision", "embedders"])
    pairs = zip(found["revision"].to_pylist(), found["embedders"].to_pylist(), strict=True)
    lacking = {r for r, names in pairs if makers.encoder.fingerprint not in names}
    return lacking | snapshot.revisions_without(needed)
