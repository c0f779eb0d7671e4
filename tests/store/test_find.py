"""Documents and chunks are found by their names: in full, or by a unique part."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from casetrack.api.library import Library
from casetrack.api.viewer import open_view
from casetrack.base.config import load_settings
from casetrack.base.errors import AmbiguousName, ChunkNotFound, DocumentNotFound
from casetrack.store.session import write_session

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.api.collection import Collection

NAMES = ("Amendment No 1.docx", "Lease.pdf", "lease.docx", "Notice.pdf", "Vol. 2 Index.txt", "W.md")
SHARED = "0a1b2c3d"
"""How the ids of both chunks of "Notice" begin."""


@pytest.fixture(scope="module")
def collection(
    tmp_path_factory: pytest.TempPathFactory, store_text: Callable[..., object]
) -> Collection:
    home = tmp_path_factory.mktemp("find")
    settings = replace(load_settings(home / "data"), models_dir=home / "no-models")
    collection = Library(settings).create("Case")
    with write_session(collection.folder) as session:
        for name in NAMES:
            store_text(session, name, f"This is {name}.")
        _with_ids(session, store_text, "Notice")
    return collection


def _with_ids(session: Any, store_text: Callable[..., object], name: str) -> None:
    """Store two chunks whose ids begin alike, which chance does not bring about."""

    class Renamed:
        def __getattr__(self, attribute: str) -> Any:
            return getattr(session, attribute)

        def append(self, batch: Any) -> None:
            ids = [f"{SHARED}-0000-4000-8000-{row:012d}" for row in range(batch.num_rows)]
            place = batch.schema.get_field_index("chunk_id")
            session.append(batch.set_column(place, batch.schema.field(place), pa.array(ids)))

    store_text(Renamed(), name, "The first page.", "The second page.")


@pytest.mark.parametrize(
    ("asked", "result"),
    [
        ("Amendment No 1", "Amendment No 1.docx"),
        (" amendment no 1 ", "Amendment No 1.docx"),
        ("/files/Amendment No 1", "Amendment No 1.docx"),
        ("Lease", "Lease.pdf"),
        ("lease", "lease.docx"),
        ("Notice", "Notice"),
        ("Notice.pdf", "Notice.pdf"),
    ],
)
def test_a_name_fits_without_its_ending(collection: Collection, asked: str, result: str) -> None:
    assert collection.document(asked).name == result


def test_several_names_without_their_ending_are_listed(collection: Collection) -> None:
    with pytest.raises(AmbiguousName) as caught:
        collection.document("LEASE")
    assert all(name in caught.value.message for name in ("Lease.pdf", "lease.docx"))


@pytest.mark.parametrize(
    ("asked", "offered"),
    [
        ("Amendmnt No 1", ["Amendment No 1.docx"]),
        ("Amendment No 1.pdf", ["Amendment No 1.docx"]),
        ("Amendments", ["Amendment No 1.docx"]),
        ("X", []),
        ("W.txt", ["W.md"]),
        ("no", []),
        ("", []),
    ],
)
def test_only_what_looks_alike_is_offered(
    collection: Collection, asked: str, offered: list[str]
) -> None:
    with pytest.raises(DocumentNotFound) as caught:
        collection.document(asked)
    assert [name for name, _ in caught.value.near] == offered


@pytest.mark.slow
def test_the_beginning_of_a_chunk_id_is_enough_everywhere(collection: Collection) -> None:
    (chunk,) = collection.read.chunks("Lease.pdf")
    for part in (chunk.chunk_id[:8], chunk.chunk_id[:13].upper(), f" {chunk.chunk_id[:35]} "):
        assert collection.read.chunk(part) == collection.read.chunk(chunk.chunk_id)
        assert collection.read.context(part).chunk.chunk_id == chunk.chunk_id
        assert collection.read.traverse(part)[0].chunk_id == chunk.chunk_id
        assert collection.read.page_image(part).document == "Lease.pdf"
        assert (
            open_view(collection.workspace.state(), part, window=1).chunk.chunk_id == chunk.chunk_id
        )


@pytest.mark.sampled(1)
@pytest.mark.parametrize("part", ["ffffffff", "%%%%%%%%", "________", "x' OR '1'='1", "", "a1b2"])
def test_what_begins_no_chunk_id_is_not_found(collection: Collection, part: str) -> None:
    for look in (collection.read.chunk, collection.read.context, collection.map.similar_chunks):
        with pytest.raises(ChunkNotFound):
            look(part)


def test_seven_characters_are_too_few(collection: Collection) -> None:
    (chunk,) = collection.read.chunks("Lease.pdf")
    with pytest.raises(ChunkNotFound):
        collection.read.chunk(chunk.chunk_id[:7])


def test_several_chunks_whose_ids_begin_so_are_listed(collection: Collection) -> None:
    for look in (collection.read.chunk, collection.read.context, collection.map.similar_chunks):
        with pytest.raises(AmbiguousName) as caught:
            look(SHARED)
        assert "Notice, p. 1" in caught.value.message
        assert f"{SHARED}-0000-4000-8000-000000000001" in caught.value.message
    assert collection.read.chunk(f"{SHARED}-0000-4000-8000-000000000001").provenance.page == 2
