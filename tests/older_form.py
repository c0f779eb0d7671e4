"""An invented older form of collections, "version 0", and a migration from it.

No program ever wrote it. It lacks the columns of :data:`LACKS`; everything else is the current
form. :func:`age` makes a collection of it from a current one.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import lance
import pytest

from casetrack.base import schema
from casetrack.base.resources import resource_dir
from casetrack.store import migrations
from casetrack.store.info import update_info
from casetrack.store.migrations.backup import add_columns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from casetrack.base.records import CollectionInfo

LACKS = {
    "chunks": ("text_hash", "dates", "embedded_at", "checksum"),
    "documents": ("entity_count", "reference_count", "metadata", "checksum"),
}


def migrate(folder: Path, info: CollectionInfo, /) -> None:
    """Add the columns of version 1: this is all that such a step needs."""
    add_columns(folder, 1, info.dimension)


@contextlib.contextmanager
def known() -> Iterator[None]:
    """Let the program know version 0 for the time of the block."""
    with tempfile.TemporaryDirectory() as home, pytest.MonkeyPatch.context() as patch:
        declare(Path(home))
        patch.setattr(schema, "resource_dir", lambda _: Path(home))
        patch.setitem(migrations.MIGRATIONS, 0, migrate)
        yield


def declare(home: Path, /) -> None:
    """Write the declarations of versions 0 and 1 into a folder."""
    shutil.copytree(resource_dir("schemas") / "v1", home / "v1")
    (home / "v0").mkdir()
    for path in (home / "v1").glob("*.toml"):
        head, *columns = path.read_text("utf-8").split("[[column]]\n")
        lacks = {f'name = "{name}"' for name in LACKS.get(path.stem, ())}
        kept = [c for c in columns if c.split("\n", 1)[0] not in lacks]
        assert len(columns) - len(kept) == len(lacks)
        head = head.replace("version = 1", "version = 0")
        (home / "v0" / path.name).write_text("[[column]]\n".join([head, *kept]), "utf-8")


def age(folder: Path, /) -> None:
    """Turn a current collection into one of version 0, without its derived files."""
    shutil.rmtree(folder / "views", ignore_errors=True)
    for table, columns in LACKS.items():
        lance.dataset(folder / f"{table}.lance").drop_columns(list(columns))
    ledger = lance.dataset(folder / "documents.lance")
    ledger.update({"pipeline_fingerprint": "'of version 0'"})
    update_info(folder, lambda info: replace(info, schema_version=0))
