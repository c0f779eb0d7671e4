"""A segment of what documents cite and quote: some revisions, immutable and mapped.

Files of a segment folder, each an Arrow table: ``revisions`` (``revision``, ascending, and
``start``, its first row in ``cites``), ``cites`` (one row per citation) and ``quotes`` (one per
quotation; ``cite`` is the row in ``cites`` that it is ascribed to, -1 for none). Nothing in it
depends on other documents, so segments are merged by laying them end to end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from casetrack.graph.segment_tables import TableSegment, rows_between, table_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

FORMAT = 4
"""Raised with the layout, and whenever a document would be read in another way."""
PIN = pa.struct(
    [(n, pa.string()) for n in ("text", "unit", "first", "last", "first_line", "last_line")]
)
_PLACE: dict[str, pa.DataType] = {
    "revision": pa.int32(),
    "chunk_id": pa.string(),
    "chunk_index": pa.int32(),
    "page": pa.int32(),
    "char_start": pa.int32(),
    "char_end": pa.int32(),
    "text": pa.string(),
}
LAYOUT: dict[str, dict[str, pa.DataType]] = {
    "revisions": {"revision": pa.string(), "start": pa.int64()},
    "cites": {
        **_PLACE,
        "kind": pa.string(),
        "form": pa.string(),
        "key": pa.string(),
        "keys": pa.list_(pa.string()),
        "name": pa.string(),
        "pins": pa.list_(PIN),
        "signal": pa.string(),
        "treatment": pa.string(),
        "parenthetical": pa.string(),
        "court": pa.string(),
        "year": pa.int32(),
        "sentence": pa.string(),
        "resolved": pa.bool_(),
        "confidence": pa.float32(),
        "note": pa.string(),
    },
    "quotes": {
        **_PLACE,
        "words": pa.string(),
        "is_block": pa.bool_(),
        "cite": pa.int32(),
        "confidence": pa.float32(),
    },
}
"""Columns of each table of a segment."""
PLACES = ("cites", "quotes")


class LegalSegment(TableSegment):
    """What the documents of some revisions cite and quote, counted in citations; see the module."""

    __slots__ = ()


def segment_of(read: Mapping[str, Mapping[str, Sequence[Mapping[str, Any]]]], /) -> LegalSegment:
    """Return the segment of what was read: rows of each table by revision."""
    rows: dict[str, list[Mapping[str, Any]]] = {name: [] for name in LAYOUT}
    for code, revision in enumerate(sorted(read)):
        first = len(rows["cites"])
        rows["revisions"].append({"revision": revision, "start": first})
        own = {"revision": code}
        rows["cites"] += [{**row, **own} for row in read[revision]["cites"]]
        rows["quotes"] += [
            {**row, **own, "cite": row["cite"] if row["cite"] < 0 else row["cite"] + first}
            for row in read[revision]["quotes"]
        ]
    tables = {name: table_of(LAYOUT[name], found) for name, found in rows.items()}
    return LegalSegment.of(tables, "cites")


def merge(parts: Sequence[LegalSegment], live: Iterable[str], /) -> Iterator[LegalSegment]:
    """Yield the live revisions of some segments as one, each revision once."""
    wanted, kept = set(live), dict[str, dict[str, list[dict[str, Any]]]]()
    for part in parts:
        for code, revision in enumerate(part.revisions):
            if revision in wanted and revision not in kept:
                kept[revision] = _rows_of(part, code)
    yield segment_of(kept)


def _rows_of(part: LegalSegment, code: int) -> dict[str, list[dict[str, Any]]]:
    found = {}
    for name in PLACES:
        table = part.tables[name]
        low, high = rows_between(table, "revision", code, code + 1)
        found[name] = table.slice(low, high - low).to_pylist()
    first = int(part.starts[code])
    for row in found["quotes"]:
        row["cite"] -= first if row["cite"] >= 0 else 0
    return found


def load(folder: Path, /) -> LegalSegment:
    """Map a saved segment; see :meth:`casetrack.graph.segment_tables.TableSegment.load`."""
    return LegalSegment.load(folder, LAYOUT, "cites")
