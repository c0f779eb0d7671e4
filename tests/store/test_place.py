"""The datasets of a collection lie where its place says, and are written there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import object_service
from casetrack.errors import CollectionDamaged
from casetrack.objects.address import Address
from casetrack.store import datasets
from casetrack.store.place import Place, dataset_at, files_of, place_of, stand_in, stored_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytest.importorskip("obstore")
pytest.importorskip("moto.server")


@pytest.fixture(scope="module")
def service() -> Iterator[str]:
    with object_service.s3() as url:
        yield url


@pytest.fixture
def bucket(service: str, monkeypatch: pytest.MonkeyPatch) -> str:
    object_service.use(monkeypatch, service)
    return object_service.new_bucket()


def test_a_folder_without_a_word_of_it_holds_its_collection(tmp_path: Path) -> None:
    assert place_of(tmp_path) == Place(tmp_path)
    assert dataset_at(tmp_path, "chunks.lance") == str(tmp_path / "chunks.lance")
    assert place_of(tmp_path).options is None
    assert place_of(tmp_path).uri == str(tmp_path)


@pytest.mark.parametrize("content", [b"", b"[]", b'{"uri": 1}', b'{"uri": "s3://"}', b"\x00" * 9])
def test_a_torn_word_of_where_it_lies_is_told(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "place.json").write_bytes(content)
    with pytest.raises(CollectionDamaged, match="does not say where") as told:
        place_of(tmp_path)
    assert "attach" in told.value.hint


def test_datasets_lie_in_a_bucket(tmp_path: Path, service: str, bucket: str) -> None:
    place = stand_in(tmp_path, Address.of(f"s3://{bucket}/cases/one"), service)
    datasets.create(tmp_path, 4)
    opened = datasets.open_dataset(tmp_path, "chunks.lance")
    assert opened.uri == f"s3://{bucket}/cases/one/chunks.lance"
    assert [p.name for p in tmp_path.iterdir()] == ["place.json"]
    assert [f.read()[-4:] for f in files_of(tmp_path, "chunks.lance", "_versions")] == [b"LANC"]
    assert stored_bytes(tmp_path) == sum(e.size for e in place.objects.list("")) > 1000
