"""The sample case file as a collection; ``casetrack demo`` shows the main workflow on it."""

from __future__ import annotations

import hashlib
import warnings
from typing import TYPE_CHECKING

from casetrack.base.errors import CollectionNotFound, ModelError

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.api.collection import Collection
    from casetrack.api.library import Library

COLLECTION = "Demo"
_NO_TEXT = frozenset({"Exhibit D Separator Sheet.pdf"})
"""Sample files without text, which do not become documents."""


def open_sample(*, data_dir: str | Path | None = None) -> Collection:
    """Open the sample case file as a collection; the first call ingests its documents.

    It is the collection of ``casetrack demo``, with all features in every tier. The first call
    takes some seconds and downloads the model for search by meaning; without it, a warning is
    shown, and search matches words until a later call finds the model.

    Parameters
    ----------
    data_dir
        Data folder; by default ``CASETRACK_HOME`` or Documents/CaseTrack.

    Raises
    ------
    CaseTrackError
        The data folder cannot be written, or the installation has no sample documents.
    """
    from casetrack.api.library import Library
    from casetrack.base.config import load_settings
    from casetrack.base.license import UNLIMITED
    from casetrack.base.resources import resource_dir
    from casetrack.faces.notebook.show import show_work

    samples = resource_dir("data-samples") / "files"
    library = Library(load_settings(data_dir), tier=UNLIMITED, display=show_work)
    with_model = _has_model(library.settings.models_dir)
    try:
        collection = library.get(COLLECTION)
    except CollectionNotFound:
        collection = create(library)
    if _is_due(collection, samples, with_model):
        collection.ingest([samples])
    return collection


def _has_model(models_dir: Path) -> bool:
    """Return whether the model is installed, after trying to download it."""
    from casetrack.api.models.supplies import fetch, lacking
    from casetrack.base.records import DEFAULT_PROFILE

    try:
        if lacking(models_dir):
            list(fetch(models_dir, lambda *_: None))
    except ModelError as error:
        text = f"{error.message} {error.hint} Until then, {without(lacking(models_dir))}"
        warnings.warn(text, stacklevel=3)
    return DEFAULT_PROFILE not in lacking(models_dir)


def without(names: tuple[str, ...], /) -> str:
    """Return the features that need the named models."""
    from casetrack.base.records import DEFAULT_PROFILE

    if DEFAULT_PROFILE in names:
        return "search matches words only."
    return "scans are read by other installed engines."


def _is_due(collection: Collection, samples: Path, with_model: bool) -> bool:
    """Return whether a sample file is missing, or was ingested without the model."""
    known = {document.file_hash for document in collection.documents()}
    for path in samples.rglob("*"):
        wanted = path.is_file() and path.name not in _NO_TEXT
        if wanted and hashlib.sha256(path.read_bytes()).hexdigest() not in known:
            return True
    made_by = collection.workspace.state().snapshot.scan(("embedders",))["embedders"].to_pylist()
    return with_model and not all(made_by)


def create(library: Library, /) -> Collection:
    """Create the collection of the sample case file."""
    return library.create(
        COLLECTION, collection_type="contract", description="The sample case file."
    )
