"""Bytes on disk, by column and by view."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bench.report import Row, judge
from casetrack.store.datasets import CHUNKS
from casetrack.store.upkeep import sizes_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bench.report import Effort
    from bench.synthetic import Corpus
    from casetrack.api.collection import Collection

_CHARS, _AIM_KB, _REQUIRED_KB = 2000, 10.0, 16.0
_SHOWN_KB = 0.005
_GROUPS = {
    "text": ("text",),
    "dense vectors": ("dense",),
    "token matrices": ("tokens",),
    "sparse vectors": ("sparse_terms", "sparse_weights"),
    "terms": ("terms", "term_counts", "term_total"),
    "line boxes": ("line_boxes",),
}
"""Columns of ``chunks`` that are shown together; the others are one sum."""


def disk_rows(corpus: Corpus, _: Effort, /, *, group: str = "disk") -> Iterator[Row]:
    """Yield the bytes per chunk of 2,000 characters in the synthetic collection."""
    what = f"{corpus.chunk_count:,} chunks"
    what += "" if corpus.has_tokens else " without token matrices"
    yield from collection_rows(corpus.collection, what, group)


def collection_rows(collection: Collection, what: str, group: str, /) -> Iterator[Row]:
    """Yield the bytes per 2,000 characters of any collection."""
    folder, chunks = collection.folder, collection.workspace.state().snapshot.chunks
    per = _CHARS / _characters(chunks) / 1000
    superseded = _superseded_bytes(folder / CHUNKS, chunks)
    parts = _grouped(sizes_of(folder))
    parts["ledger, manifests"] -= superseded
    live = sum(parts.values())
    kilobytes = {name: size * per for name, size in parts.items()}
    shown = ", ".join(f"{n} {k:.2f}" for n, k in kilobytes.items() if k >= _SHOWN_KB)
    yield Row(
        group,
        f"{what}: disk per chunk of {_CHARS:,} characters",
        f"{live * per:.1f} KB: {shown}",
        required=f"~{_REQUIRED_KB:.0f} KB",
        aim=f"<= {_AIM_KB:.0f} KB",
        verdict=judge(live * per, required=_REQUIRED_KB, aim=_AIM_KB),
        figures={"total_kb": live * per, **{f"{n}_kb": k for n, k in kilobytes.items()}},
    )
    yield Row(
        group,
        f"{what}: also superseded by compaction, until a write that comes 15 minutes later",
        f"{superseded * per:.1f} KB",
        figures={"superseded_kb": superseded * per},
    )


def _characters(chunks: Any) -> int:
    import pyarrow.compute as pc

    batches = chunks.scanner(columns=["char_count"]).to_batches()
    return sum(pc.sum(batch["char_count"]).as_py() or 0 for batch in batches)


def _grouped(sizes: dict[str, int]) -> dict[str, int]:
    """Return the bytes of columns that are shown together, and of each view."""
    columns = {n.removeprefix("chunks."): s for n, s in sizes.items() if n.startswith("chunks.")}
    parts = {label: sum(columns.pop(name, 0) for name in names) for label, names in _GROUPS.items()}
    parts["other columns"] = sum(columns.values())
    rest = ("documents", "chunks", "other files")
    parts |= {n: s for n, s in sizes.items() if not n.startswith(rest)}
    parts["ledger, manifests"] = sum(sizes.values()) - sum(parts.values())
    return parts


def _superseded_bytes(folder: Path, dataset: Any) -> int:
    """Return the bytes of data files that the newest version no longer names."""
    live = {
        (folder / "data" / file.path).name
        for fragment in dataset.get_fragments()
        for file in fragment.data_files()
    }
    return sum(p.stat().st_size for p in (folder / "data").iterdir() if p.name not in live)
