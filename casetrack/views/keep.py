"""Keeps the stored segments up with the ledger: builds what is missing, merges what has piled up.

``views/index/manifest.json`` names the segment folders. It is a cache: what it lacks is built from
Lance, what is dead is masked, and a damaged one is rebuilt. Whoever holds the views lock publishes
what was built; everyone else keeps it in memory.
"""

from __future__ import annotations

import contextlib
import json
import logging
import secrets
import shutil
import time
from typing import TYPE_CHECKING

from casetrack.errors import StorageError
from casetrack.store.files import write_json
from casetrack.store.lock import try_lock
from casetrack.views import segment as segments
from casetrack.views.reading import read_groups

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from casetrack.store.datasets import Snapshot
    from casetrack.views.segment import Segment

_log = logging.getLogger(__name__)
FORMAT = 4
"""Layout of the segment files; another one on disk is rebuilt."""
_FANOUT = 8
MAX_CHUNKS = 65_536
"""Largest segment (but for a single document that is longer); a row then fits two bytes."""
_GRACE_SECONDS = 900.0
"""Segment folders that no manifest names are kept this long for readers that still map them."""


def stored_segments(home: Path, snapshot: Snapshot, dimension: int, /) -> list[Segment]:
    """Return segments that hold all live revisions of *snapshot*, and maybe dead ones.

    Parameters
    ----------
    home
        Folder of the index.
    snapshot
        What is live.
    dimension
        Length of the vectors; a stored segment with vectors of another length is built anew.
    """
    live = snapshot.revisions
    stored = load_segments(home, dimension, snapshot.generation)
    # A document without chunks has nothing to index.
    needed = {r for r, count in snapshot.documents.chunk_counts.items() if count}
    missing = needed - {r for s in stored.values() for r in s.revisions}
    if not missing and not _merge_group(list(stored.values()), live):
        return list(stored.values())
    with contextlib.suppress(FileExistsError):
        home.mkdir(parents=True)
    with try_lock(home / ".lock") as locked:
        if locked:
            stored = load_segments(home, dimension, snapshot.generation)
            missing = needed - {r for s in stored.values() for r in s.revisions}
            return list(_publish(home, snapshot, stored, missing).values())
    return [*stored.values(), *_build(snapshot, missing)]


def load_segments(
    home: Path, dimension: int | None = None, generation: str | None = None, /
) -> dict[str, Segment]:
    """Map the published segments by name.

    An unreadable manifest or segment counts as absent, and so does one with vectors of another
    length than *dimension*. Those of another *generation* of the data point to rows that are gone.
    """
    try:
        manifest = json.loads((home / "manifest.json").read_text("utf-8"))
        if manifest["format"] != FORMAT:
            return {}
        if generation is not None and manifest["generation"] != generation:
            return {}
        names = list(manifest["segments"])
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    found = {}
    for name in names:
        with contextlib.suppress(OSError, ValueError, KeyError, EOFError):
            loaded = segments.load(home / name)
            if dimension is None or loaded.dimension == dimension:
                found[name] = loaded
    return found


def _build(snapshot: Snapshot, revisions: Iterable[str]) -> list[Segment]:
    """Build segments of bounded size for *revisions*, in memory."""
    columns = segments.COLUMNS
    return [segments.build(t) for t in read_groups(snapshot, revisions, columns, MAX_CHUNKS)]


def _publish(
    home: Path, snapshot: Snapshot, stored: dict[str, Segment], missing: set[str]
) -> dict[str, Segment]:
    """Build what is missing, merge what has piled up, and switch the manifest."""
    try:
        kept = {**stored, **_build_stored(home, snapshot, missing)}
        group = _merge_group(list(kept.values()), snapshot.revisions)
        if group:
            revisions = {r for s in group for r in s.revisions if r in snapshot.revisions}
            kept = {n: s for n, s in kept.items() if not any(s is g for g in group)}
            kept |= _build_stored(home, snapshot, revisions)
        manifest = {"format": FORMAT, "generation": snapshot.generation, "segments": sorted(kept)}
        write_json(home / "manifest.json", manifest)
    except (OSError, StorageError) as error:
        # The index is only a copy: with a full disk, searching goes on from memory.
        _log.warning("The search index cannot be stored in %s: %s", home, error)
        made = _build(snapshot, missing)
        return {str(i): data for i, data in enumerate([*stored.values(), *made])}
    _remove_unused(home, set(kept))
    return kept


def _build_stored(home: Path, snapshot: Snapshot, revisions: Iterable[str]) -> dict[str, Segment]:
    """Build segments one after the other, each in memory only until it is written."""
    made = {}
    for table in read_groups(snapshot, revisions, segments.COLUMNS, MAX_CHUNKS):
        name = f"{int(time.time()):010d}-{secrets.token_hex(6)}"
        _save(segments.build(table), home, name)
        made[name] = segments.load(home / name)
    return made


def _save(data: Segment, home: Path, name: str) -> None:
    temporary = home / f".{name}.tmp"
    try:
        segments.save(data, temporary)
        temporary.rename(home / name)
    except OSError:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def _merge_group(candidates: Sequence[Segment], live: Mapping[str, str]) -> list[Segment]:
    """Return segments worth merging: eight of one order of size, or one that is mostly dead."""
    tiers: dict[int, list[Segment]] = {}
    for data in candidates:
        if 2 * _live_rows(data, live) < data.size:
            tiers.setdefault(-1, []).append(data)
        elif data.size < MAX_CHUNKS // 2:
            tiers.setdefault(data.size.bit_length() // 3, []).append(data)
    group = tiers.pop(-1, [])
    for tier in sorted(tiers):
        if len(tiers[tier]) >= _FANOUT:
            group += tiers[tier]
    return group


def _live_rows(data: Segment, live: Mapping[str, str]) -> int:
    starts = data.starts.tolist()
    spans = zip(data.revisions, starts, starts[1:], strict=False)
    return sum(end - start for revision, start, end in spans if revision in live)


def _remove_unused(home: Path, names: set[str]) -> None:
    now = time.time()
    for path in home.iterdir():
        if not path.is_dir() or path.name in names:
            continue
        if now - path.stat().st_mtime > _GRACE_SECONDS:
            shutil.rmtree(path, ignore_errors=True)
