"""What brings a watched folder and its collection together, seen from the watch."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from casetrack.base import actor
from casetrack.base.records.sync import SYNC_KINDS

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Mapping, Sequence

    from casetrack.api.library import Library
    from casetrack.base.records.sync import SyncReport
    from casetrack.base.records.watches import Watch


class Report(Protocol):
    """What is used of a ``SyncReport``."""

    @property
    def cancelled(self) -> bool:
        """Whether it was stopped before its end."""
        ...

    @property
    def seconds(self) -> float:
        """How long it took."""
        ...

    def count(self, *kinds: Any) -> int:
        """Return how many files ended with one of *kinds*."""
        ...

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        ...


class Sync(Protocol):
    """Compares a watched folder, or some paths of it, with its collection."""

    def __call__(
        self, watch: Watch, only: Sequence[Path] | None, cancel: threading.Event, /
    ) -> Report:
        """Bring the collection up to date.

        Parameters
        ----------
        watch
            Says what belongs together, and how.
        only
            Files and folders that changed; ``None`` compares the whole folder.
        cancel
            Set it to stop at the next file.

        Raises
        ------
        CaseTrackError
            Why it could not be done.
        """
        ...


class CollectionSync:
    """The real one: :meth:`casetrack.api.collection.Collection.sync` with the watch's options.

    Parameters
    ----------
    library
        Where the collections are.
    """

    def __init__(self, library: Library, /) -> None:
        self._library = library

    def __call__(
        self, watch: Watch, only: Sequence[Path] | None, cancel: threading.Event, /
    ) -> Report:
        """Sync; see :class:`Sync`."""
        # The data folder may lie inside a watched one, and changes with every sync.
        own = pattern_of(self._library.settings.data_dir, Path(watch.folder))
        collection = self._library.get(watch.collection_id)

        def sync(progress: Callable[..., None] | None, stop: threading.Event) -> SyncReport:
            with actor.acting("watched folder"):
                return collection.sync(
                    Path(watch.folder),
                    remove_deleted=watch.auto_remove_deleted,
                    recursive=watch.recursive,
                    include=watch.include,
                    exclude=(*watch.exclude, *own),
                    extensions=watch.file_extensions,
                    only=only,
                    progress=progress,
                    cancel=stop,
                )

        if only is not None:
            return sync(None, cancel)
        # The whole folder may take long: others see how far it is, and may stop it.
        return self._library.run_job(
            "sync",
            sync,
            title=f"Comparing the watched folder {Path(watch.folder).name}",
            collection=collection.info,
            cancel=cancel,
        )


def pattern_of(inner: Path, folder: Path, /) -> tuple[str, ...]:
    """Return the gitignore pattern of a folder that lies in another one; empty if it does not.

    Examples
    --------
    >>> pattern_of(Path("/docs/CaseTrack"), Path("/docs"))
    ('/CaseTrack/',)
    """
    try:
        parts = inner.resolve().relative_to(folder.resolve()).parts
    except ValueError:
        return ()
    escaped = re.sub(r"([\\*?\[\]! ])", r"\\\1", "/".join(parts))
    return (f"/{escaped}/",) if parts else ()


def counts_of(report: Report, /) -> dict[str, int]:
    """Return how many files ended in each way, those with none left out."""
    return {kind: n for kind in SYNC_KINDS if (n := report.count(kind))}


def counts_text(counts: Mapping[str, int], /) -> str:
    """Return counts in words: ``2 new, 1 changed``.

    Examples
    --------
    >>> counts_text({"new": 2, "changed": 1})
    '2 new, 1 changed'
    """
    return ", ".join(f"{n:,} {kind}" for kind, n in counts.items() if n) or "nothing changed"
