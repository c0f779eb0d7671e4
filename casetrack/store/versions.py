"""What Lance keeps of a collection's datasets at one moment: ledgers and versions of the chunks."""

from __future__ import annotations

import contextlib
from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import CollectionDamaged
from casetrack.store.damage import reading
from casetrack.store.datasets import CHUNKS, DOCUMENTS, open_dataset, open_snapshot
from casetrack.store.heads import manifests_of
from casetrack.store.history import tags
from casetrack.store.notes import TAG

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

_CANDIDATES = 8
"""Versions of the chunks that are looked at where the clock was set back meanwhile."""


class Versions:
    """What is kept of both datasets at one moment; opens each version once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        # In this order: a ledger's chunks are older than it.
        self.documents = open_dataset(folder, DOCUMENTS)
        self.chunks = open_dataset(folder, CHUNKS)
        self.ledgers = [(number, moment) for number, moment, _ in versions_of(self.documents)]
        self.chunk_versions = versions_of(self.chunks)
        self.current = state_key(open_snapshot(folder).documents.table)
        self._held: dict[int, tuple[Any, Counter[str]]] = {}

    def ledger(self, version: int) -> pa.Table | None:
        """Return the rows of a ledger; ``None`` where it is damaged or was cleaned away."""
        try:
            with reading(self.documents.uri):
                return self.documents.checkout_version(version).to_table()
        except CollectionDamaged:
            return None

    def holding(self, ledger: pa.Table, versions: list[int]) -> Any:
        """Return the first of some versions of the chunks with all rows of a ledger, if any."""
        wanted = chunk_counts(ledger)
        for version in versions[:_CANDIDATES]:
            if version not in self._held:
                try:
                    with reading(self.chunks.uri):
                        chunks = self.chunks.checkout_version(version)
                        column = chunks.scanner(columns=["revision"]).to_table()["revision"]
                except CollectionDamaged:
                    continue
                counted = column.value_counts()
                names, numbers = counted.field("values"), counted.field("counts")
                self._held[version] = (
                    chunks,
                    Counter(dict(zip(names.to_pylist(), numbers.to_pylist(), strict=True))),
                )
            chunks, found = self._held[version]
            if all(found[r] == count for r, count in wanted.items()):
                return chunks
        return None

    def before(self, moment: datetime | None, rows: int) -> list[int]:
        """Return versions of the chunks with so many rows, the most likely one first."""
        enough = [(v, at) for v, at, total in reversed(self.chunk_versions) if total >= rows]
        likely = [v for v, at in enough if moment is None or at <= moment]
        return [*likely, *reversed([v for v, _ in enough if v not in set(likely)])]


def tags_of(dataset: Any) -> dict[str, int]:
    """Return the tags of named snapshots by slug, with their versions."""
    found = tags(dataset)
    return {n.removeprefix(TAG): version for n, version in found.items() if n.startswith(TAG)}


def versions_of(dataset: Any, /) -> list[tuple[int, datetime, int]]:
    """Return number, time and rows of each version, the oldest first; damaged ones are left out."""
    try:
        with reading(dataset.uri):
            return [
                (v["version"], _moment(v), int(v["metadata"]["total_rows"]))
                for v in dataset.versions()
            ]
    except CollectionDamaged:
        # One that is damaged keeps Lance from telling of all others.
        found = []
        for number, file in reversed(manifests_of(dataset).items()):
            with contextlib.suppress(CollectionDamaged, FileNotFoundError), reading(dataset.uri):
                rows = dataset.checkout_version(number).count_rows()
                found.append((number, file.moment(), rows))
        return found


def chunk_counts(ledger: pa.Table) -> dict[str, int]:
    """Return how many chunks each revision of a ledger has."""
    columns = ledger["revision"].to_pylist(), ledger["chunk_count"].to_pylist()
    return dict(zip(*columns, strict=True))


def state_key(ledger: pa.Table) -> frozenset[tuple[Any, ...]]:
    """Return what tells one state from another; a file that only moved keeps its revision."""
    columns = (ledger[n].to_pylist() for n in ("revision", "name", "path", "updated_at"))
    return frozenset(zip(*columns, strict=True))


def _moment(version: dict[str, Any]) -> datetime:
    """Return when a version was committed; Lance tells it in local time."""
    moment: datetime = version["timestamp"]
    return moment.astimezone(UTC)
