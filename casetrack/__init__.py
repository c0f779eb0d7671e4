"""CaseTrack: search folders of documents; every answer comes with its exact source.

>>> import casetrack
>>> collection = casetrack.open("Acme")  # doctest: +SKIP
>>> collection.search("payment terms")  # doctest: +SKIP
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.collection import Collection

__version__ = "0.1.0"
__all__ = ["__version__", "create", "open"]


def open(name: str, /, *, data_dir: str | Path | None = None) -> Collection:  # noqa: A001
    """Open a collection by its name or id.

    Parameters
    ----------
    name
        Name or id.
    data_dir
        Data folder; ``CASETRACK_HOME`` or Documents/CaseTrack where it is not given.

    Raises
    ------
    CollectionNotFound
        There is none; near names are suggested.
    """
    from casetrack.library import Library

    return Library.open(data_dir).get(name)


def create(name: str, /, *, data_dir: str | Path | None = None) -> Collection:
    """Make a new, empty collection and open it.

    Raises
    ------
    CollectionExists
        The name is taken.
    """
    from casetrack.library import Library

    return Library.open(data_dir).create(name)
