"""Reading the audit log of a data folder: with the names of what is still there, and as CSV."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from casetrack.base.errors import CaseTrackError
from casetrack.base.files import write_atomic
from casetrack.base.formulas import without_formula
from casetrack.base.provenance import iso_utc
from casetrack.base.records import Check, Rows
from casetrack.base.records.audit import AuditCheck, AuditEntry
from casetrack.store import audit
from casetrack.store.datasets import open_snapshot
from casetrack.store.listing import scan
from casetrack.store.sealed import sealed_in

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from casetrack.base.config import Settings

_COLUMNS = (
    *("number", "at", "user", "program", "action", "collection_id", "collection", "count"),
    *("documents", "names", "detail", "previous", "digest"),
)
_REMEDY = (
    "Compare it with a copy that you exported, or with a backup. The program goes on adding to it, "
    "and changes nothing that stands in it."
)


class AuditLog:
    """Who did what in a data folder: ``library.audit``.

    Parameters
    ----------
    settings
        Of the data folder.
    """

    def __init__(self, settings: Settings, /) -> None:
        self._settings = settings

    def entries(
        self,
        *,
        collection_id: str | None = None,
        action: str | None = None,
        limit: int | None = None,
    ) -> Rows[AuditEntry]:
        """Return what was done, the last first.

        Parameters
        ----------
        collection_id
            Only what was done to this collection; it may be gone.
        action
            Only actions that contain this word, such as ``deleted``.
        limit
            At most so many.

        Raises
        ------
        StorageError
            The log cannot be read.
        """
        found = [
            entry
            for entry in audit.entries(self._settings.data_dir)
            if collection_id in {None, entry.collection_id}
            if action is None or action.casefold() in entry.action
        ]
        total = len(found)
        found = found[::-1] if limit is None else found[::-1][:limit]
        return Rows(self._named(found), of=AuditEntry, total=total)

    def verify(self, kept: str = "", /) -> AuditCheck:
        """Check that the log is as it was written; *kept* is a digest noted elsewhere.

        Raises
        ------
        StorageError
            The log cannot be read.
        """
        return audit.verify(self._settings.data_dir, kept)

    def check(self) -> Check:
        """Return that as a line of ``doctor``."""
        try:
            found = self.verify()
        except CaseTrackError as error:
            return Check("audit log", ok=False, detail=error.message, remedy=error.hint)
        detail = f"{found.entries:,} entries, each follows on the one before it"
        return Check(
            "audit log",
            ok=found.ok,
            detail=detail if found.ok else "; ".join(found.problems),
            remedy=_REMEDY,
        )

    def as_csv(self) -> str:
        """Return all of it, the oldest first, as a table for a spreadsheet.

        No text in it runs as a formula. The digests of all entries are in it.

        Raises
        ------
        StorageError
            The log cannot be read.
        """
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerow(_COLUMNS)
        for entry in reversed(self.entries()):
            writer.writerow(_row(entry))
        return text.getvalue()

    def export(self, path: Path, /) -> int:
        """Write :meth:`as_csv` to a file; return the number of entries.

        Raises
        ------
        DiskFull, NotWritable, StorageError
            It cannot be written.
        """
        text = self.as_csv()
        write_atomic(path, text.encode("utf-8-sig"))
        return sum(1 for _ in audit.entries(self._settings.data_dir))

    def _named(self, entries: Iterable[AuditEntry]) -> list[AuditEntry]:
        """Return entries with the names of what is still there."""
        shown = list(entries)
        home = self._settings.collections_dir
        called: dict[str, str | None] = {s.id: s.name for s in sealed_in(home)}
        called |= {info.id: info.name for info in scan(home)[0]}
        wanted = {e.collection_id for e in shown if e.documents and e.collection_id in called}
        names: dict[str, dict[str, str]] = defaultdict(dict)
        for collection_id in wanted - {None}:
            names[str(collection_id)] = _names_in(home / str(collection_id))
        return [
            replace(
                entry,
                collection=called.get(entry.collection_id or ""),
                names=tuple(names[entry.collection_id or ""].get(d, "") for d in entry.documents),
            )
            for entry in shown
        ]


def _names_in(folder: Path) -> dict[str, str]:
    """Return the names of a collection's documents; none where it cannot be read, or is sealed."""
    try:
        return {i: d.name for i, d in open_snapshot(folder).documents.items()}
    except CaseTrackError:
        return {}


def _row(entry: AuditEntry) -> list[object]:
    texts = {
        "at": iso_utc(entry.at),
        "documents": " ".join(entry.documents),
        "names": "; ".join(n for n in entry.names if n),
    }
    values = [texts.get(n, getattr(entry, n)) for n in _COLUMNS]
    return [without_formula(v) if isinstance(v, str) else v for v in values]
