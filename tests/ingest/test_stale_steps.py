"""Each step is stale by itself: another tagger leaves the vectors alone, and vice versa."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from casetrack.api.library import Library
from fakes import FakeEncoders, NamesByList, WordEncoder

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.api.collection import Collection

pytestmark = pytest.mark.slow

MODELS = ("dense", "tokens", "embedders", "embedded_at")


class Models(FakeEncoders):
    """Models of a collection, with a tagger of a version."""

    def __init__(self, encoder: WordEncoder, tagger: str | None) -> None:
        super().__init__(encoder)
        self._tagger = tagger

    def names(self, profile: str, /) -> Any:
        if self._tagger is None:
            return None
        finder = NamesByList(Ann="person") if self._tagger == "a" else NamesByList(Bern="location")
        finder.fingerprint = self._tagger
        return finder


def opened(library: Library, encoder: WordEncoder, tagger: str | None) -> Library:
    result = Library(library.settings)
    result.encoders = Models(encoder, tagger)  # type: ignore[assignment]
    return result


def rows(collection: Collection) -> dict[str, dict[str, Any]]:
    columns = ["chunk_id", "mentions", "terms", "dates", *MODELS]
    return {
        r["chunk_id"]: r for r in collection.workspace.state().snapshot.scan(columns).to_pylist()
    }


def encoder(dimension: int = 12) -> WordEncoder:
    return WordEncoder("ollama", dimension, token_width=4)


@pytest.fixture
def made(library: Library, tmp_path: Path) -> Library:
    files = tmp_path / "files"
    files.mkdir()
    for name in ("a", "b"):
        (files / f"{name}.txt").write_text(f"Ann went to Bern on 3 May 2021, says {name}.")
    opened(library, encoder(), "a").create("C", profile="ollama").ingest([files])
    return library


def test_another_tagger_leaves_the_vectors(made: Library) -> None:
    before = rows(opened(made, encoder(), "a").get("C"))
    assert {m["text"] for r in before.values() for m in r["mentions"]} == {"Ann"}
    models = encoder()
    collection = opened(made, models, "b").get("C")
    assert collection.admin.index_status().problems == {"stale": 2}
    assert collection.admin.reindex().documents == 2
    after = rows(collection)
    assert {m["text"] for r in after.values() for m in r["mentions"]} == {"Bern"}
    for key, row in after.items():
        assert {n: row[n] for n in (*MODELS, "terms")} == {
            n: before[key][n] for n in (*MODELS, "terms")
        }
    assert models.seen == []
    assert collection.admin.index_status().ok
    assert collection.admin.reindex().did_nothing


def test_other_vectors_leave_the_names(made: Library) -> None:
    before = rows(opened(made, encoder(), "a").get("C"))
    collection = opened(made, WordEncoder("ollama", 12, token_width=6), "a").get("C")
    assert collection.admin.index_status().problems == {"stale": 2}
    assert collection.admin.reindex().documents == 2
    after = rows(collection)
    for key, row in after.items():
        assert row["mentions"] == before[key]["mentions"]
        assert row["embedders"] != before[key]["embedders"]
        assert row["embedded_at"] > before[key]["embedded_at"]
    assert collection.admin.index_status().ok


def test_a_changed_file_takes_over_what_is_still_good(made: Library, tmp_path: Path) -> None:
    models = encoder()
    collection = opened(made, models, "b").get("C")
    made_at = {r["embedded_at"] for r in rows(collection).values()}
    collection.ingest([tmp_path / "files"], force=True)
    assert models.seen == []
    result = rows(collection).values()
    assert {m["text"] for r in result for m in r["mentions"]} == {"Bern"}
    assert {r["embedded_at"] for r in result} == made_at
    assert collection.admin.index_status().ok
