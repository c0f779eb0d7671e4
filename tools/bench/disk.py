"""Bytes on disk, by column and by view."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bench.report import Row, judge
from casetrack.base.files import folder_bytes
from casetrack.store.datasets import CHUNKS

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
    live = folder_bytes(folder) - superseded
    parts = _column_parts(chunks) | _view_parts(folder / "views")
    parts["ledger, manifests"] = live - sum(parts.values())
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


def _column_parts(chunks: Any) -> dict[str, int]:
    fields = _field_bytes(chunks)
    parts = {label: sum(fields.pop(name, 0) for name in names) for label, names in _GROUPS.items()}
    return parts | {"other columns": sum(fields.values())}


def _view_parts(views: Path) -> dict[str, int]:
    """Return the bytes of every view by the kind of its files, such as ``index: dense``."""
    parts: dict[str, int] = {}
    for path in sorted(p for p in views.rglob("*") if p.is_file()):
        kind = path.relative_to(views).parts[0]
        # One file for each data file, by whose name it is called.
        label = kind if kind == "matrices" else f"{kind}: {path.stem.lstrip('.')}"
        parts[label] = parts.get(label, 0) + path.stat().st_size
    return parts


def _superseded_bytes(folder: Path, dataset: Any) -> int:
    """Return the bytes of data files that the newest version no longer names."""
    live = {
        (folder / "data" / file.path).name
        for fragment in dataset.get_fragments()
        for file in fragment.data_files()
    }
    return sum(p.stat().st_size for p in (folder / "data").iterdir() if p.name not in live)


def _field_bytes(dataset: Any) -> dict[str, int]:
    """Return the bytes of every top-level column in the data files."""
    sizes = {field.id: field.bytes_on_disk for field in dataset.stats.data_stats().fields}
    return {field.name(): _with_children(field, sizes) for field in dataset.lance_schema.fields()}


def _with_children(field: Any, sizes: dict[int, int]) -> int:
    below = [_with_children(child, sizes) for child in field.children()]
    return sizes.get(field.id(), 0) + sum(below)
