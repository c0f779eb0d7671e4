"""CaseTrack: search folders of documents; every answer comes with its exact source.

>>> import casetrack
>>> casetrack.collections()  # doctest: +SKIP
>>> collection = casetrack.open("Acme")  # doctest: +SKIP
>>> hits = collection.search("payment terms", limit=20)  # doctest: +SKIP
>>> hits[0].citation, hits.to_polars()  # doctest: +SKIP

All that is raised on purpose is a :class:`casetrack.base.errors.CaseTrackError`.
"""

from __future__ import annotations

import importlib
import sys
from importlib.machinery import ModuleSpec
from typing import TYPE_CHECKING, Any

from casetrack.base import errors
from casetrack.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from types import ModuleType

    from casetrack.api.collection import Collection
    from casetrack.api.vectors import question_vectors, unpack_tokens
    from casetrack.base.records import CollectionEntry, Rows

__all__ = [
    "Collection",
    "__version__",
    "collections",
    "create",
    "errors",
    "open",
    "question_vectors",
    "unpack_tokens",
]


_PUBLIC = {
    "casetrack.demo": "casetrack.faces.demo",
    "casetrack.errors": "casetrack.base.errors",
    "casetrack.evaluate": "casetrack.api.evaluate",
    "casetrack.library": "casetrack.api.library",
    "casetrack.notebook": "casetrack.faces.notebook",
    "casetrack.resources": "casetrack.base.resources",
    "casetrack.steps": "casetrack.ingest.steps",
}
"""Names by which users import, and the modules they mean; those inside them go along."""


class _PublicNames:
    """An import of a public name gives the module that it means."""

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> Any:
        head = ".".join(name.split(".")[:2])
        return ModuleSpec(name, self) if head in _PUBLIC else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        head = ".".join(spec.name.split(".")[:2])
        module = importlib.import_module(_PUBLIC[head] + spec.name.removeprefix(head))
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Leave the module as it is: it has been run, under its own name."""
        module.__spec__ = module.__spec__ and module.__spec__.loader_state


sys.meta_path.insert(0, _PublicNames())


def open(name: str, /, *, data_dir: str | Path | None = None) -> Collection:  # noqa: A001
    """Open a collection by its name or id.

    Its long work (taking in files, syncing, reindexing) shows a bar in a notebook and on a
    terminal, and stops between two documents when it is interrupted.

    Parameters
    ----------
    name
        Name or id.
    data_dir
        Data folder; ``CASETRACK_HOME`` or Documents/CaseTrack where it is not given.

    Returns
    -------
    Collection
        Nothing needs to be closed. It may be used from several threads.

    Raises
    ------
    CollectionNotFound, AmbiguousName
        There is none (near names are suggested), or several names begin like this.
    CollectionDamaged, FutureSchema, MigrationFailed
        See :meth:`casetrack.api.library.Library.get`.

    Examples
    --------
    >>> casetrack.open("Acme").search("termination for cause", limit=20)  # doctest: +SKIP
    """
    from casetrack.faces.notebook.show import open_collection

    return open_collection(name, data_dir=data_dir)


def create(
    name: str,
    /,
    *,
    collection_type: str = "other",
    description: str | None = None,
    reference: str | None = None,
    tags: Iterable[str] | str = (),
    profile: str = "mini",
    data_dir: str | Path | None = None,
) -> Collection:
    """Make a new, empty collection and open it.

    Parameters
    ----------
    name
        1 to 200 characters; unique, letter case aside.
    collection_type, description, reference, tags, profile
        See :meth:`casetrack.api.library.Library.create`.
    data_dir
        As for :func:`open`.

    Raises
    ------
    CollectionExists
        The name is taken.
    UsageError, FreeTierLimit, StorageError
        See :meth:`casetrack.api.library.Library.create`.

    Examples
    --------
    >>> casetrack.create("Acme").ingest("~/Contracts")  # doctest: +SKIP
    """
    from casetrack.faces.notebook.show import create_collection

    return create_collection(
        name,
        data_dir=data_dir,
        collection_type=collection_type,
        description=description,
        reference=reference,
        tags=tags,
        profile=profile,
    )


def collections(*, data_dir: str | Path | None = None) -> Rows[CollectionEntry]:
    """Return all collections with their content, the one changed last first.

    One that cannot be opened is listed as well; ``problem`` says why.

    Parameters
    ----------
    data_dir
        As for :func:`open`.

    Examples
    --------
    >>> [entry.name for entry in casetrack.collections()]  # doctest: +SKIP
    """
    from casetrack.faces.notebook.show import list_collections

    return list_collections(data_dir=data_dir)


_LATER = {
    "Collection": "casetrack.api.collection",
    "question_vectors": "casetrack.api.vectors",
    "unpack_tokens": "casetrack.api.vectors",
}
"""Names that are loaded on first use, and their modules."""


def __getattr__(name: str) -> Any:
    """Load a name on its first use."""
    if name in _LATER:
        return getattr(importlib.import_module(_LATER[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return what completion offers."""
    return sorted(__all__)
