"""What makes the derived columns of chunks, and which documents it has made."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.errors import CaseTrackError
from casetrack.pipeline import Tools, load_pipeline
from casetrack.steps.embed import EmbedStep
from casetrack.steps.extract import ExtractStep
from casetrack.steps.terms import TermsStep

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.extract.finder import NameFinder
    from casetrack.models.base import ProfileEncoder
    from casetrack.records import Document


@dataclass(frozen=True, slots=True)
class Makers:
    """What makes the derived columns of a collection, and how their results are told apart.

    Attributes
    ----------
    names
        What looks for names, or ``None``.
    current
        The pipeline's fingerprint: of documents that it would make just so.
    derived
        Fingerprint of documents whose pages may have been read and cut by an earlier program, and
        whose terms and vectors are of the present one. The next ingest of their file reads it anew.
    same_reading
        Fingerprints of documents that differ in the models alone: the present pipeline without a
        model, or with that of the previous profile.
    """

    encoder: ProfileEncoder
    names: NameFinder | None
    current: str
    derived: str
    same_reading: frozenset[str]

    @classmethod
    def of(
        cls,
        pipeline: str,
        encoder: ProfileEncoder,
        before: ProfileEncoder | None,
        find_names: Callable[[str], NameFinder | None],
        /,
    ) -> Makers:
        """Work them out for a pipeline, the models to be used, and those used before."""
        names = find_names(encoder.name)
        built = load_pipeline(pipeline, Tools(None, encoder, encoder.dimension, names))
        others = [load_pipeline(pipeline, Tools()).fingerprint]
        if before is not None:
            tools = Tools(None, before, before.dimension, find_names(before.name))
            others.append(load_pipeline(pipeline, tools).fingerprint)
        parts = [
            (step.contract.name, step.contract.version, step.fingerprint)
            for step in built.transforms
            if isinstance(step, TermsStep | EmbedStep | ExtractStep)
        ]
        derived = hashlib.sha256(repr(("reindexed", parts)).encode()).hexdigest()[:16]
        return cls(encoder, names, built.fingerprint, derived, frozenset(others))

    @property
    def models(self) -> str:
        """Names what the outputs of the models depend on."""
        parts = (self.derived, self.encoder.fingerprint, self.encoder.dimension)
        return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]

    def is_fresh(self, document: Document, /) -> bool:
        """Return whether the ledger says that a document is made by these."""
        return document.pipeline_fingerprint in {self.current, self.derived}

    def fingerprint_of(self, document: Document, /) -> str:
        """Return the fingerprint of a document once these have made its derived columns."""
        same = document.pipeline_fingerprint in {self.current, *self.same_reading}
        return self.current if same else self.derived


def encoder_before(
    name: str, chosen: ProfileEncoder, encoder: Callable[[str], ProfileEncoder], /
) -> ProfileEncoder | None:
    """Return the models used until now, or ``None`` where that cannot be told."""
    if name == chosen.name:
        return None
    try:
        before = encoder(name)
        # Services are asked for these, and may be gone for good: that is why people change.
        _ = before.dimension, before.fingerprint
    except CaseTrackError:
        return None
    return before
