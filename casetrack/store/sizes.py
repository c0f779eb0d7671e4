"""The bytes of a collection by part: columns of its datasets, and files of its views."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from casetrack.store.datasets import CHUNKS, DOCUMENTS, open_dataset
from casetrack.store.place import place_of, stored_bytes

if TYPE_CHECKING:
    from pathlib import Path


def sizes_of(folder: Path, /) -> dict[str, int]:
    """Return the bytes of each part of a collection, largest first; their sum is the whole.

    Metadata are those of files and versions; an upkeep removes the rows of old versions.
    """
    sizes, whole = Counter[str](), stored_bytes(folder)
    for name in (CHUNKS, DOCUMENTS):
        table, dataset = name.removesuffix(".lance"), open_dataset(folder, name)
        by_field = {field.id: field.bytes_on_disk for field in dataset.stats.data_stats().fields}
        columns = {f.name(): _with_children(f, by_field) for f in dataset.lance_schema.fields()}
        sizes.update({f"{table}.{column}": size for column, size in columns.items()})
        sizes[f"{table}: metadata, old rows"] = stored_bytes(folder, name) - sum(columns.values())
    views = folder / "views"
    files = views.rglob("*") if place_of(folder).address is None else ()
    for path in files:
        if path.is_file():
            kind = path.relative_to(views).parts[0]
            # Positions of token matrices have the names of data files.
            label = kind if kind == "matrices" else f"{kind}: {path.stem.lstrip('.')}"
            sizes[label] += path.stat().st_size
    sizes["other files"] = whole - sizes.total()
    return dict((+sizes).most_common())


def _with_children(field: Any, sizes: dict[int, int]) -> int:
    return sizes.get(field.id(), 0) + sum(_with_children(c, sizes) for c in field.children())
